//! The documents in memory: rows, and a table from keys to rows.

use crate::row::{KEYS_MAX, Row};

/// So many rows of one key are looked at; a key with more (the menus of a large site) says little.
pub(crate) const CROWD_MAX: usize = 8;
/// Slots of the table at first.
const SLOTS_MIN: usize = 64;
/// A free slot; others hold a row's number and one, under the bits of the key that fit above.
const FREE: u32 = 0;
/// Odd, so that all bits of a key decide on its home, and not only those above.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The table grows by a half, so it is between half and three quarters full.
const KEY_BYTES: usize = 2 * size_of::<u32>();
/// What a row costs in memory, with its keys.
pub(crate) const BYTES_A_ROW: usize = size_of::<Row>() + size_of::<bool>() + KEYS_MAX * KEY_BYTES;

/// Documents in the order in which they were met.
#[derive(Debug, Default)]
pub(crate) struct Generation {
    rows: Vec<Row>,
    /// Rows that something else stands for now.
    is_dead: Vec<bool>,
    slots: Vec<u32>,
    used: usize,
}

impl Generation {
    /// An empty one; memory for these rows is taken as they come.
    pub(crate) fn new(rows: usize) -> Self {
        let (rows, is_dead) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        Self { rows, is_dead, ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn row(&self, number: usize) -> &Row {
        &self.rows[number]
    }

    /// Rows that live, with their numbers.
    pub(crate) fn living(&self) -> impl Iterator<Item = (usize, &Row)> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(number, _)| !self.is_dead[*number])
    }

    /// All rows from here on, also those that something else stands for.
    pub(crate) fn since(&self, number: usize) -> &[Row] {
        &self.rows[number..]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>()
            + self.is_dead.capacity()
            + self.slots.capacity() * 4
    }

    /// Something else stands for this row now.
    pub(crate) fn bury(&mut self, number: usize) {
        self.is_dead[number] = true;
    }

    pub(crate) fn push(&mut self, row: Row) {
        let number = self.rows.len();
        self.rows.push(row);
        self.is_dead.push(false);
        if (self.used.max(number) + KEYS_MAX) * 4 > self.slots.len() * 3 {
            self.grow();
        } else {
            self.enter(number);
        }
    }

    /// The living rows under a key, the earliest first.
    pub(crate) fn find(&self, key: u64, mut take: impl FnMut(usize)) {
        if self.slots.is_empty() {
            return;
        }
        let tag = self.tag(key);
        let mut at = self.home(key);
        while self.slots[at] != FREE {
            let number = self.number(self.slots[at]);
            if self.slots[at] & !self.mask() == tag && !self.is_dead[number] {
                take(number);
            }
            at = (at + 1) % self.slots.len();
        }
    }

    /// The living row of a URL.
    pub(crate) fn find_url(&self, url: u64) -> Option<usize> {
        let mut found = None;
        self.find(Row::url_key(url), |number| {
            if self.rows[number].url == url {
                found = Some(number);
            }
        });
        found
    }

    fn grow(&mut self) {
        let slots = (self.slots.len() / 2 * 3).max(SLOTS_MIN);
        self.slots = Vec::new();
        self.slots = vec![FREE; slots];
        self.used = 0;
        for number in 0..self.rows.len() {
            if !self.is_dead[number] {
                self.enter(number);
            }
        }
    }

    fn enter(&mut self, number: usize) {
        let mut keys = [0; KEYS_MAX];
        let mut count = 0;
        self.rows[number].keys(|key| {
            keys[count] = key;
            count += 1;
        });
        for key in &keys[..count] {
            self.put(*key, number);
        }
    }

    fn put(&mut self, key: u64, number: usize) {
        let tag = self.tag(key);
        let mut at = self.home(key);
        let mut crowd = 0;
        while self.slots[at] != FREE && !self.is_dead[self.number(self.slots[at])] {
            crowd += usize::from(self.slots[at] & !self.mask() == tag);
            if crowd == CROWD_MAX {
                return;
            }
            at = (at + 1) % self.slots.len();
        }
        self.used += usize::from(self.slots[at] == FREE);
        self.slots[at] = tag | u32::try_from(number + 1).expect("a generation has a maximum");
    }

    /// The bits of a slot that hold the number of a row and one: there are fewer rows than slots.
    fn mask(&self) -> u32 {
        let bits = self.slots.len().next_power_of_two() - 1;
        u32::try_from(bits).expect("a generation has a maximum")
    }

    /// The bits of a slot above, to tell most keys without looking at their rows.
    fn tag(&self, key: u64) -> u32 {
        let low = u32::try_from(key & u64::from(u32::MAX)).expect("32 bits");
        low & !self.mask()
    }

    fn home(&self, key: u64) -> usize {
        let slots = u128::try_from(self.slots.len()).expect("a length fits 128 bits");
        let spread = u128::from(key.wrapping_mul(SPREAD));
        usize::try_from((spread * slots) >> 64).expect("a scaled key is below the length")
    }

    fn number(&self, slot: u32) -> usize {
        usize::try_from((slot & self.mask()) - 1).expect("a row's number")
    }
}
