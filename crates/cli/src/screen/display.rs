//! The live display as a pure function: how a crawl stands, on so many columns and rows.

use rhumb_crawl::shell::{Progress, SiteLine, Standing};
use rhumb_frontier::Hold;

use super::line::{Line, Style, fitted};
use super::rates::Rates;
use super::{clock_jump, descending, hold_words, mean_rate, pages_now};
use crate::quantity::{bytes, elapsed, grouped};

/// From this width on the two tables stand side by side.
const WIDE: usize = 120;
/// Below this width the tables have fewer columns.
const NARROW: usize = 64;
/// Space between what stands side by side.
const GUTTER: usize = 4;
/// The longest curve of the rate.
const CURVE_MAX: usize = 60;
/// The width of a row's name.
const NAME: usize = 10;
/// The widths of a table's columns, the site's own aside.
const COUNT: usize = 10;
const TAKES: usize = 8;
const NOW: usize = 20;

/// All that a display shows.
pub(super) struct Frame<'a> {
    /// What is crawled.
    pub(super) title: &'a str,
    pub(super) progress: &'a Progress,
    pub(super) rates: &'a Rates,
    /// Memory of this process, in bytes.
    pub(super) memory: Option<u64>,
    /// The user asked for the end.
    pub(super) stopping: bool,
}

/// The lines of a display; the most telling first, so that a low terminal cuts the tables.
pub(super) fn render(frame: &Frame<'_>, columns: usize, rows: usize) -> Vec<Line> {
    let Frame { progress, rates, .. } = frame;
    let tally = &progress.tally;
    let mut lines = vec![head(frame, columns)];
    let now = rates.now(progress.elapsed, pages_now(progress));
    let rate = format!("{now:.0}/s now, {:.0}/s mean  ", mean_rate(progress));
    let rate = named("rate").and(Style::Plain, rate);
    let room = columns.saturating_sub(rate.width()).min(CURVE_MAX);
    lines.push(rate.and(Style::Curve, rates.curve(room)));
    lines.extend(counts(frame, columns));
    let refused = tally.refused.iter().map(|(reason, n)| (reason.word().to_owned(), *n));
    lines.extend(list("refused", Style::Plain, refused.collect(), columns));
    let missed = tally.missed.iter().map(|(miss, n)| (miss.word(), *n));
    lines.extend(list("failed", Style::Bad, missed.collect(), columns));
    let waiting = progress.waiting.iter().map(|(hold, n)| (hold_words(hold.word()).to_owned(), *n));
    lines.extend(list("held by", Style::Plain, waiting.collect(), columns));
    if progress.paused {
        lines.push(Line::of(Style::Warning, "paused: `rhumb resume DIR` goes on"));
    }
    if progress.outage {
        let text = "our own connection seems to be down: pausing, probing";
        lines.push(Line::of(Style::Warning, text));
    }
    lines.extend(clock_jump(progress).map(|jump| Line::of(Style::Warning, jump)));
    if frame.stopping {
        let text = "stopping: waiting for fetches under way; once more to end at once";
        lines.push(Line::of(Style::Warning, text));
    }
    lines.extend(tables(progress, columns, rows.saturating_sub(lines.len())));
    lines.truncate(rows);
    lines
}

fn named(name: &str) -> Line {
    Line::of(Style::Label, format!("{name:<NAME$}"))
}

fn head(frame: &Frame<'_>, columns: usize) -> Line {
    let time = elapsed(frame.progress.elapsed);
    let room = columns.saturating_sub(NAME + 1 + time.chars().count());
    let title = fitted(frame.title, room);
    let name = format!("{:<NAME$}", "rhumb");
    Line::of(Style::Title, name).and(Style::Title, title).and(Style::Plain, format!(" {time}"))
}

