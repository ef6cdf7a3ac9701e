//! What a person or a program sees while a crawl runs, and at its end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::SystemTime;

use rhumb_crawl::partition::Tally;
use rhumb_crawl::shell::{Ended, Progress, Report, Summary, What};
use serde::Serialize;

use crate::quantity::{bytes, elapsed, grouped};
use crate::tell;

/// How much is told.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Voice {
    /// One JSON object a line on stdout.
    pub(crate) json: bool,
    /// No progress lines.
    pub(crate) quiet: bool,
    /// A line for every URL on stderr.
    pub(crate) verbose: bool,
}

#[derive(Serialize)]
struct Event<'a> {
    event: &'static str,
    time: String,
    url: &'a str,
    site: &'a str,
    status: Option<u16>,
    outcome: Option<String>,
    reason: Option<&'static str>,
    bytes: u64,
    depth: u16,
    took_ms: Option<u64>,
}

#[derive(Serialize)]
struct SummaryEvent {
    event: &'static str,
    fetched: u64,
    refused: BTreeMap<&'static str, u64>,
    failed: BTreeMap<String, u64>,
    duplicates: u64,
    queued: u64,
    waiting: u64,
    bytes: u64,
    elapsed_ms: u64,
    pages_per_s: f64,
    exit: u8,
}

impl Voice {
    /// Tells the end of one URL.
    pub(crate) fn report(self, report: &Report) -> std::io::Result<()> {
        let (event, status, outcome, reason) = match report.what {
            What::Fetched(status) => {
                let outcome = if (300..400).contains(&status) { "redirect" } else { "ok" };
                ("fetched", Some(status), Some(outcome.to_owned()), None)
            }
            What::Refused(reason) => ("refused", None, None, Some(reason.word())),
            What::Missed(miss) => ("failed", status_of(miss), Some(miss.word()), None),
            What::Retried(miss) => ("retried", status_of(miss), Some(miss.word()), None),
        };
        // A try that is not the last is talk, not data.
        if self.json && event != "retried" {
            let site = report.url.site();
            let event = Event {
                event,
                time: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
                url: report.url.as_str(),
                site: site.as_str(),
                status,
                outcome: outcome.clone(),
                reason,
                bytes: report.bytes,
                depth: report.depth,
                took_ms: report.took.map(|took| took.0),
            };
            print(&event)?;
        }
        if self.verbose {
            let what = outcome.as_deref().or(reason).unwrap_or_default();
            tell(&format!("{event:<8} {what:<16} {}", report.url));
        }
        Ok(())
    }

    /// One line on how the crawl stands.
    pub(crate) fn progress(self, progress: &Progress) {
        if self.quiet {
            return;
        }
        let seconds = progress.elapsed.as_secs();
        let tally = &progress.tally;
        let mut line = format!(
            "{:>4}:{:02}  {} fetched  {:.0}/s  {} queued  {} in flight",
            seconds / 60,
            seconds % 60,
            grouped(tally.fetched),
            rate(progress),
            grouped(progress.queued),
            progress.in_flight,
        );
        let refused: u64 = tally.refused.values().sum();
        let missed: u64 = tally.missed.values().sum();
        for (count, word) in [(refused, "refused"), (missed, "failed")] {
            if count > 0 {
                write!(line, "  {} {word}", grouped(count)).expect("a string takes all");
            }
        }
        let waiting = waiting(progress);
        if !waiting.is_empty() {
            write!(line, "  waiting: {waiting}").expect("a string takes all");
        }
        if progress.outage {
            line.push_str("  our own connection seems to be down: pausing, probing");
        }
        tell(&line);
    }

    /// The end of the crawl.
    pub(crate) fn summary(self, summary: &Summary, exit: u8) -> std::io::Result<()> {
        let Summary { progress, duplicates, .. } = summary;
        let tally = &progress.tally;
        if self.json {
            let elapsed_ms = u64::try_from(progress.elapsed.as_millis()).unwrap_or(u64::MAX);
            let refused = tally.refused.iter().map(|(reason, n)| (reason.word(), *n));
            print(&SummaryEvent {
                event: "summary",
                fetched: tally.fetched,
                refused: refused.collect(),
                failed: tally.missed.iter().map(|(miss, n)| (miss.word(), *n)).collect(),
                duplicates: *duplicates,
                queued: progress.queued,
                waiting: progress.waiting.values().sum(),
                bytes: tally.bytes,
                elapsed_ms,
                pages_per_s: rate(progress),
                exit,
            })?;
        }
        if !(self.json && self.quiet) {
            tell(&summary_text(summary, tally));
        }
        Ok(())
    }
}

fn summary_text(summary: &Summary, tally: &Tally) -> String {
    let progress = &summary.progress;
    let ended = match summary.ended {
        Ended::Done => "done",
        Ended::Limit => "limit reached",
        Ended::Stopped => "stopped",
    };
    let mut text = format!(
        "\n{ended} in {}: {} pages and {} redirects from {} sites, {}, {:.0} fetches/s",
        elapsed(progress.elapsed),
        grouped(tally.pages()),
        grouped(tally.redirects),
        grouped(progress.sites),
        bytes(tally.bytes),
        rate(progress),
    );
    let mut list = |name: &str, items: Vec<(String, u64)>| {
        if !items.is_empty() {
            let mut items = items;
            items.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let items: Vec<String> =
                items.iter().map(|(word, n)| format!("{word} {}", grouped(*n))).collect();
            write!(text, "\n  {name:<11} {}", items.join(", ")).expect("a string takes all");
        }
    };
    let also = [
        ("robots.txt", tally.robots),
        ("sitemaps", tally.sitemaps),
        ("duplicate pages", summary.duplicates),
        ("links between partitions", tally.crossed),
    ];
    let refused = tally.refused.iter().map(|(reason, n)| (reason.word().to_owned(), *n));
    list("refused", refused.collect());
    list("failed", tally.missed.iter().map(|(miss, n)| (miss.word(), *n)).collect());
    let also = also.into_iter().filter(|(_, n)| *n > 0);
    list("also", also.map(|(word, n)| (word.to_owned(), n)).collect());
    if progress.queued > 0 {
        let queued = grouped(progress.queued);
        write!(text, "\n  left        {queued} URLs in the queue").expect("a string takes all");
        let waiting = waiting(progress);
        if !waiting.is_empty() {
            write!(text, "; sites that wait: {waiting}").expect("a string takes all");
        }
    }
    text
}

fn status_of(miss: rhumb_crawl::partition::Miss) -> Option<u16> {
    match miss {
        rhumb_crawl::partition::Miss::Status(status) => Some(status),
        rhumb_crawl::partition::Miss::Failure(_) => None,
    }
}

fn waiting(progress: &Progress) -> String {
    let holds = progress.waiting.iter();
    let words: Vec<String> =
        holds.map(|(hold, n)| format!("{} {}", hold.word(), grouped(*n))).collect();
    words.join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "a rate is shown with a few digits")]
fn rate(progress: &Progress) -> f64 {
    let seconds = progress.elapsed.as_secs_f64().max(0.001);
    (progress.tally.fetched as f64 / seconds * 10.0).round() / 10.0
}

fn print(value: &impl Serialize) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, value)?;
    out.write_all(b"\n")
}
