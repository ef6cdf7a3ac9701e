//! The ranks of pages that wait: as they were computed last, and what links have given since.
//!
//! All of it is in parts of the mean: whatever a crawl knows, the mean page has 1. So ranks of
//! before and gifts of now can be held against each other while the crawl grows.

use std::sync::Arc;

use rhumb_order::Purse;
use rhumb_web::UrlKey;

/// The part of its rank that a page gives to those that it links to, as in `PageRank`.
const DAMPING: f32 = 0.85;

/// The ranks of pages that wait, as they were computed last.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// In the order of their keys.
    rows: Vec<(UrlKey, f32)>,
    base: f32,
}

impl Default for Ranks {
    /// Before the first computation every page is the mean one.
    fn default() -> Self {
        Self { rows: Vec::new(), base: 1.0 }
    }
}

impl Ranks {
    /// Of these pages; any other has the base, as has every page that nobody links to.
    pub fn new(mut rows: Vec<(UrlKey, f32)>, base: f32) -> Self {
        rows.sort_unstable_by_key(|(page, _)| *page);
        Self { rows, base }
    }

    /// All pages with a rank of their own, in the order of their keys.
    pub fn rows(&self) -> &[(UrlKey, f32)] {
        &self.rows
    }

    /// What every other page has.
    pub fn base(&self) -> f32 {
        self.base
    }

    /// The rank of a page.
    pub fn of(&self, page: UrlKey) -> f32 {
        let found = self.rows.binary_search_by_key(&page, |(page, _)| *page);
        found.map_or(self.base, |at| self.rows[at].1)
    }
}

/// Ranks, and what was given since they were begun to be computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranking {
    ranks: Arc<Ranks>,
    /// What a computation under way takes in.
    counted: Purse,
    /// What none has taken in yet.
    fresh: Purse,
}

impl Ranking {
    pub(crate) fn of(&self, page: UrlKey) -> f32 {
        self.ranks.of(page) + self.counted.of(page).cash + self.fresh.of(page).cash
    }

    /// A link to a page was met.
    pub(crate) fn receive(&mut self, page: UrlKey, rank: f32) {
        self.fresh.give(page, rank);
    }

    /// What a page gives to each of so many links. It has its rank no longer: it does not wait.
    pub(crate) fn give(&mut self, page: UrlKey, links: usize) -> f32 {
        let rank = self.of(page);
        self.counted.take(page);
        self.fresh.take(page);
        #[expect(clippy::cast_precision_loss, reason = "a page has fewer links than that")]
        let links = links.max(1) as f32;
        DAMPING * rank / links
    }

    /// Ranks are about to be computed from all links so far.
    pub(crate) fn begin(&mut self) {
        self.counted = std::mem::replace(&mut self.fresh, self.counted.emptied());
    }

    /// They are computed.
    pub(crate) fn set(&mut self, ranks: Arc<Ranks>) {
        self.counted = self.counted.emptied();
        self.ranks = ranks;
    }

    pub(crate) fn set_bytes(&mut self, bytes: usize) {
        self.counted.set_bytes(bytes / 2);
        self.fresh.set_bytes(bytes / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ranking: &Ranking, expect: [f32; 3]) {
        let ranks = [1, 2, 3].map(|page| ranking.of(UrlKey(page)));
        let is_near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
        assert!(ranks.iter().zip(&expect).all(is_near), "{ranks:?} and not {expect:?}");
    }

    #[test]
    fn what_came_after_a_computation_began_counts_on_top_of_it() {
        let mut ranking = Ranking::default();
        check(&ranking, [1.0, 1.0, 1.0]);
        ranking.receive(UrlKey(1), 0.5);
        ranking.begin();
        ranking.receive(UrlKey(2), 0.25);
        check(&ranking, [1.5, 1.25, 1.0]);
        ranking.set(Arc::new(Ranks::new(vec![(UrlKey(2), 0.75), (UrlKey(1), 2.0)], 0.5)));
        check(&ranking, [2.0, 1.0, 0.5]);
        ranking.begin();
        check(&ranking, [2.0, 1.0, 0.5]);
        ranking.set(Arc::default());
        check(&ranking, [1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_page_gives_the_damped_part_of_its_rank_in_equal_parts_and_of_gifts_only_once() {
        let mut ranking = Ranking::default();
        ranking.receive(UrlKey(1), 1.0);
        assert!((ranking.give(UrlKey(1), 4) - 0.425).abs() < 1e-6);
        assert!((ranking.give(UrlKey(1), 0) - 0.85).abs() < 1e-6);
    }
}
