//! All segments made one, without what must not be kept.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rhumb_disk::Disk;

use super::layout::frames;
use super::segment::{Segment, SegmentInfo};
use super::walk::Walk;
use super::writer::SegmentWriter;
use super::{BacklogError, LaneKey};
use crate::Entry;
use crate::shelf::Taken;

/// What [`Backlog::rewrite`](super::Backlog::rewrite) does.
pub(super) fn write(
    disk: &dyn Disk,
    folder: &Path,
    name: &str,
    segments: &[SegmentInfo],
    keep: &mut dyn FnMut(LaneKey, &Entry) -> bool,
    taken: &dyn Fn(LaneKey) -> Taken,
) -> Result<(Option<SegmentInfo>, BTreeMap<LaneKey, u64>), BacklogError> {
    let open = |info: &SegmentInfo| Segment::open(disk, folder, info.clone()).map(Arc::new);
    let sources = segments.iter().map(open).collect::<Result<Vec<_>, BacklogError>>()?;
    let level = sources.iter().map(|segment| segment.level).max().unwrap_or(0);
    let mut walks = Walk::begin_all(&sources, true)?;
    let mut copy = Copy { disk, folder, name, writer: None };
    let mut ends = BTreeMap::new();
    while let Some(lane) = walks.iter().filter_map(Walk::lane).min() {
        let mut is_kept = |entry: &Entry| keep(lane, entry);
        let end = sift(&mut walks, lane, &taken(lane), &mut is_kept, &mut copy)?;
        ends.extend(end.map(|end| (lane, end)));
    }
    let segment = copy.writer.map(|writer| writer.finish(level)).transpose()?;
    Ok((segment.map(|segment| segment.info), ends))
}

/// The new file, which begins with the first entry that is kept.
struct Copy<'a> {
    disk: &'a dyn Disk,
    folder: &'a Path,
    name: &'a str,
    writer: Option<SegmentWriter>,
}

impl Copy<'_> {
    fn push(&mut self, lane: LaneKey, ordinal: u64, frame: &[u8]) -> Result<(), BacklogError> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(SegmentWriter::create(self.disk, self.folder, self.name)?),
        };
        writer.push(lane, ordinal, frame)
    }
}

/// Copies what is kept of a lane and was not taken, and says where it now ends if something was
/// refused or taken before its turn.
fn sift(
    walks: &mut [Walk],
    lane: LaneKey,
    taken: &Taken,
    is_kept: &mut dyn FnMut(&Entry) -> bool,
    copy: &mut Copy<'_>,
) -> Result<Option<u64>, BacklogError> {
    // The ordinals of the next entry: the one that it has, and the one that it gets.
    let mut next = None;
    // Older segments come first: they have the lower ordinals.
    for walk in walks {
        while let Some(record) = walk.record_of(lane) {
            let chunk = if record.end() > taken.below { walk.chunk(&record)? } else { &[] };
            let framed = (record.first..).zip(frames(chunk));
            for (ordinal, frame) in framed.filter(|(ordinal, _)| *ordinal >= taken.below) {
                let (old, new) = next.unwrap_or((ordinal, ordinal));
                if ordinal != old {
                    return Err(walk.corrupt("a lane has a gap"));
                }
                let frame = frame.ok_or_else(|| walk.corrupt("an entry"))?;
                let entry = postcard::from_bytes(frame);
                let entry = entry.map_err(|_| walk.corrupt("an entry"))?;
                let is_kept = !taken.plucked.contains(&ordinal) && is_kept(&entry);
                if is_kept {
                    copy.push(lane, new, frame)?;
                }
                next = Some((old.saturating_add(1), new.saturating_add(u64::from(is_kept))));
            }
            walk.advance()?;
        }
    }
    Ok(next.filter(|(old, new)| new < old).map(|(_, new)| new))
}
