//! How good sketches are on pages of two Debian versions, what they cost, and how many documents a
//! second the sieve tells apart.

mod pairs;
mod sieve;

use crate::seen::Outcome;

/// Documents that go through the sieve.
pub const DOCUMENTS: u64 = 10_000_000;
/// Where the pages of two versions lie, below the folder in which it runs.
pub const PAIRS: &str = "target/text/pairs";

pub fn measure(documents: u64, folder: &str) -> Outcome {
    measure_pairs(folder)?;
    measure_sieve(documents)
}

pub use pairs::measure as measure_pairs;
pub use sieve::measure as measure_sieve;
