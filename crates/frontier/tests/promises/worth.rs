//! Orders, budgets and what the user wants first.

use std::sync::Arc;

use regex::RegexSet;
use rhumb_frontier::{Census, DomainKey, Frontier, Gift, Harvest, Hold, Manner, Policy, Ranks};
use rhumb_order::{Crowd, Standing, budget, order};
use rhumb_web::{HashKey, Site, Tick};

use super::{admit, entry, new};

const HASH: HashKey = HashKey(1, 2);

pub(crate) fn under(order_name: &str, budget_name: &str, first: &[&str]) -> Frontier {
    let mut frontier = new();
    frontier.set_policy(Policy {
        order: order(order_name).expect("there is one"),
        budget: budget(budget_name).expect("there is one"),
        first: Arc::new(RegexSet::new(first).expect("they are patterns")),
    });
    frontier.set_level(Some(0));
    frontier
}

pub(crate) fn give(frontier: &mut Frontier, site: usize, page: usize, cash: f32) {
    let url = entry(site, page, 1).url().clone();
    frontier.receive(&url, url.key(HASH), Gift { cash, ..Gift::default() });
}

/// Serves everything that is due now, and says in which order.
pub(crate) fn served(frontier: &mut Frontier) -> Vec<String> {
    let mut served = Vec::new();
    while let Some(site) = frontier.next(Tick(0)) {
        let next = frontier.peek(&site, Tick(0)).cloned().expect("a site on turn has work");
        frontier.issue(&next);
        frontier.reap(&site, Harvest { is_novel: true, links: 1 });
        frontier.settle(&site, Manner::default(), None);
        served.push(next.url().as_str().replace("https", "http").replace("http://", ""));
    }
    served
}

#[test]
fn the_richest_page_of_a_site_goes_first_however_late_it_became_rich() {
    let mut frontier = under("opic", "none", &[]);
    for page in [1, 2, 3, 5] {
        admit(&mut frontier, entry(1, page, 2));
    }
    give(&mut frontier, 1, 2, 0.5);
    give(&mut frontier, 1, 5, 0.3);
    give(&mut frontier, 1, 5, 0.3);
    assert_eq!(served(&mut frontier), ["s1.test/5", "s1.test/2", "s1.test/1", "s1.test/3"]);
}

#[test]
fn by_rank_the_highest_goes_first_and_a_page_met_since_has_what_its_linkers_gave() {
    let mut frontier = under("pagerank", "none", &[]);
    for page in [1, 2, 3, 5, 6] {
        admit(&mut frontier, entry(1, page, 2));
    }
    let key = |page| entry(1, page, 2).url().key(HASH);
    frontier.begin_ranks();
    let url = entry(1, 6, 2).url().clone();
    frontier.receive(&url, key(6), Gift { rank: 1.5, ..Gift::default() });
    frontier.set_ranks(Arc::new(Ranks::new(vec![(key(3), 1.0), (key(5), 3.0)], 0.25)));
    let expect = [5, 6, 3, 1, 2].map(|page| format!("s1.test/{page}"));
    assert_eq!(served(&mut frontier), expect);
    let hub = entry(1, 5, 2).url().clone();
    assert!((frontier.give(&hub, 3, 0).rank - 0.85).abs() < 1e-6);
    let mut others = under("opic", "none", &[]);
    assert!(others.give(&hub, 3, 0).rank.abs() < f32::EPSILON, "nobody asks for it");
}

#[test]
fn breadth_first_and_depth_first_are_what_they_say() {
    let check = |name: &str, expect: [&str; 3]| {
        let mut frontier = under(name, "none", &[]);
        for (page, depth) in [(1, 2), (2, 3), (3, 1)] {
            let mut found = entry(1, page, depth);
            found.candidate.found.at = Tick(page as u64);
            admit(&mut frontier, found);
        }
        assert_eq!(served(&mut frontier), expect, "{name}");
    };
    check("bfs", ["s1.test/3", "s1.test/1", "s1.test/2"]);
    check("dfs", ["s1.test/3", "s1.test/2", "s1.test/1"]);
}

#[test]
fn what_the_user_wants_first_goes_before_everything_at_once() {
    let mut frontier = under("opic", "none", &["/97$"]);
    for (site, page) in [(1, 1), (2, 1), (3, 1), (3, 97)] {
        admit(&mut frontier, entry(site, page, 3));
        give(&mut frontier, site, page, if page == 97 { 0.0 } else { 9.0 });
    }
    assert_eq!(served(&mut frontier)[0], "s3.test/97");
}

