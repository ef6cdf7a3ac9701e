//! Pages as they were: copies from the archive, which run nothing and load nothing.
//!
//! A copy is shown in a frame of its own. It is harmless three times over: it is written anew from
//! what is known to be harmless, its policy forbids it to load and to run, and both the frame and
//! the policy put it into an origin of its own. A page that asks for it is not shown.

mod capture;
mod harmless;
mod page;
mod shown;
mod version;

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    HeaderValue, REFERRER_POLICY,
};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use futures_util::stream;
use rhumb_index::Document;
use rhumb_web::CanonUrl;
use serde::Deserialize;
use tokio::sync::{Semaphore, SemaphorePermit};

use self::capture::{BLOCK_BYTES_MAX, Capture, Reader};
use self::page::Found;
pub(crate) use self::version::Version;
use self::version::{chosen, is_good, is_name, told, with_last_wish, with_payload};
use crate::House;
use crate::http::Refused;

/// Captures of one URL that are told of, the newest.
const VERSIONS_MAX: usize = 500;
/// Copies that are read at once: each holds a payload or two in memory.
const COPIES_MAX: usize = 4;
/// Long answers that are sent at once: each is in memory until its client has taken it.
const SENT_MAX: usize = 8;
/// The pieces that an answer is sent in; one of a single piece is not long.
const PIECE_BYTES: usize = 64 << 10;
/// What is read of an error for its wishes alone.
const WISH_BYTES_MAX: usize = 256 << 10;
/// Letters of the name that a file is saved by.
const NAME_CHARS_MAX: usize = 80;

/// What a copy may do: show its text, and be left by a click.
const POLICY: &str = "sandbox allow-top-navigation-by-user-activation; default-src 'none'; \
    style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'self'";

/// Shared by all: memory is.
static SEATS: Semaphore = Semaphore::const_new(COPIES_MAX);
/// Others than those of readers: who takes an answer slowly keeps nobody from a short one.
static SENDING: Semaphore = Semaphore::const_new(SENT_MAX);

pub(crate) fn routes() -> Router<Arc<House>> {
    Router::new()
        .route("/copy", get(around))
        .route("/copy/frame", get(frame))
        .route("/copy/file", get(file))
}

/// The captures of a URL, the newest first.
pub(crate) async fn versions(house: &House, url: &CanonUrl) -> Result<Vec<Version>, Refused> {
    let _seat = seat().await;
    Ok(told(&kept(house, url).await?))
}

#[derive(Debug, Deserialize)]
struct Wanted {
    #[serde(default)]
    url: String,
    at: Option<String>,
}

impl Wanted {
    fn at(&self) -> Result<Option<&str>, Refused> {
        let at = self.at.as_deref().filter(|at| !at.is_empty());
        if at.is_some_and(|at| !is_name(at)) {
            return Err(Refused::wrong("this is no time of a copy", "one such as 20260203040506"));
        }
        Ok(at)
    }
}

/// What was found of a copy that is wanted.
struct Copied {
    versions: Vec<Version>,
    chosen: usize,
    capture: Option<Capture>,
    /// What the index holds of the page.
    document: Option<Document>,
    wish: Wish,
}

/// Whether a page asks that no copy be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Open,
    Closed,
    /// The capture that would tell cannot be read, and the index knows nothing of the page.
    Unknown,
}

