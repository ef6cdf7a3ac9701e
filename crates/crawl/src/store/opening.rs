//! Opening a crawl: the newest checkpoint, then the log behind it.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use rhumb_archive::{Archive, Keep, Position, ensure_reaches, is_whole};
use rhumb_disk::SharedDisk;
use rhumb_frontier::backlog::Backlog;
use rhumb_likeness::{Late, Sieve};
use rhumb_seen::{Run, SeenSet};
use rhumb_web::{HashKey, PartitionId, Tick};

use super::checkpoint::Holdings;
use super::line::Line;
use super::originals::Originals;
use super::replay::{Replay, through_log};
use super::rows::{
    DOMAIN, FORMAT, IDENTITY, Identity, LEDGER, Ledger, SeenHandle, decode, decode_site_head,
    encode, parse_domain_key, parse_site_key, partition_key,
};
use super::{
    ARCHIVE, BACKLOG, LIKENESS, LOG, LOG_SEGMENT_BYTES, SEEN, Store, StoreError, StoreSettings,
    crawl_id, failed,
};
use crate::log::{Log, Offset, Take, Verdict};
use crate::partition::{Fact, Parcel, State};
use crate::tables::{Batch, Table, Tables};

/// A crawl as it was when it ended.
#[derive(Debug)]
pub struct Opened {
    /// What it is from its creation on.
    pub identity: Identity,
    /// The archive and the log, ready to go on.
    pub store: Store,
    /// What the partitions remember.
    pub states: Vec<State<SeenHandle>>,
    /// What is held beside them.
    pub holdings: Holdings,
    /// Parcels that were sent and did not arrive.
    pub parcels: Vec<Parcel>,
    /// Pages that were taken for originals and are none, which nobody was told: they must be in
    /// the log before the next checkpoint.
    pub late: Vec<Late>,
    /// The last moment that it knows of.
    pub last: Tick,
    /// Whether it ended with a checkpoint, or is new: nothing can be under way.
    pub is_clean: bool,
}

/// Opens the crawl of a folder, or creates it. Whatever is behind the last fact that the log
/// holds is cut off or removed: records, files, the torn end of the log itself.
pub fn open(
    disk: &SharedDisk,
    tables: &Arc<dyn Tables>,
    settings: &StoreSettings,
) -> Result<Opened, StoreError> {
    let folder = &settings.folder;
    create_folders(disk, folder)?;
    let identity = identity(disk, &**tables, settings)?;
    let ledger = ledger(&**tables)?;
    let seen_folder = folder.join(SEEN);
    let young = match &ledger.young {
        Some(info) => Run::open(&**disk, &seen_folder, info)?.keys()?,
        None => Vec::new(),
    };
    let seen = SeenSet::open(settings.seen_memory, disk, &seen_folder, &ledger.runs, young)?;
    let (likeness, memory) = (folder.join(LIKENESS), settings.likeness_memory);
    let sieve = Sieve::open(disk, &likeness, memory, &ledger.sieve)?;
    let mut holdings = hold(disk, tables, folder, ledger, seen)?;
    holdings.sieve = Some(sieve);
    let states = states(settings, identity, &holdings)?;
    let from = tables.offset()?.unwrap_or_default();
    let mut replay = begin(holdings, states, from, identity.hash);
    let log_folder = folder.join(LOG);
    let cut = doubtful(disk, settings, from, replay.archive)?;
    let open = |take: &mut Take<'_>| {
        Log::open(Arc::clone(disk), &log_folder, from, LOG_SEGMENT_BYTES, take)
    };
    let log = through_log(open, |at, bytes| {
        if cut.is_some_and(|cut| at >= cut) {
            return Ok(Verdict::CutHere);
        }
        replay.take(Line::decode(bytes)?)?;
        Ok(Verdict::Take)
    })?;
    let mut archive_settings = settings.archive.clone();
    archive_settings.crawl = crawl_id(identity.hash);
    let keep = Keep::UpTo(replay.archive);
    let archive = Archive::open(Arc::clone(disk), &folder.join(ARCHIVE), archive_settings, keep)?;
    // Not before: of a crawl that cannot be opened nothing is removed.
    remove_orphans(disk, folder, &replay.holdings.ledger)?;
    replay.wake_ticketed()?;
    replay.expect_waiting(identity);
    let late = replay.originals.settle(&mut replay.holdings);
    let has_tickets = replay.states.iter().any(State::has_tickets);
    let is_clean = replay.is_closed && !has_tickets;
    let store = Store {
        log,
        archive,
        buffer: Vec::new(),
        kept: replay.archive,
        known: replay.archive,
        was_clean: is_clean,
        opened_at: replay.last,
        last: replay.last,
    };
    Ok(Opened {
        identity,
        store,
        states: replay.states,
        holdings: replay.holdings,
        parcels: replay.under_way.into_values().collect(),
        late,
        last: replay.last,
        is_clean,
    })
}

