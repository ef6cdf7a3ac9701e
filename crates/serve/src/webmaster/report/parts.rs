//! The parts of the report.

use maud::{Markup, html};
use rhumb_crawl::audit::{Audit, HostAudit, Maker, Purpose, Violation};
use rhumb_web::words::{counted, grouped, printable};

use super::{Gathered, span, time, verdict, worst_first};

/// Hosts that are listed.
const HOSTS_MAX: usize = 1_000;

/// Who asked.
pub(super) fn maker(maker: &Maker) -> Markup {
    html! {
        p.lead {
            (printable(maker.token())) " is a web crawler"
            @if !maker.software.is_empty() { " (software: " (printable(&maker.software)) ")" }
            ". It sends the header " code { "User-Agent: " (printable(&maker.agent)) }
            @if let Some(operator) = &maker.operator {
                ", and its operator can be reached at " (contact(operator))
            }
            "."
        }
    }
}

/// What was done, in figures, and what was wrong with it.
pub(in crate::webmaster) fn judgement(audit: &Audit, gathered: &Gathered) -> Markup {
    let one = match audit.hosts.as_slice() {
        [host] => Some(host),
        _ => None,
    };
    html! {
        p class=(if audit.is_clean() { "verdict" } else { "verdict bad" }) {
            (capital(&verdict(audit)))
        }
        (figures(one.unwrap_or(&audit.total)))
        @if audit.total.disguised > 0 {
            p {
                "Of these requests " (grouped(audit.total.disguised)) " went out under the headers \
                 of a browser and without the crawler's name, to find pages that show a browser \
                 something else."
            }
        }
        (violations(&audit.total))
        @if one.is_none() { (hosts(audit)) }
        (robots(gathered))
    }
}

fn figures(figures: &HostAudit) -> Markup {
    let card = |name: &str, value: &str, note: &str| {
        html! { div { dt { (name) } dd { (value) small { (note) } } } }
    };
    let asked = |ms: Option<u64>| ms.map_or("nothing".to_owned(), span);
    let by_robots = format!("by our settings; by robots.txt: {}", asked(figures.crawl_delay_ms));
    let day = |ms: Option<u64>| ms.map_or("-".to_owned(), second);
    let robots = format!("robots.txt {}", counted(figures.robots_requests, "time"));
    let gap = figures.min_gap_ms.map_or("none".to_owned(), span);
    html! {
        dl.figures {
            (card("Requests", &grouped(figures.requests), &robots))
            (card("Shortest gap", &gap, "from the end of an answer to the next request"))
            @if let Some(kept) = figures.tightest {
                @let note = format!("the gap nearest to what was asked for then: {}",
                    span(kept.asked_ms));
                (card("Tightest gap", &span(kept.gap_ms), &note))
            }
            (card("Gap asked for", &asked(figures.delay_ms), &by_robots))
            (card("Most at once", &figures.max_in_flight.to_string(), "requests under way"))
            @let last = format!("last: {} UTC", day(figures.last_ms));
            (card("First request", &day(figures.first_ms), &last))
        }
    }
}

fn violations(total: &HostAudit) -> Markup {
    let rows = html! {
        @for Violation { kind, time_ms, url, what } in &total.violation_list {
            tr.bad {
                td.t { (when(*time_ms)) }
                td { (kind.word()) }
                td.u { (printable(url)) }
                td.u { (printable(what)) }
            }
        }
    };
    let listed = u64::try_from(total.violation_list.len()).unwrap_or(u64::MAX);
    let more = total.violations.saturating_sub(listed);
    html! {
        @if total.violations > 0 {
            (table("What went wrong", &["Time (UTC)", "Kind", "URL", "What"], &[], &rows, more))
        }
    }
}

fn hosts(audit: &Audit) -> Markup {
    let heads =
        ["Host", "Requests", "Shortest gap", "Tightest gap", "Asked", "At once", "Violations"];
    let hosts = worst_first(&audit.hosts);
    let rows = html! {
        @for host in hosts.iter().take(HOSTS_MAX) {
            tr.bad[host.violations > 0] {
                td.u { (printable(host.host.as_ref().map_or("", |site| site.as_str()))) }
                td.number { (grouped(host.requests)) }
                td.number { (host.min_gap_ms.map_or("-".to_owned(), span)) }
                td.number { (host.tightest.map_or("-".to_owned(), |kept| span(kept.gap_ms))) }
                td.number { (host.tightest.map_or("-".to_owned(), |kept| span(kept.asked_ms))) }
                td.number { (host.max_in_flight) }
                td.number { (grouped(host.violations)) }
            }
        }
    };
    let more = u64::try_from(hosts.len().saturating_sub(HOSTS_MAX)).unwrap_or(u64::MAX);
    table("Hosts", &heads, &[1, 2, 3, 4, 5, 6], &rows, more)
}

fn robots(gathered: &Gathered) -> Markup {
    let heads = ["In force since (UTC)", "What decided", "Requests"];
    let rows = html! {
        @for ((fetched_ms, rule), count) in &gathered.rules {
            tr {
                td.t { (when(*fetched_ms)) }
                td.u { code { (printable(rule)) } }
                td.number { (grouped(*count)) }
            }
        }
    };
    html! {
        @if !gathered.rules.is_empty() {
            (table("Your robots.txt, and what it decided", &heads, &[2], &rows, 0))
        }
    }
}

