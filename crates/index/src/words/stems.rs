//! Stems by Snowball, each computed once for as long as it is remembered.

use tantivy::tokenizer::{Language, RawTokenizer, Stemmer, TextAnalyzer};

use super::letters::push_plain;

/// How many stems an analyser remembers: a power of two. Each has 64 bytes.
const SLOTS: usize = 1 << 16;
/// The longest word that is remembered; longer ones are rare.
pub(super) const WORD_BYTES_MAX: usize = 30;
/// The longest stem that is remembered.
const STEM_BYTES_MAX: usize = 32;
/// Where a key has the length of the stem, and what is added to it for a stem that the word begins
/// with: most do, and need no copy.
const LENGTH_SHIFT: u32 = 48;
const LENGTH: u64 = 0xff << LENGTH_SHIFT;
const IS_PREFIX: u64 = 0x80;
/// Where a key has the language.
const LANGUAGE_SHIFT: u32 = 56;
/// Without pattern: the fractions of the square roots of 2, 3, 5 and 7.
const SEEDS: Key =
    [0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1];

/// The bytes of a word in lower case, the first one lowest, with zeros after them.
pub(super) type Key = [u64; 4];

/// The stemmers there are, by the tags of their languages.
const STEMMERS: [(&str, Language); 20] = [
    ("ar", Language::Arabic),
    ("da", Language::Danish),
    ("de", Language::German),
    ("el", Language::Greek),
    ("en", Language::English),
    ("es", Language::Spanish),
    ("fi", Language::Finnish),
    ("fr", Language::French),
    ("hu", Language::Hungarian),
    ("it", Language::Italian),
    ("nb", Language::Norwegian),
    ("nl", Language::Dutch),
    ("nn", Language::Norwegian),
    ("no", Language::Norwegian),
    ("pt", Language::Portuguese),
    ("ro", Language::Romanian),
    ("ru", Language::Russian),
    ("sv", Language::Swedish),
    ("ta", Language::Tamil),
    ("tr", Language::Turkish),
];
/// The one that texts of unknown language get: short ones mostly, and mostly in English.
const ENGLISH: u8 = 4;
const DUTCH: u8 = 11;

/// One of the stemmers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Snowball(u8);

impl Snowball {
    /// The stemmer of a language, by the primary tag; of no language, the English one.
    pub(super) fn of(language: Option<&str>) -> Option<Self> {
        let Some(tag) = language else { return Some(Self(ENGLISH)) };
        let at = STEMMERS.iter().position(|(known, _)| *known == tag)?;
        u8::try_from(at).ok().map(Self)
    }

    /// Whether a stem begins as its word: all but the Dutch one take endings only, and the Dutch
    /// one takes `ge-` too.
    pub(super) fn keeps_initials(self) -> bool {
        self != Self(DUTCH)
    }

    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Remembers stems: each word has one slot, and the last one there stays.
pub(super) struct Stems {
    /// The word of each slot, its language and the length of its stem.
    keys: Vec<Key>,
    kept: Vec<[u8; STEM_BYTES_MAX]>,
    stemmers: [Option<TextAnalyzer>; STEMMERS.len()],
    /// The stem that was computed last.
    fresh: String,
}

impl Stems {
    pub(super) fn new() -> Self {
        Self {
            keys: vec![[0; 4]; SLOTS],
            kept: vec![[0; STEM_BYTES_MAX]; SLOTS],
            stemmers: [const { None }; STEMMERS.len()],
            fresh: String::new(),
        }
    }

    /// The stem of a word in lower case, without accents.
    pub(super) fn of<'a>(&'a mut self, snowball: Snowball, lower: &'a str) -> &'a str {
        if lower.len() > WORD_BYTES_MAX {
            self.compute(snowball, lower);
            return &self.fresh;
        }
        let mut bytes = [0; 32];
        bytes[..lower.len()].copy_from_slice(lower.as_bytes());
        let eights = bytes.as_chunks().0;
        let mut key = [0; 4];
        for (part, eight) in key.iter_mut().zip(eights) {
            *part = u64::from_le_bytes(*eight);
        }
        self.of_key(snowball, lower, key)
    }

    /// The same for a word of at most [`WORD_BYTES_MAX`] bytes whose key is known.
    #[inline]
    pub(super) fn of_key<'a>(
        &'a mut self,
        snowball: Snowball,
        lower: &'a str,
        mut key: Key,
    ) -> &'a str {
        key[3] |= u64::from(snowball.0 + 1) << LANGUAGE_SHIFT;
        let at = slot(&key);
        let [first, second, third, fourth] = self.keys[at];
        if [first, second, third, fourth & !LENGTH] != key {
            self.compute(snowball, lower);
            if self.fresh.len() <= STEM_BYTES_MAX {
                self.keep(at, key, lower);
            }
            return &self.fresh;
        }
        let length = (fourth & LENGTH) >> LENGTH_SHIFT;
        let bytes = usize::try_from(length & !IS_PREFIX).expect("a length of one byte");
        if length & IS_PREFIX != 0 {
            return &lower[..bytes];
        }
        str::from_utf8(&self.kept[at][..bytes]).expect("a slot holds a whole stem")
    }

    fn keep(&mut self, at: usize, mut key: Key, lower: &str) {
        let stem = self.fresh.as_bytes();
        let length = u64::try_from(stem.len()).expect("a stem that is kept is short");
        let prefix = if lower.starts_with(&self.fresh) { IS_PREFIX } else { 0 };
        key[3] |= (length | prefix) << LENGTH_SHIFT;
        self.keys[at] = key;
        self.kept[at][..stem.len()].copy_from_slice(stem);
    }

    #[cold]
    fn compute(&mut self, snowball: Snowball, lower: &str) {
        let index = snowball.index();
        let stemmer = self.stemmers[index].get_or_insert_with(|| {
            let filter = Stemmer::new(STEMMERS[index].1);
            TextAnalyzer::builder(RawTokenizer::default()).filter(filter).build()
        });
        self.fresh.clear();
        let mut stream = stemmer.token_stream(lower);
        let stem = stream.next().map_or("", |token| token.text.as_str());
        // A stemmer that leaves nothing of a word leaves the word.
        push_plain(&mut self.fresh, if stem.is_empty() { lower } else { stem });
    }
}

#[inline]
fn slot(key: &Key) -> usize {
    let part = |at: usize| u128::from(key[at] ^ SEEDS[at]);
    let mixed = (part(0) * part(1)) ^ (part(2) * part(3));
    let slots = u128::try_from(SLOTS).expect("a small number");
    usize::try_from((mixed ^ (mixed >> 64)) % slots).expect("below the number of slots")
}
