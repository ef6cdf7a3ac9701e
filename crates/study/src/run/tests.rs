use std::collections::{HashMap, HashSet};

use rhumb_order::{BUDGETS, Budget, Crowd};

use super::*;
use crate::{Trial, YARDSTICKS, contender, generate, orders};

const DELAY: u64 = 1_000_000;

fn plan(order: &str, budget: &str) -> Plan {
    Plan {
        contender: contender(order).expect("an order"),
        budget: rhumb_order::budget(budget).expect("a budget"),
        delay_us: DELAY,
        pace_us: 50_000,
        purse: None,
        farm: None,
    }
}

fn known(pages: u32) -> Known {
    Known::new(generate(pages, 5))
}

const FARM: FarmSpec = FarmSpec { domains: 30, strays: 5, hijacked: 1, seed: 1 };

#[test]
fn the_same_web_and_plan_give_the_same_fetches() {
    let fetches = || Run::new(&known(1_000), plan("trust", "trust")).collect::<Vec<_>>();
    assert_eq!(fetches(), fetches());
}

#[test]
fn every_order_with_every_budget_fetches_all_that_can_be_reached_once() {
    let known = known(1_000);
    let reachable = known.graph.reachable().iter().filter(|it| **it).count();
    for order in orders().into_iter().chain(YARDSTICKS) {
        for budget in BUDGETS {
            let fetches = Run::new(&known, plan(order, budget.name()));
            let pages: Vec<u32> = fetches.map(|fetch| fetch.page).collect();
            let once: HashSet<u32> = pages.iter().copied().collect();
            let what = format!("{order} with {}", budget.name());
            assert_eq!((pages.len(), once.len()), (reachable, reachable), "{what}");
        }
    }
}

/// Knows nothing of how a run is made: only the graph and the fetches.
#[track_caller]
fn check_polite(graph: &Graph, fetches: &[Fetch]) {
    let mut last: HashMap<u32, u64> = HashMap::new();
    let mut met: HashSet<u32> = graph.seeds().iter().copied().collect();
    let mut before = None;
    for fetch in fetches {
        if let Some(last) = last.insert(fetch.domain, fetch.at_us) {
            assert!(fetch.at_us >= last + DELAY, "{} came early: {fetch:?}", fetch.domain);
        }
        assert!(before.is_none_or(|before| fetch.at_us >= before + 50_000), "{fetch:?}");
        before = Some(fetch.at_us);
        if fetch.page < graph.pages() {
            assert_eq!(fetch.domain, graph.domain_of(fetch.page));
            assert!(met.contains(&fetch.page), "{} was never linked to", fetch.page);
            met.extend(graph.links_of(fetch.page));
        }
    }
}

#[test]
fn no_domain_is_fetched_twice_within_the_delay_nor_a_page_before_it_is_met() {
    let known = known(2_000);
    for (order, budget) in [("trust", "trust"), ("opic", "none"), ("sites", "star")] {
        let fetches: Vec<Fetch> = Run::new(&known, plan(order, budget)).collect();
        check_polite(&known.graph, &fetches);
        let with_farm = Plan { farm: Some(FARM), ..plan(order, budget) };
        let fetches: Vec<Fetch> = Run::new(&known, with_farm).take(4_000).collect();
        check_polite(&known.graph, &fetches);
        assert!(fetches.iter().any(|fetch| fetch.page >= known.graph.pages()));
    }
}

#[test]
fn cash_is_neither_made_nor_lost() {
    let known = known(2_000);
    let all = known.graph.seeds().len();
    let mut run = Run::new(&known, plan("opic", "none"));
    for _ in 0..1_500 {
        run.next();
    }
    let cash = run.pages.all_cash();
    assert!((cash - f64::from(u32::try_from(all).expect("few"))).abs() < 1e-3, "{cash} of {all}");
}

#[test]
fn a_purse_of_few_bytes_loses_no_page() {
    let known = known(5_000);
    let exact = Run::new(&known, plan("opic", "none")).count();
    let bounded = Plan { purse: Some(0), ..plan("opic", "none") };
    assert_eq!(Run::new(&known, bounded).count(), exact);
}

#[test]
fn the_omniscient_order_beats_a_random_one_and_trust_lies_between() {
    let known = known(10_000);
    let mass = |order: &str| Trial::run(&known, plan(order, "none"), &[25.0]).at(25.0).mass;
    let (omniscient, trust, random) = (mass("omniscient"), mass("trust"), mass("random"));
    assert!(omniscient > trust && trust > random, "{omniscient} {trust} {random}");
}

/// Five pages for every level.
#[derive(Debug)]
struct Five;

impl Budget for Five {
    fn name(&self) -> &'static str {
        "five"
    }

    fn about(&self) -> &'static str {
        "five pages a level"
    }

    fn ceiling(&self, _: &DomainSigns, crowd: &Crowd) -> u64 {
        5 * (u64::from(crowd.level) + 1)
    }

    fn gap(&self, _: &DomainSigns, _: &Crowd) -> f64 {
        1.0
    }
}

#[test]
fn a_budget_holds_and_is_raised_only_when_every_domain_has_had_it() {
    let known = known(1_000);
    let graph = &known.graph;
    let (mut had, mut waiting): (HashMap<u32, u32>, HashSet<u32>) =
        (HashMap::new(), HashSet::new());
    let mut met: HashSet<u32> = graph.seeds().iter().copied().collect();
    waiting.extend(graph.seeds());
    let mut level = 0;
    for fetch in Run::new(&known, Plan { budget: &Five, ..plan("bfs", "none") }).take(900) {
        if fetch.level > level {
            for page in &waiting {
                let had = had.get(&graph.domain_of(*page)).copied().unwrap_or_default();
                assert!(had >= 5 * (level + 1), "level {level} was left too early");
            }
            level = fetch.level;
        }
        let had = had.entry(fetch.domain).or_default();
        *had += 1;
        assert!(*had <= 5 * (fetch.level + 1), "{fetch:?}");
        waiting.remove(&fetch.page);
        waiting.extend(graph.links_of(fetch.page).iter().filter(|to| met.insert(**to)));
    }
    assert!(level > 0);
}

#[test]
fn a_farm_is_measured_and_a_crawl_with_one_ends() {
    let known = known(1_000);
    let farm = Plan { farm: Some(FARM), ..plan("trust", "trust") };
    let trial = Trial::run(&known, farm, &[50.0]);
    assert_eq!(trial.farm.iter().map(|(at, _)| *at).collect::<Vec<_>>(), crate::FARM_AT);
    let end = trial.points.last().expect("a point");
    assert!(end.fetched <= 4_000 && end.farm > 0, "{end:?}");
}

#[test]
fn a_plot_has_a_line_and_a_name_for_every_trial() {
    let known = known(1_000);
    let trials: Vec<Trial> =
        ["bfs", "opic"].iter().map(|it| Trial::run(&known, plan(it, "none"), &[25.0])).collect();
    let svg = crate::plot(&trials, "two orders");
    assert_eq!(svg.matches("<polyline").count(), 2);
    assert!(svg.contains("bfs / none") && svg.contains("opic / none") && svg.ends_with("</svg>\n"));
}
