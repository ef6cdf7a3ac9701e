//! Fair share between domains by the domains that link to them; OPIC inside.

use super::Order;
use crate::{DomainSigns, PageSigns};

#[derive(Debug)]
pub(super) struct Fair;

impl Order for Fair {
    fn name(&self) -> &'static str {
        "fair"
    }

    fn about(&self) -> &'static str {
        "domains by their votes, their size and what they had, OPIC inside"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        f64::from(page.cash)
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        super::fair(f64::from(domain.votes) + 1.0, domain)
    }

    fn needs_best(&self) -> bool {
        false
    }
}