async fn around(
    State(house): State<Arc<House>>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refused> {
    let url = house.url(&wanted.url)?;
    let _seat = seat().await;
    let Some(copied) = copied(&house, &url, wanted.at()?).await? else {
        return Ok((StatusCode::NOT_FOUND, page::absent(&url)).into_response());
    };
    let found = match copied.capture {
        _ if copied.wish == Wish::Closed => Found::Closed,
        None => Found::Unreadable,
        Some(_) if copied.wish == Wish::Unknown => Found::Unknown,
        Some(capture) => Found::Shown { leads: capture.location, is_cut: capture.is_cut },
    };
    Ok(page::around(&url, &copied.versions, copied.chosen, &found).into_response())
}

/// The copy itself. What goes wrong is told in the same frame, by the same policy.
async fn frame(State(house): State<Arc<House>>, Query(wanted): Query<Wanted>) -> Response {
    let shown = async {
        let url = house.url(&wanted.url)?;
        let at = wanted.at()?;
        let _seat = seat().await;
        let (capture, document) = open(&house, &url, at).await?;
        let canon = house.settings.canon;
        reading(move || {
            let same = |it: &&Document| it.digest.is_some() && it.digest == capture.digest;
            let text = document.as_ref().filter(same).map(|it| it.main.as_str());
            Ok(shown::shown(&capture, &url, canon, text))
        })
        .await
        .and_then(|shown| sent(shown.into()))
    };
    let shown: Result<_, Refused> = shown.await;
    let kind = [(CONTENT_TYPE, "text/html; charset=utf-8")];
    confined(shown.map(|shown| (kind, shown)).into_response())
}

async fn file(State(house): State<Arc<House>>, Query(wanted): Query<Wanted>) -> Response {
    let saved = async {
        let url = house.url(&wanted.url)?;
        let at = wanted.at()?;
        let _seat = seat().await;
        let (capture, _) = open(&house, &url, at).await?;
        if capture.is_cut {
            let what = "this file is too long to be handed out here";
            return Err(Refused::absent(what, "its record in the archive"));
        }
        let disposition = format!("attachment; filename=\"{}\"", file_name(&url));
        let kind = (CONTENT_TYPE, "application/octet-stream".to_owned());
        Ok(([kind, (CONTENT_DISPOSITION, disposition)], sent(capture.body)?))
    };
    let saved: Result<_, Refused> = saved.await;
    confined(saved.into_response())
}

/// An answer in pieces: who does not take them holds one of few seats, and the next long answer is
/// refused.
fn sent(body: Bytes) -> Result<impl IntoResponse, Refused> {
    let length = [(CONTENT_LENGTH, body.len())];
    if body.len() <= PIECE_BYTES {
        return Ok((length, Body::from(body)));
    }
    let busy = |_| Refused::busy("too many long copies are being sent at the moment");
    let seat = SENDING.try_acquire().map_err(busy)?;
    let pieces = stream::unfold((body, seat), |(mut body, seat)| async move {
        let piece = body.split_to(body.len().min(PIECE_BYTES));
        // A part of the whole would keep all of it in memory after the seat is left.
        let piece = Bytes::copy_from_slice(&piece);
        (!piece.is_empty()).then_some((Ok::<_, Infallible>(piece), (body, seat)))
    });
    Ok((length, Body::from_stream(pieces)))
}

/// An answer that may do nothing, wherever it is opened.
fn confined(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    // Browsers refuse a page in a sandbox that wants its openers to be of its own origin.
    let opener = HeaderName::from_static("cross-origin-opener-policy");
    headers.insert(opener, HeaderValue::from_static("unsafe-none"));
    response
}

/// A capture that may be shown, and what the index holds of its page.
async fn open(
    house: &Arc<House>,
    url: &CanonUrl,
    at: Option<&str>,
) -> Result<(Capture, Option<Document>), Refused> {
    let copied = copied(house, url, at).await?;
    let copied = copied.ok_or_else(|| {
        Refused::absent("the archive has no such copy", "/copy without a time, or another URL")
    })?;
    let closed = |what: &str| Refused::new(StatusCode::FORBIDDEN, what, "the page itself");
    if copied.wish == Wish::Closed {
        return Err(closed("this page asks that no copy of it be shown"));
    }
    let capture = copied.capture.ok_or_else(|| {
        Refused::absent("the archive cannot give this copy", "another version of it")
    })?;
    if copied.wish == Wish::Unknown {
        return Err(closed("nobody can tell whether this page asks that no copy of it be shown"));
    }
    Ok((capture, copied.document))
}

/// Reads the capture that is wanted; none where there is no such.
async fn copied(
    house: &Arc<House>,
    url: &CanonUrl,
    at: Option<&str>,
) -> Result<Option<Copied>, Refused> {
    let kept = kept(house, url).await?;
    let Some(chosen) = chosen(&kept, at) else { return Ok(None) };
    let document = document(house, url).await;
    let versions = told(&kept);
    let reader = Reader { canon: house.settings.canon, agent: house.settings.agent_token.clone() };
    let (archive, url) = (house.archive().to_owned(), url.clone());
    let (capture, wish) = reading(move || {
        let read = |at: usize, max: usize| reader.read(&archive, &url, &kept[at], max);
        let wanted = with_payload(&kept, chosen);
        let capture = read(wanted, BLOCK_BYTES_MAX)?;
        let mut wishes = vec![capture.as_ref().map(Capture::is_closed)];
        // The last wish counts, also for what was captured before it.
        let mut others = with_last_wish(&kept);
        others.push(chosen);
        others.retain(|at| *at != wanted);
        for at in others {
            let max = if is_good(&kept[at]) { BLOCK_BYTES_MAX } else { WISH_BYTES_MAX };
            wishes.push(read(at, max)?.as_ref().map(Capture::is_closed));
        }
        Ok((capture, Wish::of(&wishes)))
    })
    .await?;
    let wish = match &document {
        Some(page) if page.no_archive => Wish::Closed,
        Some(_) if wish == Wish::Unknown => Wish::Open,
        _ => wish,
    };
    Ok(Some(Copied { versions, chosen, capture, document, wish }))
}

impl Wish {
    /// Of several captures together, each of which asks for it, does not, or cannot be read.
    fn of(wishes: &[Option<bool>]) -> Self {
        if wishes.contains(&Some(true)) {
            Self::Closed
        } else if wishes.contains(&None) {
            Self::Unknown
        } else {
            Self::Open
        }
    }
}

async fn kept(house: &House, url: &CanonUrl) -> Result<Vec<rhumb_archive::Version>, Refused> {
    let (archive, url) = (house.archive().to_owned(), url.clone());
    reading(move || rhumb_archive::versions(&archive, url.as_str(), VERSIONS_MAX)).await
}

/// What the index holds of a page; a crawl may have none.
async fn document(house: &House, url: &CanonUrl) -> Option<Document> {
    let url = url.clone();
    let found = house.search(move |searcher| searcher.page(searcher.key(&url))).await;
    found.ok().flatten()
}

/// One of the few that may read copies at the moment. Nobody takes a second one.
async fn seat() -> SemaphorePermit<'static> {
    SEATS.acquire().await.expect("it is never closed")
}

