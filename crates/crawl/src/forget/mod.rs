//! Takedowns: what is to be gone from a crawl, and never to be fetched again.
//!
//! [`forget`] works on a crawl that nobody runs, in stages that are written down before they
//! begin: the takedown is recorded (from then on nothing of it is fetched); what the log says is
//! brought into the tables and the log is cut; the clicks, the archive, the backlog and the tables
//! are written anew without it; what they replaced is removed. Whatever stage it ends in,
//! [`finish`] goes on from there, and needs no name for that.
//!
//! Afterwards the crawl has keyed hashes of what was forgotten, and no word of it: neither its
//! pages nor its URLs nor its name. Links to it in pages of other hosts stay as they are.

mod record;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use rhumb_rules::Forgotten;
use rhumb_web::{CanonUrl, PartitionId};

use crate::clicks::Clicks;
use crate::partition::{Effect, Event, Partition, Turn};
use crate::shell::{CrawlError, CrawlSettings, forget_pages};
use crate::store::{self, Opened};
use crate::tables::{self, FjallTables, Tables};
use record::{Stage, Takedowns};

/// What is to be forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A host on all its ports, or a host on one port: `example.org`, `example.org:8080`.
    Site(String),
    /// One URL.
    Url(CanonUrl),
}

/// What is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgot {
    /// Records of the archive.
    pub records: u64,
    /// Files of the archive that were written anew.
    pub files: u64,
    /// Records of others that referred to a payload of it which could not be found.
    pub orphaned: u64,
    /// URLs that were fetched or given up.
    pub urls: u64,
    /// URLs that waited.
    pub queued: u64,
}

impl Forgot {
    fn and(self, other: Self) -> Self {
        Self {
            records: self.records + other.records,
            files: self.files + other.files,
            orphaned: self.orphaned + other.orphaned,
            urls: self.urls + other.urls,
            queued: self.queued + other.queued,
        }
    }
}

/// Forgets a host or a URL. The caller holds the lock of the crawl's folder.
pub fn forget(settings: &CrawlSettings, target: &Target) -> Result<Forgot, CrawlError> {
    // One that was cut short may be past the log already.
    let begun = finish(settings)?;
    let was_asked = record(settings, target)?;
    let forgot = finish(settings)?;
    forget_clicks(settings, &*open(settings)?)?;
    Ok(if was_asked { forgot.and(begun) } else { forgot })
}

/// Finishes a takedown that was cut short, if there is one. The caller holds the lock of the
/// crawl's folder.
pub fn finish(settings: &CrawlSettings) -> Result<Forgot, CrawlError> {
    let mut forgot = Forgot::default();
    while advance(settings, &mut forgot)? {}
    Ok(forgot)
}

/// Goes through one stage, and says whether there was one left.
fn advance(settings: &CrawlSettings, forgot: &mut Forgot) -> Result<bool, CrawlError> {
    let tables = open(settings)?;
    match Takedowns::read(&*tables)?.stage {
        Stage::Done => return Ok(false),
        Stage::Asked => settle(settings, &tables)?,
        Stage::Settled => *forgot = remove(settings, tables)?,
        Stage::Copied => clear_up(settings, &*tables)?,
    }
    Ok(true)
}

/// Writes down that a takedown is asked for, and says whether it was before.
fn record(settings: &CrawlSettings, target: &Target) -> Result<bool, CrawlError> {
    let tables = open(settings)?;
    if store::identity_of(&*tables)?.is_none() {
        drop(store::open(&rhumb_disk::real(), &tables, &settings.store())?);
    }
    let no_crawl = || CrawlError::NoCrawl(settings.folder.clone());
    let hash = store::identity_of(&*tables)?.ok_or_else(no_crawl)?.hash;
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let at_ms = u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX);
    let mut takedowns = Takedowns::read(&*tables)?;
    let was_asked = match target {
        Target::Site(name) => takedowns.add_name(Forgotten::key_of_name(hash, name), at_ms),
        Target::Url(url) => takedowns.add_url(url.key(hash), at_ms),
    };
    takedowns.write(&*tables)?;
    Ok(was_asked)
}

/// The tables of a crawl that is about to run, once every takedown is finished.
pub fn open_tables(settings: &CrawlSettings) -> Result<Arc<dyn Tables>, CrawlError> {
    let tables = open(settings)?;
    if Takedowns::read(&*tables)?.stage == Stage::Done {
        return Ok(tables);
    }
    drop(tables);
    finish(settings)?;
    open(settings)
}

/// What a crawl was told to forget.
pub fn known(tables: &dyn Tables) -> Result<Forgotten, CrawlError> {
    let takedowns = Takedowns::read(tables)?;
    let identity = store::identity_of(tables)?;
    Ok(identity.map(|identity| takedowns.forgotten(identity.hash)).unwrap_or_default())
}