/// The plain numbers, as many on a line as there is room for.
fn counts(frame: &Frame<'_>, columns: usize) -> Vec<Line> {
    let Frame { progress, memory, .. } = frame;
    let before = progress.before;
    let resumed = (before > 0).then(|| ("resumed", format!("{} before", grouped(before))));
    let cells = [
        ("fetched", grouped(progress.tally.fetched)),
        ("queued", grouped(progress.queued)),
        ("in flight", progress.in_flight.to_string()),
        ("sites", grouped(progress.sites)),
        ("received", bytes(progress.tally.bytes)),
        ("memory", memory.map_or_else(|| "unknown".to_owned(), bytes)),
    ];
    let mut lines: Vec<Line> = Vec::new();
    for (name, value) in cells.into_iter().chain(resumed) {
        let cell = named(name).and(Style::Plain, format!("{value:<14}"));
        match lines.last_mut() {
            Some(line) if line.width() + cell.width() <= columns => {
                let whole = std::mem::take(line);
                *line = whole.beside(0, cell);
            }
            _ => lines.push(cell),
        }
    }
    lines
}

/// Words with their counts, the largest first; what does not fit is counted.
fn list(name: &str, style: Style, items: Vec<(String, u64)>, columns: usize) -> Option<Line> {
    if items.is_empty() {
        return None;
    }
    let items = descending(items);
    let mut line = named(name);
    for (at, (word, count)) in items.iter().enumerate() {
        let item = format!("{word} {}  ", grouped(*count));
        let more = format!("and {} more", items.len() - at);
        let tail = if at + 1 == items.len() { 0 } else { more.len() };
        if at > 0 && line.width() + item.len() - 2 + tail > columns {
            return Some(line.and(Style::Label, more));
        }
        line = line.and(style, item);
    }
    Some(line)
}

fn tables(progress: &Progress, columns: usize, rows: usize) -> Vec<Line> {
    if progress.busiest.is_empty() && progress.slowest.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::default()];
    if columns >= WIDE {
        let half = (columns - GUTTER) / 2;
        let left = table("busiest sites", &progress.busiest, half, rows.saturating_sub(1));
        let right = table("slowest sites", &progress.slowest, half, rows.saturating_sub(1));
        let mut right = right.into_iter();
        lines.extend(left.into_iter().map(|left| match right.next() {
            Some(right) => left.beside(half + GUTTER, right),
            None => left,
        }));
        lines.extend(right.map(|right| Line::default().beside(half + GUTTER, right)));
    } else {
        let each = rows.saturating_sub(2) / 2;
        lines.extend(table("busiest sites", &progress.busiest, columns, each));
        lines.push(Line::default());
        lines.extend(table("slowest sites", &progress.slowest, columns, each));
    }
    lines
}

fn table(name: &str, sites: &[SiteLine], columns: usize, rows: usize) -> Vec<Line> {
    let is_narrow = columns < NARROW;
    let numbers = if is_narrow { COUNT } else { 2 * COUNT + TAKES };
    let site = columns.saturating_sub(numbers + 2 + NOW);
    let row = |name: &str, requests: &str, queued: &str, takes: &str| {
        let name = fitted(name, site);
        if is_narrow {
            format!("{name}{requests:>COUNT$}  ")
        } else {
            format!("{name}{requests:>COUNT$}{queued:>COUNT$}{takes:>TAKES$}  ")
        }
    };
    let titles = row(name, "requests", "queued", "takes") + "waits for";
    let titles = std::iter::once(Line::of(Style::Label, titles));
    let sites = sites.iter().map(|line| {
        let (visits, queued) = (grouped(line.visits), grouped(line.queued));
        let text = row(line.site.as_str(), &visits, &queued, &line.takes.to_string());
        let (style, words) = standing_words(line.standing);
        Line::of(Style::Plain, text).and(style, words)
    });
    titles.chain(sites).take(rows).collect()
}

fn standing_words(standing: Standing) -> (Style, String) {
    match standing {
        Standing::UnderWay(span) => (Style::Curve, format!("its answer, {span}")),
        Standing::Waits(_, span) if span.0 == 0 => (Style::Plain, "its turn".to_owned()),
        Standing::Waits(hold, span) => {
            let is_odd = matches!(hold, Hold::Backoff | Hold::Robots);
            let style = if is_odd { Style::Warning } else { Style::Plain };
            (style, format!("{}, {span}", hold_words(hold.word())))
        }
        Standing::Idle => (Style::Label, "nothing: all done".to_owned()),
    }
}
