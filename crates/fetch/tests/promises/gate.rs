//! The address gate as a caller sees it.

use std::time::{Duration, Instant};

use rhumb_fetch::FetchSettings;
use rhumb_web::Outcome;

use crate::door::{answered, door, fetch, settings};
use crate::server::{Server, ok};

#[tokio::test]
async fn a_busy_address_says_when_to_come_back_and_then_lets_pass() {
    let (one, two) = (Server::answering(ok("", b"1")).await, Server::answering(ok("", b"2")).await);
    let gap = Duration::from_millis(60);
    let door = door(FetchSettings { ip_gap: gap, ..settings() });
    let began = Instant::now();
    answered(fetch(&door, &one.url("/")).await);
    let mut waits = 0;
    let exchange = loop {
        match fetch(&door, &two.url("/")).await {
            Outcome::AddressBusy(wait) => {
                assert!(wait <= gap, "{wait:?}");
                waits += 1;
                tokio::time::timeout(wait, std::future::pending::<()>()).await.unwrap_err();
            }
            outcome => break answered(outcome),
        }
    };
    assert_eq!(&exchange.body[..], b"2");
    assert!(began.elapsed() >= gap && waits >= 1, "{waits} waits");
    assert_eq!(two.requests().len(), 1, "nothing was sent while it was busy");
}

#[tokio::test]
async fn a_kept_connection_passes_the_gate_too_and_survives_a_busy_answer() {
    let server = Server::answering(ok("", b"x")).await;
    let door = door(FetchSettings { ip_gap: Duration::from_millis(60), ..settings() });
    answered(fetch(&door, &server.url("/")).await);
    let Outcome::AddressBusy(wait) = fetch(&door, &server.url("/")).await else {
        panic!("the second request came at once");
    };
    tokio::time::timeout(wait, std::future::pending::<()>()).await.unwrap_err();
    answered(fetch(&door, &server.url("/")).await);
    assert_eq!(server.connections(), [0, 0]);
}
