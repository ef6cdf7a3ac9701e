//! What the user wants of single sites holds at every moment, and nothing is lost by it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use proptest::prelude::*;
use rhumb_frontier::{
    Conduct, Entry, Frontier, Hold, LaneKey, Manner, Placement, Planner, SiteKey, SiteRule,
    SiteRules, SiteState,
};
use rhumb_web::{Candidate, CanonUrl, Errand, Origin, Scheme, Site, Span, Tick};

use super::{admit, new};

const SITES: [&str; 6] =
    ["s0.test", "s1.test", "s2.test", "s0.test:8080", "s1.test:8080", "s3.test"];
const GAP: Span = Span(500);

fn site(name: &str) -> Site {
    Site::from(name.to_owned())
}

fn page(site: &str, page: usize) -> Entry {
    let scheme = if page.is_multiple_of(4) { "https" } else { "http" };
    let url = CanonUrl::parse(&format!("{scheme}://{site}/{page}")).expect("it is a URL");
    Entry::new(Candidate::new(url, Errand::Page, 1, 0))
}

fn one(name: &str, rule: SiteRule) -> Arc<SiteRules> {
    Arc::new(SiteRules::new(1, [(name.to_owned(), rule)]))
}

fn block() -> SiteRule {
    SiteRule { block: true, ..SiteRule::default() }
}

fn budget(exchanges: u64) -> SiteRule {
    SiteRule { budget: Some(exchanges), ..SiteRule::default() }
}

#[derive(Clone, Debug)]
enum Step {
    Admit { site: usize, page: usize },
    Take,
    Settle,
    Recall,
    Pass(u64),
    Cool,
    Rules(SiteRules),
}

fn rule() -> impl Strategy<Value = SiteRule> {
    let connections = prop::option::of(0..4_u8);
    let budget = prop::option::of(0..9_u64);
    (connections, budget, prop::bool::weighted(0.3)).prop_map(|(connections, budget, block)| {
        SiteRule { delay: None, connections, budget, block }
    })
}

fn step() -> impl Strategy<Value = Step> {
    let rules = (1..3_u8, prop::collection::vec((0..SITES.len(), rule()), 0..4));
    let rules = rules.prop_map(|(connections, rules)| {
        let named = rules.into_iter().map(|(site, rule)| (SITES[site].to_owned(), rule));
        Step::Rules(SiteRules::new(connections, named))
    });
    prop_oneof![
        6 => (0..SITES.len(), 0..40_usize).prop_map(|(site, page)| Step::Admit { site, page }),
        8 => Just(Step::Take),
        5 => Just(Step::Settle),
        1 => Just(Step::Recall),
        3 => (0..900_u64).prop_map(Step::Pass),
        1 => Just(Step::Cool),
        1 => rules,
    ]
}

/// A frontier, the disk that it needs, and what is known of it by hand.
struct Crawl {
    frontier: Frontier,
    now: Tick,
    met: Vec<CanonUrl>,
    out: VecDeque<Entry>,
    visits: HashMap<Site, u64>,
    free_at: HashMap<Site, Tick>,
    rows: HashMap<SiteKey, (Site, SiteState)>,
    shelves: HashMap<LaneKey, Vec<Entry>>,
    served: usize,
}

impl Crawl {
    fn new() -> Self {
        Self {
            frontier: new(),
            now: Tick(0),
            met: Vec::new(),
            out: VecDeque::new(),
            visits: HashMap::new(),
            free_at: HashMap::new(),
            rows: HashMap::new(),
            shelves: HashMap::new(),
            served: 0,
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Admit { site, page: number } => self.admit(page(SITES[site], number)),
            Step::Take => self.take(),
            Step::Settle => self.settle(),
            Step::Recall => {
                let Some(entry) = self.out.pop_back() else { return };
                self.frontier.recall(&entry.url().site(), Some(entry));
            }
            Step::Pass(ms) => self.now = self.now + Span(ms),
            Step::Cool => {
                self.frontier.take_changed();
                let warm = self.frontier.sites();
                let warm: Vec<_> = warm.map(|(site, it)| (site.clone(), it.clone())).collect();
                for (site, state) in warm {
                    self.rows.insert(self.frontier.key(&site), (site, state));
                }
                self.frontier.cool(0, |_, _| true);
            }
            Step::Rules(rules) => self.frontier.set_rules(Arc::new(rules)),
        }
        self.wake();
    }

