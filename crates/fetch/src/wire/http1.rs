//! HTTP/1.1 (RFC 9112), by hyper.

use std::error::Error;
use std::io;
use std::task::{Context, Waker};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper::http::response::Parts;
use hyper_util::rt::TokioIo;

use super::http::{Fault, drive};
use super::tee::{Stream, Tape, Tee};
use crate::bodies::STEP;

/// Headers of one answer; the bytes have their own limit.
const HEADERS_MAX: usize = 512;

/// hyper's buffer, which grows to twice what is read at a time, may be filled again before what was
/// in it is taken.
pub(super) const READ_AHEAD: usize = 8 * STEP;

/// An open connection.
pub(crate) struct Http1 {
    sender: SendRequest<Empty<Bytes>>,
    driver: Driver,
    body: Option<Incoming>,
    pub(super) tape: Tape,
}

struct Driver {
    connection: Option<Connection<TokioIo<Tee>, Empty<Bytes>>>,
    /// The bytes that the server sent behind its answer; known once the connection has ended.
    surplus: usize,
}

impl Http1 {
    pub(super) async fn open(stream: Stream, header_bytes_max: usize) -> Result<Self, Fault> {
        let tape = Tape::recording();
        let tee = TokioIo::new(Tee::new(stream, tape.clone()));
        let mut builder = Builder::new();
        builder
            .title_case_headers(true)
            .max_headers(HEADERS_MAX)
            .max_header_size(header_bytes_max)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true);
        let (sender, connection) = builder.handshake(tee).await.map_err(|_| Fault::Ended)?;
        let driver = Driver { connection: Some(connection), surplus: 0 };
        Ok(Self { sender, driver, body: None, tape })
    }

    pub(super) fn is_open(&mut self) -> bool {
        self.driver.advance(&mut Context::from_waker(Waker::noop()));
        self.driver.connection.is_some() && self.sender.is_ready()
    }

    /// The stream alone, if nothing is under way on it.
    pub(super) fn into_stream(self) -> Option<Stream> {
        let parts = self.driver.connection?.into_parts();
        parts.read_buf.is_empty().then(|| parts.io.into_inner().into_stream())
    }

    pub(super) async fn ask(&mut self, request: Request<Empty<Bytes>>) -> Result<Parts, Fault> {
        let answer = self.sender.send_request(request);
        let answer = drive(|cx| self.driver.advance(cx), answer).await;
        let (head, body) = answer.map_err(|error| self.fault(&error))?.into_parts();
        self.body = Some(body);
        Ok(head)
    }

    pub(super) async fn piece(&mut self) -> Option<Result<Bytes, Fault>> {
        loop {
            let frame = drive(|cx| self.driver.advance(cx), self.body.as_mut()?.frame()).await?;
            // Trailers are in the received bytes; nobody asks for them.
            match frame.map(hyper::body::Frame::into_data) {
                Ok(Ok(piece)) => return Some(Ok(piece)),
                Ok(Err(_trailers)) => {}
                Err(error) if is_malformed(&error) => return Some(Err(Fault::Malformed)),
                Err(error) => return Some(Err(self.fault(&error))),
            }
        }
    }

    pub(super) fn transcript(&mut self) -> (Vec<u8>, Vec<u8>) {
        let (sent, mut received) = self.tape.take();
        received.truncate(received.len().saturating_sub(self.driver.surplus));
        (sent, received)
    }

    fn fault(&self, error: &hyper::Error) -> Fault {
        if self.tape.is_full() || error.is_parse_too_large() {
            Fault::TooLarge
        } else if error.is_parse() {
            Fault::Malformed
        } else if self.tape.is_silent() {
            Fault::Unheard
        } else {
            Fault::Ended
        }
    }
}

impl Driver {
    fn advance(&mut self, cx: &mut Context<'_>) {
        let Some(connection) = &mut self.connection else { return };
        // Without a shutdown, which is hyper's last act: dropping the stream closes it as well.
        if connection.poll_without_shutdown(cx).is_ready() {
            let ended = self.connection.take().map(Connection::into_parts);
            self.surplus = ended.map_or(0, |parts| parts.read_buf.len());
        }
    }
}

/// Whether an error in a body is about its framing.
fn is_malformed(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| {
        matches!(cause.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData)
    })
}
