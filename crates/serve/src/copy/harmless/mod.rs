//! A page of the web written anew so that it can do nothing: it runs nothing, loads nothing, sends
//! nothing, and its links lead to copies.
//!
//! Nothing of the page is passed on as it is. Its tokens are read, and what comes out is written by
//! us: tags by names of a list, attributes by names of a list with their values in quotation marks,
//! and text in which no tag can begin. So it does not matter where another reader of the page would
//! have seen a tag.

mod css;
mod names;
#[cfg(test)]
mod tests;
mod xml;

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use lol_html::html_content::{Element, TextChunk, TextType};
use lol_html::{HtmlRewriter, MemorySettings, Settings, doc_text, doctype, element};
use rhumb_page::{Charset, scan};
use rhumb_web::{Canon, CanonUrl};

use self::names::{Fate, attribute, control, is_control, is_formatting, is_integrating};
pub(super) use self::xml::with_ends;
use crate::look::link;

/// The most that is written: a long base makes a long link of every short one.
const WRITTEN_BYTES_MAX: usize = 12 << 20;
/// What the reader of tokens may keep, most of it for elements that are open.
const MEMORY_MAX: usize = 32 << 20;
/// The longest value of an attribute that stays.
const VALUE_BYTES_MAX: usize = 16 << 10;
/// Elements for those who run nothing that are shown: each is read by a reader of its own.
const NOSCRIPTS_MAX: usize = 200;
/// What is read between two looks at whether it is enough.
const STEP_BYTES: usize = 64 << 10;

/// Before everything else: what the page's own rules do not know of.
const PRELUDE: &str = "<meta charset=\"utf-8\"><meta name=\"robots\" content=\"noindex\"><style>\
    .rhumb-picture{border:1px dotted;padding:0 .3em}\
    .rhumb-cut{border:2px solid;padding:.5em;margin:.5em}</style>";

/// Where a page stands, and how its links are written.
#[derive(Clone, Debug)]
pub(super) struct Base {
    /// What its links start from.
    pub(super) url: CanonUrl,
    /// How they become canonical.
    pub(super) canon: Canon,
    /// How their queries are written.
    pub(super) charset: Charset,
}

/// A page that can do nothing; none where it could not be read to its end.
pub(super) fn harmless(page: &str, base: Base, is_cut: bool) -> Option<String> {
    let writer = Rc::new(RefCell::new(Writer::new(base)));
    let read = read(page, &writer);
    read_noscript(&writer);
    let mut writer = writer.borrow_mut();
    if read.is_none() && !writer.is_full {
        return None;
    }
    writer.end_all();
    let doctype = if writer.has_doctype { "<!DOCTYPE html>" } else { "" };
    let cut = if is_cut || writer.is_full {
        "<p class=\"rhumb-cut\">This page is too long to be shown whole.</p>"
    } else {
        ""
    };
    Some([doctype, PRELUDE, cut, &writer.out].concat())
}

