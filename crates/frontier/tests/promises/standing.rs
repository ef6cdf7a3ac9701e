//! What is said of a waiting URL comes true.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;
use rhumb_frontier::{
    Entry, Frontier, Hold, Manner, SiteRule, SiteRules, SiteState, Standing, Standings,
};
use rhumb_web::{Candidate, CanonUrl, Errand, Origin, Scheme, Site, Tick};

use super::{admit, entry, new};

/// Serves a site at one moment until it has nothing left, in order.
fn served(frontier: &mut Frontier, site: &Site, now: Tick) -> Vec<Entry> {
    let mut served = Vec::new();
    while let Some(next) = frontier.site(site).and_then(|state| state.peek(now)).cloned() {
        frontier.issue(&next);
        frontier.settle(site, Manner::default(), None);
        served.push(next);
    }
    served
}

fn state(frontier: &Frontier) -> &SiteState {
    frontier.sites().next().expect("there is one").1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn an_entry_is_served_at_the_position_that_was_told(
        pages in prop::collection::vec((0..60_usize, 0..5_u16, 0..9_u8), 1..60),
        clock in 0..5_u64,
    ) {
        let mut frontier = new();
        let mut met = HashSet::new();
        let site = entry(1, 1, 0).url().site();
        for (page, depth, kind) in pages {
            if !met.insert(page) {
                continue;
            }
            let page = entry(1, page, depth);
            match kind {
                // A retry, due by then or not.
                0..3 => {
                    admit(&mut frontier, page.clone());
                    frontier.issue(&page);
                    let at = Tick(u64::from(kind) * 2 + 1);
                    frontier.settle(&site, Manner::default(), Some((at, page)));
                }
                3 => {
                    let origin = Origin { scheme: page.url().scheme(), site: site.clone() };
                    let errand = Errand::Robots { origin, hops: 0 };
                    let url = CanonUrl::parse(&format!("{}/robots.txt", page.url().as_str()));
                    let candidate = Candidate::new(url.expect("it is a URL"), errand, 0, 0);
                    frontier.admit(Entry::new(candidate));
                }
                _ => {
                    admit(&mut frontier, page);
                }
            }
        }
        frontier.hold(&site, Manner::default().not_before(Tick(clock)));
        let before = state(&frontier).clone();
        let order = served(&mut frontier, &site, Tick(clock));
        for (position, entry) in (0..).zip(&order) {
            let told = before.find(entry.url()).expect("it waits");
            prop_assert_eq!((told.position, &told.entry), (position, entry));
            prop_assert!(told.not_before.is_none_or(|at| at <= Tick(clock)));
        }
        // What is left are retries whose time is to come.
        for entry in state(&frontier).entries() {
            let told = before.find(entry.url()).expect("it waits");
            prop_assert!(told.not_before.is_some_and(|at| at > Tick(clock)));
        }
    }
}

#[test]
fn a_retry_says_its_time_and_a_url_that_is_out_or_unknown_is_nowhere() {
    let mut frontier = new();
    let (first, second) = (entry(1, 1, 1), entry(1, 2, 1));
    let site = first.url().site();
    admit(&mut frontier, first.clone());
    admit(&mut frontier, second.clone());
    frontier.issue(&first);
    assert_eq!(state(&frontier).find(first.url()), None);
    assert_eq!(state(&frontier).find(entry(1, 9, 1).url()), None);
    assert_eq!(state(&frontier).in_flight(), 1);
    frontier.settle(&site, Manner::default(), Some((Tick(800), first.clone())));
    let told = state(&frontier).find(first.url());
    let expect = Standing { position: 0, not_before: Some(Tick(800)), entry: first };
    assert_eq!(told, Some(expect));
    let told = state(&frontier).find(second.url());
    assert_eq!(told, Some(Standing { position: 0, not_before: None, entry: second }));
}

#[test]
fn a_lane_waits_for_the_later_of_its_two_clocks() {
    let mut frontier = new();
    let page = entry(1, 1, 1);
    admit(&mut frontier, page.clone());
    let mut manner = Manner::default();
    manner.hold = Hold::Backoff;
    frontier.hold(&page.url().site(), manner.not_before(Tick(50)));
    frontier.hold_pages(&page.url().origin(), Tick(40));
    let check = |frontier: &Frontier, scheme, until, hold| {
        let waits = state(frontier).waits_for(scheme);
        assert_eq!((waits.until, waits.hold), (Tick(until), hold));
    };
    check(&frontier, Scheme::Http, 50, Hold::Backoff);
    frontier.hold_pages(&page.url().origin(), Tick(60));
    check(&frontier, Scheme::Http, 60, Hold::Robots);
    check(&frontier, Scheme::Https, 50, Hold::Backoff);
    // Also while it is out.
    frontier.issue(&page);
    check(&frontier, Scheme::Http, 60, Hold::Robots);
}

#[test]
fn what_lies_on_a_shelf_goes_behind_the_head_of_its_lane() {
    let mut frontier = new();
    // Odd numbers only: all of one origin.
    (0..300).for_each(|page| {
        admit(&mut frontier, entry(1, page * 4 + 1, 1));
    });
    let state = state(&frontier);
    let shelf = state.shelves()[0];
    assert_eq!(state.head_len(Scheme::Http) + shelf.put - shelf.taken, 300);
    assert_eq!(state.head_len(Scheme::Https), 0);
    assert_eq!(state.find(entry(1, 299 * 4 + 1, 1).url()), None);
}

#[test]
fn every_site_is_counted_once_by_what_it_does() {
    let mut frontier = new();
    (0..10).for_each(|site| {
        admit(&mut frontier, entry(site, 1, 1));
    });
    let rule = SiteRule { block: true, ..SiteRule::default() };
    frontier.set_rules(Arc::new(SiteRules::new(1, [("s0.test".to_owned(), rule)])));
    let done = entry(1, 1, 1);
    frontier.issue(&done);
    frontier.settle(&done.url().site(), Manner::default(), None);
    frontier.take_changed();
    let may_leave = |site: &Site| !["s0.test", "s1.test", "s2.test"].contains(&site.as_str());
    assert_eq!(frontier.cool(9 * 1_216, |site, _| may_leave(site)).len(), 1);
    frontier.issue(&entry(2, 1, 1));
    let expect = Standings { fetching: 1, waiting: 7, idle: 1, asleep: 1 };
    assert_eq!(frontier.standings(), expect);
}
