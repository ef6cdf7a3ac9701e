//! The shelf: entries that found no room in their origin's head; in memory, until it is on disk.

use std::collections::{HashMap, VecDeque};

use rhumb_frontier::Entry;
use rhumb_web::Origin;

/// The shelved entries of all origins, first in, first out.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    origins: HashMap<Origin, VecDeque<Entry>>,
}

impl Shelf {
    pub(super) fn put(&mut self, entry: Entry) {
        self.origins.entry(entry.url().origin()).or_default().push_back(entry);
    }

    pub(super) fn take(&mut self, origin: &Origin, count: usize) -> Vec<Entry> {
        let Some(queue) = self.origins.get_mut(origin) else { return Vec::new() };
        let taken = queue.drain(..count.min(queue.len())).collect();
        if queue.is_empty() {
            self.origins.remove(origin);
        }
        taken
    }
}
