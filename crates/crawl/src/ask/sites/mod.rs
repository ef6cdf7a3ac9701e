//! The sites of a crawl, a page of them at a time.
//!
//! Whoever owns the partitions says no more of their sites than by what they are sorted
//! ([`glance()`]); who asks matches, sorts and reads the disk ([`Gathering`]), and then has the few
//! of one page looked at ([`look`]).

mod gathering;
mod glance;
mod row;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use rhumb_web::Tick;
use serde::{Deserialize, Serialize};

pub(crate) use gathering::Gathering;
pub(crate) use glance::{Found, Glance, glance, look};
pub(crate) use row::Setting;

/// Sites on a page at most.
pub const SITES_MAX: u64 = 200;
/// Sites on disk that are looked at for one page at most.
pub const SITES_READ_MAX: usize = 200_000;

/// Which sites are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SitesWanted {
    /// A part of their names; all if empty.
    pub search: String,
    /// `search` is a whole name, and no part of one.
    pub whole: bool,
    /// By what they are sorted.
    pub sort: SiteOrder,
    /// The largest or latest first.
    pub descending: bool,
    /// How many to pass over.
    pub from: u64,
    /// How many to give, [`SITES_MAX`] at most.
    pub count: u64,
}

/// By what sites are sorted; those that are equal by their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteOrder {
    /// Their names.
    Site,
    /// What they do, and what holds them.
    State,
    /// When they are visited next; those that are not come last in any case.
    NextVisit,
    /// Exchanges so far.
    #[default]
    Visits,
    /// URLs that wait.
    Queued,
    /// The gap that holds between two visits.
    Delay,
}

/// A page of sites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SitesPage {
    /// Those that were wanted, in their order.
    pub sites: Vec<SiteRow>,
    /// How many match.
    pub total: u64,
    /// Whether all sites were looked at. Of those on disk there may be too many, and some of
    /// which only the first URLs are there have no name yet.
    pub exact: bool,
}

/// All that is told of one site. Times are RFC 3339 in UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteRow {
    /// Which: its host, and its port unless that is the usual one.
    pub site: String,
    /// `fetching`, `waiting`, `idle`, or `asleep` on disk while the crawl runs.
    pub state: String,
    /// What holds it now: `site`, `address`, `backoff`, `robots`, `budget`, `block`.
    pub held_by: Option<String>,
    /// When it may be visited next: now, if it is due; none without work, for as long as a rule
    /// bars it, and while the crawl is paused or does not run.
    pub next_visit: Option<String>,
    /// Exchanges so far.
    pub visits: u64,
    /// URLs that wait for their turn.
    pub queued: u64,
    /// Fetches under way.
    pub in_flight: u64,
    /// The quiet time between two visits that holds in any case.
    pub delay_ms: u64,
    /// What its robots.txt asks for.
    pub crawl_delay_ms: Option<u64>,
    /// Exchanges that it may have in all.
    pub budget: Option<u64>,
    /// Whether the user wants it left alone.
    pub blocked: bool,
    /// How its robots.txt stands: `unknown`, `known`, `unreachable`, `no-such-host`,
    /// `private-address`.
    pub robots: String,
}

impl SitesWanted {
    /// The same as names are written, and within its bounds.
    #[must_use]
    pub(crate) fn bounded(&self) -> Self {
        let search = self.search.trim().to_lowercase();
        Self { search, count: self.count.min(SITES_MAX), ..*self }
    }

    fn is_of(&self, name: &str) -> bool {
        if self.whole { name == self.search } else { name.contains(&self.search) }
    }

    /// Of two sites with what they are sorted by, which comes first.
    fn order(&self, one: (u64, &str), other: (u64, &str)) -> Ordering {
        let by_key = one.0.cmp(&other.0);
        let by_name = one.1.cmp(other.1);
        let is_never = |key: u64| self.sort == SiteOrder::NextVisit && key == Tick::NEVER.0;
        match (self.sort, self.descending) {
            (SiteOrder::Site, true) => by_name.reverse(),
            (SiteOrder::Site, false) => by_name,
            (_, true) => {
                let last = is_never(one.0).cmp(&is_never(other.0));
                last.then(by_key.reverse()).then(by_name)
            }
            (_, false) => by_key.then(by_name),
        }
    }
}
