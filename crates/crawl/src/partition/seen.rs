//! Have we met it? The door to the seen-set; here it is answered from memory.

use std::collections::HashSet;

use rhumb_web::UrlKey;
use serde::{Deserialize, Serialize};

/// A key range of the seen-set that is read in one pass.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Bucket(pub u16);

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
    fn meet(&self, key: UrlKey) -> Novelty;
    /// Takes note of a key.
    fn insert(&mut self, key: UrlKey);
}

/// All keys in memory: never unsure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemorySeen(HashSet<UrlKey>);

impl Seen for MemorySeen {
    fn meet(&self, key: UrlKey) -> Novelty {
        if self.0.contains(&key) { Novelty::Known } else { Novelty::New }
    }

    fn insert(&mut self, key: UrlKey) {
        self.0.insert(key);
    }
}
