//! How the cost of a page changes with the size and the kind of the web, and with cores.

use super::book::{Book, Row};
use super::contender::Contender;
use super::figures::Figures;
use super::outcome;
use super::setting::Setting;
use super::stand::{Grounds, Stand};
use super::table::{self, Summary};
use crate::seen::Outcome;

/// How it is called.
pub const USAGE: &str =
    "scaling [--quick] [--runs N] [hosts | pages | latency | https | threads]...";
/// So that there is a middle.
const RUNS: usize = 3;
/// Every count of pages is divided by this for a quick look.
const QUICK: u64 = 10;

/// Webs that differ in one thing.
struct Series {
    name: &'static str,
    what: &'static str,
    settings: Vec<Setting>,
    /// What follows from the middles of all settings.
    verdicts: fn(&[Setting], &[Summary]) -> Vec<String>,
}

/// Measures what the words after `scaling` ask for: all series, or those named.
pub fn measure(words: &[&str]) -> Outcome {
    let (mut runs, mut is_quick, mut names) = (RUNS, false, Vec::new());
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "--quick" => (is_quick, runs) = (true, 1),
            "--runs" => {
                let count = words.next().and_then(|text| text.parse().ok());
                runs = count.filter(|count| *count > 0).ok_or("--runs wants a number")?;
            }
            name if all(1).iter().any(|series| series.name == name) => names.push(name),
            _ => return Err(format!("what is {word}?\n  try: {USAGE}").into()),
        }
    }
    // A quick look is not worth keeping.
    let book = (!is_quick).then(Book::open);
    let grounds = Grounds::new(false)?;
    let mut faults = Vec::new();
    for series in all(if is_quick { QUICK } else { 1 }) {
        if names.is_empty() || names.contains(&series.name) {
            faults.extend(climb(&grounds, book.as_ref(), &series, runs)?);
        }
    }
    outcome(&faults)
}

/// All crawls of a series: its webs take turns. Gives what was not right in them.
fn climb(
    grounds: &Grounds,
    book: Option<&Book>,
    series: &Series,
    runs: usize,
) -> Result<Vec<String>, String> {
    println!("{}: {}", series.name, series.what);
    eprintln!("  {} webs are made", series.settings.len());
    let stands: Vec<Stand<'_>> =
        series.settings.iter().map(|it| grounds.serve(*it)).collect::<Result<_, _>>()?;
    let summary = |stand: &Stand<'_>| Summary { name: stand.setting.title(), runs: Vec::new() };
    let mut summaries: Vec<Summary> = stands.iter().map(summary).collect();
    let (ours, mut rows) = (Contender::Rhumb, Vec::new());
    let contender = (ours.name(), ours.version());
    for run in 1..=runs {
        for (stand, summary) in stands.iter().zip(&mut summaries) {
            eprintln!("  run {run} of {runs}: {}", summary.name);
            let (figures, _) = stand.run(ours)?;
            summary.runs.push(figures);
            rows.push((stand.setting, run, figures));
        }
    }
    print(&summaries);
    let mut caveats: Vec<String> =
        series.settings.iter().filter_map(|it| grounds.caveat(it.threads)).collect();
    caveats.dedup();
    for line in (series.verdicts)(&series.settings, &summaries).iter().chain(&caveats) {
        println!("{line}");
    }
    if let Some(book) = book {
        let row = |(setting, run, figures)| {
            book.row(setting, (contender.0, &contender.1), (run, figures))
        };
        let rows: Vec<Row> = rows.into_iter().map(row).collect();
        println!("kept in {}", book.append(&rows)?.display());
    }
    println!();
    let fault = |it: &Summary| Some(format!("rhumb on {}: {}", it.name, it.fault()?));
    Ok(summaries.iter().filter_map(fault).collect())
}

fn print(summaries: &[Summary]) {
    println!(
        "{:<58} {:>22} {:>22} {:>12} {:>8} {:>8}",
        "", "pages/s", "steady/s", "CPU us/page", "peak MB", "missing"
    );
    for summary in summaries {
        println!(
            "{:<58} {:>22} {:>22} {:>12} {:>8} {:>8}",
            summary.name,
            table::spread(summary.spread(|it| Some(it.per_second()))),
            table::spread(summary.spread(|it| it.steady)),
            table::spread(summary.spread(|it| Some(it.micros_per_page()))),
            table::whole(summary.middle(|it| table::megabytes(it.peak_bytes))),
            summary.runs.iter().map(|it| it.missing).sum::<usize>(),
        );
    }
}

