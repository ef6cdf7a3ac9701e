//! HTTP/2 (RFC 9113), by the library under hyper's: hyper's own client runs tasks, and hides why
//! a server ended a stream. What went by is told in the form of HTTP/1.1.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use h2::client::{Builder, Connection, SendRequest};
use h2::{Reason, RecvStream};
use http_body_util::Empty;
use hyper::Request;
use hyper::Version;
use hyper::header::{CONNECTION, HOST, HeaderMap};
use hyper::http::response::Parts;
use hyper::http::uri::{Authority, Scheme, Uri};

use super::head::spelled;
use super::http::{Fault, drive};
use super::tee::{Stream, Tape, Tee};

/// What a server may send ahead of our reading. On a line with a round trip of a second it still
/// lets a body of 10 MiB through within a fetch's minute.
const WINDOW: u32 = 256 * 1024;

/// Twice, for the framing: only a server that sends a few bytes in each frame needs more.
pub(super) const READ_AHEAD: usize = 2 * WINDOW as usize;

/// How far ahead in small frames: 256 less the size of each, as the library counts. It bounds
/// memory; the library's own bound cuts honest servers that write a few bytes at a time.
const SMALL_FRAMES_MAX: usize = 4 * 1024 * 1024;

/// The library takes a header list over its limit for a broken one. It gets a higher limit than
/// ours, so that we can tell.
const LIST_ROOM: usize = 4;

/// An open connection.
pub(crate) struct Http2 {
    sender: SendRequest<Bytes>,
    driver: Option<Connection<Tee, Bytes>>,
    body: Option<RecvStream>,
    header_bytes_max: usize,
    pub(super) tape: Tape,
}

impl Http2 {
    pub(super) async fn open(stream: Stream, header_bytes_max: usize) -> Result<Self, Fault> {
        let tape = Tape::counting();
        let list_max = u32::try_from(header_bytes_max.saturating_mul(LIST_ROOM));
        let mut builder = Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .data_frame_budget(SMALL_FRAMES_MAX)
            .max_header_list_size(list_max.unwrap_or(u32::MAX));
        let opened = builder.handshake(Tee::new(stream, tape.clone())).await;
        let (sender, driver) = opened.map_err(|_| Fault::Ended)?;
        Ok(Self { sender, driver: Some(driver), body: None, header_bytes_max, tape })
    }

    pub(super) fn is_open(&mut self) -> bool {
        let cx = &mut Context::from_waker(Waker::noop());
        advance(&mut self.driver, cx);
        self.driver.is_some() && matches!(self.sender.poll_ready(cx), Poll::Ready(Ok(())))
    }

    pub(super) async fn ask(&mut self, request: Request<Empty<Bytes>>) -> Result<Parts, Fault> {
        let target = request.uri().to_string();
        let host = request.headers().get(HOST).cloned().ok_or(Fault::Malformed)?;
        let request = adapted(request).ok_or(Fault::Malformed)?;
        let named = [(HOST.as_str(), host.as_bytes())];
        let others =
            request.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let sent = spelled(&format!("GET {target} HTTP/1.1"), named.into_iter().chain(others));
        let driver = &mut self.driver;
        let ready = drive(|cx| advance(driver, cx), poll_fn(|cx| self.sender.poll_ready(cx))).await;
        ready.map_err(|error| self.fault(&error))?;
        let asked = self.sender.send_request(request, true);
        let (answer, _) = asked.map_err(|error| self.fault(&error))?;
        self.tape.note_sent(&sent);
        let answer = drive(|cx| advance(&mut self.driver, cx), answer).await;
        let (head, body) = answer.map_err(|error| self.fault(&error))?.into_parts();
        let reason = head.status.canonical_reason().unwrap_or_default();
        let line = format!("HTTP/1.1 {} {reason}", head.status.as_str());
        let headers = head.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let received = spelled(&line, headers);
        if received.len() > self.header_bytes_max {
            return Err(Fault::TooLarge);
        }
        self.tape.note_received(&received);
        self.body = Some(body);
        Ok(head)
    }

    pub(super) async fn piece(&mut self) -> Option<Result<Bytes, Fault>> {
        let (driver, body) = (&mut self.driver, self.body.as_mut()?);
        let piece = drive(|cx| advance(driver, cx), poll_fn(|cx| body.poll_data(cx))).await?;
        let piece = piece.and_then(|piece| {
            body.flow_control().release_capacity(piece.len())?;
            Ok(piece)
        });
        if let Ok(piece) = &piece {
            self.tape.note_received(piece);
        }
        Some(piece.map_err(|error| self.fault(&error)))
    }

    fn fault(&self, error: &h2::Error) -> Fault {
        let calm = [Some(Reason::ENHANCE_YOUR_CALM), Some(Reason::COMPRESSION_ERROR)];
        let is_refusal = error.is_go_away() || error.reason() == Some(Reason::REFUSED_STREAM);
        if self.tape.is_full() || (error.is_library() && calm.contains(&error.reason())) {
            Fault::TooLarge
        } else if error.is_library() {
            Fault::Malformed
        // A server that goes away names the last stream that it heard; only later ones fail so.
        } else if (error.is_remote() && is_refusal) || self.tape.is_silent() {
            Fault::Unheard
        } else {
            Fault::Ended
        }
    }
}

fn advance(driver: &mut Option<Connection<Tee, Bytes>>, cx: &mut Context<'_>) {
    let ended = driver.as_mut().is_some_and(|driver| Pin::new(driver).poll(cx).is_ready());
    if ended {
        *driver = None;
    }
}

/// The request with its host as the authority, and nothing about the connection.
fn adapted(request: Request<Empty<Bytes>>) -> Option<Request<()>> {
    let (mut head, _) = request.into_parts();
    let mut uri = head.uri.into_parts();
    uri.scheme = Some(Scheme::HTTPS);
    uri.authority = Some(Authority::try_from(head.headers.get(HOST)?.as_bytes()).ok()?);
    head.uri = Uri::from_parts(uri).ok()?;
    head.version = Version::HTTP_2;
    let headers = head.headers.into_iter().filter_map(|(name, value)| Some((name?, value)));
    let headers = headers.filter(|(name, _)| *name != HOST && *name != CONNECTION);
    head.headers = headers.collect::<HeaderMap>();
    Some(Request::from_parts(head, ()))
}
