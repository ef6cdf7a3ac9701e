//! Shingles: every four words in a row (Broder 1997), and what two texts share of them exactly.

use crate::words::{self, mix};

/// Words of a shingle.
const WORDS: usize = 4;
/// Odd, so that no bits are lost: a word counts by its place in the shingle.
const PLACE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Makes shingles of words.
#[derive(Default)]
pub(crate) struct Shingles {
    /// The hashes of the last three words, each multiplied for its place.
    open: [u64; WORDS - 1],
    words: usize,
}

impl Shingles {
    /// The hash of the shingle that ends with this word, if there are four.
    #[inline]
    pub(crate) fn next(&mut self, word: u64) -> Option<u64> {
        let [first, second, third] = self.open;
        let push = |open: u64| open.wrapping_mul(PLACE).wrapping_add(word);
        let shingle = push(first);
        self.open = [push(second), push(third), word];
        self.words = self.words.saturating_add(1);
        (self.words >= WORDS).then(|| mix(shingle, PLACE))
    }

    /// The hash of all words, if there are any but not enough for a shingle.
    pub(crate) fn rest(&self) -> Option<u64> {
        let open = *self.open.get(WORDS.checked_sub(1 + self.words)?)?;
        (self.words > 0).then(|| mix(open, PLACE))
    }
}

/// How many words a text has: the one pass that every sketch begins with, and nothing else.
pub fn count_words(text: &str) -> usize {
    let mut count = 0;
    words::each(text, |_| count += 1);
    count
}

/// A text read word by word, to be compared exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The hashes of its words, in their order.
    words: Vec<u64>,
    /// The hashes of its shingles, sorted and distinct.
    shingles: Vec<u64>,
}

impl Reading {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let (mut words, mut shingles) = (Vec::new(), Vec::new());
        let mut open = Shingles::default();
        words::each(text, |word| {
            words.push(word.hash);
            shingles.extend(open.next(word.hash));
        });
        shingles.extend(open.rest());
        shingles.sort_unstable();
        shingles.dedup();
        Self { words, shingles }
    }

    /// How many words it has.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// How many different shingles of four words it has; a shorter text is one shingle.
    pub fn shingles(&self) -> usize {
        self.shingles.len()
    }

    /// Whether both have the same words in the same order.
    pub fn has_words_of(&self, other: &Self) -> bool {
        self.words == other.words
    }

    /// The exact Jaccard index of the shingles: how many both have, of those that any has. Two
    /// texts without words are the same.
    pub fn jaccard(&self, other: &Self) -> f64 {
        let mut others = other.shingles.iter().peekable();
        let mut shared = 0usize;
        for shingle in &self.shingles {
            while others.next_if(|other| *other < shingle).is_some() {}
            shared += usize::from(others.next_if(|other| *other == shingle).is_some());
        }
        let all = self.shingles.len() + other.shingles.len() - shared;
        if all == 0 { 1.0 } else { ratio(shared, all) }
    }
}

/// A part of a whole; counts beyond 32 bits would be texts beyond all limits.
fn ratio(part: usize, whole: usize) -> f64 {
    let float = |count| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    float(part) / float(whole)
}
