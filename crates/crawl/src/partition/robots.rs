//! What a partition knows of an origin's robots.txt, and what follows from it (RFC 9309 §2.3).

use rhumb_rules::{Robots, RobotsFor};
use rhumb_web::{Span, Tick};
use serde::{Deserialize, Serialize};

use super::dossier::RobotsRow;
use super::fact::RobotsAnswer;

/// A file is believed for this long.
pub(super) const FRESH_FOR: Span = Span::hours(24);
/// After this long without an answer a robots.txt counts as absent.
const GIVEN_UP_AFTER: Span = Span::hours(30 * 24);
/// Waits before the further tries of a robots.txt that is out of reach.
const RETRY_WAITS: [Span; 3] = [Span::seconds(2), Span::seconds(10), Span::seconds(30)];
/// The first wait after those; it doubles to a day. Longer than a run waits for anything.
const LONG_WAIT_FIRST: Span = Span::minutes(10);
/// A host that does not exist is looked up again after this.
const NO_HOST_FOR: Span = Span::hours(1);
/// How long the answer to a question may be under way, over all its redirects and their queues.
pub(super) const ANSWER_WITHIN: Span = Span::minutes(10);

/// The state of one origin's robots.txt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RobotsState {
    /// The last file that came, as it speaks to us; kept as [`RobotsRow`], as it came.
    #[serde(skip)]
    good: Option<RobotsFor>,
    /// Bytes that it takes, about: twice those of the file.
    #[serde(skip)]
    bytes: usize,
    /// By what the server knows it.
    etag: Option<String>,
    /// What the last answer was.
    standing: Standing,
    /// Answers in a row that were failures.
    failures: u8,
    /// When the first of them came.
    failing_since: Tick,
    /// When to ask again.
    refresh_at: Tick,
    /// Since when an answer is under way.
    asked_at: Option<Tick>,
    /// It was out of reach for so long that it counts as absent.
    is_absent_by_age: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Standing {
    #[default]
    Unknown,
    Known,
    Unreachable,
    NoSuchHost,
    PrivateAddress,
}

/// What a site on turn has to do about robots.txt before a page.
#[derive(Debug)]
pub(super) enum Need<'a> {
    /// Ask for it.
    Ask,
    /// Wait: it was asked for, or is out of reach.
    Wait(Tick),
    /// It speaks.
    Obey(&'a RobotsFor),
    /// The host does not exist.
    NoSuchHost,
    /// The host is private.
    PrivateAddress,
}

