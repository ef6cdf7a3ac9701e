//! HTTP/2, where the server wants nothing else.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::Response;
use rhumb_fetch::FetchSettings;
use rhumb_web::{Cut, Failure, Outcome, Phase, Protocol, Tls};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_rustls::LazyConfigAcceptor;

use crate::door::{answered, cut, door, failed, fetch, hasty};
use crate::h2server::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, H2Server, HEADERS, PING, Peer, RST_STREAM,
    SETTINGS, frame, ok,
};
use crate::limits::chance;
use crate::server::head;
use crate::tls::Authority;

const HERE: [&str; 1] = ["127.0.0.1"];

/// The reasons of RFC 9113 section 7 that servers give here.
const NO_ERROR: u32 = 0;
const INTERNAL_ERROR: u32 = 2;
const REFUSED_STREAM: u32 = 7;

/// A server that says these frames to every request (its first argument is the stream) and then
/// holds the line, and what a door with these limits makes of it.
async fn meets(
    limits: impl Fn(FetchSettings) -> FetchSettings,
    says: impl Fn(u32) -> Vec<u8> + Send + Sync + 'static,
) -> Outcome {
    let authority = Authority::new();
    let says = Arc::new(says);
    let url = Peer::script(authority.config(&HERE, &["h2"]), move |mut peer| {
        let says = Arc::clone(&says);
        async move {
            while let Some(stream) = peer.hears().await {
                peer.says(&says(stream)).await;
            }
        }
    })
    .await;
    fetch(&door(limits(authority.settings())), &url).await
}

/// A server that says `first` and then `more` again and again, as fast as it is taken.
async fn pours(authority: &Authority, first: Vec<u8>, more: Vec<u8>) -> String {
    let (first, more) = (Arc::new(first), Arc::new(more));
    Peer::script(authority.config(&HERE, &["h2"]), move |mut peer| {
        let (first, more) = (Arc::clone(&first), Arc::clone(&more));
        async move {
            peer.hears().await;
            peer.says(&first).await;
            while peer.says(&more).await {}
        }
    })
    .await
}

fn same(settings: FetchSettings) -> FetchSettings {
    settings
}

fn short(settings: FetchSettings) -> FetchSettings {
    let FetchSettings { connect, headers, total, .. } = hasty();
    FetchSettings { connect, headers, total, ..settings }
}

fn goaway(last: u32, reason: u32) -> Vec<u8> {
    frame(GOAWAY, 0, 0, &[last.to_be_bytes(), reason.to_be_bytes()].concat())
}

fn reset(stream: u32, reason: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &reason.to_be_bytes())
}

fn page(stream: u32, body: &[u8]) -> Vec<u8> {
    let headers = frame(HEADERS, END_HEADERS, stream, &ok(&[("content-type", "text/html")]));
    [headers, frame(DATA, END_STREAM, stream, body)].concat()
}

#[tokio::test]
async fn a_server_that_insists_is_answered_in_http2_and_told_in_http1() {
    let authority = Authority::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"<p>unpacked").expect("memory");
    let packed = packed.finish().expect("memory");
    let answer = Response::builder()
        .header("content-encoding", "gzip")
        .header("set-cookie", "a=1")
        .header("set-cookie", "b=2")
        .body(())
        .expect("an answer");
    let server =
        H2Server::answering(authority.config(&HERE, &["h2"]), answer, Bytes::from(packed.clone()))
            .await;
    let door = door(authority.settings());
    let exchange = answered(fetch(&door, &server.url("/a?b=c")).await);
    assert_eq!((exchange.status, exchange.protocol), (200, Protocol::H2));
    assert_eq!(exchange.tls, Some(Tls::V13));
    assert_eq!((&exchange.body[..], exchange.cut), (&b"<p>unpacked"[..], None));
    let head =
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\r\n";
    assert_eq!(&exchange.received[..], &[head.as_bytes(), &packed].concat()[..]);
    let expect = format!(
        "GET /a?b=c HTTP/1.1\r\nhost: {}\r\nuser-agent: rhumb-test/1\r\n\
         accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n\
         accept-language: *\r\naccept-encoding: gzip, br, zstd\r\n\r\n",
        server.address
    );
    assert_eq!(std::str::from_utf8(&exchange.sent), Ok(&expect[..]));
    let (_, request) = server.requests().remove(0);
    assert_eq!(request.uri().to_string(), server.url("/a?b=c"));
    let names: Vec<_> = request.headers().keys().map(|name| name.as_str().to_owned()).collect();
    assert_eq!(names, ["user-agent", "accept", "accept-language", "accept-encoding"]);
    answered(fetch(&door, &server.url("/")).await);
    assert_eq!(server.requests()[1].1.headers()["cookie"], "a=1; b=2");
}

