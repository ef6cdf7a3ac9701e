//! What a page says and whether we have it already, as far as facts tell.

use rhumb_frontier::SiteKey;
use rhumb_likeness::{Document, Sketch, Twin};
use rhumb_web::{CanonUrl, Errand, HashKey, Mark, PartitionId, UrlKey};
use serde::{Deserialize, Serialize};

use super::fact::{PayloadDigest, Settled, Settlement};

/// The content of one answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// Its text, if it has any.
    pub sketch: Option<Box<Sketch>>,
    /// The URL that it calls its own, if that is another.
    pub canonical: Option<UrlKey>,
    /// When its capture began, in milliseconds since 1970, if the archive has its payload in full:
    /// later captures may refer to it.
    pub kept_ms: Option<u64>,
    /// What a record keeps of it.
    pub told: Told,
}

impl Content {
    /// Whether the answer that it came with is one of the originals: a page that came whole, and
    /// is no gate.
    pub(crate) fn is_original(&self, settled: &Settled) -> bool {
        let is_page = settled.entry.candidate.errand == Errand::Page;
        is_page
            && matches!(settled.result, Settlement::Answered(200..300))
            && settled.cut.is_none()
            && settled.again.is_none()
            && self.told.twin.is_none()
            && settled.more.duplicate_of.is_none()
            && self.told.mark != Some(Mark::Challenge)
    }

    /// The document that the sieve is asked about: of this URL, with this payload if it came
    /// whole.
    pub fn document(
        &self,
        hash: HashKey,
        partition: PartitionId,
        url: &CanonUrl,
        payload: Option<&PayloadDigest>,
    ) -> Document {
        let path = hash.hash(url.path_and_query().as_bytes());
        let head = |digest: &PayloadDigest| digest.first_chunk().map(|it| u64::from_le_bytes(*it));
        Document {
            url: url.key(hash),
            partition,
            site: SiteKey::of(hash, partition, &url.site()).0,
            path: u32::try_from(path >> 32).expect("the upper half fits 32 bits"),
            payload: payload.and_then(head),
            canonical: self.canonical,
            sketch: self.sketch.as_deref().cloned(),
        }
    }
}

/// What is remembered of the content of a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The page that had it before.
    pub twin: Option<Twin>,
    /// That it is not what its status says.
    pub mark: Option<Mark>,
    /// Its site has shown the same so often, changed in digits only, that links from it to its own
    /// site are not followed.
    pub is_repeat: bool,
    /// What document it is, and how its reading ended, unless it is a page.
    pub document: Option<String>,
}
