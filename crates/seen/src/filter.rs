//! A blocked Bloom filter: one cache line a question (Putze, Sanders, Singler 2007).

use crate::table::scale;

/// Below this many bits a key the filter says "perhaps" so often that its memory is better spent
/// elsewhere: three of ten new keys would have to wait.
const BITS_A_KEY_MIN: u64 = 4;

/// A cache line; a key sets one bit in each word.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u64; 8]);

/// Says of most keys that were never put in that they were not.
pub(crate) struct Filter {
    lines: Vec<Line>,
}

impl Filter {
    /// An empty filter in this much memory, if that is enough for so many keys.
    pub(crate) fn new(bytes: usize, keys: u64) -> Option<Self> {
        let lines = vec![Line([0; 8]); bytes / size_of::<Line>()];
        let filter = Self { lines };
        (!filter.lines.is_empty() && filter.suffices(keys)).then_some(filter)
    }

    /// Whether so many keys leave it useful.
    pub(crate) fn suffices(&self, keys: u64) -> bool {
        let bits = u64::try_from(self.bytes()).expect("a length fits 64 bits") * 8;
        keys <= bits / BITS_A_KEY_MIN
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lines.len() * size_of::<Line>()
    }

    #[inline]
    pub(crate) fn insert(&mut self, key: u64) {
        let at = scale(key, self.lines.len());
        for (word, bit) in self.lines[at].0.iter_mut().zip(bits(key)) {
            *word |= bit;
        }
    }

    /// Whether the key may have been put in.
    #[inline]
    pub(crate) fn may_contain(&self, key: u64) -> bool {
        let line = &self.lines[scale(key, self.lines.len())];
        let missing =
            line.0.iter().zip(bits(key)).fold(0, |missing, (word, bit)| missing | (!word & bit));
        missing == 0
    }
}

/// One bit for each word, drawn from the low bits of the key: the high ones chose the line.
#[inline]
fn bits(key: u64) -> [u64; 8] {
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
    std::array::from_fn(|word| 1 << ((mixed >> (6 * word)) & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashed(number: u64) -> u64 {
        let mixed = (number ^ (number >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d) ^ (mixed >> 33)
    }

    /// How many of 10,000 strange keys pass a filter with so many bits a key.
    fn strangers_taken(bits_a_key: usize) -> usize {
        let mut filter = Filter::new(10_000 * bits_a_key / 8, 0).expect("room for lines");
        (1..=10_000).for_each(|number| filter.insert(hashed(number)));
        assert!((1..=10_000).all(|number| filter.may_contain(hashed(number))), "none is lost");
        (10_001..=20_000).filter(|number| filter.may_contain(hashed(*number))).count()
    }

    #[test]
    fn the_more_bits_the_fewer_strangers_pass() {
        assert!(strangers_taken(12) < 150, "{}", strangers_taken(12));
        assert!(strangers_taken(8) < 600, "{}", strangers_taken(8));
        assert!(strangers_taken(4) < 4_500, "{}", strangers_taken(4));
    }

    #[test]
    fn a_filter_that_would_be_useless_is_not_made() {
        assert!(Filter::new(0, 0).is_none());
        assert!(Filter::new(64, 129).is_none());
        assert!(Filter::new(64, 128).is_some());
    }
}