fn open(settings: &CrawlSettings) -> Result<Arc<dyn Tables>, CrawlError> {
    let folder = settings.folder.join(store::TABLES);
    Ok(Arc::new(FjallTables::open(&folder, settings.shares().tables)?))
}

fn enter(stage: Stage, tables: &dyn Tables) -> Result<(), CrawlError> {
    let mut takedowns = Takedowns::read(tables)?;
    takedowns.stage = stage;
    takedowns.write(tables)
}

/// Opens the crawl, which recovers it, takes a checkpoint of all that the log says, and closes it.
fn settle(settings: &CrawlSettings, tables: &Arc<dyn Tables>) -> Result<(), CrawlError> {
    let opened = store::open(&rhumb_disk::real(), tables, &settings.store())?;
    let Opened { identity, mut store, states, mut holdings, parcels, late, last, .. } = opened;
    let settings =
        &CrawlSettings { hash: identity.hash, born_ms: identity.born_ms, ..settings.clone() };
    store.opened(last)?;
    let ids = (0..settings.partitions).map(PartitionId);
    let mut partitions: Vec<_> = ids
        .zip(states)
        .map(|(id, state)| Partition::with_state(settings.partition(id), state))
        .collect();
    // The log that speaks of them is about to go: what was found late is told before that, and
    // parcels under way arrive.
    for late in late {
        let id = late.partition;
        let mut turn = Turn::default();
        partitions[id.index()].handle(last, Event::Likened(late), &mut turn);
        store.log(id, last, &turn.facts)?;
    }
    let mut parcels = VecDeque::from(parcels);
    while let Some(parcel) = parcels.pop_front() {
        let id = parcel.to;
        let mut turn = Turn::default();
        partitions[id.index()].handle(last, Event::Parcel(parcel), &mut turn);
        store.log(id, last, &turn.facts)?;
        for effect in turn.effects {
            match effect {
                Effect::Shelve(place, entry) => {
                    holdings.backlog.push(place.lane, place.ordinal, &entry);
                }
                Effect::Send(parcel) => parcels.push_back(parcel),
                // Nothing is fetched here, and what is read is read again by the next run.
                Effect::Fetch(..)
                | Effect::Resolve(_)
                | Effect::Read(_)
                | Effect::Vote(..)
                | Effect::Cite(..) => {}
            }
        }
    }
    let snapshot = holdings.snapshot(last, &mut partitions, false);
    let installed = snapshot.write(store.mark()?)?;
    store.trim(installed.mark)?;
    store.close()?;
    enter(Stage::Settled, &**tables)
}

/// Writes the archive, the backlog and the tables anew.
fn remove(settings: &CrawlSettings, tables: Arc<dyn Tables>) -> Result<Forgot, CrawlError> {
    let disk = rhumb_disk::real();
    // A crawl starts without its clicks: only who asked for the takedown hears that they stay.
    forget_clicks(settings, &*tables).ok();
    let forgotten = known(&*tables)?;
    let (archive, crawl) = (settings.store().archive, store::identity_of(&*tables)?);
    let crawl = crawl.map_or(archive.crawl, |identity| store::crawl_id(identity.hash));
    let removed = rhumb_archive::remove(
        &disk,
        &settings.folder.join(store::ARCHIVE),
        &archive.prefix,
        crawl,
        &|target| forgotten.covers_text(target),
    )?;
    let folder = settings.folder.join(store::TABLES);
    tables::sweep(&folder)?;
    let copy = FjallTables::open(&tables::copy_of(&folder), settings.shares().tables)?;
    let left_out =
        store::copy_without(&disk, &settings.folder, (&*tables, &copy), &forgotten, removed.end)?;
    enter(Stage::Copied, &copy)?;
    copy.settle()?;
    drop((copy, tables));
    tables::replace(&folder)?;
    Ok(Forgot {
        records: removed.records,
        files: removed.files,
        orphaned: removed.orphaned,
        urls: left_out.urls,
        queued: left_out.queued,
    })
}

fn forget_clicks(settings: &CrawlSettings, tables: &dyn Tables) -> Result<(), CrawlError> {
    let forgotten = known(tables)?;
    Ok(Clicks::forget(&settings.folder, |url| forgotten.covers_text(url))?)
}

/// Removes what was replaced.
fn clear_up(settings: &CrawlSettings, tables: &dyn Tables) -> Result<(), CrawlError> {
    tables::sweep(&settings.folder.join(store::TABLES))?;
    let (disk, folder) = (rhumb_disk::real(), &settings.folder);
    store::remove_unlisted(&disk, folder, tables)?;
    let failed = |source| CrawlError::Io { doing: "clear up", path: folder.clone(), source };
    forget_pages(&disk, folder).map_err(failed)?;
    enter(Stage::Done, tables)
}
