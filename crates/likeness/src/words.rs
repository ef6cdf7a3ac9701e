//! The words of a text, as hashes, in one pass.
//!
//! A word is a run of Unicode letters and digits, its case folded letter by letter. Scripts that
//! put no spaces between words (Han, kana, Thai, Lao, Khmer, Burmese) make a word of each letter,
//! so that they have shingles as well. The hash is our own multiply-and-fold: words have five
//! letters, so calling any library's hash on a folded copy costs more than hashing while folding.

use std::sync::LazyLock;

/// Odd constants without pattern: the fractions of the square roots of 2, 3, 5 and 7.
const SEED: u64 = 0x6a09_e667_f3bc_c909;
const LEFT: u64 = 0xbb67_ae85_84ca_a73b;
const RIGHT: u64 = 0x3c6e_f372_fe94_f82b;
const END: u64 = 0xa54f_f53a_5f1d_36f1;

/// Bytes that are looked at together.
const BLOCK: usize = 64;
/// A bit of each of eight bytes.
const HIGH: u64 = 0x8080_8080_8080_8080;
const CASE: u64 = 0x2020_2020_2020_2020;
/// Folded letters have this bit, digits do not.
const LETTER: u64 = 0x4040_4040_4040_4040;

/// The characters of two bytes, up to here, are looked up as well: most alphabets are among them.
const TWO_BYTES_END: u32 = 0x800;
/// Marks a digit in the table: no letter below `TWO_BYTES_END` folds to one as high as that.
const DIGIT: u16 = 0x8000;
static ALPHABETS: LazyLock<Vec<u16>> = LazyLock::new(alphabets);

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// The hash of all of it.
    pub(crate) hash: u64,
    /// The hash of its letters, if it has any.
    pub(crate) letters: Option<u64>,
}

/// Two 64-bit numbers as one: the halves of their product, folded.
#[inline]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ LEFT) * u128::from(b ^ RIGHT);
    let [low, high] = [product, product >> 64].map(|half| half & u128::from(u64::MAX));
    u64::try_from(low ^ high).expect("a half has 64 bits")
}

/// Hands over the words of a text, in their order.
pub(crate) fn each(text: &str, mut take: impl FnMut(Word)) {
    let bytes = text.as_bytes();
    let (mut start, mut is_inside) = (0, false);
    for base in (0..bytes.len()).step_by(BLOCK) {
        let parts = word_bytes(bytes, base);
        let mut edges = parts ^ (parts << 1 | u64::from(is_inside));
        while edges != 0 {
            let at = base + usize::try_from(edges.trailing_zeros()).expect("a small number");
            edges &= edges - 1;
            if is_inside {
                run(text, start, at, &mut take);
            } else {
                start = at;
            }
            is_inside = !is_inside;
        }
    }
    if is_inside {
        run(text, start, bytes.len(), &mut take);
    }
}

/// Which of the bytes of a block are letters, digits or not ASCII, the first one lowest; after the
/// end there are signs.
#[inline]
fn word_bytes(bytes: &[u8], base: usize) -> u64 {
    let mut padded = [0; BLOCK];
    let rest = bytes.get(base..).unwrap_or_default();
    let block = rest.first_chunk().unwrap_or_else(|| {
        padded[..rest.len()].copy_from_slice(rest);
        &padded
    });
    let eights = block.as_chunks().0.iter().rev();
    eights.fold(0, |parts, eight| parts << 8 | gathered(word_bits(u64::from_le_bytes(*eight))))
}

/// The high bit of each byte that is a letter, a digit or not ASCII. Sums of seven bits and less
/// do not reach into the next byte.
#[inline]
fn word_bits(eight: u64) -> u64 {
    const fn each(byte: u8) -> u64 {
        u64::from_le_bytes([byte; 8])
    }
    let low = eight & !HIGH;
    let folded = low | CASE;
    let letters = (folded + each(0x80 - b'a')) & !(folded + each(0x80 - b'z' - 1));
    let digits = (low + each(0x80 - b'0')) & !(low + each(0x80 - b'9' - 1));
    (letters | digits | eight) & HIGH
}

/// The high bits of eight bytes as one byte: the product adds each at a place of its own.
#[inline]
fn gathered(high: u64) -> u64 {
    high.wrapping_mul(0x0002_0408_1020_4081) >> 56
}

