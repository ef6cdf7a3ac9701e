//! What a character is to a word, and how it is folded: case, width, ligatures and accents.

use std::sync::LazyLock;

use tantivy::tokenizer::{AsciiFoldingFilter, RawTokenizer, TextAnalyzer};

/// What a character is to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It ends words.
    Sign,
    /// It is left out and does not end a word: a combining accent, a soft hyphen.
    Mark,
    /// A letter or a digit.
    Letter,
    /// A letter of a script that puts no spaces between words, or is read best by pairs.
    Unspaced,
}

/// Latin letters with accents: two ranges that hold nearly all of them.
const LATIN: [u32; 2] = [0x00c0, 0x0250];
const LATIN_MORE: [u32; 2] = [0x1e00, 0x1f00];
/// What they are without accents, one or two letters of ASCII; zeros for themselves.
static PLAIN: LazyLock<Vec<[u8; 2]>> = LazyLock::new(plain);

/// What a character is.
pub(super) fn kind(letter: char) -> Kind {
    match u32::from(letter) {
        code @ 0..0x80 => {
            let is_letter = u8::try_from(code).is_ok_and(|byte| byte.is_ascii_alphanumeric());
            if is_letter { Kind::Letter } else { Kind::Sign }
        }
        0x00ad
        | 0x0300..=0x036f
        | 0x0483..=0x0487
        | 0x0591..=0x05bd
        | 0x05bf
        | 0x05c1..=0x05c2
        | 0x05c4..=0x05c5
        | 0x05c7
        | 0x0610..=0x061a
        | 0x0640
        | 0x064b..=0x065f
        | 0x0670
        | 0x06d6..=0x06dc
        | 0x1ab0..=0x1aff
        | 0x1dc0..=0x1dff
        | 0x200b..=0x200f
        | 0x202a..=0x202e
        | 0x2060..=0x206f
        | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f
        | 0xfeff => Kind::Mark,
        // Quotes and dashes, which are everywhere, and the stops of the scripts of India, where
        // what else is not a letter is a vowel sign.
        0x2000..=0x206f | 0x0964 | 0x0965 | 0x0970 | 0x0df4 => Kind::Sign,
        0x0900..=0x0dff => Kind::Letter,
        // Vowel signs and tones, which are no letters to Unicode.
        0x0e31..=0x0e3a
        | 0x0e47..=0x0e4e
        | 0x0eb1..=0x0ebc
        | 0x0ec8..=0x0ecd
        | 0x102b..=0x103e
        | 0x17b4..=0x17d3
        | 0x17dd => Kind::Unspaced,
        _ if !letter.is_alphanumeric() => Kind::Sign,
        0x0e00..=0x0eff
        | 0x1000..=0x109f
        | 0x1100..=0x11ff
        | 0x1780..=0x17ff
        | 0x3005..=0x3007
        | 0x3041..=0x309f
        | 0x30a1..=0x30ff
        | 0x3131..=0x318e
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xff66..=0xff9f
        | 0x1_b000..=0x1_b16f
        | 0x2_0000..=0x3_ffff => Kind::Unspaced,
        _ => Kind::Letter,
    }
}

/// Puts a letter in as a stemmer wants it: lower case, of usual width, ligatures in their parts.
pub(super) fn push_lower(text: &mut String, letter: char) {
    match letter {
        'ﬀ' => text.push_str("ff"),
        'ﬁ' => text.push_str("fi"),
        'ﬂ' => text.push_str("fl"),
        'ﬃ' => text.push_str("ffi"),
        'ﬄ' => text.push_str("ffl"),
        'ﬅ' | 'ﬆ' => text.push_str("st"),
        '\u{ff10}'..='\u{ff5a}' => {
            let narrow = char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter);
            text.push(narrow.to_ascii_lowercase());
        }
        _ => text.extend(letter.to_lowercase().filter(|lower| kind(*lower) != Kind::Mark)),
    }
}

/// Puts a text in lower case in without its accents.
pub(super) fn push_plain(text: &mut String, lower: &str) {
    for letter in lower.chars() {
        match latin_index(letter).map_or([0; 2], |index| PLAIN[index]) {
            [0, _] => text.push(plain_of_others(letter)),
            [first, 0] => text.push(char::from(first)),
            [first, second] => text.extend([char::from(first), char::from(second)]),
        }
    }
}

/// The letters with accents of other alphabets. The Russian short i is a letter of its own.
fn plain_of_others(letter: char) -> char {
    match letter {
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        'ς' => 'σ',
        'ё' => 'е',
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        other => other,
    }
}

fn latin_index(letter: char) -> Option<usize> {
    let code = u32::from(letter);
    let index = match code {
        0..0x00c0 => return None,
        _ if code < LATIN[1] => code - LATIN[0],
        _ if (LATIN_MORE[0]..LATIN_MORE[1]).contains(&code) => {
            code - LATIN_MORE[0] + LATIN[1] - LATIN[0]
        }
        _ => return None,
    };
    usize::try_from(index).ok()
}

fn plain() -> Vec<[u8; 2]> {
    let mut folding =
        TextAnalyzer::builder(RawTokenizer::default()).filter(AsciiFoldingFilter).build();
    let mut folded = |code| {
        let letter = char::from_u32(code)?.to_string();
        let mut stream = folding.token_stream(&letter);
        let text = &stream.next()?.text;
        match text.as_bytes() {
            [one] => Some([*one, 0]),
            [one, two] if text.is_ascii() => Some([*one, *two]),
            _ => None,
        }
    };
    let codes = (LATIN[0]..LATIN[1]).chain(LATIN_MORE[0]..LATIN_MORE[1]);
    codes.map(|code| folded(code).unwrap_or_default()).collect()
}
