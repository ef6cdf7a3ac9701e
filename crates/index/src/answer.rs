//! What is asked of a search, and what it answers.

use rhumb_web::{CanonUrl, UrlKey};

use crate::{Place, Snippet, Weights};

/// Results that can be seen of one query: beyond them nobody looks, and each costs time.
pub const RESULTS_MAX: usize = 1_000;

/// What is wanted of a query's results.
#[derive(Clone, Debug)]
pub struct Want {
    /// Results to pass over.
    pub from: usize,
    /// Results to give; [`RESULTS_MAX`] is the end of all.
    pub count: usize,
    /// Whether each hit tells the parts of its score.
    pub explain: bool,
    /// Whether matches are counted by site, language and kind.
    pub facets: bool,
    /// Other weights than the usual ones, for tuning.
    pub weights: Option<Weights>,
}

impl Default for Want {
    fn default() -> Self {
        Self { from: 0, count: 10, explain: false, facets: false, weights: None }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The hits that were wanted, best first.
    pub hits: Vec<Hit>,
    /// How many pages match; see `is_exact`.
    pub total: u64,
    /// Whether `total` is all of them, or they are at least so many.
    pub is_exact: bool,
    /// Whether there are results after these.
    pub has_more: bool,
    /// A query that probably was meant.
    pub suggestion: Option<String>,
    /// Something in the query that may have been meant otherwise, in a sentence.
    pub hint: Option<String>,
    /// What was done to the query to find anything.
    pub loosened: Option<Loosened>,
    /// Matches by site, language and kind, if asked for.
    pub facets: Option<Facets>,
}

/// How a query was loosened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loosened {
    /// Words that no page has, and what was searched for instead.
    pub corrected: Vec<(String, String)>,
    /// Words that no page has.
    pub dropped: Vec<String>,
    /// Whether the pages have some of the words only, because none has all.
    pub is_partial: bool,
}

/// Matches by what they are, most first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// By host and port.
    pub sites: Vec<(String, u64)>,
    /// By primary tag of the language.
    pub languages: Vec<(String, u64)>,
    /// By kind of document.
    pub kinds: Vec<(String, u64)>,
    /// Whether only the first matches were counted, because there are too many.
    pub is_sample: bool,
}

/// A page that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its place among the results, from 1.
    pub rank: usize,
    /// The key of its URL.
    pub key: UrlKey,
    /// Where it is.
    pub url: CanonUrl,
    /// Its title.
    pub title: Option<String>,
    /// What of its text shows the words.
    pub snippet: Snippet,
    /// Its score: the sum of its parts.
    pub score: f32,
    /// The parts of the score, if asked for.
    pub parts: Vec<Part>,
    /// Its host and port.
    pub site: String,
    /// When it was fetched, in milliseconds since 1970.
    pub fetched_ms: u64,
    /// When it was last changed or published, as it says itself; milliseconds since 1970.
    pub dated_ms: Option<i64>,
    /// The primary tag of its language.
    pub language: Option<String>,
    /// What it is: `html`, `pdf` and so on.
    pub kind: String,
    /// How many results with the same content are not shown for it.
    pub folded: u64,
    /// Where its record lies in the archive.
    pub place: Place,
    /// It asks that no copy of it be shown.
    pub no_archive: bool,
}

/// A part of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// What it is for.
    pub name: &'static str,
    /// What it adds.
    pub value: f32,
}

/// A page that links or is linked, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The key of its URL.
    pub key: UrlKey,
    /// Where it is, if it is in the index.
    pub url: Option<CanonUrl>,
    /// Its title.
    pub title: Option<String>,
}

/// What the index holds of a page, for those who compare it with the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The key of its URL.
    pub key: UrlKey,
    /// Where it is.
    pub url: CanonUrl,
    /// Its title.
    pub title: Option<String>,
    /// The digest of its payload.
    pub digest: Option<String>,
    /// Where its record lies.
    pub place: Place,
    /// The page that had the same before, if one had.
    pub original: Option<UrlKey>,
    /// The page whose results it is folded with: its own key, or that of the first original.
    pub group: UrlKey,
    /// Whether its score sinks.
    pub sinks: bool,
    /// The texts of links that it is found by, as a fingerprint.
    pub anchored: u64,
}
