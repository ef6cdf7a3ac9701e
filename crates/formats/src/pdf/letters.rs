//! What the codes of simple fonts stand for, by the encodings and glyph names of the format.

use std::collections::HashMap;
use std::sync::OnceLock;

use encoding_rs::{MACINTOSH, WINDOWS_1252};

/// Names of glyphs and their code points, one on each line.
const GLYPHS: &str = include_str!("glyphs.txt");
/// The standard encoding of the format, from code 32.
const STANDARD: [&str; 7] = [
    " !\"#$%&’()*+,-./0123456789:;<=>?",
    "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_",
    "‘abcdefghijklmnopqrstuvwxyz{|}~\0",
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    "\0¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ\0–†‡·\0¶•‚„”»…‰\0¿",
    "\0`´ˆ˜¯˘˙¨\0˚¸\0˝˛ˇ—\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    "\0Æ\0ª\0\0\0\0ŁØŒº\0\0\0\0\0æ\0\0\0ı\0\0łøœß\0\0\0\0",
];
/// The encoding of the font Symbol, from code 32.
const SYMBOL: [&str; 7] = [
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?",
    "≅ΑΒΧ∆ΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
    "\0αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼\0",
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵",
    "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓",
    "◊⟨®©™∑\0\0\0\0\0\0\0\0\0\0\0⟩∫⌠\0⌡\0\0\0\0\0\0\0\0\0\0",
];
/// How wide Helvetica is, from the space to the tilde, in thousandths of its size.
#[rustfmt::skip]
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// How wide Times is, likewise.
#[rustfmt::skip]
const TIMES: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278,
    500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444,
    921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722,
    556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500,
    333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500,
    500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
];

/// An encoding that a font can begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Standard,
    WinAnsi,
    MacRoman,
    Symbol,
}

impl Base {
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"StandardEncoding" => Some(Self::Standard),
            b"WinAnsiEncoding" => Some(Self::WinAnsi),
            b"MacRomanEncoding" => Some(Self::MacRoman),
            _ => None,
        }
    }

    /// The character of a code.
    pub(super) fn letter(self, code: u8) -> Option<char> {
        let from_table = |table: &[&str; 7]| {
            let place = usize::from(code).checked_sub(32)?;
            table[place / 32].chars().nth(place % 32).filter(|char| *char != '\0')
        };
        match self {
            Self::Standard => from_table(&STANDARD),
            Self::Symbol => from_table(&SYMBOL),
            Self::WinAnsi if (0x20..0x7f).contains(&code) => Some(char::from(code)),
            Self::WinAnsi => WINDOWS_1252.decode_without_bom_handling(&[code]).0.chars().next(),
            Self::MacRoman => MACINTOSH.decode_without_bom_handling(&[code]).0.chars().next(),
        }
    }
}

/// The text of a glyph, by its name: `Aacute`, `uni00C1`, `f_i`, `a.small`.
pub(super) fn named(name: &str) -> Option<String> {
    let name = name.split('.').next().filter(|name| !name.is_empty())?;
    let texts: Option<Vec<String>> = name.split('_').map(single).collect();
    texts.map(|texts| texts.concat())
}

fn single(name: &str) -> Option<String> {
    static BY_NAME: OnceLock<HashMap<&str, char>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let lines = GLYPHS.lines().filter_map(|line| line.split_once(' '));
        lines.filter_map(|(name, code)| Some((name, point(code)?))).collect()
    });
    if let Some(char) = by_name.get(name) {
        return Some(char.to_string());
    }
    let mut chars = name.chars();
    if let (Some(char), None) = (chars.next(), chars.next()) {
        return Some(char.to_string());
    }
    if let Some(units) = name.strip_prefix("uni").filter(|units| units.len() % 4 == 0) {
        let unit = |start| u16::from_str_radix(units.get(start..start + 4)?, 16).ok();
        let units: Option<Vec<u16>> = (0..units.len()).step_by(4).map(unit).collect();
        return units.map(|units| String::from_utf16_lossy(&units));
    }
    name.strip_prefix('u').filter(|code| code.len() >= 4).and_then(point).map(String::from)
}

fn point(code: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}

/// How wide a letter is where the font does not say, in thousandths of its size.
pub(super) fn width(font: &str, letter: Option<char>) -> f64 {
    if font.contains("Courier") || font.contains("Mono") {
        return 600.0;
    }
    let table = if font.contains("Times") { &TIMES } else { &HELVETICA };
    let place = letter.and_then(|letter| usize::try_from(u32::from(letter)).ok()?.checked_sub(32));
    place.and_then(|place| table.get(place)).map_or(556.0, |width| f64::from(*width))
}

/// A string that is meant to be read: UTF-16 or UTF-8 with a mark, else the format's own charset.
pub(super) fn string(bytes: &[u8]) -> String {
    /// From code 0x80.
    const OWN: &str = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\0€";
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
        return encoding.decode_with_bom_removal(bytes).0.into_owned();
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let letter = |byte: &u8| match byte {
        0x80..=0xa0 => OWN.chars().nth(usize::from(*byte - 0x80)).unwrap_or('\0'),
        _ => char::from(*byte),
    };
    bytes.iter().map(letter).collect()
}
