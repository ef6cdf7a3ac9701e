//! What comes back from a shelf: everything, once, the best of it soon, and what the user wants
//! first at once.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;
use regex::RegexSet;
use rhumb_frontier::{Entry, Frontier, Gift, HEAD_MAX, Manner, Policy, Stock};
use rhumb_order::{budget, order};
use rhumb_web::{HashKey, Origin, Scheme, Site, Tick};

use super::{admit, entry, new};

const HASH: HashKey = HashKey(1, 2);

/// One site, its shelf, and what was served of it.
struct Bench {
    frontier: Frontier,
    shelf: Vec<Entry>,
    served: Vec<usize>,
    /// How often the shelf was searched for what the user wants first.
    searches: usize,
}

impl Bench {
    fn new(order_name: &str, first: &[&str]) -> Self {
        let mut frontier = new();
        frontier.set_policy(policy(order_name, first));
        Self { frontier, shelf: Vec::new(), served: Vec::new(), searches: 0 }
    }

    fn admit(&mut self, page: usize, cash: f32) {
        let next = page_of(page);
        let url = next.url().clone();
        self.frontier.receive(&url, url.key(HASH), Gift { cash, ..Gift::default() });
        if admit(&mut self.frontier, next.clone()) == rhumb_frontier::Placement::Shelf {
            self.shelf.push(next);
        }
    }

    fn refill(&mut self) {
        let origin = page_of(0).url().origin();
        let mut times = 0;
        while let Some(wish) = self.frontier.wants_refill(&origin, usize::MAX) {
            times += 1;
            assert!(times < 100, "it asks for ever");
            let from = usize::try_from(wish.place.ordinal).expect("small");
            let stock = wish.of((wish.place.ordinal..).zip(self.shelf[from..].iter().cloned()));
            self.searches += usize::from(wish.sought.is_some());
            self.take(&origin, stock);
        }
    }

    fn take(&mut self, origin: &Origin, stock: Stock) {
        let picks = self.frontier.choose(origin, stock, usize::MAX);
        for (ordinal, pick) in &picks {
            let there = &self.shelf[usize::try_from(*ordinal).expect("small")];
            assert_eq!(there, pick, "what is picked is what lies there");
        }
        self.frontier.pick(origin, picks);
    }

    /// Serves so many pages, and refills as a crawl does.
    fn serve(&mut self, count: usize) {
        for _ in 0..count {
            self.refill();
            let Some(site) = self.frontier.next(Tick(0)) else { return };
            let next = self.frontier.peek(&site, Tick(0)).cloned().expect("it has work");
            self.frontier.issue(&next);
            self.frontier.settle(&site, Manner::default(), None);
            self.served.push(number(&next));
        }
    }
}

fn policy(order_name: &str, first: &[&str]) -> Policy {
    Policy {
        order: order(order_name).expect("there is one"),
        budget: budget("none").expect("there is one"),
        first: Arc::new(RegexSet::new(first).expect("they are patterns")),
    }
}

/// All of one origin.
fn page_of(page: usize) -> Entry {
    entry(1, page * 4 + 1, 2)
}

fn number(entry: &Entry) -> usize {
    let path = entry.url().path().trim_start_matches('/');
    (path.parse::<usize>().expect("a number") - 1) / 4
}

