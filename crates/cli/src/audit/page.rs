//! The audit as one self-contained page that can be sent to a webmaster: no script, nothing from
//! outside, and nothing of the web's text unescaped.

use std::collections::BTreeMap;
use std::io::{self, Write};

use rhumb_crawl::audit::{Audit, HostAudit, Maker, Purpose, RequestLine, Violation};

use super::text::{outcome, rule, worst_first};
use super::{moment, span, verdict};
use crate::printable::printable;
use crate::quantity::{counted, grouped};

/// Requests that are listed.
const REQUESTS_MAX: usize = 2_000;
/// Lines of robots.txt that are listed.
const RULES_MAX: usize = 200;
/// Hosts that are listed.
const HOSTS_MAX: usize = 1_000;

const STYLE: &str = include_str!("page.css");

/// What the requests to one host say.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    requests: Vec<Request>,
    /// Requests that are not listed.
    more: u64,
    /// How often each line of each robots.txt decided, by the time at which that came.
    rules: BTreeMap<(u64, String), u64>,
}

#[derive(Debug)]
struct Request {
    time_ms: u64,
    what: String,
    purpose: Purpose,
    outcome: String,
    gap_ms: Option<u64>,
    rule: String,
    is_bad: bool,
}

impl Gathered {
    pub(super) fn gather(&mut self, request: &RequestLine<'_>) {
        let rule = rule(request);
        if let Some(robots) = request.robots {
            let key = (robots.fetched_ms, rule.clone());
            if self.rules.len() < RULES_MAX || self.rules.contains_key(&key) {
                *self.rules.entry(key).or_default() += 1;
            }
        }
        if self.requests.len() >= REQUESTS_MAX {
            self.more += 1;
            return;
        }
        self.requests.push(Request {
            time_ms: request.time_ms,
            what: request.url.to_owned(),
            purpose: request.purpose,
            outcome: outcome(request.outcome),
            gap_ms: request.gap_ms,
            rule,
            is_bad: !request.violations.is_empty(),
        });
    }
}

/// Writes the page: of one host if there is only that, else of all.
pub(super) fn write(out: &mut impl Write, audit: &Audit, gathered: &Gathered) -> io::Result<()> {
    let agent = escaped(audit.maker.token());
    let one = match audit.hosts.as_slice() {
        [host] => Some(host),
        _ => None,
    };
    let name = one.and_then(|host| host.host.as_ref()).map(|site| escaped(site.as_str()));
    let title = match &name {
        Some(name) => format!("What {agent} did on {name}"),
        None => format!("What {agent} did"),
    };
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
        <meta name=\"robots\" content=\"noindex\">\n<title>{title}</title>\n\
        <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    )?;
    write_head(out, audit)?;
    write_figures(out, one.unwrap_or(&audit.total))?;
    write_violations(out, &audit.total)?;
    if one.is_none() {
        write_hosts(out, audit)?;
    }
    write_robots(out, gathered)?;
    write_advice(out, &audit.maker)?;
    write_requests(out, gathered)?;
    write_foot(out, audit)?;
    writeln!(out, "</main>\n</body>\n</html>")
}

fn write_head(out: &mut impl Write, audit: &Audit) -> io::Result<()> {
    let maker = &audit.maker;
    write!(out, "<p class=\"lead\">{} is a web crawler", escaped(maker.token()))?;
    if !maker.software.is_empty() {
        write!(out, " (software: {})", escaped(&maker.software))?;
    }
    write!(out, ". It sends the header <code>User-Agent: {}</code>", escaped(&maker.agent))?;
    if let Some(operator) = &maker.operator {
        write!(out, ", and its operator can be reached at {}", contact(operator))?;
    }
    let class = if audit.is_clean() { "verdict" } else { "verdict bad" };
    writeln!(out, ".</p>\n<p class=\"{class}\">{}</p>", capital(&verdict(audit)))
}

