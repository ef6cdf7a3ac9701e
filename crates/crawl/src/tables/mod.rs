//! The tables of a crawl: what is looked up by key and does not stay in memory.
//!
//! A table is a sorted map of bytes. Everything changes at a checkpoint only, in one batch that
//! carries the offset of the log up to which it holds: after any crash the tables are those of one
//! checkpoint, and the log behind its offset is what happened since. The tables do not know what
//! their rows mean.

mod fjalled;
mod journals;
mod memory;
mod replacing;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::path::PathBuf;

use crate::log::Offset;

pub use fjalled::FjallTables;
pub use memory::MemoryTables;
pub(crate) use replacing::{copy_of, replace, sweep};

/// The longest key of a row; fjall has 16 bits for its length.
pub const KEY_BYTES_MAX: usize = 65_535;

/// Which table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// What there is one of in a crawl.
    Meta,
    /// Sites: clocks, back-off, counters.
    Sites,
    /// The robots.txt of sites.
    Robots,
    /// URL records.
    Urls,
}

impl Table {
    /// Every table.
    pub const ALL: [Self; 4] = [Self::Meta, Self::Sites, Self::Robots, Self::Urls];
}

/// Changes that happen together.
#[derive(Debug, Default)]
pub struct Batch {
    changes: Vec<Change>,
    bytes: usize,
}

/// One changed row; no value: it is removed.
#[derive(Debug)]
struct Change {
    table: Table,
    key: Vec<u8>,
    value: Option<Vec<u8>>,
}

impl Batch {
    /// Sets a row.
    pub fn put(&mut self, table: Table, key: Vec<u8>, value: Vec<u8>) {
        self.push(Change { table, key, value: Some(value) });
    }

    /// Removes a row; one that is not there is fine.
    pub fn remove(&mut self, table: Table, key: Vec<u8>) {
        self.push(Change { table, key, value: None });
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn check(&self) -> Result<(), TablesError> {
        let mut lengths = self.changes.iter().map(|change| change.key.len());
        match lengths.find(|bytes| !(1..=KEY_BYTES_MAX).contains(bytes)) {
            Some(bytes) => Err(TablesError::Key { bytes }),
            None => Ok(()),
        }
    }

    fn push(&mut self, change: Change) {
        let value = change.value.as_ref().map_or(0, Vec::len);
        self.bytes += size_of::<Change>() + change.key.len() + value;
        self.changes.push(change);
    }
}

/// A row: its key and its value.
pub type Row = (Vec<u8>, Vec<u8>);

/// Rows as they are read.
pub type Rows<'a> = Box<dyn Iterator<Item = Result<Row, TablesError>> + 'a>;

/// The tables of one crawl.
pub trait Tables: Debug + Send + Sync {
    /// The value of a row.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, TablesError>;
    /// The rows whose key begins so, in the order of their keys.
    fn range(&self, table: Table, prefix: &[u8]) -> Rows<'_>;
    /// One batch with the offset up to which it holds: all of it is durable on return, or none of
    /// it happened. After an error it is unknown which: open the tables again.
    fn commit(&self, batch: Batch, offset: Offset) -> Result<(), TablesError>;
    /// Makes the next opening quick, where that takes work; for the end of a run.
    fn settle(&self) -> Result<(), TablesError> {
        Ok(())
    }
    /// The offset of the newest batch; none if there never was one.
    fn offset(&self) -> Result<Option<Offset>, TablesError>;
}

/// Why the tables cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// Another process has them open.
    #[error("the tables in {folder} are in use by another process")]
    InUse {
        /// The folder of the tables.
        folder: PathBuf,
    },
    /// A key of this length is not taken; nothing happened.
    #[error("a key of {bytes} bytes is not between 1 and {KEY_BYTES_MAX}")]
    Key {
        /// How long it is.
        bytes: usize,
    },
    /// They cannot be read or written.
    #[error("cannot {doing} the tables in {folder}: {reason}")]
    Failed {
        /// What was tried.
        doing: &'static str,
        /// The folder of the tables.
        folder: PathBuf,
        /// What the database said.
        reason: String,
    },
}
