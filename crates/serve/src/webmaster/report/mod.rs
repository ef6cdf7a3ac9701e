//! The audit of a host, or of all, as a webmaster reads it: in one page that needs nothing else,
//! and in the parts of which our own page shows the same. No script, and nothing of the web's text
//! as markup.

pub(super) mod parts;
mod words;

use std::collections::BTreeMap;

use maud::{PreEscaped, html};
use rhumb_crawl::audit::{Audit, Purpose, RequestLine};
use rhumb_web::words::printable;

pub use words::{outcome, rule, span, time, verdict, worst_first};

/// Requests that are listed.
const REQUESTS_MAX: usize = 2_000;
/// Lines of robots.txt that are listed.
const RULES_MAX: usize = 200;

const STYLE: &str = include_str!("page.css");
const DOCTYPE: &str = "<!doctype html>\n";

/// What the requests to one host say.
#[derive(Debug, Default)]
pub struct Gathered {
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
    /// Takes one request in, as the audit tells of it.
    pub fn gather(&mut self, request: &RequestLine<'_>) {
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

/// The page that can be sent to a webmaster: of one host if there is only that, else of all.
pub fn page(audit: &Audit, gathered: &Gathered) -> String {
    let maker = &audit.maker;
    let agent = printable(maker.token());
    let host = match audit.hosts.as_slice() {
        [host] => host.host.as_ref(),
        _ => None,
    };
    let title = match host {
        Some(host) => format!("What {agent} did on {}", printable(host.as_str())),
        None => format!("What {agent} did"),
    };
    let page = html! {
        (PreEscaped(DOCTYPE))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (title) }
                    (parts::maker(maker))
                    (parts::judgement(audit, gathered))
                    (parts::advice(maker.token(), maker.operator.as_deref()))
                    (parts::requests(gathered))
                    (parts::foot(audit))
                }
            }
        }
    };
    page.into_string() + "\n"
}