/// How to slow the crawler, or to keep it out.
pub(in crate::webmaster) fn advice(token: &str, operator: Option<&str>) -> Markup {
    let group = |line: &str| html! { pre { "User-agent: " (printable(token)) "\n" (line) } };
    html! {
        h2 { "To slow it down, or to keep it out" }
        p {
            "Put one of these into your " code { "robots.txt" }
            ". It is read again once a day, and obeyed in full."
        }
        div.cards {
            div { p { "A request every ten seconds at most:" } (group("Crawl-delay: 10")) }
            div { p { "Nothing below a folder:" } (group("Disallow: /private/")) }
            div { p { "Nothing at all:" } (group("Disallow: /")) }
        }
        p {
            "An answer with status 429 or 503 makes it wait at once, as long as "
            code { "Retry-After" } " says."
        }
        @if let Some(operator) = operator {
            p { "Or write to its operator: " (contact(operator)) "." }
        }
    }
}

/// Every request, up to an end.
pub(in crate::webmaster) fn requests(gathered: &Gathered) -> Markup {
    let heads = ["Time (UTC)", "Gap", "Answer", "URL", "Allowed by"];
    let rows = html! {
        @for request in &gathered.requests {
            tr.bad[request.is_bad] {
                td.t { (when(request.time_ms)) }
                td.number { (request.gap_ms.map_or("-".to_owned(), span)) }
                td { (printable(&request.outcome)) }
                td.u { (printable(&request.what)) }
                td.r {
                    @match request.purpose {
                        Purpose::Robots => "it is the robots.txt",
                        Purpose::Page | Purpose::Sitemap => code { (printable(&request.rule)) },
                    }
                }
            }
        }
    };
    html! {
        @if !gathered.requests.is_empty() {
            (table("Every request", &heads, &[1], &rows, gathered.more))
        }
    }
}

/// Where all of it comes from.
pub(in crate::webmaster) fn foot(audit: &Audit) -> Markup {
    let (records, files) = (counted(audit.records, "record"), counted(audit.files, "file"));
    html! {
        footer {
            p {
                "Made by " code { "rhumb audit" } " from " (records) " in " (files)
                " of the crawl's WARC archive, which holds every request and every answer as they "
                "went over the wire. Times are those of the crawler."
                @if audit.total.interrupted > 0 {
                    " Requests that are marked as interrupted may not have reached the server."
                }
            }
        }
    }
}

/// A table with a title; some of its columns are numbers, as gaps are.
fn table(title: &str, heads: &[&str], numbers: &[usize], rows: &Markup, more: u64) -> Markup {
    html! {
        h2 { (title) }
        div.scroll tabindex="0" role="region" aria-label=(title) {
            table {
                thead {
                    tr {
                        @for (at, head) in heads.iter().enumerate() {
                            th.number[numbers.contains(&at)] scope="col" { (head) }
                        }
                    }
                }
                tbody { (rows) }
            }
        }
        @if more > 0 { p.muted { "and " (grouped(more)) " more" } }
    }
}

/// A link to whom to ask: a page or a mail address.
pub(in crate::webmaster) fn contact(operator: &str) -> Markup {
    let shown = printable(operator);
    let is_page = operator.starts_with("https://") || operator.starts_with("http://");
    html! {
        @if is_page {
            a href=(shown) rel="noreferrer noopener" { (shown) }
        } @else if let Some(address) = shown.strip_prefix("mailto:") {
            a href=(shown) { (address) }
        } @else if operator.contains('@') {
            a href={ "mailto:" (shown) } { (shown) }
        } @else {
            (shown)
        }
    }
}

/// `2026-02-03 04:05:06.789`.
fn when(ms: u64) -> String {
    time(ms).replace('T', " ").trim_end_matches('Z').to_owned()
}

/// `2026-02-03 04:05:06`.
pub(in crate::webmaster) fn second(ms: u64) -> String {
    when(ms).split('.').next().unwrap_or_default().to_owned()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_web_sent_is_never_markup() {
        let check = |text: &str, expect: &str| {
            let shown = advice(text, None).into_string();
            assert!(shown.contains(&format!("<pre>User-agent: {expect}\n")), "{shown}");
        };
        check("<script>alert('x')</script>", "&lt;script&gt;alert('x')&lt;/script&gt;");
        check("a&b\"c", "a&amp;b&quot;c");
        check("\u{202e}x", "\u{fffd}x");
    }

    #[test]
    fn only_pages_and_addresses_become_links() {
        let check = |text: &str, expect: &str| assert_eq!(contact(text).into_string(), expect);
        let rel = "rel=\"noreferrer noopener\"";
        check("https://a.org/", &format!("<a href=\"https://a.org/\" {rel}>https://a.org/</a>"));
        check("mailto:me@a.org", "<a href=\"mailto:me@a.org\">me@a.org</a>");
        check("me@a.org", "<a href=\"mailto:me@a.org\">me@a.org</a>");
        check("javascript:alert(1)", "javascript:alert(1)");
    }
}