fn write_figures(out: &mut impl Write, figures: &HostAudit) -> io::Result<()> {
    writeln!(out, "<dl>")?;
    let mut card = |name: &str, value: &str, note: &str| {
        writeln!(out, "<div><dt>{name}</dt><dd>{value}<small>{note}</small></dd></div>")
    };
    let robots = counted(figures.robots_requests, "time");
    card("Requests", &grouped(figures.requests), &format!("robots.txt {robots}"))?;
    let gap = figures.min_gap_ms.map_or("none".to_owned(), span);
    card("Shortest gap", &gap, "from the end of an answer to the next request")?;
    if let Some(kept) = figures.tightest {
        let note = format!("the gap nearest to what was asked for then: {}", span(kept.asked_ms));
        card("Tightest gap", &span(kept.gap_ms), &note)?;
    }
    let asked = |ms: Option<u64>| ms.map_or("nothing".to_owned(), span);
    let by_robots = format!("by our settings; by robots.txt: {}", asked(figures.crawl_delay_ms));
    card("Gap asked for", &asked(figures.delay_ms), &by_robots)?;
    card("Most at once", &figures.max_in_flight.to_string(), "requests under way")?;
    let day = |ms: Option<u64>| ms.map_or("-".to_owned(), second);
    card("First request", &day(figures.first_ms), &format!("last: {} UTC", day(figures.last_ms)))?;
    writeln!(out, "</dl>")
}

fn write_violations(out: &mut impl Write, total: &HostAudit) -> io::Result<()> {
    if total.violations == 0 {
        return Ok(());
    }
    let heads = ["Time (UTC)", "Kind", "URL", "What"];
    begin_table(out, "What went wrong", &heads, 4)?;
    for Violation { kind, time_ms, url, what } in &total.violation_list {
        writeln!(
            out,
            "<tr class=\"bad\"><td class=\"t\">{}</td><td>{}</td><td class=\"u\">{}</td>\
            <td class=\"u\">{}</td></tr>",
            when(*time_ms),
            kind.word(),
            escaped(url),
            escaped(what),
        )?;
    }
    let listed = u64::try_from(total.violation_list.len()).unwrap_or(u64::MAX);
    end_table(out, total.violations - listed.min(total.violations))
}

fn write_hosts(out: &mut impl Write, audit: &Audit) -> io::Result<()> {
    let heads =
        ["Host", "Requests", "Shortest gap", "Tightest gap", "Asked", "At once", "Violations"];
    begin_table(out, "Hosts", &heads, 1)?;
    let hosts = worst_first(&audit.hosts);
    for host in hosts.iter().take(HOSTS_MAX) {
        let class = if host.violations > 0 { " class=\"bad\"" } else { "" };
        let name = host.host.as_ref().map_or("", |site| site.as_str());
        write!(out, "<tr{class}><td class=\"u\">{}</td>", escaped(name))?;
        let figures = [
            grouped(host.requests),
            host.min_gap_ms.map_or("-".to_owned(), span),
            host.tightest.map_or("-".to_owned(), |kept| span(kept.gap_ms)),
            host.tightest.map_or("-".to_owned(), |kept| span(kept.asked_ms)),
            host.max_in_flight.to_string(),
            grouped(host.violations),
        ];
        for figure in figures {
            write!(out, "<td class=\"n\">{figure}</td>")?;
        }
        writeln!(out, "</tr>")?;
    }
    end_table(out, u64::try_from(hosts.len().saturating_sub(HOSTS_MAX)).unwrap_or(u64::MAX))
}

fn write_robots(out: &mut impl Write, gathered: &Gathered) -> io::Result<()> {
    if gathered.rules.is_empty() {
        return Ok(());
    }
    let heads = ["In force since (UTC)", "What decided", "Requests"];
    begin_table(out, "Your robots.txt, and what it decided", &heads, 2)?;
    for ((fetched_ms, rule), count) in &gathered.rules {
        let (since, rule, count) = (when(*fetched_ms), escaped(rule), grouped(*count));
        writeln!(
            out,
            "<tr><td class=\"t\">{since}</td><td class=\"u\"><code>{rule}</code></td>\
            <td class=\"n\">{count}</td></tr>"
        )?;
    }
    end_table(out, 0)
}

