//! How a crawl stands as a page of text: a pure function of its numbers and the room for them.

use std::collections::BTreeMap;
use std::time::Duration;

use rhumb_crawl::ask::{Activity, Mirror, Percentiles, SiteStanding, Status};
use rhumb_web::Span;

use crate::printable::printable;
use crate::quantity::{bytes, counted, elapsed, grouped};
use crate::screen::{Line, Style, ended, fitted, hold_words};

/// The width of a name, and of the number beside it: three pairs stand on 80 columns.
const NAME: usize = 12;
const VALUE: usize = 14;
/// The widths of the columns of a table.
const COUNT: usize = 11;
const TAKES: usize = 9;
/// What a site waits for, and how long.
const NOW: usize = 21;

/// The parts of the work in the order in which they are done.
const PHASES: [&str; 13] = [
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
    "refill",
    "index",
];

/// How a number is written.
type Shown = fn(u64) -> String;

/// The lines of the page; the most telling first, so that a low terminal cuts the tables.
pub(super) fn render(title: &str, status: &Status, columns: usize) -> Vec<Line> {
    let mut lines = vec![head(title, status, columns)];
    lines.push(verdict(status));
    lines.push(Line::default());
    lines.extend(numbers(status, columns));
    lines.push(Line::default());
    let held = status.waiting_by.iter().map(|(hold, n)| (hold_words(hold).to_owned(), *n));
    let all = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
    let lists = [
        ("waiting", Style::Plain, status.waiting, &held.collect(), grouped as Shown),
        ("refused", Style::Plain, all(&status.refused), &status.refused, grouped),
        ("failed", Style::Bad, all(&status.failed), &status.failed, grouped),
        ("not whole", Style::Plain, all(&status.cut), &status.cut, grouped),
        ("marked", Style::Plain, all(&status.marked), &status.marked, grouped),
        ("sites", Style::Plain, status.sites, &status.sites_by_state, grouped),
        ("memory", Style::Plain, status.memory_bytes, &status.memory, bytes),
        ("disk", Style::Plain, status.disk_bytes, &status.disk, bytes),
    ];
    for (name, style, total, items, shown) in lists {
        lines.extend(list((name, style), total, items, shown, columns));
    }
    lines.extend(phases(&status.phases));
    lines.extend(mirrors(&status.mirrors));
    lines.extend(sites("busiest sites", &status.busiest, columns));
    lines.extend(sites("slowest sites", &status.slowest, columns));
    lines
}

/// The folder and its state; of a long path the beginning is left out, and never the state.
fn head(title: &str, status: &Status, columns: usize) -> Line {
    let mut state = status.state.word().to_owned();
    if status.state == Activity::Running {
        let time = elapsed(Duration::from_millis(status.elapsed_ms));
        state = format!("{state} for {time}");
    }
    if status.paused {
        state.push_str(", paused");
    }
    let title = printable(title);
    let room = columns.saturating_sub(state.chars().count() + 2);
    Line::of(Style::Title, format!("{}: {state}", ended(&title, room)))
}

/// What holds the crawl back, in its own words; yellow where that is something to look at.
fn verdict(status: &Status) -> Line {
    let usual = ["nothing", "politeness", "servers", "stopped"];
    let is_usual = usual.contains(&status.held_back_by.as_str());
    let style = if is_usual { Style::Curve } else { Style::Warning };
    Line::of(style, printable(&status.verdict))
}

/// The plain numbers, as many on a line as there is room for.
fn numbers(status: &Status, columns: usize) -> Vec<Line> {
    let mut cells = vec![
        ("fetched", grouped(status.fetched)),
        ("pages", grouped(status.pages)),
        ("redirects", grouped(status.redirects)),
        ("sitemaps", grouped(status.sitemaps)),
        ("robots.txt", grouped(status.robots)),
        ("duplicates", grouped(status.duplicates)),
        ("queued", grouped(status.queued)),
        ("received", bytes(status.bytes)),
    ];
    if status.state == Activity::Running {
        cells.extend([
            ("in flight", format!("{} of {}", status.in_flight, status.connections)),
            ("pages/s", format!("{:.1}", status.pages_per_s)),
            ("received/s", bytes(whole(status.bytes_per_s))),
            ("busy cores", format!("{:.2}", status.cpu_cores)),
        ]);
    }
    let rare = [
        ("nearly same", status.near_duplicates),
        ("DNS failed", status.dns_failures),
        ("forgotten", status.forgotten),
    ];
    let rare = rare.into_iter().filter(|(_, count)| *count > 0);
    cells.extend(rare.map(|(name, count)| (name, grouped(count))));
    let per_line = (columns / (NAME + VALUE)).max(1);
    let line = |cells: &[(&str, String)]| {
        cells.iter().fold(Line::default(), |line, (name, value)| {
            line.and(Style::Label, format!("{name:<NAME$}"))
                .and(Style::Plain, format!("{value:<VALUE$}"))
        })
    };
    cells.chunks(per_line).map(line).collect()
}

