//! Seeded chance: splitmix64, whose whole state is one number.

/// A stream of numbers that is the same for the same seed.
#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    /// The stream of this name under a seed.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(mix(seed.wrapping_add(mix(stream.wrapping_add(1)))))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `bound`, which must not be zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(bound);
        u64::try_from(wide >> 64).expect("a product's upper half fits")
    }

    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// True so many times in ten thousand.
    pub(crate) fn per_myriad(&mut self, times: u64) -> bool {
        self.below(10_000) < times
    }

    /// A number below `bound`, small ones far more often: links follow a power law.
    pub(crate) fn skewed(&mut self, bound: u64) -> u64 {
        let first = self.below(bound) + 1;
        self.below(first)
    }
}

/// Spreads the bits of a number over all of it.
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
