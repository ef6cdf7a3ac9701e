//! Seeded chance.

/// Numbers that look random and come from a seed (`SplitMix64`).
pub(super) struct Chance {
    state: u64,
}

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    pub(super) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A length from 0 to `most`.
    pub(super) fn up_to(&mut self, most: usize) -> usize {
        let most = u64::try_from(most).expect("a length fits 64 bits");
        usize::try_from(self.below(most + 1)).expect("a part of a length is a length")
    }
}
