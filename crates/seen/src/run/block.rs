//! A block of a run: sorted keys in Elias-Fano form.
//!
//! Of each key's distance from the first, the low bits are packed side by side; the high part of
//! key `i` is the number of zeros before the `i`-th one in a row of bits. That takes about
//! `2 + log2(range / count)` bits a key, and a key is found by counting zeros, without decoding.

/// How many keys a full block has: the unit of reading, 11 KB in a run of a few million.
pub(super) const KEYS_MAX: usize = 2048;

/// How the keys of a block are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The smallest key.
    pub(super) first: u64,
    /// Words of 64 bits in all: low bits, then high parts, then a zero word, so that two words can
    /// always be read.
    pub(super) words: u32,
    pub(super) count: u16,
    /// How many low bits a key has.
    pub(super) low: u8,
}

impl Shape {
    /// Whether a block can have this shape.
    pub(super) fn is_sound(self) -> bool {
        let words = usize::try_from(self.words).unwrap_or(usize::MAX);
        let count = usize::from(self.count);
        (1..=KEYS_MAX).contains(&count)
            && self.low < 63
            && (self.high_start() + 2..=self.high_start() + KEYS_MAX).contains(&words)
    }

    fn high_start(self) -> usize {
        (usize::from(self.count) * usize::from(self.low)).div_ceil(64)
    }

    fn mask(self) -> u64 {
        (1 << self.low) - 1
    }
}

/// Lays out keys, which are sorted, distinct, and at least one and at most [`KEYS_MAX`].
pub(super) fn encode(keys: &[u64], words: &mut Vec<u64>) -> Shape {
    let count = u16::try_from(keys.len()).expect("a block has at most 2048 keys");
    let (first, last) = (keys[0], keys[keys.len() - 1]);
    let low = ((last - first) / u64::from(count)).checked_ilog2().unwrap_or(0);
    let mut shape =
        Shape { first, words: 0, count, low: u8::try_from(low).expect("a word has 64 bits") };
    let high_start = shape.high_start();
    let high_last = index((last - first) >> low) + keys.len() - 1;
    words.clear();
    words.resize(high_start + high_last / 64 + 2, 0);
    shape.words = u32::try_from(words.len()).expect("a block is small");
    let low = usize::from(shape.low);
    for (i, key) in keys.iter().enumerate() {
        let distance = key - first;
        let bit = i * low;
        let part = distance & shape.mask();
        words[bit / 64] |= part << (bit % 64);
        words[bit / 64 + 1] |= part >> 1 >> (63 - bit % 64);
        let place = index(distance >> low) + i;
        words[high_start + place / 64] |= 1 << (place % 64);
    }
    shape
}

fn index(value: u64) -> usize {
    usize::try_from(value).expect("high parts are small")
}

/// A block in memory.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    shape: Shape,
    low: &'a [u64],
    high: &'a [u64],
}

impl<'a> Block<'a> {
    /// `words` has the number of words that the shape says.
    pub(super) fn new(shape: Shape, words: &'a [u64]) -> Self {
        let high = words.get(shape.high_start()..words.len().saturating_sub(1)).unwrap_or_default();
        Self { shape, low: words, high }
    }

    /// Appends all keys.
    pub(super) fn decode(self, keys: &mut Vec<u64>) {
        let mut i = 0;
        for (at, word) in self.high.iter().enumerate() {
            let mut ones = *word;
            while ones != 0 && i < usize::from(self.shape.count) {
                let place = at * 64 + places(ones.trailing_zeros());
                let high = u64::try_from(place - i).expect("a place fits 64 bits");
                let distance = (high << self.shape.low) | self.low_bits(i);
                keys.push(self.shape.first.wrapping_add(distance));
                ones &= ones - 1;
                i += 1;
            }
        }
    }

    #[inline]
    fn low_bits(self, i: usize) -> u64 {
        let bit = i * usize::from(self.shape.low);
        let word = |at: usize| self.low.get(at).copied().unwrap_or(0);
        let both = (word(bit / 64) >> (bit % 64)) | (word(bit / 64 + 1) << 1 << (63 - bit % 64));
        both & self.shape.mask()
    }
}

fn places(bits: u32) -> usize {
    usize::try_from(bits).expect("a number of bits")
}

