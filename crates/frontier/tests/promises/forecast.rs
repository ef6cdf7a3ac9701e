//! What earlier crawls say of pages.

use std::sync::Arc;

use rhumb_frontier::{Frontier, Placement, Policy};
use rhumb_order::{Forecast, Forecaster, order};
use rhumb_web::HashKey;

use super::worth::{give, served, under};
use super::{admit, entry, new};

const HASH: HashKey = HashKey(1, 2);

/// Of these pages of a site the first have changed, the others have not.
fn forecast(site: usize, changed: &[usize], unchanged: &[usize]) -> Arc<Forecast> {
    let mut forecaster = Forecaster::new(0);
    for (pages, chance) in [(changed, 0.9), (unchanged, 0.01)] {
        for page in pages {
            forecaster.note(entry(site, *page, 1).url().key(HASH), chance);
        }
    }
    Arc::new(forecaster.finish())
}

fn told(order_name: &str, first: &[&str], forecast: Arc<Forecast>) -> Frontier {
    let mut frontier = under(order_name, "none", first);
    frontier.set_forecast(forecast);
    frontier
}

#[test]
fn pages_that_likely_changed_go_first_and_those_that_did_not_last_whatever_the_order() {
    let check = |name: &str, expect: [&str; 6]| {
        let mut frontier = told(name, &[], forecast(1, &[3, 5], &[1, 2]));
        for (page, depth) in [(1, 1), (2, 2), (3, 3), (5, 2), (6, 2), (7, 1)] {
            admit(&mut frontier, entry(1, page, depth));
            give(&mut frontier, 1, page, f32::from(depth));
        }
        let expect = expect.map(|page| format!("s1.test/{page}"));
        assert_eq!(served(&mut frontier), expect, "{name}");
    };
    check("bfs", ["5", "3", "7", "6", "1", "2"]);
    check("opic", ["3", "5", "6", "7", "2", "1"]);
}

#[test]
fn what_the_user_wants_first_goes_before_what_likely_changed() {
    let mut frontier = told("bfs", &["/7$"], forecast(1, &[3], &[7]));
    for page in [1, 3, 7] {
        admit(&mut frontier, entry(1, page, 2));
    }
    assert_eq!(served(&mut frontier), ["s1.test/7", "s1.test/3", "s1.test/1"]);
}

#[test]
fn what_waits_already_is_looked_at_again_when_a_forecast_comes() {
    let mut frontier = new();
    frontier.set_policy(Policy { order: order("bfs").expect("it is there"), ..Policy::default() });
    for page in [1, 2, 3] {
        admit(&mut frontier, entry(1, page, 1));
    }
    frontier.set_forecast(forecast(1, &[3], &[1]));
    assert_eq!(served(&mut frontier), ["s1.test/3", "s1.test/2", "s1.test/1"]);
}

#[test]
fn a_site_is_worth_what_its_next_page_is_worth() {
    let mut frontier = told("opic", &[], forecast(1, &[2], &[1]));
    for (site, page, cash) in [(1, 1, 9.0), (1, 2, 1.0), (2, 1, 5.0), (3, 1, 0.5)] {
        admit(&mut frontier, entry(site, page, 2));
        give(&mut frontier, site, page, cash);
    }
    // Its richest page likely is as it was, so another one goes before, and that is poorer than
    // the page of the other site.
    assert_eq!(served(&mut frontier)[..2], ["s2.test/1", "s1.test/2"]);
}

#[test]
fn a_page_that_likely_changed_does_not_go_to_the_shelf_of_a_large_site() {
    let mut frontier = told("bfs", &[], forecast(1, &[97_001], &[97_002]));
    for page in 0..600 {
        admit(&mut frontier, entry(1, page * 4 + 1, 1));
    }
    assert_eq!(admit(&mut frontier, entry(1, 97_002, 3)), Placement::Shelf);
    assert_eq!(admit(&mut frontier, entry(1, 97_001, 3)), Placement::Head);
    assert_eq!(served(&mut frontier)[0], "s1.test/97001");
}
