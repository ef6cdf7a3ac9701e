//! The last minutes and hours of a crawl, for charts: three rings, the last of it finest.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rhumb_crawl::ask::{Activity, Percentiles, Status};

use crate::house::LOOK_EVERY;

/// Slots that a ring has.
const SLOTS: usize = 300;
/// Slots that make one point of a chart: a chart has a hundred or one more.
const SLOTS_A_POINT: u64 = 3;
/// A chart is no shorter than so many points, also of a crawl that has just begun.
const POINTS_MIN: usize = 20;

/// The parts of the work whose times are kept, in the order in which they are done.
pub(crate) const PHASES: [&str; 13] = [
    "refill",
    "dns",
    "connect",
    "tls",
    "write",
    "first_byte",
    "read",
    "parse",
    "digest",
    "archive",
    "log",
    "links",
    "index",
];

/// How far back a chart looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Window {
    /// Ten minutes, by looks.
    #[default]
    Minutes,
    /// Two and a half hours, by half minutes.
    Hours,
    /// A day and an hour, by five minutes.
    Day,
}

impl Window {
    pub(crate) const ALL: [Self; 3] = [Self::Minutes, Self::Hours, Self::Day];

    /// The one word for it in an address.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Minutes => "10m",
            Self::Hours => "150m",
            Self::Day => "25h",
        }
    }

    /// As people say it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Minutes => "10 min",
            Self::Hours => "2.5 h",
            Self::Day => "25 h",
        }
    }

    /// Whatever is no word of ours means the last minutes.
    pub(crate) fn of(word: &str) -> Self {
        Self::ALL.into_iter().find(|window| window.word() == word).unwrap_or_default()
    }

    /// Looks that make one slot.
    fn looks(self) -> u64 {
        match self {
            Self::Minutes => 1,
            Self::Hours => 15,
            Self::Day => 150,
        }
    }

    /// The time between two points of a chart.
    pub(crate) fn step(self) -> Duration {
        LOOK_EVERY * u32::try_from(self.looks() * SLOTS_A_POINT).unwrap_or(u32::MAX)
    }
}

/// What is read off, and not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gauge {
    Pages,
    Bytes,
    Queued,
    InFlight,
    Waiting,
    Memory,
    Disk,
    Cores,
}

const GAUGES: usize = 8;

/// How a crawl stood in one or several looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    looks: u32,
    /// Sums over the looks.
    gauges: [f64; GAUGES],
    /// Names that could not be looked up since the look before of the same run, and how many
    /// milliseconds that was.
    dns_failures: (u64, u64),
    /// Milliseconds in all, and how often.
    phases: [(f64, u64); PHASES.len()],
}

impl Sample {
    /// The mean over the looks.
    pub(crate) fn gauge(&self, gauge: Gauge) -> f64 {
        self.gauges[gauge as usize] / f64::from(self.looks.max(1))
    }

    /// Names a minute that could not be looked up; none where there was no look before.
    pub(crate) fn dns_failures_per_min(&self) -> Option<f64> {
        let (count, ms) = self.dns_failures;
        (ms > 0).then(|| float(count) * 60_000.0 / float(ms))
    }

    /// How long one of [`PHASES`] took in the mean; none if it did not happen.
    pub(crate) fn phase(&self, name: &str) -> Option<f64> {
        let (ms, count) = self.phases[PHASES.iter().position(|phase| *phase == name)?];
        (count > 0).then(|| ms / float(count))
    }

    fn of(status: &Status, before: Option<&Before>) -> Self {
        let gauges = [
            status.pages_per_s,
            status.bytes_per_s,
            float(status.queued),
            float(status.in_flight),
            float(status.waiting),
            float(status.memory_bytes),
            float(status.disk_bytes),
            status.cpu_cores,
        ];
        let gauges = gauges.map(|value| if value.is_finite() { value.max(0.0) } else { 0.0 });
        let mut sample = Self { looks: 1, gauges, ..Self::default() };
        if let Some(before) = before {
            let count = status.dns_failures.saturating_sub(before.dns_failures);
            let ms = status.elapsed_ms.saturating_sub(before.elapsed_ms);
            sample.dns_failures = (count, ms);
            for (kept, name) in sample.phases.iter_mut().zip(PHASES) {
                let now = status.phases.get(name).copied().unwrap_or_default();
                let was = before.phases.get(name).copied().unwrap_or_default();
                let ms = now.sum_ms - was.sum_ms;
                let count = now.count.saturating_sub(was.count);
                *kept = if ms.is_finite() && count > 0 { (ms.max(0.0), count) } else { (0.0, 0) };
            }
        }
        sample
    }

    fn take_in(&mut self, other: &Self) {
        self.looks += other.looks;
        for (sum, value) in self.gauges.iter_mut().zip(other.gauges) {
            *sum += value;
        }
        let (count, ms) = self.dns_failures;
        let (more, longer) = other.dns_failures;
        self.dns_failures = (count.saturating_add(more), ms.saturating_add(longer));
        for (sum, (ms, count)) in self.phases.iter_mut().zip(other.phases) {
            *sum = (sum.0 + ms, sum.1.saturating_add(count));
        }
    }
}

