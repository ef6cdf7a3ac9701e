//! The record of takedowns: what was asked for, as hashes, and how far the last one has come.

use rhumb_rules::Forgotten;
use rhumb_web::{HashKey, UrlKey};
use serde::{Deserialize, Serialize};

use crate::store::StoreError;
use crate::tables::{Batch, Table, Tables};

/// The key of its row.
const KEY: &[u8] = b"forgotten";

/// All takedowns of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Takedowns {
    pub(super) stage: Stage,
    list: Vec<Takedown>,
}

/// How far the last takedown has come. Each stage can be ended at any moment, and begun again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Nothing of it is left.
    #[default]
    Done,
    /// It is written down, and will not be fetched any more.
    Asked,
    /// All that the log said is in the tables: the archive and they can be changed.
    Settled,
    /// The tables are those without it; what they replaced may still be there.
    Copied,
}

/// One takedown. It does not name what it is of: that would be a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Takedown {
    kind: Kind,
    /// The keyed hash of the name, or of the URL.
    key: u64,
    /// When it was asked for, in milliseconds since 1970.
    at_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// A host, or a host on one port.
    Host,
    Url,
}

impl Takedowns {
    pub(super) fn read(tables: &dyn Tables) -> Result<Self, StoreError> {
        let Some(row) = tables.get(Table::Meta, KEY)? else { return Ok(Self::default()) };
        postcard::from_bytes(&row).map_err(|_| StoreError::Row("of takedowns".to_owned()))
    }

    /// Puts it on the disk.
    pub(super) fn write(&self, tables: &dyn Tables) -> Result<(), StoreError> {
        let row = postcard::to_stdvec(self).expect("a row can always be written down");
        let mut batch = Batch::default();
        batch.put(Table::Meta, KEY.to_vec(), row);
        Ok(tables.commit(batch, tables.offset()?.unwrap_or_default())?)
    }

    /// Adds a host, and says whether it was there before.
    pub(super) fn add_name(&mut self, key: u64, at_ms: u64) -> bool {
        self.add(Takedown { kind: Kind::Host, key, at_ms })
    }

    /// Adds a URL, and says whether it was there before.
    pub(super) fn add_url(&mut self, key: UrlKey, at_ms: u64) -> bool {
        self.add(Takedown { kind: Kind::Url, key: key.0, at_ms })
    }

    fn add(&mut self, takedown: Takedown) -> bool {
        let before = self.list.len();
        self.list.retain(|other| (other.kind, other.key) != (takedown.kind, takedown.key));
        let was_there = self.list.len() < before;
        self.list.push(takedown);
        self.stage = Stage::Asked;
        was_there
    }

    /// What all of them cover.
    pub(super) fn forgotten(&self, hash: HashKey) -> Forgotten {
        let mut forgotten = Forgotten::new(hash);
        for takedown in &self.list {
            match takedown.kind {
                Kind::Host => forgotten.add_name(takedown.key),
                Kind::Url => forgotten.add_url(UrlKey(takedown.key)),
            }
        }
        forgotten
    }
}