impl RobotsState {
    pub(super) fn need(&self, now: Tick) -> Need<'_> {
        if let Some(asked) = self.asked_at.filter(|_| self.is_asked(now)) {
            return Need::Wait(asked + ANSWER_WITHIN);
        }
        if now >= self.refresh_at {
            return Need::Ask;
        }
        match (self.standing, &self.good) {
            (Standing::NoSuchHost, _) => Need::NoSuchHost,
            (Standing::PrivateAddress, _) => Need::PrivateAddress,
            (Standing::Known | Standing::Unreachable, Some(rules)) => Need::Obey(rules),
            (Standing::Unreachable, None) => Need::Wait(self.refresh_at),
            (Standing::Unknown | Standing::Known, _) => Need::Ask,
        }
    }

    /// When it is asked for again.
    pub(crate) fn asked_again_at(&self) -> Tick {
        self.refresh_at
    }

    /// How it stands, in one word: `unknown`, `known`, `unreachable`, `no-such-host`,
    /// `private-address`.
    pub(crate) fn word(&self) -> &'static str {
        match self.standing {
            Standing::Unknown => "unknown",
            Standing::Known => "known",
            Standing::Unreachable => "unreachable",
            Standing::NoSuchHost => "no-such-host",
            Standing::PrivateAddress => "private-address",
        }
    }

    /// Whether the short tries are spent.
    pub(super) fn is_out_of_reach(&self) -> bool {
        let wait = self.refresh_at.since(self.failing_since);
        self.standing == Standing::Unreachable && wait >= LONG_WAIT_FIRST
    }

    /// The rules in force, if a file ever came.
    pub(crate) fn rules(&self) -> Option<&RobotsFor> {
        self.good.as_ref()
    }

    /// When to ask again after this answer.
    pub(super) fn refresh_at(&self, now: Tick, answer: &RobotsAnswer, retries: bool) -> Tick {
        let wait = match answer {
            RobotsAnswer::File { .. } | RobotsAnswer::Unchanged | RobotsAnswer::Absent => FRESH_FOR,
            RobotsAnswer::NoSuchHost | RobotsAnswer::PrivateAddress => NO_HOST_FOR,
            RobotsAnswer::Unreachable(_) if self.is_given_up(now) => FRESH_FOR,
            RobotsAnswer::Unreachable(_) => {
                let failures = usize::from(self.failures);
                let short = RETRY_WAITS.get(failures).filter(|_| retries).copied();
                short.unwrap_or_else(|| {
                    let doublings = failures.saturating_sub(RETRY_WAITS.len()).min(8);
                    Span(LONG_WAIT_FIRST.0 << doublings).min(FRESH_FOR)
                })
            }
        };
        now + wait
    }

    fn is_given_up(&self, now: Tick) -> bool {
        self.failures > 0 && now.since(self.failing_since) >= GIVEN_UP_AFTER
    }

    pub(super) fn asked(&mut self, now: Tick) {
        self.asked_at = Some(now);
    }

    /// What was asked is void.
    pub(super) fn unasked(&mut self) {
        self.asked_at = None;
    }

    /// Whether an answer is under way.
    pub(super) fn is_asked(&self, now: Tick) -> bool {
        self.asked_at.is_some_and(|asked| now.since(asked) < ANSWER_WITHIN)
    }

    /// Bytes that its file takes in memory, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// By what the server knows the file that we have.
    pub(super) fn etag(&self) -> Option<&String> {
        self.etag.as_ref().filter(|_| self.good.is_some())
    }

    /// As it was when it was kept, with its last good file.
    #[must_use]
    pub(crate) fn with_file(mut self, agent: &str, row: Option<&RobotsRow>) -> Self {
        self.good = match row {
            _ if self.good.is_some() => self.good,
            _ if self.is_absent_by_age => Some(Robots::allow_all().for_agent(agent)),
            Some(RobotsRow::File(body)) => {
                self.bytes = 2 * body.len();
                Some(Robots::parse(body).for_agent(agent))
            }
            Some(RobotsRow::Absent) => Some(Robots::allow_all().for_agent(agent)),
            None => None,
        };
        self
    }

    pub(super) fn answered(
        &mut self,
        now: Tick,
        agent: &str,
        answer: &RobotsAnswer,
        refresh_at: Tick,
    ) {
        let given_up = self.is_given_up(now);
        self.refresh_at = refresh_at;
        self.asked_at = None;
        let unreachable = matches!(answer, RobotsAnswer::Unreachable(_));
        if unreachable && !given_up {
            if self.failures == 0 {
                self.failing_since = now;
            }
            self.failures = self.failures.saturating_add(1);
            self.standing = Standing::Unreachable;
            return;
        }
        if !unreachable {
            self.failures = 0;
        }
        self.standing = match answer {
            RobotsAnswer::NoSuchHost => Standing::NoSuchHost,
            RobotsAnswer::PrivateAddress => Standing::PrivateAddress,
            _ => Standing::Known,
        };
        match answer {
            RobotsAnswer::File { body, etag } => {
                self.good = Some(Robots::parse(body).for_agent(agent));
                self.bytes = 2 * body.len();
                self.etag.clone_from(etag);
                self.is_absent_by_age = false;
            }
            RobotsAnswer::Absent | RobotsAnswer::Unreachable(_) => {
                self.good = Some(Robots::allow_all().for_agent(agent));
                self.bytes = 0;
                self.etag = None;
                self.is_absent_by_age = unreachable;
            }
            RobotsAnswer::Unchanged | RobotsAnswer::NoSuchHost | RobotsAnswer::PrivateAddress => {}
        }
    }
}
