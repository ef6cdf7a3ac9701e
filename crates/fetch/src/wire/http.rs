//! A connection, whichever protocol it speaks.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use hyper::http::response::Parts;

use super::http1::{self, Http1};
use super::http2::{self, Http2};
use super::tee::{Stream, Tape};

/// A connection that carries requests, one after the other. It is driven by whoever uses it.
pub(crate) enum Http {
    One(Box<Http1>),
    Two(Box<Http2>),
}

/// A connection between two requests; it needs no task.
pub(crate) enum Idle {
    /// Without hyper, which would keep buffers for an answer as long as the last: 30 KB and more.
    One(Stream),
    Two(Box<Http2>),
}

impl Idle {
    /// Whether another request can be sent: the server neither closed nor said anything unasked.
    pub(crate) fn is_open(&mut self) -> bool {
        match self {
            Self::One(stream) => stream.is_quiet(),
            Self::Two(http) => http.is_open(),
        }
    }

    /// Takes it up again.
    pub(crate) async fn wake(self, header_bytes_max: usize) -> Result<Http, Fault> {
        match self {
            Self::One(stream) => Http::open(stream, header_bytes_max).await,
            Self::Two(http) => Ok(Http::Two(http)),
        }
    }
}

/// What went wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// More bytes than the limit.
    TooLarge,
    /// It breaks the rules of its protocol.
    Malformed,
    /// It ended without a sign that the server heard the request.
    Unheard,
    /// It ended too early.
    Ended,
}

impl Http {
    /// Speaks on a stream what was agreed on.
    pub(crate) async fn open(stream: Stream, header_bytes_max: usize) -> Result<Self, Fault> {
        if stream.is_h2() {
            let http = Http2::open(stream, header_bytes_max).await?;
            return Ok(Self::Two(Box::new(http)));
        }
        let http = Http1::open(stream, header_bytes_max).await?;
        Ok(Self::One(Box::new(http)))
    }

    /// The bytes of the exchange under way.
    pub(crate) fn tape(&self) -> &Tape {
        match self {
            Self::One(http) => &http.tape,
            Self::Two(http) => &http.tape,
        }
    }

    /// The most bytes that may come behind the headers before they are shown.
    pub(crate) fn read_ahead(&self) -> usize {
        match self {
            Self::One(_) => http1::READ_AHEAD,
            Self::Two(_) => http2::READ_AHEAD,
        }
    }

    /// Whether another request can be sent: the server neither closed nor said anything unasked.
    pub(crate) fn is_open(&mut self) -> bool {
        match self {
            Self::One(http) => http.is_open(),
            Self::Two(http) => http.is_open(),
        }
    }

    /// Lays an open connection down until the next request.
    pub(crate) fn rest(self) -> Option<Idle> {
        match self {
            Self::One(http) => http.into_stream().map(Idle::One),
            Self::Two(http) => Some(Idle::Two(http)),
        }
    }

    /// Sends a request and waits for the headers of the answer.
    pub(crate) async fn ask(&mut self, request: Request<Empty<Bytes>>) -> Result<Parts, Fault> {
        match self {
            Self::One(http) => http.ask(request).await,
            Self::Two(http) => http.ask(request).await,
        }
    }

    /// The next piece of the answer's body; `None` at its end. Nothing is lost if it is dropped.
    pub(crate) async fn piece(&mut self) -> Option<Result<Bytes, Fault>> {
        match self {
            Self::One(http) => http.piece().await,
            Self::Two(http) => http.piece().await,
        }
    }

    /// What was sent and received, once no more of it is wanted.
    pub(crate) fn transcript(&mut self) -> (Vec<u8>, Vec<u8>) {
        match self {
            Self::One(http) => http.transcript(),
            Self::Two(http) => http.tape.take(),
        }
    }
}

/// Runs a future to its end, and the connection under it whenever it waits.
pub(super) async fn drive<F: Future>(
    mut advance: impl FnMut(&mut Context<'_>),
    future: F,
) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|cx| {
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(output);
        }
        advance(cx);
        future.as_mut().poll(cx)
    })
    .await
}
