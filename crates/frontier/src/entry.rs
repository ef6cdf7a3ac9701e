//! One URL in a queue.

use rhumb_web::{Candidate, CanonUrl, Errand, Visit};
use serde::{Deserialize, Serialize};

use crate::agenda::BANDS;

/// A candidate that was admitted and waits for its turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What to fetch.
    pub candidate: Candidate,
    /// Which visit this will be.
    pub visit: Visit,
    /// Tries already spent.
    pub tries: u8,
    /// It redirected to itself once, and is asked again with its new cookie.
    pub again: bool,
}

impl Entry {
    /// A first visit, not tried yet.
    pub fn new(candidate: Candidate) -> Self {
        Self { candidate, visit: Visit(0), tries: 0, again: false }
    }

    /// Where it is.
    pub fn url(&self) -> &CanonUrl {
        &self.candidate.url
    }

    /// Whether it fetches a robots.txt: such errands go before pages and ask no robots.txt.
    pub fn is_robots(&self) -> bool {
        matches!(self.candidate.errand, Errand::Robots { .. })
    }

    /// Its priority: the nearer to a seed, the lower the band. Sitemaps come with the seeds,
    /// since what they list is as good as linked from there.
    pub fn band(&self) -> usize {
        match self.candidate.errand {
            Errand::Sitemap | Errand::Robots { .. } => 0,
            Errand::Page => usize::from(self.candidate.depth).min(BANDS - 1),
        }
    }
}
