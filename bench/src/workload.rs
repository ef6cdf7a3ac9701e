//! The candidates: one in four is new, the others repeat earlier ones, the earliest most often.

/// One candidate in so many is new.
pub const ONE_NEW_IN: u64 = 4;

/// A stream of keys, the same in every run.
pub struct Workload {
    left: u64,
    made: u64,
    new: u64,
    random: u64,
}

impl Workload {
    pub fn new(candidates: u64) -> Self {
        Self { left: candidates, made: 0, new: 0, random: 0x5eed }
    }

    /// How many different keys came so far.
    pub fn distinct(&self) -> u64 {
        self.new
    }

    /// Fills the batch; false at the end.
    pub fn next_batch(&mut self, batch: &mut Vec<u64>, size: u64) -> bool {
        batch.clear();
        for _ in 0..size.min(self.left) {
            let key = self.next_key();
            batch.push(key);
        }
        !batch.is_empty()
    }

    fn next_key(&mut self) -> u64 {
        self.left -= 1;
        self.made += 1;
        if self.made % ONE_NEW_IN == 1 {
            self.new += 1;
            return key(self.new);
        }
        key(self.earlier())
    }

    /// Zipf with exponent 1 over all keys so far: the logarithm of the rank is uniform.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "ranks are far below 2^52"
    )]
    fn earlier(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let uniform = (mixed(self.random) >> 11) as f64 / (1u64 << 53) as f64;
        let rank = (uniform * ((self.new + 1) as f64).ln()).exp() as u64;
        rank.clamp(1, self.new)
    }
}

/// The key of the n-th URL: as a hash, and no two alike.
fn key(number: u64) -> u64 {
    mixed(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// A bijection of 64 bits that spreads them (splitmix64's).
pub fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