/// What counts up, at the last look.
#[derive(Clone, Debug, PartialEq)]
struct Before {
    elapsed_ms: u64,
    dns_failures: u64,
    phases: BTreeMap<String, Percentiles>,
}

/// Slots of one fineness, the last one at the end.
#[derive(Debug, Default)]
struct Ring(VecDeque<Option<Sample>>);

impl Ring {
    /// Puts a sample into the slot that is so many after the last one; those between are empty.
    fn put(&mut self, on: u64, sample: Option<&Sample>) {
        for _ in 0..on.min(u64::try_from(SLOTS).unwrap_or(u64::MAX)) {
            self.0.push_back(None);
        }
        self.0.drain(..self.0.len().saturating_sub(SLOTS));
        match (self.0.back_mut(), sample) {
            (Some(Some(slot)), Some(sample)) => slot.take_in(sample),
            (Some(slot), Some(sample)) => *slot = Some(sample.clone()),
            _ => {}
        }
    }
}

/// The rings: a pure function of the looks and their moments.
#[derive(Debug, Default)]
struct Rings {
    by_window: [Ring; Window::ALL.len()],
    /// Looks so far, and those that were left out among them.
    looks: u64,
    last: Option<Duration>,
    before: Option<Before>,
}

impl Rings {
    fn note(&mut self, at: Duration, status: &Status) {
        let was = self.looks;
        self.looks += self.last.map_or(1, |last| slots_between(last, at));
        let is_first = self.last.replace(at).is_none();
        let runs = status.state == Activity::Running;
        let goes_on = |before: &Before| status.elapsed_ms >= before.elapsed_ms;
        let is_another_run = runs && !self.before.as_ref().is_none_or(goes_on);
        let sample = (runs && !is_another_run).then(|| Sample::of(status, self.before.as_ref()));
        self.before = runs.then(|| Before {
            elapsed_ms: status.elapsed_ms,
            dns_failures: status.dns_failures,
            phases: status.phases.clone(),
        });
        for (ring, window) in self.by_window.iter_mut().zip(Window::ALL) {
            let on = self.looks / window.looks() - was / window.looks();
            ring.put(if is_first { 1 } else { on }, sample.as_ref());
        }
    }

    fn points(&self, window: Window) -> Vec<Option<Sample>> {
        let slots = &self.by_window[window as usize].0;
        let last = self.looks / window.looks();
        let first = (last + 1).saturating_sub(u64::try_from(slots.len()).unwrap_or_default());
        let mut points: Vec<Option<Sample>> = Vec::new();
        let mut point = None;
        for (slot, number) in slots.iter().zip(first..) {
            // By the number and not by the place, so that points stay what they were.
            if point != Some(number / SLOTS_A_POINT) {
                point = Some(number / SLOTS_A_POINT);
                points.push(None);
            }
            match (points.last_mut(), slot) {
                (Some(Some(point)), Some(slot)) => point.take_in(slot),
                (Some(point), Some(slot)) => *point = Some(slot.clone()),
                _ => {}
            }
        }
        let missing = POINTS_MIN.saturating_sub(points.len());
        std::iter::repeat_n(None, missing).chain(points).collect()
    }
}

/// How many looks after the last one this is: a look may be a little late.
fn slots_between(last: Duration, at: Duration) -> u64 {
    let every = LOOK_EVERY.as_millis();
    let passed = at.saturating_sub(last).as_millis();
    u64::try_from((passed + every / 2) / every).unwrap_or(u64::MAX).clamp(1, 1 << 32)
}

/// What was seen of a crawl.
#[derive(Debug)]
pub(crate) struct History {
    began: Instant,
    rings: Mutex<Rings>,
}

impl Default for History {
    fn default() -> Self {
        Self { began: Instant::now(), rings: Mutex::default() }
    }
}

impl History {
    /// Takes in how it stands now.
    pub(crate) fn note(&self, status: &Status) {
        let at = self.began.elapsed();
        self.rings.lock().unwrap_or_else(PoisonError::into_inner).note(at, status);
    }

    /// The points of a chart, the last one at the end; none where it did not run.
    pub(crate) fn points(&self, window: Window) -> Vec<Option<Sample>> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner).points(window)
    }
}