impl Store {
    /// Says in the log that the crawl goes on, before anything is sent.
    pub fn opened(&mut self, now: Tick) -> Result<(), StoreError> {
        (self.opened_at, self.last) = (now, now);
        self.line(&Line::Opened(now))?;
        self.sync()
    }
}

fn create_folders(disk: &SharedDisk, folder: &Path) -> Result<(), StoreError> {
    for name in [LOG, SEEN, BACKLOG, LIKENESS, ARCHIVE] {
        let folder = folder.join(name);
        disk.create_folder(&folder).map_err(failed("create", &folder))?;
    }
    disk.sync_folder(folder).map_err(failed("sync", folder))
}

/// What the newest checkpoint lists; nothing, if there never was one.
pub(super) fn ledger(tables: &dyn Tables) -> Result<Ledger, StoreError> {
    let row = tables.get(Table::Meta, LEDGER)?;
    row.map_or_else(|| Ok(Ledger::default()), |row| decode("of the crawl", &row))
}

/// The files that a checkpoint lists, with this seen-set.
pub(super) fn hold(
    disk: &SharedDisk,
    tables: &Arc<dyn Tables>,
    folder: &Path,
    ledger: Ledger,
    seen: SeenSet,
) -> Result<Holdings, StoreError> {
    Ok(Holdings {
        disk: Arc::clone(disk),
        tables: Arc::clone(tables),
        seen: SeenHandle::new(seen),
        backlog: Backlog::open(Arc::clone(disk), folder.join(BACKLOG), &ledger.segments)?,
        folder: folder.to_owned(),
        sieve: None,
        mirrors: ledger.mirrors.clone(),
        level: ledger.level,
        suspects: ledger.suspects.clone(),
        writing: Arc::default(),
        likening: Arc::default(),
        roots: ledger.roots.iter().cloned().collect(),
        next_file: ledger.next_file,
        ledger,
    })
}

/// A checkpoint, ready for the lines of the log from there on.
pub(super) fn begin(
    holdings: Holdings,
    states: Vec<State<SeenHandle>>,
    from: Offset,
    hash: HashKey,
) -> Replay {
    Replay {
        last: holdings.ledger.at,
        archive: holdings.ledger.archive,
        states,
        holdings,
        hash,
        originals: Originals::default(),
        under_way: BTreeMap::new(),
        // A power cut may have taken all lines since a checkpoint.
        is_closed: from == Offset::default(),
    }
}

/// Who the crawl is; a new one gets its identity before anything else.
fn identity(
    disk: &SharedDisk,
    tables: &dyn Tables,
    settings: &StoreSettings,
) -> Result<Identity, StoreError> {
    let Some(identity) = known_identity(tables)? else {
        for name in [LOG, SEEN, BACKLOG, LIKENESS, ARCHIVE] {
            let folder = settings.folder.join(name);
            let is_empty = disk.list(&folder).map_err(failed("list", &folder))?.is_empty();
            if !is_empty {
                return Err(StoreError::Orphaned(folder));
            }
        }
        let mut batch = Batch::default();
        batch.put(Table::Meta, IDENTITY.to_vec(), encode(&settings.identity));
        tables.commit(batch, Offset::default())?;
        return Ok(settings.identity);
    };
    if identity.partitions != settings.identity.partitions {
        let (has, asked) = (identity.partitions, settings.identity.partitions);
        return Err(StoreError::Partitions { has, asked });
    }
    Ok(identity)
}

/// Who the crawl is, if it exists.
pub(super) fn known_identity(tables: &dyn Tables) -> Result<Option<Identity>, StoreError> {
    let Some(row) = tables.get(Table::Meta, IDENTITY)? else { return Ok(None) };
    let identity: Identity = decode("of its identity", &row)?;
    if identity.format > FORMAT {
        return Err(StoreError::Format(identity.format));
    }
    Ok(Some(identity))
}

/// Files that a checkpoint wrote, or was about to remove, when it was killed.
fn remove_orphans(disk: &SharedDisk, folder: &Path, ledger: &Ledger) -> Result<(), StoreError> {
    let runs = ledger.runs.iter().chain(&ledger.young).map(|info| info.name.as_str());
    let segments = ledger.segments.iter().map(|info| info.name.as_str());
    let lists: [(&str, HashSet<&str>); 3] = [
        (SEEN, runs.collect()),
        (BACKLOG, segments.collect()),
        (LIKENESS, ledger.sieve.files().collect()),
    ];
    for (name, listed) in lists {
        let folder = folder.join(name);
        for file in disk.list(&folder).map_err(failed("list", &folder))? {
            if !listed.contains(file.as_str()) {
                let path = folder.join(file);
                disk.remove(&path).map_err(failed("remove", &path))?;
            }
        }
    }
    Ok(())
}

