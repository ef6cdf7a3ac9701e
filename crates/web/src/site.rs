//! Who a URL belongs to: origin (robots.txt), site (politeness), pay-level domain (partition).

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::url::host_of;
use crate::{Canon, CanonUrl, HashKey, PartitionId};

/// The two schemes that are crawled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
}

impl Scheme {
    /// What a URL of this scheme begins with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Http => "http://",
            Self::Https => "https://",
        }
    }

    /// The port that needs no mention.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// One server as politeness sees it: a host, and its port unless that is the scheme's own.
///
/// `http://example.org` and `https://example.org` are one site: they are one machine's patience.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
pub struct Site(Arc<str>);

impl Site {
    pub(crate) fn of_authority(authority: &str) -> Self {
        Self(Arc::from(authority))
    }

    /// The text: `example.org`, `example.org:8080`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host without a port.
    pub fn host(&self) -> &str {
        host_of(&self.0)
    }

    /// The domain that somebody pays for.
    pub fn pld(&self) -> Pld<'_> {
        Pld::of_host(self.host())
    }
}

impl Serialize for Site {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl From<String> for Site {
    fn from(text: String) -> Self {
        Self(Arc::from(text))
    }
}

impl From<Site> for String {
    fn from(site: Site) -> Self {
        site.0.as_ref().to_owned()
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What one robots.txt speaks for (RFC 9309 §2.3): scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Origin {
    /// The scheme.
    pub scheme: Scheme,
    /// Host and port.
    pub site: Site,
}

impl Origin {
    /// Where its robots.txt lies.
    pub fn robots_url(&self) -> CanonUrl {
        let text = format!("{self}/robots.txt");
        CanonUrl::parse_with(&text, Canon::KeepQuery).expect("an origin came from a URL")
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.scheme.prefix(), self.site)
    }
}

/// A pay-level domain: the part of a host that somebody registered and pays for.
/// IP literals, single labels and public suffixes themselves are their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pld<'a>(&'a str);

impl<'a> Pld<'a> {
    pub(crate) fn of_host(host: &'a str) -> Self {
        Self(registrable(host).unwrap_or(host))
    }

    /// The text.
    pub fn as_str(self) -> &'a str {
        self.0
    }

    /// What its owner is called, without the public suffix: `example` of `example.co.uk`. Of what
    /// has no suffix there is none.
    pub fn label(self) -> Option<&'a str> {
        registrable(self.0)?.split_once('.').map(|(label, _)| label)
    }

    /// Which of `count` partitions owns this domain.
    pub fn partition(self, hash: HashKey, count: u16) -> PartitionId {
        let slot = hash.hash(self.0.as_bytes()) % u64::from(count.max(1));
        PartitionId(u16::try_from(slot).expect("a remainder of a u16 fits a u16"))
    }
}

/// The registrable domain of a lower-case ASCII host by the public suffix list, if it has one.
pub fn registrable(host: &str) -> Option<&str> {
    let is_address = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
    if is_address || host.starts_with('.') {
        return None;
    }
    psl::domain_str(host).filter(|domain| !domain.starts_with('.'))
}
