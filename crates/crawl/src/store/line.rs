//! A line of the log: what one frame holds.

use std::borrow::Cow;

use rhumb_archive::Position;
use rhumb_web::{PartitionId, Tick};
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::partition::Fact;

/// One line. Its order and the order of all fields below it are the log's format.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Line<'a> {
    /// The crawl was opened.
    Opened(Tick),
    /// A fact of a partition.
    Fact(PartitionId, Tick, Cow<'a, Fact>),
    /// The archive is on the disk up to here.
    Kept(Position),
    /// The crawl was closed: nothing was under way but the tickets that are out.
    Closed,
}

impl Line<'_> {
    /// Writes it into the buffer, which is emptied first.
    pub(super) fn encode(&self, buffer: &mut Vec<u8>) {
        buffer.clear();
        let bytes = std::mem::take(buffer);
        *buffer = postcard::to_extend(self, bytes).expect("a line can always be written down");
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Line<'static>, StoreError> {
        postcard::from_bytes(bytes).map_err(|_| StoreError::Line)
    }
}