#[test]
fn what_the_user_wants_first_does_not_go_to_the_shelf_of_a_large_site() {
    let mut frontier = under("bfs", "none", &["/97001$"]);
    for page in 0..600 {
        admit(&mut frontier, entry(1, page * 4 + 1, 1));
    }
    assert_eq!(admit(&mut frontier, entry(1, 97_001, 3)), rhumb_frontier::Placement::Head);
    assert_eq!(served(&mut frontier)[0], "s1.test/97001");
}

#[test]
fn a_pattern_that_comes_later_brings_what_waits_already_to_the_front() {
    let mut frontier = under("bfs", "none", &[]);
    for page in 1..50 {
        admit(&mut frontier, entry(1, page, 1));
    }
    let first = Arc::new(RegexSet::new(["/37$"]).expect("it is a pattern"));
    let policy = frontier.policy().clone();
    frontier.set_policy(Policy { first, ..policy });
    assert_eq!(served(&mut frontier)[0], "s1.test/37");
}

#[test]
fn a_domain_that_has_had_its_share_waits_and_comes_back_when_the_ceiling_is_raised() {
    let mut frontier = under("bfs", "star", &[]);
    for page in 0..25 {
        admit(&mut frontier, entry(1, page * 4 + 1, 2));
    }
    assert_eq!(served(&mut frontier).len(), 10, "STAR gives ten");
    let site: Site = entry(1, 1, 1).url().site();
    assert_eq!(frontier.waits(&site).map(|it| it.hold), Some(Hold::Share));
    assert_eq!((frontier.shared(), frontier.earliest()), (1, None));
    frontier.set_level(Some(1));
    assert_eq!(served(&mut frontier).len(), 10);
    frontier.set_level(Some(2));
    assert_eq!(served(&mut frontier).len(), 5);
    assert_eq!((frontier.shared(), frontier.queued()), (0, 0));
}

#[test]
fn without_a_ceiling_nobody_waits_for_his_share() {
    let mut frontier = under("bfs", "star", &[]);
    frontier.set_level(None);
    for page in 0..25 {
        admit(&mut frontier, entry(1, page * 4 + 1, 2));
    }
    assert_eq!(served(&mut frontier).len(), 25);
}

#[test]
fn a_cold_site_that_waits_for_its_share_comes_back_when_the_ceiling_is_raised() {
    let mut frontier = under("bfs", "star", &[]);
    for page in 0..12 {
        admit(&mut frontier, entry(1, page * 4 + 1, 2));
    }
    assert_eq!(served(&mut frontier).len(), 10);
    frontier.take_changed();
    assert_eq!(frontier.cool(0, |_, _| true).len(), 1);
    assert_eq!((frontier.shared(), frontier.earliest()), (1, None));
    frontier.set_level(Some(1));
    assert_eq!(frontier.shared(), 0);
    assert!(frontier.next_cold(Tick(0)).is_some(), "it is read again");
}

#[test]
fn urgent_pages_of_a_domain_that_has_had_its_share_are_fetched_all_the_same() {
    let mut frontier = under("bfs", "star", &["/news"]);
    for page in 0..12 {
        admit(&mut frontier, entry(1, page * 4 + 1, 2));
    }
    assert_eq!(served(&mut frontier).len(), 10);
    let url = rhumb_web::CanonUrl::parse("http://s1.test/news").expect("it is a URL");
    let news = rhumb_web::Candidate::new(url, rhumb_web::Errand::Page, 2, 0);
    admit(&mut frontier, rhumb_frontier::Entry::new(news));
    assert_eq!(served(&mut frontier), ["s1.test/news"]);
}

#[test]
fn between_domains_the_more_trusted_one_comes_more_often() {
    let mut frontier = under("trust", "none", &[]);
    for site in [1, 2] {
        for page in 0..40 {
            admit(&mut frontier, entry(site, page * 4 + 1, 2));
        }
    }
    let key = |site| DomainKey::of(HASH, &entry(site, 1, 1).url().site());
    let standing = |trust| Standing { trust, votes: 1 };
    let standings = vec![(key(1), standing(0.81)), (key(2), standing(0.01))];
    frontier.set_census(Arc::new(Census::new(standings, Crowd { domains: 2, ..Crowd::default() })));
    let first = served(&mut frontier);
    let of_first = first[..20].iter().filter(|url| url.starts_with("s1.")).count();
    assert!((15..20).contains(&of_first), "{of_first} of 20");
}
