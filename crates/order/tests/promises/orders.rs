//! Orders and budgets, each as it describes itself.

use rhumb_order::{
    BUDGET, BUDGETS, Crowd, DomainSigns, ORDER, ORDERS, Order, PageSigns, budget, order,
};

use crate::example::Near;

const CONTRIBUTING: &str = include_str!("../../../../CONTRIBUTING.md");
const EXAMPLE: &str = include_str!("example.rs");

fn page(name: &str, signs: PageSigns) -> f64 {
    order(name).expect("it is there").page(&signs)
}

fn domain(name: &str, signs: DomainSigns) -> f64 {
    order(name).expect("it is there").domain(&signs)
}

#[test]
fn the_example_of_contributing_compiles_and_is_an_order() {
    // In the room an order is in scope as `super::Order`.
    let in_the_room = EXAMPLE.replace(
        "use rhumb_order::{DomainSigns, Order, PageSigns};",
        "use super::Order;\nuse crate::{DomainSigns, PageSigns};",
    );
    assert!(CONTRIBUTING.contains(&in_the_room), "CONTRIBUTING.md has another example");
    let near = PageSigns { depth: 1, in_links: 1, ..PageSigns::default() };
    let far = PageSigns { depth: 5, in_links: 9, ..PageSigns::default() };
    assert!(Near.page(&near) > Near.page(&far));
    assert!(!Near.name().is_empty() && !Near.about().is_empty());
}

#[test]
fn names_are_found_differ_and_a_wrong_one_is_told_the_others() {
    let mut names: Vec<&str> = ORDERS.iter().map(|order| order.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ORDERS.len());
    assert!(order(ORDER).is_ok() && budget(BUDGET).is_ok());
    let unknown = order("bsf").expect_err("no order").to_string();
    assert!(unknown.contains("\"bsf\"") && unknown.contains("bfs"), "{unknown}");
    assert!(budget("all").expect_err("no budget").to_string().contains("star"));
}

#[test]
fn each_order_prefers_what_it_says() {
    let plain = PageSigns { depth: 3, met: 10, cash: 0.1, in_links: 2, rank: 0.1 };
    assert!(page("bfs", PageSigns { depth: 2, ..plain }) > page("bfs", plain));
    assert!(page("dfs", PageSigns { met: 11, ..plain }) > page("dfs", plain));
    assert!(page("indegree", PageSigns { in_links: 3, ..plain }) > page("indegree", plain));
    assert!(page("pagerank", PageSigns { rank: 0.2, ..plain }) > page("pagerank", plain));
    for name in ["opic", "fair", "trust"] {
        assert!(page(name, PageSigns { cash: 0.2, ..plain }) > page(name, plain), "{name}");
    }
    let plain = DomainSigns {
        best: 1.0,
        pending: 10,
        fetched: 10,
        links: 50,
        votes: 5,
        trust: 0.01,
        novelty: 1.0,
    };
    assert!(domain("sites", DomainSigns { pending: 11, ..plain }) > domain("sites", plain));
    assert!(domain("hubs", DomainSigns { links: 90, ..plain }) > domain("hubs", plain));
    assert!(domain("fair", DomainSigns { votes: 9, ..plain }) > domain("fair", plain));
    assert!(domain("trust", DomainSigns { trust: 0.02, ..plain }) > domain("trust", plain));
    for name in ["fair", "trust"] {
        let more = DomainSigns { fetched: 20, pending: 0, ..plain };
        assert!(domain(name, more) < domain(name, plain), "{name}: who has had more waits");
    }
    for order in ORDERS.iter().filter(|order| order.needs_rank()) {
        assert_eq!(order.name(), "pagerank");
    }
}

#[test]
fn star_gives_ten_to_ten_thousand_pages_a_round() {
    let star = budget("star").expect("it is there");
    let crowd = Crowd { domains: 20_000, votes_max: 1_000, votes_floor: 100, level: 0 };
    let ceiling = |votes, level| {
        let signs = DomainSigns { votes, novelty: 1.0, ..DomainSigns::default() };
        star.ceiling(&signs, &Crowd { level, ..crowd })
    };
    assert_eq!((ceiling(0, 0), ceiling(100, 0), ceiling(1_000, 0)), (10, 10, 10_000));
    assert!((10..10_000).contains(&ceiling(500, 0)));
    assert_eq!(ceiling(0, 4), 50);
}

#[test]
fn every_ceiling_grows_with_the_level_until_all_may_be_fetched() {
    let crowd = Crowd { domains: 1_000, votes_max: 10, votes_floor: 1, level: 0 };
    for budget in BUDGETS {
        for trust in [0.0, 1e-6, 0.001] {
            let signs = DomainSigns {
                trust,
                fetched: 100,
                pending: 900,
                novelty: 1.0,
                ..DomainSigns::default()
            };
            let ceilings: Vec<u64> =
                (0..40).map(|level| budget.ceiling(&signs, &Crowd { level, ..crowd })).collect();
            assert!(ceilings.is_sorted(), "{}: {ceilings:?}", budget.name());
            let last = ceilings.last().copied().unwrap_or_default();
            assert!(last > 100, "{} holds a domain for ever: {ceilings:?}", budget.name());
        }
    }
}

#[test]
fn no_gap_is_longer_than_usual() {
    let crowd = Crowd { domains: 1_000, votes_max: 10, votes_floor: 1, level: 0 };
    for budget in BUDGETS {
        for (trust, votes) in [(0.0, 0), (0.001, 1), (0.5, 10)] {
            let signs = DomainSigns { trust, votes, ..DomainSigns::default() };
            let gap = budget.gap(&signs, &crowd);
            assert!(gap > 0.0 && gap <= 1.0, "{}: {gap}", budget.name());
        }
    }
}
