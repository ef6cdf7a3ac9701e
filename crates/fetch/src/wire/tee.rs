//! A stream that remembers what was written and read.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::locked;

/// A connection, encrypted or not; what is read and written here is never encrypted.
#[derive(Debug)]
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// The bytes of the exchange under way. The connection writes it, the exchange reads it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape(Arc<Mutex<Recorded>>);

#[derive(Debug, Default)]
struct Recorded {
    sent: Vec<u8>,
    received: Vec<u8>,
    received_max: usize,
    is_full: bool,
}

impl Tape {
    /// Starts anew, for an exchange that may receive so many bytes for now.
    pub(crate) fn rewind(&self, received_max: usize) {
        *locked(&self.0) = Recorded { received_max, ..Recorded::default() };
    }

    /// Lets the exchange receive more.
    pub(crate) fn extend(&self, received_max: usize) {
        locked(&self.0).received_max = received_max;
    }

    /// Whether more came than may.
    pub(crate) fn is_full(&self) -> bool {
        locked(&self.0).is_full
    }

    /// Whether nothing came.
    pub(crate) fn is_silent(&self) -> bool {
        locked(&self.0).received.is_empty()
    }

    /// What was sent and what was received.
    pub(crate) fn take(&self) -> (Vec<u8>, Vec<u8>) {
        let mut recorded = locked(&self.0);
        (std::mem::take(&mut recorded.sent), std::mem::take(&mut recorded.received))
    }
}

/// The stream and its tape.
#[derive(Debug)]
pub(crate) struct Tee {
    stream: Stream,
    tape: Tape,
}

impl Tee {
    pub(crate) fn new(stream: Stream, tape: Tape) -> Self {
        Self { stream, tape }
    }
}

impl AsyncRead for Tee {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            // Many servers end TLS without a word. Whether something is missing, the framing of
            // the answer tells; where it has none, browsers take it too.
            Stream::Tls(stream) => match Pin::new(stream).poll_read(cx, buffer) {
                Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    Poll::Ready(Ok(()))
                }
                polled => polled,
            },
        };
        let mut recorded = locked(&self.tape.0);
        recorded.received.extend_from_slice(&buffer.filled()[before..]);
        if recorded.received.len() > recorded.received_max {
            recorded.is_full = true;
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
            locked(&self.tape.0).sent.extend_from_slice(&bytes[..count]);
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
