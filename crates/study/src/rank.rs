//! `PageRank` (Page, Brin, Motwani and Winograd, 1999) of a whole graph.

use rhumb_rank::round;

use crate::Graph;
use crate::graph::place;

/// The change, over all pages, below which a rank is final.
const TOLERANCE: f64 = 1e-6;
const ROUNDS_MAX: usize = 100;

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

#[cfg(test)]
mod tests {
    use rhumb_rank::Partial;

    use super::*;

    #[test]
    fn ranks_sum_to_one_and_those_of_a_partial_graph_come_near_the_whole() {
        let graph = crate::generate(2_000, 3);
        let ranks = pagerank(&graph);
        assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mut partial = Partial::default();
        (0..graph.pages()).for_each(|page| partial.add(page, graph.links_of(page).iter().copied()));
        let known = vec![true; ranks.len()];
        let partial = partial.compute(&known, 88);
        let apart: f64 = ranks.iter().zip(partial).map(|(a, b)| (a - b).abs()).sum();
        assert!(apart < 1e-4, "{apart}");
    }
}
