//! The tokeniser of the HTML standard, as far as it can be told where tags, text and comments
//! begin and end. Everything it gives out is a slice of the page.
//!
//! It is our own because a general one costs several times as much: it must be ready to rewrite
//! the page, and hands text through a decoder.

use memchr::{memchr, memchr2, memmem};

use super::name::Name;
use super::tag::{Attribute, Tag};

/// The most attributes of one tag that are kept.
const ATTRIBUTES_MAX: usize = 256;

/// What comes next in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A start tag, whose attributes [`Tokens::tag`] gives.
    Start(Name),
    End(Name),
    /// Text with its character references as written.
    Text(&'a str),
    /// The inside of a comment.
    Comment(&'a str),
}

/// Goes through a page.
pub(crate) struct Tokens<'a> {
    html: &'a str,
    at: usize,
    attributes: Vec<Attribute<'a>>,
    is_self_closing: bool,
    /// Whether an element may close itself, whatever it is.
    is_xml: bool,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(html: &'a str, is_xml: bool) -> Self {
        Self { html, at: 0, attributes: Vec::new(), is_self_closing: false, is_xml }
    }

    /// The next token. Inside SVG and `MathML`, which are foreign, there are CDATA sections; they
    /// are passed over.
    pub(crate) fn next(&mut self, is_foreign: bool) -> Option<Token<'a>> {
        loop {
            let rest = &self.html[self.at..];
            let bytes = rest.as_bytes();
            match bytes {
                [] => return None,
                [b'<', letter, ..] if letter.is_ascii_alphabetic() => {
                    return self.read_tag(1).map(Token::Start);
                }
                [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic() => {
                    return self.read_tag(2).map(Token::End);
                }
                [b'<', b'!', b'-', b'-', ..] => return Some(self.comment()),
                [b'<', b'!', cdata @ ..] if is_foreign && cdata.starts_with(b"[CDATA[") => {
                    self.at += memmem::find(bytes, b"]]>").map_or(rest.len(), |at| at + 3);
                }
                // A doctype, or a mistake that the standard takes for a comment.
                [b'<', b'!' | b'?', ..] | [b'<', b'/', _, ..] => {
                    self.at += memchr(b'>', bytes).map_or(rest.len(), |at| at + 1);
                }
                [_, after @ ..] => {
                    let end = memchr(b'<', after).map_or(rest.len(), |at| at + 1);
                    self.at += end;
                    return Some(Token::Text(&rest[..end]));
                }
            }
        }
    }

    /// The start tag that came last.
    pub(crate) fn tag(&self, name: Name) -> Tag<'a, '_> {
        let is_self_closing = self.is_self_closing;
        let is_empty = self.is_xml && is_self_closing;
        Tag { name, attributes: &self.attributes, is_self_closing, is_empty }
    }

    /// The content of an element whose content is no markup: up to its end tag, or to the end.
    pub(crate) fn raw_text(&mut self, name: Name) -> &'a str {
        if self.is_xml && self.is_self_closing {
            return "";
        }
        let rest = &self.html[self.at..];
        let end = if name.known() == b"script" {
            script_end(rest.as_bytes())
        } else {
            raw_end(rest.as_bytes(), name.known())
        };
        self.at += end;
        &rest[..end]
    }

    /// Everything that is left.
    pub(crate) fn rest(&mut self) -> &'a str {
        let rest = &self.html[self.at..];
        self.at = self.html.len();
        rest
    }

    /// Reads a tag whose name begins so many bytes from here, and goes behind it.
    /// A tag that the page does not end is none.
    fn read_tag(&mut self, name_offset: usize) -> Option<Name> {
        let start = self.at + name_offset;
        self.at = self.html.len();
        self.attributes.clear();
        let bytes = self.html.as_bytes();
        let mut at = find(bytes, start, |byte| is_space(byte) || matches!(byte, b'/' | b'>'))?;
        let name = Name::of(&self.html[start..at]);
        loop {
            let before = at;
            at = find(bytes, at, |byte| !is_space(byte) && byte != b'/')?;
            if bytes[at] == b'>' {
                self.is_self_closing = at > before && bytes[at - 1] == b'/';
                self.at = at + 1;
                return Some(name);
            }
            let (attribute, end) = self.attribute(at)?;
            at = end;
            if self.attributes.len() < ATTRIBUTES_MAX {
                self.attributes.push(attribute);
            }
        }
    }

    /// The attribute that begins here, and where it ends.
    fn attribute(&self, start: usize) -> Option<(Attribute<'a>, usize)> {
        let bytes = self.html.as_bytes();
        // A name may begin with an equals sign.
        let name_end =
            find(bytes, start + 1, |byte| is_space(byte) || matches!(byte, b'=' | b'/' | b'>'))?;
        let name = &self.html[start..name_end];
        let equals = find(bytes, name_end, |byte| !is_space(byte))?;
        if bytes[equals] != b'=' {
            return Some(((name, ""), equals));
        }
        let at = find(bytes, equals + 1, |byte| !is_space(byte))?;
        let (value, end) = if let quote @ (b'"' | b'\'') = bytes[at] {
            let end = at + 1 + memchr(quote, &bytes[at + 1..])?;
            (&self.html[at + 1..end], end + 1)
        } else {
            let end = find(bytes, at, |byte| is_space(byte) || byte == b'>')?;
            (&self.html[at..end], end)
        };
        Some(((name, value), end))
    }

    /// Reads the comment that begins here. Its first hyphens may also be those of its end.
    fn comment(&mut self) -> Token<'a> {
        let rest = &self.html[self.at + b"<!".len()..];
        let mut from = 0;
        while let Some(next) = memchr(b'>', &rest.as_bytes()[from..]) {
            let inside = &rest[..from + next];
            from += next + 1;
            let is_end = inside.ends_with("--") || inside.len() > 4 && inside.ends_with("--!");
            if is_end {
                self.at += b"<!".len() + from;
                return Token::Comment(inside.trim_end_matches('!').trim_matches('-'));
            }
        }
        self.at = self.html.len();
        Token::Comment(rest.trim_matches('-'))
    }
}

