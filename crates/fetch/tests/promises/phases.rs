//! The parts of an exchange are timed, and only those that happened.

use std::time::Duration;

use bytes::Bytes;
use hyper::Response;
use rhumb_web::{Exchange, Phases, Protocol};

use crate::door::{answered, door, fetch, settings};
use crate::h2server::H2Server;
use crate::server::{Server, ok};
use crate::tls::Authority;

#[track_caller]
fn check(exchange: &Exchange, is_fresh: bool, is_encrypted: bool) {
    let phases = exchange.phases;
    let Phases { dns, connect, tls, write, first_byte, read, total } = phases;
    assert_eq!(dns, Duration::ZERO, "an address needs no question");
    assert_eq!(!connect.is_zero(), is_fresh, "a kept connection is not made anew: {phases:?}");
    assert_eq!(!tls.is_zero(), is_fresh && is_encrypted, "{phases:?}");
    assert!([write, first_byte, read].iter().all(|took| !took.is_zero()), "{phases:?}");
    assert!(connect + tls + write + first_byte + read <= total, "{phases:?}");
}

#[tokio::test]
async fn every_part_that_happened_took_its_time() {
    let server = Server::answering(ok("", b"hello")).await;
    let door = door(settings());
    for is_fresh in [true, false] {
        check(&answered(fetch(&door, &server.url("/")).await), is_fresh, false);
    }
}

#[tokio::test]
async fn every_part_that_happened_took_its_time_in_http_2_as_well() {
    let authority = Authority::new();
    let config = authority.config(&["127.0.0.1"], &["h2"]);
    let server = H2Server::answering(config, Response::new(()), Bytes::from("hello")).await;
    let door = door(authority.settings());
    for is_fresh in [true, false] {
        let exchange = answered(fetch(&door, &server.url("/")).await);
        assert_eq!(exchange.protocol, Protocol::H2);
        check(&exchange, is_fresh, true);
    }
}
