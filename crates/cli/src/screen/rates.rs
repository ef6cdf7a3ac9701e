//! How fast a crawl goes, and went.

use std::collections::VecDeque;
use std::time::Duration;

/// A point of the curve is this long.
const STEP: Duration = Duration::from_secs(1);
/// Points that are kept: more than a wide terminal shows.
const STEPS_MAX: usize = 128;
/// "Now" is the mean over this long.
const NOW: Duration = Duration::from_secs(5);

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Counts, a second apart.
#[derive(Debug, Default)]
pub(super) struct Rates {
    counts: VecDeque<(Duration, u64)>,
}

impl Rates {
    /// Takes the count at a moment in.
    pub(super) fn note(&mut self, at: Duration, count: u64) {
        let is_due = self.counts.back().is_none_or(|(last, _)| at >= *last + STEP);
        if !is_due {
            return;
        }
        self.counts.push_back((at, count));
        if self.counts.len() > STEPS_MAX {
            self.counts.pop_front();
        }
    }

    /// The rate over the last seconds.
    pub(super) fn now(&self, at: Duration, count: u64) -> f64 {
        let from = self.counts.iter().find(|(then, _)| at.saturating_sub(*then) <= NOW);
        from.map_or(0.0, |from| rate(*from, (at, count)))
    }

    /// The curve of the last `columns` seconds, its highest point a full bar.
    pub(super) fn curve(&self, columns: usize) -> String {
        let pairs = self.counts.iter().zip(self.counts.iter().skip(1));
        let rates: Vec<f64> = pairs.map(|(from, to)| rate(*from, *to)).collect();
        let rates = &rates[rates.len().saturating_sub(columns)..];
        let top = rates.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        rates.iter().map(|rate| BARS[bar(rate / top)]).collect()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share between 0 and 1 picks one of eight"
)]
fn bar(share: f64) -> usize {
    (share.clamp(0.0, 1.0) * 7.0).round() as usize
}

#[expect(clippy::cast_precision_loss, reason = "a rate is shown with a few digits")]
fn rate(from: (Duration, u64), to: (Duration, u64)) -> f64 {
    let seconds = to.0.saturating_sub(from.0).as_secs_f64().max(0.001);
    to.1.saturating_sub(from.1) as f64 / seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_and_the_present_rate_follow_the_counts() {
        let mut rates = Rates::default();
        for (second, count) in [0, 10, 30, 70, 70].into_iter().enumerate() {
            let at = Duration::from_secs(second as u64);
            rates.note(at, count);
            rates.note(at + Duration::from_millis(250), count + 1);
        }
        assert_eq!(rates.curve(80), "▃▅█▁");
        assert_eq!(rates.curve(2), "█▁");
        assert!((rates.now(Duration::from_secs(7), 80) - 10.0).abs() < 1e-9);
    }

    #[test]
    fn before_the_first_count_there_is_no_rate() {
        assert_eq!(Rates::default().curve(10), "");
        assert!(Rates::default().now(Duration::from_secs(1), 5).abs() < 1e-9);
    }
}
