//! Which site is on turn: a heap of earliest times, and bands of those that are due.
//!
//! Derived from the sites and rebuilt from them: it is no part of what a crawl remembers.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use rhumb_web::{Site, Tick};

use crate::manner::Hold;
use crate::site::Waiting;

/// Front bands. Band 0 has the nearest to the seeds.
pub const BANDS: usize = 4;

#[derive(Clone, Debug, Default)]
pub(crate) struct Agenda {
    waiting: BTreeSet<(Tick, Site)>,
    /// Where each site stands: its time under the heap, or none once it is in a band.
    places: HashMap<Site, Option<Waiting>>,
    /// How many stand under the heap, by what holds them.
    held: BTreeMap<Hold, u64>,
    due: [VecDeque<Site>; BANDS],
    picks: u32,
}

impl Agenda {
    /// Puts a site under its earliest time, or takes it off. One that already stands in a band
    /// stays there: whoever picks it looks at its clock again. One that waits for ever is held,
    /// and never due.
    pub(crate) fn set(&mut self, site: &Site, waits: Option<Waiting>) {
        let may_be_due = waits.is_some_and(|waits| waits.until < Tick::NEVER);
        if may_be_due && self.places.get(site) == Some(&None) {
            return;
        }
        if let Some(Some(before)) = self.places.remove(site) {
            self.waiting.remove(&(before.until, site.clone()));
            self.release(before.hold);
        }
        if let Some(waits) = waits {
            self.waiting.insert((waits.until, site.clone()));
            *self.held.entry(waits.hold).or_default() += 1;
            self.places.insert(site.clone(), Some(waits));
        }
    }

    /// Moves every site whose time has come into its band.
    pub(crate) fn advance(&mut self, now: Tick, band_of: impl Fn(&Site) -> usize) {
        while self.waiting.first().is_some_and(|(until, _)| *until <= now) {
            let (_, site) = self.waiting.pop_first().expect("it was there a line before");
            self.due[band_of(&site)].push_back(site.clone());
            if let Some(Some(before)) = self.places.insert(site, None) {
                self.release(before.hold);
            }
        }
    }

    fn release(&mut self, hold: Hold) {
        let count = self.held.get_mut(&hold).expect("what is released was held");
        *count -= 1;
    }

    pub(crate) fn held(&self) -> impl Iterator<Item = (Hold, u64)> {
        self.held.iter().map(|(hold, count)| (*hold, *count)).filter(|(_, count)| *count > 0)
    }

    /// Takes the site that is on turn: each band has twice the share of the next one.
    pub(crate) fn pick(&mut self) -> Option<Site> {
        loop {
            self.picks = self.picks.wrapping_add(1);
            let biased = (self.picks.trailing_zeros() as usize).min(BANDS - 1);
            let band = if self.due[biased].is_empty() {
                self.due.iter().position(|band| !band.is_empty())?
            } else {
                biased
            };
            let site = self.due[band].pop_front()?;
            // One that was taken off since leaves its shadow in the band: it is passed over.
            if self.places.get(&site) == Some(&None) {
                self.places.remove(&site);
                return Some(site);
            }
        }
    }

    /// The earliest time at which a site is due.
    pub(crate) fn earliest(&self) -> Option<Tick> {
        // What was taken off since may have left its shadow.
        if self.due.iter().flatten().any(|site| self.places.get(site) == Some(&None)) {
            return Some(Tick::default());
        }
        self.waiting.first().map(|(until, _)| *until).filter(|until| *until < Tick::NEVER)
    }
}
