//! Every limit has its own outcome.

use std::time::Duration;

use rhumb_fetch::{FetchSettings, Networks};
use rhumb_web::{Cut, Failure, Outcome, Phase};
use tokio::net::TcpListener;

use crate::door::{answered, cut, door, failed, fetch, hasty, settings};
use crate::server::{Caller, Server, ok};

/// Says `first`, then `more` again and again, as fast as it is taken.
async fn pours(first: &'static str, more: &'static [u8]) -> Server {
    Server::script(move |mut caller| async move {
        caller.hears().await;
        caller.says(first.as_bytes()).await;
        while caller.says(more).await {}
    })
    .await
}

/// Says `first`, then one byte every 100 ms.
async fn drips(first: &'static str) -> Server {
    Server::script(move |mut caller| async move {
        caller.hears().await;
        caller.says(first.as_bytes()).await;
        let mut clock = tokio::time::interval(Duration::from_millis(100));
        while caller.says(b"x").await {
            clock.tick().await;
        }
    })
    .await
}

/// Says this and holds the line.
async fn stops(after: &'static str) -> Server {
    Server::script(move |mut caller: Caller| async move {
        caller.hears().await;
        caller.says(after.as_bytes()).await;
        caller.holds().await;
    })
    .await
}

#[tokio::test]
async fn an_endless_body_is_cut_at_its_limit() {
    let settings = FetchSettings { body_max: 100_000, ..settings() };
    let chunk = b"5\r\nhello\r\n";
    for (first, more) in [
        ("HTTP/1.1 200 OK\r\n\r\n", &b"hello"[..]),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunk),
    ] {
        let server = pours(first, more).await;
        cut(
            fetch(&door(settings.clone()), &server.url("/")).await,
            &b"hello".repeat(20_000),
            Cut::Length,
        );
    }
    let server = Server::answering(ok("", &b"x".repeat(100_000))).await;
    let exchange = answered(fetch(&door(settings), &server.url("/")).await);
    assert_eq!((exchange.body.len(), exchange.cut), (100_000, None), "just the limit is whole");
}

