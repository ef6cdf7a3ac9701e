//! What every commit of the words says beside them.

use std::path::Path;

use rhumb_web::HashKey;
use serde::{Deserialize, Serialize};
use tantivy::IndexMeta;

use crate::schema::FORMAT;
use crate::{Cursor, IndexError};

/// Kept as JSON in tantivy's own list of what a commit holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Commitment {
    format: u32,
    /// What makes the keys of its pages.
    pub(crate) hash: HashKey,
    pub(crate) cursor: Cursor,
    /// How long the store of links was.
    pub(crate) links: u64,
}

impl Commitment {
    pub(crate) fn new(hash: HashKey, cursor: Cursor, links: u64) -> Self {
        Self { format: FORMAT, hash, cursor, links }
    }

    /// What the last commit says; nothing if there was none yet.
    pub(crate) fn read(folder: &Path, meta: &IndexMeta) -> Result<Option<Self>, IndexError> {
        let Some(payload) = &meta.payload else { return Ok(None) };
        let other = |what| IndexError::Other { folder: folder.to_owned(), what };
        let read: Self = serde_json::from_str(payload)
            .map_err(|error| other(format!("cannot be read ({error})")))?;
        if read.format != FORMAT {
            return Err(other(format!("has format {} and not {FORMAT}", read.format)));
        }
        Ok(Some(read))
    }

    pub(crate) fn is_of(&self, hash: HashKey) -> bool {
        self.hash == hash
    }

    pub(crate) fn write(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written")
    }
}
