//! An HTTP message inside a block: its head, its body, and the payload that the body carries.

use std::borrow::Cow;
use std::{iter, mem};

use memchr::{memchr, memchr_iter};

/// The longest line that may announce a chunk, extensions included.
const CHUNK_LINE_MAX: usize = 4_096;
/// Hexadecimal digits of a chunk's length: more would not fit 64 bits.
const CHUNK_DIGITS_MAX: usize = 16;

/// One message as it came over the wire.
#[derive(Clone, Copy, Debug)]
pub struct HttpMessage<'a> {
    /// First line and headers, with the empty line that ends them.
    pub head: &'a [u8],
    /// What follows, with its transfer encoding.
    pub body: &'a [u8],
}

impl<'a> HttpMessage<'a> {
    /// Splits a block; one without an end of its head is all head.
    pub fn split(block: &'a [u8]) -> Self {
        let (head, body) = block.split_at(head_length(block).unwrap_or(block.len()));
        Self { head, body }
    }

    /// The status code, as it stands in the first line.
    pub fn status(&self) -> Option<&'a str> {
        let line = lines(self.head).next()?;
        let mut words = std::str::from_utf8(line.trim_ascii()).ok()?.split(' ');
        words.next().filter(|word| word.starts_with("HTTP/"))?;
        words.next().filter(|word| !word.is_empty())
    }

    /// The first header of that name, in any case, without the space around it.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.headers().find(|(key, _)| key.eq_ignore_ascii_case(name.as_bytes())).map(|(_, v)| v)
    }

    /// All headers in their order.
    pub fn headers(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        lines(self.head).skip(1).filter_map(|line| {
            let colon = memchr(b':', line)?;
            Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()))
        })
    }

    /// Whether the body comes in chunks.
    pub(crate) fn is_chunked(&self) -> bool {
        let named = |(key, _): &(&[u8], &[u8])| key.eq_ignore_ascii_case(b"transfer-encoding");
        self.headers().filter(named).last().is_some_and(|(_, value)| {
            let last = value.rsplit(|byte| *byte == b',').next().unwrap_or(value);
            last.trim_ascii().eq_ignore_ascii_case(b"chunked")
        })
    }

    /// The body without its transfer encoding; content encodings stay.
    pub fn payload(&self) -> Cow<'a, [u8]> {
        if !self.is_chunked() {
            return Cow::Borrowed(self.body);
        }
        let mut payload = Vec::with_capacity(self.body.len());
        let mut dechunker = Dechunker::default();
        dechunker.push(self.body, |bytes| payload.extend_from_slice(bytes));
        dechunker.end(|bytes| payload.extend_from_slice(bytes));
        Cow::Owned(payload)
    }
}

/// The lines of a head, without the line feeds between them.
fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr_iter(b'\n', head).chain(iter::once(head.len()));
    ends.scan(0, |start, end| Some(&head[mem::replace(start, end + 1)..end]))
}

/// Where the head ends and the body begins.
pub(crate) fn head_length(block: &[u8]) -> Option<usize> {
    memchr_iter(b'\n', block).find_map(|end| {
        let rest = &block[end + 1..];
        match rest {
            [b'\n', ..] => Some(end + 2),
            [b'\r', b'\n', ..] => Some(end + 3),
            _ => None,
        }
    })
}

/// Takes chunks apart (RFC 9112, section 7.1), fed piece by piece.
///
/// A body that is announced as chunked and is not is passed on as it is; one that breaks later
/// ends where it breaks.
#[derive(Debug, Default)]
pub(crate) struct Dechunker {
    state: Chunk,
    line: Vec<u8>,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Chunk {
    /// The line with the length of the first chunk.
    #[default]
    First,
    /// That of a later one.
    Length,
    /// So many bytes of a chunk are still to come.
    Data(u64),
    /// The line end after a chunk.
    DataEnd,
    /// After the last chunk, or after a broken one.
    End,
    /// There are no chunks.
    Raw,
}

impl Dechunker {
    pub(crate) fn push(&mut self, mut input: &[u8], mut sink: impl FnMut(&[u8])) {
        while !input.is_empty() {
            match self.state {
                Chunk::End => return,
                Chunk::Raw => return sink(input),
                Chunk::Data(left) => {
                    let here = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
                    sink(&input[..here]);
                    input = &input[here..];
                    let left = left - u64::try_from(here).expect("a length fits 64 bits");
                    self.state = if left == 0 { Chunk::DataEnd } else { Chunk::Data(left) };
                }
                Chunk::First | Chunk::Length | Chunk::DataEnd => {
                    let end = memchr(b'\n', input).map_or(input.len(), |end| end + 1);
                    self.line.extend_from_slice(&input[..end]);
                    input = &input[end..];
                    self.judge_line(&mut sink);
                }
            }
        }
    }

