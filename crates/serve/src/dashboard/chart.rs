//! Charts: lines over time as SVG, made here and whole without script.

use std::fmt::Write as _;
use std::time::Duration;

use maud::{Markup, html};
use rhumb_web::words;

use super::history::float;

/// Points of a chart; of more the last are drawn.
const POINTS_MAX: usize = 120;
/// The drawing's own measures; it is stretched to the room that there is.
const WIDE: f64 = 600.0;
const HIGH: f64 = 120.0;
/// No value is drawn higher, so that nothing overflows.
const VALUE_MAX: f64 = 1e18;
const TAKES_ALL: &str = "a string takes all";

/// What the numbers of a chart are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Count,
    PagesPerSecond,
    PerMinute,
    BytesPerSecond,
    Bytes,
    Milliseconds,
    Cores,
}

impl Unit {
    /// A value as people read it.
    pub(super) fn words(self, value: f64) -> String {
        let value = tame(value);
        match self {
            Self::Count => short(value),
            Self::PagesPerSecond => format!("{}/s", short(value)),
            Self::PerMinute => format!("{}/min", short(value)),
            Self::BytesPerSecond => format!("{}/s", words::bytes(whole(value))),
            Self::Bytes => words::bytes(whole(value)),
            Self::Milliseconds => took(value),
            Self::Cores => format!("{value:.2}"),
        }
    }
}

/// One line of a chart; none where there is nothing to tell.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: &'static str,
    pub(super) values: Vec<Option<f64>>,
}

/// A chart to be drawn.
#[derive(Clone, Debug)]
pub(super) struct Chart<'a> {
    /// What it is called, for those who do not see it.
    pub(super) title: &'a str,
    pub(super) unit: Unit,
    /// The time between two points.
    pub(super) step: Duration,
    /// Whether it ends now; else it ends where the crawl did.
    pub(super) is_live: bool,
    pub(super) series: Vec<Series>,
}

impl Chart<'_> {
    /// The chart below a heading; without any value it says so.
    pub(super) fn draw(&self, heading: &Markup) -> Markup {
        let top = nice(self.values().fold(0.0, f64::max));
        let count = self.series.iter().map(|series| series.values.len()).max().unwrap_or(0);
        let count = count.min(POINTS_MAX);
        let span = long(self.step * u32::try_from(count.saturating_sub(1)).unwrap_or(0));
        let (before, end) = if self.is_live { ("ago", "now") } else { ("before", "the end") };
        let span = format!("{span} {before}");
        let is_empty = self.values().next().is_none();
        let told = self.told(&span, end);
        html! {
            figure.chart {
                figcaption {
                    span.what { (heading) }
                    @for (at, series) in self.series.iter().enumerate() {
                        @let last = series.last().map(|value| self.unit.words(value));
                        @let is_past = series.values.last().is_none_or(Option::is_none);
                        span.last.was[is_past].{ "line-" (at + 1) } {
                            @if self.series.len() > 1 { span.key { (series.name) } " " }
                            (last.as_deref().unwrap_or("–"))
                        }
                    }
                }
                div.plot {
                    svg viewBox={ "0 0 " (WIDE) " " (HIGH) } preserveAspectRatio="none" role="img"
                        aria-label=(told) data-count=(count) data-step=(self.step.as_secs())
                        data-before=(before) data-end=(end) {
                        title { (told) }
                        @for share in [0.0, 0.5] {
                            line.grid x1="0" x2=(WIDE) y1=(HIGH * share) y2=(HIGH * share)
                                vector-effect="non-scaling-stroke" {}
                        }
                        @for (at, series) in self.series.iter().enumerate() {
                            (series.draw(at, top, self))
                        }
                        line.cursor x1="0" x2="0" visibility="hidden" y1="0" y2=(HIGH)
                            vector-effect="non-scaling-stroke" {}
                    }
                    @if is_empty {
                        span.none { "nothing yet" }
                    } @else {
                        span.top-mark aria-hidden="true" { (self.unit.words(top)) }
                        span.half-mark aria-hidden="true" { (self.unit.words(top / 2.0)) }
                    }
                    span.reading aria-hidden="true" {}
                }
                div.span aria-hidden="true" { span { (span) } span { (end) } }
            }
        }
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        self.series.iter().flat_map(|series| series.values.iter().flatten().copied().map(tame))
    }

    /// What it shows, in words.
    fn told(&self, span: &str, end: &str) -> String {
        let mut told = format!("{}, from {span} to {end}", self.title);
        for series in &self.series {
            let Some(last) = series.last() else {
                write!(told, "; {}: nothing yet", series.name).expect(TAKES_ALL);
                continue;
            };
            let values = || series.values.iter().flatten().copied().map(tame);
            let least = self.unit.words(values().fold(VALUE_MAX, f64::min));
            let most = self.unit.words(values().fold(0.0, f64::max));
            let last = self.unit.words(last);
            write!(told, "; {}: last {last}, between {least} and {most}", series.name)
                .expect(TAKES_ALL);
        }
        told
    }
}

