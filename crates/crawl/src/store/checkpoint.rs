//! Checkpoints: what changed since the last one goes into one batch, with the files that it lists
//! and the offset of the log up to which it holds.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::SharedDisk;
use rhumb_frontier::LaneKey;
use rhumb_frontier::SiteKey;
use rhumb_frontier::backlog::{self, Backlog, Segment};
use rhumb_likeness::{Document, Frozen, Late, Pass, Passed, Sealed, Sieve, Twin, Verdict};
use rhumb_seen::{self as seen, Run};
use rhumb_web::{CanonUrl, Scheme, Tick, UrlKey};

use super::rows::{
    LEDGER, Ledger, SeenHandle, decode, decode_site_head, domain_key, encode, encode_site,
    partition_key, payload_key, row_key,
};
use super::{BACKLOG, LIKENESS, Mark, Mirrors, SEEN, StoreError, Suspects, failed};
use crate::partition::{Partition, UrlRecord};
use crate::tables::{Batch, Table, Tables};

/// What the desk holds beside its partitions, and a checkpoint writes down with them.
#[derive(Debug)]
pub struct Holdings {
    /// Where the files are.
    pub disk: SharedDisk,
    /// The rows of what is not in memory.
    pub tables: Arc<dyn Tables>,
    /// What was ever met.
    pub seen: SeenHandle,
    /// What waits on disk.
    pub backlog: Backlog,
    /// The originals that were met; none where a crawl is only looked at.
    pub(super) sieve: Option<Sieve>,
    /// Sites with the same pages.
    pub mirrors: Mirrors,
    /// How often the ceiling of all domains was raised.
    pub level: u32,
    /// Templates that were taken for traps.
    pub suspects: Suspects,
    pub(super) folder: PathBuf,
    /// What became of URLs and is being written down: it is not in the tables for certain.
    pub(super) writing: Arc<HashMap<UrlKey, UrlRecord>>,
    /// The same of originals that were found later.
    pub(super) likening: Arc<HashMap<UrlKey, Twin>>,
    pub(super) roots: BTreeSet<CanonUrl>,
    pub(super) ledger: Ledger,
    pub(super) next_file: u64,
}

impl Holdings {
    /// A seed moved there; whether that is news.
    pub fn add_root(&mut self, root: CanonUrl) -> bool {
        self.roots.insert(root)
    }

    /// The places to which seeds moved.
    pub fn roots(&self) -> impl Iterator<Item = &CanonUrl> {
        self.roots.iter()
    }

    /// What became of a URL, as far as the tables do not have it yet.
    pub fn recent(&self, partitions: &[Partition<SeenHandle>], key: UrlKey) -> Option<UrlRecord> {
        let record = partitions.iter().find_map(|it| it.state().record_of(key));
        record.or_else(|| self.being_written(key)).cloned()
    }

    /// What became of a URL before the checkpoint that is under way.
    pub(crate) fn being_written(&self, key: UrlKey) -> Option<&UrlRecord> {
        self.writing.get(&key)
    }

    /// The original of a URL that the checkpoint that is under way writes down.
    pub(crate) fn being_likened(&self, key: UrlKey) -> Option<Twin> {
        self.likening.get(&key).copied()
    }

    /// A page that was taken for an original is none.
    pub(super) fn forget_original(&mut self, url: UrlKey) {
        if let Some(sieve) = &mut self.sieve {
            sieve.remove(url);
        }
    }

    /// A page was taken for an original; says who is none after all.
    pub(super) fn add_original(&mut self, document: &Document) -> Option<Late> {
        let late = self.sieve.as_mut()?.add(document)?;
        self.mirrors.note(SiteKey(late.site), &late.twin);
        Some(late)
    }

    /// Asks the sieve about a document, which is one of the originals then if there is none.
    pub fn meet(&mut self, document: &Document) -> Verdict {
        let sieve = self.sieve.as_mut();
        let verdict = sieve.map_or(Verdict::Original { replaces: None }, |it| it.meet(document));
        match &verdict {
            Verdict::Twin(twin) => self.mirrors.note(SiteKey(document.site), twin),
            Verdict::Original { replaces: Some(late) } => {
                self.mirrors.note(SiteKey(late.site), &late.twin);
            }
            Verdict::Original { replaces: None } => {}
        }
        verdict
    }

