//! All sites of one partition. Every change is one of the verbs below, with all values given:
//! the same verbs in the same order give the same frontier, live and in replay.
//!
//! A site with work that is due soon is warm: its queues and clock are in memory. A cold one has
//! left them on disk, and is no more than a [`Stub`] here. Which sites are warm is a matter of
//! memory, not of what the crawl knows: it is no fact.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use rhumb_web::{HashKey, Origin, PartitionId, Scheme, Site, Tick};
use serde::{Deserialize, Serialize};

use crate::agenda::{Agenda, BANDS};
use crate::entry::Entry;
use crate::manner::{Hold, Manner};
use crate::site::{Ahead, Shelf, SiteState};

/// What a warm site takes in memory, about: its state, its places on the agenda, its rules.
const SITE_BYTES: usize = 1_024;
/// What an entry in memory takes, about.
const ENTRY_BYTES: usize = 192;

/// The key of a site's row on disk: twelve bits of its partition, and of its name's hash the rest
/// but the lowest bit, which is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SiteKey(pub u64);

/// Bits of a key below those of its partition.
const NAME_BITS: u32 = 52;

impl SiteKey {
    /// The key of a site, by the crawl's own hash. Among n sites of one partition n² / 2⁵² are
    /// expected to share one with another.
    pub fn of(hash: HashKey, partition: PartitionId, site: &Site) -> Self {
        let name = hash.hash(site.as_str().as_bytes()) & ((1 << NAME_BITS) - 2);
        Self(u64::from(partition.0) << NAME_BITS | name)
    }

    /// The partition that it belongs to.
    pub fn partition(self) -> PartitionId {
        let id = u16::try_from(self.0 >> NAME_BITS).expect("twelve bits fit sixteen");
        PartitionId(id)
    }

    /// The key of one of its two lanes.
    pub fn lane(self, scheme: Scheme) -> LaneKey {
        LaneKey(self.0 | u64::from(scheme == Scheme::Https))
    }
}

/// The key of one lane of a site in the backlog: its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LaneKey(pub u64);

impl LaneKey {
    /// The site that it belongs to.
    pub fn site(self) -> SiteKey {
        SiteKey(self.0 & !1)
    }

    /// Which of its lanes it is.
    pub fn scheme(self) -> Scheme {
        if self.0 & 1 == 0 { Scheme::Http } else { Scheme::Https }
    }
}

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

/// What is in memory of a site whose state is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stub {
    /// When it is worth reading; never, if it has no work.
    pub due: Tick,
    /// Entries ever shelved, of both lanes.
    pub put: [u64; 2],
}

/// The placements of one fact, decided one after another.
#[derive(Debug, Default)]
pub struct Planner {
    lanes: HashMap<LaneKey, Ahead>,
    heads: usize,
    sites: HashSet<SiteKey>,
}

/// The queues and clocks of a partition's sites.
#[derive(Clone, Debug)]
pub struct Frontier {
    hash: HashKey,
    partition: PartitionId,
    warm: HashMap<Site, SiteState>,
    cold: HashMap<SiteKey, Stub>,
    /// Cold sites by the time at which they are due. An entry counts only if its site's stub
    /// says the same time.
    asleep: BinaryHeap<Reverse<(Tick, SiteKey)>>,
    queued: u64,
    /// Entries in memory.
    heads: usize,
    agenda: Agenda,
    /// Warm sites that differ from their row on disk.
    changed: HashSet<Site>,
}

impl PartialEq for Frontier {
    /// The agenda is derived from the sites, so it does not count.
    fn eq(&self, other: &Self) -> bool {
        self.warm == other.warm && self.cold == other.cold && self.queued == other.queued
    }
}

impl Frontier {
    /// A frontier without sites.
    pub fn new(hash: HashKey, partition: PartitionId) -> Self {
        Self {
            hash,
            partition,
            warm: HashMap::new(),
            cold: HashMap::new(),
            asleep: BinaryHeap::new(),
            queued: 0,
            heads: 0,
            agenda: Agenda::default(),
            changed: HashSet::new(),
        }
    }

    /// The key of a site.
    pub fn key(&self, site: &Site) -> SiteKey {
        SiteKey::of(self.hash, self.partition, site)
    }

