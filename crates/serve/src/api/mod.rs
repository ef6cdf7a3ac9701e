//! The API: JSON below `/api`, told in full by `/api/openapi.json`. What it does not know it
//! refuses, with `{error, advice}`; unknown values are null and never absent, times are RFC 3339
//! in UTC.

mod asked;
mod asking;
mod clicks;
mod page;
mod telling;
#[cfg(test)]
mod tests;
mod usage;

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::from_fn;
use axum::routing::{MethodRouter, get, post};

use crate::House;
use crate::http::is_ours;

pub(crate) use clicks::Counter;

/// All of it, for programs.
const OPENAPI: &str = include_str!("openapi.json");

type Route = (&'static str, MethodRouter<Arc<House>>);

pub(crate) fn routes() -> Router<Arc<House>> {
    joined(questions())
}

/// What changes something.
pub(crate) fn changes() -> Router<Arc<House>> {
    joined(orders())
}

fn joined<const N: usize>(routes: [Route; N]) -> Router<Arc<House>> {
    routes.into_iter().fold(Router::new(), |router, (path, answer)| router.route(path, answer))
}

fn questions() -> [Route; 9] {
    let openapi = || async { ([(CONTENT_TYPE, "application/json")], OPENAPI) };
    [
        ("/api", get(usage::page)),
        ("/api/openapi.json", get(openapi)),
        ("/api/search", get(asking::search)),
        ("/api/page", get(page::page)),
        ("/api/why", get(asking::why)),
        ("/api/status", get(asking::status)),
        ("/api/sites", get(asking::sites)),
        // A count is no control: it wants no token, but no page of somebody else may send it.
        ("/api/click", post(page::click).route_layer(from_fn(is_ours))),
        ("/metrics", get(asking::metrics)),
    ]
}

fn orders() -> [Route; 3] {
    [
        ("/api/submit", post(telling::submit)),
        ("/api/control", post(telling::control)),
        ("/api/site", post(telling::site)),
    ]
}
