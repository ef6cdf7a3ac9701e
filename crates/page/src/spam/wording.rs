//! How a text is worded: how often it repeats words and runs of words. One pass over a sample, for
//! every page comes here.

use std::sync::LazyLock;

use crate::frequent;

/// A sample is so many pieces of a text, from its beginning to its end.
const PIECES: usize = 8;
/// The bytes of a piece. All of them together are about 500 words of English.
const PIECE_BYTES: usize = 384;
/// In which order they are read: what stands at the beginning is often a menu.
const ORDER: [usize; PIECES] = [2, 6, 4, 7, 1, 0, 5, 3];
/// After so many of them it is asked whether the others are needed.
const PIECES_FIRST: usize = 2;
/// A part of runs and words of which so little was there before is not looked at any more.
const REPEATED_HARDLY: f32 = 0.1;
/// Fewer words tell nothing.
const WORDS_MIN: u32 = 40;
/// Code and lists of names repeat themselves; prose has fewer of its signs to a word, and what is
/// stuffed with words hardly any. Without this one page of 200 in Debian's documentation would be
/// taken for spam.
const CODE_MAX: f32 = 0.06;
/// Tables repeat themselves too, and lists of versions.
const NUMBERS_MAX: f32 = 0.1;
/// Words that are looked at.
const WORDS_MAX: usize = 1024;
/// Places for words; at most half of them are taken.
const PLACES: usize = 2 * WORDS_MAX;
/// Bits for runs; of 32 bits about one is taken at most.
const RUN_BITS: usize = 32 * 1024;
/// The shortest word that a text is suspected to be stuffed with: shorter ones are frequent in
/// every language.
const LONG_LETTERS: u32 = 4;
/// Bits for the most frequent words of some languages; hardly another word meets one of theirs.
const FREQUENT_BITS: usize = 16 * 1024;

/// What a sample of a text is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wording {
    /// Words between spaces and signs.
    pub(super) words: u32,
    /// Different ones among them.
    pub(super) distinct: u32,
    /// How often the most common one with four letters or more is there.
    pub(super) top: u32,
    /// Runs of three words that were there before.
    pub(super) runs: u32,
    /// Words that are frequent in one of some languages.
    pub(super) frequent: u32,
    /// Words that are but digits.
    pub(super) numbers: u32,
    /// Signs that stand in code, and hardly in what people write.
    pub(super) code: u32,
    /// Words of other scripts than Latin and Cyrillic.
    strange: u32,
    /// The letters of all words.
    letters: u32,
    /// Characters of scripts that have no space between words.
    pub(super) unspaced: u32,
    /// Runs of six of them that were there before.
    pub(super) unspaced_runs: u32,
}

impl Wording {
    /// What a sample of this text is like. A part of it is enough where nothing is repeated.
    pub(super) fn of(text: &str) -> Self {
        let mut pass = Pass::new();
        if text.len() <= PIECES_FIRST * PIECE_BYTES {
            pass.read(text);
            return pass.wording;
        }
        let bytes = text.len().div_ceil(PIECES).min(PIECE_BYTES);
        for (read, piece) in ORDER.into_iter().enumerate() {
            if read == PIECES_FIRST && pass.wording.is_ordinary() {
                break;
            }
            let at = piece * (text.len() - bytes) / (PIECES - 1);
            let at = text.floor_char_boundary(at);
            pass.read(&text[at..text.floor_char_boundary(at + bytes)]);
        }
        pass.wording
    }

    /// Whether more of it would hardly show anything else: it is no code and not repeated, or it
    /// is plainly code.
    fn is_ordinary(&self) -> bool {
        let all = self.words + self.unspaced;
        let is_code =
            share(self.code, all) > 1.5 * CODE_MAX || share(self.numbers, all) > 1.5 * NUMBERS_MAX;
        let is_various =
            self.repeated() < REPEATED_HARDLY && self.share(self.top) < REPEATED_HARDLY;
        all >= WORDS_MIN && (is_code || is_various)
    }