/// A total and its parts, the largest first, on as many lines as they need.
fn list(
    (name, style): (&str, Style),
    total: u64,
    parts: &BTreeMap<String, u64>,
    shown: Shown,
    columns: usize,
) -> Vec<Line> {
    if total == 0 {
        return Vec::new();
    }
    let mut parts: Vec<(&String, &u64)> = parts.iter().filter(|(_, count)| **count > 0).collect();
    parts.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let name = Line::of(Style::Label, format!("{name:<NAME$}"));
    let mut line = name.and(style, shown(total));
    let mut column = NAME + VALUE;
    let mut lines = Vec::new();
    for (word, count) in parts {
        let part = Line::of(style, format!("{} {}", printable(word), shown(*count)));
        if column + part.width() > columns && column > NAME + VALUE {
            lines.push(std::mem::take(&mut line));
            column = NAME + VALUE;
        }
        line = line.beside(column, part);
        column = line.width() + 2;
    }
    lines.push(line);
    lines
}

fn phases(phases: &BTreeMap<String, Percentiles>) -> Vec<Line> {
    let mut rows: Vec<(&String, &Percentiles)> =
        phases.iter().filter(|(_, times)| times.count > 0).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    rows.sort_by_key(|(phase, _)| {
        PHASES.iter().position(|known| known == phase).unwrap_or(PHASES.len())
    });
    let row = |name: &str, cells: [String; 5]| {
        let cells = cells.map(|cell| format!("{cell:>COUNT$}")).concat();
        format!("{name:<NAME$}{cells}")
    };
    let titles = ["times", "p50", "p90", "p99", "max"];
    let titles = row("phase", titles.map(str::to_owned));
    let mut lines = vec![Line::default(), Line::of(Style::Label, titles)];
    lines.extend(rows.into_iter().map(|(phase, times)| {
        let cells = [times.p50_ms, times.p90_ms, times.p99_ms, times.max_ms].map(took);
        let [p50, p90, p99, max] = cells;
        let phase = printable(phase).replace('_', " ");
        Line::of(Style::Plain, row(&phase, [grouped(times.count), p50, p90, p99, max]))
    }));
    lines
}

fn mirrors(mirrors: &[Mirror]) -> Vec<Line> {
    if mirrors.is_empty() {
        return Vec::new();
    }
    let title = Line::of(Style::Label, "sites that show the pages of another".to_owned());
    let line = |mirror: &Mirror| {
        let (site, of) = (printable(&mirror.site), printable(&mirror.of));
        Line::of(Style::Plain, format!("{site} those of {of}: {}", counted(mirror.pages, "page")))
    };
    [Line::default(), title].into_iter().chain(mirrors.iter().map(line)).collect()
}

fn sites(name: &str, sites: &[SiteStanding], columns: usize) -> Vec<Line> {
    if sites.is_empty() {
        return Vec::new();
    }
    let room = columns.saturating_sub(2 * COUNT + TAKES + 2 + NOW).max(NAME);
    let row = |name: &str, requests: &str, queued: &str, takes: &str| {
        format!("{}{requests:>COUNT$}{queued:>COUNT$}{takes:>TAKES$}  ", fitted(name, room))
    };
    let titles = row(name, "requests", "queued", "takes") + "waits for";
    let mut lines = vec![Line::default(), Line::of(Style::Label, titles)];
    lines.extend(sites.iter().map(|site| {
        let (visits, queued) = (grouped(site.visits), grouped(site.queued));
        let takes = Span(site.takes_ms).to_string();
        let text = row(&printable(&site.site), &visits, &queued, &takes);
        let (style, words) = standing_words(site);
        Line::of(Style::Plain, text).and(style, words)
    }));
    lines
}

fn standing_words(site: &SiteStanding) -> (Style, String) {
    let span = Span(site.for_ms);
    match (site.state.as_str(), site.held_by.as_deref()) {
        ("fetching", _) => (Style::Curve, format!("its answer, {span}")),
        ("idle", _) => (Style::Label, "nothing: all done".to_owned()),
        (_, Some(hold @ ("block" | "budget"))) => (Style::Warning, hold_words(hold).to_owned()),
        (_, Some(hold)) if span.0 > 0 => {
            let is_odd = matches!(hold, "backoff" | "robots");
            let style = if is_odd { Style::Warning } else { Style::Plain };
            (style, format!("{}, {span}", printable(hold_words(hold))))
        }
        _ => (Style::Plain, "its turn".to_owned()),
    }
}

/// `44 µs`, `1.2 ms`, `120 ms`, `1.2 s`, `3 min`.
fn took(ms: f64) -> String {
    match ms {
        ms if ms < 0.9995 => format!("{:.0} µs", ms * 1_000.0),
        ms if ms < 9.95 => format!("{ms:.1} ms"),
        ms if ms < 999.5 => format!("{ms:.0} ms"),
        ms if ms < 120_000.0 => format!("{:.1} s", ms / 1_000.0),
        ms => format!("{:.0} min", ms / 60_000.0),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is shown with a few digits; the cast saturates"
)]
fn whole(rate: f64) -> u64 {
    rate.round() as u64
}
