//! Why a query cannot be understood, and what to do.

use std::ops::Range;

/// A query that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct QueryError {
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub advice: String,
    /// Where, in bytes of the query.
    pub place: Range<usize>,
}

impl QueryError {
    pub(super) fn new(
        what: impl Into<String>,
        advice: impl Into<String>,
        place: Range<usize>,
    ) -> Self {
        Self { what: what.into(), advice: advice.into(), place }
    }
}
