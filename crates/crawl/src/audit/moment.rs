//! When something happened, by the crawl's own time where the records have it.

use rhumb_rules::RobotsFor;
use rhumb_web::Span;

/// A request may begin a moment after it was decided on; at the edge of an hour that counts.
const DECIDED_BEFORE: Span = Span::seconds(5);
const MINUTE_MS: u64 = 60_000;
const MINUTES_A_DAY: u64 = 24 * 60;

/// A moment of a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// Milliseconds since the crawl's creation, which no change of the wall clock moves.
    pub(super) tick: Option<u64>,
    /// Milliseconds since 1970.
    pub(super) wall_ms: u64,
}

impl Moment {
    /// Milliseconds from the other one to this; by the wall clock if one has no tick.
    pub(super) fn since(self, earlier: Self) -> i64 {
        let (late, early) = match (self.tick, earlier.tick) {
            (Some(late), Some(early)) => (late, early),
            _ => (self.wall_ms, earlier.wall_ms),
        };
        let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        signed(late).saturating_sub(signed(early))
    }

    #[must_use]
    pub(super) fn after(self, ms: u64) -> Self {
        Self {
            tick: self.tick.map(|tick| tick.saturating_add(ms)),
            wall_ms: self.wall_ms.saturating_add(ms),
        }
    }
}

/// The minute of the day in UTC.
pub(super) fn minute_of(wall_ms: u64) -> u16 {
    let minute = wall_ms / MINUTE_MS % MINUTES_A_DAY;
    u16::try_from(minute).expect("a day has fewer minutes than that")
}

/// Whether the file closes the site at this time, and did when the request was decided on.
pub(super) fn is_closed(rules: &RobotsFor, wall_ms: u64) -> bool {
    let moments = [wall_ms, wall_ms.saturating_sub(DECIDED_BEFORE.0)];
    moments.iter().all(|ms| rules.closed_until(minute_of(*ms)).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wall_clock_counts_only_where_there_is_no_tick() {
        let at = |tick, wall_ms| Moment { tick, wall_ms };
        assert_eq!(at(Some(1_500), 0).since(at(Some(500), 9_000)), 1_000);
        assert_eq!(at(None, 7_000).since(at(Some(500), 9_000)), -2_000);
        assert_eq!(at(Some(5), 10).after(90), at(Some(95), 100));
    }
}
