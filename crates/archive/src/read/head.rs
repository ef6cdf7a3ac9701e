//! The head of a record: its version, and its named fields.

use std::io::{self, BufRead, Read};

use super::flaw::Flaw;

/// The bytes that a record's head may have. A URL is at most a few kilobytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The kinds of records that the standard knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// What the file is and who made it.
    Warcinfo,
    /// An answer, with its protocol's head.
    Response,
    /// A thing without a protocol around it.
    Resource,
    /// What was asked.
    Request,
    /// Something about another record.
    Metadata,
    /// An answer whose payload is kept elsewhere.
    Revisit,
    /// A thing made of another record.
    Conversion,
    /// The rest of a record that was split.
    Continuation,
    /// None of these.
    Other,
}

impl Kind {
    /// Its name in `WARC-Type`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Warcinfo => "warcinfo",
            Self::Response => "response",
            Self::Resource => "resource",
            Self::Request => "request",
            Self::Metadata => "metadata",
            Self::Revisit => "revisit",
            Self::Conversion => "conversion",
            Self::Continuation => "continuation",
            Self::Other => "other",
        }
    }

    fn of(word: &str) -> Self {
        let known = [
            Self::Warcinfo,
            Self::Response,
            Self::Resource,
            Self::Request,
            Self::Metadata,
            Self::Revisit,
            Self::Conversion,
            Self::Continuation,
        ];
        let found = known.into_iter().find(|kind| kind.word().eq_ignore_ascii_case(word));
        found.unwrap_or(Self::Other)
    }
}

/// What a record says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// `WARC/1.1`.
    pub version: String,
    /// What kind of record it is.
    pub kind: Kind,
    /// The length of its block.
    pub length: u64,
    /// All fields in their order, as written.
    pub fields: Vec<(String, String)>,
}

impl RecordHead {
    /// The first field of that name, in any case.
    pub fn field(&self, name: &str) -> Option<&str> {
        let named = self.fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// The URL that the record is about, without the angle brackets that WARC 1.0 allowed.
    pub fn url(&self) -> Option<&str> {
        let value = self.field("WARC-Target-URI")?;
        let bare = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        Some(bare.unwrap_or(value))
    }

    /// Whether the block is an HTTP message, a request or an answer.
    pub fn is_http(&self) -> bool {
        let is_message = matches!(self.kind, Kind::Response | Kind::Request | Kind::Revisit);
        is_message && self.url().is_some_and(|url| url.starts_with("http"))
    }

    /// Reads a head. Nothing at the end of the input; a flaw where it is none.
    pub(super) fn read(input: &mut dyn BufRead) -> io::Result<Result<Option<Self>, Flaw>> {
        let mut left = HEAD_BYTES_MAX;
        let Some(version) = read_line(input, &mut left)? else { return Ok(Ok(None)) };
        if version.starts_with(b"filedesc:") {
            return Ok(Err(Flaw::Arc));
        }
        if !version.starts_with(b"WARC/") {
            return Ok(Err(Flaw::NotWarc));
        }
        let version = String::from_utf8_lossy(&version).into_owned();
        let mut fields: Vec<(String, String)> = Vec::new();
        loop {
            let Some(line) = read_line(input, &mut left)? else { return Ok(Err(Flaw::CutShort)) };
            if left == 0 {
                return Ok(Err(Flaw::HeadTooLong));
            }
            if line.is_empty() {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            match (text.split_once(':'), fields.last_mut()) {
                (_, Some((_, value))) if line[0].is_ascii_whitespace() => {
                    value.push(' ');
                    value.push_str(text.trim());
                }
                (Some((name, value)), _) => {
                    fields.push((name.trim().to_owned(), value.trim().to_owned()));
                }
                (None, _) => return Ok(Err(Flaw::BadHead)),
            }
        }
        let mut head = Self { version, kind: Kind::Other, length: 0, fields };
        head.kind = head.field("WARC-Type").map_or(Kind::Other, Kind::of);
        match head.field("Content-Length").map(str::parse) {
            Some(Ok(length)) => head.length = length,
            _ => return Ok(Err(Flaw::BadLength)),
        }
        Ok(Ok(Some(head)))
    }
}

/// A line without its end; nothing at the end of the input.
fn read_line(input: &mut dyn BufRead, left: &mut usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let max = u64::try_from(*left).expect("a length fits 64 bits");
    let read = input.take(max).read_until(b'\n', &mut line)?;
    if read == 0 && *left > 0 {
        return Ok(None);
    }
    *left -= read;
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(line))
}