/// Reads a run of letters, digits and whatever is not ASCII.
#[inline]
fn run(text: &str, start: usize, end: usize, take: &mut impl FnMut(Word)) {
    let bytes = text.as_bytes();
    let [first, second] = [0, 8].map(|from| folded(bytes, start + from, end));
    if (first | second) & HIGH != 0 || end - start > 16 {
        return read_slowly(&text[start..end], take);
    }
    let hash = short_of([first, second]);
    let letters_only =
        [kept(end - start), kept(end.saturating_sub(start + 8))].map(|it| it & LETTER);
    let has_digit = [first, second].map(|it| it & LETTER) != letters_only;
    let letters = if has_digit { letters(&text[start..end]) } else { Some(hash) };
    take(Word { hash, letters });
}

/// The hash of a word of up to sixteen letters and digits.
#[inline]
fn short_of([first, second]: [u64; 2]) -> u64 {
    mix(mix(mix(SEED, first), second), END)
}

/// Up to eight bytes from here on, their case folded, the first one lowest.
#[inline]
fn folded(bytes: &[u8], from: usize, end: usize) -> u64 {
    let rest = bytes.get(from..).unwrap_or_default();
    let eight = rest.first_chunk().map_or_else(
        || rest.iter().rev().fold(0, |eight, byte| eight << 8 | u64::from(*byte)),
        |eight| u64::from_le_bytes(*eight),
    );
    (eight | CASE) & kept(end.saturating_sub(from))
}

/// All bits of the first so many of eight bytes.
#[inline]
fn kept(length: usize) -> u64 {
    let bits = u32::try_from(8 * length.min(8)).expect("a small number");
    u64::MAX.checked_shr(64 - bits).unwrap_or(0)
}

/// Reads a run that is long, or in which not all is ASCII.
fn read_slowly(run: &str, take: &mut impl FnMut(Word)) {
    let mut start = None;
    let mut has_digit = false;
    let mut close = |start: &mut Option<usize>, end: usize, has_digit: &mut bool| {
        let Some(start) = start.take() else { return };
        let word = &run[start..end];
        let hash = hash_of(word);
        let letters = if std::mem::take(has_digit) { letters(word) } else { Some(hash) };
        take(Word { hash, letters });
    };
    for (at, letter) in run.char_indices() {
        match kind(letter) {
            Kind::Letter(_) => drop(start.get_or_insert(at)),
            Kind::Digit(_) => {
                start.get_or_insert(at);
                has_digit = true;
            }
            Kind::Sign => close(&mut start, at, &mut has_digit),
            Kind::Alone => {
                close(&mut start, at, &mut has_digit);
                start = Some(at);
                close(&mut start, at + letter.len_utf8(), &mut has_digit);
            }
        }
    }
    close(&mut start, run.len(), &mut has_digit);
}

/// The hash of a word.
fn hash_of(word: &str) -> u64 {
    let bytes = word.as_bytes();
    let state = if word.is_ascii() {
        // At least two pieces, as the short way has them.
        let pieces = (0..bytes.len().max(9)).step_by(8);
        pieces.fold(SEED, |state, from| mix(state, folded(bytes, from, bytes.len())))
    } else {
        let codes = word.chars().filter_map(|letter| match kind(letter) {
            Kind::Letter(code) | Kind::Digit(code) => Some(code),
            Kind::Alone => Some(u32::from(letter)),
            Kind::Sign => None,
        });
        codes.fold(SEED, |state, code| mix(state, u64::from(code)))
    };
    mix(state, END)
}

/// The hash of the letters of a word that has digits.
fn letters(word: &str) -> Option<u64> {
    if word.is_ascii() && word.len() <= 16 {
        let mut kept = [0; 16];
        let mut count = 0;
        for byte in word.bytes().filter(u8::is_ascii_alphabetic) {
            kept[count] = byte;
            count += 1;
        }
        return (count > 0).then(|| short_of([0, 8].map(|from| folded(&kept, from, count))));
    }
    let is_letter = |letter: &char| matches!(kind(*letter), Kind::Letter(_));
    let letters: String = word.chars().filter(is_letter).collect();
    (!letters.is_empty()).then(|| hash_of(&letters))
}

enum Kind {
    Sign,
    Letter(u32),
    Digit(u32),
    /// A word of its own.
    Alone,
}

