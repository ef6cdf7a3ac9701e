//! `/api`: the API for people, in short.

use maud::{Markup, html};

use crate::look::{self, Room};

/// Each endpoint, what it is for, and how it is tried.
const ENDPOINTS: [(&str, &str, &str); 11] = [
    (
        "GET /api/search?q=&page=&count=&explain=&facets=",
        "Search the index: as `rhumb search --json`",
        "curl 'HERE/api/search?q=rhumb&count=5&facets=true'",
    ),
    (
        "GET /api/page?url=",
        "What is known of a page: links to it and from it, its copies, how often it was opened",
        "curl -G HERE/api/page --data-urlencode url=https://example.org/",
    ),
    (
        "GET /api/why?url=",
        "What became of a URL, and why: as `rhumb why --json`",
        "curl -G HERE/api/why --data-urlencode url=https://example.org/",
    ),
    ("GET /api/status", "How the crawl stands: as `rhumb status --json`", "curl HERE/api/status"),
    (
        "GET /api/sites?q=&sort=&dir=&page=&count=",
        "The sites of the crawl",
        "curl 'HERE/api/sites?sort=queued&count=10'",
    ),
    (
        "GET /api/events",
        "The status again and again, as server-sent events",
        "curl -N HERE/api/events",
    ),
    (
        "POST /api/submit",
        "New seeds",
        "curl HERE/api/submit --json '{\"urls\": [\"https://example.org/\"]}'",
    ),
    (
        "POST /api/control",
        "Pause, resume or stop the crawl",
        "curl HERE/api/control --json '{\"do\": \"pause\"}'",
    ),
    (
        "POST /api/site",
        "Change what holds for one site",
        "curl HERE/api/site --json '{\"site\": \"example.org\", \"delay\": \"5s\"}'",
    ),
    (
        "POST /api/click?url=",
        "Count that a result was opened",
        "curl -X POST 'HERE/api/click?url=https%3A%2F%2Fexample.org%2F'",
    ),
    ("GET /metrics", "Metrics for Prometheus", "curl HERE/metrics"),
];

pub(super) async fn page() -> Markup {
    let body = html! {
        h1 { "API" }
        p {
            "JSON over HTTP, told in full by " a href="/api/openapi.json" { "/api/openapi.json" }
            " (OpenAPI 3.1). Unknown parameters are refused. An error is "
            code { "{\"error\", \"advice\"}" } " with a fitting status. Where more than this machine "
            "is answered, what changes something needs the header "
            code { "Authorization: Bearer TOKEN" } "."
        }
        @for (endpoint, what, example) in ENDPOINTS {
            section.card {
                h2.mono { (endpoint) }
                p { (what) "." }
                pre { (example.replace("HERE", "http://localhost:7700")) }
            }
        }
    };
    look::page("API", Room::Aside, &body)
}
