//! A refill: some entries of one lane, read on whatever thread runs it.

use std::path::PathBuf;
use std::sync::Arc;

use super::layout::{frames, wide};
use super::segment::Segment;
use super::{BacklogError, LaneKey};
use crate::Entry;

/// A read that was prepared by [`Backlog::read`](super::Backlog::read), and waits to be run.
/// Segments that are replaced or removed meanwhile can still be read.
#[derive(Debug)]
#[must_use = "nothing is read before it is run"]
pub struct Reading(pub(super) Source);

/// Where the entries are.
#[derive(Debug)]
pub(super) enum Source {
    /// They were in memory: their frames.
    Copied { folder: PathBuf, frames: Vec<u8> },
    /// They are in one of the segments, oldest first.
    Segments {
        folder: PathBuf,
        segments: Vec<Arc<Segment>>,
        lane: LaneKey,
        ordinal: u64,
        count: usize,
    },
}

impl Reading {
    /// Brings the entries, in order. It never brings none where one was asked for.
    pub fn run(self) -> Result<Vec<Entry>, BacklogError> {
        match self.0 {
            Source::Copied { folder, frames: copied } => {
                let decoded: Option<Vec<Entry>> = frames(&copied).map(decode).collect();
                decoded.ok_or_else(|| BacklogError::corrupt(&folder, "an entry in memory"))
            }
            Source::Segments { folder, segments, lane, ordinal, count } => {
                for segment in segments {
                    if let Some(entries) = read(&segment, lane, ordinal, count)? {
                        return Ok(entries);
                    }
                }
                Err(BacklogError::Absent { folder, lane, ordinal })
            }
        }
    }
}

fn read(
    segment: &Segment,
    lane: LaneKey,
    ordinal: u64,
    count: usize,
) -> Result<Option<Vec<Entry>>, BacklogError> {
    let Some(stretch) = segment.find(lane, ordinal, count)? else { return Ok(None) };
    let wanted = ordinal..ordinal.saturating_add(wide(count));
    let mut entries = Vec::new();
    for (record, chunk) in segment.chunks(&stretch)? {
        let framed = (record.first..).zip(frames(&chunk));
        for (_, frame) in framed.filter(|(at, _)| wanted.contains(at)) {
            entries.push(decode(frame).ok_or_else(|| segment.corrupt("an entry"))?);
        }
    }
    Ok(Some(entries))
}

fn decode(frame: Option<&[u8]>) -> Option<Entry> {
    postcard::from_bytes(frame?).ok()
}
