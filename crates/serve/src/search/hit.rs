//! One result.

use std::ops::Range;

use maud::{Markup, html};
use rhumb_index::{Hit, Node, Snippet};
use rhumb_web::CanonUrl;
use rhumb_web::words::printable;

use super::language::language;
use super::narrowing::Narrowing;
use super::{shortened, title_of};
use crate::look::{day, link};
use crate::results::folded;

/// Letters of an address that are shown.
const PLACE_CHARS_MAX: usize = 90;

/// What the parts of a score are for.
const PARTS: [(&str, &str); 15] = [
    ("text", "the words in its text"),
    ("title", "the words in its title"),
    ("heading", "the words in its headings"),
    ("url", "the words in its address"),
    ("anchor", "the words in links to it"),
    ("coverage", "how many of the words it has"),
    ("exact", "words exactly as they were typed"),
    ("near", "words that stand together"),
    ("same_title", "its title is the query"),
    ("same_anchor", "links call it what was asked"),
    ("votes", "domains that link to it"),
    ("page_rank", "its rank among all pages"),
    ("site", "the rank of its site"),
    ("fresh", "how new it is"),
    ("spam", "made to be found: it sinks"),
];

/// Where a result is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a> {
    pub(super) query: &'a str,
    pub(super) narrowing: &'a Narrowing,
    pub(super) page: usize,
    /// The result whose score is shown first, where scores are told.
    pub(super) explain: Option<usize>,
}

pub(super) fn hit(hit: &Hit, around: Around<'_>) -> Markup {
    let url = hit.url.as_str();
    html! {
        li.hit id={ "r" (hit.rank) } {
            p.place dir="ltr" { (place(&hit.url)) }
            h2 dir="auto" {
                a href=(url) rel="noreferrer noopener" ping=(link("/api/click", &[("url", url)])) {
                    (title_of(hit.title.as_deref(), url))
                }
            }
            (snippet(&hit.snippet))
            p.meta { (about(hit)) (ways(hit, around)) }
            @if let Some(folded) = folded(hit.folded) {
                p.meta { (folded) }
            }
            @if let Some(rank) = around.explain {
                details open[rank == hit.rank] {
                    summary { "Why it is here" }
                    (score(hit))
                }
            }
        }
    }
}

/// An address as the way to a page: its host, then the parts of its path.
pub(super) fn place(url: &CanonUrl) -> String {
    let path = url.path_and_query().split('/').filter(|part| !part.is_empty());
    let place: Vec<&str> = std::iter::once(url.authority()).chain(path).collect();
    shortened(&place.join(" › "), PLACE_CHARS_MAX)
}

/// A text with the words of the query marked.
fn snippet(snippet: &Snippet) -> Markup {
    html! {
        @if !snippet.text.is_empty() {
            p.snippet dir="auto" {
                @for (text, is_marked) in pieces(&snippet.text, &snippet.marks) {
                    @if is_marked { mark { (printable(text)) } } @else { (printable(text)) }
                }
            }
        }
    }
}

/// A text in its marked and its plain pieces.
fn pieces<'a>(text: &'a str, marks: &[Range<usize>]) -> Vec<(&'a str, bool)> {
    let mut pieces = Vec::with_capacity(2 * marks.len() + 1);
    let mut at = 0;
    for mark in marks {
        let (Some(plain), Some(marked)) = (text.get(at..mark.start), text.get(mark.clone())) else {
            continue;
        };
        pieces.push((plain, false));
        pieces.push((marked, true));
        at = mark.end;
    }
    pieces.push((&text[at..], false));
    pieces
}

/// Its day, its language and its type.
fn about(hit: &Hit) -> Markup {
    let fetched = i64::try_from(hit.fetched_ms).unwrap_or(i64::MAX);
    html! {
        @match hit.dated_ms {
            Some(dated) => time datetime=(day(dated)) { (day(dated)) },
            None => { "fetched " time datetime=(day(fetched)) { (day(fetched)) } },
        }
        @if let Some(tag) = &hit.language { " · " (printable(language(tag))) }
        @if hit.kind != "html" { " · " span.tag { (printable(&hit.kind)) } }
    }
}

/// Where one can go from a result.
fn ways(hit: &Hit, around: Around<'_>) -> Markup {
    let url = [("url", hit.url.as_str())];
    let site = Node::Site(hit.site.clone());
    html! {
        @if !hit.no_archive { " · " a href=(link("/copy", &url)) { "cached copy" } }
        " · " a href=(link("/page", &url)) { "about" }
        @if !around.narrowing.has(&site) {
            " · "
            a href=(link("/search", &[("q", &around.narrowing.with(&site))])) {
                "more from this site"
            }
        }
        @if around.explain.is_none() { " · " a href=(explained(hit, around)) { "why here" } }
    }
}

/// The same results with their scores, that of this one open.
fn explained(hit: &Hit, around: Around<'_>) -> String {
    let (page, rank) = (around.page.to_string(), hit.rank.to_string());
    let link = link("/search", &[("q", around.query), ("page", &page), ("explain", &rank)]);
    format!("{link}#r{rank}")
}

/// What a score is made of, the most first.
fn score(hit: &Hit) -> Markup {
    let mut parts = hit.parts.clone();
    parts.sort_by(|a, b| b.value.total_cmp(&a.value));
    let named = |name: &'static str| PARTS.iter().find(|(other, _)| *other == name);
    html! {
        table.slim {
            caption { "The parts of its score" }
            tbody {
                @for part in &parts {
                    tr {
                        th scope="row" { (named(part.name).map_or(part.name, |(_, words)| words)) }
                        td.number { (format!("{:.2}", part.value)) }
                    }
                }
                tr.sum {
                    th scope="row" { "the sum of these" }
                    td.number { (format!("{:.2}", hit.score)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_whole_whatever_is_marked() {
        let check = |marks: &[Range<usize>], expect: &[(&str, bool)]| {
            assert_eq!(pieces("über den Wolken", marks), expect);
        };
        check(&[], &[("über den Wolken", false)]);
        let both = [("", false), ("über", true), (" ", false), ("den", true), (" Wolken", false)];
        check(&[0..5, 6..9], &both);
        // Ranges that no text has: beyond it, within a letter, or backwards.
        check(&[1..5, 10..99], &[("über den Wolken", false)]);
        check(&[6..9, 0..5], &[("über ", false), ("den", true), (" Wolken", false)]);
    }

    #[test]
    fn an_address_is_shown_as_a_way() {
        let check = |url: &str, expect: &str| {
            assert_eq!(place(&CanonUrl::parse(url).expect("a URL")), expect);
        };
        check("http://a.example/", "a.example");
        check("https://a.example:8443/b/c.html?d=e", "a.example:8443 › b › c.html?d=e");
        let long =
            place(&CanonUrl::parse(&format!("http://a.org/{}", "x".repeat(900))).expect("a URL"));
        assert_eq!(long.chars().count(), PLACE_CHARS_MAX + 1);
    }
}
