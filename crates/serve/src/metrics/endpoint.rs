//! Metrics alone, on an address of their own.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use rhumb_crawl::ask::Status;

use super::text;

/// Where metrics are told unless the user says otherwise: a port that exporters use, and this
/// machine only.
pub const DEFAULT: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 9_464));

const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
const FRONT: &str = "<!doctype html><title>rhumb</title><a href=\"/metrics\">metrics</a>\n";

/// Answers each time with the status of that moment; none means that the crawl has ended.
pub fn router<F, Answer>(status: F) -> Router
where
    F: Fn() -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Option<Status>> + Send + 'static,
{
    let status = Arc::new(status);
    let metrics = move || {
        let status = Arc::clone(&status);
        async move { answer(status().await.as_ref()) }
    };
    let nothing = (StatusCode::NOT_FOUND, "not found: the metrics are at /metrics\n");
    Router::new()
        .route("/", get(async || Html(FRONT)))
        .route("/metrics", get(metrics))
        .fallback(move || std::future::ready(nothing))
}

/// The metrics of a crawl that stands so, if it does.
pub(crate) fn answer(status: Option<&Status>) -> Response {
    match status {
        Some(status) => ([(CONTENT_TYPE, METRICS_TYPE)], text(status)).into_response(),
        None => (StatusCode::SERVICE_UNAVAILABLE, "the crawl has ended\n").into_response(),
    }
}
