//! A refill: entries of one lane, read on whatever thread runs it.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::BacklogError;
use super::buffer::Buffer;
use super::layout::frames;
use super::segment::Segment;
use crate::Entry;
use crate::shelf::{Stock, Wish};

/// A read that was prepared by [`Backlog::look`](super::Backlog::look), and waits to be run.
/// Segments that are replaced or removed meanwhile can still be read.
#[derive(Debug)]
#[must_use = "nothing is read before it is run"]
pub struct Reading {
    pub(super) folder: PathBuf,
    pub(super) wish: Wish,
    /// Oldest first: a lane's lower ordinals come first.
    pub(super) segments: Vec<Arc<Segment>>,
    pub(super) frozen: Vec<Arc<Buffer>>,
    /// Entries of the buffer that still grows, each piece with the ordinal of its first.
    pub(super) fresh: Vec<(u64, Vec<u8>)>,
}

impl Reading {
    /// Brings what was wished for, in order. It never brings none where one was asked for, and
    /// never seeks where nothing lies.
    pub fn run(self) -> Result<Stock, BacklogError> {
        let mut stock = Stock::default();
        for range in self.wish.ranges() {
            if !range.is_empty() && !self.read(&range, &mut stock)? {
                break;
            }
        }
        let (lane, ordinal) = (self.wish.place.lane, self.wish.place.ordinal);
        let begins = stock.entries.first().map(|(first, _)| *first);
        let is_there = self.wish.look == 0 || begins == Some(ordinal);
        if !is_there || self.wish.sought.is_some() && stock.searched.is_none() {
            return Err(BacklogError::Absent { folder: self.folder, lane, ordinal });
        }
        Ok(stock)
    }

    /// Reads these entries, and says whether more of them may be wanted.
    fn read(&self, range: &Range<u64>, stock: &mut Stock) -> Result<bool, BacklogError> {
        let lane = self.wish.place.lane;
        for segment in &self.segments {
            for stretch in segment.stretches(lane, range.clone()) {
                for (record, chunk) in segment.chunks(&stretch?)? {
                    let framed = (record.first..).zip(frames(&chunk));
                    for (ordinal, frame) in framed.filter(|(at, _)| range.contains(at)) {
                        let entry = decode(frame).ok_or_else(|| segment.corrupt("an entry"))?;
                        if !self.wish.offer(stock, ordinal, entry) {
                            return Ok(false);
                        }
                        if ordinal + 1 == range.end {
                            return Ok(true);
                        }
                    }
                }
            }
        }
        let frozen = self.frozen.iter().flat_map(|buffer| buffer.entries(lane, range.start));
        let frozen = frozen.map(|(ordinal, frame)| (ordinal, Some(frame)));
        let fresh = self.fresh.iter().flat_map(|(first, bytes)| (*first..).zip(frames(bytes)));
        for (ordinal, frame) in frozen.chain(fresh).filter(|(at, _)| range.contains(at)) {
            let entry = decode(frame);
            let entry =
                entry.ok_or_else(|| BacklogError::corrupt(&self.folder, "an entry in memory"))?;
            if !self.wish.offer(stock, ordinal, entry) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn decode(frame: Option<&[u8]>) -> Option<Entry> {
    postcard::from_bytes(frame?).ok()
}
