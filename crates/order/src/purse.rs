//! OPIC cash and links of pages that wait, in bounded memory.
//!
//! A page that nobody gives much to is not worth remembering: when the purse is full the poorer
//! half is let go. So its cost does not grow with the crawl, and what is lost is an estimate.

use std::collections::HashMap;

use rhumb_web::UrlKey;

/// Bytes that a page takes in a purse, about: a map has room to spare.
const COINS_BYTES: usize = 32;
/// Pages that are remembered in any case.
const PAGES_MIN: usize = 1_024;

/// What every page has of its own when it is fetched, in parts of a seed's cash: so that cash does
/// not run dry where it leads to pages that are known.
const INCOME: f32 = 0.000_1;

/// What a page with so much cash gives to each of so many links.
#[expect(clippy::cast_precision_loss, reason = "a page has fewer links than that")]
pub fn dividend(cash: f32, links: usize) -> f32 {
    (cash + INCOME) / links.max(1) as f32
}

/// What the pages that link to a page have given it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coins {
    /// Cash.
    pub cash: f32,
    /// Links to it that were seen.
    pub in_links: u32,
}

/// The cash of pages, the poorest of which are forgotten.
#[derive(Clone, Debug, Default)]
pub struct Purse {
    coins: HashMap<UrlKey, Coins>,
    pages_max: usize,
}

impl Purse {
    /// One that takes so many bytes, about.
    pub fn new(bytes: usize) -> Self {
        let mut purse = Self::default();
        purse.set_bytes(bytes);
        purse
    }

    /// Gives it so many bytes from now on.
    pub fn set_bytes(&mut self, bytes: usize) {
        self.pages_max = bytes / COINS_BYTES;
    }

    /// One with nothing in it that may take as much.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self { coins: HashMap::new(), pages_max: self.pages_max }
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        self.coins.len() * COINS_BYTES
    }

    /// A page that links to this one gives it cash.
    pub fn give(&mut self, page: UrlKey, cash: f32) {
        while self.coins.len() >= self.pages_max.max(PAGES_MIN) {
            self.forget_poorer();
        }
        let coins = self.coins.entry(page).or_default();
        coins.cash += cash;
        coins.in_links = coins.in_links.saturating_add(1);
    }

    /// Puts in what a page had before. Whatever is too much goes with the next gift.
    pub fn put(&mut self, page: UrlKey, coins: Coins) {
        self.coins.insert(page, coins);
    }

    /// What all pages have, in no promised order.
    pub fn iter(&self) -> impl Iterator<Item = (UrlKey, Coins)> {
        self.coins.iter().map(|(page, coins)| (*page, *coins))
    }

    /// What a page has.
    pub fn of(&self, page: UrlKey) -> Coins {
        self.coins.get(&page).copied().unwrap_or_default()
    }

    /// Takes what a page has: it is fetched, and gives it away.
    pub fn take(&mut self, page: UrlKey) -> Coins {
        self.coins.remove(&page).unwrap_or_default()
    }

    fn forget_poorer(&mut self) {
        let mut cash: Vec<f32> = self.coins.values().map(|coins| coins.cash).collect();
        let half = cash.len() / 2;
        let (_, middle, _) = cash.select_nth_unstable_by(half, f32::total_cmp);
        let middle = *middle;
        // Where many have the same, some of them stay.
        let is_equal = |cash: &&f32| cash.total_cmp(&middle).is_eq();
        let mut equal = cash[..half].iter().filter(is_equal).count();
        self.coins.retain(|_, coins| {
            if is_equal(&&coins.cash) && equal > 0 {
                equal -= 1;
                return false;
            }
            coins.cash >= middle
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_poorer_half_goes_when_it_is_full_and_the_rich_stay() {
        let mut purse = Purse::new(0);
        for page in 0..100_000_u64 {
            let cash = if page < 100 { 10.0 } else { 0.5 };
            purse.give(UrlKey(page), cash);
            assert!(purse.coins.len() <= PAGES_MIN);
        }
        for rich in 0..100 {
            assert_eq!(purse.of(UrlKey(rich)), Coins { cash: 10.0, in_links: 1 });
        }
    }

    #[test]
    fn what_was_put_in_again_is_there_and_beyond_the_room_the_poorer_go() {
        let mut purse = Purse::new(0);
        for page in 0..5_000_u16 {
            let coins = Coins { cash: f32::from(page), in_links: 1 };
            purse.put(UrlKey(page.into()), coins);
        }
        assert_eq!(purse.iter().count(), 5_000);
        purse.give(UrlKey(4_999), 1.0);
        assert_eq!(purse.of(UrlKey(4_999)), Coins { cash: 5_000.0, in_links: 2 });
        assert!(purse.iter().count() <= PAGES_MIN);
        assert_eq!(purse.of(UrlKey(0)), Coins::default());
    }

    #[test]
    fn cash_adds_up_and_is_given_away_once() {
        let mut purse = Purse::new(1 << 20);
        purse.give(UrlKey(1), 0.25);
        purse.give(UrlKey(1), 0.5);
        assert_eq!(purse.take(UrlKey(1)), Coins { cash: 0.75, in_links: 2 });
        assert_eq!(purse.of(UrlKey(1)), Coins::default());
    }
}
