//! The index beside the files: sorted lines of URL key, timestamp and JSON, as `cdxj-indexer`
//! writes them.

mod find;
mod sort;

use std::borrow::Cow;
use std::fmt::Write as _;

pub(crate) use find::{Line, Order, each_line, next_line, payload_in};
pub(crate) use sort::{create_anew, merge, sort_file};

use crate::encode::WARC_FIELDS;
use crate::http::HttpMessage;
use crate::read::Kind;
use crate::stamp;
use crate::surt::surt;

/// Room for a line's beginning beside its URL, and for its end beside its file: most need no more.
const HEAD_BYTES: usize = 128;
const END_BYTES: usize = 96;

/// A line without its end, which says where the record lies: known only once it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineHead(String);

impl LineHead {
    /// The line of a record, if it is of a kind that the index names.
    pub(crate) fn new(
        kind: Kind,
        url: &str,
        date: &str,
        message: Option<&HttpMessage<'_>>,
        media_type: Option<&str>,
        digest: Option<&str>,
    ) -> Option<Self> {
        let is_indexed = match kind {
            Kind::Response | Kind::Revisit => true,
            Kind::Resource | Kind::Metadata => media_type != Some(WARC_FIELDS),
            _ => false,
        };
        if !is_indexed {
            return None;
        }
        let named = message.and_then(|message| message.header("content-type")).map(text);
        let media_type = match kind {
            Kind::Revisit => Some("warc/revisit"),
            Kind::Response => named.as_deref().map(bare_type),
            _ => media_type.map(bare_type),
        };
        let mut head = surt(url);
        head.reserve(url.len() + HEAD_BYTES);
        head.push(' ');
        head.extend(stamp::digits(date));
        head.push_str(" {\"url\": ");
        push_json(&mut head, url);
        let fields = [
            ("mime", media_type),
            ("status", message.and_then(HttpMessage::status)),
            ("digest", digest),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                for part in [", \"", name, "\": "] {
                    head.push_str(part);
                }
                push_json(&mut head, value);
            }
        }
        Some(Self(head))
    }

    /// The whole line.
    pub(crate) fn place(&self, file: &str, offset: u64, length: u64) -> String {
        let mut line = String::with_capacity(self.0.len() + file.len() + END_BYTES);
        line.push_str(&self.0);
        write!(line, ", \"length\": \"{length}\", \"offset\": \"{offset}\", \"filename\": ")
            .expect("a string takes any text");
        push_json(&mut line, file);
        line.push_str("}\n");
        line
    }
}

/// A header's value as text: UTF-8, or else Latin-1.
fn text(value: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(value) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => value.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// A media type without its parameters.
fn bare_type(value: &str) -> &str {
    // Python counts four more control characters as white space than Rust does.
    let ends = |c: char| c == ';' || c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
    value.split(ends).next().unwrap_or_default()
}

/// A JSON string in ASCII alone.
fn push_json(out: &mut String, value: &str) {
    out.push('"');
    if value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
        out.push_str(value);
    } else {
        value.chars().for_each(|unit| push_escaped(out, unit));
    }
    out.push('"');
}

fn push_escaped(out: &mut String, unit: char) {
    match unit {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        ' '..='~' => out.push(unit),
        _ => {
            for half in unit.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{half:04x}").expect("a string takes any text");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_has_the_line_that_the_indexer_writes() {
        let block = b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n\r\n";
        let message = HttpMessage::split(block);
        let url = "https://www.example.org/A";
        let date = "2026-02-03T04:05:06.789Z";
        let head =
            LineHead::new(Kind::Response, url, date, Some(&message), None, Some("sha1:X")).unwrap();
        let expect = concat!(
            r#"org,example)/a 20260203040506 {"url": "https://www.example.org/A", "#,
            r#""mime": "text/html", "status": "200", "digest": "sha1:X", "#,
            r#""length": "5", "offset": "7", "filename": "f.warc.gz"}"#,
            "\n"
        );
        assert_eq!(head.place("f.warc.gz", 7, 5), expect);
    }

    #[test]
    fn named_values_and_requests_have_no_line() {
        let line = |kind, media| LineHead::new(kind, "http://a/", "2026", None, Some(media), None);
        assert_eq!(line(Kind::Metadata, WARC_FIELDS), None);
        assert_eq!(line(Kind::Request, "application/http; msgtype=request"), None);
        assert!(line(Kind::Resource, "text/dns").is_some());
    }

    #[test]
    fn json_strings_are_ascii() {
        let check = |value, expect| {
            let mut out = String::new();
            push_json(&mut out, value);
            assert_eq!(out, expect);
        };
        check("a~b c", r#""a~b c""#);
        check("a\"b", r#""a\"b""#);
        check("a\\b", r#""a\\b""#);
        check("a\"\\\n\u{7f}é😀", r#""a\"\\\n\u007f\u00e9\ud83d\ude00""#);
    }
}
