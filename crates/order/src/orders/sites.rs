//! Larger sites first (Castillo et al., 2005): the domain with most pages that wait.

use super::{Order, count};
use crate::{DomainSigns, PageSigns};

#[derive(Debug)]
pub(super) struct Sites;

impl Order for Sites {
    fn name(&self) -> &'static str {
        "sites"
    }

    fn about(&self) -> &'static str {
        "larger sites first: most pages that wait"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        -f64::from(page.depth)
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        count(domain.pending)
    }

    fn needs_best(&self) -> bool {
        false
    }
}
