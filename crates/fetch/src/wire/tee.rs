//! A stream that remembers what was written and read.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use rhumb_web::{Phases, Tls};
use rustls::ProtocolVersion;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::client::TlsStream;

use crate::bodies::STEP;
use crate::locked;

/// A connection, encrypted or not; what is read and written here is never encrypted.
#[derive(Debug)]
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// Whether nothing came unasked, not even the end.
    pub(super) fn is_quiet(&mut self) -> bool {
        let mut byte = [0];
        let cx = &mut Context::from_waker(Waker::noop());
        self.poll_read(cx, &mut ReadBuf::new(&mut byte)).is_pending()
    }

    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            // Many servers end TLS without a word. Whether something is missing, the framing of
            // the answer tells; where it has none, browsers take it too.
            Self::Tls(stream) => match Pin::new(stream).poll_read(cx, buffer) {
                Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    Poll::Ready(Ok(()))
                }
                polled => polled,
            },
        }
    }

    /// Whether the handshake agreed on HTTP/2.
    pub(super) fn is_h2(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Tls(stream) => stream.get_ref().1.alpn_protocol() == Some(b"h2"),
        }
    }

    /// Whether TLS was agreed on, but not what is spoken on it.
    pub(crate) fn is_unnamed(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Tls(stream) => stream.get_ref().1.alpn_protocol().is_none(),
        }
    }

    /// The version of TLS, if there is any.
    pub(crate) fn tls(&self) -> Option<Tls> {
        let Self::Tls(stream) = self else { return None };
        match stream.get_ref().1.protocol_version()? {
            ProtocolVersion::TLSv1_2 => Some(Tls::V12),
            ProtocolVersion::TLSv1_3 => Some(Tls::V13),
            _ => None,
        }
    }
}

/// The bytes of the exchange under way. The connection writes it, the exchange reads it.
#[derive(Clone, Debug)]
pub(crate) struct Tape(Arc<Mutex<Recorded>>);

#[derive(Debug, Default)]
struct Recorded {
    sent: Vec<u8>,
    received: Vec<u8>,
    /// Whether what goes by is only counted; what it says is noted by the protocol.
    is_counting: bool,
    count: usize,
    count_max: usize,
    /// How far it may be read for now: there is memory for no more.
    granted: usize,
    /// When the request was written.
    wrote: Option<Instant>,
    /// When the answer began to come.
    heard: Option<Instant>,
}

impl Recorded {
    /// Notes that something was written. A counting tape is written to for other reasons as well:
    /// the request is what is written first once it is noted.
    fn note_write(&mut self) {
        let is_request = if self.is_counting {
            self.wrote.is_none() && !self.sent.is_empty()
        } else {
            self.heard.is_none()
        };
        if is_request {
            self.wrote = Some(Instant::now());
        }
    }

    fn note_heard(&mut self) {
        if self.heard.is_none() {
            self.heard = Some(Instant::now());
        }
    }
}

impl Tape {
    /// A tape of the bytes as they go by.
    pub(super) fn recording() -> Self {
        Self(Arc::default())
    }

    /// A tape of what is noted on it.
    pub(super) fn counting() -> Self {
        let recorded = Recorded { is_counting: true, ..Recorded::default() };
        Self(Arc::new(Mutex::new(recorded)))
    }

    /// Notes what was sent in other words.
    pub(super) fn note_sent(&self, bytes: &[u8]) {
        locked(&self.0).sent.extend_from_slice(bytes);
    }

    /// Notes what was received in other words.
    pub(super) fn note_received(&self, bytes: &[u8]) {
        let mut recorded = locked(&self.0);
        recorded.note_heard();
        recorded.received.extend_from_slice(bytes);
    }

    /// How long the parts of an exchange took that began then and has ended now.
    pub(crate) fn times(&self, asked: Instant, phases: &mut Phases) {
        let recorded = locked(&self.0);
        let wrote = recorded.wrote.unwrap_or(asked);
        let heard = recorded.heard.unwrap_or(wrote);
        phases.write = wrote.duration_since(asked);
        phases.first_byte = heard.duration_since(wrote);
        phases.read = heard.elapsed();
    }

    /// Starts anew, for an exchange that may receive so many bytes for now.
    pub(crate) fn rewind(&self, count_max: usize) {
        let mut recorded = locked(&self.0);
        let is_counting = recorded.is_counting;
        let granted = usize::MAX;
        *recorded = Recorded { is_counting, count_max, granted, ..Recorded::default() };
    }

    /// Lets the exchange receive more.
    pub(crate) fn extend(&self, count_max: usize) {
        locked(&self.0).count_max = count_max;
    }

    /// Bytes that came, framing included.
    pub(crate) fn count(&self) -> usize {
        locked(&self.0).count
    }

    /// Lets the exchange read on until so many bytes came; whoever reads then waits, unwoken.
    pub(crate) fn grant(&self, count: usize) {
        locked(&self.0).granted = count;
    }

    /// Whether more came than may.
    pub(super) fn is_full(&self) -> bool {
        let recorded = locked(&self.0);
        recorded.count > recorded.count_max
    }

    /// Whether nothing came.
    pub(super) fn is_silent(&self) -> bool {
        locked(&self.0).count == 0
    }

    /// How much more may be read for now.
    fn room(&self) -> usize {
        let recorded = locked(&self.0);
        recorded.granted.saturating_sub(recorded.count)
    }

    /// What was sent and what was received.
    pub(super) fn take(&self) -> (Vec<u8>, Vec<u8>) {
        let mut recorded = locked(&self.0);
        (std::mem::take(&mut recorded.sent), std::mem::take(&mut recorded.received))
    }
}

/// The stream and its tape.
#[derive(Debug)]
pub(super) struct Tee {
    stream: Stream,
    tape: Tape,
}

impl Tee {
    pub(super) fn new(stream: Stream, tape: Tape) -> Self {
        Self { stream, tape }
    }

    pub(super) fn into_stream(self) -> Stream {
        self.stream
    }
}

impl AsyncRead for Tee {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let room = self.tape.room().min(STEP);
        if room == 0 {
            return Poll::Pending;
        }
        let polled = if buffer.remaining() <= room {
            self.stream.poll_read(cx, buffer)
        } else {
            let mut part = ReadBuf::new(buffer.initialize_unfilled_to(room));
            let polled = self.stream.poll_read(cx, &mut part);
            let count = part.filled().len();
            buffer.advance(count);
            polled
        };
        let mut recorded = locked(&self.tape.0);
        let fresh = &buffer.filled()[before..];
        recorded.count += fresh.len();
        if !recorded.is_counting && !fresh.is_empty() {
            recorded.note_heard();
            recorded.received.extend_from_slice(fresh);
        }
        if recorded.count > recorded.count_max {
            return Poll::Ready(Err(io::Error::other("more bytes than the limit")));
        }
        polled
    }
}

impl AsyncWrite for Tee {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        };
        if let Poll::Ready(Ok(count)) = polled {
            let mut recorded = locked(&self.tape.0);
            recorded.note_write();
            if !recorded.is_counting {
                recorded.sent.extend_from_slice(&bytes[..count]);
            }
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
