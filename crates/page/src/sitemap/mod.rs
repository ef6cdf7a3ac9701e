//! Lists of pages: sitemaps, their indexes, RSS, Atom and JSON feeds, files of URLs.

mod json;
mod xml;

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use rhumb_web::URL_BYTES_MAX;

use crate::charset::{Charset, charset, decode, xml_charset};

/// The most entries of one file, from the protocol.
pub const ENTRIES_MAX: usize = 50_000;
/// The most bytes of one file after inflation, from the protocol.
pub const INFLATED_BYTES_MAX: u64 = 50 * 1024 * 1024;
/// The longest date, frequency or priority that is kept.
pub(crate) const FIELD_BYTES_MAX: usize = 64;
/// The most translations of one entry.
pub(crate) const ALTERNATES_MAX: usize = 128;
/// The most elements inside one another below the root: the parser remembers each until it ends.
pub(crate) const DEPTH_MAX: usize = 64;

/// What kind of list it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapKind {
    /// A sitemap of pages.
    Pages,
    /// A sitemap of sitemaps.
    Index,
    /// A file with a URL on every line.
    Text,
    /// An RSS feed, of any version.
    Rss,
    /// An Atom feed.
    Atom,
    /// A JSON feed.
    Json,
}

/// One page, or one sitemap of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its address as written.
    pub loc: String,
    /// When it changed, as written.
    pub lastmod: Option<String>,
    /// How often it is said to change.
    pub changefreq: Option<String>,
    /// Its weight within the site, as written.
    pub priority: Option<String>,
    /// The same page in other languages.
    pub alternates: Vec<String>,
}

/// A list that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sitemap {
    /// What kind of list it is.
    pub kind: SitemapKind,
    /// Its entries in their order, at most [`ENTRIES_MAX`].
    pub entries: Vec<Entry>,
    /// Whether there was more than a maximum lets through.
    pub cut: bool,
}

/// Reads a list of pages; nothing where the body is none. Files of URLs only where `text_allowed`.
pub fn sitemap(body: &[u8], text_allowed: bool) -> Option<Sitemap> {
    let (body, inflation_cut) = inflated(body);
    let (_, found) = plain_sitemap(&body, None, text_allowed)?;
    Some(Sitemap { cut: found.cut || inflation_cut, ..found })
}

/// The same for a body that is not compressed, with its charset.
pub(crate) fn plain_sitemap(
    body: &[u8],
    content_type: Option<&str>,
    text_allowed: bool,
) -> Option<(Charset, Sitemap)> {
    let charset_xml = xml_charset(body, content_type);
    let text = decode(body, charset_xml);
    let trimmed = text.trim_start_matches(|char: char| char.is_whitespace() || char == '\0');
    if trimmed.starts_with('<') {
        return xml::read(trimmed).map(|found| (charset_xml, found));
    }
    if trimmed.starts_with('{') {
        return json::read(trimmed).map(|found| (charset_xml, found));
    }
    if !text_allowed {
        return None;
    }
    let charset = charset(body, content_type);
    lines(&decode(body, charset)).map(|found| (charset, found))
}

/// The body without gzip, and whether something was left out.
pub(crate) fn inflated(body: &[u8]) -> (Cow<'_, [u8]>, bool) {
    if !body.starts_with(b"\x1f\x8b") {
        return (Cow::Borrowed(body), false);
    }
    let mut inflated = Vec::new();
    let mut reader = MultiGzDecoder::new(body).take(INFLATED_BYTES_MAX);
    // What came before an error is kept: half a sitemap is better than none.
    let broken = reader.read_to_end(&mut inflated).is_err();
    let full = inflated.len() as u64 == INFLATED_BYTES_MAX;
    (Cow::Owned(inflated), broken || full)
}

fn lines(text: &str) -> Option<Sitemap> {
    let is_url = |line: &&str| line.starts_with("http://") || line.starts_with("https://");
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.next_if(is_url).map(|first| {
        let mut urls = std::iter::once(first).chain(lines.filter(is_url));
        let fits = |line: &&str| line.len() <= URL_BYTES_MAX;
        let entry = |loc: &str| Entry { loc: loc.to_owned(), ..Entry::default() };
        let entries = urls.by_ref().filter(fits).take(ENTRIES_MAX).map(entry).collect();
        Sitemap { kind: SitemapKind::Text, entries, cut: urls.next().is_some() }
    })
}

#[cfg(test)]
mod tests;
