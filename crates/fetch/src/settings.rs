//! What the door is told once, when it is built.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use data_encoding::BASE64;
use rhumb_web::{Canon, CanonUrl, Scheme, UrlError};
use rustls::RootCertStore;

use crate::address::Networks;

/// Who we are, how long we wait, how much we take, and which way out.
#[derive(Clone, Debug)]
pub struct FetchSettings {
    /// The User-Agent header.
    pub agent: String,
    /// The From header: whom a webmaster may write to.
    pub from: Option<String>,
    /// The longest wait for a connection, TLS included.
    pub connect: Duration,
    /// The longest wait for the answer's headers, from the request on.
    pub headers: Duration,
    /// The longest that a fetch may take, from the name to the last byte.
    pub total: Duration,
    /// The fewest body bytes a second, over a sixth of `total`.
    pub floor: u32,
    /// The longest body, before and after its content encoding is undone.
    pub body_max: usize,
    /// How many times its size a body may inflate to, beyond 1 MiB.
    pub inflation_max: usize,
    /// The bytes that all bodies in flight may take together, until their exchanges are dropped.
    pub bodies: u64,
    /// The most bytes of status line and headers.
    pub header_bytes_max: usize,
    /// The gap between two requests to one address; zero lifts the limit in flight too.
    pub ip_gap: Duration,
    /// The most connections that are kept for a next request. Each is an open file; at least
    /// the latest half as many are kept.
    pub idle_max: usize,
    /// Networks that may be visited although they are not public.
    pub allow_private: Networks,
    /// The proxy that everything goes through.
    pub proxy: Option<ProxyUrl>,
    /// The name server to ask instead of the system's.
    pub dns: Option<SocketAddr>,
    /// The certificate authorities that are believed.
    pub roots: RootCertStore,
}

impl Default for FetchSettings {
    /// The limits of the design; no certificate authority is believed until `roots` is filled.
    fn default() -> Self {
        Self {
            agent: "rhumb".to_owned(),
            from: None,
            connect: Duration::from_secs(10),
            headers: Duration::from_secs(20),
            total: Duration::from_mins(1),
            floor: 1_000,
            body_max: 10 * 1024 * 1024,
            inflation_max: 20,
            bodies: 384 * 1024 * 1024,
            header_bytes_max: 128 * 1024,
            ip_gap: Duration::from_millis(250),
            idle_max: 4_096,
            allow_private: Networks::default(),
            proxy: None,
            dns: None,
            roots: RootCertStore::empty(),
        }
    }
}

/// Why a fetcher could not be built.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The agent or contact cannot stand in a header.
    #[error("{0} has a character that no header may have")]
    Header(&'static str),
    /// The resolver could not be built.
    #[error("cannot set up name lookup: {0}")]
    Dns(String),
    /// The TLS library refused its settings.
    #[error("cannot set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// An HTTP proxy: `http://user:password@host:port`.
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyUrl {
    host: String,
    port: u16,
    /// The value of Proxy-Authorization.
    authorization: Option<String>,
}

/// Why a text is no proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProxyError {
    /// It is not a URL with a host.
    #[error("not a URL such as http://user:password@host:port")]
    Syntax,
    /// Only proxies that are spoken to in plain HTTP are known.
    #[error("only http:// proxies are supported")]
    Scheme,
}

impl ProxyUrl {
    /// Reads a proxy's URL; the credentials may be percent-encoded.
    pub fn parse(text: &str) -> Result<Self, ProxyError> {
        let url = match CanonUrl::parse_with(text, Canon::KeepQuery) {
            Ok(url) if url.scheme() == Scheme::Http => url,
            Ok(_) | Err(UrlError::Scheme) => return Err(ProxyError::Scheme),
            Err(_) => return Err(ProxyError::Syntax),
        };
        let rest = text.trim().split_once("//").map_or("", |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let authorization = authority.rsplit_once('@').map(|(credentials, _)| {
            let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
            let pair = [&unescaped(user)[..], b":", &unescaped(password)].concat();
            format!("Basic {}", BASE64.encode(&pair))
        });
        Ok(Self { host: url.host().to_owned(), port: url.port(), authorization })
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn authorization(&self) -> Option<&str> {
        self.authorization.as_deref()
    }
}

impl fmt::Debug for ProxyUrl {
    /// Without the credentials, so that no log has them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}:{}", self.host, self.port)
    }
}

fn unescaped(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(escaped.unwrap_or(bytes[at]));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Result<(&str, u16, Option<&str>), ProxyError>) {
        let got = ProxyUrl::parse(text);
        let got = got.as_ref().map(|proxy| (proxy.host(), proxy.port(), proxy.authorization()));
        assert_eq!(got, expect.as_ref().copied(), "{text}");
    }

    #[test]
    fn a_proxy_is_read_with_its_credentials() {
        check("http://proxy.example:3128", Ok(("proxy.example", 3128, None)));
        check("http://127.0.0.1", Ok(("127.0.0.1", 80, None)));
        check("http://[::1]:8080/", Ok(("[::1]", 8080, None)));
        check("http://Aladdin:open%20sesame@h:1", {
            Ok(("h", 1, Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")))
        });
        check("http://me@h:1", Ok(("h", 1, Some("Basic bWU6"))));
        check("https://h:1", Err(ProxyError::Scheme));
        check("socks5://h:1", Err(ProxyError::Scheme));
        check("nonsense", Err(ProxyError::Syntax));
    }

    #[test]
    fn a_proxys_password_is_not_printed() {
        let proxy = ProxyUrl::parse("http://me:secret@h:1").expect("a proxy");
        assert_eq!(format!("{proxy:?}"), "http://h:1");
    }
}
