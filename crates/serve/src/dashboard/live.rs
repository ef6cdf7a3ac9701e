//! The part of the dashboard that changes while a crawl runs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use rhumb_crawl::ask::{Activity, Percentiles, Status, hold_words};
use rhumb_web::words::{bytes, elapsed, grouped, printable};

use super::bars::{self, Bar};
use super::chart::{Chart, Series, Unit, took};
use super::history::{Gauge, PHASES, Sample, Window};
use super::meaning::{self, explained_number};
use super::tables;
use crate::look::link;

/// Verdicts that are as they should be.
const USUAL: [&str; 4] = ["nothing", "politeness", "servers", "stopped"];

/// What the part is made from.
pub(super) struct View {
    pub(super) status: Arc<Status>,
    pub(super) window: Window,
    points: Vec<Option<Sample>>,
}

impl View {
    /// How it stands, and the points of its charts. Of a crawl at rest they end with it.
    pub(super) fn new(status: Arc<Status>, window: Window, points: &[Option<Sample>]) -> Self {
        let is_known = |point: &Option<Sample>| point.is_some();
        let points = match (status.state, points.iter().position(is_known)) {
            (Activity::Running, _) | (_, None) => points.to_vec(),
            (_, Some(first)) => {
                let last = points.iter().rposition(is_known).unwrap_or(first);
                // One point is drawn at the end of the time that it is for.
                let before = if first == last { vec![None] } else { Vec::new() };
                [&before, &points[first..=last]].concat()
            }
        };
        Self { status, window, points }
    }

    fn chart<'a>(&self, title: &'a str, unit: Unit, series: Vec<Series>) -> Chart<'a> {
        let is_live = self.status.state == Activity::Running;
        Chart { title, unit, step: self.window.step(), is_live, series }
    }
}

/// The whole part.
pub(super) fn live(view: &View) -> Markup {
    let status = &*view.status;
    html! {
        (verdict(status))
        (controls(status))
        (figures(status))
        (charts(view))
        (phases(view))
        (outcomes(status))
        (room(status))
        (tables::sites("Busiest sites", "with the most exchanges", &status.busiest))
        (tables::sites("Slowest sites", "whose answers take longest", &status.slowest))
        (tables::mirrors(&status.mirrors))
        (tables::recent(&status.recent))
    }
}

fn verdict(status: &Status) -> Markup {
    let is_usual = USUAL.contains(&status.held_back_by.as_str());
    let mut state = status.state.word().to_owned();
    if status.state == Activity::Running {
        state = format!("{state} for {}", elapsed(Duration::from_millis(status.elapsed_ms)));
    }
    html! {
        div.notice.warn[!is_usual].good[is_usual && status.state == Activity::Running] {
            p.headline id="verdict" { (printable(&capital(&status.verdict))) }
            @if let Some(remedy) = meaning::remedy(&status.held_back_by) { p { (remedy) } }
            p.small {
                span.tag id="state" { (state) @if status.paused { ", paused" } }
                @if status.state != Activity::Running {
                    " These are its last numbers."
                }
            }
        }
    }
}

/// What can be done with it; nothing is offered that cannot work.
fn controls(status: &Status) -> Markup {
    let runs = status.state == Activity::Running;
    let (word, name) = if status.paused { ("resume", "Resume") } else { ("pause", "Pause") };
    html! {
        div.row {
            @if runs {
                form method="post" action="/crawl/control" {
                    button.first id=(word) name="do" value=(word) { (name) }
                }
                a.button.danger id="stop" href="/crawl/control" { "Stop…" }
            }
            a.button id="seeds" href="/submit" { "Add seeds" }
            a.button href="/sites" { "All sites" }
        }
    }
}

