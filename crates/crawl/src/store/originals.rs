//! What the log says of originals, gathered until all of it was read.
//!
//! Judged line by line, a page that the log calls an original could be taken for a twin of one
//! that a later line calls none. So originals that stay are judged at the end, in their order: a
//! pass may have been forgotten with the kill, and what it would have told is told then.

use std::collections::{BTreeMap, HashMap};

use rhumb_frontier::SiteKey;
use rhumb_likeness::{Document, Late};
use rhumb_web::{HashKey, PartitionId, UrlKey};

use super::checkpoint::Holdings;
use crate::partition::Fact;

/// Documents in the order of the log.
#[derive(Debug, Default)]
pub(super) struct Originals {
    documents: BTreeMap<u64, Document>,
    places: HashMap<UrlKey, u64>,
    next: u64,
}

impl Originals {
    /// Takes in what a fact says.
    pub(super) fn note(
        &mut self,
        holdings: &mut Holdings,
        hash: HashKey,
        id: PartitionId,
        fact: &Fact,
    ) {
        match fact {
            Fact::Settled(settled) => {
                let content = &settled.more.content;
                let url = settled.entry.url();
                if let Some(twin) = &content.told.twin {
                    holdings.mirrors.note(SiteKey::of(hash, id, &url.site()), twin);
                    self.remove(url.key(hash));
                } else if content.is_original(settled) {
                    let digest = settled.digest.as_ref().filter(|_| settled.bytes > 0);
                    let document = content.document(hash, id, url, digest);
                    self.remove(document.url);
                    self.places.insert(document.url, self.next);
                    self.documents.insert(self.next, document);
                    self.next += 1;
                }
            }
            Fact::Likened { url, site, twin } => {
                holdings.mirrors.note(*site, twin);
                self.remove(*url);
                holdings.forget_original(*url);
            }
            _ => {}
        }
    }

    fn remove(&mut self, url: UrlKey) {
        if let Some(place) = self.places.remove(&url) {
            self.documents.remove(&place);
        }
    }

    /// Brings them to the sieve, and returns those that are none after all.
    pub(super) fn settle(self, holdings: &mut Holdings) -> Vec<Late> {
        let documents = self.documents.into_values();
        documents.filter_map(|document| holdings.add_original(&document)).collect()
    }
}
