//! Is it the web, or is it us? Many sites failing at once is our own line.

use std::collections::{HashMap, VecDeque};

use rhumb_web::Site;

/// How many of the latest fetches are looked at.
pub const OUTAGE_WINDOW: usize = 200;
/// On how many sites they must have been.
pub const OUTAGE_SITES_MIN: usize = 20;

/// Watches the latest fetches of a process.
#[derive(Debug, Default)]
pub struct Outage {
    latest: VecDeque<(Site, bool)>,
    sites: HashMap<Site, usize>,
    failed: usize,
}

impl Outage {
    /// Takes note of a fetch: whether it failed in DNS or connect.
    pub fn note(&mut self, site: &Site, failed: bool) {
        self.latest.push_back((site.clone(), failed));
        *self.sites.entry(site.clone()).or_default() += 1;
        self.failed += usize::from(failed);
        if self.latest.len() > OUTAGE_WINDOW {
            let (site, failed) = self.latest.pop_front().expect("the window is not empty");
            self.failed -= usize::from(failed);
            let count = self.sites.get_mut(&site).expect("a noted site is counted");
            *count -= 1;
            if *count == 0 {
                self.sites.remove(&site);
            }
        }
    }

    /// Whether our own connection is down: more than half of a full window on enough sites.
    pub fn is_on(&self) -> bool {
        self.latest.len() == OUTAGE_WINDOW
            && self.failed > OUTAGE_WINDOW / 2
            && self.sites.len() > OUTAGE_SITES_MIN
    }

    /// A probe was answered: forget what happened while we were down.
    pub fn end(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(sites: usize, failed: usize) -> Outage {
        let mut outage = Outage::default();
        for n in 0..OUTAGE_WINDOW {
            outage.note(&Site::from(format!("s{}.test", n % sites)), n < failed);
        }
        outage
    }

    #[test]
    fn it_needs_half_of_the_fetches_and_many_sites() {
        assert!(watched(30, 101).is_on());
        assert!(!watched(30, 100).is_on());
        assert!(!watched(20, 200).is_on());
    }

    #[test]
    fn the_window_forgets() {
        let mut outage = watched(30, 200);
        for _ in 0..100 {
            outage.note(&Site::from("good.test".to_owned()), false);
        }
        assert!(!outage.is_on());
    }
}
