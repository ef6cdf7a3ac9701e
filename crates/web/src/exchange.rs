//! What became of a fetch. The web's misbehaviour is data here, never an error.

use std::any::Any;
use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::CanonUrl;

/// What a ticket led to.
#[derive(Debug)]
pub enum Outcome {
    /// The server answered, whatever it said.
    Answered(Box<Exchange>),
    /// It did not, or not in a way that could be used.
    Failed(Failure),
    /// The address had enough of us for the moment: nothing was sent. Come back after the span.
    AddressBusy(Duration),
    /// The name leads to an address that is not public: nothing was sent.
    PrivateAddress,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Failure {
    /// The name does not exist.
    NoSuchHost,
    /// The name could not be looked up.
    Dns,
    /// No connection: refused, unreachable.
    Connect,
    /// The TLS handshake or the certificate failed.
    Tls,
    /// A time-out, and of what.
    TimedOut(Phase),
    /// Fewer bytes a second than the floor.
    TooSlow,
    /// The connection ended before the answer did.
    Reset,
    /// A kept connection was closed by the server while the request was on its way:
    /// the server's right, so it costs no try.
    Stale,
    /// What came was not HTTP.
    NotHttp,
    /// More header bytes than the limit.
    HeadersTooLarge,
    /// The proxy refused or failed.
    Proxy,
}

impl Failure {
    /// The one word for it in events and summaries.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoSuchHost => "no-such-host",
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::TimedOut(Phase::Dns) => "timeout-dns",
            Self::TimedOut(Phase::Connect) => "timeout-connect",
            Self::TimedOut(Phase::Headers) => "timeout-headers",
            Self::TimedOut(Phase::Body) => "timeout-body",
            Self::TooSlow => "too-slow",
            Self::Reset => "reset",
            Self::Stale => "stale",
            Self::NotHttp => "not-http",
            Self::HeadersTooLarge => "headers-too-large",
            Self::Proxy => "proxy",
        }
    }
}

/// The part of a fetch that a time-out cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// Looking up the name.
    Dns,
    /// Connecting, TLS included.
    Connect,
    /// Waiting for the status and headers.
    Headers,
    /// Reading the body.
    Body,
}

/// Why a body is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cut {
    /// Longer than the limit.
    Length,
    /// It took too long.
    Time,
    /// The server ended it early.
    Disconnect,
    /// It inflated beyond reason, or its encoding was broken.
    Encoding,
}

impl Cut {
    /// The one word for it in events and summaries.
    pub fn word(self) -> &'static str {
        match self {
            Self::Length => "cut-length",
            Self::Time => "cut-time",
            Self::Disconnect => "cut-disconnect",
            Self::Encoding => "cut-encoding",
        }
    }
}

/// The protocol that an exchange spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Protocol {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
    /// HTTP/2, on TLS. What was sent and received is then told in the form of HTTP/1.1.
    H2,
}

impl Protocol {
    /// Its name in ALPN, which is also the one in `WARC-Protocol`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http10 => "http/1.0",
            Self::Http11 => "http/1.1",
            Self::H2 => "h2",
        }
    }
}

/// The version of TLS under an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tls {
    /// TLS 1.2.
    V12,
    /// TLS 1.3.
    V13,
}

impl Tls {
    /// Its name in `WARC-Protocol`.
    pub fn name(self) -> &'static str {
        match self {
            Self::V12 => "tls/1.2",
            Self::V13 => "tls/1.3",
        }
    }
}

/// How long each part of an exchange took; what did not happen took no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Looking up the name; nothing if it was known.
    pub dns: Duration,
    /// Connecting; nothing if a connection was kept.
    pub connect: Duration,
    /// The TLS handshake.
    pub tls: Duration,
    /// Handing the request to the socket.
    pub write: Duration,
    /// From there to the first byte of the answer; of HTTP/2, to its headers.
    pub first_byte: Duration,
    /// From there to the end of the answer.
    pub read: Duration,
    /// All of it.
    pub total: Duration,
}

/// One request and its answer, as sent and as received.
#[derive(Debug)]
pub struct Exchange {
    /// What was asked for.
    pub url: CanonUrl,
    /// Where the connection went; the proxy's address if there is one.
    pub address: SocketAddr,
    /// When the request began.
    pub began: SystemTime,
    /// The protocol.
    pub protocol: Protocol,
    /// The TLS under it, if there was any.
    pub tls: Option<Tls>,
    /// The request's bytes; of HTTP/2, in the form of HTTP/1.1.
    pub sent: Bytes,
    /// The answer's bytes, decrypted, as they came: status line, headers, body with its framing.
    /// Of HTTP/2, in the form of HTTP/1.1 and without framing: the body ends where the bytes do.
    pub received: Bytes,
    /// The status code.
    pub status: u16,
    /// The headers in their order, but those of one name together; names in lower case, values as
    /// they came.
    pub headers: Vec<(String, Bytes)>,
    /// The body without transfer and content encoding.
    pub body: Bytes,
    /// Why the body is not whole, if it is not.
    pub cut: Option<Cut>,
    /// How long it took.
    pub phases: Phases,
    /// The memory that its bytes take.
    pub hold: Hold,
}

/// Something that is given back when this is dropped, whatever it is; by default nothing.
#[derive(Default)]
pub struct Hold(Option<Box<dyn Any + Send + Sync>>);

impl Hold {
    /// Holds on to something.
    pub fn new(held: impl Any + Send + Sync) -> Self {
        Self(Some(Box::new(held)))
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Hold" } else { "nothing" })
    }
}

impl Exchange {
    /// The first header of that name (lower case) that is readable text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().filter(|(key, _)| key == name).find_map(|(_, value)| readable(value))
    }

    /// All headers of that name (lower case) that are readable text.
    pub fn headers_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.headers.iter().filter(move |(key, _)| key == name);
        named.filter_map(|(_, value)| readable(value))
    }
}

fn readable(value: &[u8]) -> Option<&str> {
    std::str::from_utf8(value).ok().map(str::trim)
}