/// Near enough for a chart.
#[expect(clippy::cast_precision_loss, reason = "a chart is some hundred points wide")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Duration = LOOK_EVERY;

    fn running(look: u32) -> Status {
        let times = Percentiles {
            count: u64::from(look) * 10,
            sum_ms: f64::from(look) * 50.0,
            ..Percentiles::default()
        };
        Status {
            state: Activity::Running,
            elapsed_ms: u64::from(look) * 2_000,
            pages_per_s: f64::from(look),
            queued: 7,
            dns_failures: u64::from(look) * 2,
            phases: [("dns".to_owned(), times)].into(),
            ..Status::default()
        }
    }

    fn noted(statuses: impl IntoIterator<Item = (u32, Status)>) -> Rings {
        let mut rings = Rings::default();
        for (look, status) in statuses {
            rings.note(LOOK * look, &status);
        }
        rings
    }

    fn slots(rings: &Rings, window: Window) -> Vec<Option<f64>> {
        let slots = rings.by_window[window as usize].0.iter();
        slots.map(|slot| slot.as_ref().map(|slot| slot.gauge(Gauge::Pages))).collect()
    }

    #[test]
    fn a_look_is_a_slot_and_its_times_are_those_since_the_last() {
        let rings = noted((1..=3).map(|look| (look, running(look))));
        assert_eq!(slots(&rings, Window::Minutes), [Some(1.0), Some(2.0), Some(3.0)]);
        let fine = &rings.by_window[0].0;
        let first = fine[0].as_ref().expect("it ran");
        assert_eq!((first.dns_failures_per_min(), first.phase("dns")), (None, None));
        let last = fine[2].as_ref().expect("it ran");
        assert_eq!((last.dns_failures_per_min(), last.phase("dns")), (Some(60.0), Some(5.0)));
        assert_eq!((last.phase("tls"), last.phase("no such phase")), (None, None));
    }

    #[test]
    fn nothing_that_happened_is_none_and_not_nought() {
        let mut still = running(2);
        still.phases = running(1).phases;
        let rings = noted([(1, running(1)), (2, still)]);
        let last = rings.by_window[0].0[1].as_ref().expect("it ran");
        assert_eq!(last.phase("dns"), None);
    }

    #[test]
    fn a_stop_and_another_run_are_gaps_without_a_spike() {
        let stopped = Status { state: Activity::Stopped, queued: 9, ..Status::default() };
        let looks = [(1, running(8)), (2, running(9)), (3, stopped), (4, running(1))];
        let rings = noted(looks);
        assert_eq!(slots(&rings, Window::Minutes), [Some(8.0), Some(9.0), None, Some(1.0)]);
        let begun = rings.by_window[0].0[3].as_ref().expect("it runs again");
        assert_eq!((begun.dns_failures_per_min(), begun.phase("dns")), (None, None));
        let rings = noted([(1, running(9)), (2, running(1)), (3, running(2))]);
        assert_eq!(slots(&rings, Window::Minutes), [Some(9.0), None, Some(2.0)]);
        let last = rings.by_window[0].0[2].as_ref().expect("it runs");
        assert_eq!(last.dns_failures_per_min(), Some(60.0));
    }

    #[test]
    fn looks_that_come_late_leave_no_gap_and_missed_ones_do() {
        let mut rings = Rings::default();
        for look in 1..=40_u32 {
            rings.note(LOOK * look + Duration::from_millis(u64::from(look) * 90), &running(look));
        }
        assert!(slots(&rings, Window::Minutes).iter().all(Option::is_some));
        let rings = noted([(1, running(1)), (4, running(4))]);
        assert_eq!(slots(&rings, Window::Minutes), [Some(1.0), None, None, Some(4.0)]);
    }

    #[test]
    fn coarse_slots_are_means_and_all_rings_are_bounded() {
        let looks = u32::try_from(SLOTS * 150 + 7).expect("a small number");
        let rings = noted((1..=looks).map(|look| {
            let status = Status { pages_per_s: f64::from(look % 15), ..running(look) };
            (look, status)
        }));
        for (window, ring) in Window::ALL.into_iter().zip(&rings.by_window) {
            assert_eq!(ring.0.len(), SLOTS);
            let points = rings.points(window);
            assert!((100..=101).contains(&points.len()), "{}", points.len());
        }
        let hours = slots(&rings, Window::Hours);
        assert_eq!(hours[10], Some(7.0));
        let slot = rings.by_window[1].0[10].as_ref().expect("it ran");
        assert_eq!((slot.dns_failures_per_min(), slot.phase("dns")), (Some(60.0), Some(5.0)));
    }

    #[test]
    fn a_long_absence_costs_no_more_than_a_ring() {
        let mut rings = noted([(1, running(1))]);
        rings.note(Duration::from_secs(u64::MAX / 4), &running(5));
        let fine = slots(&rings, Window::Minutes);
        assert_eq!((fine.len(), fine[SLOTS - 1], fine[0]), (SLOTS, Some(5.0), None));
    }

    #[test]
    fn points_do_not_change_when_the_next_ones_come() {
        let looks = |count: u32| noted((1..=count).map(|look| (look, running(look))));
        let (early, late) = (looks(600), looks(606));
        let (early, late) = (early.points(Window::Minutes), late.points(Window::Minutes));
        // The first and the last point are not whole.
        assert!(early[3..100] == late[1..98], "two points on, they are the same");
    }

    #[test]
    fn rates_that_are_no_numbers_are_nought() {
        let odd = Status { pages_per_s: f64::NAN, bytes_per_s: -1.0, ..running(1) };
        let rings = noted([(1, odd)]);
        let slot = rings.by_window[0].0[0].as_ref().expect("it ran");
        let gauges = [Gauge::Pages, Gauge::Bytes].map(|gauge| slot.gauge(gauge).to_bits());
        assert_eq!(gauges, [0, 0]);
    }
}
