//! The head of a site's queue: bands of entries, nearest to the seeds first.

use std::cmp::Reverse;
use std::collections::VecDeque;

use rhumb_web::CanonUrl;
use serde::{Deserialize, Serialize};

use crate::agenda::BANDS;
use crate::entry::Entry;
use crate::worth::PageWorth;

/// Entries of one site that are kept in memory; what comes beyond is shelved.
pub const HEAD_MAX: usize = 256;
/// The same for entries that go before all else.
pub(crate) const URGENT_MAX: usize = 2 * HEAD_MAX;
/// A site whose head falls below this asks for what was shelved.
pub const REFILL_BELOW: usize = HEAD_MAX / 4;

/// First in, first out within a band; a lower band goes first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Queue {
    bands: [VecDeque<Entry>; BANDS],
}

impl Queue {
    pub(crate) fn len(&self) -> usize {
        self.bands.iter().map(VecDeque::len).sum()
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.bands[entry.band()].push_back(entry);
    }

    pub(crate) fn push_front(&mut self, entry: Entry) {
        self.bands[entry.band()].push_front(entry);
    }

    /// How many wait that go before all else.
    pub(crate) fn urgent(&self) -> usize {
        self.bands[0].len()
    }

    /// The next of band 0, else the best by this worth; of equals the first.
    pub(crate) fn best(&self, worth: &impl Fn(&Entry) -> PageWorth) -> Option<&Entry> {
        if let Some(entry) = self.bands[0].front() {
            return Some(entry);
        }
        let mut best: Option<(PageWorth, &Entry)> = None;
        for entry in self.iter() {
            let worth = worth(entry);
            if best.is_none_or(|(before, _)| worth > before) {
                best = Some((worth, entry));
            }
        }
        best.map(|(_, entry)| entry)
    }

    /// The entries in the order in which they would come; of equals the first.
    pub(crate) fn ordered(&self, worth: &impl Fn(&Entry) -> PageWorth) -> Vec<&Entry> {
        let mut rest: Vec<(PageWorth, &Entry)> =
            self.bands[1..].iter().flatten().map(|entry| (worth(entry), entry)).collect();
        rest.sort_by_key(|(worth, _)| Reverse(*worth));
        self.bands[0].iter().chain(rest.into_iter().map(|(_, entry)| entry)).collect()
    }

    pub(crate) fn prepare(&mut self, prepare: &impl Fn(&mut Entry)) {
        let entries: Vec<Entry> = self.bands.iter_mut().flat_map(std::mem::take).collect();
        for mut entry in entries {
            prepare(&mut entry);
            self.push(entry);
        }
    }

    /// Takes the entry of that URL; it is nearly always the next one.
    pub(crate) fn take(&mut self, url: &CanonUrl) -> Option<Entry> {
        self.bands.iter_mut().find_map(|band| {
            let at = band.iter().position(|entry| entry.url() == url)?;
            band.remove(at)
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.bands.iter().flatten()
    }
}