#[tokio::test]
async fn a_connection_is_kept_for_the_next_request_and_can_carry_the_largest_body() {
    let authority = Authority::new();
    let body = Bytes::from(vec![b'x'; FetchSettings::default().body_max]);
    let config = authority.config(&HERE, &["h2"]);
    let server = H2Server::answering(config, Response::new(()), body.clone()).await;
    let door = door(authority.settings());
    for _ in 0..3 {
        let exchange = answered(fetch(&door, &server.url("/")).await);
        assert!(exchange.body == body && exchange.cut.is_none(), "{:?}", exchange.cut);
        assert_eq!(exchange.received.len(), "HTTP/1.1 200 OK\r\n\r\n".len() + body.len());
    }
    let connections: Vec<_> = server.requests().iter().map(|(number, _)| *number).collect();
    assert_eq!(connections, [0, 0, 0]);
}

/// What a server of these protocols speaks with us, if it goes by our order or by its own.
async fn spoken(protocols: &'static [&'static str], by_ours: bool) -> Protocol {
    let authority = Authority::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback");
    let address = listener.local_addr().expect("bound");
    let door = door(authority.settings());
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a caller");
        let hello = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream);
        let hello = hello.await.expect("a greeting");
        let offered = hello.client_hello().alpn().into_iter().flatten();
        let offered: Vec<_> =
            offered.map(|name| String::from_utf8(name.to_vec()).expect("a name")).collect();
        let known = |name: &&str| protocols.contains(name);
        let liked: Vec<_> = if by_ours {
            offered.iter().map(String::as_str).filter(known).collect()
        } else {
            protocols.to_vec()
        };
        let mut stream = hello.into_stream(authority.config(&HERE, &liked)).await.expect("TLS");
        if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
            let mut connection = h2::server::handshake(stream).await.expect("HTTP/2");
            while let Some(Ok((_, mut respond))) = connection.accept().await {
                drop(respond.send_response(Response::new(()), true));
            }
        } else if head(&mut stream).await.is_some() {
            stream.write_all(b"HTTP/1.1 204 None\r\n\r\n").await.expect("a caller");
            stream.flush().await.expect("a caller");
        }
    });
    answered(fetch(&door, &format!("https://{address}/")).await).protocol
}

#[tokio::test]
async fn a_server_that_can_speaks_http1() {
    assert_eq!(spoken(&["h2", "http/1.1"], true).await, Protocol::Http11);
    assert_eq!(spoken(&["http/1.1", "h2"], false).await, Protocol::Http11);
    assert_eq!(spoken(&["http/1.1"], false).await, Protocol::Http11);
    assert_eq!(spoken(&["h2", "http/1.1"], false).await, Protocol::Http11);
}

#[tokio::test]
async fn a_stream_that_is_reset_before_its_headers_is_a_reset_and_after_them_a_cut() {
    for reason in [NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM] {
        failed(meets(same, move |stream| reset(stream, reason)).await, Failure::Reset);
    }
    let half = |stream: u32| {
        let headers = frame(HEADERS, END_HEADERS, stream, &ok(&[]));
        [headers, frame(DATA, 0, stream, b"some")].concat()
    };
    let outcome = meets(same, move |stream| [half(stream), reset(stream, INTERNAL_ERROR)].concat());
    cut(outcome.await, b"some", Cut::Disconnect);
    let authority = Authority::new();
    let url = Peer::script(authority.config(&HERE, &["h2"]), move |mut peer| async move {
        if let Some(stream) = peer.hears().await {
            peer.says(&half(stream)).await;
        }
    })
    .await;
    cut(fetch(&door(authority.settings()), &url).await, b"some", Cut::Disconnect);
}

