//! The audit as a person reads it in a terminal.

use std::io::{self, Write};

use rhumb_crawl::audit::{Audit, HostAudit, RequestLine};
use rhumb_serve::report::{outcome, rule, span, time, verdict, worst_first};

use crate::printable::printable;
use crate::quantity::{counted, grouped};

/// Hosts that are shown.
const HOSTS_MAX: usize = 30;
/// Violations that are shown.
const VIOLATIONS_MAX: usize = 20;
/// The widest name that is shown in full.
const NAME_MAX: usize = 40;

pub(super) fn write(out: &mut impl Write, audit: &Audit) -> io::Result<()> {
    let hosts = worst_first(&audit.hosts);
    let name = |host: &HostAudit| host.host.as_ref().map(ToString::to_string).unwrap_or_default();
    let shown = &hosts[..hosts.len().min(HOSTS_MAX)];
    let width = shown.iter().map(|host| name(host).chars().count()).max().unwrap_or(0);
    let width = width.clamp("host".len(), NAME_MAX);
    writeln!(
        out,
        "{:<width$}  {:>9}  {:>12}  {:>12}  {:>10}  {:>7}  violations",
        "host", "requests", "shortest gap", "tightest gap", "of asked", "at once",
    )?;
    for host in shown {
        let kept = |pick: fn(&rhumb_crawl::audit::Kept) -> u64| {
            host.tightest.as_ref().map_or("-".to_owned(), |kept| span(pick(kept)))
        };
        writeln!(
            out,
            "{:<width$}  {:>9}  {:>12}  {:>12}  {:>10}  {:>7}  {}",
            printable(&name(host)),
            grouped(host.requests),
            host.min_gap_ms.map_or("-".to_owned(), span),
            kept(|kept| kept.gap_ms),
            kept(|kept| kept.asked_ms),
            host.max_in_flight,
            if host.violations == 0 { "-".to_owned() } else { grouped(host.violations) },
        )?;
    }
    let more = hosts.len() - shown.len();
    if more > 0 {
        writeln!(out, "and {} more", grouped(u64::try_from(more).unwrap_or(u64::MAX)))?;
    }
    writeln!(out)?;
    write_violations(out, audit)?;
    write_counts(out, audit)?;
    writeln!(out, "{}", verdict(audit))
}

fn write_violations(out: &mut impl Write, audit: &Audit) -> io::Result<()> {
    let all = &audit.total.violation_list;
    for violation in all.iter().take(VIOLATIONS_MAX) {
        let (when, kind) = (time(violation.time_ms), violation.kind.word());
        let (url, what) = (printable(&violation.url), printable(&violation.what));
        writeln!(out, "{when}  {kind:<9}  {url}\n  {what}")?;
    }
    let shown = u64::try_from(all.len().min(VIOLATIONS_MAX)).unwrap_or(u64::MAX);
    if audit.total.violations > shown {
        writeln!(out, "and {} more", counted(audit.total.violations - shown, "violation"))?;
    }
    Ok(())
}

/// What the verdict does not say by itself.
fn write_counts(out: &mut impl Write, audit: &Audit) -> io::Result<()> {
    let total = &audit.total;
    if total.interrupted > 0 {
        let count = counted(total.interrupted, "request");
        writeln!(out, "{count} may not have reached a server: the process ended before")?;
    }
    if total.disguised > 0 {
        let count = counted(total.disguised, "request");
        writeln!(out, "{count} went out under the headers of a browser: --cloaking-sample")?;
    }
    if total.attempts > 0 {
        let count = counted(total.attempts, "attempt");
        writeln!(out, "{count} ended before a request: no name, no connection, no TLS")?;
    }
    Ok(())
}

pub(super) fn request(out: &mut impl Write, request: &RequestLine<'_>) -> io::Result<()> {
    let words: Vec<&str> = request.violations.iter().map(|it| it.kind.word()).collect();
    let blame = if words.is_empty() { String::new() } else { format!("  ! {}", words.join(", ")) };
    writeln!(
        out,
        "{}  {:>11}  {:>10}  {}  {}{blame}",
        time(request.time_ms),
        outcome(request.outcome),
        request.gap_ms.map_or("-".to_owned(), span),
        printable(request.url),
        rule(request),
    )
}
