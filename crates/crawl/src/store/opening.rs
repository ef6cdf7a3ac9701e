//! Opening a crawl: the newest checkpoint, then the log behind it.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use rhumb_archive::{Archive, Keep, Position, ensure_reaches, is_whole};
use rhumb_disk::SharedDisk;
use rhumb_frontier::backlog::Backlog;
use rhumb_seen::{Run, SeenSet};
use rhumb_web::{PartitionId, Site, Tick};

use super::checkpoint::Holdings;
use super::line::Line;
use super::rows::{
    FORMAT, IDENTITY, Identity, LEDGER, Ledger, SeenHandle, decode, decode_site_head, encode,
    parse_site_key, partition_key, read_site,
};
use super::{
    ARCHIVE, BACKLOG, LOG, LOG_SEGMENT_BYTES, SEEN, Store, StoreError, StoreSettings, crawl_id,
    failed,
};
use crate::log::{Log, LogError, Offset, Verdict};
use crate::partition::{Dossier, Fact, Parcel, State};
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
    let ledger: Ledger = match tables.get(Table::Meta, LEDGER)? {
        Some(row) => decode("of the crawl", &row)?,
        None => Ledger::default(),
    };
    let (seen_folder, backlog_folder) = (folder.join(SEEN), folder.join(BACKLOG));
    let young = match &ledger.young {
        Some(info) => Run::open(&**disk, &seen_folder, info)?.keys()?,
        None => Vec::new(),
    };
    let seen = SeenSet::open(settings.seen_memory, disk, &seen_folder, &ledger.runs, young)?;
    let holdings = Holdings {
        disk: Arc::clone(disk),
        tables: Arc::clone(tables),
        seen: SeenHandle::new(seen),
        backlog: Backlog::open(Arc::clone(disk), backlog_folder, &ledger.segments)?,
        folder: folder.clone(),
        roots: ledger.roots.iter().cloned().collect(),
        next_file: ledger.next_file,
        ledger,
    };
    let states = states(settings, identity, &holdings)?;
    let from = tables.offset()?.unwrap_or_default();
    let mut replay = Replay {
        last: holdings.ledger.at,
        archive: holdings.ledger.archive,
        states,
        holdings,
        under_way: BTreeMap::new(),
        // A power cut may have taken all lines since a checkpoint.
        is_closed: from == Offset::default(),
    };
    let log_folder = folder.join(LOG);
    let cut = doubtful(disk, settings, from, replay.archive)?;
    let log = read_log(disk, &log_folder, from, &mut |at, line| {
        if cut.is_some_and(|cut| at >= cut) {
            return Ok(Verdict::CutHere);
        }
        replay.take(line)?;
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
    for name in [LOG, SEEN, BACKLOG, ARCHIVE] {
        let folder = folder.join(name);
        disk.create_folder(&folder).map_err(failed("create", &folder))?;
    }
    disk.sync_folder(folder).map_err(failed("sync", folder))
}

/// Opens the log and hands its lines out.
fn read_log(
    disk: &SharedDisk,
    folder: &Path,
    from: Offset,
    take: &mut dyn FnMut(Offset, Line<'static>) -> Result<Verdict, StoreError>,
) -> Result<Log, StoreError> {
    let mut trouble = None;
    let opened = Log::open(Arc::clone(disk), folder, from, LOG_SEGMENT_BYTES, &mut |at, bytes| {
        Line::decode(bytes).and_then(|line| take(at, line)).map_err(|error| {
            let reason = error.to_string();
            trouble = Some(error);
            LogError::Refused { offset: at, reason }
        })
    });
    match trouble {
        Some(error) => Err(error),
        None => Ok(opened?),
    }
}

/// Who the crawl is; a new one gets its identity before anything else.
fn identity(
    disk: &SharedDisk,
    tables: &dyn Tables,
    settings: &StoreSettings,
) -> Result<Identity, StoreError> {
    let Some(row) = tables.get(Table::Meta, IDENTITY)? else {
        for name in [LOG, SEEN, BACKLOG, ARCHIVE] {
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
    let identity: Identity = decode("of its identity", &row)?;
    if identity.format > FORMAT {
        return Err(StoreError::Format(identity.format));
    }
    if identity.partitions != settings.identity.partitions {
        let (has, asked) = (identity.partitions, settings.identity.partitions);
        return Err(StoreError::Partitions { has, asked });
    }
    Ok(identity)
}

/// Files that a checkpoint wrote, or was about to remove, when it was killed.
fn remove_orphans(disk: &SharedDisk, folder: &Path, ledger: &Ledger) -> Result<(), StoreError> {
    let runs = ledger.runs.iter().chain(&ledger.young).map(|info| info.name.as_str());
    let segments = ledger.segments.iter().map(|info| info.name.as_str());
    let lists: [(&str, HashSet<&str>); 2] = [(SEEN, runs.collect()), (BACKLOG, segments.collect())];
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

/// The partitions as the checkpoint has them: all their sites are on disk.
fn states(
    settings: &StoreSettings,
    identity: Identity,
    holdings: &Holdings,
) -> Result<Vec<State<SeenHandle>>, StoreError> {
    let tables = &*holdings.tables;
    let mut states = Vec::new();
    for id in (0..identity.partitions).map(PartitionId) {
        let seen = holdings.seen.clone();
        let mut state = State::new(id, identity.hash, settings.agent.clone(), seen);
        if let Some(row) = tables.get(Table::Meta, &partition_key(id))? {
            state.restore(decode("of a partition", &row)?);
        }
        states.push(state);
    }
    for row in tables.range(Table::Sites, &[]) {
        let (key, row) = row?;
        let unreadable = || StoreError::Row("of a site".to_owned());
        let key = parse_site_key(&key).ok_or_else(unreadable)?;
        let state = states.get_mut(key.partition().index()).ok_or_else(unreadable)?;
        state.frontier_mut().sleep(key, decode_site_head(&row)?.stub());
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
fn doubtful(
    disk: &SharedDisk,
    settings: &StoreSettings,
    from: Offset,
    kept: Position,
) -> Result<Option<Offset>, StoreError> {
    let (mut known, mut safe, mut checked) = (kept, kept, kept);
    let mut doubtful: Vec<(Offset, Position)> = Vec::new();
    let folder = settings.folder.join(LOG);
    let log = read_log(disk, &folder, from, &mut |at, line| {
        match line {
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
    drop(log);
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

/// The log, taken in line by line.
struct Replay {
    states: Vec<State<SeenHandle>>,
    holdings: Holdings,
    /// Parcels by sender, target and number, until they arrive.
    under_way: BTreeMap<(PartitionId, PartitionId, u64), Parcel>,
    last: Tick,
    archive: Position,
    /// Whether it was closed, or never opened.
    is_closed: bool,
}

impl Replay {
    /// Tickets that are out will be recalled: their sites are needed.
    fn wake_ticketed(&mut self) -> Result<(), StoreError> {
        for state in &mut self.states {
            for site in state.ticketed_sites() {
                wake(&*self.holdings.tables, state, site)?;
            }
        }
        Ok(())
    }

    /// Candidates that wait for a pass go on waiting, and with them whoever has the same key.
    fn expect_waiting(&self, identity: Identity) {
        let mut seen = self.holdings.seen.lock();
        for state in &self.states {
            for (bucket, _) in state.waiting_counts() {
                for candidate in state.waiting(bucket) {
                    seen.expect(candidate.url.key(identity.hash));
                }
            }
        }
    }

    fn take(&mut self, line: Line<'_>) -> Result<(), StoreError> {
        self.is_closed = matches!(line, Line::Closed);
        match line {
            Line::Opened(at) => self.last = self.last.max(at),
            // That it is on the disk does not mean that a fact speaks of it.
            Line::Kept(_) | Line::Closed => {}
            Line::Fact(id, at, fact) => {
                self.last = self.last.max(at);
                self.apply(id, at, &fact)?;
            }
        }
        Ok(())
    }

    fn apply(&mut self, id: PartitionId, at: Tick, fact: &Fact) -> Result<(), StoreError> {
        let unreadable = || StoreError::Row("of a partition".to_owned());
        let state = self.states.get_mut(id.index()).ok_or_else(unreadable)?;
        for site in state.sites_of(fact) {
            wake(&*self.holdings.tables, state, site)?;
        }
        for (place, entry) in state.apply(at, fact) {
            self.holdings.backlog.push(place.lane, place.ordinal, &entry);
        }
        match fact {
            Fact::Admitted { parcel: Some((from, number)), .. } => {
                self.under_way.remove(&(*from, id, *number));
            }
            Fact::Settled(settled) => {
                for parcel in &settled.parcels {
                    let key = (parcel.from, parcel.to, parcel.number);
                    self.under_way.insert(key, parcel.clone());
                }
                if let Some(root) = &settled.root {
                    self.holdings.add_root(root.clone());
                }
                self.archive = self.archive.max(settled.kept.unwrap_or_default());
            }
            _ => {}
        }
        Ok(())
    }
}

/// Brings a site into memory that a fact speaks of.
fn wake(tables: &dyn Tables, state: &mut State<SeenHandle>, site: Site) -> Result<(), StoreError> {
    if state.frontier().is_cold(&site) {
        let dossier = read_site(tables, state.frontier().key(&site))?;
        state.wake(dossier.unwrap_or_else(|| Dossier::new(site)));
    }
    Ok(())
}
