//! The head of a site's queue: bands of entries, nearest to the seeds first.

use std::collections::VecDeque;

use rhumb_web::CanonUrl;
use serde::{Deserialize, Serialize};

use crate::agenda::BANDS;
use crate::entry::Entry;

/// Entries of one site that are kept in memory; what comes beyond is shelved.
pub const HEAD_MAX: usize = 256;
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

    /// The band of the next entry.
    pub(crate) fn band(&self) -> Option<usize> {
        self.bands.iter().position(|band| !band.is_empty())
    }

    pub(crate) fn peek(&self) -> Option<&Entry> {
        self.bands.iter().find_map(VecDeque::front)
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
