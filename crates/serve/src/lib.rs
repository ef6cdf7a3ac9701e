//! What people and programs see of a crawl over HTTP: search, cached copies, a dashboard, a page
//! for webmasters, an API and metrics, on an address of this machine.
//!
//! A [`House`] is before one crawl: it asks that crawl through [`Crawl`], searches its index and
//! reads its archive. It decides nothing for the crawl, and never goes out to the web. Whatever the
//! web has sent is shown as text, or in a frame that may run and load nothing; no answer names a
//! path of the machine. Pages are whole without script. Metrics are in Prometheus' text format.

mod api;
mod copy;
mod dashboard;
mod house;
mod http;
mod look;
pub mod metrics;
pub mod results;
mod search;
mod shelf;
pub mod story;
mod webmaster;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};

pub use house::{Crawl, House, HouseSettings, Unanswered};
pub use http::{Limits, Listener, bind};
pub use look::moment;
pub use webmaster::report;

/// Bytes of a request's body: a form with a list of URLs.
const BODY_BYTES_MAX: usize = 64 << 10;

/// Everything that a house shows.
pub fn router(house: Arc<House>) -> Router {
    let changes = Router::new()
        .merge(search::changes())
        .merge(dashboard::changes())
        .merge(api::changes())
        .route_layer(from_fn_with_state(Arc::clone(&house), http::may_control));
    Router::new()
        .merge(http::routes())
        .merge(look::routes())
        .merge(search::routes())
        .merge(copy::routes())
        .merge(dashboard::routes())
        .merge(webmaster::routes())
        .merge(api::routes())
        .merge(changes)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(from_fn_with_state(Arc::clone(&house), http::pass))
        .layer(from_fn(http::dress))
        .with_state(house)
}
