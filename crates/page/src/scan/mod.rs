//! One streaming pass over a page: links, title, metas and visible text.
//!
//! [`Tokens`] finds tags, text and comments; a [`Gatherer`] keeps what counts.
//! The content of `noscript` and `noframes` is scanned for links as well: we run no scripts and
//! draw no frames. Links are resolved at the end, because a `base` also rules those before it.

mod gatherer;
mod name;
mod open;
mod paint;
mod refresh;
mod relation;
mod tag;
mod tokens;

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding};
use rhumb_web::{Canon, CanonUrl, Link, LinkKind, QueryCharset, UrlError};

use crate::words::{Words, cut};
use gatherer::{Gatherer, Raw, RawLink};
pub(crate) use name::Name;
pub(crate) use open::breaks_out;
pub(crate) use refresh::seconds as refresh_seconds;
pub use refresh::target as refresh_target;
pub(crate) use tag::Tag;
pub(crate) use tokens::{Token, Tokens};

/// The most links of one page; more is a list for machines, or a trap.
pub const LINKS_MAX: usize = 50_000;
/// The most visible text of one page.
pub const TEXT_BYTES_MAX: usize = 1024 * 1024;
/// The most links that lead nowhere which are kept, to be shown.
const BAD_LINKS_MAX: usize = 1_000;
/// How much of such a link is kept.
const BAD_LINK_BYTES_MAX: usize = 256;
/// The most bytes of all addresses of one page: a long base makes a long link of every short one.
pub(crate) const URLS_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What one page says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The first title, if it has any text.
    pub title: Option<String>,
    /// What the first `base` resolved to.
    pub base: Option<CanonUrl>,
    /// The address that the page calls its own; also among the links.
    pub canonical: Option<CanonUrl>,
    /// The target of the first meta refresh; also among the links.
    pub refresh: Option<CanonUrl>,
    /// The seconds after which that refresh leads there, unless it is for those without scripts.
    pub refresh_after: Option<u32>,
    /// The language of the `html` element, as written.
    pub language: Option<String>,
    /// Every link that resolved, in the page's order, at most [`LINKS_MAX`] and 8 MiB of them.
    pub links: Vec<Link>,
    /// Links that cannot be crawled, each with the reason.
    pub bad_links: Vec<(String, UrlError)>,
    /// Every `meta` with a name: the name in lower case, and its content.
    pub metas: Vec<(String, String)>,
    /// The visible text, a line for each block, at most [`TEXT_BYTES_MAX`], unless only
    /// the links were read.
    pub text: String,
    /// What of that text nobody sees.
    pub concealed: Concealed,
    /// A hash of where all its anchors and frames lead, as written but without digits; in any order.
    pub outline: u64,
    /// A hash of the file names of all its pictures; in any order.
    pub pictures: u64,
    /// Whether some maximum left something out.
    pub cut: bool,
}

/// Text of a page that its own tags keep from sight. Menus that open and windows that appear are
/// made so, and texts for machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Concealed {
    /// How much there is of it.
    pub bytes: usize,
    /// How much of that takes its place on the page, and cannot be read: without size, or in the
    /// colour of its ground.
    pub disguised_bytes: usize,
    /// Its beginning, at most 4 KB.
    pub sample: String,
}

/// Scans a page found at this address and written in this charset.
pub fn scan(html: &str, url: &CanonUrl, canon: Canon, encoding: &'static Encoding) -> Scan {
    resolve(gathered(html, Wanted { text: true, is_xml: false }), url, canon, encoding)
}

/// The same of a page that may be XML, with its text or without.
pub(crate) fn scan_as(
    html: &str,
    wanted: Wanted,
    url: &CanonUrl,
    canon: Canon,
    encoding: &'static Encoding,
) -> Scan {
    resolve(gathered(html, wanted), url, canon, encoding)
}

/// How a page is scanned.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// Whether its text is kept.
    pub(crate) text: bool,
    /// Whether `<script/>` is a whole element, as in XML.
    pub(crate) is_xml: bool,
}

fn gathered(html: &str, wanted: Wanted) -> Gatherer<'_> {
    let words = wanted.text.then(|| Words::with_room(html.len(), TEXT_BYTES_MAX));
    let mut gatherer = Gatherer::new(words);
    run(Tokens::new(html, wanted.is_xml), &mut gatherer);
    gatherer.close_anchor();
    gatherer
}