    /// A part of all words, from 0 to 1.
    pub(super) fn share(&self, count: u32) -> f32 {
        share(count, self.words)
    }

    /// The letters of a usual word.
    pub(super) fn mean_letters(&self) -> f32 {
        share(self.letters, self.words)
    }

    /// Whether there is enough of it to tell something, and it is neither code nor a table.
    pub(super) fn is_telling(&self) -> bool {
        let all = self.words + self.unspaced;
        all >= WORDS_MIN
            && share(self.code, all) < CODE_MAX
            && share(self.numbers, all) < NUMBERS_MAX
    }

    /// Whether most of it is of a script without spaces, where nothing is known of words.
    pub(super) fn is_unspaced(&self) -> bool {
        self.unspaced > self.words
    }

    /// Whether something is known of the words of its languages: which are frequent, how long they
    /// are.
    pub(super) fn is_familiar(&self) -> bool {
        !self.is_unspaced() && self.strange * 4 <= self.words
    }

    /// The part of all runs, of words or of characters, that were there before.
    pub(super) fn repeated(&self) -> f32 {
        if self.is_unspaced() {
            share(self.unspaced_runs, self.unspaced)
        } else {
            share(self.runs, self.words)
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "of some thousands none is lost")]
fn share(count: u32, all: u32) -> f32 {
    count as f32 / all.max(1) as f32
}

/// What a byte is in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Gap,
    /// A sign of code.
    Code,
    /// Code too, unless a gap comes behind it.
    Dot,
    Letter,
    Digit,
    /// The first byte of a character that may be of a script without spaces.
    Lead,
}

impl Class {
    const fn of(byte: u8) -> Self {
        match byte {
            b'.' => Self::Dot,
            b'_' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b'=' | b';' | b':'
            | b'*' | b'#' | b'/' | b'\\' | b'&' | b'"' | b'\'' => Self::Code,
            b'0'..=b'9' => Self::Digit,
            b'A'..=b'Z' | b'a'..=b'z' | 0x80..=0xdf | 0xea..=0xff => Self::Letter,
            0xe0..=0xe9 => Self::Lead,
            _ => Self::Gap,
        }
    }
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Gap; 256];
    let mut byte = u8::MAX;
    // What is left at zero is a gap.
    while byte > 0 {
        classes[byte as usize] = Class::of(byte);
        byte -= 1;
    }
    classes
};

/// The state of one pass.
struct Pass {
    wording: Wording,
    /// A bit for each word that is frequent.
    frequent: &'static [u64],
    /// The hash of each word in its upper bits, and how often it was there in the others.
    places: [u32; PLACES],
    runs: [u64; RUN_BITS / 64],
    /// The last three words, in 21 bits each.
    last_words: u64,
    /// The last six characters, in 10 bits each.
    last_characters: u64,
}

/// The lower bits of a place, which count.
const COUNT: u32 = 0xfff;
const _: () = assert!(WORDS_MAX <= COUNT as usize, "every word can be counted");

impl Pass {
    fn new() -> Self {
        Self {
            wording: Wording::default(),
            frequent: &FREQUENT,
            places: [0; PLACES],
            runs: [0; RUN_BITS / 64],
            last_words: 0,
            last_characters: 0,
        }
    }

