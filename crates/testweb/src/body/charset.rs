//! Text into octets, and the header that goes with them.

use crate::truth::{Charset, Declared};

impl Charset {
    fn label(self) -> &'static str {
        match self {
            Self::Utf8 | Self::Utf8Bom => "utf-8",
            Self::Cyrillic(_) => "windows-1251",
            Self::Japanese(_) => "shift_jis",
            Self::Chinese(_) => "gb18030",
            Self::Utf16Le | Self::Utf16Be => "utf-16",
        }
    }

    fn declared(self) -> Option<Declared> {
        match self {
            Self::Utf8 => Some(Declared::Header),
            Self::Cyrillic(d) | Self::Japanese(d) | Self::Chinese(d) => Some(d),
            Self::Utf8Bom | Self::Utf16Le | Self::Utf16Be => None,
        }
    }

    /// The meta element that names the charset, where one does.
    pub(super) fn meta(self) -> String {
        match self.declared() {
            Some(Declared::Meta) => format!("<meta charset=\"{}\">\n", self.label()),
            Some(Declared::HttpEquiv) => format!(
                "<meta http-equiv=\"Content-Type\" content=\"text/html; charset={}\">\n",
                self.label()
            ),
            Some(Declared::Header) | None => String::new(),
        }
    }

    pub(super) fn encode(self, text: String) -> Vec<u8> {
        match self {
            Self::Utf8 => text.into_bytes(),
            Self::Utf8Bom => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
            Self::Cyrillic(_) => encoding_rs::WINDOWS_1251.encode(&text).0.into_owned(),
            Self::Japanese(_) => encoding_rs::SHIFT_JIS.encode(&text).0.into_owned(),
            Self::Chinese(_) => encoding_rs::GB18030.encode(&text).0.into_owned(),
            Self::Utf16Le => utf16(&text, u16::to_le_bytes),
            Self::Utf16Be => utf16(&text, u16::to_be_bytes),
        }
    }
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
}

/// Content-Type of an HTML page in this charset.
pub(crate) fn content_type(charset: Charset) -> String {
    match charset.declared() {
        Some(Declared::Header) => format!("text/html; charset={}", charset.label()),
        _ => "text/html".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_words_survive_their_charset() {
        let by_meta = |make: fn(Declared) -> Charset| make(Declared::Meta);
        for (charset, reader) in [
            (by_meta(Charset::Cyrillic), encoding_rs::WINDOWS_1251),
            (by_meta(Charset::Japanese), encoding_rs::SHIFT_JIS),
            (by_meta(Charset::Chinese), encoding_rs::GB18030),
            (Charset::Utf16Le, encoding_rs::UTF_16LE),
            (Charset::Utf16Be, encoding_rs::UTF_16BE),
            (Charset::Utf8Bom, encoding_rs::UTF_8),
        ] {
            let word = charset.native_word().unwrap();
            let bytes = charset.encode(word.to_owned());
            assert_eq!(reader.decode(&bytes).0, word, "{charset:?}");
        }
    }
}
