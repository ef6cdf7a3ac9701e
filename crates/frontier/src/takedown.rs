//! What is taken out of a site that was written down, so that no trace of it is left there.

use rhumb_web::Scheme;

use crate::entry::Entry;
use crate::queue::Queue;
use crate::shelf::Choice;
use crate::site::SiteState;

impl SiteState {
    /// Removes the entries in memory that are not to be kept, and says how many went.
    pub fn retain(&mut self, keep: impl Fn(&Entry) -> bool) -> u64 {
        let before = self.in_memory();
        self.errands.retain(&keep);
        for scheme in [Scheme::Http, Scheme::Https] {
            let lane = self.lane_mut(scheme);
            lane.later.retain(|_, entry| keep(entry));
            let mut queue = Queue::default();
            for entry in lane.queue.iter().filter(|entry| keep(entry)) {
                queue.push(entry.clone());
            }
            lane.queue = queue;
        }
        u64::try_from(before - self.in_memory()).expect("a length fits 64 bits")
    }

    /// The shelf of a lane was written anew, from the same beginning and without what had come
    /// back, and ends here now.
    pub fn reshelve(&mut self, scheme: Scheme, put: u64) {
        let lane = self.lane_mut(scheme);
        lane.put = put.max(lane.taken);
        lane.choice = Choice::default();
    }

    /// So many tickets of it are out no more, and nobody will speak of them again.
    pub fn release(&mut self, tickets: u8) {
        self.in_flight = self.in_flight.saturating_sub(tickets);
    }
}

#[cfg(test)]
mod tests {
    use rhumb_web::{Candidate, CanonUrl, Errand, Tick};

    use super::*;

    fn entry(url: &str) -> Entry {
        Entry::new(Candidate::new(CanonUrl::parse(url).unwrap(), Errand::Page, 1, 0))
    }

    #[test]
    fn entries_go_from_wherever_they_stand_and_the_others_keep_their_order() {
        let mut site = SiteState::default();
        for path in ["a", "x1", "b", "x2", "c"] {
            let url = format!("http://e.example/{path}");
            site.lane_mut(Scheme::Http).queue.push(entry(&url));
        }
        site.put_back(Tick(7), entry("https://e.example/x3"));
        site.put_back(Tick(8), entry("https://e.example/d"));
        let origin = CanonUrl::parse("http://x.example/").unwrap().origin();
        let errand = Errand::Robots { origin, hops: 1 };
        let robots = CanonUrl::parse("http://e.example/robots.txt").unwrap();
        site.put_back(Tick(0), Entry::new(Candidate::new(robots, errand, 0, 0)));
        let left_before = site.entries().count();
        let keep = |entry: &Entry| !entry.url().path().starts_with("/x") && !entry.is_robots();
        assert_eq!(site.retain(keep), 4);
        assert_eq!(site.entries().count(), left_before - 4);
        let paths = site.lane(Scheme::Http).queue.iter().map(|entry| entry.url().path().to_owned());
        assert_eq!(paths.collect::<Vec<_>>(), ["/a", "/b", "/c"]);
        assert_eq!(site.queued(), 4);
    }

    #[test]
    fn a_shelf_that_was_written_anew_counts_what_lies_there() {
        let mut site = SiteState::default();
        let lane = site.lane_mut(Scheme::Https);
        (lane.put, lane.taken) = (10, 4);
        site.reshelve(Scheme::Https, 9);
        assert_eq!(site.queued(), 5);
        site.reshelve(Scheme::Https, 0);
        assert_eq!(site.queued(), 0);
    }
}
