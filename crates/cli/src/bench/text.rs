//! The report as a page of text: a pure function of what was measured and the room for it.

use rhumb_measure::parts::{self, Part};

use super::verdict::{self, page_micros, parts_share, percent, practice};
use super::{Report, number, pages_of, sites, whole};
use crate::printable::printable;
use crate::quantity::{bytes, counted, elapsed, grouped};
use crate::screen::{Line, Style, fitted, wrapped};

/// The widths of a name, of what a part does, and of its time.
const NAME: usize = 12;
const PART: usize = 16;
const WHAT: usize = 40;
const MICROS: usize = 8;
/// The longest bar.
const BAR_MAX: usize = 24;
/// Parts of a full block, from none to all of it.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

pub(super) fn render(report: &Report, columns: usize) -> Vec<Line> {
    let mut lines = vec![head(report), Line::default()];
    lines.extend(machine(report));
    lines.push(Line::default());
    lines.extend(table(&report.parts, columns));
    lines.push(Line::default());
    lines.extend(crawl(report));
    lines.push(Line::default());
    let verdict = format!("bottleneck: {}", verdict::sentence(report));
    lines.extend(wrapped(&verdict, columns).into_iter().map(|line| Line::of(Style::Title, line)));
    let practice = practice(&report.crawled).into_iter().flatten();
    lines.extend(practice.map(|line| Line::of(Style::Plain, format!("  {line}"))));
    lines
}

fn head(report: &Report) -> Line {
    let web = &report.web;
    let coding = if web.is_plain {
        "sent as they are".to_owned()
    } else {
        format!("sent as {} of gzip", bytes(web.received_bytes))
    };
    let text = format!(
        "{} with {} of {}, {coding}",
        sites(web.hosts),
        pages_of(web.pages),
        bytes(web.page_bytes),
    );
    Line::of(Style::Title, "rhumb bench  ").and(Style::Plain, text)
}

fn row(name: &str, value: impl Into<String>) -> Line {
    Line::of(Style::Label, format!("{name:<NAME$}")).and(Style::Plain, value)
}

fn machine(report: &Report) -> Vec<Line> {
    let (ground, crawled) = (&report.ground, &report.crawled);
    let cores = |count: usize| counted(u64::try_from(count).unwrap_or(u64::MAX), "core");
    let split = if crawled.is_shared {
        "server and crawl share it".to_owned()
    } else {
        format!("1 for the server, {} for the crawl", crawled.cores)
    };
    let memory = ground.memory_bytes.map_or_else(|| "unknown".to_owned(), bytes);
    let disk = format!(
        "{} free, writes {}/s, a sync takes {}",
        bytes(ground.disk_free_bytes),
        bytes(whole(ground.disk_bytes_per_s)),
        micros_or_ms(ground.sync_ms * 1e3),
    );
    vec![
        row("processor", format!("{}, {}: {split}", printable(&ground.cpu), cores(ground.cores))),
        row("memory", memory),
        row("disk", disk),
    ]
}

/// The parts of a page; those within another stand below it, further in.
fn table(parts: &[Part], columns: usize) -> Vec<Line> {
    let title = format!("{:<PART$}{:<WHAT$}{:>MICROS$}", "a page, by part", "", "µs");
    let mut lines = vec![Line::of(Style::Label, title)];
    let most = parts.iter().map(Part::per_page_micros).fold(1.0, f64::max);
    let room = columns.saturating_sub(PART + WHAT + MICROS + 2).min(BAR_MAX);
    for part in parts {
        let micros = part.per_page_micros();
        let name =
            if part.within.is_some() { format!("  {}", part.name) } else { part.name.into() };
        let times =
            if part.per_page > 1.0 { format!(", × {:.0}", part.per_page) } else { String::new() };
        let what = format!("{}{times}", part.what);
        let style = if part.within.is_some() { Style::Label } else { Style::Plain };
        let text = format!("{}{}", fitted(&name, PART), fitted(&what, WHAT));
        let time = format!("{:>MICROS$}  ", micros_text(micros));
        lines.push(Line::of(style, text + &time).and(bar_style(part), bar(micros / most, room)));
    }
    let sum = micros_text(parts::sum(parts));
    let text = format!("{:<PART$}{:<WHAT$}{sum:>MICROS$}", "all parts", "");
    lines.push(Line::of(Style::Title, text));
    lines
}

