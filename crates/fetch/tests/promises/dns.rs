//! Names, by a name server of our own on loopback.

use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rhumb_fetch::{FetchSettings, Fetcher, Networks};
use rhumb_web::{CanonUrl, Failure, Outcome, Phase};
use tokio::net::UdpSocket;

use crate::door::{answered, door, failed, fetch, hasty, settings};
use crate::server::{Server, ok};

/// Answers by the first label: `a-1-2-3-4` is that address, several with `and` between, `six` the
/// loopback address of IPv6, `servfail` and `silent` are what they say, all else does not exist.
struct NameServer {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl NameServer {
    async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("loopback");
        let address = socket.local_addr().expect("bound");
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut buffer = [0; 1_500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
                count.fetch_add(1, Ordering::Relaxed);
                if let Some(answer) = answer(&buffer[..length]) {
                    socket.send_to(&answer, from).await.expect("loopback");
                }
            }
        });
        Self { address, asked }
    }

    fn door(&self, settings: FetchSettings) -> Fetcher {
        door(FetchSettings { dns: Some(self.address), ..settings })
    }
}

fn answer(query: &[u8]) -> Option<Vec<u8>> {
    let label_length = usize::from(query[12]);
    let label = std::str::from_utf8(&query[13..13 + label_length]).ok()?.to_ascii_lowercase();
    let name_length = query[12..].iter().position(|byte| *byte == 0)? + 1;
    let question = &query[12..12 + name_length + 4];
    let wants_v4 = question[name_length..name_length + 2] == [0, 1];
    let mut addresses: Vec<[u8; 4]> = Vec::new();
    for part in label.split("and") {
        let digits = part.strip_prefix("a-").or(part.strip_prefix("-a-"));
        let digits: Vec<u8> =
            digits.into_iter().flat_map(|text| text.split('-')).flat_map(str::parse).collect();
        addresses.extend(<[u8; 4]>::try_from(digits).ok());
    }
    let code = match label.as_str() {
        "silent" => return None,
        "servfail" => 2,
        "empty" => 0,
        _ if addresses.is_empty() => 3,
        _ => 0,
    };
    addresses.retain(|_| wants_v4);
    let has_v6 = !wants_v4 && label.ends_with("six");
    let count = u8::try_from(addresses.len()).ok()? + u8::from(has_v6);
    let mut out = vec![query[0], query[1], 0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0];
    out.extend_from_slice(question);
    for address in addresses {
        out.extend_from_slice(&[0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4]);
        out.extend_from_slice(&address);
    }
    if has_v6 {
        out.extend_from_slice(&[0xc0, 12, 0, 28, 0, 1, 0, 0, 0, 30, 0, 16]);
        out.extend_from_slice(&Ipv6Addr::LOCALHOST.octets());
    }
    Some(out)
}

#[tokio::test]
async fn a_name_leads_to_its_server_and_is_asked_for_once() {
    let (names, server) = (NameServer::start().await, Server::answering(ok("", b"found")).await);
    let door = names.door(settings());
    let url = format!("http://a-127-0-0-1.test:{}/", server.address.port());
    let (one, two) = tokio::join!(fetch(&door, &url), fetch(&door, &url));
    let one = answered(one);
    assert_eq!(&one.body[..], b"found");
    assert!(!one.phases.dns.is_zero(), "it was asked for: {:?}", one.phases);
    assert_eq!(&answered(two).body[..], b"found");
    let again = Server::closing(ok("", b"found")).await;
    let url = format!("http://a-127-0-0-1.test:{}/", again.address.port());
    let phases = answered(fetch(&door, &url).await).phases;
    assert!(phases.dns.is_zero() && !phases.connect.is_zero(), "it is known: {phases:?}");
    assert_eq!(names.asked.load(Ordering::Relaxed), 1);
    let host = format!("\r\nHost: a-127-0-0-1.test:{}\r\n", server.address.port());
    assert!(server.requests()[0].contains(&host));
}

