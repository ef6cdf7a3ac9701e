//! What finds no room in a site's head in memory: first in, first out per lane, on disk.
//!
//! Pushes gather in a buffer; a checkpoint freezes it and another thread writes it as a segment,
//! an immutable file sorted by lane. Segments are merged by eights, so that few are live. The
//! entries of a lane are numbered in the order of pushing, and the site keeps its own cursor:
//! nothing is ever marked as read, and merges leave out what lies below the cursors.
//!
//! A refill costs one read of an index block in each live segment (fewer than 8 per level of
//! merging), and one of entries in each group that has some of those that it looks at.
//! In memory a segment has 32 bytes per 64 lanes (or per 256 KiB), and a lane nothing at all.
//!
//! What was pushed and not frozen is gone at the next opening: the caller pushes it again, from
//! its log. Nothing here removes a file.

mod buffer;
mod error;
mod lanes;
mod layout;
mod merge;
mod reading;
mod rewrite;
mod seek;
mod segment;
mod walk;
mod writer;

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::{Disk, SharedDisk};
use rhumb_web::CanonUrl;

pub use error::BacklogError;
pub use lanes::Lanes;
pub use merge::Merge;
pub use reading::Reading;
pub use seek::Seek;
pub use segment::{Segment, SegmentInfo};

pub use crate::LaneKey;

use crate::Entry;
use crate::shelf::{Taken, Wish};
use buffer::Buffer;
use walk::Walk;

/// The entries of all lanes that wait on disk or on their way there.
#[derive(Debug)]
pub struct Backlog {
    disk: SharedDisk,
    folder: PathBuf,
    /// Oldest first: an older one has a lane's lower ordinals.
    segments: Vec<Arc<Segment>>,
    /// Buffers that are being written, oldest first.
    frozen: VecDeque<Arc<Buffer>>,
    buffer: Buffer,
}

/// What the buffer held when it was frozen, to be written.
#[derive(Debug)]
#[must_use = "what is frozen and not written is lost at the next opening"]
pub struct Frozen(Arc<Buffer>);

impl Frozen {
    /// Writes a new segment file of that name and syncs it; the caller syncs the folder.
    pub fn write(
        &self,
        disk: &dyn Disk,
        folder: &Path,
        name: &str,
    ) -> Result<Segment, BacklogError> {
        self.0.write(disk, folder, name)
    }
}

impl Backlog {
    /// An empty one, whose segments will lie in this folder.
    pub fn new(disk: SharedDisk, folder: PathBuf) -> Self {
        let (segments, frozen) = (Vec::new(), VecDeque::new());
        Self { disk, folder, segments, frozen, buffer: Buffer::default() }
    }

    /// The one with the segments that a checkpoint listed, in its order; other files are ignored.
    pub fn open(
        disk: SharedDisk,
        folder: PathBuf,
        segments: &[SegmentInfo],
    ) -> Result<Self, BacklogError> {
        let mut backlog = Self::new(disk, folder);
        for info in segments {
            let segment = Segment::open(&*backlog.disk, &backlog.folder, info.clone())?;
            backlog.segments.push(Arc::new(segment));
        }
        Ok(backlog)
    }

    /// Appends an entry to its lane; its ordinal is one above that of the lane's last.
    pub fn push(&mut self, lane: LaneKey, ordinal: u64, entry: &Entry) {
        self.buffer.push(lane, ordinal, entry);
    }

    /// What the buffer and the frozen ones take in memory, about.
    pub fn bytes(&self) -> usize {
        let frozen: usize = self.frozen.iter().map(|buffer| buffer.bytes()).sum();
        self.buffer.bytes() + frozen
    }

    /// Takes what the buffer holds, to be written by another thread; here it can be read until
    /// [`Backlog::install`]. None if it is empty.
    pub fn freeze(&mut self) -> Option<Frozen> {
        if self.buffer.is_empty() {
            return None;
        }
        let frozen = Arc::new(std::mem::take(&mut self.buffer));
        self.frozen.push_back(Arc::clone(&frozen));
        Some(Frozen(frozen))
    }

    /// A segment takes the place of the buffer from which it was written: the oldest that is
    /// frozen. From now on a checkpoint must list it.
    pub fn install(&mut self, segment: Segment) {
        let written = self.frozen.pop_front();
        assert!(written.is_some(), "a segment comes from a frozen buffer");
        self.segments.push(Arc::new(segment));
    }

    /// A merge that is due, to be written by another thread. One at a time: until
    /// [`Backlog::replace`] the same one is due.
    pub fn merge(&self) -> Option<Merge> {
        Merge::due(&self.segments)
    }

