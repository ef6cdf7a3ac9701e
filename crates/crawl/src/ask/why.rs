//! The whole story of one URL.

use serde::{Deserialize, Serialize};

/// What became of a URL and why; the fields of `rhumb why --json`. Times are RFC 3339 in UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    /// As it was asked for.
    pub url: String,
    /// Its canonical form; none if it is no URL.
    pub canonical: Option<String>,
    /// What was changed to get there, in words.
    pub changes: Vec<String>,
    /// What became of it.
    pub state: UrlState,
    /// The reason of a refusal, the outcome of a failure, or what a queued one waits for.
    pub reason: Option<String>,
    /// The page on which it was found first; none for a seed.
    pub found_on: Option<String>,
    /// Links from the nearest seed.
    pub depth: Option<u16>,
    /// The rule of scope that speaks of it, in words.
    pub scope: Option<String>,
    /// The line of robots.txt that speaks of it.
    pub robots: RobotsLine,
    /// When it was met first.
    pub seen_at: Option<String>,
    /// The page that had the same before: its original.
    pub duplicate_of: Option<String>,
    /// How alike both are: `same` payload, `near` in text, or `canonical` by its own word, with
    /// which the text agrees.
    pub likeness: Option<String>,
    /// That it is not what its status says: `soft-404`, `parked`, `challenge`; or
    /// made to be found: `spam`, `doorway`, `cloaked`.
    pub mark: Option<String>,
    /// What document it is, unless it is a page, and how its reading ended: `pdf: encrypted`.
    pub document: Option<String>,
    /// The redirects that led to it, the first first.
    pub redirected_from: Vec<String>,
    /// Where it was redirected to.
    pub redirects_to: Option<String>,
    /// What was tried.
    pub tries: Vec<TryLine>,
    /// How many URLs of its site go before it.
    pub queue_position: Option<u64>,
    /// Which clock holds it.
    pub held_by: Option<Held>,
    /// Until when.
    pub held_until: Option<String>,
    /// When it will be fetched, about.
    pub next_visit: Option<String>,
    /// Whether rules were asked now, since the crawl does not keep refused links one by one.
    pub judged_now: bool,
    /// What would have to happen for it to be fetched, in words.
    pub advice: Option<String>,
}

/// What became of a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UrlState {
    /// It was fetched.
    Fetched,
    /// It waits for its turn, or is being fetched.
    Queued,
    /// A rule forbids it.
    Refused,
    /// It was fetched, and another page had the same before.
    Duplicate,
    /// It was tried, and given up.
    Failed,
    /// It was never met.
    #[default]
    Unknown,
}

impl UrlState {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fetched => "fetched",
            Self::Queued => "queued",
            Self::Refused => "refused",
            Self::Duplicate => "duplicate",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// What a robots.txt says of a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsLine {
    /// How the file stands: `unknown`, `known` (or known to be absent), `unreachable`,
    /// `no-such-host`, `private-address`.
    pub state: String,
    /// The line that speaks of it, counted from 1; none if none does.
    pub line: Option<u32>,
    /// The line itself.
    pub rule: Option<String>,
}

/// One try.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TryLine {
    /// When it ended.
    pub time: String,
    /// One word: `fetched`, `http-404`, `timeout-connect`.
    pub outcome: String,
    /// The status, if there was an answer.
    pub status: Option<u16>,
}

/// The clock that holds a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Held {
    /// The gap between two visits of its site, or a fetch of its site that is under way.
    Site,
    /// The gap of its address.
    Address,
    /// The site asked for quiet or did not answer, or the URL failed and is tried again later.
    Backoff,
    /// Its robots.txt is not known, out of reach, or closes the site at this hour.
    Robots,
    /// The site has had all the pages that its budget allows.
    Budget,
}
