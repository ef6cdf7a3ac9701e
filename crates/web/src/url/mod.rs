//! `CanonUrl`: WHATWG parsing, then the rules that make two spellings of one page the same text.

mod changes;
mod escapes;
mod parameters;
mod plain;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use url::Url;

use crate::{HashKey, Origin, Pld, Scheme, Site, UrlKey};

/// The longest URL that is looked at, in bytes. Browsers and servers agree on about this much.
pub const URL_BYTES_MAX: usize = 16 * 1024;

/// Text to the bytes of a page's charset: queries of its links are written in it.
pub type QueryCharset<'a> = &'a dyn Fn(&str) -> Cow<'_, [u8]>;

/// Why a text is not a URL that can be crawled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Not a URL by the standard.
    #[error("not a URL: {0}")]
    Syntax(&'static str),
    /// A URL of something that is not fetched by HTTP.
    #[error("only http and https are crawled")]
    Scheme,
    /// Longer than [`URL_BYTES_MAX`].
    #[error("longer than {URL_BYTES_MAX} bytes")]
    TooLong,
    /// Port 0, where nothing can listen.
    #[error("port 0 cannot be connected to")]
    Port,
}

/// Which rules beyond the standard apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Canon {
    /// All rules: known tracking and session parameters are dropped.
    #[default]
    Full,
    /// Every query parameter is kept.
    KeepQuery,
}

/// A URL in canonical form: two spellings of the same page are the same text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct CanonUrl {
    text: Box<str>,
    /// Where the authority ends and the path begins.
    path_start: u32,
}

/// Parses by the WHATWG standard alone, any scheme, no rule of ours: the first half of
/// [`CanonUrl::parse`], apart so that it can be held against the standard's own tests.
pub fn standard(raw: &str, base: Option<&str>) -> Result<String, UrlError> {
    let base = base.map(|text| Url::parse(text).map_err(syntax)).transpose()?;
    parse_standard(raw, base.as_ref()).map(String::from)
}

impl CanonUrl {
    /// Reads an absolute URL; a text without a scheme is refused.
    pub fn parse(raw: &str) -> Result<Self, UrlError> {
        Self::parse_with(raw, Canon::Full)
    }

    /// Reads an absolute URL under the given rules.
    pub fn parse_with(raw: &str, canon: Canon) -> Result<Self, UrlError> {
        plain::parse(raw, canon).map_or_else(|| Self::parse_at_length(raw, canon), Ok)
    }

    fn parse_at_length(raw: &str, canon: Canon) -> Result<Self, UrlError> {
        Self::finish(parse_standard(raw, None)?, canon)
    }

    /// The rules that change a text on its way to the canonical form, in words.
    pub fn changes(raw: &str, canon: Canon) -> Result<Vec<String>, UrlError> {
        changes::of(raw, canon)
    }

    /// Resolves a link found on this page.
    pub fn join(&self, raw: &str, canon: Canon) -> Result<Self, UrlError> {
        self.join_from(raw, canon, None)
    }

    /// Resolves a link found on this page, whose query is written in the page's charset.
    pub fn join_from(
        &self,
        raw: &str,
        canon: Canon,
        charset: Option<QueryCharset<'_>>,
    ) -> Result<Self, UrlError> {
        let is_charset_moot = charset.is_none() || !raw.contains('?');
        let plain = if is_charset_moot { plain::join(self, raw, canon) } else { None };
        plain.map_or_else(|| self.join_at_length(raw, canon, charset), Ok)
    }

    fn join_at_length(
        &self,
        raw: &str,
        canon: Canon,
        charset: Option<QueryCharset<'_>>,
    ) -> Result<Self, UrlError> {
        let base = Url::parse(&self.text).map_err(syntax)?;
        Self::finish(parse_in(raw, Some(&base), charset)?, canon)
    }

    fn finish(mut url: Url, canon: Canon) -> Result<Self, UrlError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlError::Scheme);
        }
        if url.port() == Some(0) {
            return Err(UrlError::Port);
        }
        url.set_fragment(None);
        let credentials_dropped = url.set_username("").and_then(|()| url.set_password(None));
        credentials_dropped.expect("an http URL has a host, so credentials can be removed");
        if let Some(host) = url.host_str().filter(|host| host.ends_with('.')) {
            let bare = host.trim_end_matches('.').to_owned();
            url.set_host(Some(&bare)).map_err(syntax)?;
        }
        let path = escapes::tidy(url.path());
        url.set_path(if canon == Canon::Full { without_session(&path) } else { &path });
        let query = url.query().map(|query| canonical_query(query, canon)).unwrap_or_default();
        url.set_query((!query.is_empty()).then_some(query.as_str()));
        if url.as_str().len() > URL_BYTES_MAX {
            return Err(UrlError::TooLong);
        }
        let path_start = url[..url::Position::BeforePath].len();
        let path_start = u32::try_from(path_start).map_err(|_| UrlError::TooLong)?;
        Ok(Self { text: String::from(url).into_boxed_str(), path_start })
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> Scheme {
        if self.text.starts_with("https:") { Scheme::Https } else { Scheme::Http }
    }

    /// Host, and port unless it is the scheme's own: `example.org`, `[::1]:8080`.
    pub fn authority(&self) -> &str {
        &self.text[self.scheme().prefix().len()..self.path_start as usize]
    }

    /// The host alone; an IPv6 literal keeps its brackets.
    pub fn host(&self) -> &str {
        host_of(self.authority())
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        let authority = self.authority();
        let explicit = authority[host_of(authority).len()..].strip_prefix(':');
        explicit.and_then(|port| port.parse().ok()).unwrap_or(self.scheme().default_port())
    }

    /// Path and query: what a request line asks for, and what robots.txt judges.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.path_start as usize..]
    }

    /// The path, from its first slash to the query.
    pub fn path(&self) -> &str {
        let rest = self.path_and_query();
        &rest[..position(rest, b'?').unwrap_or(rest.len())]
    }

    /// The query without its question mark.
    pub fn query(&self) -> Option<&str> {
        self.path_and_query().split_once('?').map(|(_, query)| query)
    }

    /// The domain that somebody pays for.
    pub fn pld(&self) -> Pld<'_> {
        Pld::of_host(self.host())
    }

    /// The site whose clock governs this URL.
    pub fn site(&self) -> Site {
        Site::of_authority(self.authority())
    }

    /// The origin whose robots.txt speaks for this URL.
    pub fn origin(&self) -> Origin {
        Origin { scheme: self.scheme(), site: self.site() }
    }

    /// The 64-bit key by which the seen-set knows this URL.
    pub fn key(&self, hash: HashKey) -> UrlKey {
        UrlKey(hash.hash(self.text.as_bytes()))
    }
}

