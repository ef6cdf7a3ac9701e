//! One streaming pass over a page: links, title, metas and visible text.
//!
//! `lol_html` finds tags, text and comments; a [`Gatherer`] keeps what counts.
//! The content of `noscript` and `noframes` is scanned for links as well: we run no scripts and
//! draw no frames. Links are resolved at the end, because a `base` also rules those before it.

mod gatherer;
mod refresh;
mod relation;
mod tag;

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use encoding_rs::{EncoderResult, Encoding};
use lol_html::html_content::{Comment, Element, EndTag, TextChunk};
use lol_html::{
    DocumentContentHandlers, ElementContentHandlers, HtmlRewriter, MemorySettings, Selector,
    Settings,
};
use rhumb_web::{Canon, CanonUrl, Link, LinkKind, QueryCharset, UrlError};

use crate::words::{Words, cut};
use gatherer::{Ending, Gatherer, RawLink};
pub use refresh::target as refresh_target;
use tag::Tag;

/// The most links of one page; more is a list for machines, or a trap.
pub const LINKS_MAX: usize = 50_000;
/// The most visible text of one page.
pub const TEXT_BYTES_MAX: usize = 1024 * 1024;
/// The most links that lead nowhere which are kept, to be shown.
const BAD_LINKS_MAX: usize = 1_000;
/// How much of such a link is kept.
const BAD_LINK_BYTES_MAX: usize = 256;
/// Memory for the parser's stack of open elements: about a hundred thousand of them.
const PARSER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The most `noscript` and `noframes` elements that are looked into.
const FALLBACKS_MAX: usize = 256;

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
    /// The language of the `html` element, as written.
    pub language: Option<String>,
    /// Every link that resolved, in the page's order, at most [`LINKS_MAX`].
    pub links: Vec<Link>,
    /// Links that cannot be crawled, each with the reason.
    pub bad_links: Vec<(String, UrlError)>,
    /// Every `meta` with a name: the name in lower case, and its content.
    pub metas: Vec<(String, String)>,
    /// The visible text, a line for each block, at most [`TEXT_BYTES_MAX`].
    pub text: String,
    /// Whether some maximum left something out.
    pub cut: bool,
}

/// Scans a page found at this address and written in this charset.
pub fn scan(html: &str, url: &CanonUrl, canon: Canon, encoding: &'static Encoding) -> Scan {
    let gatherer = Rc::new(RefCell::new(Gatherer::new()));
    run(html, &gatherer);
    // An unclosed fallback reaches to the end of the page.
    let rest = gatherer.borrow_mut().take_fallback();
    run_fallback(rest, &gatherer);
    let mut gathered = gatherer.take();
    gathered.close_anchor();
    resolve(gathered, url, canon, encoding)
}

/// Scans what a `noscript` or `noframes` holds, once: fallbacks inside it are not looked into.
fn run_fallback(fallback: Option<String>, gatherer: &Rc<RefCell<Gatherer>>) {
    if let Some(fallback) = fallback {
        let outside = gatherer.borrow_mut().enter_fallback();
        run(&fallback, gatherer);
        gatherer.borrow_mut().leave_fallback(outside);
    }
}

/// Feeds a text through the parser. An error (its memory is full) ends the text early.
fn run(html: &str, gatherer: &Rc<RefCell<Gatherer>>) {
    let settings = Settings::new()
        .with_strict(false)
        .with_memory_settings(
            MemorySettings::new()
                .with_preallocated_parsing_buffer_size(0)
                .with_max_allowed_memory_usage(PARSER_BYTES_MAX),
        )
        .append_element_content_handler((
            Cow::Owned("*".parse::<Selector>().expect("a star is a selector")),
            ElementContentHandlers::default().element(|element: &mut Element<'_, '_>| {
                on_element(html, element, gatherer);
                Ok(())
            }),
        ))
        .append_document_content_handler(
            DocumentContentHandlers::default()
                .text(|chunk: &mut TextChunk<'_>| {
                    gatherer.borrow_mut().text(chunk.as_str(), chunk.text_type());
                    Ok(())
                })
                .comments(|comment: &mut Comment<'_>| {
                    let range = comment.source_location().bytes();
                    gatherer.borrow_mut().comment(html.get(range).unwrap_or_default());
                    Ok(())
                }),
        );
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    let whole = rewriter.write(html.as_bytes()).and_then(|()| rewriter.end());
    gatherer.borrow_mut().cut |= whole.is_err();
}

fn on_element(html: &str, element: &mut Element<'_, '_>, gatherer: &Rc<RefCell<Gatherer>>) {
    let ending = match Tag::of(html, element) {
        Some(tag) => gatherer.borrow_mut().start(&tag),
        None => Ending::default(),
    };
    if ending == Ending::default() {
        return;
    }
    let Some(handlers) = element.end_tag_handlers() else {
        gatherer.borrow_mut().end(&ending);
        return;
    };
    let gatherer = Rc::clone(gatherer);
    handlers.push(Box::new(move |_: &mut EndTag<'_>| {
        let fallback = gatherer.borrow_mut().end(&ending);
        run_fallback(fallback, &gatherer);
        Ok(())
    }));
}

/// Says of a closure that what it returns may borrow from its text.
fn query_charset<F: Fn(&str) -> Cow<'_, [u8]>>(encode: F) -> F {
    encode
}

fn resolve(gathered: Gatherer, url: &CanonUrl, canon: Canon, encoding: &'static Encoding) -> Scan {
    let encode = query_charset(|text| Cow::Owned(query_bytes(text, encoding)));
    // By the standard, UTF-16 writes its queries in UTF-8.
    let is_legacy = encoding.output_encoding() != encoding_rs::UTF_8;
    let charset = is_legacy.then_some(&encode as QueryCharset<'_>);
    let raw_base = gathered.base.as_deref();
    let base = raw_base.and_then(|raw| url.join_from(raw, canon, charset).ok());
    let mut scan = Scan { cut: gathered.is_cut(), ..Scan::default() };
    let from = base.as_ref().unwrap_or(url);
    for RawLink { href, kind, text, nofollow } in gathered.links {
        match from.join_from(&href, canon, charset) {
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
    scan.title = gathered.title.map(Words::into_text).filter(|title| !title.is_empty());
    scan.language = gathered.language;
    scan.metas = gathered.metas;
    scan.text = gathered.text.into_text();
    scan
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
