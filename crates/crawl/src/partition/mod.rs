//! One share of a crawl as a pure state machine: `decide` and `apply`.
//!
//! [`Partition::handle`] and [`Partition::issue`] hold the policy and run live only: they look at
//! state, and speak [`Fact`]s and [`Effect`]s. [`State::apply`] takes facts in, live and in replay.
//! No lock, no socket, no clock and no chance in here.

mod fact;
mod robots;
mod seen;
mod settle;
mod state;
mod tally;
#[cfg(test)]
mod tests;
mod turn;

use std::collections::HashSet;

use rhumb_frontier::{Entry, HEAD_MAX, Manners};
use rhumb_web::{Candidate, Epoch, HashKey, Origin, PartitionId, Scheme, Site, Span, Tick};

pub use fact::{
    Answer, Cause, Effect, Event, Fact, Finding, Parcel, Read, Return, RobotsAnswer, Settled,
    Settlement, Turn,
};
pub use robots::RobotsState;
pub use seen::{Bucket, MemorySeen, Novelty, Seen};
pub use state::{Outstanding, State};
pub use tally::{Miss, Tally};

/// What a partition must know of its crawl.
#[derive(Clone, Debug)]
pub struct PartitionSettings {
    /// Which partition.
    pub id: PartitionId,
    /// Of how many.
    pub count: u16,
    /// The secret of the crawl's hashes.
    pub hash: HashKey,
    /// Whose ownership this is.
    pub epoch: Epoch,
    /// Politeness.
    pub manners: Manners,
    /// The name to which robots.txt speaks.
    pub agent: String,
    /// How long a ticket may be out.
    pub ticket_for: Span,
    /// The crawl's creation, in milliseconds since 1970: for the hours of the day.
    pub born_ms: u64,
}

/// A share of the crawl: its state, and the policy that moves it.
#[derive(Debug)]
pub struct Partition<S> {
    settings: PartitionSettings,
    state: State<S>,
    /// Origins whose shelf is being read.
    refilling: HashSet<Origin>,
    /// Buckets that are being read.
    settling: HashSet<Bucket>,
}

impl<S: Seen> Partition<S> {
    /// A partition with nothing in it.
    pub fn new(settings: PartitionSettings, seen: S) -> Self {
        let state = State::new(settings.hash, settings.agent.clone(), seen);
        Self { settings, state, refilling: HashSet::new(), settling: HashSet::new() }
    }

    /// What it remembers.
    pub fn state(&self) -> &State<S> {
        &self.state
    }

    /// Takes an event in. Tickets are issued apart, by [`Partition::issue`].
    pub fn handle(&mut self, now: Tick, event: Event, turn: &mut Turn) {
        match event {
            Event::Seeds(candidates) => self.meet(now, None, candidates, turn),
            Event::Parcel(parcel) => self.open(now, parcel, turn),
            Event::Returned(returned) => self.settle(now, *returned, turn),
            Event::BucketSettled { bucket, read, new } => {
                self.settling.remove(&bucket);
                let entries = new.into_iter().map(Entry::new).collect();
                self.speak(now, Fact::Rescued { bucket, read, entries }, turn);
                self.read_buckets(turn);
            }
            Event::Refilled(origin, entries) => {
                self.refilling.remove(&origin);
                self.speak(now, Fact::Refilled { origin, entries }, turn);
            }
            Event::Tick => self.expire(now, turn),
        }
    }

    /// Tickets that are out.
    pub fn in_flight(&self) -> usize {
        self.state.out.len()
    }

    /// Whether a disk read is under way.
    pub fn is_reading(&self) -> bool {
        !self.refilling.is_empty() || !self.settling.is_empty()
    }

    /// When a site is due next.
    pub fn earliest(&self) -> Option<Tick> {
        self.state.frontier.earliest()
    }

    fn open(&mut self, now: Tick, parcel: Parcel, turn: &mut Turn) {
        let known = self.state.received.get(&parcel.from).copied().unwrap_or(0);
        if parcel.number <= known {
            return;
        }
        let stamp = Some((parcel.from, parcel.number));
        if let Some((origin, answer)) = parcel.robots {
            self.hear_robots(now, origin, answer, turn);
        }
        self.meet(now, stamp, parcel.candidates, turn);
    }

    /// Asks the seen-set about candidates, and admits the new ones.
    fn meet(
        &mut self,
        now: Tick,
        parcel: Option<(PartitionId, u64)>,
        candidates: Vec<Candidate>,
        turn: &mut Turn,
    ) {
        let mut entries: Vec<Entry> = Vec::new();
        let mut unsure = Vec::new();
        let mut here = HashSet::new();
        for candidate in candidates {
            let entry = Entry::new(candidate);
            if entry.is_robots() {
                entries.push(entry);
                continue;
            }
            let key = entry.url().key(self.settings.hash);
            if !here.insert(key) {
                continue;
            }
            match self.state.seen.meet(key) {
                Novelty::New => entries.push(entry),
                Novelty::Known => {}
                Novelty::Unsure(bucket) => unsure.push((bucket, entry.candidate)),
            }
        }
        for entry in &entries {
            let site = entry.url().site();
            if self.state.frontier.site(&site).is_none() {
                turn.effects.push(Effect::Resolve(site));
            }
        }
        self.speak(now, Fact::Admitted { parcel, entries, unsure }, turn);
        self.read_buckets(turn);
    }

    fn read_buckets(&mut self, turn: &mut Turn) {
        for (bucket, candidates) in &self.state.unsure {
            if self.settling.insert(*bucket) {
                turn.effects.push(Effect::Read(Read::Bucket(*bucket, candidates.clone())));
            }
        }
    }

    /// Asks for what a site has on the shelf if its heads run low.
    fn refill(&mut self, site: &Site, turn: &mut Turn) {
        for scheme in [Scheme::Http, Scheme::Https] {
            let origin = Origin { scheme, site: site.clone() };
            if self.state.frontier.wants_refill(&origin) && self.refilling.insert(origin.clone()) {
                turn.effects.push(Effect::Read(Read::Refill(origin, HEAD_MAX)));
            }
        }
    }

    /// Applies a fact and hands it out.
    fn speak(&mut self, now: Tick, fact: Fact, turn: &mut Turn) {
        let overflow = self.state.apply(now, &fact);
        turn.facts.push(fact);
        turn.effects.extend(overflow.into_iter().map(Effect::Shelve));
    }
}
