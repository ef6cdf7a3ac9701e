//! What was added and removed since the last commit.

use std::sync::Arc;

use rhumb_web::UrlKey;

use crate::anchors::KeyedMap;

/// About what the map takes for a document, beside its bytes.
const ENTRY_BYTES: usize = 128;

/// A document in tantivy, or on its way there.
#[derive(Clone, Debug)]
pub(super) struct Fresh {
    /// As it is kept.
    pub(super) bytes: Arc<[u8]>,
    /// The fingerprint of its texts of links.
    pub(super) anchored: u64,
    /// The page that it is folded with.
    pub(super) group: UrlKey,
}

/// What became of a document.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Added(Fresh),
    Removed,
}

/// Documents by key, and what became of them last.
#[derive(Debug, Default)]
pub(super) struct Batch {
    documents: KeyedMap<UrlKey, Change>,
    /// Copies by their originals, as of any moment of this batch.
    copies: KeyedMap<UrlKey, Vec<UrlKey>>,
    bytes: usize,
}

impl Batch {
    pub(super) fn add(&mut self, key: UrlKey, original: Option<UrlKey>, fresh: Fresh) {
        self.bytes += fresh.bytes.len() + ENTRY_BYTES;
        if let Some(Change::Added(before)) = self.documents.insert(key, Change::Added(fresh)) {
            self.bytes -= before.bytes.len() + ENTRY_BYTES;
        }
        if let Some(original) = original {
            self.copies.entry(original).or_default().push(key);
        }
    }

    pub(super) fn remove(&mut self, key: UrlKey) {
        self.bytes += ENTRY_BYTES;
        self.documents.insert(key, Change::Removed);
    }

    /// What became of a document, if this batch knows.
    pub(super) fn get(&self, key: UrlKey) -> Option<&Change> {
        self.documents.get(&key)
    }

    /// Documents that were once in this batch copies of this one.
    pub(super) fn copies(&self, original: UrlKey) -> Vec<UrlKey> {
        self.copies.get(&original).cloned().unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