    /// Where an entry will go, after those that the planner has placed. Up to `memory` bytes are
    /// spent on sites and entries; what comes beyond goes to disk.
    pub fn place(&self, entry: &Entry, memory: usize, planner: &mut Planner) -> Placement {
        let site = entry.url().site();
        let key = self.key(&site);
        let ahead = planner.lanes.entry(key.lane(entry.url().scheme())).or_default();
        let state = self.warm.get(&site);
        let placement = match state {
            Some(_) if entry.is_robots() => Placement::Head,
            Some(state) => {
                // A site whose head is short may always fill it to the mark of a refill.
                let lane = state.lane(entry.url().scheme());
                let is_short = lane.queue.len() + ahead.head < crate::REFILL_BELOW / 4;
                let is_full = self.bytes() + planner.heads * ENTRY_BYTES > memory && !is_short;
                if is_full || lane.is_full_for(entry, *ahead) {
                    Placement::Shelf
                } else {
                    Placement::Head
                }
            }
            None if self.cold.contains_key(&key) => Placement::Shelf,
            None => {
                let sites = planner.sites.len() + usize::from(!planner.sites.contains(&key));
                let bytes = self.bytes() + planner.heads * ENTRY_BYTES + sites * SITE_BYTES;
                let is_full = bytes > memory && !planner.sites.contains(&key);
                let lane = SiteState::default();
                let lane = lane.lane(entry.url().scheme());
                if is_full || lane.is_full_for(entry, *ahead) {
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

    /// Queues an entry in its site's head.
    pub fn admit(&mut self, entry: Entry) {
        let site = entry.url().site();
        let mut is_taken = true;
        self.touch(&site, |state| {
            if !entry.is_robots() {
                state.lane_mut(entry.url().scheme()).queue.push(entry);
            } else if state.takes_errand(&entry) {
                state.errands.push_back(entry);
            } else {
                is_taken = false;
            }
        });
        self.queued += u64::from(is_taken);
    }

    /// Queues an entry on its site's shelf, and says at which place the caller must put it.
    pub fn shelve(&mut self, entry: &Entry) -> Place {
        let site = entry.url().site();
        let scheme = entry.url().scheme();
        let key = self.key(&site);
        self.queued += 1;
        let ordinal = if self.warm.contains_key(&site) {
            let mut ordinal = 0;
            self.touch(&site, |state| {
                let lane = state.lane_mut(scheme);
                ordinal = lane.put;
                lane.put += 1;
            });
            ordinal
        } else {
            let stub = self.cold.entry(key).or_insert(Stub { due: Tick::NEVER, put: [0; 2] });
            let put = &mut stub.put[usize::from(scheme == Scheme::Https)];
            *put += 1;
            let ordinal = *put - 1;
            // The first of a lane need not wait for what holds the other.
            if stub.due == Tick::NEVER || (ordinal == 0 && stub.due > Tick::default()) {
                stub.due = Tick::default();
                self.asleep.push(Reverse((stub.due, key)));
            }
            ordinal
        };
        Place { lane: key.lane(scheme), ordinal }
    }

    /// Begins a fetch: the entry leaves its queue, if it stood in one, and its site is busy
    /// until [`Frontier::settle`].
    pub fn issue(&mut self, entry: &Entry) {
        let mut was_queued = false;
        self.touch(&entry.url().site(), |state| {
            was_queued = state.take(entry);
            state.in_flight = true;
        });
        self.queued -= u64::from(was_queued);
    }

    /// Ends a fetch of a site; `again` puts an entry back, to be fetched not before its time.
    pub fn settle(&mut self, site: &Site, manner: Manner, again: Option<(Tick, Entry)>) {
        self.queued += u64::from(again.is_some());
        self.touch(site, |state| {
            state.in_flight = false;
            state.visits += 1;
            state.manner = manner;
            if let Some((at, entry)) = again {
                state.put_back(at, entry);
            }
        });
    }

    /// Takes back a fetch whose end is not known: the entry goes first again, if it is given.
    pub fn recall(&mut self, site: &Site, again: Option<Entry>) {
        self.queued += u64::from(again.is_some());
        self.touch(site, |state| {
            state.in_flight = false;
            if let Some(entry) = again {
                state.put_back(Tick::default(), entry);
            }
        });
    }

    /// Removes an entry that will not be fetched.
    pub fn refuse(&mut self, entry: &Entry) {
        let mut was_queued = false;
        self.touch(&entry.url().site(), |state| was_queued = state.take(entry));
        self.queued -= u64::from(was_queued);
    }

    /// Gives a site a new clock without a fetch.
    pub fn hold(&mut self, site: &Site, manner: Manner) {
        self.touch(site, |state| state.manner = manner);
    }

    /// Asks no page of an origin before this time.
    pub fn hold_pages(&mut self, origin: &Origin, until: Tick) {
        self.touch(&origin.site, |state| state.lane_mut(origin.scheme).pages_at = until);
    }

    /// Brings shelved entries back into the head.
    pub fn refill(&mut self, origin: &Origin, entries: Vec<Entry>) {
        let mut doubled = 0;
        self.touch(&origin.site, |state| {
            let lane = state.lane_mut(origin.scheme);
            let count = u64::try_from(entries.len()).expect("a length fits 64 bits");
            lane.taken = (lane.taken + count).min(lane.put);
            for entry in entries {
                if !entry.is_robots() {
                    state.lane_mut(origin.scheme).queue.push(entry);
                } else if state.takes_errand(&entry) {
                    state.errands.push_back(entry);
                } else {
                    doubled += 1;
                }
            }
        });
        self.queued -= doubled;
    }

    /// The place from which an origin should be refilled: it is short of entries while some lie
    /// on its shelf.
    pub fn wants_refill(&self, origin: &Origin) -> Option<Place> {
        let lane = self.warm.get(&origin.site)?.lane(origin.scheme);
        let place =
            || Place { lane: self.key(&origin.site).lane(origin.scheme), ordinal: lane.taken };
        lane.wants_refill().then(place)
    }

    /// The site that is on turn now. It comes again only after a verb that touches it.
    pub fn next(&mut self, now: Tick) -> Option<Site> {
        let sites = &self.warm;
        let band_of = |site: &Site| sites.get(site).and_then(SiteState::band).unwrap_or(BANDS - 1);
        self.agenda.advance(now, band_of);
        while let Some(site) = self.agenda.pick() {
            let waits = self.warm.get(&site).and_then(SiteState::waits);
            if waits.is_some_and(|waiting| waiting.until <= now) {
                return Some(site);
            }
            self.schedule(&site);
        }
        None
    }

    /// Puts a site back that was on turn and could not be served.
    pub fn give_back(&mut self, site: &Site) {
        self.schedule(site);
    }

    /// When the next warm site is due; a time in the past means now.
    pub fn earliest_warm(&self) -> Option<Tick> {
        self.agenda.earliest()
    }

    /// When the next site is due; a time in the past means now. Cold sites count.
    pub fn earliest(&self) -> Option<Tick> {
        let cold = self.asleep.peek().map(|Reverse((due, _))| *due);
        [self.agenda.earliest(), cold].into_iter().flatten().min()
    }

    /// What is known of a warm site.
    pub fn site(&self, site: &Site) -> Option<&SiteState> {
        self.warm.get(site)
    }

    /// Whether anything was ever heard of a site.
    pub fn knows(&self, site: &Site) -> bool {
        self.warm.contains_key(site) || self.cold.contains_key(&self.key(site))
    }

    /// Whether the state of a site is on disk, and must be woken before a verb touches it.
    pub fn is_cold(&self, site: &Site) -> bool {
        !self.warm.contains_key(site) && self.cold.contains_key(&self.key(site))
    }

    /// How many sites were met.
    pub fn site_count(&self) -> u64 {
        u64::try_from(self.warm.len() + self.cold.len()).expect("a length fits 64 bits")
    }

    /// How many sites are in memory.
    pub fn warm_count(&self) -> usize {
        self.warm.len()
    }

    /// How many entries wait, shelved ones too.
    pub fn queued(&self) -> u64 {
        self.queued
    }

    /// The bytes that its warm sites take, about.
    pub fn bytes(&self) -> usize {
        self.warm.len() * SITE_BYTES + self.heads * ENTRY_BYTES
    }

    /// How many entries more fit into so many bytes.
    pub fn room(&self, memory: usize) -> usize {
        memory.saturating_sub(self.bytes()) / ENTRY_BYTES
    }

    /// How many warm sites with work are held back, by what.
    pub fn held(&self) -> impl Iterator<Item = (Hold, u64)> {
        self.agenda.held()
    }

    /// The warm sites, in no promised order.
    pub fn sites(&self) -> impl Iterator<Item = (&Site, &SiteState)> {
        self.warm.iter()
    }

    /// The cold sites, in no promised order.
    pub fn stubs(&self) -> impl Iterator<Item = (SiteKey, Stub)> {
        self.cold.iter().map(|(key, stub)| (*key, *stub))
    }

    /// Warm sites that changed since the last time it was asked.
    pub fn take_changed(&mut self) -> Vec<Site> {
        let mut changed: Vec<Site> = self.changed.drain().collect();
        changed.sort_unstable();
        changed
    }

    /// Notes a site that lies on disk.
    pub fn sleep(&mut self, key: SiteKey, stub: Stub) {
        self.cold.insert(key, stub);
        if stub.due < Tick::NEVER {
            self.asleep.push(Reverse((stub.due, key)));
        }
    }

    /// Notes how far the shelf of a site reaches: for the opening of a crawl. Where that is
    /// further than its row says, or there is no row, entries wait for it.
    pub fn note_shelf(&mut self, lane: LaneKey, end: u64) {
        let key = lane.site();
        let stub = self.cold.entry(key).or_insert(Stub { due: Tick::NEVER, put: [0; 2] });
        let put = &mut stub.put[usize::from(lane.scheme() == Scheme::Https)];
        if end <= *put {
            return;
        }
        *put = end;
        if stub.due == Tick::NEVER {
            stub.due = Tick::default();
            self.asleep.push(Reverse((stub.due, key)));
        }
    }

    /// How many entries wait in all: for the opening of a crawl.
    pub fn set_queued(&mut self, queued: u64) {
        self.queued = queued;
    }

    /// The next cold site that is due, if one is; it does not come again by itself.
    pub fn next_cold(&mut self, now: Tick) -> Option<SiteKey> {
        while let Some(Reverse((due, key))) = self.asleep.peek().copied() {
            if due > now {
                return None;
            }
            self.asleep.pop();
            if self.cold.get(&key).is_some_and(|stub| stub.due == due) {
                return Some(key);
            }
        }
        None
    }

    /// A cold site is in memory again, as its row has it.
    pub fn wake(&mut self, site: &Site, mut state: SiteState) {
        let Some(stub) = self.cold.remove(&self.key(site)) else { return };
        for (scheme, put) in [Scheme::Http, Scheme::Https].into_iter().zip(stub.put) {
            let lane = state.lane_mut(scheme);
            lane.put = lane.put.max(put);
        }
        self.heads += state.in_memory();
        self.warm.insert(site.clone(), state);
        self.schedule(site);
    }

    /// Lets go of warm sites whose rows on disk are up to date and that `may` leave, until at
    /// most `bytes` are used: first those without work, then those whose time is farthest.
    pub fn cool(&mut self, bytes: usize, may: impl Fn(&Site, &SiteState) -> bool) -> Vec<Site> {
        if self.bytes() <= bytes {
            return Vec::new();
        }
        let is_free = |site: &Site, state: &SiteState| {
            !state.in_flight && !self.changed.contains(site) && may(site, state)
        };
        let free = self.warm.iter().filter(|(site, state)| is_free(site, state));
        let mut free: Vec<(Tick, Site)> =
            free.map(|(site, state)| (state.due(), site.clone())).collect();
        free.sort_unstable_by(|a, b| b.cmp(a));
        let mut cooled = Vec::new();
        for (due, site) in free {
            if self.bytes() <= bytes {
                break;
            }
            let state = self.warm.remove(&site).expect("it was just listed");
            self.heads -= state.in_memory();
            self.agenda.set(&site, None);
            self.sleep(self.key(&site), Stub { due, put: state.shelves().map(|it| it.put) });
            cooled.push(site);
        }
        cooled
    }

    /// Changes a warm or new site, and keeps the books about it.
    fn touch(&mut self, site: &Site, change: impl FnOnce(&mut SiteState)) {
        debug_assert!(!self.is_cold(site), "{site} is on disk: it must be woken first");
        let state = self.warm.entry(site.clone()).or_default();
        let before = state.in_memory();
        change(state);
        self.heads = self.heads + state.in_memory() - before;
        self.changed.insert(site.clone());
        self.schedule(site);
    }

    fn schedule(&mut self, site: &Site) {
        let waits = self.warm.get(site).and_then(SiteState::waits);
        self.agenda.set(site, waits);
    }
}

/// What a stub needs of a row: the shelves of a site, and when it is due.
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
