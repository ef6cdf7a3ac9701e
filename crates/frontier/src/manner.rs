//! Politeness in one place: how a site's conduct sets the time of the next visit.

use rhumb_web::{Span, Tick};
use serde::{Deserialize, Serialize};

use crate::rules::SiteRule;

/// Without an explicit delay, the gap is this many times what the last fetch took.
const TAKEN_TIMES: u64 = 5;
/// That gap's bound: a slow server is not left alone for ever.
const TAKEN_GAP_MAX: Span = Span::seconds(60);
/// The first wait after a 429 or 503 that names none.
const BACKOFF_FIRST: Span = Span::seconds(60);
/// The longest wait of back-off and quarantine, whatever a site asks.
const DAY: Span = Span::hours(24);
/// Quiet time after which earlier push-back is forgiven.
const FORGIVEN_AFTER: Span = Span::minutes(30);
/// Fetches without an answer, in a row, before a site is quarantined.
const STRIKES_MAX: u8 = 5;
/// The first quarantine.
const QUARANTINE_FIRST: Span = Span::minutes(5);
/// Doublings after which every wait has reached a day.
const DOUBLINGS_MAX: u8 = 16;
/// Waits before the second try of a URL, and before every further one.
const RETRY_WAITS: [Span; 2] = [Span::seconds(10), Span::seconds(60)];

/// What holds a site back at the moment.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Hold {
    /// The gap between two visits.
    #[default]
    Site,
    /// Its address is busy with other sites.
    Address,
    /// It asked for quiet (429, 503), or did not answer.
    Backoff,
    /// Its robots.txt is not known, not reachable, or closes it at this hour.
    Robots,
    /// It has had all the exchanges that the user gave it.
    Budget,
    /// The user wants it left alone.
    Block,
    /// Its domain has had its share for now: others come first.
    Share,
}

impl Hold {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Site => "site",
            Self::Address => "address",
            Self::Backoff => "backoff",
            Self::Robots => "robots",
            Self::Budget | Self::Share => "budget",
            Self::Block => "block",
        }
    }
}

/// How a site behaved in one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conduct {
    /// It answered, and that took so long.
    Answered(Span),
    /// It asked for quiet, perhaps saying how long.
    Pushback(Option<Span>),
    /// There was no answer.
    Failed,
    /// There was none, but not by its fault: nothing is held against it.
    Excused,
    /// Nothing was sent: its address is busy for so long.
    AddressBusy(Span),
}

/// The settings of politeness.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// The gap that holds for every site.
    pub delay: Span,
    /// Whether the user gave that delay: then it replaces the rule of five times the fetch.
    pub delay_is_explicit: bool,
    /// Tries per URL.
    pub tries: u8,
    /// Where well-known domains are left alone for less than the delay: the least of it.
    pub floor: Option<Span>,
}

impl Default for Manners {
    fn default() -> Self {
        Self { delay: Span::seconds(1), delay_is_explicit: false, tries: 3, floor: None }
    }
}

impl Manners {
    /// The quiet time after an exchange that took so long, on a site whose robots.txt asks for
    /// `robots_gap`.
    pub fn gap(&self, took: Span, robots_gap: Option<Span>) -> Span {
        let by_load = if self.delay_is_explicit {
            Span::ZERO
        } else {
            took.times(TAKEN_TIMES).min(TAKEN_GAP_MAX)
        };
        self.delay.max(by_load).max(robots_gap.unwrap_or(Span::ZERO))
    }

    /// The same, where the site has a rule of its own: its delay is explicit.
    pub fn gap_for(&self, rule: Option<&SiteRule>, took: Span, robots_gap: Option<Span>) -> Span {
        let own = rule.and_then(|rule| rule.delay);
        let own = own.map(|delay| Self { delay, delay_is_explicit: true, ..*self });
        own.unwrap_or(*self).gap(took, robots_gap)
    }

    /// The same manners towards a domain for which this part of the usual delay is enough.
    /// What robots.txt asks for and what a fetch took hold as they are.
    #[must_use]
    pub fn towards(&self, part: f64) -> Self {
        let Some(floor) = self.floor else { return *self };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a part of a delay is a delay"
        )]
        let delay = Span((self.delay.0 as f64 * part.clamp(0.0, 1.0)).ceil() as u64);
        Self { delay: delay.max(floor).min(self.delay), ..*self }
    }

    /// When to try a URL again that has been tried so often, if at all.
    pub fn retry_at(&self, now: Tick, tries: u8) -> Option<Tick> {
        let last = RETRY_WAITS.len() - 1;
        let wait = RETRY_WAITS[usize::from(tries.saturating_sub(1)).min(last)];
        (tries < self.tries).then(|| now + wait)
    }
}

/// The clock and the record of one site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manner {
    /// Nothing is sent to the site before this.
    pub ready_at: Tick,
    /// What set that time.
    pub hold: Hold,
    /// Push-backs that are not forgiven.
    pushbacks: u8,
    /// The last of them.
    pushed_at: Tick,
    /// Fetches without an answer since the last one.
    strikes: u8,
    /// Quarantines since the last answer.
    quarantines: u8,
}