/// Reads the tokens of a page.
fn read(page: &str, writer: &Rc<RefCell<Writer>>) -> Option<()> {
    let settings = Settings::new()
        // Ambiguities are no danger to what is written here.
        .with_strict(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY_MAX))
        .append_document_content_handler(doctype!(|_| {
            writer.borrow_mut().has_doctype = true;
            Ok(())
        }))
        .append_document_content_handler(doc_text!(|text| {
            writer.borrow_mut().text(text);
            Ok(())
        }))
        .append_element_content_handler(element!("*", |element| {
            if let Some(end) = writer.borrow_mut().start(element)
                && element.can_have_content()
            {
                let writer = Rc::clone(writer);
                element.on_end_tag(Box::new(move |tag| {
                    writer.borrow_mut().end(end, &tag.name());
                    read_noscript(&writer);
                    Ok(())
                }))?;
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    for step in page.as_bytes().chunks(STEP_BYTES) {
        rewriter.write(step).ok()?;
        if writer.borrow().is_full {
            return None;
        }
    }
    rewriter.end().ok()
}

/// Reads what is for those who run nothing, if it is there: to the reader of the page it is text.
/// It has no end of such an element in it, so this goes no deeper.
fn read_noscript(writer: &Rc<RefCell<Writer>>) {
    let inside = writer.borrow_mut().take_noscript();
    if let Some(inside) = inside {
        // What of it cannot be read is left out.
        let _read = read(&inside, writer);
        writer.borrow_mut().end_all();
    }
}

/// What is to be done where an element ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Its tag is written.
    Tag(&'static str),
    /// What was left out is at its end.
    Dropped,
    /// Its rules are known.
    Style,
    /// It is known whole, and to be read.
    NoScript,
}

/// What is left out at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dropping {
    /// All, up to the end of an element.
    All,
    /// What is of another language than HTML.
    Foreign,
}

#[derive(Debug)]
struct Writer {
    base: Base,
    out: String,
    has_doctype: bool,
    /// There was more than may be written.
    is_full: bool,
    /// The kind of what is left out, within such.
    dropping: Option<Dropping>,
    /// Rules that are being read.
    style: Option<String>,
    /// What is for those who run nothing, as far as it is read.
    noscript: Option<String>,
    /// How many elements for those who run nothing were met.
    noscripts: usize,
    /// Within a link that has no words so far: whether it has a picture.
    wordless: Option<bool>,
}

impl Writer {
    fn new(base: Base) -> Self {
        Self {
            base,
            out: String::new(),
            has_doctype: false,
            is_full: false,
            dropping: None,
            style: None,
            noscript: None,
            noscripts: 0,
            wordless: None,
        }
    }

    /// Writes all of it or nothing: half a tag would eat what follows.
    fn write(&mut self, text: &str) {
        self.is_full |= self.out.len() + text.len() > WRITTEN_BYTES_MAX;
        if !self.is_full {
            self.out.push_str(text);
        }
    }

    fn start(&mut self, element: &Element<'_, '_>) -> Option<End> {
        let name = element.tag_name();
        // Foreign content that is never ended does not take the rest of the page with it.
        if self.dropping == Some(Dropping::Foreign) && is_html(element) && !is_integrating(&name) {
            self.dropping = None;
        }
        if self.dropping.is_some() || self.style.is_some() || self.noscript.is_some() {
            return None;
        }
        let has_content = element.can_have_content();
        match Fate::of(&name) {
            Fate::Kept(name) => return self.keep(name, element),
            Fate::Unwrapped => {}
            Fate::Dropped => {
                self.dropping = has_content.then_some(Dropping::All);
                return Some(End::Dropped);
            }
            Fate::Foreign => {
                self.dropping = has_content.then_some(Dropping::Foreign);
                return Some(End::Dropped);
            }
            Fate::NoScript => {
                self.noscript = has_content.then(String::new);
                return Some(End::NoScript);
            }
            Fate::Style => {
                self.style = has_content.then(String::new);
                return Some(End::Style);
            }
            Fate::Picture => self.picture(value(element, "alt").as_deref().unwrap_or_default()),
            Fate::Area => {
                let alt = value(element, "alt").unwrap_or_default();
                self.link_to(value(element, "href"), &escaped(&alt));
            }
            Fate::Frame => {
                self.link_to(value(element, "src"), "frame");
                // What is in it is for those who know no frames.
                self.dropping = (name == "iframe").then_some(Dropping::All);
                return Some(End::Dropped);
            }
        }
        None
    }

    fn keep(&mut self, name: &'static str, element: &Element<'_, '_>) -> Option<End> {
        let mut tag = format!("<{name}");
        if name == "input" {
            let kind = control(&value(element, "type").unwrap_or_default())?;
            push_attribute(&mut tag, "type", kind);
        }
        let mut met = Vec::new();
        for given in element.attributes() {
            let given_name = given.name();
            // The first of a name counts.
            let Some(known) = kept_attribute(name, &given_name).filter(|it| !met.contains(it))
            else {
                continue;
            };
            met.push(known);
            let given = given.value();
            if given.len() > VALUE_BYTES_MAX {
                continue;
            }
            match known {
                "style" => {
                    if let Some(rules) = css::declarations(&given) {
                        push_attribute(&mut tag, known, &rules);
                    }
                }
                "href" => {
                    if let Some(to) = self.copy_of(&given) {
                        push_attribute(&mut tag, known, &to);
                        push_attribute(&mut tag, "target", target(&to));
                        self.wordless = Some(false);
                    }
                }
                _ => push_attribute(&mut tag, known, &given),
            }
        }
        if is_control(name) {
            push_attribute(&mut tag, "disabled", "");
        }
        tag.push('>');
        self.write(&tag);
        Some(End::Tag(name))
    }

    /// Writes what a picture is of. One without words is worth a word only as all that a link has.
    fn picture(&mut self, alt: &str) {
        if alt.trim().is_empty() {
            self.wordless = self.wordless.map(|_| true);
        } else {
            self.wordless = None;
            self.write(&format!("<span class=\"rhumb-picture\">{}</span>", escaped(alt)));
        }
    }

    fn link_to(&mut self, to: Option<String>, escaped_text: &str) {
        let text = if escaped_text.trim().is_empty() { "link" } else { escaped_text };
        if let Some(to) = to.and_then(|to| self.copy_of(&to)) {
            let mut tag = "<a".to_owned();
            push_attribute(&mut tag, "href", &to);
            push_attribute(&mut tag, "target", target(&to));
            self.write(&format!("{tag}>{text}</a> "));
        }
    }

    /// Where a link leads among copies, by its address as the page writes it.
    fn copy_of(&self, written: &str) -> Option<String> {
        if written.starts_with('#') {
            return Some(written.to_owned());
        }
        // The room that reads links reads this one as it does all others.
        let page = format!("<a href=\"{}\">", written.replace('"', "&quot;"));
        let Base { url, canon, charset } = &self.base;
        let links = scan(&page, url, *canon, charset.encoding).links;
        links.first().map(|to| link("/copy", &[("url", to.url.as_str())]))
    }

    fn text(&mut self, text: &TextChunk<'_>) {
        if let Some(raw) = self.style.as_mut().or(self.noscript.as_mut()) {
            raw.push_str(text.as_str());
        } else if self.dropping.is_none() {
            if !text.as_str().trim().is_empty() {
                self.wordless = None;
            }
            let has_references = matches!(text.text_type(), TextType::Data | TextType::RCData);
            let text = Cow::Borrowed(text.as_str());
            let text = if has_references { text } else { Cow::Owned(text.replace('&', "&amp;")) };
            self.write(&escaped(&text));
        }
    }

    fn end(&mut self, end: End, closing: &str) {
        match end {
            End::Dropped => self.dropping = None,
            End::Style => self.end_style(),
            // One that is ended by the end of another is so without a word.
            End::Tag(name) if Fate::of(closing) == Fate::Kept(name) || is_formatting(name) => {
                if name == "a" && self.wordless.take() == Some(true) {
                    self.picture("picture");
                }
                self.write(&format!("</{name}>"));
            }
            // What is for those who run nothing is read by whoever holds the writer.
            End::Tag(_) | End::NoScript => {}
        }
    }

    fn end_style(&mut self) {
        if let Some(style) = self.style.take() {
            self.write(&format!("<style>{}</style>", css::harmless(&style)));
        }
    }

    /// Ends what was never ended.
    fn end_all(&mut self) {
        self.end_style();
        (self.dropping, self.noscript) = (None, None);
    }

    /// What is for those who run nothing, once it is there and if there was not too much of it.
    fn take_noscript(&mut self) -> Option<String> {
        let inside = self.noscript.take()?;
        self.noscripts += 1;
        (self.noscripts <= NOSCRIPTS_MAX).then_some(inside)
    }
}

/// Whether an element is one of HTML, or HTML may begin in it.
fn is_html(element: &Element<'_, '_>) -> bool {
    element.namespace_uri() == "http://www.w3.org/1999/xhtml"
}

/// The name of an attribute that stays on an element.
fn kept_attribute(element: &str, name: &str) -> Option<&'static str> {
    match name {
        "style" => Some("style"),
        "href" => (element == "a").then_some("href"),
        "type" if element == "input" => None,
        _ => attribute(name),
    }
}

/// Links within the page stay in the frame, all others leave it.
fn target(to: &str) -> &'static str {
    if to.starts_with('#') { "_self" } else { "_top" }
}

/// The value of an attribute as it is written, if it is of a bearable length.
fn value(element: &Element<'_, '_>, name: &str) -> Option<String> {
    element.get_attribute(name).filter(|value| value.len() <= VALUE_BYTES_MAX)
}

/// Adds an attribute, whose references stay as they are written.
fn push_attribute(tag: &mut String, name: &str, value: &str) {
    for part in [" ", name, "=\"", &escaped(value), "\""] {
        tag.push_str(part);
    }
}

/// A text in which no tag begins and no value ends; its references stay as they are written.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\0' => {}
            sign => out.push(sign),
        }
    }
    out
}
