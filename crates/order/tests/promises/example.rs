//! Near first: short ways from the seeds, and of these the page with the most links.

use rhumb_order::{DomainSigns, Order, PageSigns};

#[derive(Debug)]
pub(super) struct Near;

impl Order for Near {
    fn name(&self) -> &'static str {
        "near"
    }

    fn about(&self) -> &'static str {
        "nearest to the seeds, then the most links to it"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        f64::from(page.in_links + 1) / f64::from(page.depth + 1).exp2()
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        domain.best
    }
}
