//! What a query excludes, as a set that may be asked for documents that it is already past.
//!
//! tantivy's exclusion asks its sets so, and its phrases do not expect it (0.27: a failed
//! assertion in builds with assertions). Everything but the plainest way to ask is hidden here.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, TantivyError};

/// A query that is only excluded.
#[derive(Debug)]
pub(super) struct Excluded(pub(super) Box<dyn Query>);

impl Clone for Excluded {
    fn clone(&self) -> Self {
        Self(self.0.box_clone())
    }
}

impl Query for Excluded {
    fn weight(&self, scoring: EnableScoring<'_>) -> Result<Box<dyn Weight>, TantivyError> {
        Ok(Box::new(ExcludedWeight(self.0.weight(scoring)?)))
    }
}

struct ExcludedWeight(Box<dyn Weight>);

impl Weight for ExcludedWeight {
    fn scorer(
        &self,
        reader: &SegmentReader,
        boost: Score,
    ) -> Result<Box<dyn Scorer>, TantivyError> {
        Ok(Box::new(ExcludedSet(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, reader: &SegmentReader, doc: DocId) -> Result<Explanation, TantivyError> {
        self.0.explain(reader, doc)
    }
}

struct ExcludedSet(Box<dyn Scorer>);

impl DocSet for ExcludedSet {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }
}

impl Scorer for ExcludedSet {
    fn score(&mut self) -> Score {
        self.0.score()
    }
}
