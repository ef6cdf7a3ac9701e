//! What a frontier knows of one site.

use std::collections::{BTreeMap, VecDeque};

use rhumb_web::{CanonUrl, Errand, Scheme, Tick};
use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::manner::{Hold, Manner};
use crate::queue::{HEAD_MAX, Queue, REFILL_BELOW, URGENT_MAX};
use crate::shelf::{Choice, Shelf};
use crate::worth::PageWorth;

/// Robots.txt fetches that may wait at one site: redirects of other sites bring them.
const ERRANDS_MAX: usize = 1_000;

/// Queues, clock and record of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteState {
    /// Robots.txt fetches; they go before pages.
    pub(crate) errands: VecDeque<Entry>,
    plain: Lane,
    secure: Lane,
    /// Tickets of this site that are out.
    pub(crate) in_flight: u8,
    pub(crate) manner: Manner,
    /// Exchanges so far.
    pub(crate) visits: u64,
}

/// The pages of one origin: http and https share the site's clock, but each has a robots.txt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lane {
    pub(crate) queue: Queue,
    /// Entries to be tried again, by the time before which they are not.
    pub(crate) later: BTreeMap<(Tick, CanonUrl), Entry>,
    /// Entries that were ever shelved, because the head was full: the ordinal of the next one.
    pub(crate) put: u64,
    /// All below this ordinal have come back from the shelf.
    pub(crate) taken: u64,
    /// No page is asked for before this.
    pub(crate) pages_at: Tick,
    /// What has come back from above that, and what is known of the rest: a row has it apart.
    #[serde(skip)]
    pub(crate) choice: Choice,
}

/// The worth of an entry where the nearest to the seeds is the best.
pub(crate) fn nearness(entry: &Entry) -> PageWorth {
    match entry.band() {
        0 => PageWorth::FIRST,
        _ => PageWorth::by_order(-f64::from(entry.candidate.depth)),
    }
}

/// What of one origin is admitted in the same fact, before an entry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ahead {
    /// Entries that go into the head.
    pub(crate) head: usize,
    /// Whether some go to the shelf.
    pub(crate) shelf: bool,
}

/// When a site has work, and what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Not before this.
    pub until: Tick,
    /// Because of this.
    pub hold: Hold,
}

impl Lane {
    /// When its next entry may be fetched, as far as the lane itself can say.
    fn waits(&self) -> Option<Waiting> {
        let retry = self.later.first_key_value().map(|((at, _), _)| *at);
        let free = if self.queue.len() > 0 { Tick::default() } else { retry? };
        Some(if self.pages_at >= free {
            Waiting { until: self.pages_at, hold: Hold::Robots }
        } else {
            Waiting { until: free, hold: Hold::Backoff }
        })
    }

    /// The entry that goes next at this time: the best by this worth.
    fn peek_by(&self, now: Tick, worth: &impl Fn(&Entry) -> PageWorth) -> Option<&Entry> {
        if self.pages_at > now {
            return None;
        }
        let due = self.later.first_key_value().filter(|((at, _), _)| *at <= now);
        due.map(|(_, entry)| entry).or_else(|| self.queue.best(worth))
    }

    fn take(&mut self, url: &CanonUrl) -> bool {
        if self.queue.take(url).is_some() {
            return true;
        }
        let key = self.later.keys().find(|(_, other)| other == url).cloned();
        key.and_then(|key| self.later.remove(&key)).is_some()
    }

    fn queued(&self) -> u64 {
        let here = self.queue.len() + self.later.len();
        u64::try_from(here).expect("a length fits 64 bits") + self.shelved()
    }

    /// Entries that lie on the shelf.
    pub(crate) fn shelved(&self) -> u64 {
        self.put - self.taken - self.choice.plucked()
    }

    /// Whether an entry must go to the shelf, behind those of this turn that went `ahead` of it
    /// and those that lie there, unless it is urgent or worth more than what lies there.
    pub(crate) fn is_full_for(
        &self,
        is_urgent: bool,
        ahead: Ahead,
        worth: impl FnOnce() -> PageWorth,
    ) -> bool {
        let head = self.queue.len() + ahead.head;
        if is_urgent {
            return head >= URGENT_MAX;
        }
        let is_behind = self.shelved() > 0 || ahead.shelf;
        head >= HEAD_MAX || is_behind && !self.choice.is_beaten_by(worth())
    }

    pub(crate) fn wants_refill(&self) -> bool {
        self.shelved() > 0 && self.queue.len() < REFILL_BELOW
    }

    fn in_memory(&self) -> usize {
        self.queue.len() + self.later.len()
    }
}

impl SiteState {
    /// Its clock and record.
    pub fn manner(&self) -> Manner {
        self.manner
    }

    /// Exchanges with it so far.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Fetches of it that are under way.
    pub fn in_flight(&self) -> u8 {
        self.in_flight
    }

    /// Entries that wait, shelved ones too.
    pub fn queued(&self) -> u64 {
        let errands = u64::try_from(self.errands.len()).expect("a length fits 64 bits");
        errands + self.plain.queued() + self.secure.queued()
    }

    pub(crate) fn lane(&self, scheme: Scheme) -> &Lane {
        match scheme {
            Scheme::Http => &self.plain,
            Scheme::Https => &self.secure,
        }
    }

    /// Both lanes: `[http, https]`.
    pub(crate) fn lanes(&self) -> [&Lane; 2] {
        [&self.plain, &self.secure]
    }

    pub(crate) fn lanes_mut(&mut self) -> [&mut Lane; 2] {
        [&mut self.plain, &mut self.secure]
    }

