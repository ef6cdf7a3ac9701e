//! One share of a crawl as a pure state machine: `decide` and `apply`.
//!
//! [`Partition::handle`] and [`Partition::issue`] hold the policy and run live only: they look at
//! state, and speak [`Fact`]s and [`Effect`]s. [`State::apply`] takes facts in, live and in replay.
//! No lock, no socket, no clock and no chance in here.

mod content;
mod dossier;
mod fact;
mod robots;
mod settle;
#[cfg(test)]
mod several;
mod state;
mod tally;
#[cfg(test)]
mod tests;
mod turn;

use std::collections::{HashMap, HashSet};

use rhumb_frontier::{Entry, Gift, Manners, Placement, Planner, SiteKey};
use rhumb_seen::{Novelty, Seen};
use rhumb_web::{
    Candidate, Epoch, Errand, Found, HashKey, Origin, PartitionId, Scheme, Site, Span, Tick,
};

pub use content::{Content, Told};
pub use dossier::{Dossier, PayloadRow, RobotsRow, Story, Try, UrlRecord};
pub(crate) use fact::late;
pub use fact::{
    Answer, Asked, Cause, Effect, Event, Fact, Finding, More, Parcel, PayloadDigest, Read, Return,
    RobotsAnswer, Settled, Settlement, Turn,
};
pub use robots::RobotsState;
pub use state::{Outstanding, PartitionRow, Records, State};
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
    /// Bytes that its sites may take in memory, about; the rest goes to disk.
    pub memory: usize,
    /// Whether pages may be asked for as a browser would: else copies that were to be compared
    /// are not fetched any more.
    pub may_disguise: bool,
}

/// Cold sites that are read at once.
const WAKING_MAX: usize = 64;
/// What a site brings into memory that wakes: itself, and a short head.
const WOKEN_BYTES: usize = 16 * 1024;
/// Calls that are kept for one cold site.
const CALLS_MAX: usize = 1_000;

/// What a seed is given: the trust of its domain is known from the first census on.
const SEED_GIFT: Gift = Gift { cash: 1.0, trust: 1.0, rank: 0.0 };
/// The part of a partition's memory that the cash of its pages may take.
const PURSE_PART: usize = 8;

/// What must not wait behind the shelf of a cold site.
#[derive(Debug)]
enum Call {
    /// Its robots.txt came, by way of another site.
    Robots(Origin, RobotsAnswer),
    /// It has the robots.txt of another site.
    Errand(Entry),
}

/// A share of the crawl: its state, and the policy that moves it.
#[derive(Debug)]
pub struct Partition<S> {
    settings: PartitionSettings,
    state: State<S>,
    /// Origins whose shelf is being read.
    refilling: HashSet<Origin>,
    /// Cold sites that are being read.
    waking: HashSet<SiteKey>,
    /// What waits for a cold site that is being read. It is forgotten when the crawl ends: whoever
    /// asked for a robots.txt asks again.
    calls: HashMap<SiteKey, Vec<Call>>,
    /// Set at the opening of a crawl that did not end well: a request of before may be unknown,
    /// so every site is left alone for its full gap from here on.
    rest_from: Option<Tick>,
}

impl<S: Seen> Partition<S> {
    /// A partition with nothing in it.
    pub fn new(settings: PartitionSettings, seen: S) -> Self {
        let state = State::new(settings.id, settings.hash, settings.agent.clone(), seen);
        Self::with_state(settings, state)
    }

    /// A partition that remembers.
    pub fn with_state(settings: PartitionSettings, state: State<S>) -> Self {
        let (refilling, waking, calls) = (HashSet::new(), HashSet::new(), HashMap::new());
        let mut state = state;
        state.frontier_mut().set_purse(settings.memory / PURSE_PART);
        Self { settings, state, refilling, waking, calls, rest_from: None }
    }

    /// Which one it is.
    pub fn id(&self) -> PartitionId {
        self.settings.id
    }

    /// What it remembers.
    pub fn state(&self) -> &State<S> {
        &self.state
    }

    /// What it remembers, to keep it: for checkpoints.
    pub fn state_mut(&mut self) -> &mut State<S> {
        &mut self.state
    }

    /// Takes up a crawl: tickets that were out are void, and if it did not end well no site is
    /// visited before its full gap has passed.
    /// `last` is the last moment that is known of before.
    pub fn reopen(&mut self, now: Tick, last: Tick, is_clean: bool, turn: &mut Turn) {
        let out: Vec<_> =
            self.state.out.iter().map(|(number, out)| (*number, out.clone())).collect();
        // How long the requests that were under way had taken by then.
        let mut taken: HashMap<Site, Span> = HashMap::new();
        for (number, Outstanding { entry, expires }) in out {
            let issued = expires - self.settings.ticket_for;
            let longest = taken.entry(entry.url().site()).or_default();
            *longest = last.since(issued).max(*longest);
            self.speak(now, Fact::Recalled(number), turn);
        }
        if !is_clean {
            self.rest_from = Some(now);
        }
        let mut warm: Vec<Site> =
            self.state.frontier.sites().map(|(site, _)| site.clone()).collect();
        warm.sort_unstable();
        for site in warm {
            self.rest(now, &site, taken.get(&site).copied().unwrap_or_default(), turn);
            self.refill(&site, turn);
        }
    }

