//! Fair share between domains by the trust that flows to them from the seeds; OPIC inside.

use super::Order;
use crate::{DomainSigns, PageSigns};

#[derive(Debug)]
pub(super) struct Trust;

impl Order for Trust {
    fn name(&self) -> &'static str {
        "trust"
    }

    fn about(&self) -> &'static str {
        "domains by their trust, their size and what they had, OPIC inside"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        f64::from(page.cash)
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        super::fair(f64::from(domain.trust), domain)
    }

    fn needs_best(&self) -> bool {
        false
    }
}
