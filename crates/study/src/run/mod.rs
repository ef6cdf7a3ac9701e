//! A crawl of a graph in virtual time: who is due, who of them comes first, and what that changes.

mod domains;
mod pages;
mod standings;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rhumb_order::{Budget, DomainSigns};
use rhumb_rank::Partial;

use crate::contender::{Contender, Ranks};
use crate::farm::Farm;
use crate::graph::place;
use crate::{FarmSpec, Graph};
use domains::{Domains, Turn};
use pages::Pages;
use standings::Standings;

/// A graph with the final rank of every page: what crawls share.
#[derive(Clone, Debug)]
pub struct Known {
    /// The pages and their links.
    pub graph: Arc<Graph>,
    /// The rank of each page in the whole graph.
    pub ranks: Arc<Vec<f64>>,
}

impl Known {
    /// Computes the ranks of a graph.
    pub fn new(graph: Graph) -> Self {
        let ranks = Arc::new(crate::pagerank(&graph));
        Self { graph: Arc::new(graph), ranks }
    }
}

/// How a graph is crawled.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Which page comes first.
    pub contender: Contender,
    /// How many a domain may have.
    pub budget: &'static dyn Budget,
    /// Microseconds from one fetch of a domain to its next.
    pub delay_us: u64,
    /// Microseconds from any fetch to the next.
    pub pace_us: u64,
    /// Bytes for the cash of pages; if not said, it is kept exactly.
    pub purse: Option<usize>,
    /// A farm around the graph.
    pub farm: Option<FarmSpec>,
}

/// One fetch of a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The page; those from the number of the graph's pages on are of the farm.
    pub page: u32,
    /// Its domain.
    pub domain: u32,
    /// When, in microseconds.
    pub at_us: u64,
    /// How often the ceiling of budgets was raised before.
    pub level: u32,
}

/// A crawl under way: an iterator of its fetches.
#[derive(Debug)]
pub struct Run {
    known: Known,
    plan: Plan,
    farm: Option<Farm>,
    pages: Pages,
    domains: Domains,
    standings: Standings,
    partial: Partial,
    fetched: u64,
    /// Pages that were fetched when ranks were computed last.
    ranked: u64,
    now_us: u64,
}

impl Run {
    /// A crawl that begins at the graph's seeds.
    pub fn new(known: &Known, plan: Plan) -> Self {
        let graph = &known.graph;
        let farm = plan.farm.map(|spec| Farm::new(spec, graph, &known.ranks));
        let count = graph.domains() + farm.as_ref().map_or(0, Farm::domains);
        let seeds = graph.seeds().iter().map(|seed| graph.domain_of(*seed));
        let mut run = Self {
            pages: Pages::new(plan.purse),
            domains: Domains::new(count),
            standings: Standings::new(count, seeds),
            partial: Partial::default(),
            fetched: 0,
            ranked: 0,
            now_us: 0,
            known: known.clone(),
            plan,
            farm,
        };
        match plan.contender.ranks {
            Ranks::Final => run.pages.set_ranks(&known.ranks),
            Ranks::Partial => run.pages.set_partial_ranks(&[]),
            Ranks::None => {}
        }
        let seeds: Vec<u32> = known.graph.seeds().to_vec();
        for seed in &seeds {
            run.take_link(*seed, 0, 1.0, 0.0);
        }
        for seed in seeds {
            run.settle(run.domain_of(seed));
        }
        run
    }

    fn domain_of(&self, page: u32) -> u32 {
        let in_farm = self.farm.as_ref().and_then(|farm| farm.domain_of(page));
        in_farm.unwrap_or_else(|| self.known.graph.domain_of(page))
    }

    fn links_of(&mut self, page: u32) -> Vec<u32> {
        let is_farm = page >= self.known.graph.pages();
        let mut links = Vec::new();
        if !is_farm {
            links.extend(self.known.graph.links_of(page));
        }
        match &mut self.farm {
            Some(farm) if is_farm => farm.links_of(page, &mut links),
            Some(farm) => farm.doors_of(page, &mut links),
            None => {}
        }
        links
    }

    /// A link leads to a page and gives it cash and rank.
    fn take_link(&mut self, page: u32, depth: u16, cash: f32, rank: f32) {
        let order = self.plan.contender.order;
        let is_new = self.pages.meet(page, depth);
        let before = if is_new { None } else { Some(self.pages.place(page, order).value) };
        self.pages.give(page, cash);
        if rank > 0.0 {
            self.pages.give_rank(page, rank);
        }
        if !self.pages.waits(page) {
            return;
        }
        let domain = self.domain_of(page);
        let place = self.pages.place(page, order);
        if before.is_none_or(|before| place.value > before) {
            self.domains.put(domain, place, is_new);
        }
    }