/// A partition as the checkpoint has it, apart from its sites.
pub(super) fn state(
    settings: &StoreSettings,
    identity: Identity,
    holdings: &Holdings,
    id: PartitionId,
) -> Result<State<SeenHandle>, StoreError> {
    let seen = holdings.seen.clone();
    let mut state = State::new(id, identity.hash, settings.agent.clone(), seen);
    if let Some(row) = holdings.tables.get(Table::Meta, &partition_key(id))? {
        state.restore(decode("of a partition", &row)?);
    }
    Ok(state)
}

/// The partitions as the checkpoint has them: all their sites are on disk.
pub(super) fn states(
    settings: &StoreSettings,
    identity: Identity,
    holdings: &Holdings,
) -> Result<Vec<State<SeenHandle>>, StoreError> {
    let tables = &*holdings.tables;
    let ids = (0..identity.partitions).map(PartitionId);
    let states = ids.map(|id| state(settings, identity, holdings, id));
    let mut states = states.collect::<Result<Vec<_>, StoreError>>()?;
    for row in tables.range(Table::Sites, &[]) {
        let (key, row) = row?;
        let unreadable = || StoreError::Row("of a site".to_owned());
        let key = parse_site_key(&key).ok_or_else(unreadable)?;
        let state = states.get_mut(key.partition().index()).ok_or_else(unreadable)?;
        state.frontier_mut().sleep(key, decode_site_head(&row)?.stub());
    }
    for row in tables.range(Table::Meta, DOMAIN) {
        let (key, row) = row?;
        let unreadable = || StoreError::Row("of a domain".to_owned());
        let (id, domain) = parse_domain_key(&key).ok_or_else(unreadable)?;
        let state = states.get_mut(id.index()).ok_or_else(unreadable)?;
        state.frontier_mut().note_domain(domain, decode("of a domain", &row)?);
    }
    // Sites that were never in memory have no row, only entries that wait for them.
    for lane in holdings.backlog.lanes()? {
        let (lane, end) = lane?;
        let unreadable = || StoreError::Row("of a backlog".to_owned());
        let state = states.get_mut(lane.site().partition().index()).ok_or_else(unreadable)?;
        state.frontier_mut().note_shelf(lane, end);
    }
    Ok(states)
}

/// Where the log must be cut because it speaks of records that did not reach the disk: after a
/// power cut what was not synced may be there or not, in the log as in the archive.
pub(super) fn doubtful(
    disk: &SharedDisk,
    settings: &StoreSettings,
    from: Offset,
    kept: Position,
) -> Result<Option<Offset>, StoreError> {
    let (mut known, mut safe, mut checked) = (kept, kept, kept);
    let mut doubtful: Vec<(Offset, Position)> = Vec::new();
    let folder = settings.folder.join(LOG);
    let read = |take: &mut Take<'_>| Log::read(disk, &folder, from, take);
    through_log(read, |at, bytes| {
        match Line::decode(bytes)? {
            Line::Kept(position) => {
                checked = checked.max(position);
                safe = known;
                doubtful.clear();
            }
            Line::Fact(_, _, fact) => {
                if let Fact::Settled(settled) = &*fact {
                    known = known.max(settled.kept.unwrap_or_default());
                    doubtful.extend(settled.kept.map(|end| (at, end)));
                }
            }
            Line::Noted(end) => {
                known = known.max(end);
                doubtful.push((at, end));
            }
            // An opening cuts the archive back to what the log knows, and syncs it.
            Line::Opened(_) => {
                checked = known;
                safe = known;
                doubtful.clear();
            }
            Line::Closed => {}
        }
        Ok(Verdict::Take)
    })?;
    let (folder, prefix) = (settings.folder.join(ARCHIVE), &settings.archive.prefix);
    // What was synced must be there: nothing of the log is cut for an archive that was damaged.
    // Records that no fact speaks of may be gone: an opening that was killed has cut them off.
    ensure_reaches(&**disk, &folder, prefix, safe)?;
    for (at, end) in doubtful {
        if end > checked {
            if !is_whole(&**disk, &folder, prefix, checked, end)? {
                return Ok(Some(at));
            }
            checked = end;
        }
    }
    Ok(None)
}
