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
        Self { slots: vec![0; slots_of(count)], mask: count - 1 }
    }

    #[inline]
    pub(crate) fn contains(&self, key: u64) -> bool {
        let (place, mark) = self.place(key);
        self.slots[place] == mark
    }

    #[inline]
    pub(crate) fn put(&mut self, key: u64) {
        let (place, mark) = self.place(key);
        self.slots[place] = mark;
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u64>()
    }

    /// The one place of a key, and what stands there for it: never zero, because no key is the
    /// complement of its own last bits. So zeroed memory, which costs nothing until it is used, is
    /// an empty cache.
    #[inline]
    fn place(&self, key: u64) -> (usize, u64) {
        let last = key & self.mask;
        (slots_of(last), key ^ !last)
    }
}

fn slots_of(count: u64) -> usize {
    usize::try_from(count).expect("a place in memory")
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
