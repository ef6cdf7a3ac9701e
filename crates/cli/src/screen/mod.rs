//! What a person or a program sees while a crawl runs, and at its end.

mod display;
mod hints;
mod line;
mod live;
mod notices;
mod rates;
mod summary;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::SystemTime;

use rhumb_crawl::shell::{Progress, Report, What};
use serde::Serialize;

use crate::quantity::{counted, elapsed, grouped};
use crate::{printable, tell};

pub(crate) use hints::Backdrop;
pub(crate) use line::{Line, Style, ended, fitted, wrapped};
pub(crate) use live::{Canvas, Live, columns, show, size};
pub(crate) use notices::Notices;
pub(crate) use rhumb_crawl::ask::hold_words;

/// How much is told.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Voice {
    /// One JSON object a line on stdout.
    pub(crate) json: bool,
    /// No progress lines.
    pub(crate) quiet: bool,
    /// A line for every URL on stderr.
    pub(crate) verbose: bool,
    /// A display instead of lines.
    pub(crate) live: Live,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are a public contract")]
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

impl Voice {
    /// What the user asked for, where we are: a display only if nothing else is told.
    pub(crate) fn new(json: bool, quiet: bool, verbose: bool) -> Self {
        let live = if json || quiet || verbose { Live::No } else { Live::here() };
        Self { json, quiet, verbose, live }
    }

    /// Tells the end of one URL.
    pub(crate) fn report(self, report: &Report) -> std::io::Result<()> {
        let what = report.what;
        let (event, status) = (what.word(), what.status());
        let (outcome, reason) = match what {
            What::Refused(reason) => (None, Some(reason.word())),
            What::Fetched(..) | What::Missed(_) | What::Retried(_) => (Some(what.outcome()), None),
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
                outcome,
                reason,
                bytes: report.bytes,
                depth: report.depth,
                took_ms: report.took.map(|took| took.0),
            };
            print(&event)?;
        }
        if self.verbose {
            tell(&format!("{event:<8} {:<16} {}", what.outcome(), report.url));
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
            "{:>4}:{:02}  {} fetched{}  {:.0}/s  {} queued  {} in flight",
            seconds / 60,
            seconds % 60,
            grouped(tally.fetched),
            resumed(progress),
            mean_rate(progress),
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
        if progress.paused {
            line.push_str("  paused: `rhumb resume DIR` goes on");
        }
        if progress.outage {
            line.push_str("  our own connection seems to be down: pausing, probing");
        }
        if let Some(jump) = clock_jump(progress) {
            write!(line, "  {jump}").expect("a string takes all");
        }
        tell(&line);
    }
}

/// A clock that was set while the crawl went on, in words.
fn clock_jump(progress: &Progress) -> Option<String> {
    let (by, is_forward) = progress.clock_jump?;
    let (by, way) = (elapsed(by), if is_forward { "forward" } else { "back" });
    Some(format!("the clock of this machine jumped {way} by {by}: the crawl keeps its own time"))
}

fn waiting(progress: &Progress) -> String {
    let holds = progress.waiting.iter();
    let words: Vec<String> =
        holds.map(|(hold, n)| format!("{} {}", hold_words(hold.word()), grouped(*n))).collect();
    words.join(", ")
}

/// Pages of earlier runs, in words.
fn resumed(progress: &Progress) -> String {
    match progress.before {
        0 => String::new(),
        before => format!(" ({} before)", counted(before, "page")),
    }
}

/// Pages of this run.
fn pages_now(progress: &Progress) -> u64 {
    progress.tally.pages().saturating_sub(progress.before)
}

/// The mean rate of this run.
#[expect(clippy::cast_precision_loss, reason = "a rate is shown with a few digits")]
fn mean_rate(progress: &Progress) -> f64 {
    let seconds = progress.elapsed.as_secs_f64().max(0.001);
    (pages_now(progress) as f64 / seconds * 10.0).round() / 10.0
}

/// The largest first; of equals in the order of the alphabet.
fn descending(mut items: Vec<(String, u64)>) -> Vec<(String, u64)> {
    items.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    items
}

/// Prints text as data.
pub(crate) fn print_text(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in text.lines() {
        writeln!(out, "{}", printable::printable(line))?;
    }
    Ok(())
}

/// Prints lines as data, which are printable already.
pub(crate) fn print_lines(lines: &[String]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Prints a value as a line of data.
pub(crate) fn print(value: &impl Serialize) -> std::io::Result<()> {
    std::io::stdout().lock().write_all(printable::json(value)?.as_bytes())
}