#[inline]
fn kind(letter: char) -> Kind {
    let code = u32::from(letter);
    if code < TWO_BYTES_END {
        let index = usize::try_from(code).expect("a small number");
        return match ALPHABETS[index] {
            0 => Kind::Sign,
            digit if digit & DIGIT != 0 => Kind::Digit(u32::from(digit & !DIGIT)),
            folded => Kind::Letter(u32::from(folded)),
        };
    }
    match code {
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0x3041..=0x3096 | 0x30a1..=0x30fa => Kind::Alone,
        // Quotes and dashes, which are looked up slowly and are everywhere.
        0x2000..=0x206f => Kind::Sign,
        _ if !letter.is_alphanumeric() => Kind::Sign,
        0x0e00..=0x0eff
        | 0x1000..=0x109f
        | 0x1780..=0x17ff
        | 0xf900..=0xfaff
        | 0xff66..=0xff9f
        | 0x1_b000..=0x1_b16f
        | 0x2_0000..=0x3_ffff => Kind::Alone,
        _ if letter.is_numeric() => Kind::Digit(code),
        _ => Kind::Letter(letter.to_lowercase().next().map_or(code, u32::from)),
    }
}

fn alphabets() -> Vec<u16> {
    let fold = |code| {
        let Some(letter) = char::from_u32(code).filter(|letter| letter.is_alphanumeric()) else {
            return 0;
        };
        let folded = letter.to_lowercase().next().map_or(code, u32::from);
        let folded = u16::try_from(folded).expect("alphabets of two bytes fold into 16 bits");
        if letter.is_numeric() { folded | DIGIT } else { folded }
    };
    (0..TWO_BYTES_END).map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        let mut words = Vec::new();
        each(text, |word| words.push(word));
        words
    }

    fn check(text: &str, expect: &[&str]) {
        let expect: Vec<Word> = expect.iter().flat_map(|word| words(word)).collect();
        assert_eq!(words(text), expect, "{text}");
    }

    #[test]
    fn signs_and_case_do_not_count() {
        check("  The quick--BROWN fox's\n", &["the", "quick", "brown", "fox", "s"]);
        check("Ünïted ΣΊΣΥΦΟΣ Привет", &["ünïted", "σίσυφοσ", "привет"]);
        check("incomprehensibilities", &["INCOMPREHENSIBILITIES"]);
        check("…—¿ · ‽", &[]);
        check("", &[]);
    }

    #[test]
    fn scripts_without_spaces_have_a_word_for_each_letter() {
        check("漢字とKana ภาษา", &["漢", "字", "と", "kana", "ภ", "า", "ษ", "า"]);
        assert_eq!(words("漢字とkanaภ").len(), 5);
        assert_eq!(words("한국어 문서").len(), 2, "Korean has spaces");
    }

    #[test]
    fn words_are_the_same_wherever_they_stand() {
        let long = "Incomprehensibilities and ab1 eightabc of 12345678 x";
        for pad in 0..20 {
            let signs = "-".repeat(pad);
            let padded = format!("{signs}{}{signs}", long.replace(' ', &" ".repeat(pad + 1)));
            assert_eq!(words(&padded), words(long), "{pad}");
            assert_eq!(words(&padded.replace('-', "—")), words(long), "{pad}, read slowly");
            assert_eq!(words(&padded.replace(' ', "“")), words(long), "{pad}, read slowly");
        }
    }

    #[test]
    fn every_ascii_character_is_a_sign_or_not() {
        for code in 0..0x80u8 {
            let expect = usize::from(code.is_ascii_alphanumeric());
            assert_eq!(words(&char::from(code).to_string()).len(), expect, "{code}");
        }
    }

    #[test]
    fn different_words_have_different_hashes() {
        let texts =
            ["a", "b", "ab", "ba", "abcdefgh", "abcdefghi", "é", "aé", "éa", "éé", "1", "11"];
        let mut hashes: Vec<u64> =
            texts.iter().flat_map(|text| words(text)).map(|w| w.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), texts.len());
    }

    #[test]
    fn the_letters_of_a_word_are_what_is_left_without_its_digits() {
        let letters = |text: &str| words(text)[0].letters;
        assert_eq!(letters("2026"), None);
        assert_eq!(letters("٣٤"), None);
        assert_eq!(letters("a12b"), letters("ab"));
        assert_eq!(letters("Version10é"), letters("versioné"));
        assert_eq!(letters("plain"), Some(words("plain")[0].hash));
    }
}
