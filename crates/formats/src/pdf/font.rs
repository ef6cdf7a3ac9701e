//! Fonts, as far as text needs them: what a code says and how wide it is.

use std::borrow::Cow;
use std::collections::HashMap;

use encoding_rs::Encoding;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};

use super::cmap::CMap;
use super::letters::{self, Base};
use super::unpack::Unpack;
use crate::extract::End;

/// The most codes whose width is remembered.
const WIDTHS_MAX: usize = 70_000;

/// A font.
#[derive(Debug)]
pub(super) struct Font {
    codes: Codes,
    /// What codes say, as the font itself tells.
    told: HashMap<u32, Box<str>>,
    /// What the codes of a simple font say by its encoding.
    letters: Vec<Option<Box<str>>>,
    /// Widths in parts of the font's size.
    widths: HashMap<u32, f64>,
    width: f64,
    /// Whether lines run from top to bottom.
    pub(super) vertical: bool,
}

/// How bytes become codes.
#[derive(Clone, Copy, Debug)]
enum Codes {
    One,
    Two,
    /// Two bytes of UTF-16.
    Utf16,
    /// One byte or two, in a charset of East Asia.
    Charset(&'static Encoding),
}

/// One code of a string.
pub(super) struct Glyph<'f> {
    pub(super) text: Cow<'f, str>,
    pub(super) width: f64,
    /// Whether it is the one byte 32, which word spacing is for.
    pub(super) is_space: bool,
}

impl Font {
    pub(super) fn new(dict: &Dict<'_>, unpack: &mut Unpack) -> Result<Self, End> {
        let told = match dict.get::<Stream<'_>>("ToUnicode") {
            Some(stream) => CMap::parse(&unpack.stream(&stream)?).texts,
            None => HashMap::new(),
        };
        if dict.get::<Name<'_>>("Subtype").is_some_and(|name| name.as_ref() == b"Type0") {
            return Self::composite(dict, told, unpack);
        }
        Self::simple(dict, told, unpack)
    }

    /// The glyphs of a string.
    pub(super) fn glyphs<'f>(&'f self, bytes: &'f [u8]) -> impl Iterator<Item = Glyph<'f>> {
        let mut rest = bytes;
        std::iter::from_fn(move || {
            let first = *rest.first()?;
            let long = match self.codes {
                Codes::One => false,
                Codes::Two | Codes::Utf16 => rest.len() > 1,
                Codes::Charset(charset) => rest.len() > 1 && leads(charset, first),
            };
            let (code, behind) = rest.split_at(if long { 2 } else { 1 });
            rest = behind;
            Some(self.glyph(code))
        })
    }

    fn glyph(&self, bytes: &[u8]) -> Glyph<'_> {
        let code = bytes.iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
        let letter = || {
            let place = usize::try_from(code).ok()?;
            self.letters.get(place)?.as_deref().map(Cow::Borrowed)
        };
        let text = match (self.told.get(&code), self.codes) {
            (Some(text), _) if !text.is_empty() => Cow::Borrowed(&**text),
            (_, Codes::One | Codes::Two) => letter().unwrap_or_default(),
            (_, Codes::Utf16) => {
                let (text, _) = encoding_rs::UTF_16BE.decode_without_bom_handling(bytes);
                text.into_owned().into()
            }
            (_, Codes::Charset(charset)) => {
                charset.decode_without_bom_handling(bytes).0.into_owned().into()
            }
        };
        let width = self.widths.get(&code).copied().unwrap_or(self.width);
        Glyph { text, width, is_space: bytes == b" " }
    }

    fn composite(
        dict: &Dict<'_>,
        told: HashMap<u32, Box<str>>,
        unpack: &mut Unpack,
    ) -> Result<Self, End> {
        let named = dict.get::<Name<'_>>("Encoding");
        let name = named.as_ref().map(Name::as_str).unwrap_or_default().to_owned();
        let mut codes = codes_of(&name);
        if let Some(stream) = dict.get::<Stream<'_>>("Encoding") {
            let lengths = CMap::parse(&unpack.stream(&stream)?).lengths;
            if lengths == [1] {
                codes = Codes::One;
            }
        }
        let descendants = dict.get::<Array<'_>>("DescendantFonts");
        let inner = descendants.and_then(|fonts| fonts.iter::<Dict<'_>>().next());
        let inner = inner.unwrap_or_default();
        let width = inner.get::<f64>("DW").unwrap_or(1000.0) / 1000.0;
        let widths = inner.get::<Array<'_>>("W").map(|list| wide_widths(&list)).unwrap_or_default();
        let vertical = name.ends_with("-V");
        Ok(Self { codes, told, letters: Vec::new(), widths, width, vertical })
    }

    fn simple(
        dict: &Dict<'_>,
        told: HashMap<u32, Box<str>>,
        unpack: &mut Unpack,
    ) -> Result<Self, End> {
        let name = dict.get::<Name<'_>>("BaseFont");
        let name = name.as_ref().map(Name::as_str).unwrap_or_default().to_owned();
        let descriptor = dict.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
        let letters = letters_of(dict, &descriptor, &name, unpack)?;
        let matrix = dict.get::<Array<'_>>("FontMatrix");
        let scale = matrix.and_then(|matrix| matrix.iter::<f64>().next()).unwrap_or(0.001).abs();
        let listed = dict.get::<Array<'_>>("Widths");
        let first = dict.get::<u32>("FirstChar").unwrap_or_default();
        let missing = descriptor.get::<f64>("MissingWidth").unwrap_or_default();
        let widths = if let Some(listed) = listed {
            let listed = listed.iter::<f64>().take(256).map(|width| width * scale);
            (first.min(0xffff)..).zip(listed).collect()
        } else {
            let letter = |letter: &Option<Box<str>>| letter.as_ref()?.chars().next();
            let widths = letters.iter().map(|text| letters::width(&name, letter(text)) * scale);
            (0..).zip(widths).collect()
        };
        let width = missing * scale;
        Ok(Self { codes: Codes::One, told, letters, widths, width, vertical: false })
    }
}

