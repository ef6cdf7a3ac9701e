//! Do we have it already? Sketches of texts, and the sieve of all originals that were ever met.

use rhumb_web::{PartitionId, UrlKey};
use serde::{Deserialize, Serialize};

/// How alike texts are, in 148 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sketch {
    /// A digest of the words without digits and signs.
    pub blind: u64,
    /// The `SimHash` of the words.
    pub simhash: u64,
    /// Shingles of four words.
    pub shingles: u32,
    /// The `MinHash`, 8 bits a bin.
    bins: Vec<u8>,
}

impl Sketch {
    /// The sketch of a text; none if it has no words.
    pub fn of(_text: &str) -> Option<Self> {
        None
    }

    /// The Jaccard index of the shingles of both texts, about.
    pub fn jaccard(&self, _other: &Self) -> f64 {
        0.0
    }

    /// The bits in which the `SimHash`es differ.
    pub fn distance(&self, other: &Self) -> u32 {
        (self.simhash ^ other.simhash).count_ones()
    }
}

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

/// What the sieve says of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing like it was met.
    Original {
        /// A document that was taken for the original so far, and calls this one its canonical
        /// form.
        replaces: Option<UrlKey>,
    },
    /// There is an original.
    Twin(Twin),
}

/// What a pass found of a document that was an original so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// Its URL.
    pub url: UrlKey,
    /// Who owns it.
    pub partition: PartitionId,
    /// Its original.
    pub twin: Twin,
}
