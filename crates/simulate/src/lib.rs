//! The simulator: whole partitions on an imagined web, in virtual time, from one seed.
//!
//! A second shell around the pure partitions of `crawl`: effects are answered at once by a model
//! of the web, with latencies, failures, push-back, lost tickets, late and doubled parcels, an
//! outage of our own line and a machine that sleeps. A checker that shares no code with the
//! frontier sees only who was visited when, and what the web had asked for.
//!
//! It opens no socket and no file, reads no clock, and draws no chance but from the seed: the
//! same seed gives the same history. Bodies, archives and crashes are left to [`crash`].

mod chance;
mod checker;
pub mod crash;
mod desk;
mod gate;
mod moment;
mod post;
mod report;
mod weather;
mod web;

pub use checker::{Checker, DELAY, Violation, Visit};
pub use moment::Moment;
pub use report::Report;

/// Fetches for each site, where the number of sites is not given.
const FETCHES_PER_SITE: u64 = 100;
/// Sites of the smallest web: an outage is told from the web's own failures by more than 20.
const SITES_MIN: u32 = 40;
/// Links of a page, where the number is not given.
const LINKS: usize = 10;

/// What to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Where all chance comes from.
    pub seed: u64,
    /// Requests that reach the web.
    pub fetches: u64,
    /// Hosts of the web.
    pub sites: u32,
    /// Links of every page.
    pub links: usize,
}

impl Plan {
    /// A web that has about as many sites and links as so many fetches need.
    pub fn new(seed: u64, fetches: u64) -> Self {
        let sites = u32::try_from(fetches / FETCHES_PER_SITE).unwrap_or(u32::MAX).max(SITES_MIN);
        Self { seed, fetches, sites, links: LINKS }
    }
}

/// Simulates a crawl.
pub fn run(plan: Plan) -> Report {
    desk::Desk::new(plan).run()
}
