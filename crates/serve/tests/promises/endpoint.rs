//! The endpoint on real sockets, asked well and badly.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use rhumb_crawl::ask::Status;
use rhumb_serve::{Listener, metrics};
use tokio::runtime::Runtime;

use crate::format::{Scrape, status};

/// A test that hears nothing for so long fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// Connections that it has room for.
const ROOM: usize = 32;

/// An endpoint on a thread of its own; it ends when this is dropped.
struct Endpoint {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Endpoint {
    fn start(status: Option<Status>) -> Self {
        let listener = bind().holding(ROOM);
        let address = listener.address();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.spawn(listener.serve(metrics::router(move || std::future::ready(status.clone()))));
        Self { address, runtime: Some(runtime) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        stream
    }

    /// What it answers to these bytes: its first line, its headers and its body.
    fn ask(&self, request: &[u8]) -> (String, String, String) {
        let mut stream = self.connect();
        stream.write_all(request).expect("sent");
        stream.shutdown(Shutdown::Write).expect("no more of it");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer, and its end");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let (first, headers) = head.split_once("\r\n").expect("headers");
        (first.to_owned(), headers.to_owned(), body.to_owned())
    }

    #[track_caller]
    fn check_stands(&self) {
        let (first, _, body) = self.ask(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n");
        assert_eq!(first, "HTTP/1.1 200 OK");
        assert!(Scrape::read(&body).samples.contains_key("rhumb_fetched"));
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.runtime.take().expect("until now").shutdown_background();
    }
}

fn bind() -> Listener {
    rhumb_serve::bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port")
}

#[test]
fn metrics_are_told_in_the_format_of_prometheus() {
    let endpoint = Endpoint::start(Some(status()));
    let (first, headers, body) = endpoint.ask(b"GET /metrics?x=1 HTTP/1.1\r\nhost: x\r\n\r\n");
    assert_eq!(first, "HTTP/1.1 200 OK");
    assert!(headers.contains("content-type: text/plain; version=0.0.4"), "{headers}");
    assert_eq!(body, metrics::text(&status()));
}

#[test]
fn everything_else_is_told_where_they_are_or_refused() {
    let endpoint = Endpoint::start(Some(status()));
    let check = |request: &str, code: u16, word: &str| {
        let (first, headers, body) = endpoint.ask(request.as_bytes());
        assert!(first.starts_with(&format!("HTTP/1.1 {code} ")), "{request}: {first}");
        assert!(format!("{headers}\n{body}").contains(word), "{headers}\n{body}");
    };
    check("GET / HTTP/1.1\r\nhost: x\r\n\r\n", 200, "/metrics");
    check("GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n", 200, "rhumb_fetched 101");
    check("GET /other HTTP/1.1\r\nhost: x\r\n\r\n", 404, "/metrics");
    check("POST /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n", 405, "GET,HEAD");
    let (first, _, body) = endpoint.ask(b"HEAD /metrics HTTP/1.1\r\nhost: x\r\n\r\n");
    assert_eq!((first.as_str(), body.as_str()), ("HTTP/1.1 200 OK", ""));
}

#[test]
fn a_crawl_that_has_ended_is_said_to_have() {
    let endpoint = Endpoint::start(None);
    let (first, _, body) = endpoint.ask(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n");
    assert_eq!(first, "HTTP/1.1 503 Service Unavailable");
    assert_eq!(body, "the crawl has ended\n");
}

#[test]
fn an_address_in_use_is_refused_at_once() {
    let first = bind();
    let second = rhumb_serve::bind(first.address()).expect_err("it is taken");
    assert_eq!(second.kind(), std::io::ErrorKind::AddrInUse);
}

#[test]
fn the_usual_address_is_of_this_machine_only() {
    assert!(metrics::DEFAULT.ip().is_loopback());
    assert!(bind().address().ip().is_loopback());
}

#[test]
fn huge_heads_and_garbage_leave_it_standing() {
    let endpoint = Endpoint::start(Some(status()));
    let huge = format!("GET /metrics HTTP/1.1\r\nx: {}\r\n\r\n", "a".repeat(1_000_000));
    let many = format!("GET /metrics HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(100_000));
    let garbage: Vec<u8> = (0..100_000_u32).map(|n| (n * 7 % 256).to_le_bytes()[0]).collect();
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(1_000_000));
    let refused: [&[u8]; 5] =
        [huge.as_bytes(), many.as_bytes(), &garbage, long.as_bytes(), b"\r\n\r\nx\n"];
    for request in refused {
        let mut stream = endpoint.connect();
        // It may hang up before it has all, and its last words may be lost by that.
        drop(stream.write_all(request));
        drop(stream.shutdown(Shutdown::Write));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
        endpoint.check_stands();
    }
}

#[test]
fn slow_clients_are_hung_up_on_and_others_answered() {
    let endpoint = Endpoint::start(Some(status()));
    // More than may be connected at once: none of them ever sends a whole head.
    let mut slow: Vec<TcpStream> = (0..ROOM + 8).map(|_| endpoint.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET /metrics HTTP/1.1\r\nhost:").expect("sent");
    }
    endpoint.check_stands();
    let mut answer = Vec::new();
    let heard = slow[0].read_to_end(&mut answer);
    assert!(heard.is_ok() && !answer.starts_with(b"HTTP/1.1 200"), "it was hung up on");
}
