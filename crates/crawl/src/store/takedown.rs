//! A takedown in what lies beside the archive: tables, queues and lists are copied without it.
//!
//! The old tables stay as they are until the copy is whole; the old segments of the backlog until
//! the copy is what holds. What is left out is known by its hashes alone.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use rhumb_archive::Position;
use rhumb_disk::SharedDisk;
use rhumb_frontier::backlog::Backlog;
use rhumb_frontier::{Entry, LaneKey, SiteKey, Taken};
use rhumb_likeness::Sieve;
use rhumb_rules::Forgotten;
use rhumb_web::{Candidate, CanonUrl, Errand, PartitionId, Scheme, UrlKey};

use super::rows::{
    IDENTITY, Identity, LEDGER, Ledger, PAYLOAD, decode, decode_site, encode, encode_site,
    parse_site_key, partition_key, read_record, row_key,
};
use super::{BACKLOG, LIKENESS, StoreError, failed};
use crate::log::Offset;
use crate::partition::{PartitionRow, PayloadRow, UrlRecord};
use crate::tables::{Batch, Table, Tables};

/// Rows are copied in batches of about so many bytes.
const BATCH_BYTES: usize = 4 << 20;

/// What a copy does not have any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// URLs that were fetched or given up.
    pub(crate) urls: u64,
    /// URLs that waited.
    pub(crate) queued: u64,
}

/// The identity of the crawl whose tables these are; none if there is none yet.
pub(crate) fn identity_of(tables: &dyn Tables) -> Result<Option<Identity>, StoreError> {
    let row = tables.get(Table::Meta, IDENTITY)?;
    row.map(|row| decode("of its identity", &row)).transpose()
}

/// Removes the files of the backlog and of the sieve that the tables do not list.
pub(crate) fn remove_unlisted(
    disk: &SharedDisk,
    folder: &Path,
    tables: &dyn Tables,
) -> Result<(), StoreError> {
    let ledger = ledger_of(tables)?;
    let segments = ledger.segments.iter().map(|info| info.name.as_str());
    let lists: [(&str, HashSet<&str>); 2] =
        [(BACKLOG, segments.collect()), (LIKENESS, ledger.sieve.files().collect())];
    for (name, listed) in lists {
        let folder = folder.join(name);
        // A crawl of before has no sieve.
        disk.create_folder(&folder).map_err(failed("create", &folder))?;
        for file in disk.list(&folder).map_err(failed("list", &folder))? {
            if !listed.contains(file.as_str()) {
                let path = folder.join(file);
                disk.remove(&path).map_err(failed("remove", &path))?;
            }
        }
        disk.sync_folder(&folder).map_err(failed("sync", &folder))?;
    }
    Ok(())
}

/// Copies the tables of a crawl that is closed, whose log has nothing but its end, without what is
/// forgotten. `archive` is where the archive ends now.
pub(crate) fn copy_without(
    disk: &SharedDisk,
    folder: &Path,
    (from, to): (&dyn Tables, &dyn Tables),
    forgotten: &Forgotten,
    archive: Position,
) -> Result<LeftOut, StoreError> {
    let offset = from.offset()?.unwrap_or_default();
    let batch = Batch::default();
    let identity = identity_of(from)?.ok_or_else(|| StoreError::NoCrawl(folder.to_owned()))?;
    let mut copying = Copying {
        from,
        to,
        forgotten,
        offset,
        batch,
        puts: BTreeMap::new(),
        released: HashMap::new(),
        gone: HashSet::new(),
        unqueued: HashMap::new(),
        urls: 0,
    };
    let mut ledger = ledger_of(from)?;
    ledger.archive = archive;
    ledger.roots.retain(|root| !forgotten.covers(root));
    ledger.suspects.clear();
    copying.rewrite_backlog(disk, folder, &mut ledger)?;
    let mut partitions = copying.partitions(identity)?;
    copying.copy_sites()?;
    copying.rewrite_sieve(disk, folder, &mut ledger)?;
    copying.replace(Table::Meta, LEDGER.to_vec(), encode(&ledger))?;
    copying.copy_robots()?;
    copying.copy_urls()?;
    let mut written = vec![LEDGER.to_vec()];
    for (id, row) in &mut partitions {
        row.queued = row.queued.saturating_sub(copying.unqueued.get(id).copied().unwrap_or(0));
        written.push(partition_key(*id));
        copying.replace(Table::Meta, partition_key(*id), encode(row))?;
    }
    for row in from.range(Table::Meta, &[]) {
        let (key, row) = row?;
        if let Some(row) = payload_url(&key, &row)?
            && copying.is_gone(row)?
        {
            continue;
        }
        if !written.contains(&key) {
            copying.replace(Table::Meta, key, row)?;
        }
    }
    let queued = copying.unqueued.values().sum();
    let urls = copying.urls;
    to.commit(copying.batch, offset)?;
    Ok(LeftOut { urls, queued })
}

