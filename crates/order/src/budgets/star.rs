//! STAR: pages by votes, as `IRLbot` has it. Every round gives each domain its pages anew, so the
//! rounds of BEAST's queues are the levels of the ceiling.

use super::{Budget, count, pages};
use crate::{Crowd, DomainSigns};

/// Pages of a round that every domain has.
const PAGES_MIN: f64 = 10.0;
/// Pages of a round that the domain with most votes has.
const PAGES_MAX: f64 = 10_000.0;

#[derive(Debug)]
pub(super) struct Star;

impl Budget for Star {
    fn name(&self) -> &'static str {
        "star"
    }

    fn about(&self) -> &'static str {
        "by the domains that link to it: 10 to 10,000 pages a round (STAR and BEAST)"
    }

    fn ceiling(&self, domain: &DomainSigns, crowd: &Crowd) -> u64 {
        let rounds = count(u64::from(crowd.level)) + 1.0;
        pages(rounds * round(domain, crowd) * f64::from(domain.novelty))
    }

    fn gap(&self, domain: &DomainSigns, crowd: &Crowd) -> f64 {
        PAGES_MIN / round(domain, crowd)
    }
}

/// Pages of a round: those that stand out have more, the more votes the more.
fn round(domain: &DomainSigns, crowd: &Crowd) -> f64 {
    let above = domain.votes.saturating_sub(crowd.votes_floor);
    let all = crowd.votes_max.saturating_sub(crowd.votes_floor).max(1);
    let part = f64::from(above.min(all)) / f64::from(all);
    PAGES_MIN + part * (PAGES_MAX - PAGES_MIN)
}
