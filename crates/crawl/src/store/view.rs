//! Reading a crawl that nobody runs, without changing a byte of it.

use std::collections::HashMap;
use std::sync::Arc;

use rhumb_archive::Position;
use rhumb_disk::SharedDisk;
use rhumb_seen::{Novelty, Run, Seen, SeenSet};
use rhumb_web::{Site, Tick, UrlKey};

use super::checkpoint::Holdings;
use super::focus::Focus;
use super::line::{Line, Stamp};
use super::opening::{begin, hold, known_identity, ledger, states};
use super::replay::through_log;
use super::rows::{Identity, SeenHandle};
use super::{LOG, SEEN, StoreError, StoreSettings};
use crate::log::{Log, Offset, Take, Verdict};
use crate::partition::{Parcel, State, UrlRecord};
use crate::tables::Tables;

/// Memory for what the log has admitted since the checkpoint; what is in runs stays there.
pub(super) const SEEN_BYTES: usize = 64 * 1024;

/// A crawl as it lies, read only.
///
/// It is as [`open`](super::open) would find it, but for what a power cut did to records that were
/// not synced: an opening takes back the facts that speak of those.
#[derive(Debug)]
pub struct View {
    /// What it is from its creation on.
    pub identity: Identity,
    /// What is held beside the partitions. Its seen-set has only what was admitted since the
    /// checkpoint: ask [`View::is_seen`].
    pub holdings: Holdings,
    /// What the partitions remember. With a focus only its own partition does, and only of its
    /// site: counts, and what else belongs to all sites, are those of the checkpoint.
    pub states: Vec<State<SeenHandle>>,
    /// The last moment that it knows of.
    pub last: Tick,
    /// Whether it ended with a checkpoint; with a focus, as far as its partition can tell.
    pub is_clean: bool,
    /// Parcels that were sent and did not arrive; with a focus, what is in them for its site.
    pub parcels: Vec<Parcel>,
    /// How far the log knows the archive; what lies behind that is cut off by the next opening.
    pub archive: Position,
}

/// Reads the crawl of a folder. With a focus only what concerns that site is read, and the site
/// is in memory afterwards: that takes about as long for a large crawl as for a small one.
pub fn view(
    disk: &SharedDisk,
    tables: &Arc<dyn Tables>,
    settings: &StoreSettings,
    focus: Option<&Site>,
) -> Result<View, StoreError> {
    let folder = &settings.folder;
    let identity = known_identity(&**tables)?;
    let identity = identity.ok_or_else(|| StoreError::NoCrawl(folder.clone()))?;
    let ledger = ledger(&**tables)?;
    let holdings = hold(disk, tables, folder, ledger, SeenSet::new(SEEN_BYTES))?;
    let from = tables.offset()?.unwrap_or_default();
    let log_folder = folder.join(LOG);
    let read = |take: &mut Take<'_>| Log::read(disk, &log_folder, from, take);
    if let Some(site) = focus {
        let mut focus = Focus::new(settings, identity, holdings, from, site)?;
        through_log(read, |_, bytes| focus.take(bytes).map(|()| Verdict::Take))?;
        return focus.finish(identity);
    }
    let states = states(settings, identity, &holdings)?;
    let mut replay = begin(holdings, states, from, identity.hash);
    through_log(read, |_: Offset, bytes| {
        replay.take(Line::decode(bytes)?).map(|()| Verdict::Take)
    })?;
    replay.wake_ticketed()?;
    let has_tickets = replay.states.iter().any(State::has_tickets);
    Ok(View {
        identity,
        is_clean: replay.is_closed && !has_tickets,
        last: replay.last,
        archive: replay.archive,
        parcels: replay.under_way.into_values().collect(),
        states: replay.states,
        holdings: replay.holdings,
    })
}

impl View {
    /// What was fetched on all sites since the checkpoint, for those who ask about a page that is
    /// not in focus; what came of it beyond its status is not told.
    pub(crate) fn fetched(&self) -> Result<HashMap<UrlKey, UrlRecord>, StoreError> {
        let Holdings { disk, tables, folder, .. } = &self.holdings;
        let (from, folder) = (tables.offset()?.unwrap_or_default(), folder.join(LOG));
        let mut fetched = HashMap::new();
        let read = |take: &mut Take<'_>| Log::read(disk, &folder, from, take);
        through_log(read, |_, bytes| {
            if let Some(stamp) = Stamp::of(bytes)
                && let Some((entry, result)) = stamp.settled()
                && !entry.is_robots()
            {
                let record = UrlRecord::new(stamp.at, &entry.candidate, result);
                fetched.insert(entry.url().key(self.identity.hash), record);
            }
            Ok(Verdict::Take)
        })?;
        Ok(fetched)
    }

    /// Whether a URL was ever admitted; with a focus, one of its site.
    pub fn is_seen(&self, key: UrlKey) -> Result<bool, StoreError> {
        let Holdings { disk, seen, folder, ledger, .. } = &self.holdings;
        if seen.lock().meet(key) == Novelty::Known {
            return Ok(true);
        }
        let folder = folder.join(SEEN);
        for info in ledger.runs.iter().chain(&ledger.young) {
            if Run::open(&**disk, &folder, info)?.contains(key)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