/// The URL that a row is about, if it is one of a payload.
fn payload_url(key: &[u8], row: &[u8]) -> Result<Option<UrlKey>, StoreError> {
    if !key.starts_with(PAYLOAD) {
        return Ok(None);
    }
    let row: PayloadRow = decode("of a payload", row)?;
    Ok(Some(row.url))
}

fn ledger_of(tables: &dyn Tables) -> Result<Ledger, StoreError> {
    let row = tables.get(Table::Meta, LEDGER)?;
    Ok(row.map(|row| decode("of the crawl", &row)).transpose()?.unwrap_or_default())
}

struct Copying<'a> {
    from: &'a dyn Tables,
    to: &'a dyn Tables,
    forgotten: &'a Forgotten,
    offset: Offset,
    batch: Batch,
    /// Where the shelves end from which entries were taken out.
    puts: BTreeMap<LaneKey, u64>,
    /// Tickets that are out and that nobody will recall, by site.
    released: HashMap<SiteKey, u8>,
    /// Sites that are not copied.
    gone: HashSet<SiteKey>,
    /// Entries that wait no more.
    unqueued: HashMap<PartitionId, u64>,
    urls: u64,
}

impl Copying<'_> {
    /// Whether a candidate is one of what is forgotten, or fetches its robots.txt elsewhere.
    fn covers(&self, candidate: &Candidate) -> bool {
        let is_for = match &candidate.errand {
            Errand::Robots { origin, .. } => self.forgotten.covers_site(&origin.site),
            Errand::Page | Errand::Sitemap | Errand::Compared(_) => false,
        };
        is_for || self.forgotten.covers(&candidate.url)
    }

    /// Whether a URL that was recorded is not copied.
    fn is_gone(&self, key: UrlKey) -> Result<bool, StoreError> {
        let record = read_record(self.from, key)?;
        let url = record.and_then(|record| record.story.url);
        Ok(self.forgotten.has_key(key) || url.is_some_and(|url| self.forgotten.covers(&url)))
    }

    fn replace(&mut self, table: Table, key: Vec<u8>, row: Vec<u8>) -> Result<(), StoreError> {
        self.batch.put(table, key, row);
        if self.batch.bytes() >= BATCH_BYTES {
            self.to.commit(std::mem::take(&mut self.batch), self.offset)?;
        }
        Ok(())
    }

    /// Writes what waits on disk into one new segment, which the ledger lists alone.
    fn rewrite_backlog(
        &mut self,
        disk: &SharedDisk,
        folder: &Path,
        ledger: &mut Ledger,
    ) -> Result<(), StoreError> {
        if ledger.segments.is_empty() {
            return Ok(());
        }
        let folder = folder.join(BACKLOG);
        ledger.next_file += 1;
        let name = format!("part-{:010}", ledger.next_file);
        let path = folder.join(&name);
        // A copying that was cut short has left it.
        if disk.exists(&path).map_err(failed("find", &path))? {
            disk.remove(&path).map_err(failed("remove", &path))?;
        }
        let trouble = RefCell::new(None);
        let taken = |lane: LaneKey| {
            taken(self.from, lane).unwrap_or_else(|error| {
                trouble.borrow_mut().get_or_insert(error);
                Taken::default()
            })
        };
        let mut unqueued: HashMap<PartitionId, u64> = HashMap::new();
        let mut keep = |lane: LaneKey, entry: &Entry| {
            let is_kept = !self.covers(&entry.candidate);
            *unqueued.entry(lane.site().partition()).or_default() += u64::from(!is_kept);
            is_kept
        };
        let (segment, puts) =
            Backlog::rewrite(&**disk, &folder, &name, &ledger.segments, &mut keep, &taken)?;
        if let Some(error) = trouble.into_inner() {
            return Err(error);
        }
        disk.sync_folder(&folder).map_err(failed("sync", &folder))?;
        ledger.segments = segment.into_iter().collect();
        (self.puts, self.unqueued) = (puts, unqueued);
        Ok(())
    }

    /// Takes originals out of the sieve; what is a twin of theirs stays one, of a page without a
    /// name.
    fn rewrite_sieve(
        &self,
        disk: &SharedDisk,
        folder: &Path,
        ledger: &mut Ledger,
    ) -> Result<(), StoreError> {
        let folder = folder.join(LIKENESS);
        // A crawl of before has none.
        disk.create_folder(&folder).map_err(failed("create", &folder))?;
        let is_forgotten = |url: UrlKey, site: u64| {
            self.forgotten.has_key(url) || self.gone.contains(&SiteKey(site))
        };
        Sieve::forget(&**disk, &folder, &mut ledger.sieve, &is_forgotten)?;
        disk.sync_folder(&folder).map_err(failed("sync", &folder))
    }

    /// What the partitions remember apart from their sites, without what is forgotten.
    fn partitions(
        &mut self,
        identity: Identity,
    ) -> Result<Vec<(PartitionId, PartitionRow)>, StoreError> {
        let mut rows = Vec::new();
        for id in (0..identity.partitions).map(PartitionId) {
            let Some(row) = self.from.get(Table::Meta, &partition_key(id))? else { continue };
            let mut row: PartitionRow = decode("of a partition", &row)?;
            for candidates in row.unsure.values_mut() {
                candidates.retain(|candidate| !self.covers(candidate));
            }
            row.unsure.retain(|_, candidates| !candidates.is_empty());
            let covered = row.out.values().filter(|out| self.covers(&out.entry.candidate));
            let sites: Vec<_> = covered.map(|out| out.entry.url().site()).collect();
            row.out.retain(|_, out| !self.covers(&out.entry.candidate));
            for site in sites {
                *self.released.entry(SiteKey::of(identity.hash, id, &site)).or_default() += 1;
            }
            rows.push((id, row));
        }
        Ok(rows)
    }

    fn copy_sites(&mut self) -> Result<(), StoreError> {
        for row in self.from.range(Table::Sites, &[]) {
            let (bytes, row) = row?;
            let unreadable = || StoreError::Row("of a site".to_owned());
            let key = parse_site_key(&bytes).ok_or_else(unreadable)?;
            let mut dossier = decode_site(&row)?;
            let is_gone = self.forgotten.covers_site(&dossier.site);
            let is_kept = |entry: &Entry| !is_gone && !self.covers(&entry.candidate);
            let removed = dossier.state.retain(is_kept);
            *self.unqueued.entry(key.partition()).or_default() += removed;
            if is_gone {
                self.gone.insert(key);
                continue;
            }
            let mut is_new = removed > 0;
            if let Some(tickets) = self.released.get(&key) {
                dossier.state.release(*tickets);
                is_new = true;
            }
            for scheme in [Scheme::Http, Scheme::Https] {
                if let Some(put) = self.puts.get(&key.lane(scheme)) {
                    dossier.state.reshelve(scheme, *put);
                    is_new = true;
                }
            }
            let row = if is_new { encode_site(&dossier) } else { row };
            self.replace(Table::Sites, bytes, row)?;
        }
        Ok(())
    }

    fn copy_robots(&mut self) -> Result<(), StoreError> {
        for row in self.from.range(Table::Robots, &[]) {
            let (bytes, row) = row?;
            // The lowest bit of a lane's key is the scheme.
            let site = parse_site_key(&bytes).map(|lane| LaneKey(lane.0).site());
            if site.is_none_or(|site| !self.gone.contains(&site)) {
                self.replace(Table::Robots, bytes, row)?;
            }
        }
        Ok(())
    }

    fn copy_urls(&mut self) -> Result<(), StoreError> {
        for row in self.from.range(Table::Urls, &[]) {
            let (bytes, row) = row?;
            let key = <[u8; 8]>::try_from(&*bytes).ok().map(u64::from_be_bytes);
            let mut record: UrlRecord = decode("of a URL", &row)?;
            let covers =
                |url: &Option<CanonUrl>| url.as_ref().is_some_and(|url| self.forgotten.covers(url));
            let has_key = key.is_some_and(|key| self.forgotten.has_key(UrlKey(key)));
            if has_key || covers(&record.story.url) {
                self.urls += 1;
                continue;
            }
            let story = &mut record.story;
            let others = [&mut story.moved_to, &mut story.duplicate_of];
            let named = others.into_iter().filter(|url| covers(url));
            let is_new = named.map(|url| *url = None).count() > 0;
            let row = if is_new { encode(&record) } else { row };
            self.replace(Table::Urls, bytes, row)?;
        }
        Ok(())
    }
}

/// What has come back of a lane; of a site that has no row nothing has.
fn taken(tables: &dyn Tables, lane: LaneKey) -> Result<Taken, StoreError> {
    let row = tables.get(Table::Sites, &row_key(lane.site().0))?;
    let dossier = row.map(|row| decode_site(&row)).transpose()?;
    Ok(dossier.map(|dossier| dossier.state.taken(lane.scheme())).unwrap_or_default())
}
