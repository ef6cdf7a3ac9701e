//! A hash table whose order is the order of its keys.
//!
//! The home of a key is its share of the key space, and a probe sequence is kept sorted (Amble and
//! Knuth 1974, "Ordered hash tables"): so a scan yields the keys sorted, keys that come bucket by
//! bucket touch memory in order, and a look-up stops at the first larger key. Fast because keys
//! are hashes; correct for any keys.

/// An empty slot: larger than every key that lies in a slot, so it ends every probe.
const EMPTY: u64 = u64::MAX;
const CAPACITY_MIN: usize = 1024;

/// A set of keys in memory.
pub(crate) struct Table {
    /// Never full to the last slot.
    slots: Vec<u64>,
    /// How many homes there are; further slots take what the last homes overflow.
    capacity: usize,
    count: usize,
    /// The key that looks like an empty slot.
    has_last: bool,
}

impl Default for Table {
    fn default() -> Self {
        Self { slots: vec![EMPTY], capacity: 0, count: 0, has_last: false }
    }
}

/// The share of the key as an index below `len`; it grows with the key.
#[inline]
pub(crate) fn scale(key: u64, len: usize) -> usize {
    let len = u128::try_from(len).expect("a length fits 128 bits");
    usize::try_from((u128::from(key) * len) >> 64).expect("a scaled key is below the length")
}

impl Table {
    #[inline]
    pub(crate) fn contains(&self, key: u64) -> bool {
        if key == EMPTY {
            return self.has_last;
        }
        let found = self.slots[self.place(key)];
        found == key
    }

    /// Puts a key in, unless it is there.
    pub(crate) fn insert(&mut self, key: u64) {
        if key == EMPTY {
            self.count += usize::from(!self.has_last);
            self.has_last = true;
            return;
        }
        if (self.count + 1) * 5 > self.capacity * 4 {
            self.grow();
        }
        let mut at = self.place(key);
        if self.slots[at] == key {
            return;
        }
        let mut carried = key;
        while carried != EMPTY {
            std::mem::swap(&mut carried, &mut self.slots[at]);
            at += 1;
        }
        if at == self.slots.len() {
            self.slots.push(EMPTY);
        }
        self.count += 1;
    }

    /// The sorted keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        let slots = self.slots.iter().copied().filter(|key| *key != EMPTY);
        slots.chain(self.has_last.then_some(EMPTY))
    }

    /// The sorted keys from `first` to `last`, both included.
    pub(crate) fn range(&self, first: u64, last: u64) -> impl Iterator<Item = u64> + '_ {
        let slots = self.slots[self.place(first)..].iter().copied();
        let inside = slots.take_while(move |key| *key == EMPTY || *key <= last);
        let own = inside.filter(move |key| *key != EMPTY);
        own.chain((self.has_last && last == EMPTY).then_some(EMPTY))
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }

    /// The first slot from the key's home on that holds it or something larger.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mut at = scale(key, self.capacity);
        while self.slots[at] < key {
            at += 1;
        }
        at
    }

    fn grow(&mut self) {
        let capacity = (self.capacity / 2 * 3).max(CAPACITY_MIN);
        let mut slots = vec![EMPTY; capacity + 64];
        let mut free = 0;
        for key in self.slots.iter().copied().filter(|key| *key != EMPTY) {
            let at = scale(key, capacity).max(free);
            if at + 1 >= slots.len() {
                slots.resize(at + 64, EMPTY);
            }
            slots[at] = key;
            free = at + 1;
        }
        self.slots = slots;
        self.capacity = capacity;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn check(keys: &[u64]) {
        let mut table = Table::default();
        let mut model = BTreeSet::new();
        for key in keys {
            assert_eq!(table.contains(*key), model.contains(key));
            table.insert(*key);
            model.insert(*key);
            assert!(table.contains(*key));
        }
        assert_eq!(table.len(), model.len());
        assert!(table.keys().eq(model.iter().copied()), "sorted, distinct, complete");
        for (first, last) in [(0, u64::MAX), (100, 200), (1 << 62, 3 << 62), (!99, u64::MAX)] {
            assert!(table.range(first, last).eq(model.range(first..=last).copied()));
        }
    }

    #[test]
    fn keys_at_the_ends_of_the_range_are_kept() {
        check(&[u64::MAX, 0, u64::MAX - 1, 1, u64::MAX, 0]);
        let top: Vec<u64> = (0..5000).map(|step| u64::MAX - step).collect();
        check(&top);
        let bottom: Vec<u64> = (0..5000).collect();
        check(&bottom);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_table_is_a_sorted_set(
            spread in vec(any::<u64>(), 0..3000),
            close in vec(0u64..500, 0..300),
        ) {
            check(&[spread, close].concat());
        }
    }
}
