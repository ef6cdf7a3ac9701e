//! One connection: HTTP/1.1 as a careful server speaks it, with exact moments for the witness.
//!
//! Written by hand because the witness needs to know when a connection was accepted and when the
//! last byte of an answer leaves, and because some answers are a closed connection.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Shared;
use super::answer::Reply;
use super::frame::Framed;
use super::request::{HEAD_MAX, Request};
use crate::spec::Shape;
use crate::truth::{HostId, Scheme};
use crate::witness::{Asked, Entry};

/// First byte of a TLS handshake.
const TLS_HANDSHAKE: u8 = 0x16;
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// Most request heads are smaller.
const READ_BYTES: usize = 1 << 10;
/// Larger answers are sent up to their last bytes before they count as ended.
const AT_ONCE_MAX: usize = 32 << 10;
/// A client's close reaches our tasks late: a second connection is looked at this often.
const SECOND_LOOKS: usize = 5;
const SECOND_LOOK_AFTER: Duration = Duration::from_millis(5);

pub(super) async fn serve(stream: TcpStream, accepted: Instant, shared: Arc<Shared>) {
    // Failing connections are the client's affair: it sees what it sees.
    let _ended = talk_either(stream, accepted, &shared).await;
}

async fn talk_either(stream: TcpStream, accepted: Instant, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut first = [0];
    if stream.peek(&mut first).await? == 0 {
        return Ok(());
    }
    if first[0] == TLS_HANDSHAKE {
        let stream = shared.authority.acceptor.accept(stream).await?;
        Connection::new(shared, Scheme::Https, accepted).talk(stream).await
    } else {
        Connection::new(shared, Scheme::Http, accepted).talk(stream).await
    }
}

/// The witness's side of a connection; dropping it closes the books.
struct Connection<'a> {
    shared: &'a Shared,
    scheme: Scheme,
    /// When it was opened, until its first request.
    opened: Option<Instant>,
    served: Vec<HostId>,
    in_flight: Option<(HostId, Asked)>,
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.end_request();
        for origin in self.served.drain(..) {
            self.shared.ledger.close(origin);
        }
    }
}

impl<'a> Connection<'a> {
    fn new(shared: &'a Shared, scheme: Scheme, accepted: Instant) -> Self {
        let opened = Some(accepted);
        Self { shared, scheme, opened, served: Vec::new(), in_flight: None }
    }

    async fn talk<S: AsyncRead + AsyncWrite + Unpin>(mut self, mut stream: S) -> io::Result<()> {
        let mut read = Vec::with_capacity(READ_BYTES);
        while let Some(end) = next_head(&mut stream, &mut read).await? {
            let close = self.exchange(&mut stream, &read[..end]).await?;
            if close {
                return stream.shutdown().await;
            }
            read.drain(..end + END_OF_HEAD.len());
        }
        Ok(())
    }

    /// Answers one request. True where the connection is to be closed behind it.
    async fn exchange<S>(&mut self, stream: &mut S, head: &[u8]) -> io::Result<bool>
    where
        S: AsyncWrite + Unpin,
    {
        let start = self.opened.take().unwrap_or_else(Instant::now);
        let Some((request, origin, named)) = self.read(head) else {
            self.shared.ledger.stray(String::from_utf8_lossy(head).into_owned());
            write(stream, &Framed::new(Reply::bad_request(), false).bytes(true, true)).await?;
            return Ok(true);
        };
        let Some(framed) = self.answer(origin, named, &request, start).await else {
            // Without a word, not even the farewell of TLS.
            return Err(io::ErrorKind::ConnectionAborted.into());
        };
        let bytes = framed.bytes(request.close, request.method != "HEAD");
        let last = if bytes.len() > AT_ONCE_MAX { bytes.len() - 1 } else { 0 };
        if last > 0 {
            write(stream, &bytes[..last]).await?;
        }
        // Before the last bytes leave: the client cannot know the end earlier than this.
        self.end_request();
        write(stream, &bytes[last..]).await?;
        Ok(request.close || framed.closes)
    }

    /// The request, the origin that it is for, and whether its host is written canonically.
    fn read<'h>(&self, head: &'h [u8]) -> Option<(Request<'h>, HostId, bool)> {
        let request = Request::parse(head)?;
        let (origin, named) = self.shared.answers.origin(self.scheme, request.host)?;
        matches!(request.method, "GET" | "HEAD").then_some((request, origin, named))
    }

    async fn answer(
        &mut self,
        origin: HostId,
        named: bool,
        request: &Request<'_>,
        start: Instant,
    ) -> Option<Cow<'a, Framed>> {
        let shared = self.shared;
        let found = shared.answers.answer(origin, request);
        let new_connection = !self.served.contains(&origin);
        let crowd = shared.ledger.begin(&Entry {
            origin,
            asked: found.asked,
            target: request.target,
            canonical: named && found.canonical,
            cookie: request.cookie,
            start,
            new_connection,
        });
        self.in_flight = Some((origin, found.asked));
        if new_connection {
            self.served.push(origin);
        }
        // Where crawlers are timed, nobody is kept waiting to be counted.
        if crowd && shared.web.spec.shape == Shape::Varied {
            self.look_again(origin).await;
        }
        if !shared.web.spec.latency.is_zero() {
            tokio::time::sleep(shared.web.spec.latency).await;
        }
        found.framed
    }

    /// Counts connections only when those that the client has closed are gone from the books.
    async fn look_again(&self, origin: HostId) {
        for look in 0..SECOND_LOOKS {
            if self.shared.ledger.open_connections(origin) == 1 {
                return;
            }
            if look == 0 {
                // The close may be there already, and only wait for its turn.
                tokio::task::yield_now().await;
            } else {
                tokio::time::sleep(SECOND_LOOK_AFTER).await;
            }
        }
        self.shared.ledger.count_connections(origin);
    }

    fn end_request(&mut self) {
        if let Some((origin, asked)) = self.in_flight.take() {
            self.shared.ledger.end(origin, asked, Instant::now());
        }
    }
}

/// Where the next request head ends, its empty line apart; none at the end of the connection.
async fn next_head<S: AsyncRead + Unpin>(
    stream: &mut S,
    read: &mut Vec<u8>,
) -> io::Result<Option<usize>> {
    loop {
        let end = read.windows(END_OF_HEAD.len()).position(|four| four == END_OF_HEAD);
        if end.is_some() {
            return Ok(end);
        }
        if read.len() > HEAD_MAX || stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    }
}

async fn write<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await
}
