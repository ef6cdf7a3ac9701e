//! A seen-set for tests and simulations.

use std::collections::HashSet;

use rhumb_web::UrlKey;

use crate::{Novelty, Seen};

/// All keys in memory: never unsure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemorySeen(HashSet<UrlKey>);

impl Seen for MemorySeen {
    fn meet(&mut self, key: UrlKey) -> Novelty {
        if self.0.contains(&key) { Novelty::Known } else { Novelty::New }
    }

    fn insert(&mut self, key: UrlKey) {
        self.0.insert(key);
    }
}
