//! The keys met last, each in its one place.

/// A direct-mapped cache of keys that are known.
pub(crate) struct Cache {
    slots: Vec<u64>,
    mask: u64,
}

impl Cache {
    /// An empty cache in about this much memory.
    pub(crate) fn new(bytes: usize) -> Self {
        let slots = (bytes / size_of::<u64>()).max(2);
        let count = 1u64 << slots.ilog2();
        // The complement of an index never belongs to that index, so it stands for nothing there.
        Self { slots: (0..count).map(|index| !index).collect(), mask: count - 1 }
    }

    #[inline]
    pub(crate) fn contains(&self, key: u64) -> bool {
        self.slots[self.place(key)] == key
    }

    #[inline]
    pub(crate) fn put(&mut self, key: u64) {
        let place = self.place(key);
        self.slots[place] = key;
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u64>()
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        usize::try_from(key & self.mask).expect("an index of a list in memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_cache_knows_nothing() {
        for bytes in [0, 16, 64, 1000] {
            let cache = Cache::new(bytes);
            for key in (0..200).chain((0..200).map(|key| !key)) {
                assert!(!cache.contains(key), "{key} in {bytes}");
            }
        }
    }

    #[test]
    fn the_later_key_of_a_place_stays() {
        let mut cache = Cache::new(64);
        cache.put(3);
        cache.put(4);
        cache.put(11);
        assert_eq!([3, 4, 11].map(|key| cache.contains(key)), [false, true, true]);
    }
}
