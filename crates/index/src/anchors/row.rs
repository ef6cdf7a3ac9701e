//! What is known of one target of links.
//!
//! A row is a lattice: whatever is added, in whatever order and however often, the same row comes
//! out. So a row may be ahead of the words after a kill, and reading on ends in the same state.
//! Where there is too much, what has the smallest hashes is kept, for the same reason: of all
//! domains those, and of the texts of each of them those. A domain thus has no say in what is kept
//! of another one's texts, however many it makes up.

use rhumb_web::UrlKey;
use serde::{Deserialize, Serialize};

/// Domains that are kept of one target.
pub(super) const DOMAINS_KEPT: usize = 32;
/// Texts that are kept of one domain for one target.
const TEXTS_OF_DOMAIN: usize = 8;
/// Other URLs of a target whose texts count for it.
pub(super) const FROMS_KEPT: usize = 16;

/// A text of links to a target, and who uses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Text {
    pub(super) hash: u64,
    pub(super) words: String,
    /// Sorted and distinct.
    pub(super) domains: Vec<u32>,
}

impl Text {
    fn is_of(&self, domain: u32) -> bool {
        self.domains.binary_search(&domain).is_ok()
    }
}

/// A target of links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Row {
    /// Sorted by hash.
    pub(super) texts: Vec<Text>,
    /// Where it leads: a redirect, or a copy of another page.
    pub(super) alias: Option<UrlKey>,
    /// Those that once led here, sorted.
    pub(super) froms: Vec<UrlKey>,
    /// A hint: whether the words have it.
    pub(super) is_held: bool,
    /// Whether the words ever had it. Never unset: so whatever a commit holds is known here.
    pub(super) is_met: bool,
    /// A hint: how many texts it had when it was added to the words.
    pub(super) added: u32,
}

impl Row {
    /// Whether this is news.
    pub(super) fn add(&mut self, hash: u64, text: &str, domain: u32) -> bool {
        let of_domain = || self.texts.iter().filter(|text| text.is_of(domain));
        if of_domain().any(|text| text.hash == hash) {
            return false;
        }
        match of_domain().count() {
            0 if !self.make_room_for(domain) => return false,
            TEXTS_OF_DOMAIN.. => {
                let last = self.texts.iter_mut().rfind(|text| text.is_of(domain));
                let last = last.expect("a domain with texts has a last one");
                if last.hash < hash {
                    return false;
                }
                last.domains.retain(|it| *it != domain);
            }
            _ => {}
        }
        match self.texts.binary_search_by_key(&hash, |text| text.hash) {
            Ok(at) => {
                let domains = &mut self.texts[at].domains;
                domains.insert(domains.partition_point(|it| *it < domain), domain);
            }
            Err(at) => {
                let text = Text { hash, words: text.to_owned(), domains: vec![domain] };
                self.texts.insert(at, text);
            }
        }
        self.texts.retain(|text| !text.domains.is_empty());
        true
    }

    /// Whether one more domain may be kept; the last of too many goes for it.
    fn make_room_for(&mut self, domain: u32) -> bool {
        let mut domains: Vec<u32> =
            self.texts.iter().flat_map(|text| &text.domains).copied().collect();
        domains.sort_unstable();
        domains.dedup();
        match domains.last() {
            Some(last) if domains.len() >= DOMAINS_KEPT => {
                if *last < domain {
                    return false;
                }
                for text in &mut self.texts {
                    text.domains.retain(|it| it != last);
                }
                true
            }
            _ => true,
        }
    }

    /// Whether this is news.
    pub(super) fn add_from(&mut self, from: UrlKey) -> bool {
        keep_smallest(&mut self.froms, from, FROMS_KEPT)
    }
}

/// Adds to a sorted list that keeps its smallest; whether it changed.
fn keep_smallest<T: Ord>(list: &mut Vec<T>, item: T, most: usize) -> bool {
    match list.binary_search(&item) {
        Err(at) if at < most => {
            list.insert(at, item);
            list.truncate(most);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_and_number_of_additions_do_not_matter(
            added in prop::collection::vec((0_u64..400, 0_u32..40), 0..2000),
            turn in 0_usize..2000,
        ) {
            let mut once = Row::default();
            let mut again = Row::default();
            for (hash, domain) in &added {
                once.add(*hash, "text", *domain);
            }
            let turn = turn.min(added.len());
            for (hash, domain) in added[turn..].iter().chain(&added).rev() {
                again.add(*hash, "text", *domain);
            }
            prop_assert_eq!(once, again);
        }
    }

    #[test]
    fn a_domain_with_many_texts_takes_no_place_from_others() {
        let mut row = Row::default();
        row.add(u64::MAX, "an honest text", 7);
        for hash in 0..10_000 {
            row.add(hash, "another text", 3);
        }
        assert_eq!(row.texts.len(), TEXTS_OF_DOMAIN + 1);
        assert_eq!(row.texts.last().map(|text| text.words.as_str()), Some("an honest text"));
    }

    #[test]
    fn a_row_has_an_end() {
        let mut row = Row::default();
        for number in 0..100_000_u32 {
            row.add(u64::from(number), "text", number * 7_919 % 1_000);
        }
        let mut domains: Vec<u32> = row.texts.iter().flat_map(|it| it.domains.clone()).collect();
        domains.sort_unstable();
        domains.dedup();
        assert_eq!(domains, (0..32).collect::<Vec<_>>());
        assert!(row.texts.len() <= DOMAINS_KEPT * TEXTS_OF_DOMAIN);
    }
}
