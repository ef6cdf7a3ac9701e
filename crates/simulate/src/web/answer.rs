//! How a host answers one request.

use rhumb_crawl::partition::{Answer, Finding};
use rhumb_web::{Candidate, Errand, Failure, HashKey, Phase, Span};

use super::host::{Robots, Temper};
use super::{Place, Web, index};
use crate::chance::{Chance, mix};
use crate::moment::Moment;

/// The wait that a crawler owes to a push-back that names none.
const UNNAMED_QUIET: Moment = Moment::seconds(60);
/// Bytes of every page; nothing depends on it.
const PAGE_BYTES: u64 = 20_000;

/// An exchange that took place.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) took: Moment,
    /// What the crawler's shell makes of it.
    pub(crate) finding: Finding,
    /// How long the host wants to be left alone.
    pub(crate) quiet: Option<Moment>,
    /// Whether it leaves no reason to ask for the page again.
    pub(crate) is_final: bool,
}

impl Reply {
    /// The host took the request and never said anything.
    pub(crate) fn silence(chance: &mut Chance) -> Self {
        let took = Moment::millis(chance.between(50, 60_000));
        Self::failed(took, Failure::TimedOut(Phase::Body))
    }

    fn failed(took: Moment, failure: Failure) -> Self {
        let is_final = failure == Failure::NotHttp;
        Self { took, finding: Finding::Failed(failure), quiet: None, is_final }
    }

    fn answered(took: Moment, answer: Answer, is_final: bool) -> Self {
        Self { took, finding: Finding::Answered(Box::new(answer)), quiet: None, is_final }
    }
}

impl Web {
    /// Answers a request that begins at `start`.
    pub(crate) fn answer(
        &mut self,
        start: Moment,
        candidate: &Candidate,
        (hash, partitions): (HashKey, u16),
        chance: &mut Chance,
    ) -> Reply {
        let place = Self::find(&candidate.url);
        let temper = self.host(place.host).temper;
        let took = Moment(match temper {
            Temper::Slow => chance.between(3_000_000, 40_000_000),
            _ => chance.between(20_000, 100_000) + chance.skewed(900_000),
        });
        if let Some(failure) = failure(temper, took, chance) {
            return failure;
        }
        if chance.per_myriad(if temper == Temper::Pushy { 1_500 } else { 20 }) {
            return self.push_back(start, took, place, candidate, chance);
        }
        if matches!(candidate.errand, Errand::Robots { .. }) {
            return self.robots(place.host, took, chance);
        }
        if chance.per_myriad(50) {
            let answer = Answer { status: 500, ..Answer::default() };
            return Reply::answered(took, answer, false);
        }
        if chance.per_myriad(50) {
            let answer = Answer { status: 302, self_redirect: true, ..Answer::default() };
            return Reply::answered(took, answer, false);
        }
        let page = place.page.expect("an errand for a page asks for a page");
        let found = |to: Place, depth| self.found(to, depth, hash, partitions);
        let depth = candidate.depth.saturating_add(1);
        let links = self.links(place.host, page);
        // A page is what it is, however often it is asked for.
        let kind = mix(u64::from(place.host) << 32 | u64::from(page)) % 100;
        let (status, candidates) = match kind {
            _ if page == 0 => (200, links.iter().map(|to| found(*to, depth)).collect()),
            0..3 => (404, Vec::new()),
            3..5 => {
                let (owner, to) = found(links[0], candidate.depth);
                let hops = candidate.hops.saturating_add(1);
                (301, vec![(owner, Candidate { hops, ..to })])
            }
            _ => (200, links.iter().map(|to| found(*to, depth)).collect()),
        };
        let answer = Answer { status, bytes: PAGE_BYTES, candidates, ..Answer::default() };
        Reply::answered(took, answer, true)
    }

    fn robots(&mut self, host: u32, took: Moment, chance: &mut Chance) -> Reply {
        let mut answer = Answer::default();
        match self.host(host).robots {
            Robots::Unreachable => {
                return Reply::failed(took, Failure::TimedOut(Phase::Connect));
            }
            Robots::Failing => (answer.status, answer.pushback) = (503, Some(None)),
            Robots::Late(file, failures) if failures > 0 => {
                self.hosts[index(host)].robots = Robots::Late(file, failures - 1);
                answer.status = 500;
            }
            Robots::Late(file, _) | Robots::File(file) => {
                (answer.status, answer.robots) = (200, Some(file.text().into_bytes()));
            }
            Robots::Absent => answer.status = if chance.per_myriad(8_000) { 404 } else { 410 },
            Robots::Moved(to) => {
                let target = self.url(Place { host: to, page: None });
                (answer.status, answer.robots_moved) = (301, Some(target));
            }
        }
        self.hosts[index(host)].is_heard |= answer.status < 500;
        Reply::answered(took, answer, true)
    }

    /// A 429 or 503, with Retry-After in either form or without.
    fn push_back(
        &self,
        start: Moment,
        took: Moment,
        place: Place,
        candidate: &Candidate,
        chance: &mut Chance,
    ) -> Reply {
        let status = if chance.per_myriad(5_000) { 429 } else { 503 };
        let seconds = match chance.below(100) {
            0..50 => chance.between(1, 30),
            50..90 => chance.between(60, 600),
            90..98 => chance.between(3_600, 7_200),
            _ => 3 * 24 * 3_600,
        };
        let (quiet, pushback) = match chance.below(3) {
            0 => {
                let is_robots = matches!(candidate.errand, Errand::Robots { .. });
                // A robots.txt that fails without a word has shorter waits of its own.
                ((status == 429 || !is_robots).then_some(UNNAMED_QUIET), None)
            }
            1 => (Some(Moment::seconds(seconds)), Some(Span::seconds(seconds))),
            _ => {
                // Dates are whole seconds of the host's own clock, which it tells in Date.
                let skew = self.host(place.host).skew;
                let date = start.plus(took).plus(skew).as_millis() / 1_000;
                let until = Moment::seconds(date + seconds).since(skew);
                (Some(until.since(start.plus(took))), Some(Span::seconds(date + seconds - date)))
            }
        };
        let answer = Answer { status, pushback: Some(pushback), ..Answer::default() };
        Reply { quiet, ..Reply::answered(took, answer, false) }
    }
}

fn failure(temper: Temper, took: Moment, chance: &mut Chance) -> Option<Reply> {
    if !chance.per_myriad(if temper == Temper::Flaky { 3_000 } else { 80 }) {
        return None;
    }
    let (took, failure) = match chance.below(7) {
        0 => (Moment::seconds(20), Failure::TimedOut(Phase::Headers)),
        1 => (Moment::seconds(60), Failure::TimedOut(Phase::Body)),
        2 => (Moment::seconds(10), Failure::TimedOut(Phase::Connect)),
        3 => (took, Failure::Connect),
        4 => (took, Failure::Stale),
        5 => (took, Failure::NotHttp),
        _ => (took, Failure::Reset),
    };
    Some(Reply::failed(took, failure))
}
