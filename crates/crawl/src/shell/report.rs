//! What the shell tells the outside while a crawl runs, and at its end.

use std::collections::BTreeMap;
use std::time::Duration;

use rhumb_frontier::Hold;
use rhumb_rules::Reason;
use rhumb_web::{CanonUrl, Errand, Span};

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
    /// An answer below 400.
    Fetched(u16),
    /// A rule forbade it.
    Refused(Reason),
    /// There was no page.
    Missed(Miss),
    /// There was none, and it is tried again.
    Retried(Miss),
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
                let what = match settled.result {
                    _ if is_robots => return None,
                    Settlement::AddressBusy => return None,
                    Settlement::Answered(status) if status < 400 => What::Fetched(status),
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
            Fact::Robots { origin, answer: RobotsAnswer::Unreachable(miss), .. } => Some(Self {
                url: origin.robots_url(),
                depth: 0,
                what: What::Retried(*miss),
                bytes: 0,
                took: None,
            }),
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
    /// Since the start.
    pub elapsed: Duration,
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
    /// Facts that were logged.
    pub facts: u64,
}
