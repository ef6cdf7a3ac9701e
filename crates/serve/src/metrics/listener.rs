//! The endpoint: one short HTTP/1.1 exchange a connection, with limits on all of it.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rhumb_crawl::ask::Status;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::text;

/// Where metrics are told unless the user says otherwise: a port that exporters use, and this
/// machine only.
pub const DEFAULT: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 9_464));

/// Connections at once; the next one waits for the end of one of them.
const CONNECTIONS_MAX: usize = 32;
/// Bytes of a request's head: far more than a scraper sends.
const HEAD_BYTES_MAX: usize = 16 * 1_024;
/// A head that is not whole by then is not waited for.
const HEAD_WITHIN: Duration = Duration::from_secs(3);
/// No connection lasts longer; Prometheus itself waits ten seconds.
const CONNECTION_WITHIN: Duration = Duration::from_secs(15);
/// After a failed accept (no more open files) the next try comes this much later.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
const PAGE_TYPE: &str = "text/html; charset=utf-8";
const TEXT_TYPE: &str = "text/plain; charset=utf-8";
const FRONT: &str = "<!doctype html><title>rhumb</title><a href=\"/metrics\">metrics</a>\n";

/// An address that is ours, and on which nobody is answered yet.
#[derive(Debug)]
pub struct Listener {
    socket: std::net::TcpListener,
    address: SocketAddr,
}

/// Takes an address; with port 0 the system chooses the port.
pub fn bind(address: SocketAddr) -> io::Result<Listener> {
    let socket = std::net::TcpListener::bind(address)?;
    socket.set_nonblocking(true)?;
    let address = socket.local_addr()?;
    Ok(Listener { socket, address })
}

impl Listener {
    /// The address, with the port that it has got.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until it is dropped, each time with the status of that moment; none means that the
    /// crawl has ended. It fails only if the system refuses the socket to the runtime.
    pub async fn serve<F, Answer>(self, status: F) -> io::Result<Infallible>
    where
        F: Fn() -> Answer + Send + Sync + 'static,
        Answer: Future<Output = Option<Status>> + Send + 'static,
    {
        let socket = TcpListener::from_std(self.socket)?;
        let status = Arc::new(status);
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = socket.accept(), if connections.len() < CONNECTIONS_MAX => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(converse(stream, Arc::clone(&status)));
                    }
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
                Some(_) = connections.join_next() => {}
            }
        }
    }
}

/// One request and its answer; whatever the other side does, it ends.
async fn converse<Stream, F, Answer>(stream: Stream, status: Arc<F>)
where
    Stream: AsyncRead + AsyncWrite + Unpin,
    F: Fn() -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Option<Status>> + Send,
{
    let answer = |request| {
        let status = Arc::clone(&status);
        async move { Ok::<_, Infallible>(answer(&request, &*status).await) }
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(HEAD_BYTES_MAX)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service_fn(answer));
    // A client that breaks off, or sends what is no request, is its own loss.
    drop(tokio::time::timeout(CONNECTION_WITHIN, connection).await);
}

async fn answer<Body, F, Answer>(request: &Request<Body>, status: &F) -> Response<Full<Bytes>>
where
    F: Fn() -> Answer,
    Answer: Future<Output = Option<Status>>,
{
    let path = request.uri().path();
    if !matches!(path, "/" | "/metrics") {
        return reply(StatusCode::NOT_FOUND, TEXT_TYPE, "not found: the metrics are at /metrics\n");
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut refused = reply(StatusCode::METHOD_NOT_ALLOWED, TEXT_TYPE, "only GET and HEAD\n");
        refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    if path == "/" {
        return reply(StatusCode::OK, PAGE_TYPE, FRONT);
    }
    match status().await {
        Some(status) => reply(StatusCode::OK, METRICS_TYPE, text(&status)),
        None => reply(StatusCode::SERVICE_UNAVAILABLE, TEXT_TYPE, "the crawl has ended\n"),
    }
}

fn reply(code: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = code;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
