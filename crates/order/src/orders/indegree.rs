//! Authorities: the page to which most links were seen.

use super::Order;
use crate::{DomainSigns, PageSigns};

#[derive(Debug)]
pub(super) struct InDegree;

impl Order for InDegree {
    fn name(&self) -> &'static str {
        "indegree"
    }

    fn about(&self) -> &'static str {
        "authorities: the most links to it"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        f64::from(page.in_links)
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        domain.best
    }
}
