//! Keys: 64-bit keyed hashes, and the number of a partition.

use std::fmt;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

/// The secret of a crawl's hashes, drawn once per crawl, so that nobody can aim at collisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashKey(pub u64, pub u64);

impl HashKey {
    /// `SipHash`-1-3 of the bytes.
    pub fn hash(self, bytes: &[u8]) -> u64 {
        SipHasher13::new_with_keys(self.0, self.1).hash(bytes)
    }
}

/// What the seen-set knows of a URL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UrlKey(pub u64);

impl fmt::Debug for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// One of the shares into which a crawl is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PartitionId(pub u16);

impl PartitionId {
    /// As an index into a list of all partitions.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}
