//! The checker: it sees when which host was visited, and what the web had asked for.
//!
//! It shares no code with the frontier: the rules of politeness stand here a second time, as a
//! server would hold them against us.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::chance::mix;
use crate::moment::Moment;

/// The gap that the simulated crawl promises to every host.
pub const DELAY: Moment = Moment::seconds(1);
/// The gap is this many times the last exchange, up to [`LOAD_GAP_MAX`].
const LOAD_TIMES: u64 = 5;
const LOAD_GAP_MAX: Moment = Moment::seconds(60);
/// Nobody is left alone for longer than this, whatever was asked.
const QUIET_MAX: Moment = Moment::hours(24);
/// Violations that are told one by one.
const EXAMPLES_MAX: usize = 10;

/// One exchange as the web saw it.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// When the request began.
    pub start: Moment,
    /// When it ended.
    pub end: Moment,
    /// The host that was asked.
    pub host: u32,
    /// The address that it lives at.
    pub address: u32,
    /// The page, or none for a robots.txt.
    pub page: Option<u32>,
    /// Whether the host's robots.txt lets this be asked for.
    pub allowed: bool,
    /// The gap that the host's robots.txt asks for.
    pub crawl_delay: Moment,
    /// How long the host wants quiet after this exchange, since it pushed back.
    pub quiet: Option<Moment>,
    /// Whether the crawler heard the end of this page, and has no reason to ask again.
    pub is_final: bool,
}

/// What a host may complain of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Violation {
    /// A visit before the gap was over.
    Early,
    /// A visit before the quiet time was over that the host had asked for.
    PushedBack,
    /// Two requests at once.
    Overlap,
    /// A page that robots.txt forbids, or that was asked for without a robots.txt.
    Disallowed,
    /// A page that had been fetched.
    Repeated,
}

impl Violation {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Early, Self::PushedBack, Self::Overlap, Self::Disallowed, Self::Repeated];

    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Early => "early",
            Self::PushedBack => "pushed-back",
            Self::Overlap => "overlap",
            Self::Disallowed => "disallowed",
            Self::Repeated => "repeated",
        }
    }
}

/// What is remembered of a host.
#[derive(Clone, Copy, Debug, Default)]
struct Host {
    last: Option<(Moment, Moment)>,
    quiet_until: Moment,
    /// A page was asked for, so the crawler has read what gap robots.txt wants.
    is_read: bool,
}

/// Watches a history.
#[derive(Debug, Default)]
pub struct Checker {
    hosts: HashMap<u32, Host>,
    finished: HashSet<(u32, u32)>,
    violations: BTreeMap<Violation, u64>,
    examples: Vec<String>,
    history: u64,
}

impl Checker {
    /// Takes note of a visit; those of one host come in the order of their start.
    pub fn see(&mut self, visit: &Visit) {
        self.remember(visit);
        for violation in self.judge(visit) {
            *self.violations.entry(violation).or_default() += 1;
            if self.examples.len() < EXAMPLES_MAX {
                self.examples.push(format!("{}: {visit:?}", violation.word()));
            }
        }
        let host = self.hosts.entry(visit.host).or_default();
        host.is_read |= visit.page.is_some();
        host.last = Some((visit.start, visit.end));
        if let Some(quiet) = visit.quiet {
            host.quiet_until = host.quiet_until.max(visit.end.plus(quiet.min(QUIET_MAX)));
        }
        if let Some(page) = visit.page.filter(|_| visit.is_final) {
            self.finished.insert((visit.host, page));
        }
    }

    fn judge(&self, visit: &Visit) -> impl Iterator<Item = Violation> + use<> {
        let host = self.hosts.get(&visit.host).copied().unwrap_or_default();
        let is_overlap = host.last.is_some_and(|(_, end)| visit.start < end);
        let is_early = host.last.is_some_and(|(start, end)| {
            // The crawler measures whole milliseconds, so five times as much is whole ones too.
            let took = Moment::millis(end.since(start).as_millis());
            let by_load = Moment(took.0 * LOAD_TIMES).min(LOAD_GAP_MAX);
            let knows_robots = host.is_read || visit.page.is_some();
            let by_robots = if knows_robots { visit.crawl_delay } else { Moment::default() };
            visit.start < end.plus(DELAY.max(by_load).max(by_robots))
        });
        let is_finished =
            visit.page.is_some_and(|page| self.finished.contains(&(visit.host, page)));
        let found = [
            (Violation::Overlap, is_overlap),
            (Violation::Early, is_early && !is_overlap),
            (Violation::PushedBack, visit.start < host.quiet_until),
            (Violation::Disallowed, !visit.allowed),
            (Violation::Repeated, is_finished),
        ];
        found.into_iter().filter(|(_, is_so)| *is_so).map(|(violation, _)| violation)
    }