fn figures(status: &Status) -> Markup {
    let figure = |field: &str, value: String, more: Option<String>| {
        html! {
            div {
                dt { (explained_number("figure", field)) }
                dd { (value) @if let Some(more) = more { " " small { (more) } } }
            }
        }
    };
    let runs = status.state == Activity::Running;
    let count = |field: &str, count: u64| figure(field, grouped(count), None);
    let in_flight = Some(format!("of {}", grouped(status.connections)));
    html! {
        h2.visually-hidden { "Numbers" }
        dl.figures {
            (count("fetched", status.fetched))
            (count("pages", status.pages))
            (count("queued", status.queued))
            @if runs { (figure("in_flight", grouped(status.in_flight), in_flight)) }
            (count("waiting", status.waiting))
            (count("sites", status.sites))
            (count("duplicates", status.duplicates))
            (count("near_duplicates", status.near_duplicates))
            (figure("bytes", bytes(status.bytes), None))
            (count("robots", status.robots))
            @if runs { (count("dns_failures", status.dns_failures)) }
            @if status.forgotten > 0 { (count("forgotten", status.forgotten)) }
        }
    }
}

fn charts(view: &View) -> Markup {
    let series = |name, gauge: Gauge| Series {
        name,
        values: view.points.iter().map(|point| Some(point.as_ref()?.gauge(gauge))).collect(),
    };
    let dns = view.points.iter().map(|point| point.as_ref()?.dns_failures_per_min());
    let dns = Series { name: "failures", values: dns.collect() };
    let chart = |field: &str, unit: Unit, series: Vec<Series>| {
        let title = meaning::number(field).0;
        view.chart(title, unit, series).draw(&explained_number("chart", field))
    };
    html! {
        section aria-labelledby="charts" {
            div.row.between {
                h2 id="charts" { "Over time" }
                nav.spans aria-label="How far back" {
                    @for window in Window::ALL {
                        a id={ "span-" (window.word()) } href=(link("/crawl", &[("span", window.word())]))
                            aria-current=[(window == view.window).then_some("true")] { (window.name()) }
                    }
                }
            }
            div.cards {
                (chart("pages_per_s", Unit::PagesPerSecond, vec![series("pages", Gauge::Pages)]))
                (chart("bytes_per_s", Unit::BytesPerSecond, vec![series("received", Gauge::Bytes)]))
                (chart("queued", Unit::Count, vec![series("queued", Gauge::Queued)]))
                (chart("load", Unit::Count, vec![
                    series("in flight", Gauge::InFlight),
                    series("waiting", Gauge::Waiting),
                ]))
                (chart("refill", Unit::Milliseconds, vec![times(view, "refill")]))
                (chart("dns_failures_per_min", Unit::PerMinute, vec![dns]))
                (chart("memory_bytes", Unit::Bytes, vec![series("memory", Gauge::Memory)]))
                (chart("disk_bytes", Unit::Bytes, vec![series("disk", Gauge::Disk)]))
                (chart("cpu_cores", Unit::Cores, vec![series("cores", Gauge::Cores)]))
            }
        }
    }
}

fn times(view: &View, phase: &'static str) -> Series {
    let values = view.points.iter().map(|point| point.as_ref()?.phase(phase));
    Series { name: "mean", values: values.collect() }
}

fn phases(view: &View) -> Markup {
    let chart = |phase: &'static str| {
        let series = vec![times(view, phase)];
        let title = meaning::number(phase).0;
        view.chart(title, Unit::Milliseconds, series).draw(&explained_number("phase", phase))
    };
    // The load of queues stands with the queues.
    let shown = PHASES.into_iter().filter(|phase| *phase != "refill");
    html! {
        section aria-labelledby="times" {
            h2 id="times" { "Where the time goes" }
            p.muted.small { "The mean time of each part of the work; a gap means that it did not happen." }
            div.cards.small-charts {
                @for phase in shown {
                    div { (chart(phase)) (percentiles(view.status.phases.get(phase))) }
                }
            }
        }
    }
}

fn percentiles(times: Option<&Percentiles>) -> Markup {
    html! {
        @if let Some(times) = times.filter(|times| times.count > 0) {
            p.muted.small.percentiles {
                (grouped(times.count)) " times; half within " (took(times.p50_ms))
                ", 99 of 100 within " (took(times.p99_ms)) ", longest " (took(times.max_ms))
            }
        }
    }
}

