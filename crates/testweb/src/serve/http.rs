//! One connection: HTTP/1.1 as a careful server speaks it, with exact moments for the witness.
//!
//! Written by hand because the witness needs to know when a connection was accepted and when the
//! last byte of an answer leaves, and because some answers are a closed connection.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Shared;
use super::answer::Reply;
use super::request::{self, HEAD_MAX, Request};
use crate::truth::{Coding, Framing, HostId, Scheme};
use crate::witness::{Asked, Entry};

/// First byte of a TLS handshake.
const TLS_HANDSHAKE: u8 = 0x16;
/// Larger answers are sent up to their last bytes before they count as ended.
const AT_ONCE_MAX: usize = 32 << 10;
/// A client's close reaches our tasks late: a second connection is looked at this often.
const SECOND_LOOKS: usize = 4;
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
        let mut read = Vec::with_capacity(1_024);
        while let Some(head) = next_head(&mut stream, &mut read).await? {
            let start = self.opened.take().unwrap_or_else(Instant::now);
            let request = Request::parse(&head, self.scheme);
            let Some((origin, request)) = request.and_then(|r| Some((self.origin(&r)?, r))) else {
                self.shared.ledger.stray(String::from_utf8_lossy(&head).into_owned());
                return write(&mut stream, &frame(Reply::bad_request(), true, true)).await;
            };
            let Some(reply) = self.answer(origin, &request, start).await else { return Ok(()) };
            let ends = matches!(reply.framing, Framing::LengthAndClose | Framing::UntilClose);
            let close = request.close || ends;
            let bytes = frame(encode(reply, &request), close, request.method != "HEAD");
            let last = if bytes.len() > AT_ONCE_MAX { bytes.len() - 1 } else { 0 };
            write(&mut stream, &bytes[..last]).await?;
            // Before the last bytes leave: the client cannot know the end earlier than this.
            self.end_request();
            write(&mut stream, &bytes[last..]).await?;
            if close {
                return stream.shutdown().await;
            }
        }
        Ok(())
    }

    fn origin(&self, request: &Request) -> Option<HostId> {
        self.shared.answers.origin(request).filter(|_| matches!(&*request.method, "GET" | "HEAD"))
    }

    async fn answer(&mut self, origin: HostId, request: &Request, start: Instant) -> Option<Reply> {
        let shared = self.shared;
        let target = request::canonical(&request.target);
        let (asked, reply) = shared.answers.answer(origin, &target, request);
        let host = format!("{}:{}", shared.web.host(origin).name, shared.port);
        let new_connection = !self.served.contains(&origin);
        let open = shared.ledger.begin(&Entry {
            origin,
            asked,
            target: &request.target,
            canonical: target == request.target && host == request.host,
            cookie: request.cookie.is_some(),
            start,
            new_connection,
        });
        self.in_flight = Some((origin, asked));
        if new_connection {
            self.served.push(origin);
        }
        if open > 1 {
            self.look_again(origin).await;
        }
        if !shared.web.spec.latency.is_zero() {
            tokio::time::sleep(shared.web.spec.latency).await;
        }
        reply
    }

    /// Counts connections only when those that the client has closed are gone from the books.
    async fn look_again(&self, origin: HostId) {
        for _ in 0..SECOND_LOOKS {
            if self.shared.ledger.open_connections(origin) == 1 {
                return;
            }
            tokio::time::sleep(SECOND_LOOK_AFTER).await;
        }
        self.shared.ledger.count_connections(origin);
    }

    fn end_request(&mut self) {
        if let Some((origin, asked)) = self.in_flight.take() {
            self.shared.ledger.end(origin, asked, Instant::now());
        }
    }
}

/// The next request head without its empty line; none at the end of the connection.
async fn next_head<S: AsyncRead + Unpin>(
    stream: &mut S,
    read: &mut Vec<u8>,
) -> io::Result<Option<Vec<u8>>> {
    loop {
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = read.split_off(end + 4);
            let mut head = std::mem::replace(read, rest);
            head.truncate(end);
            return Ok(Some(head));
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

/// Applies the page's content coding where the client takes it.
fn encode(mut reply: Reply, request: &Request) -> Reply {
    let name = match reply.coding {
        Coding::Identity => return reply,
        Coding::Gzip => "gzip",
        Coding::Brotli => "br",
        Coding::Zstd => "zstd",
    };
    if !request.takes(name) {
        return reply;
    }
    let body = std::mem::take(&mut reply.body);
    let coded = match reply.coding {
        Coding::Identity => Ok(body),
        Coding::Gzip => {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(&body).and_then(|()| gzip.finish())
        }
        Coding::Brotli => {
            let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4_096, 1, 18);
            brotli.write_all(&body).map(|()| brotli.into_inner())
        }
        Coding::Zstd => zstd::bulk::compress(&body, 1),
    };
    reply.body = coded.expect("memory takes every byte");
    reply.fields.push_str("Content-Encoding: ");
    reply.fields.push_str(name);
    reply.fields.push_str("\r\nVary: Accept-Encoding\r\n");
    reply
}

/// The bytes of an answer.
fn frame(reply: Reply, close: bool, with_body: bool) -> Vec<u8> {
    let Reply { status, content_type, fields, body, framing, .. } = reply;
    let mut bytes = Vec::with_capacity(body.len() + 320);
    let mut head = format!(
        "HTTP/1.1 {status} {}\r\nServer: testweb\r\nContent-Type: {content_type}\r\n{fields}",
        reason(status)
    );
    match framing {
        Framing::Length | Framing::LengthAndClose => {
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        Framing::Chunked => head.push_str("Transfer-Encoding: chunked\r\n"),
        Framing::UntilClose => {}
    }
    if close {
        head.push_str("Connection: close\r\n");
    }
    head.push_str("\r\n");
    bytes.extend_from_slice(head.as_bytes());
    if with_body && framing == Framing::Chunked {
        for chunk in body.chunks((body.len() / 3).max(1)) {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
    } else if with_body {
        bytes.extend_from_slice(&body);
    }
    bytes
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Unknown",
    }
}
