//! An endless link farm around a graph, made while it is crawled.
//!
//! A page of it has as many links as one of the generated web: to four more pages of its domain,
//! each of which has four of its own, to its home page, and to home pages and pages of other
//! domains of the farm. Nothing but links tells it from the rest.

use crate::Graph;
use crate::chance::{Chance, mix};
use crate::graph::{number, place};

/// Pages that each page brings.
const CHILDREN: u32 = 4;
/// Pages of a domain that others link to: the home page, its children, and theirs.
const FRONT: u32 = 1 + CHILDREN + CHILDREN * CHILDREN;
/// Links of a page to home pages of other domains of the farm, and to their other pages.
const HOMES: u32 = 3;
const PAGES: u32 = 3;
/// Other domains that the pages of one link to.
const PARTNERS: u32 = 256;
/// Domains of the web among which the hijacked ones are.
const TOP: usize = 100;
/// A page of the front that nobody has met yet.
const UNMET: u32 = u32::MAX;

/// How large a farm is, and what leads into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FarmSpec {
    /// Its domains.
    pub domains: u32,
    /// Links from normal pages, each from another one.
    pub strays: u32,
    /// Domains among the hundred of the greatest rank that link to it from all of their pages.
    pub hijacked: u32,
    /// Where its chance comes from.
    pub seed: u64,
}

/// A page that was met.
#[derive(Clone, Copy, Debug)]
struct FarmPage {
    domain: u32,
    /// Its place in the front of its domain, if it is there.
    front: Option<u32>,
    /// What its links are drawn from.
    key: u64,
}

/// A farm as far as it was met: its pages and domains have the numbers behind those of the graph.
#[derive(Debug)]
pub(crate) struct Farm {
    spec: FarmSpec,
    first_page: u32,
    first_domain: u32,
    pages: Vec<FarmPage>,
    /// The pages of all fronts.
    fronts: Vec<u32>,
    /// Links from the graph into the fronts, by the page that has them.
    doors: Vec<(u32, u32)>,
}

impl Farm {
    pub(crate) fn new(spec: FarmSpec, graph: &Graph, ranks: &[f64]) -> Self {
        let fronts = spec.domains * FRONT;
        let mut chance = Chance::new(spec.seed, 2);
        let mut doors = Vec::new();
        while number(doors.len()) < spec.strays {
            let page = chance.below(graph.pages());
            if !graph.is_spam(page) {
                doors.push((page, chance.below(fronts)));
            }
        }
        let hijacked = hijacked(spec.hijacked, graph, ranks, &mut chance);
        let pages = (0..graph.pages()).filter(|page| hijacked.contains(&graph.domain_of(*page)));
        doors.extend(pages.map(|page| (page, chance.below(fronts))));
        doors.sort_unstable();
        Self {
            spec,
            first_page: graph.pages(),
            first_domain: graph.domains(),
            pages: Vec::new(),
            fronts: vec![UNMET; place(fronts)],
            doors,
        }
    }

    /// How many domains it has.
    pub(crate) fn domains(&self) -> u32 {
        self.spec.domains
    }

    /// The domain of one of its pages; none if the page is not of the farm.
    pub(crate) fn domain_of(&self, page: u32) -> Option<u32> {
        let page = page.checked_sub(self.first_page)?;
        Some(self.first_domain + self.pages[place(page)].domain)
    }

    /// Adds the links that lead from a page of the graph into the farm.
    pub(crate) fn doors_of(&mut self, page: u32, links: &mut Vec<u32>) {
        let start = self.doors.partition_point(|(from, _)| *from < page);
        let mut at = start;
        while let Some((_, front)) = self.doors.get(at).copied().filter(|(from, _)| *from == page) {
            links.push(self.front(front));
            at += 1;
        }
    }

    /// Adds the links of a page of the farm. It is asked once of each, when that is fetched.
    pub(crate) fn links_of(&mut self, page: u32, links: &mut Vec<u32>) {
        let FarmPage { domain, front, key } = self.pages[place(page - self.first_page)];
        for child in 0..CHILDREN {
            // The children of a page of the front's inner part are of the front, too.
            let place = front.map(|it| it * CHILDREN + 1 + child).filter(|it| *it < FRONT);
            links.push(match place {
                Some(place) => self.front(domain * FRONT + place),
                None => self.meet(FarmPage {
                    domain,
                    front: None,
                    key: mix(key + 1 + u64::from(child)),
                }),
            });
        }
        links.push(self.front(domain * FRONT));
        let mut chance = Chance::new(self.spec.seed, key);
        for number in 0..HOMES + PAGES {
            let partner = u64::from(domain) * u64::from(PARTNERS);
            let partner = partner + u64::from(chance.below(PARTNERS));
            let partner = Chance::new(self.spec.seed, mix(partner)).below(self.spec.domains);
            let place = if number < HOMES { 0 } else { chance.below(FRONT) };
            links.push(self.front(partner * FRONT + place));
        }
        links.sort_unstable();
        links.dedup();
        links.retain(|to| *to != page);
    }

    /// The page at a place of all fronts.
    fn front(&mut self, at: u32) -> u32 {
        if self.fronts[place(at)] == UNMET {
            let key = mix(mix(self.spec.seed) ^ u64::from(at));
            let page = FarmPage { domain: at / FRONT, front: Some(at % FRONT), key };
            self.fronts[place(at)] = self.meet(page);
        }
        self.fronts[place(at)]
    }

    fn meet(&mut self, page: FarmPage) -> u32 {
        self.pages.push(page);
        self.first_page + number(self.pages.len() - 1)
    }
}

/// So many of the domains that have the greatest ranks and are no spam.
fn hijacked(count: u32, graph: &Graph, ranks: &[f64], chance: &mut Chance) -> Vec<u32> {
    let mut mass: Vec<(f64, u32)> = (0..graph.domains()).map(|domain| (0.0, domain)).collect();
    for (page, rank) in (0..graph.pages()).zip(ranks) {
        let is_normal = !graph.is_spam(page);
        mass[place(graph.domain_of(page))].0 += if is_normal { *rank } else { 0.0 };
    }
    mass.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    mass.truncate(TOP);
    let count = place(count).min(mass.len());
    (0..count).map(|_| mass.swap_remove(place(chance.below(number(mass.len())))).1).collect()
}