/// Reads the archive on a thread that may block.
async fn reading<T: Send + 'static>(
    read: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Refused> {
    let done = tokio::task::spawn_blocking(read).await;
    // What failed may name files.
    let failed = || Refused::busy("the archive cannot be read at the moment");
    done.map_err(|_| failed())?.map_err(|_| failed())
}

/// The name that a file is saved by: letters that no system takes for anything else.
fn file_name(url: &CanonUrl) -> String {
    let last = url.path().rsplit('/').next().unwrap_or_default();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let plain = last.chars().map(|letter| if is_plain(letter) { letter } else { '_' });
    let name: String = plain.take(NAME_CHARS_MAX).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "page".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_answers_that_nobody_takes_are_few() {
        let long = || Bytes::from(vec![b'x'; 3 * PIECE_BYTES + 1]);
        let mut held: Vec<_> = (0..SENT_MAX).map(|_| sent(long())).collect();
        assert!(held.iter().all(Result::is_ok));
        assert!(sent(long()).is_err(), "no seat is left");
        assert!(sent(Bytes::from_static(b"short")).is_ok());
        let one = held.pop().unwrap().unwrap().into_response();
        assert_eq!(one.headers()[CONTENT_LENGTH], long().len().to_string());
        let taken = axum::body::to_bytes(one.into_body(), usize::MAX).await.unwrap();
        assert_eq!(taken, long());
        assert!(sent(long()).is_ok(), "its seat is free");
    }

    #[test]
    fn a_file_is_saved_by_a_plain_name() {
        let check = |url: &str, expect: &str| {
            assert_eq!(file_name(&CanonUrl::parse(url).unwrap()), expect, "{url}");
        };
        check("http://a.test/x/Report.pdf?y=1", "Report.pdf");
        check("http://a.test/", "page");
        check("http://a.test/..%22%0d%0aSet-Cookie:x", "_22_0D_0ASet-Cookie_x");
        check("http://a.test/%E2%80%AEgnp.exe", "_E2_80_AEgnp.exe");
        check(&format!("http://a.test/{}", "x".repeat(500)), &"x".repeat(80));
    }
}