fn write_advice(out: &mut impl Write, maker: &Maker) -> io::Result<()> {
    let agent = escaped(maker.token());
    let group = |line: &str| format!("<pre>User-agent: {agent}\n{line}</pre>");
    writeln!(
        out,
        "<h2>To slow it down, or to keep it out</h2>\n\
        <p>Put one of these into your <code>robots.txt</code>. It is read again once a day, and \
        obeyed in full.</p>\n<div class=\"two\">\n\
        <div><p>A request every ten seconds at most:</p>{}</div>\n\
        <div><p>Nothing below a folder:</p>{}</div>\n\
        <div><p>Nothing at all:</p>{}</div>\n</div>\n\
        <p>An answer with status 429 or 503 makes it wait at once, as long as \
        <code>Retry-After</code> says.</p>",
        group("Crawl-delay: 10"),
        group("Disallow: /private/"),
        group("Disallow: /"),
    )?;
    if let Some(operator) = &maker.operator {
        writeln!(out, "<p>Or write to its operator: {}.</p>", contact(operator))?;
    }
    Ok(())
}

fn write_requests(out: &mut impl Write, gathered: &Gathered) -> io::Result<()> {
    if gathered.requests.is_empty() {
        return Ok(());
    }
    let heads = ["Time (UTC)", "Gap", "Answer", "URL", "Allowed by"];
    begin_table(out, "Every request", &heads, 5)?;
    for request in &gathered.requests {
        let class = if request.is_bad { " class=\"bad\"" } else { "" };
        let allowed = match request.purpose {
            Purpose::Robots => "it is the robots.txt".to_owned(),
            Purpose::Page | Purpose::Sitemap => format!("<code>{}</code>", escaped(&request.rule)),
        };
        writeln!(
            out,
            "<tr{class}><td class=\"t\">{}</td><td class=\"n\">{}</td><td>{}</td>\
            <td class=\"u\">{}</td><td class=\"r\">{allowed}</td></tr>",
            when(request.time_ms),
            request.gap_ms.map_or("-".to_owned(), span),
            escaped(&request.outcome),
            escaped(&request.what),
        )?;
    }
    end_table(out, gathered.more)
}

fn write_foot(out: &mut impl Write, audit: &Audit) -> io::Result<()> {
    let (records, files) = (counted(audit.records, "record"), counted(audit.files, "file"));
    let mut text = format!(
        "Made by <code>rhumb audit</code> from {records} in {files} of the crawl's WARC archive, \
        which holds every request and every answer as they went over the wire. Times are those of \
        the crawler."
    );
    if audit.total.interrupted > 0 {
        text.push_str(" Requests that are marked as interrupted may not have reached the server.");
    }
    writeln!(out, "<footer><p>{text}</p></footer>")
}

/// Opens a table; the columns from `numbers_from` on are numbers, as gaps are.
fn begin_table(
    out: &mut impl Write,
    title: &str,
    heads: &[&str],
    numbers_from: usize,
) -> io::Result<()> {
    write!(out, "<h2>{title}</h2>\n<div class=\"scroll\"><table>\n<thead><tr>")?;
    for (at, head) in heads.iter().enumerate() {
        let class = if at >= numbers_from || *head == "Gap" { " class=\"n\"" } else { "" };
        write!(out, "<th{class}>{head}</th>")?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")
}

fn end_table(out: &mut impl Write, more: u64) -> io::Result<()> {
    writeln!(out, "</tbody></table></div>")?;
    if more > 0 {
        writeln!(out, "<p class=\"more\">and {} more</p>", grouped(more))?;
    }
    Ok(())
}

/// `2026-02-03 04:05:06.789`.
fn when(ms: u64) -> String {
    let text = humantime::format_rfc3339_millis(moment(ms)).to_string();
    text.replace('T', " ").trim_end_matches('Z').to_owned()
}

/// `2026-02-03 04:05:06`.
fn second(ms: u64) -> String {
    let text = when(ms);
    text.split('.').next().unwrap_or_default().to_owned()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A link to whom to ask: a page or a mail address.
fn contact(operator: &str) -> String {
    let shown = escaped(operator);
    let is_page = operator.starts_with("https://") || operator.starts_with("http://");
    match operator.contains('@') {
        _ if is_page => format!("<a href=\"{shown}\">{shown}</a>"),
        true => format!("<a href=\"mailto:{shown}\">{shown}</a>"),
        false => shown,
    }
}

/// Text as HTML shows it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_web_sent_is_never_markup() {
        let check = |text: &str, expect: &str| assert_eq!(escaped(text), expect);
        check("<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
        check("a&b\"c", "a&amp;b&quot;c");
        check("\u{202e}x", "\u{fffd}x");
    }
}