    pub(crate) fn lane_mut(&mut self, scheme: Scheme) -> &mut Lane {
        match scheme {
            Scheme::Http => &mut self.plain,
            Scheme::Https => &mut self.secure,
        }
    }

    /// Entries in memory.
    pub(crate) fn in_memory(&self) -> usize {
        self.errands.len() + self.plain.in_memory() + self.secure.in_memory()
    }

    /// Where the shelves of both lanes begin and end: `[http, https]`.
    pub fn shelves(&self) -> [Shelf; 2] {
        self.lanes().map(|lane| Shelf { put: lane.put, taken: lane.taken })
    }

    /// When its next entry may be fetched. None: there is nothing, a ticket is out, or all of it
    /// lies on the shelf.
    pub fn waits(&self) -> Option<Waiting> {
        self.waits_among(1)
    }

    /// As [`SiteState::waits`], of a site that may have so many tickets out.
    pub(crate) fn waits_among(&self, connections: u8) -> Option<Waiting> {
        if self.in_flight >= connections {
            return None;
        }
        let by_clock = Waiting { until: self.manner.ready_at, hold: self.manner.hold };
        if !self.errands.is_empty() {
            return Some(by_clock);
        }
        let lanes = [self.plain.waits(), self.secure.waits()];
        let soonest = lanes.into_iter().flatten().min_by_key(|waiting| waiting.until)?;
        Some(if soonest.until > by_clock.until { soonest } else { by_clock })
    }

    /// When it is worth looking at: as [`SiteState::waits`], where a lane whose head is empty
    /// while its shelf is not counts as one that has entries.
    pub(crate) fn due(&self) -> Tick {
        let by_clock = self.manner.ready_at;
        let shelves = self.lanes().into_iter();
        let shelves = shelves.filter(|lane| lane.wants_refill() && lane.queue.len() == 0);
        let by_shelf = shelves.map(|lane| lane.pages_at.max(by_clock)).min();
        let by_head = self.waits().map(|waiting| waiting.until);
        by_shelf.into_iter().chain(by_head).min().unwrap_or(Tick::NEVER)
    }

    /// Puts an entry back that was out, to be fetched not before its time.
    pub(crate) fn put_back(&mut self, at: Tick, entry: Entry) {
        let lane = self.lane_mut(entry.url().scheme());
        if entry.is_robots() {
            self.errands.push_front(entry);
        } else if at == Tick::default() {
            lane.queue.push_front(entry);
        } else {
            lane.later.insert((at, entry.url().clone()), entry);
        }
    }

    /// The entry that goes next at this time, whatever the site's clock says, where the nearest
    /// to the seeds is the best.
    pub fn peek(&self, now: Tick) -> Option<&Entry> {
        self.peek_by(now, &nearness)
    }

    /// The same, where the best is so by this worth.
    pub(crate) fn peek_by(
        &self,
        now: Tick,
        worth: &impl Fn(&Entry) -> PageWorth,
    ) -> Option<&Entry> {
        if let Some(errand) = self.errands.front() {
            return Some(errand);
        }
        match (self.plain.peek_by(now, worth), self.secure.peek_by(now, worth)) {
            (Some(one), Some(other)) if worth(other) > worth(one) => Some(other),
            (one, other) => one.or(other),
        }
    }

    /// What the best entry that waits is worth.
    pub(crate) fn best(&self, worth: &impl Fn(&Entry) -> PageWorth) -> Option<PageWorth> {
        self.lanes().into_iter().filter_map(|lane| lane.queue.best(worth)).map(worth).max()
    }

    /// Works out what is asked of its entries often.
    pub(crate) fn prepare(&mut self, prepare: impl Fn(&mut Entry)) {
        for lane in self.lanes_mut() {
            lane.later.values_mut().for_each(&prepare);
            lane.queue.prepare(&prepare);
        }
    }

    /// Whether it has the robots.txt of another site to fetch.
    pub(crate) fn has_errands(&self) -> bool {
        !self.errands.is_empty()
    }

    /// Whether a page waits that goes before all else.
    pub(crate) fn is_urgent(&self) -> bool {
        self.plain.queue.urgent() + self.secure.queue.urgent() > 0
    }

    /// Whether an errand is worth queueing: one that waits already for the same origin is enough,
    /// and who finds too many before it asks again later.
    pub(crate) fn takes_errand(&self, entry: &Entry) -> bool {
        let for_same = |other: &Entry| match (&other.candidate.errand, &entry.candidate.errand) {
            (Errand::Robots { origin: one, .. }, Errand::Robots { origin: other, .. }) => {
                one == other
            }
            _ => false,
        };
        self.errands.len() < ERRANDS_MAX && !self.errands.iter().any(for_same)
    }

    /// Takes an entry out of wherever it stands, and says whether it stood somewhere. A
    /// robots.txt is an errand apart from a page of the same URL, and need not be queued at all.
    pub(crate) fn take(&mut self, entry: &Entry) -> bool {
        if entry.is_robots() {
            let errand = &entry.candidate.errand;
            let at = self.errands.iter().position(|e| e.candidate.errand == *errand);
            return at.and_then(|at| self.errands.remove(at)).is_some();
        }
        self.lane_mut(entry.url().scheme()).take(entry.url())
    }

    /// The entries in memory, in no promised order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let lanes = self.lanes().into_iter();
        let pages = lanes.flat_map(|lane| lane.later.values().chain(lane.queue.iter()));
        self.errands.iter().chain(pages)
    }
}