/// The host part of an authority; an IPv6 literal keeps its brackets.
pub(crate) fn host_of(authority: &str) -> &str {
    let bracket = if authority.starts_with('[') { authority.rfind(']') } else { None };
    let end = bracket.map(|bracket| bracket + 1).or_else(|| position(authority, b':'));
    &authority[..end.unwrap_or(authority.len())]
}

/// Where an ASCII byte stands first. The texts are short: a plain loop is faster than a searcher.
fn position(text: &str, byte: u8) -> Option<usize> {
    text.bytes().position(|it| it == byte)
}

fn parse_standard(raw: &str, base: Option<&Url>) -> Result<Url, UrlError> {
    parse_in(raw, base, None)
}

fn parse_in(
    raw: &str,
    base: Option<&Url>,
    charset: Option<QueryCharset<'_>>,
) -> Result<Url, UrlError> {
    if raw.len() > URL_BYTES_MAX {
        return Err(UrlError::TooLong);
    }
    let raw = base.and_then(|base| with_two_slashes(raw, base)).unwrap_or(Cow::Borrowed(raw));
    let options = Url::options().base_url(base).encoding_override(charset);
    options.parse(&raw).map_err(syntax)
}

/// `///host/path` on a web page means `//host/path` by the standard; the `url` crate takes it for
/// a path.
fn with_two_slashes<'a>(raw: &'a str, base: &Url) -> Option<Cow<'a, str>> {
    let is_slash = |c: char| matches!(c, '/' | '\\');
    let trimmed = raw.trim_start_matches(|c: char| c <= ' ');
    let bare = trimmed.trim_start_matches(is_slash);
    let slashes = trimmed.len() - bare.len();
    (slashes > 2 && matches!(base.scheme(), "http" | "https"))
        .then(|| Cow::Owned(format!("//{bare}")))
}

fn syntax(error: url::ParseError) -> UrlError {
    UrlError::Syntax(match error {
        url::ParseError::EmptyHost => "the host is empty",
        url::ParseError::IdnaError => "the host is not a valid international name",
        url::ParseError::InvalidPort => "the port is not a number up to 65535",
        url::ParseError::InvalidIpv4Address => "the host is not a valid IPv4 address",
        url::ParseError::InvalidIpv6Address => "the host is not a valid IPv6 address",
        url::ParseError::InvalidDomainCharacter => "the host has a character no host may have",
        url::ParseError::RelativeUrlWithoutBase => "it has no scheme such as https://",
        _ => "it cannot be read as one",
    })
}

/// Cuts the last segment where a session id begins; elsewhere it is part of the path.
fn without_session(path: &str) -> &str {
    let segment = path.rfind('/').map_or(0, |slash| slash + 1);
    let lower = path[segment..].to_ascii_lowercase();
    let found = parameters::PATH_SESSIONS.iter().filter_map(|mark| lower.find(mark)).min();
    found.map_or(path, |at| &path[..segment + at])
}

fn canonical_query(query: &str, canon: Canon) -> String {
    let tidy = escapes::tidy(query);
    if canon == Canon::KeepQuery {
        return tidy;
    }
    let kept = |pair: &&str| {
        let name = pair.split_once('=').map_or(*pair, |(name, _)| name);
        !parameters::is_dropped(name)
    };
    if tidy.split('&').all(|pair| kept(&pair)) {
        return tidy;
    }
    tidy.split('&').filter(kept).collect::<Vec<_>>().join("&")
}

impl fmt::Display for CanonUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for CanonUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for CanonUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl TryFrom<String> for CanonUrl {
    type Error = UrlError;

    /// Reads back what a crawl wrote: no rule of today may change a URL of yesterday.
    fn try_from(text: String) -> Result<Self, UrlError> {
        match plain::path_start(&text, Canon::KeepQuery) {
            Some(path_start) => Ok(Self { text: text.into_boxed_str(), path_start }),
            None => Self::parse_at_length(&text, Canon::KeepQuery),
        }
    }
}

impl From<CanonUrl> for String {
    fn from(url: CanonUrl) -> Self {
        url.text.into_string()
    }
}