    /// Whether what is in memory should be compared with what is on disk.
    pub fn wants_pass(&self) -> bool {
        self.sieve.as_ref().is_some_and(Sieve::wants_pass)
    }

    /// Whether it must be, before all is known.
    pub fn needs_pass(&self) -> bool {
        self.sieve.as_ref().is_some_and(Sieve::needs_pass)
    }

    /// Compares what is in memory with what is on disk, on another thread.
    pub fn pass(&mut self) -> Option<Pass> {
        self.sieve.as_mut().and_then(Sieve::pass)
    }

    /// Takes in what a pass found.
    pub fn passed(&mut self, passed: Passed) -> Vec<Late> {
        let late = self.sieve.as_mut().map(|sieve| sieve.install(passed)).unwrap_or_default();
        for it in &late {
            self.mirrors.note(SiteKey(it.site), &it.twin);
        }
        late
    }

    /// Bytes of memory that the sieve takes.
    pub fn sieve_bytes(&self) -> usize {
        self.sieve.as_ref().map_or(0, Sieve::bytes)
    }

    fn name(&mut self, kind: &str) -> String {
        self.next_file += 1;
        format!("{kind}-{:010}", self.next_file)
    }

    /// Takes what a checkpoint needs out of memory, between two turns: no parcel is under way.
    /// The caller marks the log right after it, and calls [`Snapshot::write`] on any thread.
    /// Merges are left out where there is no time for them.
    pub fn snapshot(
        &mut self,
        now: Tick,
        partitions: &mut [Partition<SeenHandle>],
        merges: bool,
    ) -> Snapshot {
        let mut batch = Batch::default();
        let mut urls = HashMap::new();
        let mut likened = HashMap::new();
        let mut cursors = HashMap::new();
        for partition in partitions {
            let id = partition.id();
            let state = partition.state_mut();
            for site in state.frontier_mut().take_changed() {
                let Some(dossier) = state.dossier(&site) else { continue };
                let key = state.frontier().key(&site);
                batch.put(Table::Sites, row_key(key.0), encode_site(&dossier));
            }
            for (site, warm) in state.frontier().sites() {
                let key = state.frontier().key(site);
                for (scheme, shelf) in [Scheme::Http, Scheme::Https].into_iter().zip(warm.shelves())
                {
                    if shelf.put > 0 {
                        cursors.insert(key.lane(scheme), shelf.taken);
                    }
                }
            }
            for (domain, count) in state.frontier_mut().take_changed_domains() {
                batch.put(Table::Meta, domain_key(id, domain), encode(&count));
            }
            let records = state.take_records();
            urls.extend(records.urls);
            likened.extend(records.likened);
            for (digest, row) in records.payloads {
                batch.put(Table::Meta, payload_key(&digest), encode(&row));
            }
            for (lane, file) in records.files {
                batch.put(Table::Robots, row_key(lane.0), encode(&file));
            }
            batch.put(Table::Meta, partition_key(id), encode(&state.row()));
        }
        let keys = self.seen.lock().snapshot();
        let seen_merge = self.seen.lock().merge().filter(|_| merges);
        let frozen = self.backlog.freeze();
        let backlog_merge = self.backlog.merge().filter(|_| merges);
        let originals = self.sieve.as_mut().map(Sieve::freeze);
        self.writing = Arc::new(urls);
        self.likening = Arc::new(likened);
        let names = [self.name("run"), self.name("run"), self.name("part"), self.name("part")];
        let mut ledger = self.ledger.clone();
        ledger.at = now;
        ledger.roots = self.roots.iter().cloned().collect();
        ledger.next_file = self.next_file;
        ledger.mirrors = self.mirrors.clone();
        ledger.level = self.level;
        ledger.suspects = self.suspects.clone();
        Snapshot {
            disk: Arc::clone(&self.disk),
            tables: Arc::clone(&self.tables),
            seen_folder: self.folder.join(SEEN),
            backlog_folder: self.folder.join(BACKLOG),
            likeness_folder: self.folder.join(LIKENESS),
            batch,
            urls: Arc::clone(&self.writing),
            likened: Arc::clone(&self.likening),
            originals,
            cursors,
            keys,
            seen_merge,
            frozen,
            backlog_merge,
            names,
            ledger,
        }
    }