    /// Gives out a first line that has no end and announces no chunk.
    pub(crate) fn end(self, sink: impl FnOnce(&[u8])) {
        if self.state == Chunk::First && chunk_length(&self.line).is_none() {
            sink(&self.line);
        }
    }

    fn judge_line(&mut self, sink: &mut impl FnMut(&[u8])) {
        let is_whole = self.line.last() == Some(&b'\n');
        if !is_whole && self.line.len() <= CHUNK_LINE_MAX {
            return;
        }
        let next = match (&self.state, is_whole) {
            (Chunk::DataEnd, true) if self.line.trim_ascii().is_empty() => Some(Chunk::Length),
            (Chunk::First | Chunk::Length, true) => {
                let length = chunk_length(&self.line);
                length.map(|length| if length == 0 { Chunk::End } else { Chunk::Data(length) })
            }
            _ => None,
        };
        self.state = next.unwrap_or_else(|| {
            if self.state == Chunk::First {
                sink(&self.line);
                Chunk::Raw
            } else {
                Chunk::End
            }
        });
        self.line.clear();
    }
}

fn chunk_length(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    if digits.len() > CHUNK_DIGITS_MAX || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n";

    fn check(body: &str, payload: &str) {
        let block = format!("{CHUNKED}{body}");
        let message = HttpMessage::split(block.as_bytes());
        assert_eq!(String::from_utf8_lossy(&message.payload()), payload);
        let mut piecewise = Vec::new();
        let mut dechunker = Dechunker::default();
        for byte in body.as_bytes() {
            dechunker.push(&[*byte], |bytes| piecewise.extend_from_slice(bytes));
        }
        dechunker.end(|bytes| piecewise.extend_from_slice(bytes));
        assert_eq!(String::from_utf8_lossy(&piecewise), payload, "byte by byte");
    }

    #[test]
    fn chunks_are_joined_and_trailers_dropped() {
        check("5\r\nhello\r\n7;ext=1\r\n, world\r\n0\r\nTrailer: x\r\n\r\n", "hello, world");
        check("A\n0123456789\n0\n\n", "0123456789");
    }

    #[test]
    fn a_body_that_ends_early_gives_what_came() {
        check("5\r\nhel", "hel");
        check("5\r\nhello\r\n5\r\n", "hello");
    }

    #[test]
    fn a_body_that_breaks_ends_where_it_breaks() {
        check("5\r\nhello\r\nzz\r\nworld", "hello");
        check("5\r\nhelloworld\r\n0\r\n\r\n", "hello");
        check("5\r\nhello\r\n10000000000000000\r\nx", "hello");
    }

    #[test]
    fn a_body_that_only_claims_to_be_chunked_is_kept_as_it_is() {
        check("<html>\r\n</html>", "<html>\r\n</html>");
        check("plain", "plain");
        check("", "");
    }

    #[test]
    fn a_message_is_split_at_its_first_empty_line() {
        let message =
            HttpMessage::split(b"HTTP/1.1 404 Not Found\r\nA: 1\r\na:2\r\n\r\nx\r\n\r\ny");
        assert_eq!(message.status(), Some("404"));
        assert_eq!(message.header("a"), Some(&b"1"[..]));
        assert_eq!(message.body, b"x\r\n\r\ny");
        assert_eq!(HttpMessage::split(b"HTTP/1.0 200\nA: 1\n\nbody").body, b"body");
        assert_eq!(HttpMessage::split(b"no end").body, b"");
    }
}
