//! What a capture looks like in its frame: a page that can do nothing, or text.

use maud::{DOCTYPE, Markup, html};
use rhumb_page::{Charset, Format, charset, decode};
use rhumb_web::words::{bytes, printable};
use rhumb_web::{Canon, CanonUrl};

use super::capture::Capture;
use super::harmless::{Base, harmless, with_ends};

/// Bytes of a payload that are shown: what is longer is for the file.
const SHOWN_BYTES_MAX: usize = 4 << 20;

/// The document for the frame of a copy, with the text that the index has of it, if it has one.
pub(super) fn shown(capture: &Capture, url: &CanonUrl, canon: Canon, text: Option<&str>) -> String {
    let body = &capture.body[..capture.body.len().min(SHOWN_BYTES_MAX)];
    let is_cut = capture.is_cut || body.len() < capture.body.len();
    if body.is_empty() {
        return document(&html! { p { "This answer has no content." } });
    }
    if capture.page.format == Format::Html
        && let Some(charset) = capture.page.charset
    {
        let mut page = decode(body, charset);
        if capture.mime().is_some_and(|mime| mime.is_xml()) {
            page = with_ends(&page).into();
        }
        let from = capture.page.scan.base.as_ref().unwrap_or(url).clone();
        let base = Base { url: from, canon, charset };
        return harmless(&page, base, is_cut).unwrap_or_else(|| plain(&page, is_cut));
    }
    if let Some(charset) = written_in(capture) {
        return plain(&decode(body, charset), is_cut);
    }
    match text.filter(|text| !text.is_empty()) {
        Some(text) => plain(text, false),
        None => document(&other(capture)),
    }
}

/// The charset of a payload that is made of text.
fn written_in(capture: &Capture) -> Option<Charset> {
    if capture.page.charset.is_some() {
        return capture.page.charset;
    }
    let mime = capture.mime()?;
    let essence = mime.essence.as_str();
    let is_json = essence == "application/json" || essence.ends_with("+json");
    let is_text = is_json || mime.is_xml() || essence.starts_with("text/");
    is_text.then(|| charset(&capture.body, capture.content_type.as_deref()))
}

/// What nobody can show.
fn other(capture: &Capture) -> Markup {
    let size = bytes(u64::try_from(capture.body.len()).expect("a length fits 64 bits"));
    let mime = capture.mime().map_or("a file of an unknown type".to_owned(), |mime| mime.essence);
    html! {
        p { "This is no text that can be shown: " (printable(&mime)) ", " (size) "." }
        p { "The file as it was received can be saved by the link above." }
    }
}

fn plain(text: &str, is_cut: bool) -> String {
    document(&html! {
        @if is_cut { p { "This text is too long to be shown whole." } }
        pre dir="auto" { (text) }
    })
}

/// A document of ours, whose style is in it: the frame may load nothing.
fn document(body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="" {
            head {
                meta charset="utf-8";
                meta name="robots" content="noindex";
                title { "A copy" }
                style { "body{margin:1rem;font-family:sans-serif}pre{white-space:pre-wrap;overflow-wrap:anywhere}" }
            }
            body { (body) }
        }
    };
    page.into_string()
}