impl Series {
    /// The value of now, or the last that there was.
    fn last(&self) -> Option<f64> {
        self.values.iter().rev().flatten().next().copied().map(tame)
    }

    fn draw(&self, at: usize, top: f64, chart: &Chart<'_>) -> Markup {
        let skip = self.values.len().saturating_sub(POINTS_MAX);
        let values = &self.values[skip..];
        let across = WIDE / float(u64::try_from(values.len().max(2) - 1).unwrap_or(1));
        let place = |index: usize, value: f64| {
            let x = across * float(u64::try_from(index).unwrap_or(0));
            (x, HIGH - HIGH * (tame(value) / top).clamp(0.0, 1.0))
        };
        let (mut line, mut area) = (String::new(), String::new());
        for (first, run) in runs(values) {
            let points = run.iter().enumerate().map(|(at, value)| place(first + at, *value));
            let mut end = 0.0;
            for (nth, (x, y)) in points.enumerate() {
                let pen = if nth == 0 { "M" } else { "L" };
                write!(line, "{pen}{x:.1} {y:.1}").expect(TAKES_ALL);
                if nth == 0 {
                    write!(area, "M{x:.1} {HIGH}").expect(TAKES_ALL);
                }
                write!(area, "L{x:.1} {y:.1}").expect(TAKES_ALL);
                end = x;
            }
            write!(area, "L{end:.1} {HIGH}Z").expect(TAKES_ALL);
            if run.len() == 1 {
                // A line without length shows its round ends: a dot.
                line.push_str("h.1");
            }
        }
        let told: Vec<String> = values
            .iter()
            .map(|value| value.map_or(String::new(), |v| chart.unit.words(v)))
            .collect();
        html! {
            @if chart.series.len() == 1 && !area.is_empty() { path.area d=(area) {} }
            path.line.{ "line-" (at + 1) } d=(line) fill="none" vector-effect="non-scaling-stroke"
                data-name=(self.name) data-values=(told.join("|")) {}
        }
    }
}

/// The values that follow each other without a gap, each with its place.
fn runs(values: &[Option<f64>]) -> Vec<(usize, Vec<f64>)> {
    let mut runs: Vec<(usize, Vec<f64>)> = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value else { continue };
        match runs.last_mut() {
            Some((first, run)) if *first + run.len() == at => run.push(*value),
            _ => runs.push((at, vec![*value])),
        }
    }
    runs
}

/// A number that can be drawn.
fn tame(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, VALUE_MAX) }
}

/// The next round number: 1, 2 or 5 and noughts.
fn nice(value: f64) -> f64 {
    let value = tame(value);
    if value < 1e-6 {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|step| *step >= value).unwrap_or(value)
}

/// `0`, `0.4`, `12.5`, `1,234`, `1.2 M`.
fn short(value: f64) -> String {
    match value {
        value if value >= 1e15 => format!("{value:.1e}"),
        value if value >= 1e12 => format!("{:.1} T", value / 1e12),
        value if value >= 1e9 => format!("{:.1} G", value / 1e9),
        value if value >= 1e6 => format!("{:.1} M", value / 1e6),
        value if value >= 99.95 || value.fract().abs() < 0.005 => words::grouped(whole(value)),
        value if value < 0.1 => format!("{value:.2}"),
        value => format!("{value:.1}"),
    }
}

/// `44 µs`, `1.2 ms`, `120 ms`, `1.2 s`, `3 min`.
pub(super) fn took(ms: f64) -> String {
    match tame(ms) {
        ms if ms < 0.9995 => format!("{:.0} µs", ms * 1_000.0),
        ms if ms < 9.95 => format!("{ms:.1} ms"),
        ms if ms < 999.5 => format!("{ms:.0} ms"),
        ms if ms < 120_000.0 => format!("{:.1} s", ms / 1_000.0),
        ms => format!("{} min", words::grouped(whole(ms / 60_000.0))),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is shown with a few digits; the cast saturates"
)]
pub(super) fn whole(value: f64) -> u64 {
    value.round() as u64
}