impl Manner {
    /// The manner after an exchange that ended now, where `gap` is the quiet time that holds in
    /// any case and `chance` a number that differs from site to site.
    #[must_use]
    pub fn after(self, now: Tick, conduct: Conduct, gap: Span, chance: u64) -> Self {
        // A tick is a millisecond cut short: one more makes the gap whole.
        let whole_gap = if gap == Span::ZERO { Span::ZERO } else { Span(gap.0.saturating_add(1)) };
        let by_gap = Self { ready_at: now + whole_gap, hold: Hold::Site, ..self };
        // What another exchange of the site came to meanwhile holds as well.
        let next = if self.ready_at > by_gap.ready_at { self } else { by_gap };
        match conduct {
            Conduct::Excused => next,
            Conduct::Answered(_) => next.forgiven(now).cleared(),
            // The exchange did not take place: the clock of the site goes on as it was.
            Conduct::AddressBusy(wait) if self.ready_at > now + wait => self,
            Conduct::AddressBusy(wait) => {
                Self { ready_at: now + wait + Span(1), hold: Hold::Address, ..self }
            }
            Conduct::Pushback(asked) => next.forgiven(now).cleared().pushed(now, asked, chance),
            Conduct::Failed => next.struck(now),
        }
    }

    /// The manner of a site whose clock may not come before `until`.
    #[must_use]
    pub fn not_before(self, until: Tick) -> Self {
        Self { ready_at: self.ready_at.max(until), ..self }
    }

    fn forgiven(self, now: Tick) -> Self {
        if now.since(self.pushed_at) < FORGIVEN_AFTER {
            self
        } else {
            Self { pushbacks: 0, ..self }
        }
    }

    fn cleared(self) -> Self {
        Self { strikes: 0, quarantines: 0, ..self }
    }

    fn pushed(self, now: Tick, asked: Option<Span>, chance: u64) -> Self {
        let doubled = Span(BACKOFF_FIRST.0 << self.pushbacks.min(DOUBLINGS_MAX));
        // A tenth of jitter: sites that pushed back together do not come back together.
        let jitter = Span(chance % (doubled.0 / 10));
        let wait = asked.unwrap_or(Span(doubled.0 + jitter.0)).min(DAY);
        Self {
            ready_at: self.ready_at.max(now + wait + Span(1)),
            hold: Hold::Backoff,
            pushbacks: self.pushbacks.saturating_add(1),
            pushed_at: now,
            ..self
        }
    }