fn all(part: u64) -> [Series; 5] {
    let web = |hosts: u64, pages: u64| Setting {
        hosts,
        // No host is without a page.
        pages: (pages / part).max(hosts),
        ..Setting::BROAD
    };
    let closing = |web: Setting| Setting { closes: true, ..web };
    let with_tls = |web: Setting| [web, Setting { https: true, ..web }];
    [
        Series {
            name: "hosts",
            what: "as many pages on more hosts; a single one with 16 connections",
            settings: [1, 10, 100, 1_000].map(|hosts| web(hosts, 10_000)).to_vec(),
            verdicts: |_, _| Vec::new(),
        },
        Series {
            name: "pages",
            what: "more pages on 500 hosts",
            settings: [1_000, 10_000, 100_000].map(|pages| web(500, pages)).to_vec(),
            verdicts: of_pages,
        },
        Series {
            name: "latency",
            what: "the server thinks before every answer; steady while 500 sites have work",
            settings: [0, 50, 100, 200]
                .map(|latency_ms| Setting { latency_ms, ..web(2_000, 40_000) })
                .to_vec(),
            verdicts: of_latency,
        },
        Series {
            name: "https",
            what: "the same webs without and with TLS",
            settings: [web(20, 8_000), web(1_000, 8_000), closing(web(20, 8_000))]
                .map(with_tls)
                .concat(),
            verdicts: of_https,
        },
        Series {
            name: "threads",
            what: "one core and two",
            settings: [1, 2].map(|threads| Setting { threads, ..web(500, 10_000) }).to_vec(),
            verdicts: of_threads,
        },
    ]
}

fn of_pages(_: &[Setting], summaries: &[Summary]) -> Vec<String> {
    let [_, some, many] = summaries else { return Vec::new() };
    let ratio = many.middle(Figures::micros_per_page) / some.middle(Figures::micros_per_page);
    vec![format!("ten times the pages: {ratio:.3} of the CPU time a page")]
}

fn of_latency(_: &[Setting], summaries: &[Summary]) -> Vec<String> {
    let Some((without, with)) = summaries.split_first() else { return Vec::new() };
    let steady = |summary: &Summary| summary.middle(|it| it.steady.unwrap_or(f64::NAN));
    let line = |it: &Summary| {
        format!("{}: {:.3} of the steady rate without", it.name, steady(it) / steady(without))
    };
    with.iter().map(line).collect()
}

/// What TLS adds to a page, and what follows for a handshake: on few hosts it is encryption alone;
/// on many whose connections are all kept, a full handshake a host too; where the server closes
/// the connection after every page, a resumed one a page.
fn of_https(settings: &[Setting], summaries: &[Summary]) -> Vec<String> {
    let added = |pair: &[Summary]| {
        let [plain, tls] = [&pair[0], &pair[1]].map(|it| it.middle(Figures::micros_per_page));
        tls - plain
    };
    let pairs: Vec<&[Summary]> = summaries.chunks_exact(2).collect();
    let mut lines: Vec<String> = pairs
        .iter()
        .map(|pair| format!("{}: {:.0} us a page more than without", pair[1].name, added(pair)))
        .collect();
    if let ([few, many, closing], [_, _, of_many, ..]) = (&pairs[..], settings) {
        let full = (added(many) - added(few)) * of_many.pages_per_host();
        let resumed = added(closing) - added(few);
        lines.push(format!("so a full handshake is {full:.0} us, a resumed one {resumed:.0} us"));
    }
    lines
}

fn of_threads(_: &[Setting], summaries: &[Summary]) -> Vec<String> {
    let [one, two] = summaries else { return Vec::new() };
    let ratio = |of: fn(&Figures) -> f64| two.middle(of) / one.middle(of);
    vec![format!(
        "two threads to one: {:.3} of the pages per CPU-second, {:.3} times the pages a second",
        ratio(Figures::per_cpu_second),
        ratio(Figures::per_second)
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(micros_per_page: f64) -> Summary {
        let figures = Figures {
            pages: 1.0,
            seconds: 1.0,
            steady: None,
            cpu: micros_per_page / 1e6,
            peak_bytes: 0,
            written_bytes: 0,
            missing: 0,
            repeats: 0,
            violations: 0,
        };
        Summary { name: "a web".to_owned(), runs: vec![figures] }
    }

    #[test]
    fn a_handshake_follows_from_what_tls_adds_to_a_page() {
        let [.., https, _] = all(1);
        // 20 us to encrypt a page, 240 us a full handshake, 126 us a resumed one.
        let added = [20.0, 20.0 + 240.0 / 8.0, 20.0 + 126.0];
        let summaries: Vec<Summary> =
            added.iter().flat_map(|more| [summary(300.0), summary(300.0 + more)]).collect();
        let lines = (https.verdicts)(&https.settings, &summaries);
        let last = lines.last().unwrap();
        assert_eq!(last, "so a full handshake is 240 us, a resumed one 126 us");
    }

    #[test]
    fn every_web_of_every_series_can_be_made() {
        for part in [1, QUICK] {
            for series in all(part) {
                assert!(series.settings.iter().all(|it| it.spec().is_ok()), "{}", series.name);
            }
        }
    }
}
