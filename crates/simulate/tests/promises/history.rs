//! The same seed gives the same history.

use rhumb_simulate::{Plan, run};

#[test]
fn the_same_seed_gives_the_same_history() {
    for seed in 0..3 {
        let plan = Plan::new(seed, 3_000);
        assert_eq!(run(plan), run(plan), "seed {seed}");
    }
}

#[test]
fn another_seed_gives_another_history() {
    assert_ne!(run(Plan::new(1, 1_000)).history, run(Plan::new(2, 1_000)).history);
}

#[test]
fn every_page_has_the_links_that_were_asked_for() {
    let report = run(Plan { links: 12, ..Plan::new(5, 2_000) });
    assert!(report.pages > 1_000, "{} pages", report.pages);
    assert_eq!(report.links, 12 * report.pages);
}
