//! Questions: to the index, and to the crawl.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use rhumb_crawl::ask::{SITES_MAX, SiteOrder, SitesPage, SitesWanted, Why};
use rhumb_crawl::control::{Question, Reply};
use rhumb_index::RESULTS_MAX;
use serde::{Deserialize, Serialize};

use super::asked::Asked;
use crate::House;
use crate::http::Refused;
use crate::results::{ResultRow, ResultSum, row, sum};
use crate::search::{self, PAGE_RESULTS};

/// Results that are given at once.
const COUNT_MAX: usize = 100;
/// Letters of a URL that is asked about: escaped in the URL of a request they are within what the
/// gate lets in, and whatever they are, within what hyper reads.
pub(super) const URL_CHARS_MAX: usize = 5_000;
/// Sites that are given at once unless somebody wants more.
const SITES_USUAL: u64 = 50;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Searched {
    q: String,
    page: Option<u32>,
    count: Option<usize>,
    #[serde(default)]
    explain: bool,
    #[serde(default)]
    facets: bool,
}

#[derive(Serialize)]
struct Found<'a> {
    query: &'a str,
    #[serde(flatten)]
    sum: ResultSum<'a>,
    hint: Option<&'a str>,
    has_more: bool,
    results: Vec<ResultRow<'a>>,
}

pub(super) async fn search(
    State(house): State<Arc<House>>,
    Asked(asked): Asked<Searched>,
) -> Result<Response, Refused> {
    let count = asked.count.unwrap_or(PAGE_RESULTS);
    if !(1..=COUNT_MAX).contains(&count) {
        return Err(Refused::wrong("count is out of range", format!("1 to {COUNT_MAX}")));
    }
    let before = first(asked.page)?;
    let from = usize::try_from(before).unwrap_or(RESULTS_MAX).saturating_mul(count);
    let wanted = search::Asked {
        query: asked.q.clone(),
        from: from.min(RESULTS_MAX),
        count,
        explain: asked.explain,
        facets: asked.facets,
    };
    let answer = search::ask(&house, wanted).await?;
    let found = Found {
        query: &asked.q,
        sum: sum(&answer),
        hint: answer.hint.as_deref(),
        has_more: answer.has_more,
        results: answer.hits.iter().map(|hit| row(hit, asked.explain)).collect(),
    };
    Ok(Json(found).into_response())
}

/// How many pages go before this one; they are counted from 1.
fn first(page: Option<u32>) -> Result<u32, Refused> {
    let before = page.unwrap_or(1).checked_sub(1);
    before.ok_or_else(|| Refused::wrong("there is no page 0", "page=1, which is the first"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    url: String,
}

impl Named {
    /// The URL, unless it is too long.
    pub(super) fn url(self) -> Result<String, Refused> {
        if self.url.chars().nth(URL_CHARS_MAX).is_some() {
            let advice = format!("one of {URL_CHARS_MAX} letters at most");
            return Err(Refused::wrong("the URL is too long", advice));
        }
        Ok(self.url)
    }
}

pub(super) async fn why(
    State(house): State<Arc<House>>,
    Asked(named): Asked<Named>,
) -> Result<Json<Why>, Refused> {
    match house.ask(Question::Why { url: named.url()? }).await? {
        Reply::Why(why) => Ok(Json(*why)),
        _ => Err(Refused::busy("the crawl speaks of something else")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

pub(super) async fn status(
    State(house): State<Arc<House>>,
    Asked(Nothing {}): Asked<Nothing>,
) -> Result<Response, Refused> {
    Ok(Json(house.status().await?).into_response())
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Asc,
    #[default]
    Desc,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SitesAsked {
    #[serde(default)]
    q: String,
    #[serde(default)]
    sort: SiteOrder,
    #[serde(default)]
    dir: Direction,
    page: Option<u32>,
    count: Option<u64>,
}

pub(super) async fn sites(
    State(house): State<Arc<House>>,
    Asked(asked): Asked<SitesAsked>,
) -> Result<Json<SitesPage>, Refused> {
    let count = asked.count.unwrap_or(SITES_USUAL);
    if !(1..=SITES_MAX).contains(&count) {
        return Err(Refused::wrong("count is out of range", format!("1 to {SITES_MAX}")));
    }
    let wanted = SitesWanted {
        search: asked.q,
        sort: asked.sort,
        descending: matches!(asked.dir, Direction::Desc),
        from: u64::from(first(asked.page)?).saturating_mul(count),
        count,
        ..SitesWanted::default()
    };
    match house.ask(Question::Sites(wanted)).await? {
        Reply::Sites(page) => Ok(Json(page)),
        _ => Err(Refused::busy("the crawl speaks of something else")),
    }
}

pub(super) async fn metrics(State(house): State<Arc<House>>) -> Result<Response, Refused> {
    Ok(crate::metrics::answer(Some(&*house.status().await?)))
}
