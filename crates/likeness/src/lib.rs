//! Do we have it already? Sketches of texts, and the sieve of all originals that were ever met.
//!
//! A [`Sketch`] is one word pass: a digest that is blind to digits, one-permutation `MinHash` over
//! shingles of four words (Shrivastava 2017) and `SimHash` (Charikar 2002). Texts are near if both
//! say so, as Henzinger (2006) found best. The [`Sieve`] finds the original of a document among
//! all that were met, by bands of the `MinHash` (Indyk and Motwani 1998): those in memory at once,
//! those on disk in a sequential [`Pass`] over sorted runs, as `IRLbot`'s DRUM does for URLs.
//!
//! Nothing here fetches, parses, waits or starts a thread, and no file is removed: the owner of
//! the checkpoint does that. What is archived is not decided here.

mod document;
mod error;
mod ledger;
mod row;
mod rows;
mod run;
mod shingles;
mod sieve;
mod sketch;
mod words;

pub use document::{Document, Late, Likeness, Twin, Verdict};
pub use error::LikenessError;
pub use ledger::Ledger;
pub use shingles::{Reading, count_words};
pub use sieve::{Frozen, Pass, Passed, Sealed, Sieve};
pub use sketch::Sketch;
