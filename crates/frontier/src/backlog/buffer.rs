//! Entries that are not on disk yet: one arena of bytes, chained by lane.

use std::collections::HashMap;
use std::path::Path;

use rhumb_disk::Disk;

use super::layout::{put_frame, size, wide};
use super::writer::SegmentWriter;
use super::{BacklogError, LaneKey, Segment};
use crate::Entry;

/// In the arena an entry is preceded by the place of its lane's next entry, and by its length.
const LINK_BYTES: usize = 8;
const LENGTH_BYTES: usize = 4;
/// The link of a lane's last entry.
const NO_LINK: [u8; LINK_BYTES] = [0xff; LINK_BYTES];
/// A reader that begins in the midst of a lane walks fewer links than this.
const MARK_EVERY: u64 = 64;
/// What a lane costs in the map, slack included.
const LANE_BYTES: usize = 64;

/// What was pushed since the last freeze.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    arena: Vec<u8>,
    lanes: HashMap<LaneKey, Lane>,
    /// Where every [`MARK_EVERY`]th entry of a long lane lies, from the one after the first run.
    marks: HashMap<LaneKey, Vec<usize>>,
}

#[derive(Clone, Copy, Debug)]
struct Lane {
    /// The ordinal of its first entry.
    first: u64,
    count: u64,
    head: usize,
    tail: usize,
}

impl Lane {
    /// The ordinal after its last entry.
    fn end(&self) -> u64 {
        self.first + self.count
    }
}

impl Buffer {
    pub(super) fn is_empty(&self) -> bool {
        self.arena.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.arena.len() + self.lanes.len() * LANE_BYTES
    }

    pub(super) fn push(&mut self, key: LaneKey, ordinal: u64, entry: &Entry) {
        let at = self.append(entry);
        let first = Lane { first: ordinal, count: 0, head: at, tail: at };
        let lane = self.lanes.entry(key).or_insert(first);
        assert_eq!(ordinal, lane.end(), "a lane is pushed in order, without a gap");
        if lane.count > 0 {
            let link = wide(at).to_le_bytes();
            self.arena[lane.tail..lane.tail + LINK_BYTES].copy_from_slice(&link);
            if lane.count.is_multiple_of(MARK_EVERY) {
                self.marks.entry(key).or_default().push(at);
            }
        }
        lane.tail = at;
        lane.count += 1;
    }

    /// Puts an entry at the end of the arena, and says where.
    fn append(&mut self, entry: &Entry) -> usize {
        let at = self.arena.len();
        self.arena.extend(NO_LINK);
        self.arena.extend([0; LENGTH_BYTES]);
        let body = self.arena.len();
        let arena = std::mem::take(&mut self.arena);
        self.arena = postcard::to_extend(entry, arena).expect("memory takes any entry");
        let length = u32::try_from(self.arena.len() - body).expect("an entry is short");
        self.arena[body - LENGTH_BYTES..body].copy_from_slice(&length.to_le_bytes());
        at
    }

    /// The entries of a lane that are here and have one of these ordinals: the first of them, and
    /// the frames of all.
    pub(super) fn copy(&self, key: LaneKey, from: u64, end: u64) -> Option<(u64, Vec<u8>)> {
        let mut entries = self.entries(key, from).take_while(|(at, _)| *at < end).peekable();
        let (first, _) = *entries.peek()?;
        let mut frames = Vec::new();
        entries.for_each(|(_, entry)| put_frame(&mut frames, entry));
        Some((first, frames))
    }

    /// The ordinal after the last entry of a lane, if it has any here.
    pub(super) fn end_of(&self, key: LaneKey) -> Option<u64> {
        self.lanes.get(&key).map(Lane::end)
    }

    /// The entries of a lane that are here, from that ordinal on, encoded.
    pub(super) fn entries(&self, key: LaneKey, from: u64) -> impl Iterator<Item = (u64, &[u8])> {
        let lane = self.lanes.get(&key).filter(|lane| from < lane.end());
        lane.into_iter().flat_map(move |lane| {
            let from = from.max(lane.first);
            let skipped = from - lane.first;
            let marks = self.marks.get(&key).map_or(&[][..], Vec::as_slice);
            let runs = usize::try_from(skipped / MARK_EVERY).expect("no more than memory holds");
            let start = runs.checked_sub(1).map_or(lane.head, |mark| marks[mark]);
            let rest = usize::try_from(skipped % MARK_EVERY).expect("less than a run");
            (from..).zip(self.chain(start).skip(rest))
        })
    }

    /// The entries of a lane from this place on, encoded.
    fn chain(&self, start: usize) -> impl Iterator<Item = &[u8]> {
        let mut next = Some(start);
        std::iter::from_fn(move || {
            let (link, rest) = self.arena[next?..].split_first_chunk().expect("entries are whole");
            let (length, rest) = rest.split_first_chunk().expect("entries are whole");
            next = (*link != NO_LINK).then(|| {
                usize::try_from(u64::from_le_bytes(*link)).expect("it was a place in memory")
            });
            Some(&rest[..size(u32::from_le_bytes(*length))])
        })
    }

    /// Writes a segment of level 0, and syncs it.
    pub(super) fn write(
        &self,
        disk: &dyn Disk,
        folder: &Path,
        name: &str,
    ) -> Result<Segment, BacklogError> {
        let mut lanes: Vec<(LaneKey, Lane)> = self.lanes.iter().map(|(k, l)| (*k, *l)).collect();
        lanes.sort_unstable_by_key(|(key, _)| *key);
        let mut writer = SegmentWriter::create(disk, folder, name)?;
        for (key, lane) in lanes {
            for (ordinal, entry) in (lane.first..).zip(self.chain(lane.head)) {
                writer.push(key, ordinal, entry)?;
            }
        }
        writer.finish(0)
    }
}
