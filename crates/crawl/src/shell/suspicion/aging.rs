//! A map of bounded size that keeps what is in use.

use std::collections::HashMap;

/// Two generations: what is asked for is young, and when there are too many young ones the old
/// ones go. At least the last so many keys are remembered, at most twice as many.
#[derive(Debug)]
pub(super) struct Aging<V> {
    young: HashMap<u64, V>,
    old: HashMap<u64, V>,
    most: usize,
}

impl<V: Default> Aging<V> {
    /// One that remembers at least so many keys.
    pub(super) fn new(most: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), most }
    }

    /// What is known of a key; it does not grow younger by that.
    pub(super) fn get(&self, key: u64) -> Option<&V> {
        self.young.get(&key).or_else(|| self.old.get(&key))
    }

    /// What is known of a key, or the beginning of it.
    pub(super) fn entry(&mut self, key: u64) -> &mut V {
        if !self.young.contains_key(&key) {
            let known = self.old.remove(&key);
            if self.young.len() >= self.most {
                self.old = std::mem::take(&mut self.young);
            }
            self.young.insert(key, known.unwrap_or_default());
        }
        self.young.get_mut(&key).expect("it was put there if it was not")
    }

    /// Changes what is known of a key, if anything is.
    pub(super) fn change(&mut self, key: u64, change: impl FnOnce(&mut V)) {
        if let Some(known) = self.young.get_mut(&key).or_else(|| self.old.get_mut(&key)) {
            change(known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_stays_among_any_number_of_others() {
        let mut aging: Aging<u32> = Aging::new(8);
        for number in 1..1_000 {
            *aging.entry(0) += 1;
            aging.entry(number);
            assert_eq!(aging.get(0), Some(&u32::try_from(number).unwrap()));
        }
        assert!(aging.young.len() <= 8 && aging.old.len() <= 8);
        aging.change(0, |it| *it = 7);
        aging.change(5, |it| *it = 7);
        assert_eq!((aging.get(0), aging.get(5)), (Some(&7), None));
    }
}