    fn read(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match CLASSES[usize::from(bytes[at])] {
                Class::Gap => at += 1,
                Class::Code => {
                    self.wording.code += 1;
                    at += 1;
                }
                Class::Dot => {
                    let next = bytes.get(at + 1).map_or(Class::Gap, |it| CLASSES[usize::from(*it)]);
                    self.wording.code += u32::from(next == Class::Letter);
                    at += 1;
                }
                Class::Lead if is_unspaced(&bytes[at..]) => {
                    self.character(&bytes[at..at + 3]);
                    at += 3;
                }
                _ => {
                    if self.wording.words as usize == WORDS_MAX {
                        return;
                    }
                    at += self.word(&bytes[at..]);
                }
            }
        }
    }

    /// Takes the word at the beginning in, and says how long it is.
    fn word(&mut self, bytes: &[u8]) -> usize {
        let (mut hash, mut all, mut has_letter, mut len) = (0_u64, 0, false, 0);
        for byte in bytes {
            let class = CLASSES[usize::from(*byte)];
            if class != Class::Letter
                && class != Class::Digit
                && (class != Class::Lead || is_unspaced(&bytes[len..]))
            {
                break;
            }
            has_letter |= class != Class::Digit;
            all |= byte;
            hash = step(hash, *byte);
            len += 1;
        }
        // Of a character with several bytes only the first is no continuation.
        let letters = if all < 0x80 {
            len
        } else {
            bytes[..len].iter().filter(|byte| *byte & 0xc0 != 0x80).count()
        };
        // What begins with these bytes is from U+0300 on, and not Cyrillic.
        let is_strange = matches!(bytes[0], 0xcc..=0xcf | 0xd4..);
        self.wording.strange += u32::from(is_strange);
        self.count(mixed(hash), u32::try_from(letters).unwrap_or(u32::MAX), !has_letter);
        len
    }

    fn count(&mut self, hash: u32, letters: u32, is_number: bool) {
        let wording = &mut self.wording;
        wording.words += 1;
        wording.letters = wording.letters.saturating_add(letters);
        wording.numbers += u32::from(is_number);
        wording.frequent += u32::from(has(self.frequent, hash as usize % FREQUENT_BITS));
        let key = (hash & !COUNT) | (COUNT + 1);
        let mut place = hash as usize % PLACES;
        while self.places[place] != 0 && self.places[place] & !COUNT != key {
            place = (place + 1) % PLACES;
        }
        wording.distinct += u32::from(self.places[place] == 0);
        self.places[place] = key | ((self.places[place] & COUNT) + 1);
        if letters >= LONG_LETTERS && !is_number {
            wording.top = wording.top.max(self.places[place] & COUNT);
        }
        self.last_words = ((self.last_words << 21) & (u64::MAX >> 1)) | u64::from(hash >> 11);
        // A column of numbers repeats itself and says nothing.
        wording.runs += u32::from(take(&mut self.runs, self.last_words) && !is_number);
    }

    fn character(&mut self, bytes: &[u8]) {
        let hash = mixed(bytes.iter().fold(0, |hash, byte| step(hash, *byte)));
        self.wording.unspaced += 1;
        self.last_characters =
            ((self.last_characters << 10) & (u64::MAX >> 4)) | u64::from(hash >> 22);
        self.wording.unspaced_runs += u32::from(take(&mut self.runs, self.last_characters));
    }
}

/// A letter is taken as a small one.
fn step(hash: u64, byte: u8) -> u64 {
    hash.rotate_left(9) ^ u64::from(byte | 0x20)
}

/// The upper half depends on all bits.
fn mixed(hash: u64) -> u32 {
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    u32::try_from(hash >> 32).expect("the upper half fits 32 bits")
}

/// Whether a run was there before; it is now.
fn take(bits: &mut [u64], run: u64) -> bool {
    let bit = (run.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % RUN_BITS;
    let was = has(bits, bit);
    bits[bit / 64] |= 1 << (bit % 64);
    was
}

fn has(bits: &[u64], bit: usize) -> bool {
    bits[bit / 64] & (1 << (bit % 64)) != 0
}

/// Whether a character is of a script without spaces: Thai to Burmese, Khmer, and those of China
/// and Japan.
fn is_unspaced(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0xe3..=0xe9, _, _, ..]
            | [0xe0, 0xb8..=0xbf, _, ..]
            | [0xe1, 0x80..=0x82 | 0x9e | 0x9f, _, ..]
    )
}

static FREQUENT: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut bits = vec![0; FREQUENT_BITS / 64];
    for word in frequent::words() {
        let hash = mixed(word.bytes().fold(0, step)) as usize % FREQUENT_BITS;
        bits[hash / 64] |= 1 << (hash % 64);
    }
    bits
});
