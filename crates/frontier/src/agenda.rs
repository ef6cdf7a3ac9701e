//! Which site is on turn: a heap of earliest times, and one of those that are due by what they
//! are worth.
//!
//! Derived from the sites and rebuilt from them: it is no part of what a crawl remembers.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use rhumb_web::{Site, Tick};

use crate::manner::Hold;
use crate::site::Waiting;

/// Bands of a site's queue. Band 0 goes before all others.
pub const BANDS: usize = 4;

/// Every so many picks the site is taken that is due for longest, whatever it is worth: Mercator's
/// biased choice, so that nobody waits for ever.
const OLDEST_EVERY: u32 = 8;

#[derive(Clone, Debug, Default)]
pub(crate) struct Agenda {
    waiting: BTreeSet<(Tick, Site)>,
    /// Where each site stands: its time under the heap, or none once it is due.
    places: HashMap<Site, Place>,
    /// How many stand under the heap, by what holds them.
    held: BTreeMap<Hold, u64>,
    /// The best first. What was taken since has left its shadow, and is passed over.
    due: BinaryHeap<Due>,
    /// The same sites by the number of their coming.
    by_age: BTreeMap<u64, Site>,
    comings: u64,
    picks: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Waits(Waiting),
    /// It is due, and came as this number.
    Due(u64),
}

#[derive(Clone, Debug)]
struct Due {
    worth: f64,
    /// Of equals the one that came first.
    came: Reverse<u64>,
    site: Site,
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        self.worth.total_cmp(&other.worth).then_with(|| self.came.cmp(&other.came))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Due {}

impl Agenda {
    /// Puts a site under its earliest time, or takes it off. One that is due already stays so:
    /// whoever picks it looks at its clock again. One that waits for ever is held, and never due.
    pub(crate) fn set(&mut self, site: &Site, waits: Option<Waiting>) {
        let may_be_due = waits.is_some_and(|waits| waits.until < Tick::NEVER);
        if may_be_due && matches!(self.places.get(site), Some(Place::Due(_))) {
            return;
        }
        match self.places.remove(site) {
            Some(Place::Waits(before)) => {
                self.waiting.remove(&(before.until, site.clone()));
                self.release(before.hold);
            }
            Some(Place::Due(came)) => drop(self.by_age.remove(&came)),
            None => {}
        }
        if let Some(waits) = waits {
            self.waiting.insert((waits.until, site.clone()));
            *self.held.entry(waits.hold).or_default() += 1;
            self.places.insert(site.clone(), Place::Waits(waits));
        }
    }

    /// Lets a site that is due go before all others.
    pub(crate) fn raise(&mut self, site: &Site) {
        if let Some(Place::Due(came)) = self.places.get(site) {
            let came = Reverse(*came);
            self.due.push(Due { worth: f64::INFINITY, came, site: site.clone() });
        }
    }

    /// Takes every site whose time has come among those that are due.
    pub(crate) fn advance(&mut self, now: Tick, worth_of: impl Fn(&Site) -> f64) {
        while self.waiting.first().is_some_and(|(until, _)| *until <= now) {
            let (_, site) = self.waiting.pop_first().expect("it was there a line before");
            self.comings += 1;
            let came = self.comings;
            let worth = worth_of(&site);
            self.due.push(Due { worth, came: Reverse(came), site: site.clone() });
            self.by_age.insert(came, site.clone());
            if let Some(Place::Waits(before)) = self.places.insert(site, Place::Due(came)) {
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

    /// What a site waits for, unless it is due.
    pub(crate) fn waits(&self, site: &Site) -> Option<Waiting> {
        match self.places.get(site)? {
            Place::Waits(waiting) => Some(*waiting),
            Place::Due(_) => None,
        }
    }

    /// Takes the site that is on turn: the best one, and now and then the one that is due for
    /// longest.
    pub(crate) fn pick(&mut self) -> Option<Site> {
        self.picks = self.picks.wrapping_add(1);
        if self.picks.is_multiple_of(OLDEST_EVERY) {
            let (_, site) = self.by_age.pop_first()?;
            self.places.remove(&site);
            return Some(site);
        }
        while let Some(Due { came: Reverse(came), site, .. }) = self.due.pop() {
            if self.by_age.remove(&came).is_some() {
                self.places.remove(&site);
                return Some(site);
            }
        }
        None
    }

    /// The earliest time at which a site is due.
    pub(crate) fn earliest(&self) -> Option<Tick> {
        if !self.by_age.is_empty() {
            return Some(Tick::default());
        }
        self.waiting.first().map(|(until, _)| *until).filter(|until| *until < Tick::NEVER)
    }
}
