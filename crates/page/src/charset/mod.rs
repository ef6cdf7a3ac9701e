//! Which charset a body is in, and its text.

mod lie;
mod prescan;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use memchr::memchr;

use crate::mime::Mime;
pub(crate) use lie::utf_16;

/// How much is shown to the detector, from the first byte that says anything.
const DETECTION_BYTES_MAX: usize = 64 * 1024;

/// What told the charset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharsetFrom {
    /// A byte order mark.
    Bom,
    /// The Content-Type header.
    Header,
    /// The document: a meta element or an XML declaration.
    Meta,
    /// The bytes themselves.
    Detected,
    /// Nothing: plain ASCII.
    Default,
}

impl CharsetFrom {
    /// One lower-case word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bom => "bom",
            Self::Header => "header",
            Self::Meta => "meta",
            Self::Detected => "detected",
            Self::Default => "default",
        }
    }
}

/// A charset and what told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// What told it.
    pub from: CharsetFrom,
}

/// Finds the charset of an HTML or text body: mark, header, document, detection, in this order.
/// What is declared and plainly wrong is passed over.
pub fn charset(body: &[u8], content_type: Option<&str>) -> Charset {
    let is_right =
        |charset: &Charset| charset.from == CharsetFrom::Bom || !lie::is_plain(body, *charset);
    let told = told(body, content_type).filter(is_right);
    let from_document = || {
        let encoding = prescan::html(body)?;
        Some(Charset { encoding, from: CharsetFrom::Meta }).filter(is_right)
    };
    told.or_else(from_document).unwrap_or_else(|| detected(body))
}

/// Finds the charset of an XML body, which is UTF-8 where nothing tells.
pub(crate) fn xml_charset(body: &[u8], content_type: Option<&str>) -> Charset {
    told(body, content_type).unwrap_or_else(|| match prescan::xml(body) {
        Some(encoding) => Charset { encoding, from: CharsetFrom::Meta },
        None => Charset { encoding: UTF_8, from: CharsetFrom::Default },
    })
}

/// The body as text; what is not in the charset becomes U+FFFD.
pub fn decode(body: &[u8], charset: Charset) -> Cow<'_, str> {
    charset.encoding.decode_with_bom_removal(body).0
}

fn told(body: &[u8], content_type: Option<&str>) -> Option<Charset> {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return Some(Charset { encoding, from: CharsetFrom::Bom });
    }
    let label = content_type.and_then(Mime::parse)?.charset?;
    let encoding = Encoding::for_label_no_replacement(label.as_bytes())?;
    Some(Charset { encoding, from: CharsetFrom::Header })
}

