//! Online page importance: the page with the most cash first.

use super::Order;
use crate::{DomainSigns, PageSigns};

#[derive(Debug)]
pub(super) struct Opic;

impl Order for Opic {
    fn name(&self) -> &'static str {
        "opic"
    }

    fn about(&self) -> &'static str {
        "the most cash first, over all domains"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        f64::from(page.cash)
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        domain.best
    }
}
