//! A ceiling by trust: a conserved flow from the seeds, which a farm cannot make more of.

use super::{Budget, count, pages};
use crate::{Crowd, DomainSigns};

/// Pages that a domain of mean trust may have at first; the ceiling doubles with each level.
const PAGES: f64 = 1_600.0;
/// The share of a domain that nobody trusts, against the mean: all may be fetched in the end.
const SHARE_MIN: f64 = 1e-9;
/// Levels beyond which nothing changes: no domain has as many pages.
const LEVELS_MAX: u32 = 40;

#[derive(Debug)]
pub(super) struct Trust;

impl Budget for Trust {
    fn name(&self) -> &'static str {
        "trust"
    }

    fn about(&self) -> &'static str {
        "by the trust that flows to it from the seeds, in steps that double"
    }

    fn ceiling(&self, domain: &DomainSigns, crowd: &Crowd) -> u64 {
        let all = count(domain.fetched + domain.pending).max(1.0);
        // A domain that shows ever more pages than were fetched of it is held shorter.
        let kappa = count(domain.fetched) / all;
        let share = (relative(domain, crowd) * f64::from(domain.novelty)).max(SHARE_MIN);
        let step = f64::from(crowd.level.min(LEVELS_MAX)).exp2();
        pages(1.0 + PAGES * step * share * kappa)
    }

    fn gap(&self, domain: &DomainSigns, crowd: &Crowd) -> f64 {
        1.0 / relative(domain, crowd).max(1.0)
    }
}

/// Its trust, where 1 is the mean of all.
fn relative(domain: &DomainSigns, crowd: &Crowd) -> f64 {
    f64::from(domain.trust) * count(crowd.domains)
}
