//! What the shell tells the outside while a crawl runs, and at its end.

use std::collections::BTreeMap;
use std::time::Duration;

use rhumb_frontier::Hold;
use rhumb_rules::Reason;
use rhumb_web::{CanonUrl, Cut, Errand, Site, Span};

use crate::partition::{Cause, Fact, Miss, RobotsAnswer, Settlement, Tally};

/// The end of one URL.
#[derive(Clone, Debug)]
pub struct Report {
    /// Which.
    pub url: CanonUrl,
    /// Links from the nearest seed.
    pub depth: u16,
    /// What became of it.
    pub what: What,
    /// Bytes of the body.
    pub bytes: u64,
    /// How long the exchange took; none if there was none.
    pub took: Option<Span>,
}

/// What became of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An answer below 400, and why its body is not whole.
    Fetched(u16, Option<Cut>),
    /// A rule forbade it.
    Refused(Reason),
    /// There was no page.
    Missed(Miss),
    /// There was none, and it is tried again.
    Retried(Miss),
}

impl What {
    /// The one word for it: `fetched`, `refused`, `failed`, `retried`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fetched(..) => "fetched",
            Self::Refused(_) => "refused",
            Self::Missed(_) => "failed",
            Self::Retried(_) => "retried",
        }
    }

    /// The status of the answer, if there was one.
    pub fn status(self) -> Option<u16> {
        match self {
            Self::Fetched(status, _)
            | Self::Missed(Miss::Status(status))
            | Self::Retried(Miss::Status(status)) => Some(status),
            Self::Refused(_) | Self::Missed(_) | Self::Retried(_) => None,
        }
    }

    /// One word for what came of it: `ok`, `redirect`, `http-404`, or the reason of a refusal.
    pub fn outcome(self) -> String {
        match self {
            Self::Fetched(_, Some(cut)) => cut.word().to_owned(),
            Self::Fetched(304, None) => "unchanged".to_owned(),
            Self::Fetched(300..400, None) => "redirect".to_owned(),
            Self::Fetched(_, None) => "ok".to_owned(),
            Self::Refused(reason) => reason.word().to_owned(),
            Self::Missed(miss) | Self::Retried(miss) => miss.word(),
        }
    }
}

impl Report {
    /// What a fact tells, if it ends a URL or a try of it.
    pub(super) fn of(fact: &Fact) -> Option<Self> {
        match fact {
            Fact::Settled(settled) => {
                let is_robots = matches!(settled.entry.candidate.errand, Errand::Robots { .. });
                let missed = |miss| {
                    if settled.again.is_some() { What::Retried(miss) } else { What::Missed(miss) }
                };
                let is_over = settled.again.is_none();
                let what = match settled.result {
                    _ if is_robots => return None,
                    Settlement::AddressBusy | Settlement::Dropped(_) => return None,
                    Settlement::Answered(status) if status < 400 && is_over => {
                        What::Fetched(status, settled.cut)
                    }
                    // A redirect to itself, which is asked again with its cookie.
                    Settlement::Answered(status) if status < 400 => return None,
                    Settlement::Answered(status) => missed(Miss::Status(status)),
                    Settlement::Failed(failure) => missed(Miss::Failure(failure)),
                    Settlement::PrivateAddress => What::Refused(Reason::PrivateAddress),
                };
                Some(Self {
                    url: settled.entry.url().clone(),
                    depth: settled.entry.candidate.depth,
                    what,
                    bytes: settled.bytes,
                    took: Some(settled.took),
                })
            }
            Fact::Dropped { entry, cause } => {
                let what = match cause {
                    Cause::Refused(reason) => What::Refused(*reason),
                    Cause::Failed(failure) => What::Missed(Miss::Failure(*failure)),
                };
                let depth = entry.candidate.depth;
                Some(Self { url: entry.url().clone(), depth, what, bytes: 0, took: None })
            }
            Fact::Robots { origin, answer, is_given_up, .. } => {
                let RobotsAnswer::Unreachable(miss) = answer else { return None };
                let what = if *is_given_up { What::Missed(*miss) } else { What::Retried(*miss) };
                Some(Self { url: origin.robots_url(), depth: 0, what, bytes: 0, took: None })
            }
            _ => None,
        }
    }
}

/// How a crawl stands.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The counts.
    pub tally: Tally,
    /// URLs that wait for their turn.
    pub queued: u64,
    /// Sites with work that are held back, by what.
    pub waiting: BTreeMap<Hold, u64>,
    /// Sites met.
    pub sites: u64,
    /// Fetches under way.
    pub in_flight: usize,
    /// Our own connection seems to be down.
    pub outage: bool,
    /// The user has paused it.
    pub paused: bool,
    /// Since the start of this run.
    pub elapsed: Duration,
    /// Pages that earlier runs of this crawl fetched; the counts contain them.
    pub before: u64,
    /// How far the wall clock last jumped, and whether forward; the crawl does not follow it.
    pub clock_jump: Option<(Duration, bool)>,
    /// The sites with the most exchanges, of those that were watched; a second old at most.
    pub busiest: Vec<SiteLine>,
    /// The sites whose answers take longest, of those that were watched.
    pub slowest: Vec<SiteLine>,
}

/// One site, as a display shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteLine {
    /// Which.
    pub site: Site,
    /// Exchanges with it so far.
    pub visits: u64,
    /// URLs that wait for their turn.
    pub queued: u64,
    /// How long its answers take.
    pub takes: Span,
    /// What it does at the moment.
    pub standing: Standing,
}

/// What a site does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A fetch is under way, for so long.
    UnderWay(Span),
    /// It has work, and is held back for so long.
    Waits(Hold, Span),
    /// It has nothing to do.
    Idle,
}

/// What a summary says of hosts that made themselves noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// Sites whose robots.txt asks for a gap above ten seconds.
    pub slow: u64,
    /// What the slowest of them needs for all of its URLs at that gap.
    pub slow_needs: Span,
    /// Sites that answered 429 or 503.
    pub pushed: u64,
    /// Sites with work whose robots.txt is out of reach.
    pub unreachable: u64,
    /// The URLs that wait for those.
    pub unreachable_urls: u64,
}

/// Why a crawl ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left, or all that is left waits for long.
    Done,
    /// The asked number of pages, bytes or hours was reached.
    Limit,
    /// The user stopped it.
    Stopped,
    /// The disk is nearly full.
    DiskLow {
        /// Bytes that are free.
        free_bytes: u64,
        /// Bytes below which no fetch is started.
        needs_bytes: u64,
    },
}

/// How a crawl ended.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Why.
    pub ended: Ended,
    /// The last state.
    pub progress: Progress,
    /// Pages whose body another page had before.
    pub duplicates: u64,
    /// Hosts that made themselves noticed.
    pub hosts: Hosts,
    /// Facts that were logged.
    pub facts: u64,
}
