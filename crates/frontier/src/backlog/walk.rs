//! Goes through a segment from its first chunk to its last.

use std::sync::Arc;

use super::layout::Record;
use super::segment::{Segment, verified};
use super::{BacklogError, LaneKey};

/// A place in a segment.
#[derive(Debug)]
pub(super) struct Walk {
    segment: Arc<Segment>,
    /// Whether the chunks are read, or only the records.
    with_chunks: bool,
    /// How many groups were read.
    groups: usize,
    records: Vec<Record>,
    chunks: Vec<u8>,
    /// The next of the records.
    at: usize,
}

impl Walk {
    /// One through each of the segments.
    pub(super) fn begin_all(
        segments: &[Arc<Segment>],
        with_chunks: bool,
    ) -> Result<Vec<Self>, BacklogError> {
        segments.iter().map(|segment| Self::begin(Arc::clone(segment), with_chunks)).collect()
    }

    /// Stands at the first chunk.
    fn begin(segment: Arc<Segment>, with_chunks: bool) -> Result<Self, BacklogError> {
        let (records, chunks) = (Vec::new(), Vec::new());
        let mut walk = Self { segment, with_chunks, groups: 0, records, chunks, at: 0 };
        walk.load()?;
        Ok(walk)
    }

    /// The record of the chunk at which it stands, if it belongs to this lane.
    pub(super) fn record_of(&self, lane: LaneKey) -> Option<Record> {
        self.records.get(self.at).copied().filter(|record| record.lane == lane)
    }

    /// The lane of the chunk at which it stands; None at the end.
    pub(super) fn lane(&self) -> Option<LaneKey> {
        self.records.get(self.at).map(|record| record.lane)
    }

    /// The bytes of the chunk of this record.
    pub(super) fn chunk(&self, record: &Record) -> Result<&[u8], BacklogError> {
        let chunk = verified(&self.chunks, record.offset, record);
        chunk.ok_or_else(|| self.corrupt("a chunk"))
    }

    /// Goes to the next chunk.
    pub(super) fn advance(&mut self) -> Result<(), BacklogError> {
        self.at += 1;
        if self.at < self.records.len() { Ok(()) } else { self.load() }
    }

    pub(super) fn corrupt(&self, what: &'static str) -> BacklogError {
        self.segment.corrupt(what)
    }

    /// Reads the next group; at the end there are no records left.
    fn load(&mut self) -> Result<(), BacklogError> {
        self.at = 0;
        self.records.clear();
        let Some(fence) = self.segment.fences.get(self.groups) else { return Ok(()) };
        if self.with_chunks {
            (self.records, self.chunks) = self.segment.group(fence)?;
        } else {
            self.records = self.segment.block(fence)?;
        }
        self.groups += 1;
        Ok(())
    }
}
