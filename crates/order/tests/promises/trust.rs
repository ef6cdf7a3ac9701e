//! Trust is one flow that is shared, never made.

use rhumb_order::trust;

/// Ten domains in a ring with a chord each, of which the first is trusted.
fn ring() -> Vec<(u32, u32)> {
    (0..10).flat_map(|it| [(it, (it + 1) % 10), (it, (it + 3) % 10)]).collect()
}

fn sum(domains: u32, links: Vec<(u32, u32)>, seeds: &[u32]) -> f64 {
    trust(domains, links, seeds).standings.iter().map(|it| f64::from(it.trust)).sum()
}

#[test]
fn all_trust_sums_to_one_whatever_the_links_are() {
    let check = |domains, links, seeds: &[u32]| {
        let sum = sum(domains, links, seeds);
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    };
    check(10, ring(), &[0]);
    check(10, ring(), &[0, 4, 4, 9]);
    check(3, Vec::new(), &[1]);
    check(3, vec![(0, 1), (1, 2)], &[0]);
}

#[test]
fn a_link_counts_once_and_one_to_itself_not_at_all() {
    let mut links = ring();
    let plain = trust(10, links.clone(), &[0]);
    links.extend([(2, 2), (2, 3), (2, 3), (7, 7)]);
    assert_eq!(trust(10, links, &[0]), plain);
    assert!(plain.standings.iter().all(|it| it.votes == 2));
}

#[test]
fn a_farm_has_more_votes_by_linking_to_itself_and_no_more_trust_than_leaks_in() {
    let farm_of = |farm: u32| {
        let mut links = ring();
        links.push((5, 10));
        let within = (10..10 + farm).flat_map(|from| (10..10 + farm).map(move |to| (from, to)));
        links.extend(within);
        trust(10 + farm, links, &[0])
    };
    let total = |farm: u32| -> f64 {
        farm_of(farm).standings[10..].iter().map(|it| f64::from(it.trust)).sum()
    };
    let (small, large) = (total(10), total(200));
    assert!((small - large).abs() < 1e-3, "{small} with 10 domains, {large} with 200");
    let standings = farm_of(200).standings;
    assert!(standings[50].votes > 100 * standings[5].votes / 3, "{}", standings[50].votes);
    assert!(standings[50].trust < standings[9].trust / 10.0);
}

#[test]
fn domains_that_no_seed_leads_to_have_none() {
    let links = vec![(0, 1), (2, 3), (3, 2), (2, 0)];
    let standings = trust(4, links, &[0]).standings;
    assert!(standings[2].trust.abs() < 1e-9 && standings[3].trust.abs() < 1e-9);
    assert!(standings[1].trust > 0.1);
}

#[test]
fn the_crowd_is_told_the_most_votes_and_nothing_comes_of_nothing() {
    let crowd = trust(3, vec![(0, 2), (1, 2), (2, 0)], &[0]).crowd;
    assert_eq!((crowd.domains, crowd.votes_max, crowd.level), (3, 2, 0));
    assert!(trust(0, Vec::new(), &[]).standings.is_empty());
}
