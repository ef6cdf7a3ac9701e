//! The dashboard: how a crawl stands and stood, what it can be told to do, and its sites.
//!
//! Everything is asked of the crawl, and nothing kept but a [`History`] for charts. The part of
//! the page that changes is one function, shown in the page and again by itself for the script,
//! which replaces it whenever the [`events`] say so.

mod bars;
mod chart;
mod control;
mod events;
mod history;
mod live;
mod meaning;
mod site;
mod sites;
mod tables;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::House;

pub(crate) use events::Streams;
pub(crate) use history::History;

pub(crate) fn routes() -> Router<Arc<House>> {
    Router::new()
        .route("/crawl", get(control::page))
        .route("/crawl/live", get(control::fragment))
        .route("/crawl/control", get(control::confirmation))
        .route("/sites", get(sites::page))
        .route("/site", get(site::page))
        .route("/api/events", get(events::stream))
}

/// What changes something.
pub(crate) fn changes() -> Router<Arc<House>> {
    Router::new().route("/crawl/control", post(control::change)).route("/site", post(site::change))
}
