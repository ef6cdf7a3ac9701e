//! A start tag as slices of the page, without copies.

use lol_html::html_content::{Attribute, Element};

use crate::entities::{Place, decode};
use std::borrow::Cow;

/// The longest element name that means something to a scan.
const NAME_BYTES_MAX: usize = 16;

/// A start tag.
pub(super) struct Tag<'a, 'e> {
    html: &'a str,
    name: [u8; NAME_BYTES_MAX],
    name_len: usize,
    attributes: &'e [Attribute<'e>],
    /// Whether it is HTML and not foreign content such as SVG.
    pub(super) is_html: bool,
}

impl<'a, 'e> Tag<'a, 'e> {
    /// The tag of an element that the parser found in this page.
    pub(super) fn of(html: &'a str, element: &'e Element<'_, '_>) -> Option<Self> {
        let source = html.get(element.source_location().bytes())?.strip_prefix('<')?;
        let ends = |byte: u8| byte.is_ascii_whitespace() || byte == b'/' || byte == b'>';
        let len = source.bytes().position(ends).unwrap_or(source.len());
        let mut name = [0; NAME_BYTES_MAX];
        // A longer name is none that we know, so it may as well be empty.
        let name_len = if len <= NAME_BYTES_MAX { len } else { 0 };
        for (to, from) in name.iter_mut().zip(source.as_bytes()[..name_len].iter()) {
            *to = from.to_ascii_lowercase();
        }
        let attributes = element.attributes();
        let is_html = element.namespace_uri() == "http://www.w3.org/1999/xhtml";
        Some(Self { html, name, name_len, attributes, is_html })
    }

    /// Its name in lower case.
    pub(super) fn name(&self) -> &[u8] {
        &self.name[..self.name_len]
    }

    /// The value of an attribute as written; the first one counts.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        let is_it = |attribute: &&Attribute<'_>| {
            let range = attribute.name_source_location().map(|location| location.bytes());
            let found = range.and_then(|range| self.html.get(range));
            found.is_some_and(|found| found.eq_ignore_ascii_case(name))
        };
        let attribute = self.attributes.iter().find(is_it)?;
        let range = attribute.value_source_location().map(|location| location.bytes());
        Some(range.and_then(|range| self.html.get(range)).unwrap_or_default())
    }

    /// The value of an attribute with its character references decoded.
    pub(super) fn value(&self, name: &str) -> Option<Cow<'a, str>> {
        self.raw(name).map(|raw| decode(raw, Place::Attribute))
    }

    /// Whether an attribute that is a list of words has this one, in any case.
    pub(super) fn lists(&self, name: &str, word: &str) -> bool {
        let value = self.raw(name);
        value.is_some_and(|value| {
            value.split_ascii_whitespace().any(|found| found.eq_ignore_ascii_case(word))
        })
    }
}
