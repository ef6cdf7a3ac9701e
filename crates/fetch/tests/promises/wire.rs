//! What goes over the wire is what is reported.

use std::io::Write as _;

use rhumb_fetch::Conditions;
use rhumb_web::Protocol;

use crate::door::{answered, door, fetch, settings, ticket};
use crate::server::{Server, ok};

#[tokio::test]
async fn an_answer_is_reported_as_it_came() {
    let bytes = ok("Content-Type: text/html\r\nX-One: a\r\nX-Raw: \u{e9}\r\n", b"<p>hello");
    let server = Server::answering(bytes.clone()).await;
    let mut settings = settings();
    settings.from = Some("us@example.org".to_owned());
    let exchange = answered(fetch(&door(settings), &server.url("/a?b=c")).await);
    assert_eq!(exchange.status, 200);
    assert_eq!(exchange.protocol, Protocol::Http11);
    assert_eq!(exchange.address, server.address);
    assert_eq!(&exchange.body[..], b"<p>hello");
    assert_eq!(&exchange.received[..], &bytes[..]);
    assert_eq!(exchange.cut, None);
    assert_eq!(exchange.header("content-type"), Some("text/html"));
    let names: Vec<_> = exchange.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["content-length", "content-type", "x-one", "x-raw"]);
    let expect = format!(
        "GET /a?b=c HTTP/1.1\r\nHost: {}\r\nUser-Agent: rhumb-test/1\r\nFrom: us@example.org\r\n\
         Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n\
         Accept-Language: *\r\nAccept-Encoding: gzip, br, zstd\r\nConnection: keep-alive\r\n\r\n",
        server.address
    );
    assert_eq!(server.requests().concat(), expect);
    assert_eq!(&exchange.sent[..], expect.as_bytes());
}

#[tokio::test]
async fn chunks_are_reported_with_their_framing_on_every_exchange_of_a_connection() {
    let bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                  4;ext=1\r\nWiki\r\n6\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nTrail: er\r\n\r\n";
    let server = Server::answering(*bytes).await;
    let door = door(settings());
    for _ in 0..3 {
        let exchange = answered(fetch(&door, &server.url("/")).await);
        assert_eq!(&exchange.body[..], b"Wikipedia in \r\n\r\nchunks.");
        assert_eq!(&exchange.received[..], bytes);
        assert!(exchange.sent.starts_with(b"GET / HTTP/1.1\r\nHost: "));
        assert_eq!(exchange.sent.windows(4).filter(|four| four == b"\r\n\r\n").count(), 1);
    }
    assert_eq!(server.connections(), [0, 0, 0]);
}

#[tokio::test]
async fn answers_of_every_framing_are_read_whole() {
    let large = "x".repeat(300_000);
    for (bytes, body, status) in [
        (format!("HTTP/1.0 200 OK\r\n\r\n{large}"), large.as_str(), 200),
        ("HTTP/1.1 200\r\nConnection: close\r\n\r\nuntil the end".to_owned(), "until the end", 200),
        ("HTTP/1.1 204 None\r\n\r\n".to_owned(), "", 204),
        ("HTTP/1.1 304 Same\r\nContent-Length: 10\r\n\r\n".to_owned(), "", 304),
        ("HTTP/1.1 302 Go\r\nLocation: /b\r\nContent-Length: 2\r\n\r\ngo".to_owned(), "go", 302),
        (
            "HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_owned(),
            "ok",
            200,
        ),
        ("HTTP/1.1 103 H\r\nLink: x\r\n\r\nHTTP/1.1 404 No\r\n\r\nno".to_owned(), "no", 404),
        ("HTTP/1.1 999 Odd\nContent-Length: 3\n\nodd".to_owned(), "odd", 999),
        (
            "HTTP/1.1 200 OK\r\nBad header\r\nA : b\r\nC: d\r\n e\r\nContent-Length: 1\r\n\r\n!"
                .to_owned(),
            "!",
            200,
        ),
    ] {
        let server = Server::closing(bytes.clone()).await;
        let exchange = answered(fetch(&door(settings()), &server.url("/")).await);
        assert!(exchange.body == body.as_bytes(), "{bytes:.80}: {:?}", exchange.body.len());
        assert_eq!((exchange.status, exchange.cut), (status, None), "{bytes:.80}");
        // Interim answers are no part of the answer.
        let interim = bytes.len() - exchange.received.len();
        assert!(bytes.as_bytes()[interim..] == exchange.received, "{bytes:.80}");
        assert_eq!(interim > 0, bytes.starts_with("HTTP/1.1 1"), "{bytes:.80}");
    }
}