fn run<'a>(mut tokens: Tokens<'a>, gatherer: &mut Gatherer<'a>) {
    while let Some(token) = tokens.next(gatherer.is_foreign()) {
        match token {
            Token::Start(name) => match gatherer.start(&tokens.tag(name)) {
                None => {}
                Some(Raw::Title) => gatherer.title(tokens.raw_text(name)),
                Some(Raw::Fallback) => run_fallback(tokens.raw_text(name), gatherer),
                Some(Raw::Plain) => gatherer.visible(tokens.rest()),
                Some(Raw::Ignored) => {
                    tokens.raw_text(name);
                }
            },
            Token::End(name) => gatherer.end(name),
            Token::Text(text) => gatherer.text(text),
            Token::Comment(comment) => gatherer.comment(comment),
        }
    }
}

/// Scans what a `noscript` or `noframes` holds. Inside it they are elements like others.
fn run_fallback<'a>(fallback: &'a str, gatherer: &mut Gatherer<'a>) {
    if let Some(outside) = gatherer.enter_fallback(fallback) {
        run(Tokens::new(fallback, false), gatherer);
        gatherer.leave_fallback(outside);
    }
}

/// How many bytes there is still room for among the addresses of a page.
pub(crate) struct UrlRoom(usize);

impl UrlRoom {
    pub(crate) fn new() -> Self {
        Self(URLS_BYTES_MAX)
    }

    /// Takes the bytes of an address, and says whether there was room for them.
    pub(crate) fn take(&mut self, url: &CanonUrl) -> bool {
        let left = self.0.checked_sub(url.as_str().len());
        self.0 = left.unwrap_or(0);
        left.is_some()
    }

    pub(crate) fn is_used_up(&self) -> bool {
        self.0 == 0
    }
}

/// Says of a closure that what it returns may borrow from its text.
fn query_charset<F: Fn(&str) -> Cow<'_, [u8]>>(encode: F) -> F {
    encode
}

fn resolve(
    gathered: Gatherer<'_>,
    url: &CanonUrl,
    canon: Canon,
    encoding: &'static Encoding,
) -> Scan {
    let encode = query_charset(|text| Cow::Owned(query_bytes(text, encoding)));
    // By the standard, UTF-16 writes its queries in UTF-8.
    let is_legacy = encoding.output_encoding() != encoding_rs::UTF_8;
    let charset = is_legacy.then_some(&encode as QueryCharset<'_>);
    let raw_base = gathered.base.as_deref();
    let base = raw_base.and_then(|raw| url.join_from(raw, canon, charset).ok());
    let mut scan = Scan { cut: gathered.is_cut(), ..Scan::default() };
    scan.links.reserve_exact(gathered.links.len());
    let from = base.as_ref().unwrap_or(url);
    let mut room = UrlRoom::new();
    for RawLink { href, kind, text, nofollow } in gathered.links {
        if matches!(kind, LinkKind::A | LinkKind::Area | LinkKind::Frame | LinkKind::Iframe) {
            scan.outline = scan.outline.wrapping_add(without_digits(&href));
        }
        match from.join_from(&href, canon, charset) {
            Ok(url) if !room.take(&url) => {
                scan.cut = true;
                break;
            }
            Ok(url) => {
                match kind {
                    LinkKind::Canonical if scan.canonical.is_none() => {
                        scan.canonical = Some(url.clone());
                    }
                    LinkKind::Refresh if scan.refresh.is_none() => scan.refresh = Some(url.clone()),
                    _ => {}
                }
                scan.links.push(Link { url, kind, text, nofollow });
            }
            Err(error) if scan.bad_links.len() < BAD_LINKS_MAX => {
                scan.bad_links.push((cut(&href, BAD_LINK_BYTES_MAX).to_owned(), error));
            }
            Err(_) => {}
        }
    }
    scan.base = base;
    scan.pictures = gathered.pictures;
    scan.title = gathered.title.map(Words::into_text).filter(|title| !title.is_empty());
    scan.language = gathered.language;
    scan.refresh_after = gathered.refresh_after;
    scan.metas = gathered.metas;
    scan.text = gathered.text.map(Words::into_text).unwrap_or_default();
    scan.concealed = gathered.concealed;
    scan.concealed.sample = gathered.concealed_words.into_text();
    scan
}

/// A hash of a text that does not see its digits.
fn without_digits(text: &str) -> u64 {
    hash_of(text.bytes().filter(|byte| !byte.is_ascii_digit()))
}

/// The hash of some bytes: FNV-1a with a last mix, since the hashes of several texts are added up.
fn hash_of(bytes: impl Iterator<Item = u8>) -> u64 {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A query in a legacy charset. What the charset lacks becomes a numeric reference whose signs are
/// escaped (URL standard, percent-encode after encoding): bare, its `&` would part the query.
fn query_bytes(text: &str, encoding: &'static Encoding) -> Vec<u8> {
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::new();
    let mut rest = text;
    loop {
        let room = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        bytes.reserve(room.expect("a link is far shorter than memory"));
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return bytes,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(char) => {
                bytes.extend_from_slice(format!("%26%23{}%3B", u32::from(char)).as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests;
