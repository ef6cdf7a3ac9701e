//! The words of an audit: for a page, and for a terminal.

use std::cmp::Reverse;

use rhumb_crawl::audit::{Audit, HostAudit, Outcome, RequestLine};
use rhumb_web::words::{counted, printable};

/// The moment, as events write it.
pub fn time(ms: u64) -> String {
    crate::look::moment(i64::try_from(ms).unwrap_or(i64::MAX))
}

/// A length of time, to the millisecond below ten seconds.
pub fn span(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..10_000 if !ms.is_multiple_of(1_000) => format!("{}.{:03} s", ms / 1_000, ms % 1_000),
        _ => rhumb_web::Span(ms).to_string(),
    }
}

/// `no violations in 12,126 requests to 500 hosts`.
pub fn verdict(audit: &Audit) -> String {
    let total = &audit.total;
    let hosts = audit.hosts.iter().filter(|host| host.requests > 0).count();
    let hosts = u64::try_from(hosts).unwrap_or(u64::MAX);
    let found = match total.violations {
        0 => "no violations".to_owned(),
        count => counted(count, "violation"),
    };
    let requests = counted(total.requests, "request");
    let mut text = format!("{found} in {requests} to {}", counted(hosts, "host"));
    if audit.unreadable > 0 {
        text.push_str(", as far as the archive can be read");
    }
    text
}

/// Most violations first, then the gaps that came nearest to what was asked for.
pub fn worst_first(hosts: &[HostAudit]) -> Vec<&HostAudit> {
    let mut sorted: Vec<&HostAudit> = hosts.iter().collect();
    sorted.sort_by_cached_key(|host| {
        let margin = host.tightest.map(|kept| {
            let (gap, asked) = (i128::from(kept.gap_ms), i128::from(kept.asked_ms));
            gap - asked
        });
        (Reverse(host.violations), margin.is_none(), margin, Reverse(host.requests))
    });
    sorted
}

/// What came of a request, in a word.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Status(status) => status.to_string(),
        Outcome::Failed(word) => printable(word).into_owned(),
        Outcome::Interrupted => "interrupted".to_owned(),
        Outcome::Forgotten => "forgotten".to_owned(),
    }
}

/// What robots.txt says to a request.
pub fn rule(request: &RequestLine<'_>) -> String {
    let Some(robots) = request.robots else { return "-".to_owned() };
    match (robots.verdict.line, robots.verdict.rule, robots.verdict.group) {
        (Some(line), Some(rule), _) => format!("line {line}: {}", printable(rule)),
        (_, _, Some(group)) => format!("no rule of group {} matches", printable(group)),
        _ => "no group speaks to us".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_gaps_are_shown_to_the_millisecond() {
        let check = |ms, expect: &str| assert_eq!(span(ms), expect);
        check(0, "0 ms");
        check(999, "999 ms");
        check(1_000, "1 s");
        check(1_001, "1.001 s");
        check(12_345, "12.3 s");
    }
}
