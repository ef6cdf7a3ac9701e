//! A fetcher for tests, and what to expect of it.

use std::time::Duration;

use rhumb_fetch::{Conditions, FetchSettings, Fetcher, Networks};
use rhumb_web::{
    Candidate, CanonUrl, Cut, Epoch, Errand, Exchange, Failure, Outcome, Tick, Ticket,
    TicketNumber, Visit,
};

/// The defaults, but loopback is allowed and no address is too busy.
pub(crate) fn settings() -> FetchSettings {
    FetchSettings {
        agent: "rhumb-test/1".to_owned(),
        ip_gap: Duration::ZERO,
        allow_private: Networks::all(),
        ..FetchSettings::default()
    }
}

/// Limits so short that every time-out is a test's length.
pub(crate) fn hasty() -> FetchSettings {
    FetchSettings {
        connect: Duration::from_millis(300),
        headers: Duration::from_millis(300),
        total: Duration::from_millis(900),
        ..settings()
    }
}

pub(crate) fn door(settings: FetchSettings) -> Fetcher {
    Fetcher::new(settings).expect("good settings")
}

pub(crate) fn ticket(url: &str) -> Ticket {
    let url = CanonUrl::parse(url).expect("a URL");
    Ticket {
        number: TicketNumber(0),
        candidate: Candidate::new(url, Errand::Page, 0, 0),
        visit: Visit(0),
        epoch: Epoch(0),
        tries: 0,
        expires: Tick::NEVER,
    }
}

pub(crate) async fn fetch(door: &Fetcher, url: &str) -> Outcome {
    door.run(&ticket(url), &Conditions::default()).await
}

#[track_caller]
#[expect(clippy::panic, reason = "it fails the test that asked")]
pub(crate) fn answered(outcome: Outcome) -> Box<Exchange> {
    match outcome {
        Outcome::Answered(exchange) => exchange,
        other => panic!("no answer but {other:?}"),
    }
}

#[track_caller]
#[expect(clippy::panic, reason = "it fails the test that asked")]
pub(crate) fn failed(outcome: Outcome, expect: Failure) {
    match outcome {
        Outcome::Failed(failure) => assert_eq!(failure, expect),
        other => panic!("not {expect:?} but {other:?}"),
    }
}

#[track_caller]
pub(crate) fn cut(outcome: Outcome, body: &[u8], expect: Cut) {
    let exchange = answered(outcome);
    assert_eq!((&exchange.body[..], exchange.cut), (body, Some(expect)));
}