    /// What is known of a domain.
    fn signs(&mut self, domain: u32) -> Option<(DomainSigns, u32)> {
        let best = self.domains.best(domain, &self.pages, self.plan.contender.order)?;
        let standing = self.standings.of(domain);
        let had = self.domains.had(domain);
        let signs = DomainSigns {
            best: best.value,
            pending: u64::from(self.domains.pending(domain)),
            fetched: u64::from(had.fetched),
            links: had.links,
            votes: standing.votes,
            trust: standing.trust,
            // A graph does not tell what pages say.
            novelty: 1.0,
        };
        Some((signs, best.met))
    }

    /// Lets a domain stand where it belongs: to those that are due, that wait for their time, or
    /// that have had what they may have.
    fn settle(&mut self, domain: u32) {
        let Some((signs, met)) = self.signs(domain) else {
            self.domains.stand(domain, Turn::None);
            return;
        };
        let crowd = self.standings.crowd();
        let turn = if signs.fetched >= self.plan.budget.ceiling(&signs, &crowd) {
            Turn::Held
        } else if self.domains.due_us(domain) > self.now_us {
            Turn::Later
        } else {
            Turn::Due { value: self.plan.contender.order.domain(&signs), met }
        };
        self.domains.stand(domain, turn);
    }

    /// Which domain is next. Time goes on to when one is due; where all have had what they may
    /// have, they may have more.
    fn turn(&mut self) -> Option<u32> {
        loop {
            while let Some(domain) = self.domains.wake(self.now_us) {
                self.settle(domain);
            }
            while let Some(domain) = self.domains.first() {
                // Its budget may have shrunk since it came to stand here.
                self.settle(domain);
                if self.domains.first() == Some(domain) {
                    return Some(domain);
                }
            }
            if let Some(due) = self.domains.next_due_us() {
                self.now_us = due.max(self.now_us);
                continue;
            }
            let held = self.domains.held();
            if held.is_empty() || self.standings.crowd().level >= LEVELS_MAX {
                return None;
            }
            self.standings.raise();
            for domain in held {
                self.settle(domain);
            }
        }
    }

    /// Computes anew what has grown by a tenth.
    fn refresh(&mut self) {
        let mut is_changed = self.standings.refresh();
        if self.plan.contender.ranks == Ranks::Partial && self.fetched * 10 > self.ranked * 11 {
            self.ranked = self.fetched;
            let ranks = self.partial.compute(&self.pages.known(), ROUNDS_MORE);
            self.pages.set_partial_ranks(ranks);
            self.domains.renew(&self.pages, self.plan.contender.order);
            is_changed = true;
        }
        if is_changed {
            for domain in self.domains.standing() {
                self.settle(domain);
            }
        }
    }
}

/// Rounds of ranks that go on from older ones, on a graph that has grown by a tenth.
const ROUNDS_MORE: usize = 8;
/// Levels after which a crawl ends where no domain may have more.
const LEVELS_MAX: u32 = 64;

impl Iterator for Run {
    type Item = Fetch;

    fn next(&mut self) -> Option<Fetch> {
        let domain = self.turn()?;
        let best = self.domains.best(domain, &self.pages, self.plan.contender.order);
        let page = best.expect("a domain that is due has a page that waits").what;
        let fetch = Fetch { page, domain, at_us: self.now_us, level: self.standings.crowd().level };
        let links = self.links_of(page);
        let cash = self.pages.fetch(page, links.len());
        let depth = self.pages.depth(page).saturating_add(1);
        self.domains.take(domain, links.len(), self.now_us + self.plan.delay_us);
        let mut rank = 0.0;
        if self.plan.contender.ranks == Ranks::Partial {
            self.partial.add(page, links.iter().copied());
            rank = self.pages.rank_gift(page, links.len());
        }
        let mut touched = vec![domain];
        for to in links {
            self.take_link(to, depth, cash, rank);
            let other = self.domain_of(to);
            self.standings.link(domain, other);
            if touched.last() != Some(&other) {
                touched.push(other);
            }
        }
        self.fetched += 1;
        self.now_us += self.plan.pace_us;
        touched.sort_unstable();
        touched.dedup();
        for domain in touched {
            self.settle(domain);
        }
        self.refresh();
        Some(fetch)
    }
}

/// The part of a graph's pages that a share in per cent is.
pub(crate) fn share(pages: u32, percent: f64) -> u64 {
    u64::from(crate::chance::whole((f64::from(pages) * percent / 100.0).ceil()))
}

/// The rank of a page, and none of one of the farm.
pub(crate) fn rank_of(ranks: &[f64], page: u32) -> f64 {
    ranks.get(place(page)).copied().unwrap_or_default()
}

/// Microseconds as seconds.
#[expect(clippy::cast_precision_loss, reason = "a crawl of years has far below 2⁵² microseconds")]
pub(crate) fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}
