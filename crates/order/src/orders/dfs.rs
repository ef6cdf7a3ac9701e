//! Depth first: what was met last.

use super::{Order, count};
use crate::{DomainSigns, PageSigns};

#[derive(Debug)]
pub(super) struct Dfs;

impl Order for Dfs {
    fn name(&self) -> &'static str {
        "dfs"
    }

    fn about(&self) -> &'static str {
        "depth first: what was found last"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        count(page.met)
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        domain.best
    }
}
