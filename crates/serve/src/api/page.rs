//! What is known of one page, and that somebody opened it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use rhumb_index::Neighbour;
use serde::Serialize;

use super::asked::Asked;
use super::asking::Named;
use crate::House;
use crate::copy::{Version, versions};
use crate::http::Refused;
use crate::look::moment;
use crate::search;

/// Letters of a page's text that are told.
const TEXT_CHARS_MAX: usize = 2_000;
/// Headings that are told.
const HEADINGS_MAX: usize = 50;

#[derive(Serialize)]
struct Page<'a> {
    url: &'a str,
    title: Option<&'a str>,
    description: Option<String>,
    headings: &'a [String],
    /// How it begins: little if it wants no copy shown, none if it asks that none of it be shown.
    text: Option<String>,
    language: Option<&'a str>,
    #[serde(rename = "type")]
    kind: &'a str,
    time: String,
    date: Option<String>,
    digest: Option<&'a str>,
    duplicate: bool,
    no_snippet: bool,
    no_archive: bool,
    in_links: Links<'a>,
    out_links: Links<'a>,
    versions: Vec<Version>,
    clicks: u64,
}

#[derive(Serialize)]
struct Links<'a> {
    total: u64,
    pages: Vec<Link<'a>>,
}

#[derive(Serialize)]
struct Link<'a> {
    url: &'a str,
    title: Option<&'a str>,
}

pub(super) async fn page(
    State(house): State<Arc<House>>,
    Asked(named): Asked<Named>,
) -> Result<Response, Refused> {
    let url = house.url(&named.url()?)?;
    let about = search::about(&house, &url).await?.ok_or_else(absent)?;
    let page = &about.document;
    let is_shown = !page.no_snippet;
    let chars_max = search::shown_max(page, TEXT_CHARS_MAX);
    let shown = |text: &String| text.chars().take(chars_max).collect::<String>();
    let versions = if page.no_archive { Vec::new() } else { versions(&house, &url).await? };
    let clicks = house.counter.with(move |clicks| clicks.of(&url)).await?;
    let told = Page {
        url: page.url.as_str(),
        title: page.title.as_deref(),
        description: page.description.as_ref().filter(|_| is_shown).map(shown),
        headings: if is_shown {
            &page.headings[..page.headings.len().min(HEADINGS_MAX)]
        } else {
            &[]
        },
        text: is_shown.then(|| shown(&page.main)),
        language: page.language.as_deref(),
        kind: &page.kind,
        time: moment(i64::try_from(page.fetched_ms).unwrap_or(i64::MAX)),
        date: page.dated_ms.map(moment),
        digest: page.digest.as_deref(),
        duplicate: page.original.is_some(),
        no_snippet: page.no_snippet,
        no_archive: page.no_archive,
        in_links: links(&about.in_links),
        out_links: links(&about.out_links),
        versions,
        clicks,
    };
    Ok(Json(told).into_response())
}

fn links((pages, total): &(Vec<Neighbour>, u64)) -> Links<'_> {
    let pages = pages.iter().filter_map(|page| {
        Some(Link { url: page.url.as_ref()?.as_str(), title: page.title.as_deref() })
    });
    Links { total: *total, pages: pages.collect() }
}

fn absent() -> Refused {
    Refused::absent("this page is not in the index", "/api/why, for what became of it")
}

/// Counts that a result was opened.
pub(super) async fn click(
    State(house): State<Arc<House>>,
    Asked(named): Asked<Named>,
) -> Result<StatusCode, Refused> {
    let url = house.url(&named.url()?)?;
    let wanted = url.clone();
    let held = house.search(move |searcher| searcher.page(searcher.key(&wanted))).await?;
    held.ok_or_else(absent)?;
    house.counter.with(move |clicks| clicks.count(&url)).await?;
    Ok(StatusCode::NO_CONTENT)
}
