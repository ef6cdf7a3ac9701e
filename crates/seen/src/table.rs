//! Keys in memory: hash tables whose order is the order of their keys, one for each bucket.
//!
//! The home of a key is its share of the bucket's range, and a probe sequence is kept sorted (Amble
//! and Knuth 1974, "Ordered hash tables"): so a scan yields the keys sorted, and a look-up stops
//! at the first larger key. Each bucket grows alone, because a pass gives back many keys of one
//! bucket at once. Fast because keys are hashes that come in no order; correct for any keys.

use rhumb_web::UrlKey;

use crate::Bucket;

/// An empty slot: larger than every key that lies in a slot, so it ends every probe.
const EMPTY: u64 = u64::MAX;
const HOMES_MIN: usize = 16;
/// Ordered beyond the last home, for what the last homes overflow.
const SLACK: usize = 16;

/// A set of keys in memory.
pub(crate) struct Table {
    buckets: Vec<Ordered>,
    count: usize,
    /// The key that looks like an empty slot.
    has_last: bool,
}

struct Ordered {
    /// Never full to the last slot.
    slots: Vec<u64>,
    homes: usize,
    count: usize,
}

impl Default for Table {
    fn default() -> Self {
        let empty = || Ordered { slots: vec![EMPTY], homes: 0, count: 0 };
        let buckets = (0..Bucket::COUNT).map(|_| empty()).collect();
        Self { buckets, count: 0, has_last: false }
    }
}

/// The share of the key as an index below `len`; it grows with the key.
#[inline]
pub(crate) fn scale(key: u64, len: usize) -> usize {
    let len = u128::try_from(len).expect("a length fits 128 bits");
    usize::try_from((u128::from(key) * len) >> 64).expect("a scaled key is below the length")
}

impl Table {
    /// Keys that may be sorted, which one by one would be slow to put in.
    pub(crate) fn of(mut keys: Vec<u64>) -> Self {
        keys.sort_unstable();
        keys.dedup();
        let mut table = Self { count: keys.len(), ..Self::default() };
        table.has_last = keys.pop_if(|key| *key == EMPTY).is_some();
        for keys in keys.chunk_by(|a, b| index(*a) == index(*b)) {
            table.buckets[index(keys[0])] = Ordered::of(keys.iter().copied(), keys.len());
        }
        table
    }

    #[inline]
    pub(crate) fn contains(&self, key: u64) -> bool {
        if key == EMPTY {
            return self.has_last;
        }
        let bucket = &self.buckets[index(key)];
        bucket.slots[bucket.place(key)] == key
    }

    /// Puts a key in, unless it is there.
    #[inline]
    pub(crate) fn insert(&mut self, key: u64) {
        if key == EMPTY {
            self.count += usize::from(!self.has_last);
            self.has_last = true;
        } else {
            self.count += usize::from(self.buckets[index(key)].insert(key));
        }
    }

    /// The sorted keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.buckets.iter().flat_map(Ordered::keys).chain(self.has_last.then_some(EMPTY))
    }

    /// The sorted keys of a bucket.
    pub(crate) fn bucket(&self, bucket: Bucket) -> impl Iterator<Item = u64> + '_ {
        let own = self.buckets.get(usize::from(bucket.0)).into_iter().flat_map(Ordered::keys);
        let is_last = self.has_last && bucket == Bucket::of(UrlKey(EMPTY));
        own.chain(is_last.then_some(EMPTY))
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn bytes(&self) -> usize {
        self.buckets.iter().map(|bucket| bucket.slots.capacity() * size_of::<u64>()).sum()
    }
}

#[inline]
fn index(key: u64) -> usize {
    usize::from(Bucket::of(UrlKey(key)).0)
}

impl Ordered {
    /// Sorted keys, with a quarter more homes than asked for.
    fn of(keys: impl Iterator<Item = u64>, homes: usize) -> Self {
        let homes = (homes + homes / 4).max(HOMES_MIN);
        let mut slots = vec![EMPTY; homes + SLACK];
        let (mut free, mut count) = (0, 0);
        for key in keys {
            let at = scale(key << 8, homes).max(free);
            if at + 1 >= slots.len() {
                slots.resize(at + SLACK, EMPTY);
            }
            slots[at] = key;
            free = at + 1;
            count += 1;
        }
        Self { slots, homes, count }
    }

    fn insert(&mut self, key: u64) -> bool {
        let mut at = self.place(key);
        if self.slots[at] == key {
            return false;
        }
        if (self.count + 1) * 5 > self.homes * 4 {
            *self = Self::of(self.keys(), self.homes + self.homes / 4);
            at = self.place(key);
        }
        let mut carried = key;
        while carried != EMPTY {
            std::mem::swap(&mut carried, &mut self.slots[at]);
            at += 1;
        }
        if at == self.slots.len() {
            self.slots.reserve_exact(SLACK);
            self.slots.push(EMPTY);
        }
        self.count += 1;
        true
    }

    fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.slots.iter().copied().filter(|key| *key != EMPTY)
    }

    /// The first slot from the key's home on that holds it or something larger.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mut at = scale(key << 8, self.homes);
        while self.slots[at] < key {
            at += 1;
        }
        at
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
        for bucket in [0, 1, 127, 255] {
            let own = model.iter().copied().filter(|key| key >> 56 == u64::from(bucket));
            assert!(table.bucket(Bucket(bucket)).eq(own), "bucket {bucket}");
        }
        let again = Table::of(keys.to_vec());
        assert_eq!(again.len(), model.len());
        assert!(
            again.keys().eq(model.iter().copied()) && keys.iter().all(|key| again.contains(*key))
        );
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
