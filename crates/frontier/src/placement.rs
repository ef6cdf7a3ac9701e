//! Where an entry goes that is admitted: into memory, or to disk.

use std::collections::{HashMap, HashSet};

use rhumb_order::Outlook;

use crate::entry::Entry;
use crate::frontier::{ENTRY_BYTES, Frontier, SITE_BYTES};
use crate::key::{LaneKey, SiteKey};
use crate::site::{Ahead, SiteState};

/// Where an entry is put that is admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Into the head of its site's queue.
    Head,
    /// Behind it, on disk.
    Shelf,
}

/// An entry that goes to disk, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// In which queue.
    pub lane: LaneKey,
    /// At which place of it.
    pub ordinal: u64,
}

/// The placements of one fact, decided one after another.
#[derive(Debug, Default)]
pub struct Planner {
    lanes: HashMap<LaneKey, Ahead>,
    heads: usize,
    sites: HashSet<SiteKey>,
}

impl Frontier {
    /// Where an entry will go, after those that the planner has placed. Up to `memory` bytes are
    /// spent on sites and entries; what comes beyond goes to disk.
    pub fn place(&self, entry: &mut Entry, memory: usize, planner: &mut Planner) -> Placement {
        self.prepare(entry);
        let entry = &*entry;
        let worth = || self.page_worth(entry);
        let site = entry.url().site();
        let key = self.key(&site);
        let ahead = planner.lanes.entry(key.lane(entry.url().scheme())).or_default();
        let state = self.site(&site);
        let is_urgent = entry.band() == 0 || entry.outlook() == Outlook::Changed;
        let placement = match state {
            Some(_) if entry.is_robots() => Placement::Head,
            Some(state) => {
                // A site whose head is short may always fill it to the mark of a refill.
                let lane = state.lane(entry.url().scheme());
                let is_short = lane.queue.len() + ahead.head < crate::REFILL_BELOW / 4;
                let is_full = self.bytes() + planner.heads * ENTRY_BYTES > memory && !is_short;
                if is_full || lane.is_full_for(is_urgent, *ahead, worth) {
                    Placement::Shelf
                } else {
                    Placement::Head
                }
            }
            None if self.is_cold(&site) => Placement::Shelf,
            None => {
                let sites = planner.sites.len() + usize::from(!planner.sites.contains(&key));
                let bytes = self.bytes() + planner.heads * ENTRY_BYTES + sites * SITE_BYTES;
                let is_full = bytes > memory && !planner.sites.contains(&key);
                let lane = SiteState::default();
                let lane = lane.lane(entry.url().scheme());
                if is_full || lane.is_full_for(is_urgent, *ahead, worth) {
                    Placement::Shelf
                } else {
                    planner.sites.insert(key);
                    Placement::Head
                }
            }
        };
        match placement {
            Placement::Head => {
                ahead.head += 1;
                planner.heads += 1;
            }
            Placement::Shelf => ahead.shelf = true,
        }
        placement
    }
}