fn pattern(page: usize) -> String {
    format!("/{}$", page * 4 + 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn everything_on_a_shelf_comes_back_once_whatever_the_order(
        order_name in prop::sample::select(vec!["opic", "bfs", "dfs", "indegree"]),
        steps in prop::collection::vec((0..900_usize, 0..700_usize, 0..50_u8), 1..12),
        firsts in prop::collection::vec(0..3_000_usize, 0..3),
    ) {
        let firsts: Vec<String> = firsts.into_iter().map(pattern).collect();
        let firsts: Vec<&str> = firsts.iter().map(String::as_str).collect();
        let mut bench = Bench::new(order_name, &firsts);
        let mut met = 0;
        for (more, serve, cash) in steps {
            for page in met..met + more {
                bench.admit(page, f32::from(u8::try_from(page % 251).expect("small")) * f32::from(cash));
            }
            met += more;
            bench.serve(serve);
            let left = u64::try_from(met - bench.served.len()).expect("small");
            prop_assert_eq!(bench.frontier.queued(), left);
        }
        bench.serve(met + 1);
        let all: HashSet<usize> = bench.served.iter().copied().collect();
        prop_assert_eq!((bench.served.len(), all.len()), (met, met));
        prop_assert_eq!(bench.frontier.queued(), 0);
    }
}

#[test]
fn the_best_of_some_thousand_shelved_pages_come_first() {
    let mut bench = Bench::new("opic", &[]);
    // The last are the richest, and lie on the shelf.
    for page in 0..2_000 {
        bench.admit(page, if page >= 1_800 { 5.0 } else { 0.1 });
    }
    bench.serve(HEAD_MAX + 200);
    let rich = bench.served.iter().filter(|page| **page >= 1_800).count();
    assert!(rich >= 190, "{rich} of 200");
}

#[test]
fn what_is_met_later_and_worth_more_does_not_go_behind_the_shelf() {
    let mut bench = Bench::new("opic", &[]);
    for page in 0..20_000 {
        bench.admit(page, 0.1);
    }
    bench.serve(HEAD_MAX);
    bench.admit(20_000, 7.0);
    bench.serve(1);
    assert_eq!(bench.served.last(), Some(&20_000));
}

#[test]
fn a_page_that_nobody_links_to_again_is_not_left_on_the_shelf_for_ever() {
    let mut bench = Bench::new("opic", &[]);
    for page in 0..600 {
        bench.admit(page, if page == 300 { 0.0 } else { 1.0 });
    }
    let mut met = 600;
    while !bench.served.contains(&300) {
        assert!(met < 30_000, "it still waits");
        bench.serve(10);
        for page in met..met + 20 {
            // Each is worth a little more than all before it.
            bench.admit(page, 1.0 + 0.001 * f32::from(u16::try_from(page).expect("small")));
        }
        met += 20;
    }
}

#[test]
fn what_the_user_wants_first_is_found_on_a_long_shelf_at_once() {
    let mut bench = Bench::new("opic", &[]);
    for page in 0..50_000 {
        bench.admit(page, 1.0);
    }
    bench.serve(10);
    let wanted = [49_999, 30_000, 12_345];
    let patterns = wanted.map(pattern);
    bench.frontier.set_policy(policy("opic", &patterns.each_ref().map(String::as_str)));
    bench.serve(3);
    let last: HashSet<usize> = bench.served[10..].iter().copied().collect();
    assert_eq!(last, HashSet::from(wanted));
}

#[test]
fn a_shelf_is_searched_once_for_what_the_user_wants_first() {
    let mut bench = Bench::new("opic", &["/never$"]);
    for page in 0..20_000 {
        bench.admit(page, 1.0);
    }
    bench.serve(3_000);
    assert_eq!(bench.searches, 0, "what goes to the shelf was looked at before");
    for patterns in [["/nowhere$"], ["/nobody$"]] {
        bench.searches = 0;
        bench.frontier.set_policy(policy("opic", &patterns));
        bench.serve(3_000);
        assert_eq!(bench.searches, 1);
    }
}

#[test]
fn more_than_fits_of_what_the_user_wants_first_comes_before_all_else() {
    let mut bench = Bench::new("bfs", &["9$"]);
    for page in 0..40_000 {
        bench.admit(page, 1.0);
    }
    let wanted = (0..40_000).filter(|page| (page * 4 + 1) % 10 == 9).count();
    bench.serve(wanted);
    assert!(bench.served.iter().all(|page| (page * 4 + 1) % 10 == 9), "{:?}", bench.served);
}

#[test]
fn a_site_that_is_due_goes_before_others_as_soon_as_it_has_what_is_wanted_first() {
    let mut frontier = new();
    frontier.set_policy(policy("opic", &["/97$"]));
    for site in 0..40 {
        let next = entry(site, 1, 1);
        let url = next.url().clone();
        frontier.receive(&url, url.key(HASH), Gift { cash: 9.0, ..Gift::default() });
        admit(&mut frontier, next);
    }
    let poor = entry(41, 1, 1);
    admit(&mut frontier, poor);
    // All of them are due now.
    let first = frontier.next(Tick(0)).expect("one is due");
    frontier.give_back(&first);
    admit(&mut frontier, entry(41, 97, 3));
    let mut next = || frontier.next(Tick(0)).expect("one is due");
    let soon: Vec<Site> = (0..2).map(|_| next()).collect();
    assert!(soon.contains(&entry(41, 97, 3).url().site()), "{soon:?}");
}

#[test]
fn what_came_back_before_its_turn_is_known_after_a_restart() {
    let mut bench = Bench::new("opic", &[]);
    for page in 0..1_500 {
        bench.admit(page, if page % 3 == 0 { 2.0 } else { 1.0 });
    }
    bench.serve(400);
    let site = page_of(0).url().site();
    let state = bench.frontier.site(&site).expect("it is in memory");
    let taken = state.taken(Scheme::Http);
    assert!(!taken.plucked.is_empty(), "some came before their turn");
    let mut read = state.clone();
    read.set_choices(Default::default());
    read.set_choices(state.choices());
    assert_eq!((read.taken(Scheme::Http), &read), (taken, state));
}
