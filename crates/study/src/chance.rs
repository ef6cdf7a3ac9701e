//! Chance from a seed: the same seed gives the same draws on every machine.

/// Draws of one purpose (`SplitMix64`: Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    /// The draws of a seed for a purpose; those of two purposes have nothing in common.
    pub(crate) fn new(seed: u64, purpose: u64) -> Self {
        Self(mix(seed ^ mix(purpose)))
    }

    /// Any number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below this one, which is not 0.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        high(u64::from(high(self.next())) * u64::from(end))
    }

    /// From 0 to 1, without 1.
    pub(crate) fn part(&mut self) -> f64 {
        f64::from(high(self.next())) / 4_294_967_296.0
    }

    /// Whether something happens that has this chance.
    pub(crate) fn happens(&mut self, chance: f64) -> bool {
        self.part() < chance
    }

    /// At least 1, and greater the rarer: the tail falls with this power.
    pub(crate) fn pareto(&mut self, power: f64, most: f64) -> f64 {
        (1.0 - self.part()).powf(-1.0 / power).min(most)
    }

    /// A place of so many, the first of them far more often: the tail falls with this power.
    pub(crate) fn early(&mut self, places: u32, power: f64) -> u32 {
        whole(f64::from(places) * self.part().powf(power)).min(places - 1)
    }
}

/// A number that looks like chance, always the same of the same.
pub(crate) fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// The upper half of a number.
fn high(number: u64) -> u32 {
    u32::try_from(number >> 32).expect("half of 64 bits")
}

/// The whole part of a number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float to integer ends at the bounds"
)]
pub(crate) fn whole(number: f64) -> u32 {
    number as u32
}
