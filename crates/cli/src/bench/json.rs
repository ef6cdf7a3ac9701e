//! The report as data.

use std::time::Duration;

use rhumb_measure::parts::{self, Part};
use serde::Serialize;

use super::verdict::{self, Bottleneck, page_micros};
use super::{Report, number};

/// One line of `--json`.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    machine: ShownMachine<'a>,
    web: ShownWeb,
    parts: Vec<ShownPart>,
    parts_ms: f64,
    crawl: ShownCrawl,
    bottleneck: &'static str,
    verdict: String,
}

#[derive(Serialize)]
struct ShownMachine<'a> {
    cpu: &'a str,
    cores: usize,
    memory_bytes: Option<u64>,
    disk_free_bytes: u64,
    disk_bytes_per_s: f64,
    sync_ms: f64,
}

#[derive(Serialize)]
struct ShownWeb {
    hosts: u32,
    pages: u32,
    page_bytes: u64,
    received_bytes: u64,
    coding: &'static str,
}

#[derive(Serialize)]
struct ShownPart {
    part: &'static str,
    what: &'static str,
    within: Option<&'static str>,
    per_page: f64,
    page_ms: f64,
    page_least_ms: f64,
    page_most_ms: f64,
}

#[derive(Serialize)]
struct ShownCrawl {
    pages: u64,
    missing: u64,
    repeats: u64,
    elapsed_ms: u64,
    pages_per_s: f64,
    bytes_per_s: f64,
    cpu_ms: u64,
    page_cpu_ms: f64,
    pages_per_cpu_s: f64,
    memory_bytes: u64,
    written_bytes: u64,
    cores: usize,
    busy: f64,
    server_busy: f64,
    others_busy: f64,
    shared_core: bool,
}

pub(super) fn shown(report: &Report) -> Shown<'_> {
    let Report { ground, web, parts, crawled } = report;
    Shown {
        machine: ShownMachine {
            cpu: &ground.cpu,
            cores: ground.cores,
            memory_bytes: ground.memory_bytes,
            disk_free_bytes: ground.disk_free_bytes,
            disk_bytes_per_s: ground.disk_bytes_per_s.round(),
            sync_ms: digits(ground.sync_ms),
        },
        web: ShownWeb {
            hosts: web.hosts,
            pages: web.pages,
            page_bytes: web.page_bytes,
            received_bytes: web.received_bytes,
            coding: if web.is_plain { "plain" } else { "gzip" },
        },
        parts: parts.iter().map(part).collect(),
        parts_ms: digits(parts::sum(parts) / 1e3),
        crawl: ShownCrawl {
            pages: crawled.pages,
            missing: crawled.of.saturating_sub(crawled.pages),
            repeats: crawled.repeats,
            elapsed_ms: ms(crawled.taken.wall),
            pages_per_s: digits(crawled.pages_per_s),
            bytes_per_s: (crawled.pages_per_s * number(web.page_bytes)).round(),
            cpu_ms: ms(crawled.taken.cpu),
            page_cpu_ms: digits(page_micros(crawled) / 1e3),
            pages_per_cpu_s: digits(1e6 / page_micros(crawled).max(1.0)),
            memory_bytes: crawled.taken.peak_bytes,
            written_bytes: crawled.taken.written_bytes,
            cores: crawled.cores,
            busy: digits(crawled.busy),
            server_busy: digits(crawled.server_busy),
            others_busy: digits(crawled.others_busy),
            shared_core: crawled.is_shared,
        },
        bottleneck: Bottleneck::of(crawled).word(),
        verdict: verdict::sentence(report),
    }
}

fn part(part: &Part) -> ShownPart {
    let ms = |micros: f64| digits(micros * part.per_page / 1e3);
    ShownPart {
        part: part.name,
        what: part.what,
        within: part.within,
        per_page: part.per_page,
        page_ms: ms(part.micros.middle),
        page_least_ms: ms(part.micros.least),
        page_most_ms: ms(part.micros.most),
    }
}

/// Six digits behind the point: nanoseconds, where it is milliseconds.
fn digits(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
