//! How fast a crawl is at the moment, and what it takes of the machine.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Rates are those of this time.
const WINDOW: Duration = Duration::from_secs(10);
/// One sample a second, and one that has just left the window.
const SAMPLES_MAX: usize = 12;
/// Parts of a second in which the kernel counts processor time.
const KERNEL_HERTZ: u32 = 100;

/// What was counted at a moment.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    pages: u64,
    bytes: u64,
    cpu: Duration,
}

/// The last seconds of a crawl.
#[derive(Debug, Default)]
pub(super) struct Pulse(VecDeque<Sample>);

/// Per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rates {
    pub(super) pages: f64,
    pub(super) bytes: f64,
    /// Cores that are busy.
    pub(super) cores: f64,
}

impl Pulse {
    /// Once a second.
    pub(super) fn beat(&mut self, pages: u64, bytes: u64) {
        self.note(Sample { at: Instant::now(), pages, bytes, cpu: cpu_time() });
    }

    fn note(&mut self, sample: Sample) {
        self.0.push_back(sample);
        while self.0.len() > SAMPLES_MAX
            || self.0.get(1).is_some_and(|next| sample.at.duration_since(next.at) >= WINDOW)
        {
            self.0.pop_front();
        }
    }

    /// Over the last ten seconds, or since the start if that is less ago.
    pub(super) fn rates(&self) -> Rates {
        let (Some(first), Some(last)) = (self.0.front(), self.0.back()) else {
            return Rates::default();
        };
        let seconds = last.at.duration_since(first.at).as_secs_f64();
        if seconds <= 0.0 {
            return Rates::default();
        }
        let per_second = |from: u64, to: u64| number(to.saturating_sub(from)) / seconds;
        Rates {
            pages: per_second(first.pages, last.pages),
            bytes: per_second(first.bytes, last.bytes),
            cores: last.cpu.saturating_sub(first.cpu).as_secs_f64() / seconds,
        }
    }
}

fn number(count: u64) -> f64 {
    // Beyond four billion a rate needs no last digits.
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// What this process has had of the processors; nothing where the system does not tell.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may hold anything but ends with the last bracket.
    let fields = stat.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
    let ticks = fields.split_ascii_whitespace().skip(11).take(2);
    let ticks: u32 = ticks.filter_map(|text| text.parse::<u32>().ok()).sum();
    Duration::from_secs(1) * ticks / KERNEL_HERTZ
}

/// The memory of this process; 0 where the system does not tell.
pub(super) fn memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1_024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_last_ten_seconds() {
        let mut pulse = Pulse::default();
        assert_eq!(pulse.rates(), Rates::default());
        let start = Instant::now();
        for second in 0..60_u32 {
            let factor = if second < 40 { 1_000 } else { 10 };
            let before = pulse.0.back().map_or(0, |last| last.pages);
            let at = start + Duration::from_secs(u64::from(second));
            let cpu = Duration::from_millis(500) * second;
            pulse.note(Sample { at, pages: before + factor, bytes: 0, cpu });
        }
        let Rates { pages, cores, .. } = pulse.rates();
        assert!((pages - 10.0).abs() < 0.01, "{pages}");
        assert!((cores - 0.5).abs() < 0.01, "{cores}");
        assert!(pulse.0.len() <= SAMPLES_MAX);
    }

    #[test]
    fn the_system_tells_what_we_use() {
        assert!(memory_bytes() > 100_000);
        let before = cpu_time();
        let until = Instant::now() + Duration::from_millis(60);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        assert!(cpu_time() >= before);
    }
}
