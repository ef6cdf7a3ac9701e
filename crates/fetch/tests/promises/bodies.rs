//! Bodies in flight take no more memory than they may together, and none waits for ever.

use std::sync::Arc;
use std::time::Duration;

use rhumb_fetch::FetchSettings;
use rhumb_web::{Exchange, Outcome};
use tokio::time::{Instant, timeout};

use crate::door::{answered, door, fetch, settings};
use crate::server::{Server, ok};

const MIB: u64 = 1024 * 1024;
const BODY: usize = 8 * 1024 * 1024;
const FETCHES: usize = 64;
/// The server closes each connection, and says so: else one may be used that is about to go.
const CLOSE: &str = "Connection: close\r\n";

/// The same body with a length, in chunks, and packed.
fn answers() -> [Vec<u8>; 3] {
    // Noise, so that packing does not make it small.
    let mut seed = 7;
    let noise = |_| crate::limits::chance(&mut seed).to_le_bytes();
    let body = (0..BODY / 8).flat_map(noise).collect::<Vec<u8>>();
    let head = format!("HTTP/1.1 200 OK\r\n{CLOSE}Transfer-Encoding: chunked\r\n\r\n");
    let mut chunked = head.into_bytes();
    for chunk in body.chunks(50_000) {
        chunked.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        chunked.extend_from_slice(chunk);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    let packed = zstd::encode_all(&body[..], 1).expect("memory");
    let coding = format!("{CLOSE}Content-Encoding: zstd\r\n");
    [ok(CLOSE, &body), chunked, ok(&coding, &packed)]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_large_bodies_at_once_share_what_there_is_and_all_end() {
    // What one fetch may have beyond the share: the body and a copy of it, and room to read.
    for (answer, slack) in answers().into_iter().zip([8, 20, 20]) {
        let server = Server::closing(answer).await;
        let settings = FetchSettings { bodies: 16 * MIB, ..settings() };
        let door = Arc::new(door(settings));
        let began = Instant::now();
        let one = |number: usize| {
            let (door, url) = (Arc::clone(&door), server.url(&format!("/{number}")));
            async move {
                let exchange = answered(fetch(&door, &url).await);
                assert_eq!((exchange.body.len(), exchange.cut), (BODY, None), "{url}");
                assert!(door.bodies_held() >= 8 * MIB, "it travels with the exchange");
            }
        };
        let all: Vec<_> = (0..FETCHES).map(|number| tokio::spawn(one(number))).collect();
        for one in all {
            one.await.expect("it is answered in full within the time of a fetch");
        }
        let (held, peak) = (door.bodies_held(), door.bodies_peak());
        println!("bodies: {FETCHES} in {:?}, peak {} MiB", began.elapsed(), peak / MIB);
        assert_eq!(held, 0);
        assert!(((8 * MIB)..=(16 + slack) * MIB).contains(&peak), "{peak}");
    }
}

#[tokio::test]
async fn a_fetch_that_finds_no_memory_asks_for_nothing() {
    let server = Server::answering(ok("", b"short")).await;
    let scarce = FetchSettings { bodies: 0, connect: Duration::from_millis(50), ..settings() };
    let door = door(scarce);
    let kept: Box<Exchange> = answered(fetch(&door, &server.url("/a")).await);
    let outcome = fetch(&door, &server.url("/b")).await;
    assert!(matches!(outcome, Outcome::AddressBusy(_)), "{outcome:?}");
    assert_eq!(server.requests().len(), 1);
    drop(kept);
    answered(fetch(&door, &server.url("/b")).await);
}

#[tokio::test]
async fn waiting_for_memory_is_not_the_servers_slowness() {
    // Two of them are more than the share of large bodies, with their heads or without.
    let body = vec![b'x'; BODY / 2 + 128 * 1024];
    let server = Server::closing(ok(CLOSE, &body)).await;
    // The windows of the floor are a sixth of this: a second, which a busy machine keeps.
    let total = Duration::from_secs(6);
    let settings = FetchSettings { bodies: 16 * MIB, total, ..settings() };
    let door = Arc::new(door(settings));
    let turn = answered(fetch(&door, &server.url("/a")).await);
    let other = answered(fetch(&door, &server.url("/b")).await);
    let mut waiting = {
        let (door, url) = (Arc::clone(&door), server.url("/c"));
        tokio::spawn(async move { fetch(&door, &url).await })
    };
    let early = timeout(total / 3, &mut waiting).await;
    assert!(early.is_err(), "it waits: {early:?}");
    drop((turn, other));
    let exchange = answered(waiting.await.expect("it ends"));
    assert_eq!((exchange.body.len(), exchange.cut), (body.len(), None));
}