    fn admit(&mut self, mut entry: Entry) {
        if self.met.contains(entry.url()) {
            return;
        }
        self.met.push(entry.url().clone());
        // With so little memory a lane has a short head and a shelf.
        match self.frontier.place(&mut entry, 3_000, &mut Planner::default()) {
            Placement::Head => self.frontier.admit(entry),
            Placement::Shelf => {
                let place = self.frontier.shelve(&entry);
                let key = place.lane.site();
                let row = (entry.url().site(), SiteState::default());
                self.rows.entry(key).or_insert(row);
                self.shelves.entry(place.lane).or_default().push(entry);
            }
        }
    }

    fn out_of(&self, site: &Site) -> u64 {
        self.out.iter().filter(|entry| entry.url().site() == *site).count() as u64
    }

    fn take(&mut self) {
        let Some(site) = self.frontier.next(self.now) else { return };
        let rules = self.frontier.rules();
        let rule = rules.of(&site).cloned().unwrap_or_default();
        let (out, visits) = (self.out_of(&site), self.visits.get(&site).copied().unwrap_or(0));
        assert!(!rule.block, "{site} is blocked");
        assert!(out < u64::from(rules.connections(&site)), "{site} has {out} out");
        assert!(rule.budget.is_none_or(|budget| visits + out < budget), "{site} has had enough");
        assert!(self.free_at.get(&site).is_none_or(|at| *at <= self.now), "{site} too early");
        let state = self.frontier.site(&site).expect("it is on turn");
        assert_eq!(u64::from(state.in_flight()), out);
        let next = state.peek(self.now).expect("it has work").clone();
        self.frontier.issue(&next);
        self.out.push_back(next);
        self.refill(&site);
    }

    fn settle(&mut self) {
        let Some(entry) = self.out.pop_front() else { return };
        let site = entry.url().site();
        let before = self.frontier.site(&site).expect("it is busy").manner();
        let after = before.after(self.now, Conduct::Answered(Span(20)), GAP, 0);
        self.frontier.settle(&site, after, None);
        self.free_at.insert(site.clone(), self.now + GAP);
        *self.visits.entry(site).or_default() += 1;
        self.served += 1;
    }

    /// Brings cold sites back that are due, and what is on their shelves.
    fn wake(&mut self) {
        while let Some(key) = self.frontier.next_cold(self.now) {
            let (site, state) = self.rows[&key].clone();
            let is_named = self.frontier.rules().names().any(|name| name == site.as_str());
            let is_blocked = self.frontier.rules().blocks(&site);
            assert!(!(is_named && is_blocked), "{site} is read, and blocked by its name");
            self.frontier.wake(&site, state);
            self.refill(&site);
        }
    }

    fn refill(&mut self, site: &Site) {
        for scheme in [Scheme::Http, Scheme::Https] {
            let origin = Origin { scheme, site: site.clone() };
            let Some(wish) = self.frontier.wants_refill(&origin, usize::MAX) else { continue };
            let from = usize::try_from(wish.place.ordinal).expect("it is small");
            let shelf = self.shelves[&wish.place.lane][from..].iter().take(5).cloned();
            let stock = wish.of((wish.place.ordinal..).zip(shelf));
            let picks = self.frontier.choose(&origin, stock, usize::MAX);
            self.frontier.pick(&origin, picks);
        }
    }

