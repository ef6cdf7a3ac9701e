//! Server-sent events: how the crawl stands, each time that it was looked at.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

use crate::House;
use crate::http::Refused;

/// Streams at once: each is a connection that stays.
const STREAMS_MAX: usize = 32;
/// A stream ends after this; browsers come again by themselves.
const STREAM_WITHIN: Duration = Duration::from_hours(1);
/// Whoever has gone is noticed by a comment that does not arrive.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

/// The seats of those who listen.
#[derive(Debug)]
pub(crate) struct Streams(Arc<Semaphore>);

impl Default for Streams {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(STREAMS_MAX)))
    }
}

/// One who listens.
struct Listening {
    house: Arc<House>,
    news: watch::Receiver<u64>,
    until: Instant,
    _seat: OwnedSemaphorePermit,
}

impl Listening {
    /// The next event; none when it is time to go.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        loop {
            let news = tokio::time::timeout_at(self.until, self.news.changed()).await;
            let Ok(Ok(())) = news else { return None };
            // While the crawl cannot be asked there is nothing to tell.
            let Ok(status) = self.house.status().await else { continue };
            let Ok(event) = Event::default().event("status").json_data(&*status) else { continue };
            return Some((Ok(event), self));
        }
    }
}

/// Tells a `status` with every look, the first at once.
pub(super) async fn stream(
    State(house): State<Arc<House>>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refused> {
    let seat = Arc::clone(&house.streams.0).try_acquire_owned().map_err(|_| {
        Refused::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{STREAMS_MAX} others listen already"),
            "the same in a while, or /api/status now and then",
        )
    })?;
    let mut news = house.news();
    news.mark_changed();
    let until = Instant::now() + STREAM_WITHIN;
    let listening = Listening { house, news, until, _seat: seat };
    let events = stream::unfold(listening, Listening::next);
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(COMMENT_EVERY)))
}
