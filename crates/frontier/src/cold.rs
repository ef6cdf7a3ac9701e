//! The sites whose state is on disk: when each is worth reading, and how far its shelves reach.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use rhumb_web::{Scheme, Site, Tick};
use serde::{Deserialize, Serialize};

use crate::key::{LaneKey, SiteKey};
use crate::manner::Hold;
use crate::shelf::Shelf;
use crate::site::SiteState;

/// What is in memory of a site whose state is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stub {
    /// When it is worth reading; never, if it has no work or is barred by a rule.
    pub due: Tick,
    /// Entries ever shelved, of both lanes.
    pub put: [u64; 2],
}

impl Default for Stub {
    fn default() -> Self {
        Self { due: Tick::NEVER, put: [0; 2] }
    }
}

impl Stub {
    fn put_mut(&mut self, scheme: Scheme) -> &mut u64 {
        &mut self.put[usize::from(scheme == Scheme::Https)]
    }
}

/// What a stub needs of a row: the shelves of a site, and when it is due. No rule of the user
/// changes it: rules are of today, rows stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowHead {
    /// When it is worth reading.
    pub due: Tick,
    /// Its lanes, http and https.
    pub shelves: [Shelf; 2],
}

impl RowHead {
    /// Of a site as it is now.
    pub fn of(state: &SiteState) -> Self {
        Self { due: state.due(), shelves: state.shelves() }
    }

    /// The stub that stands for the row.
    pub fn stub(&self) -> Stub {
        Stub { due: self.due, put: self.shelves.map(|shelf| shelf.put) }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Cold {
    pub(crate) stubs: HashMap<SiteKey, Stub>,
    /// Sites by the time at which they are due. An entry counts only if its site's stub says the
    /// same time; the first always counts.
    asleep: BinaryHeap<Reverse<(Tick, SiteKey)>>,
    /// Sites that are barred, and by what, as far as known without reading them.
    barred: HashMap<SiteKey, (Site, Hold)>,
    /// How many of those wait because their domain has had its share.
    shared: u64,
}

impl Cold {
    pub(crate) fn sleep(&mut self, key: SiteKey, stub: Stub) {
        let before = self.stubs.insert(key, stub);
        if stub.due < Tick::NEVER {
            self.asleep.push(Reverse((stub.due, key)));
        }
        if before.is_some() {
            self.prune();
        }
    }

    /// It leaves, to be in memory.
    pub(crate) fn wake(&mut self, key: SiteKey) -> Option<Stub> {
        let stub = self.stubs.remove(&key)?;
        self.unbar(key);
        self.prune();
        Some(stub)
    }

    /// Counts one more entry on the shelf of a site, and says its ordinal.
    pub(crate) fn shelve(&mut self, key: SiteKey, scheme: Scheme) -> u64 {
        let stub = self.stubs.entry(key).or_default();
        let put = stub.put_mut(scheme);
        let ordinal = *put;
        *put += 1;
        // The first of a lane need not wait for what holds the other.
        if stub.due == Tick::NEVER || (ordinal == 0 && stub.due > Tick::default()) {
            self.rouse(key);
        }
        ordinal
    }

    /// Notes how far the shelf of a lane reaches.
    pub(crate) fn note_shelf(&mut self, lane: LaneKey, end: u64) {
        let stub = self.stubs.entry(lane.site()).or_default();
        let put = stub.put_mut(lane.scheme());
        if end <= *put {
            return;
        }
        *put = end;
        if stub.due == Tick::NEVER {
            self.rouse(lane.site());
        }
    }

    /// It is due now, unless it is barred.
    fn rouse(&mut self, key: SiteKey) {
        let Some(stub) = self.stubs.get_mut(&key).filter(|_| !self.barred.contains_key(&key))
        else {
            return;
        };
        stub.due = Tick::default();
        self.asleep.push(Reverse((stub.due, key)));
    }

    /// It is not due, whatever comes, until the bar is lifted.
    pub(crate) fn bar(&mut self, key: SiteKey, site: &Site, hold: Hold) {
        self.unbar(key);
        self.shared += u64::from(hold == Hold::Share);
        self.barred.insert(key, (site.clone(), hold));
        if let Some(stub) = self.stubs.get_mut(&key) {
            stub.due = Tick::NEVER;
            self.prune();
        }
    }

    /// Lifts the bar of sites that are barred by this: they are worth reading now.
    pub(crate) fn lift(&mut self, bar: Hold, may: impl Fn(&Site) -> bool) {
        let is_lifted = |(site, hold): &(Site, Hold)| *hold == bar && may(site);
        let lifted = self.barred.iter().filter(|(_, barred)| is_lifted(barred));
        let lifted: Vec<SiteKey> = lifted.map(|(key, _)| *key).collect();
        for key in lifted {
            self.unbar(key);
            self.rouse(key);
        }
    }

    fn unbar(&mut self, key: SiteKey) {
        if let Some((_, Hold::Share)) = self.barred.remove(&key) {
            self.shared -= 1;
        }
    }

    /// How many wait because their domain has had its share.
    pub(crate) fn shared(&self) -> u64 {
        self.shared
    }

    /// The next that is due; it does not come again by itself.
    pub(crate) fn next(&mut self, now: Tick) -> Option<SiteKey> {
        let Reverse((due, key)) = *self.asleep.peek()?;
        if due > now {
            return None;
        }
        self.asleep.pop();
        self.prune();
        Some(key)
    }

    pub(crate) fn earliest(&self) -> Option<Tick> {
        self.asleep.peek().map(|Reverse((due, _))| *due)
    }

    fn prune(&mut self) {
        while let Some(Reverse((due, key))) = self.asleep.peek() {
            if self.stubs.get(key).is_some_and(|stub| stub.due == *due) {
                break;
            }
            self.asleep.pop();
        }
    }
}