    /// Serves all that may be served.
    fn drain(&mut self) {
        while !self.out.is_empty() {
            self.settle();
        }
        self.wake();
        while let Some(at) = self.frontier.earliest() {
            self.now = self.now.max(at);
            self.take();
            self.settle();
            self.wake();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rules_hold_at_every_moment_and_what_they_held_back_is_served_in_the_end(
        steps in prop::collection::vec(step(), 1..300),
    ) {
        let mut crawl = Crawl::new();
        for step in steps {
            crawl.step(step);
        }
        crawl.drain();
        let frontier = &crawl.frontier;
        let mut held: HashMap<Hold, u64> = HashMap::new();
        for (site, state) in frontier.sites().filter(|(_, state)| state.queued() > 0) {
            let hold = frontier.rules().bars(site, state);
            prop_assert!(hold.is_some(), "{site} has work, and nothing holds it");
            *held.entry(hold.expect("checked")).or_default() += 1;
        }
        prop_assert_eq!(frontier.held().collect::<HashMap<_, _>>(), held);
        prop_assert_eq!(frontier.earliest_warm(), None);
        crawl.step(Step::Rules(SiteRules::default()));
        crawl.drain();
        prop_assert_eq!(crawl.frontier.queued(), 0);
        prop_assert_eq!(crawl.served, crawl.met.len());
    }
}

#[test]
fn a_crawl_that_has_only_blocked_sites_left_has_nothing_to_wait_for() {
    let mut frontier = new();
    frontier.set_rules(one("s0.test", block()));
    admit(&mut frontier, page("s0.test", 1));
    assert_eq!((frontier.next(Tick(9)), frontier.earliest()), (None, None));
    assert_eq!(frontier.held().collect::<Vec<_>>(), [(Hold::Block, 1)]);
    assert_eq!(frontier.queued(), 1);
    frontier.set_rules(Arc::default());
    assert_eq!(frontier.next(Tick(9)), Some(site("s0.test")));
    assert_eq!(frontier.held().count(), 0);
}

#[test]
fn a_site_that_stands_in_a_band_can_be_blocked() {
    let mut frontier = new();
    admit(&mut frontier, page("s0.test", 1));
    admit(&mut frontier, page("s1.test", 1));
    let first = frontier.next(Tick(0)).expect("both are due");
    let other = if first == site("s0.test") { "s1.test" } else { "s0.test" };
    frontier.set_rules(one(other, block()));
    assert_eq!((frontier.earliest_warm(), frontier.next(Tick(0))), (None, None));
}

#[test]
fn a_spent_budget_is_a_hold_and_a_larger_one_lifts_it() {
    let mut frontier = new();
    frontier.set_rules(one("s0.test", budget(2)));
    (1..4).for_each(|number| {
        admit(&mut frontier, page("s0.test", number));
    });
    let serve = |frontier: &mut Frontier| {
        let site = frontier.next(Tick(0))?;
        let next = frontier.site(&site).and_then(|state| state.peek(Tick(0))).cloned()?;
        frontier.issue(&next);
        frontier.settle(&site, Manner::default(), None);
        Some(site)
    };
    assert!(serve(&mut frontier).is_some());
    assert!(serve(&mut frontier).is_some());
    assert_eq!((serve(&mut frontier), frontier.earliest()), (None, None));
    let waits = frontier.waits(&site("s0.test")).expect("it has work");
    assert_eq!((waits.until, waits.hold), (Tick::NEVER, Hold::Budget));
    frontier.set_rules(one("s0.test", budget(3)));
    assert!(serve(&mut frontier).is_some());
    assert_eq!(frontier.queued(), 0);
}

#[test]
fn a_blocked_site_is_not_read_from_disk_until_it_is_unblocked() {
    let mut frontier = new();
    let (here, there) = (page("s0.test", 1), page("s0.test:8080", 1));
    for entry in [&here, &there] {
        frontier.sleep(
            frontier.key(&entry.url().site()),
            rhumb_frontier::Stub { due: Tick(700), put: [0; 2] },
        );
    }
    frontier.set_rules(one("s0.test", block()));
    assert_eq!(frontier.earliest(), Some(Tick(700)), "the one with a port is not known by key");
    let key = frontier.next_cold(Tick(700)).expect("it is due");
    assert_eq!(key, frontier.key(&there.url().site()));
    frontier.wake(&there.url().site(), SiteState::default());
    assert_eq!(admit(&mut frontier, here.clone()), Placement::Shelf);
    assert_eq!((frontier.earliest(), frontier.next_cold(Tick(9_999))), (None, None));
    frontier.take_changed();
    frontier.cool(0, |_, _| true);
    assert_eq!(admit(&mut frontier, there.clone()), Placement::Shelf);
    assert_eq!(frontier.next_cold(Tick(9_999)), None, "now its name is known");
    frontier.set_rules(Arc::default());
    assert_eq!(frontier.earliest(), Some(Tick(0)));
    assert!(frontier.next_cold(Tick(0)).is_some() && frontier.next_cold(Tick(0)).is_some());
}

#[test]
fn several_fetches_of_a_site_go_out_at_once_if_a_rule_allows_them() {
    let mut frontier = new();
    let rule = SiteRule { connections: Some(2), ..SiteRule::default() };
    frontier.set_rules(one("s0.test", rule));
    (1..4).for_each(|number| {
        admit(&mut frontier, page("s0.test", number));
    });
    let name = site("s0.test");
    for _ in 0..2 {
        assert_eq!(frontier.next(Tick(0)).as_ref(), Some(&name));
        let next = frontier.site(&name).and_then(|state| state.peek(Tick(0))).cloned();
        frontier.issue(&next.expect("it has work"));
    }
    assert_eq!((frontier.next(Tick(0)), frontier.earliest()), (None, None), "both are out");
    frontier.settle(&name, Manner::default().not_before(Tick(30)), None);
    assert_eq!(frontier.next(Tick(29)), None, "an end sets the clock");
    assert_eq!(frontier.next(Tick(30)), Some(name.clone()));
    frontier.set_rules(Arc::default());
    assert_eq!(frontier.next(Tick(30)), None, "one is out still");
    frontier.recall(&name, None);
    assert_eq!(frontier.next(Tick(30)), Some(name));
}
