//! Documents as the sieve knows them, and what it says of them.

use rhumb_web::{PartitionId, UrlKey};
use serde::{Deserialize, Serialize};

use crate::Sketch;

/// A document as the sieve knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its URL.
    pub url: UrlKey,
    /// Who owns it.
    pub partition: PartitionId,
    /// A hash of its site.
    pub site: u64,
    /// A hash of its path and query.
    pub path: u32,
    /// The first bytes of the digest of its payload, if that came whole.
    pub payload: Option<u64>,
    /// The URL that it calls its own, if that is another.
    pub canonical: Option<UrlKey>,
    /// Its text, if it has any.
    pub sketch: Option<Sketch>,
}

/// The original of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twin {
    /// The URL of the original.
    pub of: UrlKey,
    /// A hash of the original's site.
    pub site: u64,
    /// How alike they are.
    pub how: Likeness,
    /// Whether both have the same path and query.
    pub same_path: bool,
}

/// How alike two documents are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Likeness {
    /// Their payloads are the same.
    Same,
    /// Their texts are nearly the same.
    Near,
    /// It calls the other its canonical form, and their texts agree.
    Canonical,
}

impl Likeness {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Near => "near",
            Self::Canonical => "canonical",
        }
    }
}

/// What the sieve says of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing like it was met.
    Original {
        /// A document that was taken for the original so far, and calls this one its canonical
        /// form.
        replaces: Option<Late>,
    },
    /// There is an original.
    Twin(Twin),
}

/// A document that was taken for an original so far, and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Late {
    /// Its URL.
    pub url: UrlKey,
    /// Who owns it.
    pub partition: PartitionId,
    /// A hash of its site.
    pub site: u64,
    /// Its original.
    pub twin: Twin,
}
