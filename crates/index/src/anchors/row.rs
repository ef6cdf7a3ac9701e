//! What is known of one target of links.
//!
//! A row is a lattice: whatever is added, in whatever order and however often, the same row comes
//! out. So a row may be ahead of the words after a kill, and reading on ends in the same state.
//! Where there is too much, what has the smallest hashes is kept, for the same reason.

use rhumb_web::UrlKey;
use serde::{Deserialize, Serialize};

/// Distinct texts that are kept of one target, so that the best of them can be chosen.
pub(super) const TEXTS_KEPT: usize = 256;
/// Domains that are kept of one text: more votes change nothing.
pub(super) const DOMAINS_KEPT: usize = 16;
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
        match self.texts.binary_search_by_key(&hash, |text| text.hash) {
            Ok(at) => keep_smallest(&mut self.texts[at].domains, domain, DOMAINS_KEPT),
            Err(at) if at >= TEXTS_KEPT => false,
            Err(at) => {
                self.texts.insert(at, Text { hash, words: text.to_owned(), domains: vec![domain] });
                self.texts.truncate(TEXTS_KEPT);
                true
            }
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
}
