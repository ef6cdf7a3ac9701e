//! A map that forgets: bounded, and what was touched lately stays.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Two generations. When the young one has half of the places it becomes the old one, and what was
/// old is forgotten: constant time, and never less than half of the places for recent keys.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    half: usize,
}

impl<K: Eq + Hash, V> Recent<K, V> {
    /// A map of at most `places` entries.
    pub(crate) fn new(places: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), half: (places / 2).max(1) }
    }

    /// Stores a value, and forgets the oldest if there is no room.
    pub(crate) fn put(&mut self, key: K, value: V) {
        self.old.remove(&key);
        if self.young.len() >= self.half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    /// The value of a key, which counts as a touch.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        if let Some((key, value)) = self.old.remove_entry(key) {
            self.put(key, value);
        }
        self.young.get_mut(key)
    }

    /// Removes a key.
    pub(crate) fn take<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.young.remove(key).or_else(|| self.old.remove(key))
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_holds_more_than_its_places() {
        let mut map = Recent::new(10);
        for key in 0..1_000 {
            map.put(key % 137, key);
            assert!(map.len() <= 10, "{} entries", map.len());
        }
    }

    #[test]
    fn a_key_that_is_touched_stays() {
        let mut map = Recent::new(10);
        map.put(0, "kept");
        for key in 1..1_000 {
            map.put(key, "passing");
            assert_eq!(map.get(&0), Some(&mut "kept"), "after {key}");
        }
        assert_eq!(map.take(&0), Some("kept"));
        assert_eq!(map.take(&0), None);
    }

    #[test]
    fn a_key_has_one_value() {
        let mut map = Recent::new(4);
        for value in 0..100 {
            map.put(value % 3, value);
            assert_eq!(map.get(&(value % 3)).copied(), Some(value));
        }
        assert_eq!(map.len(), 3);
    }
}
