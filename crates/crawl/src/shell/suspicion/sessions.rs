//! Session ids: opaque parts of URLs under which a site shows the same page again and again.
//!
//! Which parts these are is learnt, site by site and place by place: a page under two ids that
//! says the same speaks for it, one that says something else against it. Once it is clear, a URL
//! of which only the id is new is refused; one that has another rest is not, so each page of such
//! a site is fetched once.

use rhumb_rules::Token;
use rhumb_web::{CanonUrl, HashKey};

use super::aging::Aging;
use super::record::Throttle;

/// URLs without their ids that are remembered at least.
const RESTS_MAX: usize = 50_000;
/// Places of ids that are remembered at least.
const SLOTS_MAX: usize = 10_000;
/// Pages that must be the same under another id.
const SAME_MIN: u32 = 3;
/// For each page that is another under another id, so many must be the same.
const SAME_SHARE: u32 = 8;

/// Of the URLs that are refused one is let through after so many, in case it is another page:
/// every page of such a site has the links of all.
const GAP: u32 = 16;

/// What is known of the places of ids.
#[derive(Debug)]
pub(super) struct Sessions {
    /// What the page of a URL without its id said.
    rests: Aging<u64>,
    slots: Aging<Slot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    same: u32,
    others: u32,
    throttle: Throttle,
}

impl Slot {
    fn is_session(&self) -> bool {
        self.same >= SAME_MIN && self.others.saturating_mul(SAME_SHARE) <= self.same
    }
}

impl Sessions {
    pub(super) fn new() -> Self {
        Self { rests: Aging::new(RESTS_MAX), slots: Aging::new(SLOTS_MAX) }
    }

    /// Notes what the page of a URL said, and says whether it said the same under another id.
    pub(super) fn learn(&mut self, hash: HashKey, site: u64, url: &CanonUrl, saying: u64) -> bool {
        let mut is_copy = false;
        for token in Token::all(url) {
            let (slot, rest) = keys(hash, site, &token);
            let before = std::mem::replace(self.rests.entry(rest), saying);
            if before == saying {
                self.slots.entry(slot).same += 1;
                is_copy = true;
            } else if before != 0 {
                self.slots.entry(slot).others += 1;
            }
        }
        is_copy
    }

    /// Whether only the id of a URL is new.
    pub(super) fn is_known(&mut self, hash: HashKey, site: u64, url: &CanonUrl) -> bool {
        Token::all(url).iter().any(|token| {
            let (slot, rest) = keys(hash, site, token);
            let is_session = self.slots.get(slot).is_some_and(Slot::is_session);
            let is_known = is_session && self.rests.get(rest).is_some();
            is_known && !self.slots.entry(slot).throttle.lets_through(GAP)
        })
    }
}

fn keys(hash: HashKey, site: u64, token: &Token) -> (u64, u64) {
    let key = |text: &str| hash.hash(text.as_bytes()) ^ site;
    (key(&token.slot), key(&token.rest).rotate_left(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: HashKey = HashKey(1, 2);

    fn url(page: u64, id: u64) -> CanonUrl {
        let text = format!("http://a.example/p/{page}?k={:016x}", id.wrapping_mul(0x9e37_79b9));
        CanonUrl::parse(&text).unwrap()
    }

    #[test]
    fn a_page_is_fetched_once_where_ids_change_nothing() {
        let mut sessions = Sessions::new();
        for id in 1..=4 {
            assert!(!sessions.is_known(HASH, 7, &url(1, id)));
            sessions.learn(HASH, 7, &url(1, id), 11);
        }
        assert!(sessions.is_known(HASH, 7, &url(1, 99)));
        assert!(!sessions.is_known(HASH, 7, &url(2, 99)), "another page");
        assert!(!sessions.is_known(HASH, 8, &url(1, 99)), "another site");
    }

    #[test]
    fn ids_that_name_pages_are_no_session_ids() {
        let mut sessions = Sessions::new();
        for id in 1..100 {
            assert!(!sessions.is_known(HASH, 7, &url(1, id)));
            // Some of them are empty.
            sessions.learn(HASH, 7, &url(1, id), if id % 5 == 0 { 1 } else { id + 10 });
        }
    }
}
