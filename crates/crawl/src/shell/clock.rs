//! The crawl's own time.

use std::time::{Duration, Instant, SystemTime};

use rhumb_web::{Span, Tick};

/// The wall clock may stray this far from the time that passes before it is said.
const STRAY_MAX: Duration = Duration::from_secs(5);

/// Ticks since the crawl was created; they never go back, whatever the wall clock does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    began: Instant,
    /// The tick at that moment.
    from: Tick,
    /// The wall clock at that moment, as far as it is believed.
    wall: SystemTime,
}

impl Clock {
    /// Goes on from the later of the last moment that is known and the wall clock.
    pub(super) fn resume(last: Tick, born_ms: u64) -> Self {
        let wall = SystemTime::now();
        let since_1970 = wall.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let by_wall = Span::from(since_1970).0.saturating_sub(born_ms);
        Self { began: Instant::now(), from: last.max(Tick(by_wall)), wall }
    }

    /// The tick at which this run began.
    pub(super) fn from(self) -> Tick {
        self.from
    }

    pub(super) fn now(self) -> Tick {
        self.from + Span::from(self.began.elapsed())
    }

    /// The moment at which a tick begins.
    pub(super) fn instant(self, tick: Tick) -> Instant {
        self.began + tick.since(self.from).duration()
    }

    /// How far the wall clock jumped since it was last asked, and whether forward. We do not
    /// follow it.
    pub(super) fn jump(&mut self) -> Option<(Duration, bool)> {
        let expected = self.wall + self.began.elapsed();
        let is = SystemTime::now();
        let (off, is_forward) = match is.duration_since(expected) {
            Ok(ahead) => (ahead, true),
            Err(behind) => (behind.duration(), false),
        };
        if off < STRAY_MAX {
            return None;
        }
        self.wall = if is_forward { self.wall + off } else { self.wall - off };
        Some((off, is_forward))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_clock_that_went_back_does_not_take_the_crawl_back() {
        let last = Tick(1_000_000);
        let clock = Clock::resume(last, u64::MAX);
        assert!(clock.now() >= last);
        assert!(clock.now().since(last) < Span::minutes(1));
    }

    #[test]
    fn time_passes_while_a_crawl_is_not_running() {
        let clock = Clock::resume(Tick(5), 0);
        assert!(clock.now() > Tick(1_000_000_000_000), "milliseconds since 1970");
    }

    #[test]
    fn a_jump_is_said_once_and_not_followed() {
        let mut clock = Clock::resume(Tick(0), 0);
        let before = clock.now();
        clock.wall -= Duration::from_hours(1);
        let (off, is_forward) = clock.jump().expect("an hour is a jump");
        assert!(is_forward && off.as_secs() >= 3_599);
        assert_eq!(clock.jump(), None);
        assert!(clock.now().since(before) < Span::minutes(1));
    }
}