/// A door that has had one page over a connection, and what it then makes of `says`.
async fn after_a_page(says: impl Fn(u32) -> Vec<u8> + Send + Sync + 'static) -> (Outcome, Outcome) {
    let authority = Authority::new();
    let says = Arc::new(says);
    let url = Peer::script(authority.config(&HERE, &["h2"]), move |mut peer| {
        let says = Arc::clone(&says);
        async move {
            if let Some(stream) = peer.hears().await {
                peer.says(&page(stream, b"first")).await;
            }
            if let Some(stream) = peer.hears().await {
                peer.says(&says(stream)).await;
            }
        }
    })
    .await;
    let door = door(authority.settings());
    answered(fetch(&door, &url).await);
    let second = fetch(&door, &url).await;
    (second, fetch(&door, &url).await)
}

#[tokio::test]
async fn a_kept_connection_that_refuses_the_request_is_stale() {
    let (second, third) = after_a_page(|stream| reset(stream, REFUSED_STREAM)).await;
    failed(second, Failure::Stale);
    assert_eq!(&answered(third).body[..], b"first", "on a fresh connection");
    failed(after_a_page(|stream| goaway(stream - 2, NO_ERROR)).await.0, Failure::Stale);
    failed(after_a_page(|_| Vec::new()).await.0, Failure::Stale);
    failed(after_a_page(|stream| reset(stream, INTERNAL_ERROR)).await.0, Failure::Reset);
    failed(after_a_page(|stream| goaway(stream, INTERNAL_ERROR)).await.0, Failure::Reset);
}

#[tokio::test]
async fn a_server_that_goes_away_may_finish_and_is_not_kept() {
    failed(meets(same, |_| goaway(0, INTERNAL_ERROR)).await, Failure::Reset);
    let (second, third) =
        after_a_page(|stream| [goaway(stream, NO_ERROR), page(stream, b"last")].concat()).await;
    assert_eq!(&answered(second).body[..], b"last");
    assert_eq!(&answered(third).body[..], b"first", "on a fresh connection");
}