#[tokio::test]
async fn a_prefetched_name_is_known_when_it_is_needed() {
    let (names, server) = (NameServer::start().await, Server::answering(ok("", b"found")).await);
    let door = names.door(settings());
    let url = format!("http://a-127-0-0-1.test:{}/", server.address.port());
    door.prefetch(&CanonUrl::parse(&url).unwrap().site());
    answered(fetch(&door, &url).await);
    assert_eq!(names.asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn every_way_not_to_find_a_name_has_its_outcome() {
    let names = NameServer::start().await;
    let door = names.door(hasty());
    failed(fetch(&door, "http://nobody.test/").await, Failure::NoSuchHost);
    let asked = names.asked.load(Ordering::Relaxed);
    failed(fetch(&door, "http://nobody.test/").await, Failure::NoSuchHost);
    assert_eq!(names.asked.load(Ordering::Relaxed), asked, "nobody is remembered");
    failed(fetch(&door, "http://empty.test/").await, Failure::NoSuchHost);
    failed(fetch(&door, "http://servfail.test/").await, Failure::Dns);
    failed(fetch(&door, "http://silent.test/").await, Failure::TimedOut(Phase::Dns));
    let long = "x".repeat(64);
    failed(fetch(&door, &format!("http://{long}.test/")).await, Failure::NoSuchHost);
}

#[tokio::test]
async fn a_public_name_with_a_private_address_is_refused() {
    let names = NameServer::start().await;
    let door = names.door(FetchSettings { allow_private: Networks::default(), ..settings() });
    for host in ["a-127-0-0-1", "a-10-1-2-3", "a-169-254-169-254", "a-10-1-2-3and-a-127-0-0-1"] {
        let outcome = fetch(&door, &format!("http://{host}.test/")).await;
        assert!(matches!(outcome, Outcome::PrivateAddress), "{host}: {outcome:?}");
    }
}

#[tokio::test]
async fn the_next_address_is_tried_where_one_refuses_and_goes_first_afterwards() {
    let (names, server) = (NameServer::start().await, Server::closing(ok("", b"found")).await);
    let door = names.door(settings());
    // Nothing listens on 127.77.0.1 at the port of the server on 127.0.0.1.
    let url = format!("http://a-127-77-0-1and-a-127-0-0-1.test:{}/", server.address.port());
    for _ in 0..2 {
        let exchange = answered(fetch(&door, &url).await);
        assert_eq!(exchange.address, server.address);
    }
    let url = format!("http://a-127-77-0-1and-a-127-77-0-2.test:{}/", server.address.port());
    failed(fetch(&door, &url).await, Failure::Connect);
}

#[tokio::test]
async fn ipv6_is_asked_for_where_no_ipv4_address_answers_and_goes_first_afterwards() {
    let names = NameServer::start().await;
    let server = Server::script_on("[::1]:0", |mut caller| async move {
        caller.hears().await;
        caller.says(&ok("Connection: close\r\n", b"found")).await;
    })
    .await;
    let door = names.door(settings());
    let port = server.address.port();
    // Nothing listens on 127.77.0.1 at the port of the server on [::1].
    let url = format!("http://a-127-77-0-1andsix.test:{port}/");
    for asked in [2, 2] {
        let exchange = answered(fetch(&door, &url).await);
        assert_eq!(exchange.address, server.address);
        assert_eq!(names.asked.load(Ordering::Relaxed), asked);
    }
    let url = format!("http://a-127-77-0-1.test:{port}/");
    failed(fetch(&door, &url).await, Failure::Connect);
    let narrow = "127.0.0.0/8".parse().expect("a network");
    let strict = FetchSettings { allow_private: narrow, ..settings() };
    let url = format!("http://a-127-77-0-1andsix.test:{port}/");
    failed(fetch(&names.door(strict), &url).await, Failure::Connect);
}
