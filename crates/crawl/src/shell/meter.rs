//! How long the parts of the work take, noted by many threads at once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rhumb_web::{Failure, Phase, Phases};

use crate::ask::Percentiles;

/// Steps in an octave, as a power of two: a step is an eighth of its octave's beginning at most.
const STEP_BITS: u32 = 3;
/// Times below 2^10 ns, about a microsecond, are one.
const FIRST_OCTAVE: u32 = 10;
/// Times above 2^45 ns, about ten hours, are one.
const OCTAVES: u32 = 35;
const BUCKETS: usize = (OCTAVES << STEP_BITS) as usize;

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Dns,
    Connect,
    Tls,
    Write,
    FirstByte,
    Read,
    Parse,
    Digest,
    Archive,
    Log,
    Links,
    Refill,
    Index,
}

impl Stage {
    const ALL: [Self; 13] = [
        Self::Dns,
        Self::Connect,
        Self::Tls,
        Self::Write,
        Self::FirstByte,
        Self::Read,
        Self::Parse,
        Self::Digest,
        Self::Archive,
        Self::Log,
        Self::Links,
        Self::Refill,
        Self::Index,
    ];

    /// The one word for it in a status.
    fn word(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Write => "write",
            Self::FirstByte => "first_byte",
            Self::Read => "read",
            Self::Parse => "parse",
            Self::Digest => "digest",
            Self::Archive => "archive",
            Self::Log => "log",
            Self::Links => "links",
            Self::Refill => "refill",
            Self::Index => "index",
        }
    }
}

/// The times of all parts of the work, of one run.
#[derive(Debug, Default)]
pub(super) struct Meter {
    stages: [Histogram; Stage::ALL.len()],
    dns_failures: AtomicU64,
}

impl Meter {
    /// Notes that a part of the work took so long.
    pub(super) fn note(&self, stage: Stage, took: Duration) {
        self.stages[stage as usize].note(took);
    }

    /// Notes the parts of an exchange. What did not happen took no time at all: a connection that
    /// was kept, a name that was known.
    pub(super) fn note_exchange(&self, phases: &Phases) {
        let parts = [
            (Stage::Dns, phases.dns),
            (Stage::Connect, phases.connect),
            (Stage::Tls, phases.tls),
            (Stage::Write, phases.write),
            (Stage::FirstByte, phases.first_byte),
            (Stage::Read, phases.read),
        ];
        for (stage, took) in parts.into_iter().filter(|(_, took)| !took.is_zero()) {
            self.note(stage, took);
        }
    }

    /// Notes a fetch without an answer.
    pub(super) fn note_failure(&self, failure: Failure) {
        let is_dns =
            matches!(failure, Failure::NoSuchHost | Failure::Dns | Failure::TimedOut(Phase::Dns));
        self.dns_failures.fetch_add(u64::from(is_dns), Ordering::Relaxed);
    }

    /// Fetches whose name could not be looked up.
    pub(super) fn dns_failures(&self) -> u64 {
        self.dns_failures.load(Ordering::Relaxed)
    }

    /// How long each part takes, by its word; those that never happened are in it, with nothing.
    pub(super) fn percentiles(&self) -> BTreeMap<String, Percentiles> {
        let all = Stage::ALL.into_iter();
        all.map(|it| (it.word().to_owned(), self.stages[it as usize].percentiles())).collect()
    }
}

/// Tells a crawl how long its index takes. It is of the crawl that it was given to.
#[derive(Clone, Debug, Default)]
pub struct Stopwatch(pub(super) Arc<Meter>);

impl Stopwatch {
    /// Notes that one page took so long until it was in the index.
    pub fn note(&self, took: Duration) {
        self.0.note(Stage::Index, took);
    }
}

/// Times by their order of magnitude: steps of an eighth of an octave.
#[derive(Debug)]
struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    sum_ns: AtomicU64,
    max_ns: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        let nothing = || AtomicU64::new(0);
        let buckets = std::array::from_fn(|_| nothing());
        Self { buckets, sum_ns: nothing(), max_ns: nothing() }
    }
}

impl Histogram {
    fn note(&self, took: Duration) {
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.buckets[bucket(ns)].fetch_add(1, Ordering::Relaxed);
        self.sum_ns.fetch_add(ns, Ordering::Relaxed);
        // Most are not the longest: that is asked before a write that others would wait for.
        if ns > self.max_ns.load(Ordering::Relaxed) {
            self.max_ns.fetch_max(ns, Ordering::Relaxed);
        }
    }