    /// Takes in what a checkpoint has put on the disk.
    pub fn install(&mut self, installed: Installed) {
        let mut seen = self.seen.lock();
        if let Some(run) = installed.run {
            seen.install(run);
        }
        if let Some((run, replaced)) = installed.seen_merged {
            seen.replace(run, &replaced);
        }
        drop(seen);
        if let Some(segment) = installed.segment {
            self.backlog.install(segment);
        }
        if let Some((segment, replaced)) = installed.backlog_merged {
            self.backlog.replace(segment, &replaced);
        }
        if let (Some(sieve), Some(sealed)) = (&mut self.sieve, installed.sealed) {
            sieve.seal(sealed);
        }
        self.ledger = installed.ledger;
        self.writing = Arc::default();
        self.likening = Arc::default();
    }
}

/// What a checkpoint will hold: it needs nothing of the crawl any more.
#[derive(Debug)]
pub struct Snapshot {
    disk: SharedDisk,
    tables: Arc<dyn Tables>,
    seen_folder: PathBuf,
    backlog_folder: PathBuf,
    likeness_folder: PathBuf,
    batch: Batch,
    urls: Arc<HashMap<UrlKey, UrlRecord>>,
    likened: Arc<HashMap<UrlKey, Twin>>,
    originals: Option<Frozen>,
    /// How far the lanes of warm sites are read.
    cursors: HashMap<LaneKey, u64>,
    keys: seen::Snapshot,
    seen_merge: Option<seen::Merge>,
    frozen: Option<backlog::Frozen>,
    backlog_merge: Option<backlog::Merge>,
    /// Of a run, a merged run, a segment and a merged segment.
    names: [String; 4],
    ledger: Ledger,
}

/// A checkpoint that is on the disk.
#[derive(Debug)]
pub struct Installed {
    /// Up to where it holds: what lies before can go.
    pub mark: Mark,
    run: Option<Run>,
    seen_merged: Option<(Run, Vec<String>)>,
    segment: Option<Segment>,
    backlog_merged: Option<(Segment, Vec<String>)>,
    sealed: Option<Sealed>,
    ledger: Ledger,
}

impl Snapshot {
    /// Puts it on the disk: files first, then the one batch that lists them. Files that it
    /// replaces are removed after that.
    pub fn write(mut self, mark: Mark) -> Result<Installed, StoreError> {
        let mut gone: Vec<PathBuf> = Vec::new();
        let run = self.write_keys(&mut gone)?;
        let seen_merged = self.merge_runs(&mut gone)?;
        let segment = self.write_entries()?;
        let backlog_merged = self.merge_segments(&mut gone)?;
        let sealed = self.write_originals(&mut gone)?;
        for folder in [&self.seen_folder, &self.backlog_folder, &self.likeness_folder] {
            self.disk.sync_folder(folder).map_err(failed("sync", folder))?;
        }
        self.put_urls()?;
        self.ledger.archive = mark.archive;
        self.batch.put(Table::Meta, LEDGER.to_vec(), encode(&self.ledger));
        self.tables.commit(self.batch, mark.offset)?;
        for path in gone {
            self.disk.remove(&path).map_err(failed("remove", &path))?;
        }
        let ledger = self.ledger;
        Ok(Installed { mark, run, seen_merged, segment, backlog_merged, sealed, ledger })
    }

    /// The keys that are in no run: they become one if there are many, or are kept beside.
    fn write_keys(&mut self, gone: &mut Vec<PathBuf>) -> Result<Option<Run>, StoreError> {
        if let Some(young) = self.ledger.young.take() {
            gone.push(self.seen_folder.join(young.name));
        }
        if self.keys.keys.is_empty() {
            return Ok(None);
        }
        let run = Run::write(&*self.disk, &self.seen_folder, &self.names[0], &self.keys.keys)?;
        if self.keys.is_flush {
            self.ledger.runs.push(run.info());
            return Ok(Some(run));
        }
        self.ledger.young = Some(run.info());
        Ok(None)
    }