#[tokio::test]
async fn what_comes_behind_an_answer_is_not_part_of_it() {
    let whole = ok("", b"body");
    let server =
        Server::answering([whole.clone(), b"HTTP/1.1 200 OK\r\n\r\nmore".to_vec()].concat());
    let server = server.await;
    let door = door(settings());
    for _ in 0..2 {
        let exchange = answered(fetch(&door, &server.url("/")).await);
        assert_eq!(&exchange.received[..], &whole[..]);
        assert_eq!(&exchange.body[..], b"body");
    }
    assert_eq!(server.connections(), [0, 1], "such a connection is not kept");
}

#[tokio::test]
async fn content_encodings_are_undone_and_the_received_bytes_stay() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"unpacked").unwrap();
    let packed = encoder.finish().unwrap();
    for (name, packed) in
        [("gzip", packed), ("zstd", zstd::encode_all(&b"unpacked"[..], 1).unwrap())]
    {
        let plain = ok(&format!("Content-Encoding: {name}\r\n"), &packed);
        let (first, second) = packed.split_at(5);
        let mut chunked = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: {name}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n"
        )
        .into_bytes();
        chunked.extend_from_slice(first);
        chunked.extend_from_slice(format!("\r\n{:x}\r\n", second.len()).as_bytes());
        chunked.extend_from_slice(second);
        chunked.extend_from_slice(b"\r\n0\r\n\r\n");
        for bytes in [plain, chunked] {
            let server = Server::answering(bytes.clone()).await;
            let exchange = answered(fetch(&door(settings()), &server.url("/")).await);
            assert_eq!((&exchange.body[..], exchange.cut), (&b"unpacked"[..], None), "{name}");
            assert_eq!(&exchange.received[..], &bytes[..]);
        }
    }
}

#[tokio::test]
async fn conditions_are_sent_in_the_servers_own_words() {
    let server = Server::answering("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n").await;
    let conditions = Conditions {
        etag: Some("W/\"x\"".to_owned()),
        last_modified: Some("Wed, 21 Oct 2015 07:28:00 GMT".to_owned()),
    };
    let outcome = door(settings()).run(&ticket(&server.url("/")), &conditions).await;
    assert_eq!(answered(outcome).status, 304);
    let request = server.requests().remove(0);
    assert!(request.contains("\r\nIf-None-Match: W/\"x\"\r\n"), "{request}");
    let since = "\r\nIf-Modified-Since: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
    assert!(request.contains(since), "{request}");
}

#[tokio::test]
async fn cookies_go_back_to_their_site_only() {
    let answer = ok("Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=2; Path=/deep\r\n", b"");
    let (server, other) = (Server::answering(answer).await, Server::answering(ok("", b"")).await);
    let door = door(settings());
    for url in [server.url("/"), server.url("/"), server.url("/deep/er"), other.url("/")] {
        answered(fetch(&door, &url).await);
    }
    let cookie = |request: &String| {
        let line = request.lines().find_map(|line| line.strip_prefix("Cookie: "));
        line.unwrap_or_default().to_owned()
    };
    let sent: Vec<_> = server.requests().iter().map(cookie).collect();
    assert_eq!(sent, ["", "a=1", "b=2; a=1"]);
    assert_eq!(cookie(&other.requests()[0]), "");
}
