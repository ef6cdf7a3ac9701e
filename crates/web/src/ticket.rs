//! What may be fetched, and the right to fetch it once.

use serde::{Deserialize, Serialize};

use crate::{CanonUrl, Origin, Tick};

/// Which visit of a URL this is; the first is 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Visit(pub u32);

/// Which ownership of a partition issued something; a later owner has a higher one.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Epoch(pub u64);

/// Numbers the tickets of one partition.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct TicketNumber(pub u64);

/// What a fetch is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Errand {
    /// A page: archived, parsed, its links followed.
    Page,
    /// A sitemap that a robots.txt named: its entries are candidates.
    Sitemap,
    /// The robots.txt of an origin, or the place to which it was redirected.
    Robots {
        /// For whom it will speak.
        origin: Origin,
        /// The redirects followed so far.
        hops: u8,
    },
}

/// A URL that was found and may be worth a visit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Where it is.
    pub url: CanonUrl,
    /// What it would be fetched for.
    pub errand: Errand,
    /// Links from the nearest seed, as far as known.
    pub depth: u16,
    /// Redirects that led here from the page that was linked.
    pub hops: u8,
}

/// The right to one fetch. It cannot be copied, and must be settled.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "an unsettled ticket keeps its site out of the queue"]
pub struct Ticket {
    /// Its number in its partition.
    pub number: TicketNumber,
    /// What to fetch.
    pub candidate: Candidate,
    /// Which visit of the URL.
    pub visit: Visit,
    /// Whose ownership of the partition issued it.
    pub epoch: Epoch,
    /// Tries before this one.
    pub tries: u8,
    /// When the fetch must have ended.
    pub expires: Tick,
}
