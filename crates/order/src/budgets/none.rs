//! No budget.

use super::Budget;
use crate::{Crowd, DomainSigns};

#[derive(Debug)]
pub(super) struct None;

impl Budget for None {
    fn name(&self) -> &'static str {
        "none"
    }

    fn about(&self) -> &'static str {
        "every domain may have all its pages fetched"
    }

    fn ceiling(&self, _: &DomainSigns, _: &Crowd) -> u64 {
        u64::MAX
    }

    fn gap(&self, _: &DomainSigns, _: &Crowd) -> f64 {
        1.0
    }
}
