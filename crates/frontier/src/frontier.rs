//! All sites of one partition. Every change is one of the verbs below, with all values given:
//! the same verbs in the same order give the same frontier, live and in replay.
//!
//! A site with work that is due soon is warm: its queues and clock are in memory. A cold one has
//! left them on disk, and is no more than a [`Stub`] here. Which sites are warm is a matter of
//! memory, not of what the crawl knows: it is no fact.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rhumb_web::{HashKey, Origin, PartitionId, Scheme, Site, Tick};

use crate::agenda::Agenda;
use crate::cold::{Cold, Stub};
use crate::entry::Entry;
use crate::key::{LaneKey, SiteKey};
use crate::manner::{Hold, Manner};
use crate::placement::Place;
use crate::rules::SiteRules;
use crate::site::{SiteState, Waiting};
use crate::worth::{DomainKey, PageWorth, Worth};

/// What a warm site takes in memory, about: its state, its places on the agenda, its rules.
pub(crate) const SITE_BYTES: usize = 1_024;
/// What an entry in memory takes, about.
pub(crate) const ENTRY_BYTES: usize = 192;

/// The queues and clocks of a partition's sites.
#[derive(Clone, Debug)]
pub struct Frontier {
    pub(crate) hash: HashKey,
    partition: PartitionId,
    pub(crate) warm: HashMap<Site, SiteState>,
    pub(crate) cold: Cold,
    queued: u64,
    /// Entries in memory.
    heads: usize,
    pub(crate) agenda: Agenda,
    /// Warm sites that differ from their row on disk.
    changed: HashSet<Site>,
    /// Given by the user: no fact.
    rules: Arc<SiteRules>,
    pub(crate) worth: Worth,
}

impl PartialEq for Frontier {
    /// The agenda is derived from the sites, so it does not count.
    fn eq(&self, other: &Self) -> bool {
        self.warm == other.warm
            && self.cold.stubs == other.cold.stubs
            && self.queued == other.queued
    }
}

impl Frontier {
    /// A frontier without sites.
    pub fn new(hash: HashKey, partition: PartitionId) -> Self {
        Self {
            hash,
            partition,
            warm: HashMap::new(),
            cold: Cold::default(),
            queued: 0,
            heads: 0,
            agenda: Agenda::default(),
            changed: HashSet::new(),
            rules: Arc::default(),
            worth: Worth::default(),
        }
    }

    /// The key of a site.
    pub fn key(&self, site: &Site) -> SiteKey {
        SiteKey::of(self.hash, self.partition, site)
    }

    /// The key of the domain of a site.
    pub fn domain(&self, site: &Site) -> DomainKey {
        DomainKey::of(self.hash, site)
    }

    fn pend(&mut self, site: &Site, more: i32) {
        if more != 0 {
            let domain = self.domain(site);
            self.worth.pend(domain, more);
        }
    }

    /// Works out what is asked of an entry often, unless that was done.
    pub(crate) fn prepare(&self, entry: &mut Entry) {
        if entry.key().is_none() {
            entry.prepare(self.hash, &self.worth);
        }
    }

