//! `MinHash` by one permutation, with optimal densification (Shrivastava 2017, "Optimal
//! Densification for Fast and Accurate Minwise Hashing"), 8 bits a bin (Li and König 2010).

use crate::words::mix;

/// Bins of a sketch.
pub(crate) const BINS: usize = 128;
/// The upper bits of a hash choose its bin.
const BIN_SHIFT: u32 = 64 - BINS.ilog2();
/// Two bins that hold different shingles are equal by chance so often.
const CHANCE: f64 = 1.0 / 256.0;

/// No shingle: larger than every one that counts.
const EMPTY: u64 = u64::MAX;

/// The least shingle of each bin.
pub(super) struct Minima([u64; BINS]);

impl Minima {
    pub(super) fn new() -> Self {
        Self([EMPTY; BINS])
    }

    /// Takes the hash of a shingle.
    #[inline]
    pub(super) fn add(&mut self, shingle: u64) {
        let bin = usize::try_from(shingle >> BIN_SHIFT).expect("seven bits");
        // Someone may look for a text whose shingles are all the sign of an empty bin.
        self.0[bin] = self.0[bin].min(shingle.min(EMPTY - 1));
    }

    /// The lowest 8 bits of each bin. An empty bin borrows from the first full one of a sequence
    /// that is its own, the same in every text; at least one bin is full.
    pub(super) fn bins(&self) -> [u8; BINS] {
        let mut bins = [0; BINS];
        for (number, bin) in (0u64..).zip(&mut bins) {
            let mut at = usize::try_from(number).expect("a small number");
            let mut step = 0;
            while self.0[at] == EMPTY {
                step += 1;
                at = usize::try_from(mix(number, step) >> BIN_SHIFT).expect("seven bits");
            }
            *bin = self.0[at].to_le_bytes()[0];
        }
        bins
    }
}

/// The Jaccard index of the sets behind the bins, about: bins that are equal by chance taken off.
pub(super) fn jaccard(a: &[u8; BINS], b: &[u8; BINS]) -> f64 {
    let equal: u8 = a.iter().zip(b).map(|(a, b)| u8::from(a == b)).sum();
    let share = f64::from(equal) / 128.0;
    ((share - CHANCE) / (1.0 - CHANCE)).clamp(0.0, 1.0)
}