#[tokio::test]
async fn a_server_that_goes_away_while_idle_is_called_anew_without_a_word() {
    let authority = Authority::new();
    let (went, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (teller, told) = (Arc::clone(&went), Arc::clone(&go));
    let url = Peer::script(authority.config(&HERE, &["h2"]), move |mut peer| {
        let (teller, told) = (Arc::clone(&teller), Arc::clone(&told));
        async move {
            if let Some(stream) = peer.hears().await {
                peer.says(&page(stream, format!("{}", peer.number).as_bytes())).await;
            }
            told.notified().await;
            peer.says(&goaway(1, NO_ERROR)).await;
            teller.notify_one();
            peer.holds().await;
        }
    })
    .await;
    let config = authority.config(&HERE, &["h2"]);
    let other = H2Server::answering(config, Response::new(()), Bytes::new()).await;
    let door = door(authority.settings());
    for number in ["0", "1", "2"] {
        assert_eq!(&answered(fetch(&door, &url).await).body[..], number.as_bytes());
        go.notify_one();
        went.notified().await;
        // A round trip elsewhere: by its end the farewell has arrived here.
        answered(fetch(&door, &other.url("/")).await);
    }
}

#[tokio::test]
async fn an_endless_body_is_cut_at_its_limit() {
    let authority = Authority::new();
    let settings = FetchSettings { body_max: 100_000, ..authority.settings() };
    for piece in [&b"hello"[..], &b"hello".repeat(3_000)] {
        let config = authority.config(&HERE, &["h2"]);
        let server = H2Server::pouring(config, Bytes::copy_from_slice(piece)).await;
        let outcome = fetch(&door(settings.clone()), &server.url("/")).await;
        cut(outcome, &b"hello".repeat(20_000), Cut::Length);
    }
}

#[tokio::test]
async fn a_server_that_sends_more_than_it_was_let_is_broken() {
    let authority = Authority::new();
    let first = frame(HEADERS, END_HEADERS, 1, &ok(&[]));
    let url = pours(&authority, first, frame(DATA, 0, 1, &[b'x'; 16_000])).await;
    let exchange = answered(fetch(&door(authority.settings()), &url).await);
    assert_eq!(exchange.cut, Some(Cut::Encoding));
    assert!(exchange.body.len() <= 256 * 1024, "{} bytes", exchange.body.len());
}

#[tokio::test]
async fn a_body_that_breaks_the_rules_keeps_what_came_before() {
    let outcome = meets(same, |stream| {
        let headers = frame(HEADERS, END_HEADERS, stream, &ok(&[("content-length", "4")]));
        let data = frame(DATA, 0, stream, b"some");
        [headers, data, frame(DATA, END_STREAM, stream, b"more")].concat()
    });
    cut(outcome.await, b"some", Cut::Encoding);
}

#[tokio::test]
async fn endless_headers_are_too_large() {
    let authority = Authority::new();
    let settings = FetchSettings { header_bytes_max: 4_000, ..authority.settings() };
    let value = "v".repeat(100);
    let many: Vec<_> = std::iter::repeat_n(("name", value.as_str()), 40).collect();
    let many = ok(&many);
    // One entry of 4 kB in the table of the connection, and then a byte for each time it is meant.
    let entry = [&[0x40, 1, b'a', 0x7f, 0xa1, 0x1e][..], &[b'v'; 4_000]].concat();
    let bomb = |times| [&[0x88], &entry[..], &vec![0xbe; times]].concat();
    let ping = frame(PING, 0, 0, &[0; 8]);
    let informed = frame(HEADERS, END_HEADERS, 1, &[8, 3, b'1', b'0', b'3']);
    for (what, first, more) in [
        ("continued", frame(HEADERS, 0, 1, &many), frame(CONTINUATION, 0, 1, &many[1..])),
        ("empty", frame(HEADERS, 0, 1, &many), frame(CONTINUATION, 0, 1, b"")),
        ("informed", Vec::new(), informed),
        ("too many", frame(HEADERS, END_HEADERS, 1, &many), ping.clone()),
        ("12 kB in 4", frame(HEADERS, END_HEADERS, 1, &bomb(2)), ping.clone()),
        ("8 MB in 6 kB", frame(HEADERS, END_HEADERS, 1, &bomb(2_000)), ping),
    ] {
        println!("{what}");
        let url = pours(&authority, first, more).await;
        failed(fetch(&door(settings.clone()), &url).await, Failure::HeadersTooLarge);
    }
}

#[tokio::test]
async fn a_flood_of_frames_that_say_nothing_ends() {
    let authority = Authority::new();
    for more in [frame(PING, 0, 0, &[0; 8]), frame(SETTINGS, 0, 0, b"")] {
        let url = pours(&authority, Vec::new(), more.repeat(100)).await;
        let outcome = fetch(&door(short(authority.settings())), &url).await;
        let is_bounded = matches!(
            outcome,
            Outcome::Failed(Failure::HeadersTooLarge | Failure::TimedOut(Phase::Headers))
        );
        assert!(is_bounded, "{outcome:?}");
    }
    let first = frame(HEADERS, END_HEADERS, 1, &ok(&[]));
    let url = pours(&authority, first, frame(DATA, 0, 1, b"")).await;
    cut(fetch(&door(short(authority.settings())), &url).await, b"", Cut::Length);
}

#[tokio::test]
async fn a_server_that_is_silent_or_slow_is_cut_in_its_phase() {
    failed(meets(short, |_| Vec::new()).await, Failure::TimedOut(Phase::Headers));
    let headers = |stream| frame(HEADERS, END_HEADERS, stream, &ok(&[]));
    failed(meets(short, headers).await, Failure::TooSlow);
    let patient = |settings| FetchSettings { floor: 0, ..short(settings) };
    failed(meets(patient, headers).await, Failure::TimedOut(Phase::Body));
    let authority = Authority::new();
    let url = Peer::script(authority.config(&HERE, &["h2"]), move |mut peer| async move {
        let stream = peer.hears().await.unwrap_or(1);
        peer.says(&headers(stream)).await;
        let mut clock = tokio::time::interval(Duration::from_millis(50));
        while peer.says(&frame(DATA, 0, stream, b"x")).await {
            clock.tick().await;
        }
    })
    .await;
    let exchange = answered(fetch(&door(short(authority.settings())), &url).await);
    assert_eq!(exchange.cut, Some(Cut::Time));
    assert!(exchange.body.starts_with(b"xx"), "{:?}", exchange.body);
}

#[tokio::test]
async fn what_is_not_http2_is_called_so() {
    for garbage in ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "\0\0\0\0\0\0\0\0\0\0\0\0"] {
        let outcome = meets(short, move |_| garbage.as_bytes().to_vec()).await;
        failed(outcome, Failure::NotHttp);
    }
    let forbidden = |stream| {
        let list = ok(&[("connection", "close")]);
        frame(HEADERS, END_HEADERS | END_STREAM, stream, &list)
    };
    failed(meets(same, forbidden).await, Failure::NotHttp);
}

