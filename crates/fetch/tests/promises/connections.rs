//! Connections are kept, as many as were in use at once, and never written to twice.

use std::sync::Arc;

use rhumb_fetch::FetchSettings;
use rhumb_web::{Failure, Outcome};
use tokio::sync::{Barrier, Notify};
use tokio::task::JoinSet;

use crate::door::{answered, door, fetch, settings};
use crate::server::{Server, ok};

#[tokio::test]
async fn a_connection_is_kept_for_the_next_request_of_its_site() {
    let server = Server::answering(ok("Keep-Alive: timeout=30\r\n", b"x")).await;
    let door = door(settings());
    for _ in 0..5 {
        answered(fetch(&door, &server.url("/")).await);
    }
    assert_eq!(server.connections(), [0; 5]);
}

#[tokio::test]
async fn a_server_that_wants_no_more_is_not_kept() {
    for headers in ["Connection: close\r\n", "Keep-Alive: timeout=1, max=5\r\n"] {
        let server = Server::answering(ok(headers, b"x")).await;
        let door = door(settings());
        for _ in 0..3 {
            answered(fetch(&door, &server.url("/")).await);
        }
        assert_eq!(server.connections(), [0, 1, 2], "{headers}");
    }
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced_without_a_word() {
    let (closed, close) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (teller, told) = (Arc::clone(&closed), Arc::clone(&close));
    let server = Server::script(move |mut caller| {
        let (teller, told) = (Arc::clone(&teller), Arc::clone(&told));
        async move {
            if caller.hears().await {
                caller.says(&ok("", b"x")).await;
            }
            told.notified().await;
            drop(caller);
            teller.notify_one();
        }
    })
    .await;
    let other = Server::answering(ok("", b"x")).await;
    let door = door(settings());
    for _ in 0..3 {
        answered(fetch(&door, &server.url("/")).await);
        close.notify_one();
        closed.notified().await;
        // A round trip elsewhere: by its end the closing has been noticed here.
        answered(fetch(&door, &other.url("/")).await);
    }
    assert_eq!(server.connections(), [0, 1, 2]);
}

#[tokio::test]
async fn a_kept_connection_that_ends_without_a_word_is_stale_and_a_fresh_one_is_reset() {
    let server = Server::script(|mut caller| async move {
        if caller.number == 0 && caller.hears().await {
            caller.says(&ok("", b"x")).await;
        }
        caller.hears().await;
    })
    .await;
    let door = door(settings());
    answered(fetch(&door, &server.url("/")).await);
    let outcome = fetch(&door, &server.url("/")).await;
    assert!(matches!(outcome, Outcome::Failed(Failure::Stale)), "{outcome:?}");
    let outcome = fetch(&door, &server.url("/")).await;
    assert!(matches!(outcome, Outcome::Failed(Failure::Reset)), "{outcome:?}");
    assert_eq!(server.connections(), [0, 0, 1], "each request was sent once");
}

#[tokio::test]
async fn idle_connections_can_be_swept_and_live_ones_stay() {
    let server = Server::answering(ok("", b"x")).await;
    let door = door(settings());
    answered(fetch(&door, &server.url("/")).await);
    door.close_idle();
    answered(fetch(&door, &server.url("/")).await);
    assert_eq!(server.connections(), [0, 0]);
}

/// Visits this many sites three times in turn; counts the connections of each.
async fn check_rounds(idle_max: usize, sites: u8, expect: usize) {
    let mut servers = Vec::new();
    for _ in 0..sites {
        servers.push(Server::answering(ok("", b"x")).await);
    }
    let door = door(FetchSettings { idle_max, ..settings() });
    for _ in 0..3 {
        for server in &servers {
            answered(fetch(&door, &server.url("/")).await);
        }
    }
    for server in servers {
        let last = server.connections().last().copied();
        assert_eq!(last, Some(expect - 1), "{idle_max} places for {sites} sites");
    }
}

#[tokio::test]
async fn connections_are_kept_of_half_as_many_sites_as_there_are_places() {
    check_rounds(40, 20, 1).await;
    check_rounds(6, 20, 3).await;
}

/// Fetches from one server in rounds of `at_once`; counts the connections that it accepted.
async fn check_at_once(idle_max: usize, at_once: usize, rounds: usize, expect: usize) {
    // Nothing is answered before all of a round have asked: they are truly at once.
    let all = Arc::new(Barrier::new(at_once));
    let server = Server::script(move |mut caller| {
        let all = Arc::clone(&all);
        async move {
            while caller.hears().await {
                all.wait().await;
                caller.says(&ok("", b"x")).await;
            }
        }
    })
    .await;
    let door = Arc::new(door(FetchSettings { idle_max, ..settings() }));
    for _ in 0..rounds {
        let mut round = JoinSet::new();
        for _ in 0..at_once {
            let (door, url) = (Arc::clone(&door), server.url("/"));
            round.spawn(async move { answered(fetch(&door, &url).await) });
        }
        round.join_all().await;
        door.close_idle();
    }
    let numbers = server.connections();
    assert_eq!(numbers.len(), at_once * rounds, "{at_once} at once");
    let accepted = numbers.into_iter().max().map_or(0, |last| last + 1);
    assert_eq!(accepted, expect, "{at_once} at once, {idle_max} places");
}

#[tokio::test]
async fn a_site_keeps_as_many_connections_as_it_uses_at_once() {
    check_at_once(64, 1, 5, 1).await;
    check_at_once(64, 16, 5, 16).await;
}

#[tokio::test]
async fn the_connections_of_one_site_count_one_by_one() {
    check_at_once(8, 16, 2, 16 + 8).await;
}

#[tokio::test]
async fn no_site_keeps_more_than_sixteen_connections() {
    check_at_once(256, 20, 2, 20 + 4).await;
}
