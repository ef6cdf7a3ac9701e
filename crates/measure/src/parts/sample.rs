//! The page on which everything is measured: an exchange as the fetcher brings it.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use rhumb_fetch::{Conditions, FetchSettings, Fetcher, Networks, SetupError};
use rhumb_web::{
    Candidate, CanonUrl, Epoch, Errand, Exchange, Outcome, Tick, Ticket, TicketNumber, UrlError,
    Visit,
};

/// Pages that are looked at to find a usual one.
const LOOKED_AT: usize = 25;

/// A page as it came from a server.
#[derive(Debug)]
pub struct Sample {
    exchange: Exchange,
}

/// Why there is no page to measure with.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// The address is none.
    #[error("{url:?} is no URL: {source}")]
    Url {
        /// As it was given.
        url: String,
        /// What is wrong with it.
        source: UrlError,
    },
    /// There is no fetching here.
    #[error("cannot set up fetching: {0}")]
    Setup(#[from] SetupError),
    /// The system refuses.
    #[error("cannot start a runtime: {0}")]
    Runtime(#[from] io::Error),
    /// No address was given, or none brought a page.
    #[error("no page could be fetched from {0:?}")]
    NoPage(String),
}

impl Sample {
    /// The one of middle size among a few pages of a web on loopback, whose names this server
    /// knows.
    pub fn fetch(urls: &[String], dns: SocketAddr) -> Result<Self, SampleError> {
        let settings = FetchSettings {
            ip_gap: Duration::ZERO,
            allow_private: Networks::all(),
            dns: Some(dns),
            ..FetchSettings::default()
        };
        let fetcher = Fetcher::new(settings)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut pages = Vec::new();
        for text in urls.iter().step_by(urls.len().div_ceil(LOOKED_AT).max(1)) {
            let url = CanonUrl::parse(text)
                .map_err(|source| SampleError::Url { url: text.clone(), source })?;
            let (ticket, conditions) = (ticket(url), Conditions::default());
            let outcome = runtime.block_on(fetcher.run(&ticket, &conditions));
            let Outcome::Answered(exchange) = outcome else { continue };
            if exchange.status == 200 && exchange.cut.is_none() {
                pages.push(*exchange);
            }
        }
        pages.sort_by_key(|exchange| exchange.body.len());
        let middle = pages.len() / 2;
        let first = || urls.first().cloned().unwrap_or_default();
        let exchange = pages.drain(..).nth(middle).ok_or_else(|| SampleError::NoPage(first()))?;
        Ok(Self { exchange })
    }

    /// The request and its answer.
    pub fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    /// Bytes of the page, without any coding.
    pub fn plain_bytes(&self) -> u64 {
        u64::try_from(self.exchange.body.len()).expect("a length fits 64 bits")
    }

    /// Bytes of the answer as it came, its head included.
    pub fn received_bytes(&self) -> u64 {
        u64::try_from(self.exchange.received.len()).expect("a length fits 64 bits")
    }

    /// Whether its body came coded.
    pub fn is_coded(&self) -> bool {
        self.exchange.header("content-encoding").is_some()
    }
}

fn ticket(url: CanonUrl) -> Ticket {
    Ticket {
        number: TicketNumber(0),
        candidate: Candidate::new(url, Errand::Page, 0, 0),
        visit: Visit(0),
        epoch: Epoch(0),
        tries: 0,
        expires: Tick(u64::MAX),
    }
}
