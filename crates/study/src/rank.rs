//! `PageRank` (Page, Brin, Motwani and Winograd, 1999), in memory.

use crate::Graph;
use crate::graph::place;

/// The chance to follow a link rather than to begin anew anywhere.
const DAMPING: f64 = 0.85;
/// The change, over all pages, below which a rank is final.
const TOLERANCE: f64 = 1e-6;
const ROUNDS_MAX: usize = 100;
/// Rounds of a rank that goes on from an older one, on a graph that has grown by a tenth.
const ROUNDS_MORE: usize = 8;

/// The rank of every page of a graph; all sum to 1.
pub fn pagerank(graph: &Graph) -> Vec<f64> {
    let pages = place(graph.pages());
    let all = vec![true; pages];
    let mut ranks = vec![1.0 / f64::from(graph.pages()); pages];
    for _ in 0..ROUNDS_MAX {
        let lists = (0..graph.pages()).map(|page| (page, graph.links_of(page)));
        let next = round(&ranks, &all, lists);
        let change: f64 = ranks.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum();
        ranks = next;
        if change < TOLERANCE {
            break;
        }
    }
    ranks
}

/// What is known of a graph while it is crawled: the links of the pages that were fetched, and a
/// rank over them that is computed anew now and then.
#[derive(Debug, Default)]
pub(crate) struct Partial {
    pages: Vec<u32>,
    ends: Vec<usize>,
    links: Vec<u32>,
    ranks: Vec<f64>,
}

impl Partial {
    /// A page was fetched.
    pub(crate) fn add(&mut self, page: u32, links: &[u32]) {
        self.pages.push(page);
        self.links.extend(links);
        self.ends.push(self.links.len());
    }

    /// Computes the ranks of the pages that are known.
    pub(crate) fn compute(&mut self, known: &[bool]) -> &[f64] {
        self.ranks.resize(known.len(), 0.0);
        for _ in 0..ROUNDS_MORE {
            let starts = std::iter::once(&0).chain(&self.ends);
            let lists = self.pages.iter().zip(starts.zip(&self.ends));
            let lists = lists.map(|(page, (start, end))| (*page, &self.links[*start..*end]));
            self.ranks = round(&self.ranks, known, lists);
        }
        &self.ranks
    }
}

/// One round of the flow between the pages that are known.
fn round<'a>(
    ranks: &[f64],
    known: &[bool],
    lists: impl Iterator<Item = (u32, &'a [u32])>,
) -> Vec<f64> {
    let mut next = vec![0.0; ranks.len()];
    let mut followed = 0.0;
    for (page, links) in lists {
        if let Some(count) = u32::try_from(links.len()).ok().filter(|it| *it > 0) {
            let flow = DAMPING * ranks[place(page)];
            let part = flow / f64::from(count);
            for to in links {
                next[place(*to)] += part;
            }
            followed += flow;
        }
    }
    let count = known.iter().filter(|it| **it).count();
    let rest = (1.0 - followed) / f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX));
    for (next, known) in next.iter_mut().zip(known) {
        *next += if *known { rest } else { 0.0 };
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_sum_to_one_and_those_of_a_partial_graph_come_near_the_whole() {
        let graph = crate::generate(2_000, 3);
        let ranks = pagerank(&graph);
        assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mut partial = Partial::default();
        (0..graph.pages()).for_each(|page| partial.add(page, graph.links_of(page)));
        let known = vec![true; ranks.len()];
        for _ in 0..10 {
            partial.compute(&known);
        }
        let apart: f64 =
            ranks.iter().zip(partial.compute(&known)).map(|(a, b)| (a - b).abs()).sum();
        assert!(apart < 1e-4, "{apart}");
    }
}