    /// A merged segment takes the place of those from which it was made. Their files are the
    /// caller's to remove, once a checkpoint that lists the merged one is durable.
    pub fn replace(&mut self, merged: Segment, replaced: &[String]) {
        let is_replaced = |segment: &Arc<Segment>| replaced.contains(&segment.info().name);
        let place = self.segments.iter().position(is_replaced);
        let place = place.expect("what was merged is live until it is replaced");
        self.segments.retain(|segment| !is_replaced(segment));
        self.segments.insert(place, Arc::new(merged));
    }

    /// The live segments in their order, for a checkpoint to list.
    pub fn segments(&self) -> Vec<SegmentInfo> {
        self.segments.iter().map(|segment| segment.info().clone()).collect()
    }

    /// The files of the folder that are no live segment: after opening, what was written and
    /// never listed, or replaced and not removed.
    pub fn orphans(&self) -> Result<Vec<String>, BacklogError> {
        let live: HashSet<&str> = self.segments.iter().map(|s| s.info().name.as_str()).collect();
        let listed = self.disk.list(&self.folder);
        let mut names = listed.map_err(BacklogError::disk("list", &self.folder))?;
        names.retain(|name| !live.contains(name.as_str()));
        Ok(names)
    }

    /// A read of up to `count` entries of a lane from `ordinal` on, to be run on another thread.
    /// An entry that is not there is [`BacklogError::Absent`].
    pub fn read(&self, lane: LaneKey, ordinal: u64, count: usize) -> Reading {
        self.look(Wish::plain(lane, ordinal, count))
    }

    /// A read of what is wished for, to be run on another thread. What is not frozen yet is
    /// copied at once.
    pub fn look(&self, wish: Wish) -> Reading {
        let lane = wish.place.lane;
        let copy = |range: Range<u64>| self.buffer.copy(lane, range.start, range.end);
        let fresh = wish.ranges().into_iter().filter_map(copy).collect();
        let in_memory = |buffer: &Arc<Buffer>| buffer.end_of(lane).is_some();
        let frozen: Vec<_> = self.frozen.iter().filter(|it| in_memory(it)).cloned().collect();
        let (folder, segments) = (self.folder.clone(), self.segments.clone());
        Reading { folder, wish, segments, frozen, fresh }
    }

    /// A search for a URL among the entries of a lane from `from` on, to be run on another thread.
    /// What is not frozen yet is searched at once.
    pub fn seek(&self, lane: LaneKey, from: u64, url: &CanonUrl) -> Seek {
        let (segments, frozen) = (self.segments.clone(), self.frozen.iter().cloned().collect());
        Seek::new(self.folder.clone(), lane, from, url, segments, frozen, &self.buffer)
    }

    /// The ordinal after the last entry of a lane that is in a buffer or segment, if there is
    /// any: at most one read in each live segment.
    pub fn end_of(&self, lane: LaneKey) -> Result<Option<u64>, BacklogError> {
        let mut buffers = self.frozen.iter().map(Arc::as_ref).chain([&self.buffer]).rev();
        if let Some(end) = buffers.find_map(|buffer| buffer.end_of(lane)) {
            return Ok(Some(end));
        }
        // Newer ones have the higher ordinals.
        let mut ends = self.segments.iter().rev().map(|segment| segment.end_of(lane));
        ends.find_map(Result::transpose).transpose()
    }

    /// Writes all that the listed segments hold as one new file of that name and syncs it, but
    /// for entries that were taken and those that `keep` refuses. None if nothing is left.
    ///
    /// Where something is left out, what is behind it in its lane moves up, so that there is no
    /// gap: the map says where each such lane now ends. The caller syncs the folder, makes the
    /// list, the cursors and the ends durable together, and then removes the old files.
    pub fn rewrite(
        disk: &dyn Disk,
        folder: &Path,
        name: &str,
        segments: &[SegmentInfo],
        keep: &mut dyn FnMut(LaneKey, &Entry) -> bool,
        taken: &dyn Fn(LaneKey) -> Taken,
    ) -> Result<(Option<SegmentInfo>, BTreeMap<LaneKey, u64>), BacklogError> {
        rewrite::write(disk, folder, name, segments, keep, taken)
    }

    /// Every lane of the segments, by key, with the ordinal after the last entry that is there.
    /// Where that is below the lane's cursor, or the lane is missing, nothing is left of it: what
    /// was pushed ends at the cursor. It reads the whole index of all segments, in pieces.
    pub fn lanes(&self) -> Result<Lanes, BacklogError> {
        Ok(Lanes { walks: Walk::begin_all(&self.segments, false)? })
    }
}
