//! What changes something: it is told to the crawl, which does it or says why not.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use rhumb_crawl::control::{Question, Reply, SiteChange};
use serde::{Deserialize, Serialize};

use super::asked::Said;
use crate::House;
use crate::http::Refused;
use crate::search;

/// What the crawl says to it.
#[derive(Serialize)]
pub(super) struct Told {
    message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Submitted {
    urls: Vec<String>,
}

pub(super) async fn submit(
    State(house): State<Arc<House>>,
    Said(submitted): Said<Submitted>,
) -> Result<Json<Told>, Refused> {
    if submitted.urls.iter().any(|url| url.contains(['\n', '\r'])) {
        return Err(Refused::wrong("a URL has a line break in it", "one URL in each string"));
    }
    let urls = search::urls(&submitted.urls.join("\n"))?;
    Ok(Json(Told { message: search::submit(&house, urls).await? }))
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Deed {
    Pause,
    Resume,
    Stop,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Controlled {
    #[serde(rename = "do")]
    deed: Deed,
}

pub(super) async fn control(
    State(house): State<Arc<House>>,
    Said(controlled): Said<Controlled>,
) -> Result<Json<Told>, Refused> {
    let question = match controlled.deed {
        Deed::Pause => Question::Pause,
        Deed::Resume => Question::Resume,
        Deed::Stop => Question::Stop,
    };
    // The request is right, but a crawl that does not run cannot be paused.
    tell(&house, question).await.map_err(|refused| match refused.code {
        StatusCode::BAD_REQUEST => Refused { code: StatusCode::CONFLICT, ..refused },
        _ => refused,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changed {
    site: String,
    delay: Option<String>,
    connections: Option<String>,
    scope: Option<String>,
    budget: Option<String>,
    block: Option<bool>,
}

pub(super) async fn site(
    State(house): State<Arc<House>>,
    Said(said): Said<Changed>,
) -> Result<Json<Told>, Refused> {
    let Changed { site, delay, connections, scope, budget, block } = said;
    let change = SiteChange { delay, connections, scope, budget, block };
    tell(&house, Question::Site { site, change }).await
}

async fn tell(house: &House, question: Question) -> Result<Json<Told>, Refused> {
    match house.ask(question).await? {
        Reply::Done { message } => Ok(Json(Told { message })),
        _ => Err(Refused::busy("the crawl speaks of something else")),
    }
}
