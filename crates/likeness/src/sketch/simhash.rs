//! `SimHash` (Charikar 2002): the majority of each bit over all features of a text.

/// One bit in each of eight bytes.
const ONES: u64 = 0x0101_0101_0101_0101;
/// So many fit a byte.
const PENDING_MAX: u8 = u8::MAX;

/// Counts the ones of 64 bits: eight bytes of eight words at a time.
pub(super) struct Majority {
    lanes: [u64; 8],
    pending: u8,
    ones: [u32; 64],
    count: u32,
}

impl Majority {
    pub(super) fn new() -> Self {
        Self { lanes: [0; 8], pending: 0, ones: [0; 64], count: 0 }
    }

    /// Takes the hash of a feature.
    #[inline]
    pub(super) fn add(&mut self, feature: u64) {
        for (bit, lane) in self.lanes.iter_mut().enumerate() {
            *lane += (feature >> bit) & ONES;
        }
        self.pending += 1;
        if self.pending == PENDING_MAX {
            self.settle();
        }
    }

    /// The bits that more than half of the features have.
    pub(super) fn bits(mut self) -> u64 {
        self.settle();
        let half = self.count / 2;
        let is_set = |ones: &u32| u64::from(*ones > half);
        self.ones.iter().rev().fold(0, |bits, ones| bits << 1 | is_set(ones))
    }

    fn settle(&mut self) {
        for (bit, lane) in self.lanes.iter_mut().enumerate() {
            for (byte, ones) in lane.to_le_bytes().into_iter().enumerate() {
                self.ones[byte * 8 + bit] += u32::from(ones);
            }
            *lane = 0;
        }
        self.count += u32::from(self.pending);
        self.pending = 0;
    }
}
