//! What is asked of a seen-set, and what it answers.

use rhumb_web::UrlKey;
use serde::{Deserialize, Serialize};

/// A key range of the seen-set that is read in one pass: the keys with the same highest byte.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Bucket(pub u16);

impl Bucket {
    /// How many buckets there are.
    pub const COUNT: u16 = 256;

    /// The bucket of a key.
    pub fn of(key: UrlKey) -> Self {
        Self(u16::from(key.0.to_be_bytes()[0]))
    }
}

/// What the seen-set says of a key at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Novelty {
    /// Never met.
    New,
    /// Met before.
    Known,
    /// Only a pass over this bucket can tell.
    Unsure(Bucket),
}

/// The set of all URLs ever admitted.
pub trait Seen {
    /// Whether the key was met.
    fn meet(&mut self, key: UrlKey) -> Novelty;
    /// Takes note of a key.
    fn insert(&mut self, key: UrlKey);
}
