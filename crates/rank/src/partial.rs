//! Partial `PageRank` (Cho, Garcia-Molina and Page, 1998): of a web of which some pages were
//! fetched, and the others are known by links alone. In memory, for whoever computes it often.

use crate::width::place;

/// The chance to follow a link rather than to begin anew anywhere.
const DAMPING: f64 = 0.85;

/// The links of the pages that were fetched, and ranks over them that go on from those of before.
#[derive(Debug, Default)]
pub struct Partial {
    pages: Vec<u32>,
    ends: Vec<usize>,
    links: Vec<u32>,
    ranks: Vec<f64>,
}

impl Partial {
    /// A page was fetched, and links to these.
    pub fn add(&mut self, page: u32, links: impl IntoIterator<Item = u32>) {
        self.pages.push(page);
        self.links.extend(links);
        self.ends.push(self.links.len());
    }

    /// Computes the ranks of the pages that are known, by so many rounds more. They sum to 1.
    pub fn compute(&mut self, known: &[bool], rounds: usize) -> &[f64] {
        self.ranks.resize(known.len(), 0.0);
        for _ in 0..rounds {
            let starts = std::iter::once(&0).chain(&self.ends);
            let lists = self.pages.iter().zip(starts.zip(&self.ends));
            let lists = lists.map(|(page, (start, end))| (*page, &self.links[*start..*end]));
            self.ranks = round(&self.ranks, known, lists);
        }
        &self.ranks
    }
}

/// One round of the flow between the pages that are known, from these ranks and lists of links:
/// what is not followed is given to all of them alike.
pub fn round<'a>(
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
    fn a_page_that_waits_has_what_its_linkers_give_and_unknown_ones_have_nothing() {
        let mut partial = Partial::default();
        partial.add(0, [1, 2]);
        partial.add(1, [2]);
        let ranks = partial.compute(&[true, true, true, false], 50).to_vec();
        assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(ranks[2] > ranks[1] && ranks[1] > ranks[0], "{ranks:?}");
        let expect = ranks[0] + DAMPING * (ranks[0] / 2.0 + ranks[1]);
        assert!((ranks[2] - expect).abs() < 1e-9, "{ranks:?}");
        assert!(ranks[3] < f64::MIN_POSITIVE);
    }
}
