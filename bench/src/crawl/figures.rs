//! What one crawl reached and took.

use std::time::Duration;

use rhumb_measure::run::Taken;
use rhumb_testweb::{Expected, Witness};

use super::setting::Setting;

/// The figures of one crawl.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Pages that the server was asked for, each counted once.
    pub pages: f64,
    /// From the start of the program to its end.
    pub seconds: f64,
    /// Pages a second in the middle of the crawl, if it was long enough to have one.
    pub steady: Option<f64>,
    /// Processor time.
    pub cpu: f64,
    /// The most memory.
    pub peak_bytes: u64,
    /// What went to the disk.
    pub written_bytes: u64,
    /// Pages of the web that the server was never asked for.
    pub missing: usize,
    /// Pages that it was asked for again.
    pub repeats: usize,
    /// Requests that robots.txt forbids.
    pub violations: usize,
}

impl Figures {
    /// Of a crawl that is over, by what the server saw and the system counted.
    pub fn of(
        setting: &Setting,
        taken: &Taken,
        samples: &Samples,
        seen: &Witness,
        expected: &Expected,
    ) -> Self {
        let (from, to) = setting.steady();
        Self {
            pages: to_f64(seen.pages.len()),
            seconds: taken.wall.as_secs_f64(),
            steady: samples.rate_between(from, to),
            cpu: taken.cpu.as_secs_f64(),
            peak_bytes: taken.peak_bytes,
            written_bytes: taken.written_bytes,
            missing: expected.missing(seen).len(),
            repeats: seen.repeats.len(),
            violations: seen.robots_violations.len(),
        }
    }

    /// Whether every page was asked for once, and none that is forbidden: else its speed says
    /// nothing.
    pub fn is_right(&self) -> bool {
        self.missing == 0 && self.repeats == 0 && self.violations == 0
    }

    /// Pages a second from the start of the program to its end.
    pub fn per_second(&self) -> f64 {
        self.pages / self.seconds
    }

    /// Pages a second of processor time.
    pub fn per_cpu_second(&self) -> f64 {
        self.pages / self.cpu
    }

    /// Microseconds of processor time a page.
    pub fn micros_per_page(&self) -> f64 {
        self.cpu * 1e6 / self.pages
    }
}

/// How many pages the server had answered at some moments, from the first on.
#[derive(Debug, Default)]
pub struct Samples(Vec<(Duration, u64)>);

impl Samples {
    /// One more moment.
    pub fn push(&mut self, at: Duration, pages: u64) {
        self.0.push((at, pages));
    }

    /// Pages a second from page `from` to page `to`; nothing where that was too short to be seen.
    pub fn rate_between(&self, from: u64, to: u64) -> Option<f64> {
        let (first, last) = (self.moment(from)?, self.moment(to)?);
        let pages = f64::from(u32::try_from(to.checked_sub(from)?).ok()?);
        (last > first).then(|| pages / (last - first))
    }

    /// When so many pages had been answered, in seconds: between two samples by their distance.
    fn moment(&self, pages: u64) -> Option<f64> {
        let after = self.0.iter().position(|(_, count)| *count >= pages)?;
        let (before, start) = after.checked_sub(1).map_or((Duration::ZERO, 0), |at| self.0[at]);
        let (end, count) = self.0[after];
        let share = if count > start {
            to_f64(usize::try_from(pages - start.min(pages)).ok()?)
                / to_f64(usize::try_from(count - start).ok()?)
        } else {
            1.0
        };
        Some(before.as_secs_f64() + end.saturating_sub(before).as_secs_f64() * share)
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures for people, far below 2^53")]
fn to_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_taken_between_samples() {
        let mut samples = Samples::default();
        for (tenths, pages) in [(1, 0), (2, 100), (3, 300), (4, 1_000), (5, 1_000)] {
            samples.push(Duration::from_millis(tenths * 100), pages);
        }
        let check = |from, to, expect: Option<f64>| {
            let rate = samples.rate_between(from, to);
            assert_eq!(rate.map(f64::round), expect, "{from} to {to}");
        };
        check(50, 200, Some(1_500.0));
        check(100, 300, Some(2_000.0));
        check(300, 1_000, Some(7_000.0));
        check(50, 1_001, None);
    }
}