fn outcomes(status: &Status) -> Markup {
    let known =
        [("pages", status.pages), ("redirects", status.redirects), ("sitemaps", status.sitemaps)];
    let other = known.iter().fold(status.fetched, |left, (_, count)| left.saturating_sub(*count));
    let answers = known.into_iter().chain([("other", other)]).filter(|(_, count)| *count > 0);
    let answers: Vec<Bar> = answers
        .map(|(field, count)| {
            let (name, about) = meaning::number(field);
            Bar { word: name.to_lowercase(), count, about: about.to_owned() }
        })
        .collect();
    let refused = bars::of(&status.refused, meaning::of_refusal);
    let failed = bars::of(&status.failed, meaning::of_failure);
    let cut = bars::of(&status.cut, meaning::of_oddity);
    let marked = bars::of(&status.marked, meaning::of_oddity);
    html! {
        section aria-labelledby="outcomes" {
            h2 id="outcomes" { "What became of URLs" }
            (bars::table("Answers, by what they are", &answers))
            (bars::table("Links and URLs that were refused, by reason", &refused))
            (bars::table("URLs that were given up, by how the last try ended", &failed))
            (bars::table("Bodies that are not whole", &cut))
            (bars::table("Pages that are not what their status says", &marked))
            @if status.fetched == 0 && refused.is_empty() && failed.is_empty() {
                p.muted { "Nothing has ended yet." }
            }
        }
    }
}

fn room(status: &Status) -> Markup {
    let held: BTreeMap<String, u64> = status
        .waiting_by
        .iter()
        .map(|(hold, count)| (hold_words(hold).to_owned(), *count))
        .collect();
    let card = |field: &str, whole: String, parts: Markup| {
        html! {
            div.card {
                p { (explained_number("room", field)) " " strong { (whole) } }
                (parts)
            }
        }
    };
    html! {
        section aria-labelledby="room" {
            h2 id="room" { "Memory, disk and sites" }
            div.cards {
                @if status.memory_bytes > 0 {
                    (card("memory_bytes", bytes(status.memory_bytes), bars::stacked(&status.memory, bytes)))
                }
                (card("disk_bytes", bytes(status.disk_bytes), bars::stacked(&status.disk, bytes)))
                (card("sites", grouped(status.sites), bars::stacked(&status.sites_by_state, grouped)))
                @if status.waiting > 0 {
                    (card("waiting", grouped(status.waiting), bars::stacked(&held, grouped)))
                }
            }
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charts_of_a_crawl_at_rest_end_with_it() {
        let check = |state: Activity, expect: usize| {
            let status = Arc::new(Status { state, ..Status::default() });
            let some = || Some(Sample::default());
            let points = [None, some(), None, some(), None, None];
            let view = View::new(Arc::clone(&status), Window::Minutes, &points);
            assert_eq!(view.points.len(), expect);
            assert_eq!(View::new(status, Window::Minutes, &[None, None]).points.len(), 2);
        };
        check(Activity::Running, 6);
        check(Activity::Stopped, 3);
        check(Activity::Done, 3);
    }

    #[test]
    fn a_crawl_that_is_shorter_than_a_step_of_its_chart_is_within_one() {
        let status = Arc::new(Status { state: Activity::Done, ..Status::default() });
        for (window, expect) in
            [(Window::Hours, "from 90 s before"), (Window::Day, "from 15 min before")]
        {
            let view =
                View::new(Arc::clone(&status), window, &[None, Some(Sample::default()), None]);
            let drawn = charts(&view).into_string();
            assert!(drawn.contains(expect) && !drawn.contains("from 0 s"), "{drawn}");
        }
    }

    #[test]
    fn a_sentence_begins_with_a_capital() {
        let check = |text: &str, expect: &str| assert_eq!(capital(text), expect);
        check("waiting: 4", "Waiting: 4");
        check("", "");
        check("ärger", "Ärger");
    }
}