fn detected(body: &[u8]) -> Charset {
    if let Some(encoding) = utf_16(body) {
        return Charset { encoding, from: CharsetFrom::Detected };
    }
    let ascii = Encoding::ascii_valid_up_to(body);
    let start = memchr(b'\x1b', &body[..ascii]).unwrap_or(ascii);
    if start == body.len() {
        return Charset { encoding: WINDOWS_1252, from: CharsetFrom::Default };
    }
    let end = body.len().min(start + DETECTION_BYTES_MAX);
    let shown = &body[start..end];
    if ascii < end && is_utf_8(shown, end < body.len()) {
        // So says the detector as well, after a look at every other charset.
        return Charset { encoding: UTF_8, from: CharsetFrom::Detected };
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(shown, end == body.len());
    let encoding = detector.guess(None, Utf8Detection::Allow);
    Charset { encoding, from: CharsetFrom::Detected }
}

fn is_utf_8(bytes: &[u8], goes_on: bool) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => goes_on && error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::{DETECTION_BYTES_MAX, charset, decode};

    fn check(body: &[u8], content_type: Option<&str>, name: &str, from: &str, text: &str) {
        let found = charset(body, content_type);
        assert_eq!((found.encoding.name(), found.from.word()), (name, from));
        assert_eq!(decode(body, found), text);
    }

    #[test]
    fn a_mark_beats_the_header_beats_the_document_beats_detection() {
        let latin = Some("text/html; charset=iso-8859-1");
        check(b"\xef\xbb\xbf\xc3\xa4", latin, "UTF-8", "bom", "ä");
        check(
            b"<meta charset=utf-8>\xe4",
            latin,
            "windows-1252",
            "header",
            "<meta charset=utf-8>ä",
        );
        check(b"<meta charset=koi8-r>\xc1", None, "KOI8-R", "meta", "<meta charset=koi8-r>а");
        check("größer, Größe, schön".as_bytes(), None, "UTF-8", "detected", "größer, Größe, schön");
        check(b"plain", None, "windows-1252", "default", "plain");
    }

    #[test]
    fn a_text_is_detected_even_where_the_look_at_it_ends_within_a_character() {
        for shift in 0..4 {
            let text = format!("{}{}", "x".repeat(shift), "я☃".repeat(DETECTION_BYTES_MAX));
            check(text.as_bytes(), None, "UTF-8", "detected", &text);
        }
        check(b"\x1b$BCf\x1b(B", None, "ISO-2022-JP", "detected", "中");
        check("\x1bä".as_bytes(), None, "UTF-8", "detected", "\x1bä");
    }

    #[test]
    fn a_label_that_means_nothing_is_passed_over() {
        let header = Some("text/html; charset=nonsense");
        check(b"<meta charset=utf-8>", header, "UTF-8", "meta", "<meta charset=utf-8>");
    }

    #[test]
    fn utf_16_is_decoded_and_a_meta_that_claims_it_is_utf_8() {
        check(b"\xff\xfea\0\xe4\0", None, "UTF-16LE", "bom", "aä");
        check(b"\0a\0\xe4", Some("text/html;charset=utf-16be"), "UTF-16BE", "header", "aä");
        check(b"<meta charset=utf-16>\xc3\xa4", None, "UTF-8", "meta", "<meta charset=utf-16>ä");
    }

    #[test]
    fn nuls_and_lies_survive_decoding() {
        let utf8 = Some("text/html;charset=utf-8");
        check(b"a\0b\xff", utf8, "UTF-8", "header", "a\0b\u{fffd}");
        check(b"a\xe4\x80", utf8, "UTF-8", "header", "a\u{fffd}");
    }

    #[test]
    fn a_declaration_that_the_bytes_refute_is_passed_over() {
        let utf8 = Some("text/html; charset=utf-8");
        let latin = Some("text/html; charset=iso-8859-1");
        let french = b"d\xe9j\xe0 \xe9t\xe9, la caf\xe9t\xe9ria ferm\xe9e";
        check(french, utf8, "windows-1252", "detected", "déjà été, la cafétéria fermée");
        let text = "Grüße, größer, schön";
        check(text.as_bytes(), latin, "UTF-8", "detected", text);
        check(
            "\u{440}\u{443}\u{441}".repeat(9).as_bytes(),
            Some("text/html; charset=shift_jis"),
            "UTF-8",
            "detected",
            &"рус".repeat(9),
        );
        let meta = format!("<meta charset=windows-1251>{text}");
        check(meta.as_bytes(), None, "UTF-8", "detected", &meta);
        let meta = "<meta charset=windows-1252>\u{e4}".replace('\u{e4}', "");
        check(meta.as_bytes(), utf8, "UTF-8", "header", &meta);
        let mixed = [b"\xff\xff\xff".as_slice(), "ä".repeat(9).as_bytes()].concat();
        assert_eq!(charset(&mixed, utf8).from.word(), "header", "a few accidents are no lie");
    }

    #[test]
    fn utf_16_needs_no_mark() {
        let little: Vec<u8> = "<p>größer</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "<p>größer</p>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for declared in [None, Some("text/html; charset=utf-8")] {
            check(&little, declared, "UTF-16LE", "detected", "<p>größer</p>");
            check(&big, declared, "UTF-16BE", "detected", "<p>größer</p>");
        }
    }
}