    fn remember(&mut self, visit: &Visit) {
        let place = (u64::from(visit.host) << 32) | u64::from(visit.address);
        let page = visit.page.map_or(u64::MAX, u64::from);
        for number in [visit.start.0, visit.end.0, place, page] {
            self.history = mix(self.history ^ number).wrapping_add(number);
        }
    }

    /// How often each violation happened.
    pub fn violations(&self) -> &BTreeMap<Violation, u64> {
        &self.violations
    }

    /// The first violations in words.
    pub fn examples(&self) -> &[String] {
        &self.examples
    }

    /// A number that is the same only for the same visits in the same order.
    pub fn history(&self) -> u64 {
        self.history
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(start: u64, page: u32) -> Visit {
        Visit {
            start: Moment::millis(start),
            end: Moment::millis(start + 100),
            host: 1,
            address: 1,
            page: Some(page),
            allowed: true,
            crawl_delay: Moment::default(),
            quiet: None,
            is_final: true,
        }
    }

    fn seen(visits: &[Visit]) -> Checker {
        let mut checker = Checker::default();
        for visit in visits {
            checker.see(visit);
        }
        checker
    }

    fn check(visits: &[Visit], expect: &[Violation]) {
        let checker = seen(visits);
        let found: Vec<Violation> = checker.violations().keys().copied().collect();
        assert_eq!(found, expect, "{visits:?}");
    }

    #[test]
    fn a_visit_after_the_gap_is_fine_and_one_before_is_early() {
        check(&[visit(0, 1), visit(1_100, 2)], &[]);
        check(&[visit(0, 1), visit(1_099, 2)], &[Violation::Early]);
        check(&[visit(0, 1), visit(99, 2)], &[Violation::Overlap]);
    }

    #[test]
    fn a_slow_exchange_asks_for_five_times_its_time() {
        let slow = Visit { end: Moment::millis(900), ..visit(0, 1) };
        check(&[slow, visit(5_400, 2)], &[]);
        check(&[slow, visit(5_399, 2)], &[Violation::Early]);
    }

    #[test]
    fn a_crawl_delay_holds_for_pages_and_then_for_everything() {
        let delayed = |start, page| Visit { crawl_delay: Moment::seconds(3), ..visit(start, page) };
        let robots = |start| Visit { page: None, ..delayed(start, 0) };
        check(&[robots(0), robots(1_100), delayed(4_200, 1)], &[]);
        check(&[robots(0), delayed(3_099, 1)], &[Violation::Early]);
        check(&[delayed(0, 1), robots(3_099)], &[Violation::Early]);
    }

    #[test]
    fn a_push_back_holds_for_as_long_as_it_says() {
        let pushed = Visit { quiet: Some(Moment::seconds(60)), is_final: false, ..visit(0, 1) };
        check(&[pushed, visit(60_100, 1)], &[]);
        check(&[pushed, visit(60_099, 1)], &[Violation::PushedBack]);
    }

    #[test]
    fn what_is_forbidden_or_done_is_not_asked_for() {
        check(&[Visit { allowed: false, ..visit(0, 1) }], &[Violation::Disallowed]);
        check(&[visit(0, 1), visit(9_000, 1)], &[Violation::Repeated]);
        check(&[Visit { is_final: false, ..visit(0, 1) }, visit(9_000, 1)], &[]);
    }

    #[test]
    fn another_order_is_another_history() {
        let other = Visit { host: 2, ..visit(0, 1) };
        let history = |visits: &[Visit]| seen(visits).history();
        assert_ne!(history(&[visit(0, 1), other]), history(&[other, visit(0, 1)]));
    }
}
