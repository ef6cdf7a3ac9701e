//! How a crawl stands, in numbers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How a crawl stands. The names of its fields are those of `rhumb status --json` and, with
/// `rhumb_` before them, of the metrics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Whether it runs.
    pub state: Activity,
    /// It runs, and the user has paused it.
    pub paused: bool,
    /// What holds it back, in words: "waiting for host politeness: 412 of 480 sites".
    pub verdict: String,
    /// The same as one word: `politeness`, `cpu`, `disk`, `memory`, `connections`, `outage`,
    /// `pause`, `servers`, `robots`, `backoff`, `address`, `budget`, `block`, `stopped`,
    /// `nothing`.
    pub held_back_by: String,
    /// Answers below 400.
    pub fetched: u64,
    /// Of those, pages.
    pub pages: u64,
    /// Of those, redirects.
    pub redirects: u64,
    /// Of those, sitemaps.
    pub sitemaps: u64,
    /// Robots.txt files asked for.
    pub robots: u64,
    /// Pages that another page had before.
    pub duplicates: u64,
    /// Of those, pages whose text is nearly that of the other.
    pub near_duplicates: u64,
    /// Pages that are not what their status says: `soft-404`, `parked`, `challenge`; or
    /// made to be found: `spam`, `doorway`, `cloaked`.
    pub marked: BTreeMap<String, u64>,
    /// Sites that show the same pages as another, those with the most first.
    pub mirrors: Vec<Mirror>,
    /// URLs that wait for their turn.
    pub queued: u64,
    /// Sites with work that are held back.
    pub waiting: u64,
    /// The same by what holds them: `site`, `address`, `backoff`, `robots`, `budget`, `block`.
    pub waiting_by: BTreeMap<String, u64>,
    /// Links and URLs refused, by reason.
    pub refused: BTreeMap<String, u64>,
    /// URLs given up, by outcome.
    pub failed: BTreeMap<String, u64>,
    /// Bodies that are not whole, by why.
    pub cut: BTreeMap<String, u64>,
    /// Sites met.
    pub sites: u64,
    /// The same by state: `fetching`, `waiting`, `idle` in memory, `asleep` on disk.
    pub sites_by_state: BTreeMap<String, u64>,
    /// Fetches under way.
    pub in_flight: u64,
    /// Fetches that may be under way at once.
    pub connections: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Memory of the process; 0 if it does not run.
    pub memory_bytes: u64,
    /// The same by part, about: `bodies`, `seen`, `frontier`, `changed`, `likeness` and `other`.
    pub memory: BTreeMap<String, u64>,
    /// What the folder takes on disk.
    pub disk_bytes: u64,
    /// The same by part: `archive`, `log`, `seen`, `backlog`, `likeness`, `tables`, `other`.
    pub disk: BTreeMap<String, u64>,
    /// Pages a second, over the last ten seconds; 0 if it does not run.
    pub pages_per_s: f64,
    /// Bytes of bodies a second, over the last ten seconds.
    pub bytes_per_s: f64,
    /// Cores that the process keeps busy, over the last ten seconds.
    pub cpu_cores: f64,
    /// Since the start of this run.
    pub elapsed_ms: u64,
    /// How long the parts of the work take: `dns`, `connect`, `tls`, `write`, `first_byte`,
    /// `read`, `parse`, `digest`, `archive`, `log`, `links` (those of one page until the
    /// partitions that own them have them), `refill` (a site or a part of its queue is read from
    /// disk), `index` (one page is taken into the index); of this run.
    pub phases: BTreeMap<String, Percentiles>,
    /// Names that could not be looked up, in this run.
    pub dns_failures: u64,
    /// Our own connection seems to be down.
    pub outage: bool,
    /// Hosts and URLs that were forgotten.
    pub forgotten: u64,
    /// The sites with the most exchanges, of those that were watched.
    pub busiest: Vec<SiteStanding>,
    /// The sites whose answers take longest, of those that were watched.
    pub slowest: Vec<SiteStanding>,
    /// The last ends of URLs and of tries, newest first; none if it does not run.
    pub recent: Vec<RecentLine>,
}

/// The end of a URL, or of a try of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentLine {
    /// Which.
    pub url: String,
    /// When, as RFC 3339 in UTC.
    pub time: String,
    /// `fetched`, `refused`, `failed` or `retried`.
    pub what: String,
    /// One word for what came of it: `ok`, `redirect`, `http-404`, `robots`.
    pub outcome: String,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// Bytes of the body.
    pub bytes: u64,
    /// How long the exchange took, if there was one.
    pub took_ms: Option<u64>,
}

/// A site that shows the pages of another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mirror {
    /// Which.
    pub site: String,
    /// The other, which has more in common with others.
    pub of: String,
    /// Pages that both have under the same path.
    pub pages: u64,
}

/// Whether a crawl runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// A process works on it.
    Running,
    /// None does, and there is work left.
    #[default]
    Stopped,
    /// None does, and nothing is left to do.
    Done,
}

impl Activity {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Done => "done",
        }
    }
}

/// How long something takes, of so many times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// How often it happened.
    pub count: u64,
    /// All of it together.
    pub sum_ms: f64,
    /// Half took at most this.
    pub p50_ms: f64,
    /// Nine of ten took at most this.
    pub p90_ms: f64,
    /// Ninety-nine of a hundred took at most this.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
}

/// One site, as it stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteStanding {
    /// Which.
    pub site: String,
    /// Exchanges with it so far.
    pub visits: u64,
    /// URLs that wait for their turn.
    pub queued: u64,
    /// How long its answers take.
    pub takes_ms: u64,
    /// `fetching`, `waiting` or `idle`.
    pub state: String,
    /// What holds it, if it waits.
    pub held_by: Option<String>,
    /// For how long it has been fetching, or must still wait.
    pub for_ms: u64,
}
