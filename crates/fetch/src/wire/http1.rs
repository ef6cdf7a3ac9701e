//! One HTTP/1.1 connection. It is driven by whoever uses it; parked, it needs no task.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

use super::tee::{Stream, Tape, Tee};

/// Headers of one answer; the bytes have their own limit.
const HEADERS_MAX: usize = 512;

/// An open connection.
pub(crate) struct Http1 {
    sender: SendRequest<Empty<Bytes>>,
    driver: Option<Connection<TokioIo<Tee>, Empty<Bytes>>>,
    /// The bytes that the server sent behind its answer.
    surplus: usize,
    pub(crate) tape: Tape,
}

impl Http1 {
    /// Speaks HTTP/1.1 on a stream.
    pub(crate) async fn open(stream: Stream, header_bytes_max: usize) -> hyper::Result<Self> {
        let tape = Tape::default();
        let tee = TokioIo::new(Tee::new(stream, tape.clone()));
        let mut builder = Builder::new();
        builder
            .title_case_headers(true)
            .max_headers(HEADERS_MAX)
            .max_header_size(header_bytes_max)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true);
        let (sender, driver) = builder.handshake(tee).await?;
        Ok(Self { sender, driver: Some(driver), surplus: 0, tape })
    }

    /// Whether another request can be sent: the server neither closed nor said anything unasked.
    pub(crate) fn is_open(&mut self) -> bool {
        self.advance(&mut Context::from_waker(Waker::noop()));
        self.driver.is_some() && self.sender.is_ready()
    }

    /// The bytes that came behind the answer; known once the connection is not open any more.
    pub(crate) fn surplus(&self) -> usize {
        self.surplus
    }

    /// Sends a request and waits for the headers of the answer.
    pub(crate) async fn ask(
        &mut self,
        request: Request<Empty<Bytes>>,
    ) -> hyper::Result<Response<Incoming>> {
        let answer = self.sender.send_request(request);
        self.drive(answer).await
    }

    /// The next piece of the body; `None` at its end.
    pub(crate) async fn piece(&mut self, body: &mut Incoming) -> Option<hyper::Result<Bytes>> {
        loop {
            match self.drive(body.frame()).await? {
                // Trailers are in the received bytes; nobody asks for them.
                Ok(frame) => match frame.into_data() {
                    Ok(piece) => return Some(Ok(piece)),
                    Err(_trailers) => {}
                },
                Err(error) => return Some(Err(error)),
            }
        }
    }

    async fn drive<F: Future>(&mut self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(output);
            }
            self.advance(cx);
            future.as_mut().poll(cx)
        })
        .await
    }

    fn advance(&mut self, cx: &mut Context<'_>) {
        let Some(driver) = &mut self.driver else { return };
        // Without a shutdown, which is hyper's last act: dropping the stream closes it as well.
        if driver.poll_without_shutdown(cx).is_ready() {
            let ended = self.driver.take().map(Connection::into_parts);
            self.surplus = ended.map_or(0, |parts| parts.read_buf.len());
        }
    }
}