/// `57 s`, `10 min`, `2.5 h`.
fn long(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{:.1} h", span.as_secs_f64() / 3_600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(unit: Unit, values: Vec<Option<f64>>) -> String {
        let series = vec![Series { name: "pages", values }];
        let step = Duration::from_secs(6);
        Chart { title: "Pages", unit, step, is_live: true, series }
            .draw(&html! { "Pages" })
            .into_string()
    }

    /// The ends of all strokes of its line.
    fn strokes(drawn: &str) -> Vec<(f64, f64)> {
        let (_, line) = drawn.split_once("class=\"line line-1\" d=\"").expect("a line");
        let (line, _) = line.split_once('"').expect("its end");
        let strokes = line.split(['M', 'L']).filter(|stroke| !stroke.is_empty());
        let ends = strokes.map(|stroke| {
            let (x, y) = stroke.trim_end_matches("h.1").split_once(' ').expect("two numbers");
            (x.parse().expect("a number"), y.parse().expect("a number"))
        });
        ends.collect()
    }

    #[test]
    fn a_chart_of_nothing_says_so() {
        for values in [Vec::new(), vec![None; 20]] {
            let drawn = drawn(Unit::Count, values);
            assert!(drawn.contains("nothing yet") && strokes(&drawn).is_empty(), "{drawn}");
        }
    }

    #[test]
    fn one_value_is_a_dot() {
        let drawn = drawn(Unit::Count, vec![None, Some(4.0), None]);
        assert_eq!(strokes(&drawn), [(300.0, 24.0)]);
        assert!(drawn.contains("h.1"), "{drawn}");
        assert!(drawn.contains("pages: last 4, between 4 and 4"), "{drawn}");
    }

    #[test]
    fn values_lie_between_the_ground_and_a_round_number() {
        let drawn = drawn(Unit::PagesPerSecond, vec![Some(0.0), Some(50.0), Some(80.0)]);
        assert_eq!(strokes(&drawn), [(0.0, 120.0), (300.0, 60.0), (600.0, 24.0)]);
        assert!(drawn.contains(">100/s<") && drawn.contains(">50/s<"), "{drawn}");
        assert!(drawn.contains("Pages, from 12 s ago to now; pages: last 80/s"), "{drawn}");
        assert!(drawn.contains("data-values=\"0/s|50/s|80/s\""), "{drawn}");
    }

    #[test]
    fn a_gap_ends_a_line_and_another_begins() {
        let drawn = drawn(Unit::Count, vec![Some(1.0), Some(1.0), None, Some(1.0), Some(1.0)]);
        let (_, line) = drawn.split_once("class=\"line line-1\" d=\"").expect("a line");
        let line = line.split('"').next().expect("its end");
        assert_eq!(line.matches('M').count(), 2);
    }

    #[test]
    fn numbers_that_are_none_and_huge_ones_stay_in_the_drawing() {
        let wild = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 1e17];
        let units = [
            Unit::Count,
            Unit::PagesPerSecond,
            Unit::PerMinute,
            Unit::BytesPerSecond,
            Unit::Bytes,
            Unit::Milliseconds,
            Unit::Cores,
        ];
        for unit in units {
            let drawn = drawn(unit, wild.into_iter().map(Some).collect());
            assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
            let strokes = strokes(&drawn);
            assert_eq!(strokes.len(), wild.len());
            let is_inside =
                |(x, y): &(f64, f64)| (0.0..=WIDE).contains(x) && (0.0..=HIGH).contains(y);
            assert!(strokes.iter().all(is_inside), "{strokes:?}");
        }
    }

    #[test]
    fn of_many_points_the_last_are_drawn() {
        let many = (0..1_000_u32).map(|n| Some(f64::from(n))).collect();
        let drawn = drawn(Unit::Count, many);
        assert_eq!(strokes(&drawn).len(), POINTS_MAX);
        assert!(drawn.contains("last 999,"), "{drawn}");
    }

    #[test]
    fn several_lines_have_their_names_and_values() {
        let series = |name, value| Series { name, values: vec![Some(value); 3] };
        let chart = Chart {
            title: "Load",
            unit: Unit::Count,
            step: Duration::from_secs(6),
            is_live: false,
            series: vec![series("in flight", 3.0), series("waiting", 12.0)],
        };
        let drawn = chart.draw(&html! { "Load" }).into_string();
        for word in [
            "line-1",
            "line-2",
            "in flight",
            "from 12 s before to the end",
            "waiting: last 12, between 12 and 12",
        ] {
            assert!(drawn.contains(word), "{word}: {drawn}");
        }
        assert!(!drawn.contains("style="), "the policy forbids it");
    }

    #[test]
    fn numbers_are_short() {
        let check = |value: f64, expect: &str| assert_eq!(short(value), expect);
        check(0.0, "0");
        check(0.04, "0.04");
        check(0.5, "0.5");
        check(12.34, "12.3");
        check(1_234.0, "1,234");
        check(1_234_567.0, "1.2 M");
        check(4.2e9, "4.2 G");
        let check = |value: f64, expect: f64| assert!((nice(value) - expect).abs() < 1e-9 * expect);
        check(0.0, 1.0);
        check(0.03, 0.05);
        check(1.0, 1.0);
        check(101.0, 200.0);
        check(999.0, 1_000.0);
    }
}
