//! The audit as data: a host a line, the last one for all of them.

use std::io::{self, Write};

use rhumb_crawl::audit::{Audit, HostAudit, Outcome, RequestLine, Violation};
use rhumb_serve::report::time;
use serde::Serialize;

use crate::printable::json;

#[derive(Serialize)]
struct HostRow<'a> {
    host: Option<&'a str>,
    requests: u64,
    interrupted: u64,
    attempts: u64,
    robots_requests: u64,
    disguised: u64,
    min_gap_ms: Option<u64>,
    tightest_gap_ms: Option<u64>,
    tightest_asked_ms: Option<u64>,
    max_in_flight: u32,
    delay_ms: Option<u64>,
    crawl_delay_ms: Option<u64>,
    first: Option<String>,
    last: Option<String>,
    violations: u64,
    violation_list: Vec<ViolationRow<'a>>,
}

#[derive(Serialize)]
struct TotalRow<'a> {
    #[serde(flatten)]
    all: HostRow<'a>,
    hosts: usize,
    files: u64,
    records: u64,
    unreadable: u64,
    untold: u64,
}

#[derive(Serialize)]
struct ViolationRow<'a> {
    kind: &'static str,
    time: String,
    url: &'a str,
    what: &'a str,
}

#[derive(Serialize)]
struct RequestRow<'a> {
    time: String,
    site: &'a str,
    url: &'a str,
    errand: &'static str,
    disguised: bool,
    status: Option<u16>,
    outcome: &'a str,
    took_ms: Option<u64>,
    gap_ms: Option<u64>,
    asked_ms: u64,
    robots: Option<RobotsRow<'a>>,
    violations: Vec<&'static str>,
}

#[derive(Serialize)]
struct RobotsRow<'a> {
    line: Option<u32>,
    rule: Option<&'a str>,
    group: Option<&'a str>,
    fetched: String,
}

pub(super) fn write(out: &mut impl Write, audit: &Audit) -> io::Result<()> {
    for host in &audit.hosts {
        out.write_all(json(&HostRow::of(host))?.as_bytes())?;
    }
    let total = TotalRow {
        all: HostRow::of(&audit.total),
        hosts: audit.hosts.len(),
        files: audit.files,
        records: audit.records,
        unreadable: audit.unreadable,
        untold: audit.untold + audit.forgotten,
    };
    out.write_all(json(&total)?.as_bytes())
}

pub(super) fn request(out: &mut impl Write, request: &RequestLine<'_>) -> io::Result<()> {
    let row = RequestRow {
        time: time(request.time_ms),
        site: request.site.as_str(),
        url: request.url,
        errand: request.purpose.word(),
        disguised: request.is_disguised,
        status: match request.outcome {
            Outcome::Status(status) => Some(*status),
            Outcome::Failed(_) | Outcome::Interrupted | Outcome::Forgotten => None,
        },
        outcome: match request.outcome {
            Outcome::Status(_) => "answered",
            Outcome::Failed(word) => word,
            Outcome::Interrupted => "interrupted",
            Outcome::Forgotten => "forgotten",
        },
        took_ms: request.took_ms,
        gap_ms: request.gap_ms,
        asked_ms: request.asked_ms,
        robots: request.robots.map(|robots| RobotsRow {
            line: robots.verdict.line,
            rule: robots.verdict.rule,
            group: robots.verdict.group,
            fetched: time(robots.fetched_ms),
        }),
        violations: request.violations.iter().map(|it| it.kind.word()).collect(),
    };
    out.write_all(json(&row)?.as_bytes())
}

impl<'a> HostRow<'a> {
    fn of(host: &'a HostAudit) -> Self {
        let violation = |it: &'a Violation| ViolationRow {
            kind: it.kind.word(),
            time: time(it.time_ms),
            url: &it.url,
            what: &it.what,
        };
        Self {
            host: host.host.as_ref().map(rhumb_web::Site::as_str),
            requests: host.requests,
            interrupted: host.interrupted,
            attempts: host.attempts,
            robots_requests: host.robots_requests,
            disguised: host.disguised,
            min_gap_ms: host.min_gap_ms,
            tightest_gap_ms: host.tightest.map(|kept| kept.gap_ms),
            tightest_asked_ms: host.tightest.map(|kept| kept.asked_ms),
            max_in_flight: host.max_in_flight,
            delay_ms: host.delay_ms,
            crawl_delay_ms: host.crawl_delay_ms,
            first: host.first_ms.map(time),
            last: host.last_ms.map(time),
            violations: host.violations,
            violation_list: host.violation_list.iter().map(violation).collect(),
        }
    }
}
