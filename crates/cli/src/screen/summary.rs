//! The end of a crawl, told.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rhumb_crawl::shell::{Ended, Summary};
use serde::Serialize;

use super::hints::{self, Backdrop};
use super::{Live, Voice, columns, descending, mean_rate, pages_now, print, waiting, wrapped};
use crate::quantity::{bytes, counted, elapsed, grouped};
use crate::tell;

#[derive(Serialize)]
struct SummaryEvent {
    event: &'static str,
    fetched: u64,
    refused: BTreeMap<&'static str, u64>,
    failed: BTreeMap<String, u64>,
    duplicates: u64,
    near_duplicates: u64,
    marked: BTreeMap<&'static str, u64>,
    queued: u64,
    waiting: u64,
    bytes: u64,
    elapsed_ms: u64,
    pages_per_s: f64,
    exit: u8,
}

impl Voice {
    /// The end of the crawl.
    pub(crate) fn summary(
        self,
        summary: &Summary,
        backdrop: &Backdrop,
        exit: u8,
    ) -> std::io::Result<()> {
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
                near_duplicates: tally.near,
                marked: tally.marked.iter().map(|(mark, n)| (mark.word(), *n)).collect(),
                queued: progress.queued,
                waiting: progress.waiting.values().sum(),
                bytes: tally.bytes,
                elapsed_ms,
                pages_per_s: mean_rate(progress),
                exit,
            })?;
        }
        if !(self.json && self.quiet) {
            tell(&folded(&text(summary, backdrop), columns(Live::here())));
        }
        Ok(())
    }
}

pub(super) fn text(summary: &Summary, backdrop: &Backdrop) -> String {
    let progress = &summary.progress;
    let tally = &progress.tally;
    let mut text = format!(
        "\n{}: {} and {} from {}, {}, {:.0} pages/s",
        ended(summary),
        counted(tally.pages(), "page"),
        counted(tally.redirects, "redirect"),
        counted(progress.sites, "site"),
        bytes(tally.bytes),
        mean_rate(progress),
    );
    if progress.before > 0 {
        let before = counted(progress.before, "page");
        write!(text, "\n  resumed     {before} before").expect("a string takes all");
    }
    let mut list = |name: &str, items: Vec<(String, u64)>| {
        if !items.is_empty() {
            let items = descending(items).into_iter();
            let items: Vec<String> =
                items.map(|(word, n)| format!("{word} {}", grouped(n))).collect();
            write!(text, "\n  {name:<11} {}", items.join(", ")).expect("a string takes all");
        }
    };
    let also = [
        ("robots.txt", tally.robots),
        ("sitemaps", tally.sitemaps),
        ("duplicate pages", summary.duplicates - tally.near.min(summary.duplicates)),
        ("pages nearly the same as another", tally.near),
        ("links between partitions", tally.crossed),
    ];
    let refused = tally.refused.iter().map(|(reason, n)| (reason.word().to_owned(), *n));
    list("refused", refused.collect());
    list("failed", tally.missed.iter().map(|(miss, n)| (miss.word(), *n)).collect());
    list("not whole", tally.cut.iter().map(|(cut, n)| (cut.word().to_owned(), *n)).collect());
    list("marked", tally.marked.iter().map(|(it, n)| (it.word().to_owned(), *n)).collect());
    let also = also.into_iter().filter(|(_, n)| *n > 0);
    list("also", also.map(|(word, n)| (word.to_owned(), n)).collect());
    if progress.queued > 0 {
        let queued = counted(progress.queued, "URL");
        write!(text, "\n  left        {queued} in the queue").expect("a string takes all");
        let waiting = waiting(progress);
        if !waiting.is_empty() {
            write!(text, "; sites that wait: {waiting}").expect("a string takes all");
        }
    }
    for hint in hints::of(summary, backdrop) {
        write!(text, "\n  note: {hint}").expect("a string takes all");
    }
    text
}

/// The text with every line that is too long gone on with below its first words.
pub(super) fn folded(text: &str, columns: usize) -> String {
    let fold = |line: &str| {
        let indent = match line {
            note if note.starts_with("  note: ") => 8,
            list if list.starts_with("  ") => 14,
            _ => 0,
        };
        let Some((name, rest)) = line.split_at_checked(indent) else { return line.to_owned() };
        let rest = wrapped(rest, columns.saturating_sub(indent));
        format!("{name}{}", rest.join(&format!("\n{}", " ".repeat(indent))))
    };
    text.split('\n').map(fold).collect::<Vec<_>>().join("\n")
}

/// How it ended, and after what time of this run.
fn ended(summary: &Summary) -> String {
    let progress = &summary.progress;
    let is_idle = progress.before > 0 && pages_now(progress) == 0;
    let word = match summary.ended {
        Ended::Done if is_idle && progress.queued == 0 => return "nothing left to do".to_owned(),
        Ended::Done => "done",
        Ended::Limit => "limit reached",
        Ended::Stopped => "stopped",
        Ended::DiskLow { .. } => "stopped for want of room",
    };
    format!("{word} in {}", elapsed(progress.elapsed))
}
