//! The results of a query.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use rhumb_index::Answer;
use rhumb_web::words::{grouped, printable};
use serde::Deserialize;

use super::hit::{Around, hit};
use super::narrowing::Narrowing;
use super::{Asked, PAGE_RESULTS, ask, facets, paging, search_box, shortened, start};
use crate::House;
use crate::http::Refused;
use crate::look::{self, Room, link};
use crate::results::loosened;

/// Letters of a query in the title of its page.
const QUERY_CHARS_SHOWN: usize = 60;

#[derive(Debug, Deserialize)]
pub(super) struct Parameters {
    #[serde(default)]
    q: String,
    page: Option<String>,
    /// The result whose score is to be explained; the others are as well, but folded.
    explain: Option<String>,
}

pub(super) async fn page(
    State(house): State<Arc<House>>,
    Query(wanted): Query<Parameters>,
) -> Response {
    let query = wanted.q.trim();
    if query.is_empty() {
        return Redirect::to("/").into_response();
    }
    let page = paging::number(wanted.page.as_deref());
    let explain = wanted.explain.as_deref().map(|rank| rank.parse().unwrap_or(0));
    let asked = Asked {
        query: query.to_owned(),
        from: (page - 1) * PAGE_RESULTS,
        count: PAGE_RESULTS,
        explain: explain.is_some(),
        facets: true,
    };
    let began = Instant::now();
    let answer = ask(&house, asked).await;
    let took = began.elapsed();
    match answer {
        Ok(answer) => {
            let narrowing = Narrowing::of(query);
            let around = Around { query, narrowing: &narrowing, page, explain };
            whole(query, &found(&answer, around, took)).into_response()
        }
        Err(refused) => (refused.code, whole(query, &wrong(&refused))).into_response(),
    }
}

/// A page with the box and what is below it.
fn whole(query: &str, below: &Markup) -> Markup {
    let shown = shortened(query, QUERY_CHARS_SHOWN);
    look::page(
        &format!("{shown} - Rhumb"),
        Room::Search,
        &html! {
            h1.visually-hidden { "Results for " (shown) }
            (search_box(query, false))
            (below)
        },
    )
}

fn wrong(refused: &Refused) -> Markup {
    html! {
        (look::notice(refused))
        (start::operators())
    }
}

fn found(answer: &Answer, around: Around<'_>, took: Duration) -> Markup {
    let lists = answer.facets.as_ref().filter(|_| answer.total > 0);
    let (beside, folded) =
        lists.map(|lists| facets::facets(around.narrowing, lists)).unwrap_or_default();
    html! {
        div.found {
            div.list {
                p.count.muted { (count(answer, around.page)) " in " (milliseconds(took)) }
                (facets::filters(around.narrowing))
                (remarks(answer))
                (folded)
                @if answer.hits.is_empty() {
                    (nothing(answer, around))
                } @else {
                    ol.hits start=((around.page - 1) * PAGE_RESULTS + 1) {
                        @for one in &answer.hits { (hit(one, around)) }
                    }
                }
                (paging::pages(around.query, around.page, answer.total, answer.has_more))
            }
            (beside)
        }
    }
}

/// How many there are, and which of them these are.
fn count(answer: &Answer, page: usize) -> String {
    let total = grouped(answer.total);
    let about = if answer.is_exact { "" } else { "at least " };
    let pages = if answer.total == 1 { "page" } else { "pages" };
    match page {
        1 => format!("{about}{total} {pages}"),
        _ => format!("page {page} of {about}{total} {pages}"),
    }
}

/// `0.4 ms`, `12 ms`.
fn milliseconds(took: Duration) -> String {
    match took.as_micros() {
        0..100 => "under 0.1 ms".to_owned(),
        micros @ 100..10_000 => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
        micros => format!("{} ms", micros / 1_000),
    }
}

/// What is to be said before the results.
fn remarks(answer: &Answer) -> Markup {
    html! {
        @if let Some(suggestion) = &answer.suggestion {
            p.meant {
                "Did you mean "
                a href=(link("/search", &[("q", suggestion)])) { (printable(suggestion)) }
                "?"
            }
        }
        @if let Some(how) = &answer.loosened { p.notice { "Note: " (printable(&loosened(how))) } }
        @if let Some(hint) = &answer.hint { p.notice { "Note: " (printable(hint)) } }
    }
}

fn nothing(answer: &Answer, around: Around<'_>) -> Markup {
    html! {
        @if answer.total > 0 && around.page > 1 {
            p { "There are no more results. " a href=(link("/search", &[("q", around.query)])) { "Back to the first" } "." }
        } @else {
            p { strong { "Nothing found." } }
            ul {
                li { "Try fewer or other words: every one of them must be on the page." }
                @if !around.narrowing.filters().is_empty() {
                    li { "Take a filter off: they stand above." }
                }
                li { "A page may not have been fetched yet: " a href="/crawl" { "see how the crawl stands" } ", or " a href="/submit" { "submit its URL" } "." }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_have_a_fraction() {
        let check = |micros: u64, expect: &str| {
            assert_eq!(milliseconds(Duration::from_micros(micros)), expect);
        };
        check(40, "under 0.1 ms");
        check(100, "0.1 ms");
        check(9_990, "9.9 ms");
        check(12_345, "12 ms");
    }
}
