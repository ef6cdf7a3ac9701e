//! What is handed over to be kept: an exchange, a fetch that failed, a name that was looked up.

use std::iter;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use rhumb_web::{CanonUrl, Cut, Exchange, Failure, Tls};

/// A request and its answer.
#[derive(Clone, Debug)]
pub struct Capture<'a> {
    /// What was asked for.
    pub url: &'a CanonUrl,
    /// Tells apart captures of one URL at one moment; the ticket's number does.
    pub number: u64,
    /// When the request began.
    pub began: SystemTime,
    /// The server's address; none behind a proxy.
    pub address: Option<IpAddr>,
    /// What was spoken, by ALPN names and the like: `http/1.1`, `h2`, `tls/1.3`.
    pub protocols: Vec<&'a str>,
    /// The request's bytes.
    pub sent: &'a [u8],
    /// The answer's bytes, decrypted, with its framing.
    pub received: &'a [u8],
    /// Why the answer is not whole, if it is not.
    pub cut: Option<Cut>,
    /// What else is known: `fetchTimeMs`, `via`, `hopsFromSeed`. Without any there is no
    /// metadata record.
    pub fields: Vec<(&'a str, String)>,
}

impl<'a> Capture<'a> {
    /// An exchange as it went, with the time that it took.
    pub fn of(exchange: &'a Exchange, number: u64) -> Self {
        Self {
            url: &exchange.url,
            number,
            began: exchange.began,
            address: Some(exchange.address.ip()),
            protocols: iter::once(exchange.protocol.name())
                .chain(exchange.tls.map(Tls::name))
                .collect(),
            sent: &exchange.sent,
            received: &exchange.received,
            cut: exchange.cut,
            fields: vec![("fetchTimeMs", exchange.phases.total.as_millis().to_string())],
        }
    }
}

/// The capture that first had a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// Its URL.
    pub url: CanonUrl,
    /// When it began.
    pub began: SystemTime,
}

/// A fetch without an answer, kept so that an audit can prove what was done.
#[derive(Clone, Debug)]
pub struct Miss<'a> {
    /// What was asked for.
    pub url: &'a CanonUrl,
    /// Tells apart misses of one URL at one moment.
    pub number: u64,
    /// When it began.
    pub began: SystemTime,
    /// The address that was tried, if it came to that.
    pub address: Option<IpAddr>,
    /// Why there is no answer.
    pub failure: Failure,
    /// How long it took.
    pub took: Duration,
    /// What else is known.
    pub fields: Vec<(&'a str, String)>,
}

/// An answer that is only compared with others, and takes no place among captures.
#[derive(Clone, Debug)]
pub struct Compared<'a> {
    /// The exchange.
    pub capture: Capture<'a>,
    /// The status of the answer.
    pub status: u16,
}

/// A request that was under way when its process ended.
#[derive(Clone, Debug)]
pub struct Interrupted<'a> {
    /// What was asked for.
    pub url: &'a CanonUrl,
    /// Tells apart requests of one URL at one moment.
    pub number: u64,
    /// When it began, as far as it is known.
    pub began: SystemTime,
    /// What else is known.
    pub fields: Vec<(&'a str, String)>,
}

/// A name and the addresses that it led to.
#[derive(Clone, Debug)]
pub struct Lookup<'a> {
    /// The name.
    pub host: &'a str,
    /// Tells apart lookups of one name at one moment.
    pub number: u64,
    /// When it was asked.
    pub began: SystemTime,
    /// The name server that answered.
    pub server: Option<IpAddr>,
    /// The answer.
    pub addresses: &'a [IpAddr],
    /// How long the answer holds.
    pub holds: Duration,
}