/// Looks for keys in a block, in rising order.
pub(super) struct Finder<'a> {
    block: Block<'a>,
    /// The word of high parts that was reached, and the zeros before it.
    at: usize,
    zeros: usize,
}

impl<'a> Finder<'a> {
    pub(super) fn new(block: Block<'a>) -> Self {
        Self { block, at: 0, zeros: 0 }
    }

    /// Whether the block has this key, which is not below the first key, nor below one asked for
    /// before.
    pub(super) fn contains(&mut self, key: u64) -> bool {
        let Block { shape, high, .. } = self.block;
        let Some(distance) = key.checked_sub(shape.first) else { return false };
        let Ok(wanted) = usize::try_from(distance >> shape.low) else { return false };
        let mut place = 0;
        if wanted > 0 {
            loop {
                let Some(word) = high.get(self.at) else { return false };
                let zeros = places(word.count_zeros());
                if self.zeros + zeros >= wanted {
                    let nth = wanted - self.zeros - 1;
                    place = self.at * 64 + nth_one(!word, nth) + 1;
                    break;
                }
                self.zeros += zeros;
                self.at += 1;
            }
        }
        let part = distance & shape.mask();
        while high.get(place / 64).is_some_and(|word| (word >> (place % 64)) & 1 == 1) {
            let found = self.block.low_bits(place - wanted);
            if found >= part {
                return found == part;
            }
            place += 1;
        }
        false
    }
}

/// Where the `n`-th one (from 0) of a word is, which has more than `n` ones: Vigna's broadword
/// selection, by the sums of all bytes at once.
#[inline]
fn nth_one(word: u64, n: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = ONES << 7;
    let n = u64::try_from(n).expect("a number of bits");
    let pairs = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let sums = ((nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(ONES);
    let passed = ((((n * ONES) | TOPS) - sums) & TOPS) >> 7;
    let shift = (passed.wrapping_mul(ONES) >> 56) * 8;
    let before = ((sums << 8) >> shift) & 0xff;
    let mut rest = word >> shift;
    for _ in before..n {
        rest &= rest - 1;
    }
    index(shift) + places(rest.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::btree_set;
    use proptest::prelude::*;

    use super::*;

    fn check(keys: &BTreeSet<u64>) {
        let keys: Vec<u64> = keys.iter().copied().collect();
        let mut words = Vec::new();
        let shape = encode(&keys, &mut words);
        assert!(shape.is_sound(), "{shape:?}");
        assert_eq!(usize::try_from(shape.words), Ok(words.len()));
        let block = Block::new(shape, &words);
        let mut decoded = Vec::new();
        block.decode(&mut decoded);
        assert_eq!(decoded, keys);
        let asked: BTreeSet<u64> = keys
            .iter()
            .flat_map(|key| [key.saturating_sub(1), *key, key.saturating_add(1)])
            .chain([u64::MAX])
            .filter(|key| *key >= keys[0])
            .collect();
        let mut finder = Finder::new(block);
        for key in asked {
            assert_eq!(finder.contains(key), keys.binary_search(&key).is_ok(), "{key}");
        }
    }

    #[test]
    fn the_smallest_and_the_widest_blocks_come_back() {
        check(&BTreeSet::from([0]));
        check(&BTreeSet::from([u64::MAX]));
        check(&BTreeSet::from([0, u64::MAX]));
        check(&BTreeSet::from([0, 1, u64::MAX - 1, u64::MAX]));
        check(&(0..2048).collect());
        check(&(0..2047).chain([u64::MAX]).collect());
    }

    #[test]
    fn the_nth_one_is_found() {
        for word in [1, u64::MAX, 1 << 63, 0x8000_0001, 0xf0f0_1234_5678_9abc] {
            let ones: Vec<usize> = (0..64).filter(|bit| (word >> bit) & 1 == 1).collect();
            for (n, place) in ones.into_iter().enumerate() {
                assert_eq!(nth_one(word, n), place, "{n} of {word:x}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_block_gives_back_what_it_was_given(keys in btree_set(any::<u64>(), 1..600), shift in 0u32..60) {
            check(&keys.iter().map(|key| key >> shift).collect());
        }
    }
}
