//! What the index holds of one page.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use rhumb_index::{Document, Neighbour, Node};
use rhumb_web::CanonUrl;
use rhumb_web::words::{counted, grouped, printable};
use serde::Deserialize;

use super::hit::place;
use super::language::language;
use super::{shortened, title_of};
use crate::House;
use crate::copy::{self, Version};
use crate::http::Refused;
use crate::look::{self, Room, link, moment};

/// Links to a page, and links on it, that are shown.
const LINKS_SHOWN: usize = 50;
/// Copies of it that are named; the page of a copy names all.
const COPIES_SHOWN: usize = 10;
/// Letters of its text that are shown.
const TEXT_CHARS_SHOWN: usize = 1_200;
/// Letters of the text of a page that wants no copy shown: as many as a result has.
const SNIPPET_CHARS: usize = 240;

/// What is known of a page.
#[derive(Clone, Debug)]
pub(crate) struct About {
    /// The page.
    pub(crate) document: Document,
    /// Pages that link to it, the first of so many.
    pub(crate) in_links: (Vec<Neighbour>, u64),
    /// Pages that it links to, the first of so many.
    pub(crate) out_links: (Vec<Neighbour>, u64),
}

/// What the index holds of a page, if it holds it.
pub(crate) async fn about(house: &House, url: &CanonUrl) -> Result<Option<About>, Refused> {
    let url = url.clone();
    house
        .search(move |searcher| {
            let key = searcher.key(&url);
            let Some(document) = searcher.page(key)? else { return Ok(None) };
            let in_links = searcher.in_links(key, LINKS_SHOWN)?;
            let out_links = searcher.out_links(key, LINKS_SHOWN)?;
            Ok(Some(About { document, in_links, out_links }))
        })
        .await
}

#[derive(Debug, Deserialize)]
pub(super) struct Parameters {
    #[serde(default)]
    url: String,
}

pub(super) async fn page(
    State(house): State<Arc<House>>,
    Query(wanted): Query<Parameters>,
) -> Result<Response, Refused> {
    let url = house.url(&wanted.url)?;
    Ok(match about(&house, &url).await? {
        Some(about) => {
            // Without its versions it is still a page.
            let versions = copy::versions(&house, &url).await.unwrap_or_default();
            held(&about, &versions).into_response()
        }
        None => (StatusCode::NOT_FOUND, missing(&url)).into_response(),
    })
}

fn missing(url: &CanonUrl) -> Markup {
    let to = [("url", url.as_str())];
    look::page(
        "Not in the index",
        Room::Search,
        &html! {
            h1 { "Not in the index" }
            p.mono { (printable(url.as_str())) }
            p { "This page cannot be found by a search. Perhaps it was not fetched, or it asks not to be found." }
            p.row {
                a.button.first href=(link("/why", &to)) { "What became of it" }
                a.button href=(link("/submit", &to)) { "Submit it" }
            }
        },
    )
}

fn held(about: &About, versions: &[Version]) -> Markup {
    let page = &about.document;
    let title = title_of(page.title.as_deref(), page.url.as_str());
    look::page(
        &format!("About: {title}"),
        Room::Search,
        &html! {
            h1 dir="auto" { (title) }
            p.mono {
                a href=(page.url.as_str()) rel="noreferrer noopener" { (printable(page.url.as_str())) }
            }
            (ways(page))
            (facts(page))
            (text(page))
            @if !page.no_archive { (copies(page, versions)) }
            (links("Pages that link to it", &about.in_links))
            (links("Pages that it links to", &about.out_links))
        },
    )
}

fn ways(page: &Document) -> Markup {
    let url = [("url", page.url.as_str())];
    let site = Node::Site(page.url.authority().to_owned()).to_string();
    html! {
        p.row {
            @if !page.no_archive { a.button href=(link("/copy", &url)) { "Cached copy" } }
            a.button href=(link("/why", &url)) { "What became of it" }
            a.button href=(link("/search", &[("q", &site)])) { "More from this site" }
        }
    }
}

fn facts(page: &Document) -> Markup {
    let fetched = moment(i64::try_from(page.fetched_ms).unwrap_or(i64::MAX));
    html! {
        dl.facts {
            dt { "Fetched" } dd { (look::read(&fetched)) }
            @if let Some(dated) = page.dated_ms { dt { "Dated" } dd { (look::day(dated)) } }
            @if let Some(tag) = &page.language {
                dt { "Language" } dd { (printable(language(tag))) }
            }
            dt { "Type" } dd { (printable(&page.kind)) }
            @if let Some(digest) = &page.digest { dt { "Digest" } dd.mono { (printable(digest)) } }
            @if page.no_archive { dt { "No copy" } dd { "the page asks that none be shown" } }
            @if page.no_snippet { dt { "No text" } dd { "the page asks that none be shown" } }
            @if page.original.is_some() { dt { "Same text as" } dd { "a page that was fetched before" } }
        }
    }
}

/// How many letters of a page's text may be shown, where others have so many.
pub(crate) fn shown_max(page: &Document, usual: usize) -> usize {
    if page.no_archive { usual.min(SNIPPET_CHARS) } else { usual }
}

/// How its text begins, unless it asks that none be shown.
fn text(page: &Document) -> Markup {
    let texts = page.description.iter().chain([&page.main]);
    let chars_max = shown_max(page, TEXT_CHARS_SHOWN);
    let text = texts.map(|text| shortened(text, chars_max)).find(|text| !text.is_empty());
    html! {
        @if let Some(text) = text.filter(|_| !page.no_snippet) {
            h2 { "How it begins" }
            p dir="auto" { (text) }
        }
    }
}

/// Its last versions in the archive.
fn copies(page: &Document, versions: &[Version]) -> Markup {
    let total = u64::try_from(versions.len()).expect("a length fits 64 bits");
    html! {
        @if !versions.is_empty() {
            h2 { "Copies" " " span.muted { (grouped(total)) } }
            ul {
                @for version in versions.iter().take(COPIES_SHOWN) {
                    li {
                        a href=(link("/copy", &[("url", page.url.as_str()), ("at", &version.at)])) {
                            @if let Some(time) = &version.time { (look::read(time)) } @else { (version.at) }
                        }
                        @if version.same_as_before {
                            " " span.muted { "the same as before" }
                        }
                    }
                }
            }
        }
    }
}

fn links(name: &str, (shown, total): &(Vec<Neighbour>, u64)) -> Markup {
    let known: Vec<_> = shown.iter().filter_map(|it| Some((it.url.as_ref()?, it))).collect();
    let missing = u64::try_from(known.len()).map_or(0, |known| total.saturating_sub(known));
    html! {
        h2 { (name) " " span.muted { (grouped(*total)) } }
        @if !known.is_empty() {
            ul.neighbours {
                @for (url, page) in &known {
                    li {
                        a dir="auto" href=(link("/page", &[("url", url.as_str())])) {
                            (title_of(page.title.as_deref(), url.as_str()))
                        }
                        " " span.muted.small { (place(url)) }
                    }
                }
            }
        }
        @if missing > 0 {
            p.muted { (if known.is_empty() { "" } else { "and " }) (counted(missing, "page")) " more, or not in the index" }
        }
    }
}
