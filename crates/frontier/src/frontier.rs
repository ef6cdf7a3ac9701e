//! All sites of one partition. Every change is one of the verbs below, with all values given:
//! the same verbs in the same order give the same frontier, live and in replay.

use std::collections::HashMap;

use rhumb_web::{Origin, Site, Tick};

use crate::agenda::{Agenda, BANDS};
use crate::entry::Entry;
use crate::manner::{Hold, Manner};
use crate::site::SiteState;

/// Where an admitted entry went.
#[derive(Debug, PartialEq, Eq)]
pub enum Placement {
    /// Into the head of its site's queue.
    Head,
    /// The head is full: the caller shelves it.
    Shelf(Entry),
}

/// The queues and clocks of a partition's sites.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    sites: HashMap<Site, SiteState>,
    queued: u64,
    agenda: Agenda,
}

impl PartialEq for Frontier {
    /// The agenda is derived from the sites, so it does not count.
    fn eq(&self, other: &Self) -> bool {
        self.sites == other.sites
    }
}

impl Frontier {
    /// Queues an entry at its site.
    pub fn admit(&mut self, entry: Entry) -> Placement {
        let site = entry.url().site();
        let state = self.sites.entry(site.clone()).or_default();
        if entry.is_robots() && !state.takes_errand(&entry) {
            return Placement::Head;
        }
        self.queued += 1;
        let lane = state.lane_mut(entry.url().scheme());
        let placement = if entry.is_robots() {
            state.errands.push_back(entry);
            Placement::Head
        } else if lane.is_full_for(&entry) {
            lane.shelved += 1;
            Placement::Shelf(entry)
        } else {
            lane.queue.push(entry);
            Placement::Head
        };
        self.schedule(&site);
        placement
    }

    /// Begins a fetch: the entry leaves its queue, if it stood in one, and its site is busy
    /// until [`Frontier::settle`].
    pub fn issue(&mut self, entry: &Entry) {
        let site = entry.url().site();
        let state = self.sites.entry(site.clone()).or_default();
        self.queued -= u64::from(state.take(entry));
        state.in_flight = true;
        self.schedule(&site);
    }

    /// Ends a fetch of a site; `again` puts an entry back, to be fetched not before its time.
    pub fn settle(&mut self, site: &Site, manner: Manner, again: Option<(Tick, Entry)>) {
        let state = self.sites.entry(site.clone()).or_default();
        state.in_flight = false;
        state.visits += 1;
        state.manner = manner;
        self.queued += u64::from(again.is_some());
        if let Some((at, entry)) = again {
            let lane = state.lane_mut(entry.url().scheme());
            if entry.is_robots() {
                state.errands.push_front(entry);
            } else if at == Tick::default() {
                lane.queue.push_front(entry);
            } else {
                lane.later.insert((at, entry.url().clone()), entry);
            }
        }
        self.schedule(site);
    }

    /// Removes an entry that will not be fetched.
    pub fn refuse(&mut self, entry: &Entry) {
        let site = entry.url().site();
        if let Some(state) = self.sites.get_mut(&site) {
            self.queued -= u64::from(state.take(entry));
            self.schedule(&site);
        }
    }

    /// Gives a site a new clock without a fetch.
    pub fn hold(&mut self, site: &Site, manner: Manner) {
        self.sites.entry(site.clone()).or_default().manner = manner;
        self.schedule(site);
    }

    /// Asks no page of an origin before this time.
    pub fn hold_pages(&mut self, origin: &Origin, until: Tick) {
        let state = self.sites.entry(origin.site.clone()).or_default();
        state.lane_mut(origin.scheme).pages_at = until;
        self.schedule(&origin.site);
    }

    /// Brings shelved entries back into the head.
    pub fn refill(&mut self, origin: &Origin, entries: Vec<Entry>) {
        let state = self.sites.entry(origin.site.clone()).or_default();
        let lane = state.lane_mut(origin.scheme);
        let count = u64::try_from(entries.len()).expect("a length fits 64 bits");
        lane.shelved = lane.shelved.saturating_sub(count);
        for entry in entries {
            lane.queue.push(entry);
        }
        self.schedule(&origin.site);
    }

    /// Whether an origin is short of entries while some are shelved.
    pub fn wants_refill(&self, origin: &Origin) -> bool {
        let state = self.sites.get(&origin.site);
        state.is_some_and(|state| state.lane(origin.scheme).wants_refill())
    }

    /// The site that is on turn now. It comes again only after a verb that touches it.
    pub fn next(&mut self, now: Tick) -> Option<Site> {
        let sites = &self.sites;
        let band_of = |site: &Site| sites.get(site).and_then(SiteState::band).unwrap_or(BANDS - 1);
        self.agenda.advance(now, band_of);
        while let Some(site) = self.agenda.pick() {
            let waits = self.sites.get(&site).and_then(SiteState::waits);
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

    /// When the next site is due; a time in the past means now.
    pub fn earliest(&self) -> Option<Tick> {
        self.agenda.earliest()
    }

    /// What is known of a site.
    pub fn site(&self, site: &Site) -> Option<&SiteState> {
        self.sites.get(site)
    }

    /// How many sites were met.
    pub fn site_count(&self) -> u64 {
        u64::try_from(self.sites.len()).expect("a length fits 64 bits")
    }

    /// How many entries wait, shelved ones too.
    pub fn queued(&self) -> u64 {
        self.queued
    }

    /// How many sites with work are held back, by what.
    pub fn held(&self) -> impl Iterator<Item = (Hold, u64)> {
        self.agenda.held()
    }

    /// All sites, in no promised order.
    pub fn sites(&self) -> impl Iterator<Item = (&Site, &SiteState)> {
        self.sites.iter()
    }

    fn schedule(&mut self, site: &Site) {
        let waits = self.sites.get(site).and_then(SiteState::waits);
        self.agenda.set(site, waits);
    }
}