fn bar_style(part: &Part) -> Style {
    if part.within.is_some() { Style::Label } else { Style::Curve }
}

fn bar(share: f64, room: usize) -> String {
    let eighths = whole(share * number(u64::try_from(room).unwrap_or(0)) * 8.0);
    let eighths = usize::try_from(eighths).unwrap_or(0).max(1);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

fn crawl(report: &Report) -> Vec<Line> {
    let (crawled, web) = (&report.crawled, &report.web);
    let taken = &crawled.taken;
    let page = page_micros(crawled);
    let seconds = taken.wall.as_secs_f64().max(1e-3);
    let mut fetched = match crawled.of.saturating_sub(crawled.pages) {
        0 => format!("all {} once", counted(crawled.of, "page")),
        _ => format!("{} of {}", grouped(crawled.pages), counted(crawled.of, "page")),
    };
    if crawled.repeats > 0 {
        fetched = format!("{fetched}, {} more than once", grouped(crawled.repeats));
    }
    let (cores, own) = match (crawled.is_shared, crawled.cores) {
        (true, _) => ("the core", "it"),
        (false, 1) => ("its core", "its own"),
        (false, _) => ("its cores", "its own"),
    };
    vec![
        Line::of(Style::Label, "the crawl, with everything on and kept on disk"),
        row(
            "rate",
            format!(
                "{} pages/s, {}/s of pages; from start to end {}",
                grouped(whole(crawled.pages_per_s)),
                bytes(whole(crawled.pages_per_s * number(web.page_bytes))),
                elapsed(taken.wall),
            ),
        ),
        row("fetched", fetched),
        row(
            "processor",
            format!(
                "{} µs a page: {} pages a CPU-second",
                micros_text(page),
                grouped(whole(1e6 / page.max(1.0)))
            ),
        ),
        row(
            "",
            format!(
                "{} are the parts above; the rest: kernel, connections, scheduling",
                percent(parts_share(report)),
            ),
        ),
        row(
            "cores",
            format!(
                "crawl {} of {cores}, server {} of {own}, other programs {}",
                percent(crawled.busy),
                percent(crawled.server_busy),
                percent(crawled.others_busy),
            ),
        ),
        row("memory", format!("{} at most", bytes(taken.peak_bytes))),
        row(
            "disk",
            format!(
                "{} written, {}/s",
                bytes(taken.written_bytes),
                bytes(whole(number(taken.written_bytes) / seconds)),
            ),
        ),
    ]
}

fn micros_text(micros: f64) -> String {
    match micros {
        long if long >= 1_000.0 => grouped(whole(long)),
        some if some >= 10.0 => format!("{some:.0}"),
        few => format!("{few:.1}"),
    }
}

fn micros_or_ms(micros: f64) -> String {
    if micros >= 1_000.0 { format!("{:.1} ms", micros / 1e3) } else { format!("{micros:.0} µs") }
}

#[cfg(test)]
pub(super) mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use std::time::Duration;

    use rhumb_measure::Spread;
    use rhumb_measure::run::Taken;

    use super::super::Web;
    use super::super::crawled::Crawled;
    use super::super::ground::Ground;
    use super::*;

    pub(in super::super) fn crawled() -> Crawled {
        Crawled {
            pages: 10_000,
            of: 10_000,
            repeats: 0,
            taken: Taken {
                wall: Duration::from_millis(4_300),
                cpu: Duration::from_secs(4),
                peak_bytes: 112_000_000,
                written_bytes: 71_000_000,
                handed_bytes: 72_000_000,
                status: ExitStatus::from_raw(0),
            },
            pages_per_s: 2_500.0,
            is_short: false,
            cores: 1,
            busy: 0.97,
            others_busy: 0.0,
            server_busy: 0.31,
            is_shared: false,
            held_back_by: None,
        }
    }

    fn part(name: &'static str, micros: f64, per_page: f64, within: Option<&'static str>) -> Part {
        let micros = Spread { least: micros, middle: micros, most: micros };
        Part { name, what: "what it does", micros, per_page, within }
    }

    fn report() -> Report {
        Report {
            ground: Ground {
                cpu: "Fast 3000".to_owned(),
                cores: 2,
                memory_bytes: Some(24_000_000_000),
                disk_free_bytes: 41_000_000_000,
                disk_bytes_per_s: 812e6,
                sync_ms: 0.4,
            },
            web: Web {
                hosts: 500,
                pages: 10_000,
                page_bytes: 21_000,
                received_bytes: 6_800,
                is_plain: false,
            },
            parts: vec![
                part("parse", 100.0, 1.0, None),
                part("canonicalise", 1.0, 31.0, Some("parse")),
                part("record", 60.0, 1.0, None),
            ],
            crawled: crawled(),
        }
    }

    fn text(report: &Report, columns: usize) -> String {
        let lines = render(report, columns);
        lines.iter().map(|line| line.paint(columns, false) + "\n").collect()
    }

    #[test]
    fn a_report_fits_a_terminal_and_names_the_bottleneck() {
        let page = text(&report(), 80);
        for line in page.lines() {
            assert!(!line.ends_with('…'), "it does not fit: {line}");
        }
        for part in [
            "500 sites with 10,000 pages of 21.0 kB, sent as 6.8 kB of gzip",
            "Fast 3000, 2 cores: 1 for the server, 1 for the crawl",
            "41.0 GB free, writes 812.0 MB/s, a sync takes 400 µs",
            "  canonicalise  what it does, × 31                            31  ████",
            "all parts                                                    160\n",
            "2,500 pages/s, 52.5 MB/s of pages; from start to end 4.3 s",
            "all 10,000 pages once",
            "400 µs a page: 2,500 pages a CPU-second",
            "crawl 97 % of its core, server 31 % of its own, other programs 0 %",
            "40 % are the parts above",
            "bottleneck: the processor; of a page's work parse takes most, 25 %",
            "about 2,500 sites at once",
            "a day at this rate is 216 million such pages",
        ] {
            assert!(page.contains(part), "{part:?} is not in:\n{page}");
        }
    }

    #[test]
    fn a_crawl_that_shared_its_core_says_so() {
        let mut report = report();
        (report.ground.cores, report.crawled.is_shared) = (1, true);
        let page = text(&report, 80);
        assert!(page.contains("1 core: server and crawl share it"), "{page}");
        assert!(page.contains("the processor, which server and crawl shared"), "{page}");
    }

    #[test]
    fn a_short_crawl_promises_nothing() {
        let mut report = report();
        (report.crawled.is_short, report.crawled.busy) = (true, 0.2);
        let page = text(&report, 80);
        assert!(page.contains("the crawl was too short to tell"), "{page}");
        assert!(!page.contains("a day at this rate"), "{page}");
    }

    #[test]
    fn pages_that_are_missing_or_came_twice_are_told() {
        let mut report = report();
        (report.crawled.pages, report.crawled.repeats) = (9_000, 3);
        let page = text(&report, 80);
        assert!(page.contains("9,000 of 10,000 pages, 3 more than once"), "{page}");
    }

    #[test]
    fn bars_have_the_length_of_their_share() {
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!(bar(0.5, 3), "█▌");
        assert_eq!(bar(0.0, 4), "▏");
    }
}