/// Whether a byte is the first of two.
fn leads(charset: &'static Encoding, byte: u8) -> bool {
    let is_half_wide = charset == encoding_rs::SHIFT_JIS && (0xa0..0xe0).contains(&byte);
    byte > 0x80 && !is_half_wide
}

/// How bytes become codes in a predefined map.
fn codes_of(map: &str) -> Codes {
    let charsets: [(&str, &'static Encoding); 9] = [
        ("RKSJ", encoding_rs::SHIFT_JIS),
        ("GBK", encoding_rs::GBK),
        ("GB-EUC", encoding_rs::GBK),
        ("GBpc-EUC", encoding_rs::GBK),
        ("B5pc", encoding_rs::BIG5),
        ("ETen-B5", encoding_rs::BIG5),
        ("KSC-EUC", encoding_rs::EUC_KR),
        ("KSCms-UHC", encoding_rs::EUC_KR),
        ("EUC-", encoding_rs::EUC_JP),
    ];
    if map.contains("UCS2") || map.contains("UTF16") {
        return Codes::Utf16;
    }
    let charset = charsets.into_iter().find(|(name, _)| map.contains(name));
    charset.map_or(Codes::Two, |(_, charset)| Codes::Charset(charset))
}

/// The widths of a composite font: `first [w …]` and `first last w`.
fn wide_widths(list: &Array<'_>) -> HashMap<u32, f64> {
    let mut widths = HashMap::new();
    let mut items = list.iter::<Object<'_>>();
    let code = |item: Option<Object<'_>>| -> Option<u32> {
        u32::try_from(item?.into_number()?.as_i64()).ok().filter(|code| *code <= 0xffff)
    };
    while let Some(first) = code(items.next()) {
        match items.next() {
            Some(Object::Array(listed)) => {
                let listed = listed.iter::<Number>().take(WIDTHS_MAX);
                widths.extend((first..).zip(listed.map(|width| width.as_f64() / 1000.0)));
            }
            last => {
                let Some(last) = code(last) else {
                    break;
                };
                let Some(width) = items.next().and_then(Object::into_number) else {
                    break;
                };
                widths.extend((first..=last).map(|code| (code, width.as_f64() / 1000.0)));
            }
        }
        if widths.len() > WIDTHS_MAX {
            break;
        }
    }
    widths
}

/// What each of the 256 codes of a simple font says.
fn letters_of(
    dict: &Dict<'_>,
    descriptor: &Dict<'_>,
    name: &str,
    unpack: &mut Unpack,
) -> Result<Vec<Option<Box<str>>>, End> {
    let encoding = dict.get::<Dict<'_>>("Encoding");
    let base = dict.get::<Name<'_>>("Encoding");
    let base = base.or_else(|| encoding.as_ref()?.get::<Name<'_>>("BaseEncoding"));
    let base = base.and_then(|name| Base::named(name.as_ref()));
    let is_true_type =
        dict.get::<Name<'_>>("Subtype").is_some_and(|name| name.as_ref() == b"TrueType");
    let own = if name.contains("Symbol") {
        Base::Symbol
    } else if is_true_type {
        Base::WinAnsi
    } else {
        Base::Standard
    };
    let letter = |code: u8| base.unwrap_or(own).letter(code).map(|char| String::from(char).into());
    let mut letters: Vec<Option<Box<str>>> = (0..=255).map(letter).collect();
    if base.is_none()
        && let Some(file) = descriptor.get::<Stream<'_>>("FontFile")
    {
        built_in(&unpack.stream(&file)?, &mut letters);
    }
    if let Some(differences) = encoding.and_then(|dict| dict.get::<Array<'_>>("Differences")) {
        let mut code = 0_usize;
        for item in differences.iter::<Object<'_>>().take(2 * 256) {
            match item {
                Object::Number(number) => code = usize::try_from(number.as_i64()).unwrap_or(256),
                Object::Name(name) => {
                    if let Some(letter) = letters.get_mut(code) {
                        *letter = letters::named(name.as_str()).map(String::into_boxed_str);
                    }
                    code = code.saturating_add(1);
                }
                _ => {}
            }
        }
    }
    Ok(letters)
}

/// The encoding that a Type 1 font brings along: `dup 65 /A put`, in its part that is plain text.
fn built_in(file: &[u8], letters: &mut [Option<Box<str>>]) {
    let plain = memchr::memmem::find(file, b"eexec").map_or(file, |end| &file[..end]);
    let Some(start) = memchr::memmem::find(plain, b"/Encoding") else {
        return;
    };
    let text = String::from_utf8_lossy(&plain[start..]);
    let mut words = text.split_ascii_whitespace().skip(1).peekable();
    if words.peek() == Some(&"StandardEncoding") {
        return;
    }
    let mut words = words.take(16 * 1024);
    while let Some(word) = words.next() {
        match word {
            "dup" => {
                let code: Option<usize> = words.next().and_then(|code| code.parse().ok());
                let name = words.next().and_then(|name| name.strip_prefix('/'));
                if let (Some(code), Some(name)) = (code, name)
                    && let Some(letter) = letters.get_mut(code)
                {
                    *letter = letters::named(name).map(String::into_boxed_str);
                }
            }
            "def" | "readonly" => return,
            _ => {}
        }
    }
}
