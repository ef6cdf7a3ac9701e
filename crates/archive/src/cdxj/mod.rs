//! The index beside the files: sorted lines of URL key, timestamp and JSON, as `cdxj-indexer`
//! writes them.

mod sort;

use std::fmt::Write as _;

pub(crate) use sort::{create_anew, merge, sort_file};

use crate::encode::WARC_FIELDS;
use crate::http::HttpMessage;
use crate::read::Kind;
use crate::stamp;
use crate::surt::surt;

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
            Kind::Revisit => Some("warc/revisit".to_owned()),
            Kind::Response => named.map(|named| bare_type(&named)),
            _ => media_type.map(bare_type),
        };
        let mut head = format!("{} {} {{\"url\": {}", surt(url), stamp::digits(date), json(url));
        let fields = [
            ("mime", media_type.as_deref()),
            ("status", message.and_then(HttpMessage::status)),
            ("digest", digest),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                write!(head, ", \"{name}\": {}", json(value)).expect("a string takes any text");
            }
        }
        Some(Self(head))
    }

    /// The whole line.
    pub(crate) fn place(&self, file: &str, offset: u64, length: u64) -> String {
        let head = &self.0;
        let file = json(file);
        format!(
            "{head}, \"length\": \"{length}\", \"offset\": \"{offset}\", \"filename\": {file}}}\n"
        )
    }
}

/// A header's value as text: UTF-8, or else Latin-1.
fn text(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// A media type without its parameters.
fn bare_type(value: &str) -> String {
    // Python counts four more control characters as white space than Rust does.
    let ends = |c: char| c == ';' || c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
    value.split(ends).next().unwrap_or_default().to_owned()
}

/// A JSON string in ASCII alone.
fn json(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for unit in value.chars() {
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
    out.push('"');
    out
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
        assert_eq!(json("a\"\\\n\u{7f}é😀"), r#""a\"\\\n\u007f\u00e9\ud83d\ude00""#);
    }
}
