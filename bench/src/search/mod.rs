//! Search, measured: how good its order is, how fast it answers, how quickly an index is made.

mod judged;
mod load;
mod manual;
mod pages;
mod ranking;
mod rate;
mod tune;

pub use load::measure as measure_load;
pub use ranking::measure as measure_ranking;
pub use rate::measure as measure_rate;

/// How the commands of this room are called.
pub const USAGES: [&str; 3] = [ranking::USAGE, load::USAGE, rate::USAGE];
