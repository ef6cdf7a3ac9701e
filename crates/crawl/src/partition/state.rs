//! What a partition remembers: the sum of its facts.
//!
//! `apply` holds neither policy nor clock, and is the only way to change a [`State`]: live and in
//! replay alike. That folded state equals live state is a test.

use std::collections::{BTreeMap, HashMap};

use rhumb_frontier::{Entry, Frontier, Placement};
use rhumb_web::{Candidate, Errand, HashKey, Origin, PartitionId, Tick, TicketNumber};

use super::fact::{Fact, RobotsAnswer, Settled};
use super::robots::RobotsState;
use super::seen::{Bucket, Seen};
use super::tally::Tally;

/// A ticket that is out.
#[derive(Clone, Debug, PartialEq)]
pub struct Outstanding {
    /// For what.
    pub entry: Entry,
    /// When it must be back.
    pub expires: Tick,
}

/// The memory of one partition.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S> {
    hash: HashKey,
    agent: String,
    pub(super) frontier: Frontier,
    pub(super) seen: S,
    pub(super) unsure: BTreeMap<Bucket, Vec<Candidate>>,
    pub(super) robots: HashMap<Origin, RobotsState>,
    pub(super) out: BTreeMap<TicketNumber, Outstanding>,
    pub(super) next_ticket: TicketNumber,
    /// The number of the last parcel sent to each partition.
    pub(super) sent: BTreeMap<PartitionId, u64>,
    /// The number of the last parcel of each partition that took effect.
    pub(super) received: BTreeMap<PartitionId, u64>,
    pub(super) tally: Tally,
}

impl<S: Seen> State<S> {
    /// The state before any fact. The agent is the name to which robots.txt speaks.
    pub fn new(hash: HashKey, agent: String, seen: S) -> Self {
        Self {
            hash,
            agent,
            frontier: Frontier::default(),
            seen,
            unsure: BTreeMap::new(),
            robots: HashMap::new(),
            out: BTreeMap::new(),
            next_ticket: TicketNumber::default(),
            sent: BTreeMap::new(),
            received: BTreeMap::new(),
            tally: Tally::default(),
        }
    }

    /// Takes a fact in, and returns the entries that found no room in memory.
    pub fn apply(&mut self, at: Tick, fact: &Fact) -> Vec<Entry> {
        match fact {
            Fact::Admitted { parcel, entries, unsure } => {
                self.note_parcel(*parcel);
                for (bucket, candidate) in unsure {
                    self.unsure.entry(*bucket).or_default().push(candidate.clone());
                }
                return self.admit(entries);
            }
            Fact::Rescued { bucket, read, entries } => {
                let waiting = self.unsure.entry(*bucket).or_default();
                waiting.drain(..waiting.len().min(*read));
                if waiting.is_empty() {
                    self.unsure.remove(bucket);
                }
                return self.admit(entries);
            }
            Fact::Refilled { origin, entries } => self.frontier.refill(origin, entries.clone()),
            Fact::Issued { number, entry, expires } => self.issued(at, *number, entry, *expires),
            Fact::Settled(settled) => self.settled(settled),
            Fact::Dropped { entry, cause } => {
                self.frontier.refuse(entry);
                self.tally.dropped(*cause);
            }
            Fact::Robots { origin, answer, refresh_at, manner, pages_at, is_given_up } => {
                let robots = self.robots.entry(origin.clone()).or_default();
                robots.answered(at, &self.agent, answer, *refresh_at);
                self.frontier.hold(&origin.site, *manner);
                self.frontier.hold_pages(origin, *pages_at);
                if let (RobotsAnswer::Unreachable(miss), true) = (answer, is_given_up) {
                    self.tally.miss(*miss);
                }
            }
            Fact::Held { origin, until } => self.frontier.hold_pages(origin, *until),
        }
        Vec::new()
    }

    fn admit(&mut self, entries: &[Entry]) -> Vec<Entry> {
        let mut overflow = Vec::new();
        for entry in entries {
            if !entry.is_robots() {
                self.seen.insert(entry.url().key(self.hash));
            }
            if let Placement::Shelf(entry) = self.frontier.admit(entry.clone()) {
                overflow.push(entry);
            }
        }
        overflow
    }

    fn issued(&mut self, at: Tick, number: TicketNumber, entry: &Entry, expires: Tick) {
        self.next_ticket = TicketNumber(number.0 + 1);
        self.frontier.issue(entry);
        if let Errand::Robots { origin, hops: 0 } = &entry.candidate.errand {
            self.robots.entry(origin.clone()).or_default().asked(at);
        }
        self.out.insert(number, Outstanding { entry: entry.clone(), expires });
    }

    fn settled(&mut self, settled: &Settled) {
        self.out.remove(&settled.number);
        for parcel in &settled.parcels {
            self.sent.insert(parcel.to, parcel.number);
        }
        let site = settled.entry.url().site();
        self.frontier.settle(&site, settled.manner, settled.again.clone());
        self.tally.settled(settled);
    }

    fn note_parcel(&mut self, parcel: Option<(PartitionId, u64)>) {
        if let Some((from, number)) = parcel {
            self.received.insert(from, number);
        }
    }

    /// The counts so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The queues and clocks.
    pub fn frontier(&self) -> &Frontier {
        &self.frontier
    }
}