#[tokio::test]
async fn no_frames_of_a_server_bring_the_door_down() {
    let authority = Authority::new();
    let config = authority.config(&HERE, &["h2"]);
    let (mut seed, mut answers) = (2, 0);
    for round in 0..300 {
        let mut bytes = [
            frame(HEADERS, END_HEADERS, 1, &[8, 3, b'1', b'0', b'3']),
            frame(HEADERS, 0, 1, &ok(&[("content-type", "text/html")])),
            frame(CONTINUATION, END_HEADERS, 1, &ok(&[("set-cookie", "a=b")])[1..]),
            frame(PING, 0, 0, &[7; 8]),
            frame(DATA, 0, 1, b"some text"),
            frame(DATA, END_STREAM, 1, b"more text"),
            goaway(1, NO_ERROR),
        ]
        .concat();
        for _ in 0..=chance(&mut seed) % 3 {
            let at = chance(&mut seed) % bytes.len();
            match chance(&mut seed) % 3 {
                0 => bytes[at] ^= 1 << (chance(&mut seed) % 8),
                1 => drop(bytes.drain(at..(at + 4).min(bytes.len()))),
                _ => bytes.truncate(at),
            }
            bytes.push(0);
        }
        let bytes = Arc::new(bytes);
        let url = Peer::script(Arc::clone(&config), move |mut peer| {
            let bytes = Arc::clone(&bytes);
            async move {
                peer.hears().await;
                peer.says(&bytes).await;
            }
        })
        .await;
        match fetch(&door(short(authority.settings())), &url).await {
            Outcome::Answered(exchange) => {
                assert!(exchange.received.ends_with(&exchange.body), "a body is what came");
                answers += 1;
            }
            Outcome::Failed(Failure::NotHttp | Failure::Reset | Failure::HeadersTooLarge) => {}
            other => panic!("round {round}: {other:?}"),
        }
    }
    assert!((30..300).contains(&answers), "{answers} of 300 were answers");
}

#[tokio::test]
async fn a_server_that_hangs_up_on_http1_without_a_word_is_offered_h2_next_time() {
    let authority = Authority::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback");
    let address = listener.local_addr().expect("bound");
    let door = door(authority.settings());
    let serve = tokio::spawn(async move {
        let silent = tokio_rustls::TlsAcceptor::from(authority.config(&HERE, &[]));
        let (stream, _) = listener.accept().await.expect("a caller");
        let mut stream = silent.accept(stream).await.expect("TLS without a protocol");
        assert!(head(&mut stream).await.is_some(), "it asks in HTTP/1.1");
        drop(stream);
        let knowing = tokio_rustls::TlsAcceptor::from(authority.config(&HERE, &["h2"]));
        let (stream, _) = listener.accept().await.expect("a second call");
        let stream = knowing.accept(stream).await.expect("TLS with HTTP/2");
        let mut connection = h2::server::handshake(stream).await.expect("HTTP/2");
        while let Some(Ok((_, mut respond))) = connection.accept().await {
            drop(respond.send_response(Response::new(()), true));
        }
    });
    let url = format!("https://{address}/");
    failed(fetch(&door, &url).await, Failure::Stale);
    assert_eq!(answered(fetch(&door, &url).await).protocol, Protocol::H2);
    drop(door);
    serve.await.expect("the server ends");
}
