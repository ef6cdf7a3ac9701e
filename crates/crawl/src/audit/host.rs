//! The figures of one host, and what was done there against the rules.

use rhumb_web::Site;

/// Violations that are kept for one host, and in the total; the others are only counted.
pub const LISTED_MAX: usize = 100;
/// Violations that are kept over all hosts.
const LISTED_IN_ALL_MAX: usize = 10_000;

/// What was done to one host; or to all of them, then it has no name.
#[derive(Clone, Debug, Default)]
pub struct HostAudit {
    /// Which.
    pub host: Option<Site>,
    /// Requests that were sent, or may have been: those that were interrupted count.
    pub requests: u64,
    /// Requests that were under way when the process ended: whether they reached the server is
    /// not known.
    pub interrupted: u64,
    /// Tries that ended before a request could be sent: no name, no connection, no TLS.
    pub attempts: u64,
    /// Requests for robots.txt.
    pub robots_requests: u64,
    /// Requests that were sent under the headers of a browser.
    pub disguised: u64,
    /// The shortest quiet time between two requests.
    pub min_gap_ms: Option<u64>,
    /// The gap that came nearest to what was asked for.
    pub tightest: Option<Kept>,
    /// The most requests at once.
    pub max_in_flight: u32,
    /// The longest gap that the settings asked for, as far as the archive says.
    pub delay_ms: Option<u64>,
    /// The longest gap that robots.txt asked for.
    pub crawl_delay_ms: Option<u64>,
    /// When the first request began: milliseconds since 1970.
    pub first_ms: Option<u64>,
    /// When the last one did.
    pub last_ms: Option<u64>,
    /// How often something was done against the rules.
    pub violations: u64,
    /// The first of these.
    pub violation_list: Vec<Violation>,
}

/// A gap, and what was asked for then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The quiet time that was kept.
    pub gap_ms: u64,
    /// The quiet time that was asked for.
    pub asked_ms: u64,
}

/// Something that was done against the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Against which.
    pub kind: ViolationKind,
    /// When: milliseconds since 1970.
    pub time_ms: u64,
    /// The URL that was asked for.
    pub url: String,
    /// What is wrong, in words.
    pub what: String,
}

/// The rules that can be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViolationKind {
    /// Sooner after the request before it than was asked for.
    Gap,
    /// More at once than is allowed.
    InFlight,
    /// The robots.txt in force forbids it.
    Robots,
    /// No robots.txt was known.
    NoRobots,
    /// Outside the hours of robots.txt.
    Hours,
}

impl ViolationKind {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::InFlight => "in-flight",
            Self::Robots => "robots",
            Self::NoRobots => "no-robots",
            Self::Hours => "hours",
        }
    }
}

impl Kept {
    /// How far above what was asked for; below it, less than nothing.
    fn margin(self) -> i128 {
        i128::from(self.gap_ms) - i128::from(self.asked_ms)
    }
}

impl HostAudit {
    pub(super) fn note_gap(&mut self, kept: Kept) {
        self.min_gap_ms = least(self.min_gap_ms, Some(kept.gap_ms));
        if self.tightest.is_none_or(|before| kept.margin() < before.margin()) {
            self.tightest = Some(kept);
        }
    }

    pub(super) fn note_time(&mut self, time_ms: u64) {
        self.first_ms = least(self.first_ms, Some(time_ms));
        self.last_ms = self.last_ms.max(Some(time_ms));
    }

    /// Counts violations and keeps the first; `listed` are those that are kept in all.
    pub(super) fn blame(&mut self, violations: &[Violation], listed: &mut usize) {
        for violation in violations {
            self.violations += 1;
            if self.violation_list.len() < LISTED_MAX && *listed < LISTED_IN_ALL_MAX {
                self.violation_list.push(violation.clone());
                *listed += 1;
            }
        }
    }

    /// Adds the figures of another host.
    pub(super) fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.interrupted += other.interrupted;
        self.attempts += other.attempts;
        self.robots_requests += other.robots_requests;
        self.disguised += other.disguised;
        self.min_gap_ms = least(self.min_gap_ms, other.min_gap_ms);
        if let Some(kept) = other.tightest
            && self.tightest.is_none_or(|before| kept.margin() < before.margin())
        {
            self.tightest = Some(kept);
        }
        self.max_in_flight = self.max_in_flight.max(other.max_in_flight);
        self.delay_ms = self.delay_ms.max(other.delay_ms);
        self.crawl_delay_ms = self.crawl_delay_ms.max(other.crawl_delay_ms);
        self.first_ms = least(self.first_ms, other.first_ms);
        self.last_ms = self.last_ms.max(other.last_ms);
        self.violations += other.violations;
        let room = LISTED_MAX.saturating_sub(self.violation_list.len());
        self.violation_list.extend(other.violation_list.iter().take(room).cloned());
    }
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (known, None) | (None, known) => known,
    }
}
