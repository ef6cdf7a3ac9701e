//! Breadth first.

use super::Order;
use crate::{DomainSigns, PageSigns};

#[derive(Debug)]
pub(super) struct Bfs;

impl Order for Bfs {
    fn name(&self) -> &'static str {
        "bfs"
    }

    fn about(&self) -> &'static str {
        "breadth first: nearest to the seeds"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        -f64::from(page.depth)
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        domain.best
    }
}
