//! The log behind a checkpoint, taken in line by line.

use std::collections::BTreeMap;

use rhumb_archive::Position;
use rhumb_web::{HashKey, PartitionId, Site, Tick};

use super::StoreError;
use super::checkpoint::Holdings;
use super::line::Line;
use super::originals::Originals;
use super::rows::{Identity, SeenHandle, read_site};
use crate::log::{LogError, Offset, Take, Verdict};
use crate::partition::{Dossier, Fact, Parcel, State};
use crate::tables::Tables;

/// What the lines taken in so far have led to.
pub(super) struct Replay {
    pub(super) states: Vec<State<SeenHandle>>,
    pub(super) holdings: Holdings,
    pub(super) hash: HashKey,
    pub(super) originals: Originals,
    /// Parcels by sender, target and number, until they arrive.
    pub(super) under_way: BTreeMap<(PartitionId, PartitionId, u64), Parcel>,
    pub(super) last: Tick,
    pub(super) archive: Position,
    /// Whether it was closed, or never opened.
    pub(super) is_closed: bool,
}

impl Replay {
    /// Tickets that are out will be recalled: their sites are needed.
    pub(super) fn wake_ticketed(&mut self) -> Result<(), StoreError> {
        for state in &mut self.states {
            for site in state.ticketed_sites() {
                wake(&*self.holdings.tables, state, site)?;
            }
        }
        Ok(())
    }

    /// Candidates that wait for a pass go on waiting, and with them whoever has the same key.
    pub(super) fn expect_waiting(&self, identity: Identity) {
        let mut seen = self.holdings.seen.lock();
        for state in &self.states {
            for (bucket, _) in state.waiting_counts() {
                for candidate in state.waiting(bucket) {
                    seen.expect(candidate.url.key(identity.hash));
                }
            }
        }
    }

    /// Something was said then.
    pub(super) fn pass(&mut self, at: Tick) {
        self.last = self.last.max(at);
        self.is_closed = false;
    }

    pub(super) fn take(&mut self, line: Line<'_>) -> Result<(), StoreError> {
        self.is_closed = matches!(line, Line::Closed);
        match line {
            Line::Opened(at) => self.last = self.last.max(at),
            // That it is on the disk does not mean that a fact speaks of it.
            Line::Kept(_) | Line::Closed => {}
            Line::Noted(end) => self.archive = self.archive.max(end),
            Line::Fact(id, at, fact) => {
                self.pass(at);
                self.note_sent(id, &fact);
                self.originals.note(&mut self.holdings, self.hash, id, &fact);
                self.apply(id, at, &fact)?;
            }
        }
        Ok(())
    }

    /// What a fact says beyond its own partition: parcels, roots, the archive.
    pub(super) fn note_sent(&mut self, id: PartitionId, fact: &Fact) {
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
    }

    /// What it says to its own partition.
    pub(super) fn apply(
        &mut self,
        id: PartitionId,
        at: Tick,
        fact: &Fact,
    ) -> Result<(), StoreError> {
        let state = self.states.get_mut(id.index()).ok_or_else(unknown_partition)?;
        for site in state.sites_of(fact) {
            wake(&*self.holdings.tables, state, site)?;
        }
        for (place, entry) in state.apply(at, fact) {
            self.holdings.backlog.push(place.lane, place.ordinal, &entry);
        }
        Ok(())
    }
}

/// Of a line or row that names a partition which the crawl does not have.
pub(super) fn unknown_partition() -> StoreError {
    StoreError::Row("of a partition".to_owned())
}

/// Hands every frame of a log to `take`, whoever reads the log; an error of `take` comes back as
/// it is.
pub(super) fn through_log<T>(
    read: impl FnOnce(&mut Take<'_>) -> Result<T, LogError>,
    mut take: impl FnMut(Offset, &[u8]) -> Result<Verdict, StoreError>,
) -> Result<T, StoreError> {
    let mut trouble = None;
    let done = read(&mut |at, bytes| {
        take(at, bytes).map_err(|error| {
            let reason = error.to_string();
            trouble = Some(error);
            LogError::Refused { offset: at, reason }
        })
    });
    match trouble {
        Some(error) => Err(error),
        None => Ok(done?),
    }
}

/// Brings a site into memory that a fact speaks of.
pub(super) fn wake(
    tables: &dyn Tables,
    state: &mut State<SeenHandle>,
    site: Site,
) -> Result<(), StoreError> {
    if state.frontier().is_cold(&site) {
        let dossier = read_site(tables, state.frontier().key(&site))?;
        state.wake(dossier.unwrap_or_else(|| Dossier::new(site)));
    }
    Ok(())
}