    /// Queues an entry in its site's head.
    pub fn admit(&mut self, mut entry: Entry) {
        self.prepare(&mut entry);
        let site = entry.url().site();
        self.pend(&site, i32::from(!entry.is_robots()));
        let mut is_taken = true;
        self.touch(&site, |state| {
            if !entry.is_robots() {
                state.lane_mut(entry.url().scheme()).enter(entry);
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
        self.pend(&site, 1);
        let ordinal = if self.warm.contains_key(&site) {
            let (patterns, hash) = self.worth.sought();
            let seeks = !patterns.is_empty();
            let is_sought = seeks && self.worth.is_first(entry.url());
            let mut ordinal = 0;
            self.touch(&site, |state| {
                let lane = state.lane_mut(scheme);
                ordinal = lane.put;
                lane.put += 1;
                if seeks {
                    lane.note_shelved(hash, ordinal, is_sought);
                }
            });
            ordinal
        } else {
            if self.rules.blocks(&site) {
                self.cold.bar(key, &site, Hold::Block);
            }
            self.cold.shelve(key, scheme)
        };
        Place { lane: key.lane(scheme), ordinal }
    }

    /// Begins a fetch: the entry leaves its queue, if it stood in one, and its site has one more
    /// under way until [`Frontier::settle`].
    pub fn issue(&mut self, entry: &Entry) {
        let (site, mut was_queued) = (entry.url().site(), false);
        self.touch(&site, |state| {
            was_queued = state.take(entry);
            state.in_flight = state.in_flight.saturating_add(1);
        });
        self.pend(&site, -i32::from(was_queued && !entry.is_robots()));
        self.queued -= u64::from(was_queued);
    }

    /// Ends a fetch of a site; `again` puts an entry back, to be fetched not before its time.
    pub fn settle(&mut self, site: &Site, manner: Manner, mut again: Option<(Tick, Entry)>) {
        self.queued += u64::from(again.is_some());
        if let Some((_, entry)) = &mut again {
            self.prepare(entry);
            self.pend(site, i32::from(!entry.is_robots()));
        }
        self.touch(site, |state| {
            state.in_flight = state.in_flight.saturating_sub(1);
            state.visits += 1;
            state.manner = manner;
            if let Some((at, entry)) = again {
                state.put_back(at, entry);
            }
        });
    }

    /// Takes back a fetch whose end is not known: the entry goes first again, if it is given.
    pub fn recall(&mut self, site: &Site, mut again: Option<Entry>) {
        self.queued += u64::from(again.is_some());
        if let Some(entry) = &mut again {
            self.prepare(entry);
            self.pend(site, i32::from(!entry.is_robots()));
        }
        self.touch(site, |state| {
            state.in_flight = state.in_flight.saturating_sub(1);
            if let Some(entry) = again {
                state.put_back(Tick::default(), entry);
            }
        });
    }

    /// Removes an entry that will not be fetched.
    pub fn refuse(&mut self, entry: &Entry) {
        let (site, mut was_queued) = (entry.url().site(), false);
        self.touch(&site, |state| was_queued = state.take(entry));
        self.pend(&site, -i32::from(was_queued && !entry.is_robots()));
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

    /// Brings the next entries of a shelf back into the head: how crawls of before tell it.
    pub fn refill(&mut self, origin: &Origin, entries: Vec<Entry>) {
        let lane = self.warm.get(&origin.site).map(|state| state.lane(origin.scheme));
        let from = lane.map_or(0, |lane| lane.taken);
        self.pick(origin, (from..).zip(entries).collect());
    }

    /// Brings shelved entries back into the head, by their ordinals.
    pub fn pick(&mut self, origin: &Origin, mut picks: Vec<(u64, Entry)>) {
        for (_, entry) in &mut picks {
            self.prepare(entry);
        }
        let mut doubled = 0;
        self.touch(&origin.site, |state| {
            for (ordinal, entry) in picks {
                state.lane_mut(origin.scheme).pluck(ordinal);
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

    /// The site that is on turn now. It comes again only after a verb that touches it.
    pub fn next(&mut self, now: Tick) -> Option<Site> {
        let mut agenda = std::mem::take(&mut self.agenda);
        agenda.advance(now, |site| self.site_worth(site));
        self.agenda = agenda;
        while let Some(site) = self.agenda.pick() {
            if self.waits(&site).is_some_and(|waiting| waiting.until <= now) {
                return Some(site);
            }
            self.schedule(&site);
        }
        None
    }

    /// The entry of a warm site that goes next at this time, whatever the site's clock says.
    pub fn peek(&self, site: &Site, now: Tick) -> Option<&Entry> {
        self.warm.get(site)?.peek_by(now, &|entry| self.page_worth(entry))
    }

    pub(crate) fn page_worth(&self, entry: &Entry) -> PageWorth {
        self.worth.page(entry)
    }

    /// What a site is worth among those that are due.
    fn site_worth(&self, site: &Site) -> f64 {
        let Some(state) = self.warm.get(site) else { return f64::NEG_INFINITY };
        if state.is_urgent() {
            return f64::INFINITY;
        }
        // The robots.txt of another site need not come first: while it waits the site's own may
        // become known, which says how long to wait between the two.
        if state.has_errands() {
            return f64::NEG_INFINITY;
        }
        let needs_best = self.worth.policy().order.needs_best();
        let best = || state.best(&|entry| self.page_worth(entry));
        let best = if needs_best { best().map_or(f64::NEG_INFINITY, |it| it.value) } else { 0.0 };
        self.worth.domain(self.domain(site), best)
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
        [self.agenda.earliest(), self.cold.earliest()].into_iter().flatten().min()
    }

    /// When a warm site may be visited next, and what holds it till then, as the rules have it;
    /// for ever, if they bar it. None: there is nothing in memory, or enough is under way.
    pub fn waits(&self, site: &Site) -> Option<Waiting> {
        let state = self.warm.get(site)?;
        let waits = self.rules.waits(site, state)?;
        if waits.until < Tick::NEVER && self.is_spent(site, state) {
            let is_held = state.in_flight() == 0;
            return is_held.then_some(Waiting { until: Tick::NEVER, hold: Hold::Share });
        }
        Some(waits)
    }

    /// Whether the domain of a site has had its share for now, and nothing of it is urgent.
    fn is_spent(&self, site: &Site, state: &SiteState) -> bool {
        !state.is_urgent() && !state.has_errands() && self.worth.is_spent(self.domain(site))
    }

    /// What keeps a site from being visited until rules or shares change.
    fn bars(&self, site: &Site, state: &SiteState) -> Option<Hold> {
        let by_rule = self.rules.bars(site, state);
        by_rule.or_else(|| self.is_spent(site, state).then_some(Hold::Share))
    }

    /// What the user wants of single sites.
    pub fn rules(&self) -> &SiteRules {
        &self.rules
    }

    /// The same, for whoever looks at sites elsewhere.
    pub fn shared_rules(&self) -> Arc<SiteRules> {
        Arc::clone(&self.rules)
    }

    /// Sets what the user wants of single sites; at the opening of a crawl, after the stubs are
    /// there. Sites whose rule is new are looked at again. A cold one whose budget is spent is
    /// read once before it is left alone, since only its row says so.
    pub fn set_rules(&mut self, rules: Arc<SiteRules>) {
        let old = std::mem::replace(&mut self.rules, rules);
        let new = Arc::clone(&self.rules);
        let is_new = |site: &Site| {
            old.of(site) != new.of(site) || old.connections(site) != new.connections(site)
        };
        let warm: Vec<Site> = self.warm.keys().filter(|site| is_new(site)).cloned().collect();
        for site in warm {
            self.schedule(&site);
        }
        self.cold.lift(Hold::Block, |site| is_new(site) && !new.blocks(site));
        self.cold.lift(Hold::Budget, |site| is_new(site) && !new.blocks(site));
        for site in new.names().map(|name| Site::from(name.to_owned())) {
            let key = self.key(&site);
            if new.blocks(&site) && self.cold.stubs.contains_key(&key) {
                self.cold.bar(key, &site, Hold::Block);
            }
        }
    }

    /// What is known of a warm site.
    pub fn site(&self, site: &Site) -> Option<&SiteState> {
        self.warm.get(site)
    }

    /// Whether anything was ever heard of a site.
    pub fn knows(&self, site: &Site) -> bool {
        self.warm.contains_key(site) || self.cold.stubs.contains_key(&self.key(site))
    }

    /// Whether the state of a site is on disk, and must be woken before a verb touches it.
    pub fn is_cold(&self, site: &Site) -> bool {
        !self.warm.contains_key(site) && self.cold.stubs.contains_key(&self.key(site))
    }

    /// How many sites were met.
    pub fn site_count(&self) -> u64 {
        u64::try_from(self.warm.len() + self.cold.stubs.len()).expect("a length fits 64 bits")
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

    /// How many warm sites with work are held back, by what; those that a rule bars count, and
    /// those whose domain has had its share count as held by a budget.
    pub fn held(&self) -> impl Iterator<Item = (Hold, u64)> {
        let mut held: BTreeMap<Hold, u64> = BTreeMap::new();
        for (hold, count) in self.agenda.held() {
            let hold = if hold == Hold::Share { Hold::Budget } else { hold };
            *held.entry(hold).or_default() += count;
        }
        held.into_iter()
    }

    /// The warm sites, in no promised order.
    pub fn sites(&self) -> impl Iterator<Item = (&Site, &SiteState)> {
        self.warm.iter()
    }

    /// The cold sites, in no promised order.
    pub fn stubs(&self) -> impl Iterator<Item = (SiteKey, Stub)> {
        self.cold.stubs.iter().map(|(key, stub)| (*key, *stub))
    }

    /// What is in memory of a cold site.
    pub fn stub(&self, key: SiteKey) -> Option<Stub> {
        self.cold.stubs.get(&key).copied()
    }

    /// Warm sites that changed since the last time it was asked.
    pub fn take_changed(&mut self) -> Vec<Site> {
        let mut changed: Vec<Site> = self.changed.drain().collect();
        changed.sort_unstable();
        changed
    }

    /// Notes a site that lies on disk.
    pub fn sleep(&mut self, key: SiteKey, stub: Stub) {
        self.cold.sleep(key, stub);
    }

    /// Notes how far the shelf of a site reaches: for the opening of a crawl. Where that is
    /// further than its row says, or there is no row, entries wait for it.
    pub fn note_shelf(&mut self, lane: LaneKey, end: u64) {
        self.cold.note_shelf(lane, end);
    }

    /// How many entries wait in all: for the opening of a crawl.
    pub fn set_queued(&mut self, queued: u64) {
        self.queued = queued;
    }

    /// The next cold site that is due, if one is; it does not come again by itself.
    pub fn next_cold(&mut self, now: Tick) -> Option<SiteKey> {
        self.cold.next(now)
    }

    /// A cold site is in memory again, as its row has it.
    pub fn wake(&mut self, site: &Site, mut state: SiteState) {
        let Some(stub) = self.cold.wake(self.key(site)) else { return };
        for (scheme, put) in [Scheme::Http, Scheme::Https].into_iter().zip(stub.put) {
            let lane = state.lane_mut(scheme);
            lane.put = lane.put.max(put);
        }
        state.prepare(|entry| self.prepare(entry));
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
            state.in_flight == 0 && !self.changed.contains(site) && may(site, state)
        };
        let free = self.warm.iter().filter(|(site, state)| is_free(site, state));
        // One that is barred comes back by another rule, not by its time.
        let is_barred = |site: &Site, state: &SiteState| self.bars(site, state).is_some();
        let due = |site: &Site, state: &SiteState| {
            if is_barred(site, state) { Tick::NEVER } else { state.due() }
        };
        let mut free: Vec<(Tick, Site)> =
            free.map(|(site, state)| (due(site, state), site.clone())).collect();
        free.sort_unstable_by(|a, b| b.cmp(a));
        let mut cooled = Vec::new();
        for (due, site) in free {
            if self.bytes() <= bytes {
                break;
            }
            let state = self.warm.remove(&site).expect("it was just listed");
            self.heads -= state.in_memory();
            self.agenda.set(&site, None);
            let key = self.key(&site);
            self.sleep(key, Stub { due, put: state.shelves().map(|it| it.put) });
            if let Some(hold) = self.bars(&site, &state) {
                self.cold.bar(key, &site, hold);
            }
            cooled.push(site);
        }
        cooled
    }

    /// Changes a warm or new site, and keeps the books about it.
    fn touch(&mut self, site: &Site, change: impl FnOnce(&mut SiteState)) {
        debug_assert!(!self.is_cold(site), "{site} is on disk: it must be woken first");
        let state = self.warm.entry(site.clone()).or_default();
        let (before, was_urgent) = (state.in_memory(), state.is_urgent());
        change(state);
        self.heads = self.heads + state.in_memory() - before;
        self.changed.insert(site.clone());
        if state.is_urgent() && !was_urgent {
            self.agenda.raise(site);
        }
        self.schedule(site);
    }

    pub(crate) fn schedule(&mut self, site: &Site) {
        let waits = self.waits(site);
        self.agenda.set(site, waits);
    }
}
