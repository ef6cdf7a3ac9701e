//! XML as Office files have it: elements by their local names, nothing expanded but the five
//! predefined entities and numbers.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesEnd, BytesStart, Event};

use crate::extract::End;

/// The most elements inside one another.
const DEPTH_MAX: usize = 1_000;

/// A document that is read from its beginning to its end.
pub(crate) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
}

/// One thing after another.
pub(crate) enum Node<'a> {
    Open(Tag<'a>),
    Text(Cow<'a, str>),
    Close(Name<'a>),
}

/// An element that begins.
pub(crate) struct Tag<'a>(BytesStart<'a>);

/// The name of an element that ends.
pub(crate) struct Name<'a>(BytesEnd<'a>);

impl<'a> Xml<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self { reader, depth: 0 }
    }

    /// What comes next; nothing at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Node<'a>>, End> {
        loop {
            let event = self.reader.read_event();
            return Ok(Some(match event {
                Ok(Event::Start(tag)) => {
                    self.depth += 1;
                    if self.depth > DEPTH_MAX {
                        return Err(End::broken("its elements are nested too deep"));
                    }
                    Node::Open(Tag(tag))
                }
                Ok(Event::End(name)) => {
                    self.depth = self.depth.saturating_sub(1);
                    Node::Close(Name(name))
                }
                Ok(Event::Text(text)) => Node::Text(Cow::Owned(text.xml10_content().into_owned())),
                Ok(Event::CData(text)) => Node::Text(Cow::Owned(text.xml10_content().into_owned())),
                Ok(Event::GeneralRef(reference)) => match reference.resolve_char_ref() {
                    Ok(Some(char)) => Node::Text(Cow::Owned(char.to_string())),
                    Ok(None) => match resolve_xml_entity(&reference.xml10_content()) {
                        Some(text) => Node::Text(Cow::Borrowed(text)),
                        None => continue,
                    },
                    Err(_) => continue,
                },
                Ok(
                    Event::Empty(_)
                    | Event::Comment(_)
                    | Event::Decl(_)
                    | Event::PI(_)
                    | Event::DocType(_),
                ) => continue,
                Ok(Event::Eof) if self.depth == 0 => return Ok(None),
                Ok(Event::Eof) => return Err(End::broken("its XML ends early")),
                Err(error) => {
                    return Err(End::Broken(format!("its XML is not well-formed: {error}")));
                }
            }));
        }
    }

    /// Goes on behind the end of the element that was opened last.
    pub(crate) fn skip(&mut self) -> Result<(), End> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside && self.next()?.is_some() {}
        Ok(())
    }

    /// All text within the element that was opened last, up to its end.
    pub(crate) fn inner_text(&mut self) -> Result<String, End> {
        let outside = self.depth.saturating_sub(1);
        let mut inner = String::new();
        while self.depth > outside {
            match self.next()? {
                Some(Node::Text(text)) => inner.push_str(&text),
                Some(_) => {}
                None => break,
            }
        }
        Ok(inner)
    }
}

impl Tag<'_> {
    pub(crate) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The value of an attribute, by its local name.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        self.find(|key| key.rsplit(':').next() == Some(name))
    }

    /// The name of the relation that this element stands for: `r:id`, however `r` is called.
    pub(crate) fn relation(&self) -> Option<String> {
        self.find(|key| key.ends_with(":id"))
    }

    fn find(&self, wanted: impl Fn(&str) -> bool) -> Option<String> {
        let mut attributes = self.0.html_attributes();
        let mut attributes = attributes.with_checks(false).flatten();
        let found = attributes.find(|attribute| wanted(attribute.key.as_ref()))?;
        let raw: &str = &found.value;
        let plain = quick_xml::escape::unescape_with(raw, resolve_xml_entity);
        Some(plain.map_or_else(|_| raw.to_owned(), Cow::into_owned))
    }
}

impl Name<'_> {
    pub(crate) fn as_str(&self) -> &str {
        self.0.local_name().into_inner()
    }
}