#[tokio::test]
async fn endless_headers_are_too_large() {
    let settings = FetchSettings { header_bytes_max: 10_000, ..settings() };
    for (first, more) in [
        ("HTTP/1.1 200 OK\r\n", &b"A: b\r\n"[..]),
        ("HTTP/1.1 200 OK\r\nA: ", b"bbbbbbbbb"),
        ("HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ] {
        let server = pours(first, more).await;
        failed(fetch(&door(settings.clone()), &server.url("/")).await, Failure::HeadersTooLarge);
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_times_out_in_its_phase() {
    let server = stops("").await;
    failed(fetch(&door(hasty()), &server.url("/")).await, Failure::TimedOut(Phase::Headers));
    let server = stops("HTTP/1.1 200 OK\r\nA: b\r\n").await;
    failed(fetch(&door(hasty()), &server.url("/")).await, Failure::TimedOut(Phase::Headers));
    let patient = FetchSettings { floor: 0, ..hasty() };
    let server = stops("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n").await;
    failed(fetch(&door(patient.clone()), &server.url("/")).await, Failure::TimedOut(Phase::Body));
    let server = stops("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome").await;
    cut(fetch(&door(patient.clone()), &server.url("/")).await, b"some", Cut::Time);
    let server = stops("HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Length: 9\r\n\r\n").await;
    cut(fetch(&door(patient), &server.url("/")).await, b"", Cut::Time);
}

#[tokio::test]
async fn a_body_under_the_floor_is_too_slow() {
    let server = stops("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n").await;
    failed(fetch(&door(hasty()), &server.url("/")).await, Failure::TooSlow);
    let server = drips("HTTP/1.1 200 OK\r\n\r\nso far: ").await;
    let exchange = answered(fetch(&door(hasty()), &server.url("/")).await);
    assert!(exchange.body.starts_with(b"so far: x"), "{:?}", exchange.body);
    assert_eq!(exchange.cut, Some(Cut::Time));
}

#[tokio::test]
async fn a_slow_body_above_the_floor_is_read_until_all_time_is_over() {
    let server = drips("HTTP/1.1 200 OK\r\n\r\n").await;
    let patient = FetchSettings { floor: 1, ..hasty() };
    let began = std::time::Instant::now();
    let exchange = answered(fetch(&door(patient), &server.url("/")).await);
    assert_eq!(exchange.cut, Some(Cut::Time));
    assert!(began.elapsed() >= Duration::from_millis(850), "{:?}", began.elapsed());
}

#[tokio::test]
async fn an_early_end_is_a_reset_before_the_headers_and_a_cut_after() {
    for before in ["", "HTTP/1.1 200 OK\r\nA: b\r\n"] {
        let server = Server::closing(before).await;
        failed(fetch(&door(settings()), &server.url("/")).await, Failure::Reset);
    }
    let server = Server::closing("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome").await;
    cut(fetch(&door(settings()), &server.url("/")).await, b"some", Cut::Disconnect);
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n";
    let server = Server::closing(chunked).await;
    cut(fetch(&door(settings()), &server.url("/")).await, b"some", Cut::Disconnect);
}

#[tokio::test]
async fn a_reset_in_the_middle_is_told_from_an_end() {
    let server = Server::script(|mut caller| async move {
        caller.hears().await;
        if caller.number == 1 {
            caller.says(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome").await;
        }
        caller.stream.set_zero_linger().unwrap();
    })
    .await;
    failed(fetch(&door(settings()), &server.url("/")).await, Failure::Reset);
    // A reset may overtake what was said before it.
    match fetch(&door(settings()), &server.url("/")).await {
        Outcome::Answered(exchange) => assert_eq!(exchange.cut, Some(Cut::Disconnect)),
        other => failed(other, Failure::Reset),
    }
}

#[tokio::test]
async fn broken_chunks_keep_what_came_before() {
    let first = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n";
    for broken in ["zz\r\nmore\r\n0\r\n\r\n", "fffffffffffffffff\r\n", "4\r\nmoreXX0\r\n\r\n"] {
        let server = Server::answering(format!("{first}{broken}")).await;
        let exchange = answered(fetch(&door(settings()), &server.url("/")).await);
        assert!(exchange.body.starts_with(b"some"), "{broken:?}");
        assert_eq!(exchange.cut, Some(Cut::Encoding), "{broken:?}");
    }
}

#[tokio::test]
async fn what_is_not_http_is_called_so() {
    for garbage in [
        "<html>an answer of 1991</html>\r\n\r\n",
        "SSH-2.0-OpenSSH_9.6\r\n\r\n",
        "HTTP/7.3 200 OK\r\n\r\n",
        "HTTP/1.1 banana\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "\0\0\0\0\0\0\0\0\0\0\0\0",
    ] {
        let server = Server::closing(garbage).await;
        failed(fetch(&door(settings()), &server.url("/")).await, Failure::NotHttp);
    }
}

#[tokio::test]
async fn a_bomb_is_cut_as_a_broken_encoding() {
    let zeros = vec![0; 5 * 1024 * 1024];
    let bomb = zstd::encode_all(&zeros[..], 1).unwrap();
    let server = Server::answering(ok("Content-Encoding: zstd\r\n", &bomb)).await;
    let exchange = answered(fetch(&door(settings()), &server.url("/")).await);
    assert_eq!((exchange.body.len(), exchange.cut), (1024 * 1024, Some(Cut::Encoding)));
}

#[tokio::test]
async fn a_closed_port_refuses_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    failed(fetch(&door(settings()), &format!("http://{address}/")).await, Failure::Connect);
}

#[tokio::test]
async fn a_private_address_is_refused_before_anything_is_sent() {
    let server = Server::answering(ok("", b"")).await;
    let public_only = FetchSettings { allow_private: Networks::default(), ..settings() };
    let port = server.address.port();
    let door = door(public_only);
    for host in ["127.0.0.1", "2130706433", "localhost", "a.localhost", "[::1]", "[::ffff:7f00:1]"]
    {
        let outcome = fetch(&door, &format!("http://{host}:{port}/")).await;
        assert!(matches!(outcome, Outcome::PrivateAddress), "{host}: {outcome:?}");
    }
    assert!(server.requests().is_empty());
}

/// The same bytes for the same seed: a generator of Steele and Vigna, splitmix64.
pub(crate) fn chance(seed: &mut u64) -> usize {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from(mixed >> 33).expect("31 bits")
}

#[tokio::test]
async fn no_bytes_of_a_server_bring_the_door_down() {
    let packed = zstd::encode_all(&b"some text, some text"[..], 1).unwrap();
    let mut chunked = b"HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\
        Content-Encoding: zstd\r\nSet-Cookie: a=b\r\nKeep-Alive: timeout=9\r\n\r\n"
        .to_vec();
    chunked.extend_from_slice(format!("{:x}\r\n", packed.len()).as_bytes());
    chunked.extend_from_slice(&packed);
    chunked.extend_from_slice(b"\r\n0\r\nTrail: er\r\n\r\n");
    let plain = ok("Content-Encoding: gzip, zstd\r\nContent-Type: text/html\r\n", &packed);
    let door = door(hasty());
    let (mut seed, mut answers) = (2, 0);
    for round in 0..600 {
        let mut bytes = if round % 2 == 0 { chunked.clone() } else { plain.clone() };
        for _ in 0..=chance(&mut seed) % 3 {
            let at = chance(&mut seed) % bytes.len();
            match chance(&mut seed) % 4 {
                0 => bytes[at] = b"\0\n\r :;0f"[chance(&mut seed) % 8],
                1 => bytes[at] ^= 1 << (chance(&mut seed) % 8),
                2 => drop(bytes.drain(at..(at + 4).min(bytes.len()))),
                _ => bytes.truncate(at.max(1)),
            }
            bytes.push(b'\n');
        }
        let server = Server::closing(bytes.clone()).await;
        let outcome = fetch(&door, &server.url("/")).await;
        match outcome {
            Outcome::Answered(exchange) => {
                let received = &exchange.received;
                let is_part = bytes.windows(received.len()).any(|part| part == received);
                assert!(is_part, "round {round}");
                answers += 1;
            }
            Outcome::Failed(Failure::NotHttp | Failure::Reset | Failure::TimedOut(_)) => {}
            other => panic!("round {round}: {other:?}"),
        }
    }
    assert!((60..600).contains(&answers), "{answers} of 600 were answers");
}