    fn rest(&mut self, now: Tick, site: &Site, took: Span, turn: &mut Turn) {
        let Some(from) = self.rest_from else { return };
        let gap = self.gap(now, site, took);
        let until = from + gap + Span(1);
        let manner = self.state.frontier.site(site).map(rhumb_frontier::SiteState::manner);
        if until > now && manner.unwrap_or_default().ready_at < until {
            self.speak(now, Fact::Rested { site: site.clone(), until }, turn);
        }
    }

    /// Takes an event in. Tickets are issued apart, by [`Partition::issue`].
    pub fn handle(&mut self, now: Tick, event: Event, turn: &mut Turn) {
        match event {
            Event::Seeds(candidates) => {
                let found = Found { on: None, at: now };
                let seeds = candidates.into_iter().map(|it| Candidate { found, ..it });
                self.meet(now, None, SEED_GIFT, &seeds.collect::<Vec<_>>(), turn);
            }
            Event::Parcel(parcel) => self.open(now, parcel, turn),
            Event::Returned(returned) => self.settle(now, *returned, turn),
            Event::BucketSettled { bucket, read, new } => {
                // Whoever meets one of these keys is told to wait for its bucket, and a bucket is
                // read by one pass at a time: nobody else can have admitted them.
                let new = new.into_iter().map(Entry::new).collect();
                let (entries, shelved) = self.place(new);
                self.greet(entries.iter().chain(&shelved), turn);
                self.speak(now, Fact::Rescued { bucket, read, entries, shelved }, turn);
            }
            Event::Refilled(origin, stock) => {
                self.refilling.remove(&origin);
                let picks = self.state.frontier.choose(&origin, stock, self.settings.memory);
                if !picks.is_empty() {
                    self.speak(now, Fact::Picked { origin, picks }, turn);
                }
            }
            Event::Woken(dossier) => self.woken(now, *dossier, turn),
            Event::Likened(late) => {
                let site = SiteKey(late.site);
                self.speak(now, Fact::Likened { url: late.url, site, twin: late.twin }, turn);
            }
            Event::Tick => self.expire(now, turn),
        }
    }

    /// Lets sites go that are on disk as they are here, until three quarters of the memory are
    /// used.
    pub fn cool(&mut self, now: Tick) {
        let refilling = &self.refilling;
        let may = |site: &Site| {
            ![Scheme::Http, Scheme::Https]
                .into_iter()
                .any(|scheme| refilling.contains(&Origin { scheme, site: site.clone() }))
        };
        self.state.cool(now, self.settings.memory / 4 * 3, may);
    }

    /// Whether its sites take more memory than they should: a checkpoint lets them go.
    pub fn is_crowded(&self) -> bool {
        self.bytes() > self.settings.memory
    }

    /// Tickets that are out.
    pub fn in_flight(&self) -> usize {
        self.state.out.len()
    }

    /// Whether a disk read is under way.
    pub fn is_reading(&self) -> bool {
        !self.refilling.is_empty() || !self.waking.is_empty()
    }

    /// When a site is due next.
    pub fn earliest(&self) -> Option<Tick> {
        self.state.frontier.earliest()
    }

    /// When it is worth asking for tickets: as [`Partition::earliest`], but for sites that cannot
    /// come into memory now.
    pub fn wants_turn_at(&self) -> Option<Tick> {
        let frontier = &self.state.frontier;
        let due = if self.may_wake() { frontier.earliest() } else { frontier.earliest_warm() };
        let rested =
            self.rest_from.map_or(Tick::default(), |from| from + self.settings.manners.delay);
        due.map(|due| due.max(rested))
    }

    /// Bytes that its sites take in memory, about.
    pub fn bytes(&self) -> usize {
        self.state.bytes()
    }

    /// Gives its sites more memory, or less; those that are in it stay until they are let go.
    pub fn set_memory(&mut self, bytes: usize) {
        self.settings.memory = bytes;
        self.state.frontier_mut().set_purse(bytes / PURSE_PART);
    }

    fn woken(&mut self, now: Tick, dossier: Dossier, turn: &mut Turn) {
        let site = dossier.site.clone();
        let key = self.state.frontier.key(&site);
        self.waking.remove(&key);
        self.state.wake(dossier);
        self.rest(now, &site, Span::ZERO, turn);
        for call in self.calls.remove(&key).unwrap_or_default() {
            match call {
                Call::Robots(origin, answer) => self.hear_robots(now, origin, answer, turn),
                Call::Errand(entry) => {
                    let (entries, shelved, unsure) = (vec![entry], Vec::new(), Vec::new());
                    let fact = Fact::Admitted { parcel: None, entries, shelved, unsure };
                    self.speak(now, fact, turn);
                }
            }
        }
        self.refill(&site, turn);
        turn.effects.push(Effect::Resolve(site));
    }

