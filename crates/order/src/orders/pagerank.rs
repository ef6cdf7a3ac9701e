//! Partial `PageRank` (Cho, Garcia-Molina and Page, 1998).

use super::Order;
use crate::{DomainSigns, PageSigns};

#[derive(Debug)]
pub(super) struct PageRank;

impl Order for PageRank {
    fn name(&self) -> &'static str {
        "pagerank"
    }

    fn about(&self) -> &'static str {
        "partial PageRank, computed anew as the crawl grows"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        f64::from(page.rank)
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        domain.best
    }

    fn needs_rank(&self) -> bool {
        true
    }
}