    fn struck(self, now: Tick) -> Self {
        let strikes = self.strikes + 1;
        if strikes < STRIKES_MAX {
            return Self { strikes, ..self };
        }
        let wait = Span(QUARANTINE_FIRST.0 << self.quarantines.min(DOUBLINGS_MAX)).min(DAY);
        Self {
            ready_at: self.ready_at.max(now + wait),
            hold: Hold::Backoff,
            strikes: 0,
            quarantines: self.quarantines.saturating_add(1),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Tick = Tick(1_000_000);

    fn after(conduct: Conduct) -> Manner {
        Manner::default().after(NOW, conduct, Span::seconds(1), 0)
    }

    #[test]
    fn the_gap_is_the_longest_of_delay_robots_and_five_times_the_fetch() {
        let manners = Manners::default();
        assert_eq!(manners.gap(Span(10), None), Span::seconds(1));
        assert_eq!(manners.gap(Span(700), None), Span(3_500));
        assert_eq!(manners.gap(Span::seconds(30), None), Span::seconds(60));
        assert_eq!(manners.gap(Span(700), Some(Span::seconds(10))), Span::seconds(10));
        assert_eq!(manners.gap(Span(700), Some(Span(5))), Span(3_500));
    }

    #[test]
    fn an_explicit_delay_replaces_the_load_rule_but_never_the_robots_delay() {
        let manners = Manners { delay: Span::ZERO, delay_is_explicit: true, ..Manners::default() };
        assert_eq!(manners.gap(Span::seconds(9), None), Span::ZERO);
        assert_eq!(manners.gap(Span::seconds(9), Some(Span(200))), Span(200));
    }

    #[test]
    fn the_delay_of_a_rule_is_explicit_and_never_below_that_of_robots() {
        let manners = Manners::default();
        let check = |delay: Option<Span>, robots_gap: Option<Span>, expect: Span| {
            let rule = SiteRule { delay, ..SiteRule::default() };
            assert_eq!(manners.gap_for(Some(&rule), Span(700), robots_gap), expect);
        };
        check(Some(Span(100)), None, Span(100));
        check(Some(Span::ZERO), Some(Span(200)), Span(200));
        check(Some(Span::minutes(5)), Some(Span(200)), Span::minutes(5));
        check(None, None, Span(3_500));
        assert_eq!(manners.gap_for(None, Span(700), None), Span(3_500));
    }

    #[test]
    fn a_site_that_pushes_back_is_left_alone_for_as_long_as_it_asked() {
        let manner = after(Conduct::Pushback(Some(Span::seconds(90))));
        assert_eq!(manner.ready_at, NOW + Span(90_001));
        assert_eq!(manner.hold, Hold::Backoff);
        let absurd = after(Conduct::Pushback(Some(Span::hours(1_000))));
        assert_eq!(absurd.ready_at, NOW + DAY + Span(1));
    }

    #[test]
    fn push_back_without_a_time_doubles_and_is_forgiven_after_half_an_hour() {
        let once = after(Conduct::Pushback(None));
        assert_eq!(once.ready_at.since(NOW), Span(60_001));
        let twice = once.after(once.ready_at, Conduct::Pushback(None), Span::ZERO, 0);
        assert_eq!(twice.ready_at.since(once.ready_at), Span(120_001));
        let quiet = twice.ready_at + FORGIVEN_AFTER;
        let forgiven = twice.after(quiet, Conduct::Answered(Span(5)), Span::ZERO, 0);
        let later = forgiven.after(quiet, Conduct::Pushback(None), Span::ZERO, 0);
        assert_eq!(later.ready_at.since(quiet), Span(60_001));
    }

    #[test]
    fn a_short_retry_after_never_shortens_the_gap() {
        let manner = Manner::default();
        let manner = manner.after(NOW, Conduct::Pushback(Some(Span(10))), Span::seconds(30), 0);
        assert_eq!(manner.ready_at, NOW + Span(30_001));
    }

    #[test]
    fn five_failures_in_a_row_are_quarantine_and_one_answer_clears_them() {
        let mut manner = Manner::default();
        for _ in 0..4 {
            manner = manner.after(NOW, Conduct::Failed, Span::ZERO, 0);
        }
        assert_eq!(manner.ready_at, NOW);
        let cleared = manner.after(NOW, Conduct::Answered(Span(1)), Span::ZERO, 0);
        assert_eq!(cleared.after(NOW, Conduct::Failed, Span::ZERO, 0).ready_at, NOW);
        let held = manner.after(NOW, Conduct::Failed, Span::ZERO, 0);
        assert_eq!(held.ready_at, NOW + QUARANTINE_FIRST);
        assert_eq!(held.hold, Hold::Backoff);
    }

    #[test]
    fn an_excused_failure_leaves_no_mark_but_keeps_the_gap() {
        let manner = after(Conduct::Excused);
        assert_eq!(manner.ready_at, NOW + Span(1_001));
        assert_eq!(manner.strikes, 0);
    }

    #[test]
    fn a_busy_address_never_brings_a_visit_forward() {
        let waiting = Manner { ready_at: NOW + Span::seconds(50), ..Manner::default() };
        let busy = waiting.after(NOW, Conduct::AddressBusy(Span(100)), Span::seconds(1), 0);
        assert_eq!(busy.ready_at, NOW + Span::seconds(50));
        assert_eq!(busy.hold, Hold::Site, "it is not the address that holds it");
    }

    #[test]
    fn an_answer_that_was_under_way_beside_a_push_back_does_not_shorten_it() {
        let pushed = after(Conduct::Pushback(Some(Span::seconds(90))));
        for conduct in [Conduct::Answered(Span(5)), Conduct::Failed, Conduct::Excused] {
            let later = pushed.after(NOW + Span(10), conduct, Span::seconds(1), 0);
            assert_eq!(later.ready_at, NOW + Span(90_001), "{conduct:?}");
            assert_eq!(later.hold, Hold::Backoff, "{conduct:?}");
        }
    }

    #[test]
    fn tries_are_ten_and_sixty_seconds_apart_and_then_spent() {
        let manners = Manners::default();
        assert_eq!(manners.retry_at(NOW, 1), Some(NOW + Span::seconds(10)));
        assert_eq!(manners.retry_at(NOW, 2), Some(NOW + Span::seconds(60)));
        assert_eq!(manners.retry_at(NOW, 3), None);
    }

    #[test]
    fn a_well_known_domain_waits_for_less_but_never_below_the_floor_nor_what_is_asked_for() {
        let floor = Some(Span::seconds(2));
        let delay = Span::seconds(40);
        let manners = Manners { delay, delay_is_explicit: true, floor, ..Manners::default() };
        let check = |part: f64, robots: Option<u64>, expect: u64| {
            let gap = manners.towards(part).gap(Span(10), robots.map(Span::seconds));
            assert_eq!(gap, Span::seconds(expect), "{part} {robots:?}");
        };
        check(1.0, None, 40);
        check(0.25, None, 10);
        check(0.001, None, 2);
        check(0.001, Some(7), 7);
        check(5.0, None, 40);
        let alike = Manners { floor: None, ..manners };
        assert_eq!(alike.towards(0.001).gap(Span(10), None), delay);
        let pushed = Manner::default().after(
            Tick(0),
            Conduct::Pushback(Some(Span::minutes(5))),
            manners.towards(0.001).gap(Span(10), None),
            0,
        );
        assert!(pushed.ready_at > Tick(0) + Span::minutes(5), "back-off holds");
    }
}