    /// Asks for cold sites that are due, as many as may be in memory.
    fn wake_due(&mut self, now: Tick, turn: &mut Turn) {
        while self.may_wake() {
            let Some(key) = self.state.frontier.next_cold(now) else { break };
            self.wake(key, turn);
        }
    }

    /// Whether one more cold site may come into memory, with a head of entries.
    fn may_wake(&self) -> bool {
        let coming = self.waking.len() * WOKEN_BYTES;
        self.waking.is_empty() && !self.is_crowded()
            || self.waking.len() < WAKING_MAX && self.bytes() + coming < self.settings.memory
    }

    fn wake(&mut self, key: SiteKey, turn: &mut Turn) {
        if self.waking.insert(key) {
            turn.effects.push(Effect::Read(Read::Site(key)));
        }
    }

    /// Keeps something for a cold site until it is in memory.
    fn call(&mut self, site: &Site, call: Call, turn: &mut Turn) {
        let key = self.state.frontier.key(site);
        let calls = self.calls.entry(key).or_default();
        if calls.len() < CALLS_MAX {
            calls.push(call);
        }
        self.wake(key, turn);
    }

    fn open(&mut self, now: Tick, parcel: Parcel, turn: &mut Turn) {
        let known = self.state.received.get(&parcel.from).copied().unwrap_or(0);
        if parcel.number <= known {
            return;
        }
        let stamp = Some((parcel.from, parcel.number));
        if let Some((origin, answer)) = parcel.robots {
            if self.state.frontier.is_cold(&origin.site) {
                let site = origin.site.clone();
                self.call(&site, Call::Robots(origin, answer), turn);
            } else {
                self.hear_robots(now, origin, answer, turn);
            }
        }
        self.meet(now, stamp, parcel.gift, &parcel.candidates, turn);
    }

    /// Asks the seen-set about candidates, and admits the new ones.
    fn meet(
        &mut self,
        now: Tick,
        parcel: Option<(PartitionId, u64)>,
        gift: Gift,
        candidates: &[Candidate],
        turn: &mut Turn,
    ) {
        let mut new: Vec<Entry> = Vec::new();
        let mut unsure = Vec::new();
        let mut here = HashSet::new();
        for candidate in candidates {
            if matches!(candidate.errand, Errand::Robots { .. }) {
                let (entry, site) = (Entry::new(candidate.clone()), candidate.url.site());
                if self.state.frontier.is_cold(&site) {
                    self.call(&site, Call::Errand(entry), turn);
                } else {
                    new.push(entry);
                }
                continue;
            }
            let key = candidate.url.key(self.settings.hash);
            self.state.frontier.receive(&candidate.url, key, gift);
            match self.state.seen.meet(key) {
                Novelty::Known => {}
                // The same URL may come twice: by two spellings of one page, or by two seeds.
                _ if !here.insert(key) => {}
                Novelty::New => new.push(Entry::new(candidate.clone())),
                Novelty::Unsure(bucket) => unsure.push((bucket, candidate.clone())),
            }
        }
        let (entries, shelved) = self.place(new);
        self.greet(entries.iter().chain(&shelved), turn);
        self.speak(now, Fact::Admitted { parcel, entries, shelved, unsure }, turn);
    }

    /// Divides new entries into those for heads and those for shelves.
    fn place(&self, entries: Vec<Entry>) -> (Vec<Entry>, Vec<Entry>) {
        let mut planner = Planner::default();
        let frontier = &self.state.frontier;
        let (mut heads, mut shelved) = (Vec::new(), Vec::new());
        for mut entry in entries {
            match frontier.place(&mut entry, self.settings.memory, &mut planner) {
                Placement::Head => heads.push(entry),
                Placement::Shelf => shelved.push(entry),
            }
        }
        (heads, shelved)
    }

    /// Looks up the names of sites that are new.
    fn greet<'a>(&self, entries: impl Iterator<Item = &'a Entry>, turn: &mut Turn) {
        for entry in entries {
            let site = entry.url().site();
            if !self.state.frontier.knows(&site) {
                turn.effects.push(Effect::Resolve(site));
            }
        }
    }

    /// Asks for what a site has on the shelf if its heads run low.
    fn refill(&mut self, site: &Site, turn: &mut Turn) {
        for scheme in [Scheme::Http, Scheme::Https] {
            let origin = Origin { scheme, site: site.clone() };
            let wish = self.state.frontier.wants_refill(&origin, self.settings.memory);
            let Some(wish) = wish else { continue };
            if self.refilling.insert(origin.clone()) {
                turn.effects.push(Effect::Read(Read::Refill(origin, wish)));
            }
        }
    }

    /// Applies a fact and hands it out.
    fn speak(&mut self, now: Tick, fact: Fact, turn: &mut Turn) {
        let shelved = self.state.apply(now, &fact);
        turn.facts.push(fact);
        let effects = shelved.into_iter().map(|(place, entry)| Effect::Shelve(place, entry));
        turn.effects.extend(effects);
    }
}
