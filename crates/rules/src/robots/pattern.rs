//! Path patterns: `*` is any run of octets, a final `$` is the end of the path (RFC 9309 §2.2.3),
//! and two spellings of one octet are the same (§2.2.2).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::reading::Reading;

/// A rule's path, ready to be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pattern {
    /// Literal pieces with stars between them.
    text: Box<str>,
    /// Whether the path must end where the pattern does.
    ends: bool,
    /// The octets that it was written with.
    weight: usize,
}

impl Pattern {
    /// Reads what [`escape`] made of a line's value.
    pub(super) fn new(value: &str, reading: Reading) -> Self {
        let (text, ends) = value.strip_suffix('$').map_or((value, false), |text| (text, true));
        let text = match reading {
            Reading::Standard => normal(text, |byte| byte == b'*'),
            Reading::Reference => Cow::Borrowed(text),
        };
        let weight = text.len() + usize::from(ends);
        Self { text: Box::from(text.as_ref()), ends, weight }
    }

    /// Its octets: of two patterns that match, the longer one decides.
    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    pub(super) fn has_star(&self) -> bool {
        self.text.contains('*')
    }

    /// Leaves what stands before the first star, which matches all that the whole does and more.
    /// The weight stays: a lighter one could lose to a rule that allows.
    pub(super) fn shorten(&mut self) {
        if let Some((start, _)) = self.text.split_once('*') {
            self.text = Box::from(start);
            self.ends = false;
        }
    }

    /// Whether the path begins with this. Each piece is taken where it first occurs, which never
    /// misses a match, so the time is linear however many stars there are.
    pub(super) fn matches(&self, path: &str) -> bool {
        let mut pieces = self.text.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = path.strip_prefix(first) else {
            return false;
        };
        let Some(last) = pieces.next_back() else {
            return !self.ends || rest.is_empty();
        };
        for piece in pieces {
            match rest.find(piece) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        if self.ends { rest.ends_with(last) } else { rest.contains(last) }
    }
}

/// A line's value in ASCII: escapes in upper case, octets beyond ASCII escaped.
pub(super) fn escape(value: &[u8]) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if let Some(byte) = escaped(*first, rest) {
            push_escape(&mut out, byte);
            rest = &rest[2..];
        } else if first.is_ascii() {
            out.push(char::from(*first));
        } else {
            push_escape(&mut out, *first);
        }
    }
    out
}

/// A canonical path in the form in which paths and patterns are compared.
pub(super) fn normal_path(path: &str) -> Cow<'_, str> {
    normal(path, |_| false)
}

/// One spelling for each octet: unreserved ones bare, others that may stand in a URL as they are,
/// the rest escaped. A literal star or dollar is escaped as well, so that `%2A` in a pattern
/// matches it; the pattern's own stars are `spared`.
fn normal(text: &str, spared: fn(u8) -> bool) -> Cow<'_, str> {
    let stays = |byte: u8| is_unreserved(byte) || b"/?:@!&()+,;=[]".contains(&byte) || spared(byte);
    if text.bytes().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if let Some(byte) = escaped(*first, rest) {
            rest = &rest[2..];
            if is_unreserved(byte) {
                out.push(char::from(byte));
            } else {
                push_escape(&mut out, byte);
            }
        } else if stays(*first) || *first == b'%' {
            out.push(char::from(*first));
        } else {
            push_escape(&mut out, *first);
        }
    }
    Cow::Owned(out)
}

/// The octet that a percent sign and the two digits after it stand for.
fn escaped(first: u8, rest: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
    match rest {
        [high, low, ..] if first == b'%' => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    }
}

fn push_escape(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}
