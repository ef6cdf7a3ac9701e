//! A generated web: domains of very different size and fame, pages that link mostly within their
//! domain, and a few farms of spam.
//!
//! No constant here was chosen by how an order fares: the generator was finished before the first
//! order ran on it, and stays as it is, so that figures of different times can be compared.

mod domains;
#[cfg(test)]
mod tests;
mod tree;

use crate::Graph;
use crate::chance::Chance;
use crate::graph::{number, place};
use domains::Domains;
use tree::Tree;

/// Links from a page to places of its own domain, beside its neighbours in the tree.
const INNER: u32 = 5;
/// The part of links between domains that lead to a home page.
const TO_HOME: f64 = 0.6;
/// The part of them that stays among domains of the same subject.
const TO_KIN: f64 = 0.5;
/// How much earlier pages of a domain are preferred.
const EARLY: f64 = 3.0;
/// Links out that a page has at most, unless it is a list of links.
const OUTER_MAX: u32 = 20;
/// The part of pages that are lists of links to other domains, and how many those have.
const LISTS: f64 = 0.01;
const LIST: u32 = 30;
/// Links of a page of spam to others of its farm.
const FARM_LINKS: u32 = 5;
/// The part of pages of spam that link to the web, as if they were a part of it.
const DISGUISED: f64 = 0.3;
/// Links from the web into each farm.
const STRAYS: u32 = 6;
/// The pages that a crawl begins with, home pages of domains among the most famous.
const SEEDS: u32 = 5;
const FAMOUS: usize = 20;

/// The web of a seed with so many pages, 1,000 at least.
pub fn generate(pages: u32, seed: u64) -> Graph {
    let pages = pages.max(1_000);
    let mut chance = Chance::new(seed, 1);
    let domains = Domains::draw(pages, &mut chance);
    let seeds = seeds(&domains, &mut chance);
    let mut first = first_links(&domains, &seeds, &mut chance).into_iter().peekable();
    let spam = (0..domains.count()).map(|domain| domains.farm_of(domain).is_some()).collect();
    let mut graph = Graph::new(spam);
    let mut links = Vec::new();
    for domain in 0..domains.count() {
        let mut chance = Chance::new(seed, 1_000 + u64::from(domain));
        let home = domains.home(domain);
        let tree = Tree::draw(domains.size(domain), &mut chance);
        // Some domains link out far more than others.
        let generous = 0.4 + 0.4 * chance.part();
        for page in 0..domains.size(domain) {
            tree.links_of(page, home, &mut links, &mut chance);
            for _ in 0..INNER {
                links.push(home + chance.early(domains.size(domain), EARLY));
            }
            match domains.farm_of(domain) {
                Some(farm) => link_in_farm(&domains, farm, &mut links, &mut chance),
                None => link_out(&domains, domain, generous, &mut links, &mut chance),
            }
            while let Some((_, to)) = first.next_if(|(from, _)| *from == home + page) {
                links.push(to);
            }
            graph.add(domain, &mut links);
        }
    }
    graph.begin_at(seeds.iter().map(|domain| domains.home(*domain)).collect());
    graph
}

/// The domains where crawls begin.
fn seeds(domains: &Domains, chance: &mut Chance) -> Vec<u32> {
    let mut famous = domains.by_fame();
    famous.truncate(FAMOUS);
    let mut seeds = Vec::new();
    for _ in 0..SEEDS {
        seeds.push(famous.swap_remove(place(chance.below(number(famous.len())))));
    }
    seeds
}

/// Links that see to it that every domain is found: somewhere on a page of another one. Farms have
/// a few of their own. Sorted by the page that has them.
fn first_links(domains: &Domains, seeds: &[u32], chance: &mut Chance) -> Vec<(u32, u32)> {
    let mut order: Vec<u32> = domains.normal().to_vec();
    for last in (1..order.len()).rev() {
        order.swap(last, place(chance.below(number(last + 1))));
    }
    order.retain(|domain| !seeds.contains(domain));
    order.splice(0..0, seeds.iter().copied());
    let mut links = Vec::new();
    for (before, domain) in (0..).zip(&order).skip(seeds.len()) {
        let from = order[place(chance.below(before))];
        links.push((domains.any_page(from, chance), domains.home(*domain)));
    }
    for farm in 0..domains.farms() {
        for _ in 0..STRAYS {
            let from = order[place(chance.below(number(order.len())))];
            let to = domains.of_farm(farm, chance);
            links.push((domains.any_page(from, chance), target(domains, to, chance)));
        }
    }
    links.sort_unstable();
    links
}

/// The links of a normal page to other domains.
fn link_out(
    domains: &Domains,
    domain: u32,
    generous: f64,
    links: &mut Vec<u32>,
    chance: &mut Chance,
) {
    let mut count = if chance.happens(LISTS) { LIST } else { 0 };
    while count < OUTER_MAX && chance.happens(generous) {
        count += 1;
    }
    for _ in 0..count {
        let kin = chance.happens(TO_KIN).then_some(domain);
        let to = domains.famous(kin, chance);
        if to != domain {
            links.push(target(domains, to, chance));
        }
    }
}

/// The links of a page of spam to other domains.
fn link_in_farm(domains: &Domains, farm: u32, links: &mut Vec<u32>, chance: &mut Chance) {
    for _ in 0..FARM_LINKS {
        let to = domains.of_farm(farm, chance);
        links.push(target(domains, to, chance));
    }
    if chance.happens(DISGUISED) {
        let to = domains.famous(None, chance);
        links.push(target(domains, to, chance));
    }
}

/// A page of a domain that others link to.
fn target(domains: &Domains, domain: u32, chance: &mut Chance) -> u32 {
    let home = domains.home(domain);
    if chance.happens(TO_HOME) { home } else { home + chance.early(domains.size(domain), EARLY) }
}
