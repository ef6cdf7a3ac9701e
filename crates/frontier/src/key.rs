//! By what the disk knows a site and its lanes.

use rhumb_web::{HashKey, PartitionId, Scheme, Site};
use serde::{Deserialize, Serialize};

/// The key of a site's row on disk: twelve bits of its partition, and of its name's hash the rest
/// but the lowest bit, which is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SiteKey(pub u64);

/// Bits of a key below those of its partition.
const NAME_BITS: u32 = 52;

impl SiteKey {
    /// The key of a site, by the crawl's own hash. Among n sites of one partition n² / 2⁵² are
    /// expected to share one with another.
    pub fn of(hash: HashKey, partition: PartitionId, site: &Site) -> Self {
        let name = hash.hash(site.as_str().as_bytes()) & ((1 << NAME_BITS) - 2);
        Self(u64::from(partition.0) << NAME_BITS | name)
    }

    /// The partition that it belongs to.
    pub fn partition(self) -> PartitionId {
        let id = u16::try_from(self.0 >> NAME_BITS).expect("twelve bits fit sixteen");
        PartitionId(id)
    }

    /// The key of one of its two lanes.
    pub fn lane(self, scheme: Scheme) -> LaneKey {
        LaneKey(self.0 | u64::from(scheme == Scheme::Https))
    }
}

/// The key of one lane of a site in the backlog: its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LaneKey(pub u64);

impl LaneKey {
    /// The site that it belongs to.
    pub fn site(self) -> SiteKey {
        SiteKey(self.0 & !1)
    }

    /// Which of its lanes it is.
    pub fn scheme(self) -> Scheme {
        if self.0 & 1 == 0 { Scheme::Http } else { Scheme::Https }
    }
}