fn find(bytes: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    bytes[from..].iter().position(|byte| wanted(*byte)).map(|at| from + at)
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

/// Whether a tag begins here: so many signs, then this name and nothing that would prolong it.
fn opens(bytes: &[u8], signs: &[u8], name: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(signs) else {
        return false;
    };
    rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && rest.get(name.len()).is_some_and(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'))
}

fn raw_end(bytes: &[u8], name: &[u8]) -> usize {
    let is_end = |at: &usize| opens(&bytes[*at..], b"</", name);
    memchr::memchr_iter(b'<', bytes).find(is_end).unwrap_or(bytes.len())
}

/// What keeps a script from ending, by the standard: a comment, and a script within it.
#[derive(Clone, Copy)]
enum Hiding {
    Nothing,
    Comment,
    Script,
}

fn script_end(bytes: &[u8]) -> usize {
    let mut hiding = Hiding::Nothing;
    let mut at = 0;
    while let Some(next) = memchr2(b'<', b'-', &bytes[at..]) {
        at += next;
        let rest = &bytes[at..];
        let is_end = opens(rest, b"</", b"script");
        hiding = match hiding {
            Hiding::Nothing | Hiding::Comment if is_end => return at,
            Hiding::Nothing if rest.starts_with(b"<!--") => Hiding::Comment,
            Hiding::Comment | Hiding::Script if rest.starts_with(b"-->") => Hiding::Nothing,
            Hiding::Comment if opens(rest, b"<", b"script") => Hiding::Script,
            Hiding::Script if is_end => Hiding::Comment,
            as_before => as_before,
        };
        at += 1;
    }
    bytes.len()
}
