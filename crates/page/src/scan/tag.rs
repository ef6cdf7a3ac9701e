//! A start tag as slices of the page, without copies.

use std::borrow::Cow;

use super::name::Name;
use crate::entities::{Place, decode};

/// Name and value of an attribute as written.
pub(crate) type Attribute<'a> = (&'a str, &'a str);

/// A start tag.
pub(crate) struct Tag<'a, 't> {
    pub(crate) name: Name,
    pub(crate) attributes: &'t [Attribute<'a>],
    /// Whether it ends with `/>`, which counts in SVG and `MathML` only.
    pub(crate) is_self_closing: bool,
    /// Whether it has no content, because it ends so in XML.
    pub(crate) is_empty: bool,
}

impl<'a> Tag<'a, '_> {
    /// The value of an attribute as written; the first one counts.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a str> {
        let is_it = |attribute: &&Attribute<'_>| attribute.0.eq_ignore_ascii_case(name);
        self.attributes.iter().find(is_it).map(|attribute| attribute.1)
    }

    /// The value of an attribute with its character references decoded.
    pub(crate) fn value(&self, name: &str) -> Option<Cow<'a, str>> {
        self.raw(name).map(|raw| decode(raw, Place::Attribute))
    }

    /// Whether an attribute that is a list of words has this one, in any case.
    pub(crate) fn lists(&self, name: &str, word: &str) -> bool {
        let value = self.raw(name);
        value.is_some_and(|value| {
            value.split_ascii_whitespace().any(|found| found.eq_ignore_ascii_case(word))
        })
    }
}
