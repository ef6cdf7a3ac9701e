//! Have we met it? The set of all URLs ever admitted, exact, in bounded memory.
//!
//! A filtered DRUM (after `IRLbot`, Lee et al. 2008): a key meets a small cache, a Bloom filter and a
//! table in memory; what only the disk can tell waits with the caller, by [`Bucket`], for one
//! sequential [`Pass`] over the sorted runs. Where memory for a filter is refused it is the
//! classic, batched DRUM; a small crawl never leaves the table.
//!
//! A URL is known by 64 bits: among `n` of them `n²/2⁶⁵` are expected to be taken for another.
//! Nothing else is ever new twice, nor known when it is new.
//!
//! Nothing here waits, logs or starts a thread, and no file is removed: the owner of the
//! checkpoint does that.

mod cache;
mod error;
mod filter;
mod ledger;
mod memory;
mod novelty;
mod run;
mod set;
mod table;

pub use error::SeenError;
pub use ledger::{Ledger, Value};
pub use memory::MemorySeen;
pub use novelty::{Bucket, Novelty, Seen};
pub use run::{Run, RunInfo};
pub use set::{Merge, Pass, SeenSet, Snapshot};
