//! Virtual time in microseconds: finer than a tick, so that ticks cut short are part of the test.

use rhumb_web::Tick;

/// A moment of the simulated world, or a length of its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub u64);

impl Moment {
    /// So many milliseconds.
    pub const fn millis(millis: u64) -> Self {
        Self(millis * 1_000)
    }

    /// So many seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self::millis(seconds * 1_000)
    }

    /// So many hours.
    pub const fn hours(hours: u64) -> Self {
        Self::seconds(hours * 3_600)
    }

    /// This much later.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// How long after `earlier`; nothing if it is not after.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// Whole milliseconds.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000
    }

    /// What the crawl's clock shows then: a millisecond cut short.
    pub(crate) const fn tick(self) -> Tick {
        Tick(self.as_millis())
    }

    /// The moment at which a tick begins.
    pub(crate) const fn of(tick: Tick) -> Self {
        Self(tick.0.saturating_mul(1_000))
    }
}
