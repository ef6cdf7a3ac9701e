//! The crawl's own time.

use std::time::Instant;

use rhumb_web::Tick;

/// Ticks since the crawl began; they never go back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    began: Instant,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self { began: Instant::now() }
    }

    pub(super) fn now(self) -> Tick {
        Tick(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// The moment at which a tick begins.
    pub(super) fn instant(self, tick: Tick) -> Instant {
        self.began + std::time::Duration::from_millis(tick.0)
    }
}