    fn percentiles(&self) -> Percentiles {
        let counts: Vec<u64> =
            self.buckets.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let count: u64 = counts.iter().sum();
        let max_ns = self.max_ns.load(Ordering::Relaxed);
        let at = |percent: u64| {
            // The place, from 1, of the first that is not below so many of a hundred.
            let place = (count * percent).div_ceil(100);
            let mut below = 0;
            let found = counts.iter().position(|count| {
                below += count;
                below >= place
            });
            ms(found.map_or(0, middle).min(max_ns))
        };
        Percentiles {
            count,
            sum_ms: ms(self.sum_ns.load(Ordering::Relaxed)),
            p50_ms: at(50),
            p90_ms: at(90),
            p99_ms: at(99),
            max_ms: ms(max_ns),
        }
    }
}

/// Where a time of so many nanoseconds is counted.
fn bucket(ns: u64) -> usize {
    let octave = ns.max(1).ilog2();
    if octave < FIRST_OCTAVE {
        return 0;
    }
    let step = (ns >> (octave - STEP_BITS)) & ((1 << STEP_BITS) - 1);
    let place = (u64::from(octave - FIRST_OCTAVE) << STEP_BITS) + step;
    usize::try_from(place).map_or(BUCKETS - 1, |place| place.min(BUCKETS - 1))
}

/// The middle of what is counted in a bucket, in nanoseconds.
fn middle(bucket: usize) -> u64 {
    let octave = bucket >> STEP_BITS;
    let step = bucket & ((1 << STEP_BITS) - 1);
    let first = 1_u64 << (usize::try_from(FIRST_OCTAVE).unwrap_or(0) + octave);
    let eighth = first >> STEP_BITS;
    first + u64::try_from(step).unwrap_or(0) * eighth + eighth / 2
}

fn ms(ns: u64) -> f64 {
    Duration::from_nanos(ns).as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes these times, in nanoseconds, and holds the percentiles against the sorted list.
    #[track_caller]
    fn check(mut times: Vec<u64>) {
        let meter = Meter::default();
        for ns in &times {
            meter.note(Stage::Read, Duration::from_nanos(*ns));
        }
        times.sort_unstable();
        let told = meter.percentiles()["read"];
        let count = times.len();
        assert_eq!(told.count, count as u64);
        assert!((told.max_ms - ms(times[count - 1])).abs() < 1e-9);
        assert!((told.sum_ms - ms(times.iter().sum())).abs() < 1e-6 * told.sum_ms);
        for (percent, told) in [(50, told.p50_ms), (90, told.p90_ms), (99, told.p99_ms)] {
            let place = (count * percent).div_ceil(100);
            let is = ms(times[place - 1]);
            let error = (told - is).abs() / is;
            assert!(error < 0.1, "{percent} of {count}: {told} for {is}");
        }
    }

    #[test]
    fn percentiles_are_near_those_of_the_sorted_list() {
        let mut seed = 7_u64;
        let mut draw = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed >> 33
        };
        check(vec![1_024]);
        check(vec![5_000_000; 3]);
        check((1_000..100_000).collect());
        // All orders of magnitude, from a microsecond to hours.
        check((0..10_000).map(|_| 1_024 << (draw() % 34)).collect());
        check((0..10_000).map(|_| (1_024 << (draw() % 30)) + draw() % 1_000_000).collect());
    }

    #[test]
    fn a_time_beyond_the_scale_is_counted_at_its_end() {
        let meter = Meter::default();
        meter.note(Stage::Dns, Duration::ZERO);
        meter.note(Stage::Dns, Duration::from_hours(1_000));
        meter.note(Stage::Dns, Duration::MAX);
        assert_eq!(meter.percentiles()["dns"].count, 3);
    }

    #[test]
    fn buckets_are_in_the_order_of_their_times() {
        let mut before = 0;
        for octave in FIRST_OCTAVE..44 {
            for step in 0..16 {
                let now = bucket((1 << octave) + step * (1 << (octave - 4)));
                assert!(now == before || now == before + 1, "{octave} {step}");
                before = now;
            }
        }
    }

    #[test]
    fn a_stopwatch_notes_what_the_index_takes() {
        let watch = Stopwatch::default();
        watch.clone().note(Duration::from_millis(4));
        let told = watch.0.percentiles();
        assert_eq!(told["index"].count, 1);
        assert!(told.iter().all(|(word, times)| times.count == u64::from(word == "index")));
    }

    #[test]
    fn what_did_not_happen_is_not_noted() {
        let meter = Meter::default();
        let ms = Duration::from_millis;
        let phases = Phases { first_byte: ms(3), read: ms(1), ..Phases::default() };
        meter.note_exchange(&phases);
        meter.note_failure(Failure::Connect);
        meter.note_failure(Failure::NoSuchHost);
        let told = meter.percentiles();
        let counts = told.iter().filter(|(_, told)| told.count > 0);
        assert_eq!(
            counts.map(|(word, _)| word.as_str()).collect::<Vec<_>>(),
            ["first_byte", "read"]
        );
        assert_eq!((told.len(), meter.dns_failures()), (13, 1));
    }
}