    fn merge_runs(
        &mut self,
        gone: &mut Vec<PathBuf>,
    ) -> Result<Option<(Run, Vec<String>)>, StoreError> {
        let Some(merge) = self.seen_merge.take() else { return Ok(None) };
        let (run, replaced) = merge.write(&*self.disk, &self.seen_folder, &self.names[1])?;
        self.ledger.runs.retain(|info| !replaced.contains(&info.name));
        self.ledger.runs.push(run.info());
        gone.extend(paths(&self.seen_folder, &replaced));
        Ok(Some((run, replaced)))
    }

    fn write_entries(&mut self) -> Result<Option<Segment>, StoreError> {
        let Some(frozen) = self.frozen.take() else { return Ok(None) };
        let segment = frozen.write(&*self.disk, &self.backlog_folder, &self.names[2])?;
        self.ledger.segments.push(segment.info().clone());
        Ok(Some(segment))
    }

    fn merge_segments(
        &mut self,
        gone: &mut Vec<PathBuf>,
    ) -> Result<Option<(Segment, Vec<String>)>, StoreError> {
        let Some(merge) = self.backlog_merge.take() else { return Ok(None) };
        let (tables, cursors) = (&self.tables, &self.cursors);
        // Of a site that has no row everything is kept.
        let trouble = std::cell::RefCell::new(None);
        let taken = |lane: LaneKey| {
            if let Some(taken) = cursors.get(&lane) {
                return *taken;
            }
            let row = tables.get(Table::Sites, &row_key(lane.site().0));
            let head = row
                .map_err(StoreError::from)
                .and_then(|row| row.map(|row| decode_site_head(&row)).transpose());
            let shelf = usize::from(lane.scheme() == Scheme::Https);
            match head {
                Ok(head) => head.map_or(0, |head| head.shelves[shelf].taken),
                Err(error) => {
                    trouble.borrow_mut().get_or_insert(error);
                    0
                }
            }
        };
        let (segment, replaced) =
            merge.write(&*self.disk, &self.backlog_folder, &self.names[3], &taken)?;
        if let Some(error) = trouble.into_inner() {
            return Err(error);
        }
        // It stands where those stood: the entries of a lane lie in the order of the segments.
        let segments = &mut self.ledger.segments;
        let at = segments.iter().position(|info| replaced.contains(&info.name));
        segments.retain(|info| !replaced.contains(&info.name));
        segments.insert(at.unwrap_or_default(), segment.info().clone());
        gone.extend(paths(&self.backlog_folder, &replaced));
        Ok(Some((segment, replaced)))
    }

    fn write_originals(&mut self, gone: &mut Vec<PathBuf>) -> Result<Option<Sealed>, StoreError> {
        let Some(originals) = self.originals.take() else { return Ok(None) };
        let (ledger, sealed) = originals.write(&*self.disk, &self.likeness_folder)?;
        self.ledger.sieve = ledger;
        gone.extend(paths(&self.likeness_folder, &sealed.gone()));
        Ok(Some(sealed))
    }

    /// Adds what became of URLs to what is known of them.
    fn put_urls(&mut self) -> Result<(), StoreError> {
        for (key, record) in self.urls.iter() {
            let key = row_key(key.0);
            let row = match self.tables.get(Table::Urls, &key)? {
                Some(bytes) => {
                    let mut known: UrlRecord = decode("of a URL", &bytes)?;
                    known.follow(record);
                    encode(&known)
                }
                None => encode(record),
            };
            self.batch.put(Table::Urls, key, row);
        }
        // What is known of a URL since is newer.
        for (key, twin) in self.likened.iter().filter(|(key, _)| !self.urls.contains_key(key)) {
            let key = row_key(key.0);
            if let Some(bytes) = self.tables.get(Table::Urls, &key)? {
                let mut known: UrlRecord = decode("of a URL", &bytes)?;
                known.story.told.twin = Some(*twin);
                self.batch.put(Table::Urls, key, encode(&known));
            }
        }
        Ok(())
    }
}

fn paths(folder: &Path, names: &[String]) -> Vec<PathBuf> {
    names.iter().map(|name| folder.join(name)).collect()
}
