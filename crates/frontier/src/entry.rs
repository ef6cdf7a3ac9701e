//! One URL in a queue.

use rhumb_order::Outlook;
use rhumb_web::{Candidate, CanonUrl, Copies, Errand, HashKey, UrlKey, Visit};
use serde::{Deserialize, Serialize};

use crate::agenda::BANDS;
use crate::worth::Worth;

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
    #[serde(skip)]
    memo: Memo,
}

/// What was worked out of an entry that is in memory, and is no part of it.
#[derive(Clone, Copy, Debug, Default)]
struct Memo {
    key: Option<UrlKey>,
    is_first: bool,
    outlook: Outlook,
}

impl PartialEq for Memo {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Memo {}

impl Entry {
    /// A first visit, not tried yet.
    pub fn new(candidate: Candidate) -> Self {
        Self { candidate, visit: Visit(0), tries: 0, again: false, memo: Memo::default() }
    }

    /// The same after so many tries.
    #[must_use]
    pub fn tried(&self, tries: u8) -> Self {
        Self { tries, ..self.clone() }
    }

    /// The same after it redirected to itself.
    #[must_use]
    pub fn asked_again(&self) -> Self {
        Self { again: true, ..self.clone() }
    }

    /// The same, to be fetched once more: what came so far is only compared.
    #[must_use]
    pub fn compared(&self, copies: Copies) -> Self {
        let candidate = Candidate { errand: Errand::Compared(copies), ..self.candidate.clone() };
        Self { candidate, tries: 0, again: false, ..self.clone() }
    }

    /// The page itself, whatever copies there are of it.
    #[must_use]
    pub fn itself(self) -> Self {
        Self { candidate: self.candidate.parted().0, ..self }
    }

    /// Where it is.
    pub fn url(&self) -> &CanonUrl {
        &self.candidate.url
    }

    /// Its key, once it was worked out.
    pub(crate) fn key(&self) -> Option<UrlKey> {
        self.memo.key
    }

    /// Whether earlier crawls have it that its page has changed.
    pub(crate) fn outlook(&self) -> Outlook {
        self.memo.outlook
    }

    /// Works out what is asked of it often.
    pub(crate) fn prepare(&mut self, hash: HashKey, worth: &Worth) {
        let key = self.url().key(hash);
        let (is_first, outlook) = (worth.is_first(self.url()), worth.outlook(key));
        self.memo = Memo { key: Some(key), is_first, outlook };
    }

    /// Whether it fetches a robots.txt: such errands go before pages and ask no robots.txt.
    pub fn is_robots(&self) -> bool {
        matches!(self.candidate.errand, Errand::Robots { .. })
    }

    /// The nearer to a seed, the lower the band. Band 0 goes before all others: seeds, what the
    /// user wants first, and sitemaps, since what they list is as good as linked from a seed.
    pub fn band(&self) -> usize {
        match self.candidate.errand {
            Errand::Sitemap | Errand::Robots { .. } => 0,
            Errand::Page | Errand::Compared(_) if self.memo.is_first => 0,
            Errand::Page | Errand::Compared(_) => usize::from(self.candidate.depth).min(BANDS - 1),
        }
    }
}
