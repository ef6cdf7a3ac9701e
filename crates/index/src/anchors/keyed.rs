//! Maps and sets by numbers that are keyed hashes already: they need no hashing again.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map by a hash.
pub(crate) type KeyedMap<K, V> = HashMap<K, V, BuildHasherDefault<AsItIs>>;
/// A set of hashes.
pub(crate) type KeyedSet<K> = HashSet<K, BuildHasherDefault<AsItIs>>;

/// Takes a number for its own hash.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
