//! Several segments made one.

use std::path::Path;
use std::sync::Arc;

use rhumb_disk::Disk;

use super::layout::frames;
use super::segment::Segment;
use super::walk::Walk;
use super::writer::SegmentWriter;
use super::{BacklogError, LaneKey};

/// Segments of one level that are merged into one of the next: a lane is looked up in fewer than
/// this many segments per level, and an entry is rewritten once per level.
const FAN_IN: usize = 8;

/// Segments that are due to be merged. They follow each other in age.
#[derive(Debug)]
pub struct Merge {
    sources: Vec<Arc<Segment>>,
}

impl Merge {
    /// The newest run of segments of one level that is long enough; it takes the oldest of them.
    pub(super) fn due(segments: &[Arc<Segment>]) -> Option<Self> {
        let mut runs = segments.chunk_by(|one, other| one.level == other.level);
        let run = runs.rfind(|run| run.len() >= FAN_IN)?;
        Some(Self { sources: run[..FAN_IN].to_vec() })
    }

    /// Writes them as one segment and syncs the file; the caller syncs the folder. Beside the
    /// segment come the names of those that it replaces.
    ///
    /// Entries below a lane's cursor are left out. So a cursor that `taken` tells must become
    /// durable no later than the list that names the merged segment; 0 is always right.
    pub fn write(
        self,
        disk: &dyn Disk,
        folder: &Path,
        name: &str,
        taken: &dyn Fn(LaneKey) -> u64,
    ) -> Result<(Segment, Vec<String>), BacklogError> {
        let level = self.sources.iter().map(|segment| segment.level).max().unwrap_or(0);
        let replaced = self.sources.iter().map(|segment| segment.info.name.clone()).collect();
        let mut walks = Walk::begin_all(&self.sources, true)?;
        let mut writer = SegmentWriter::create(disk, folder, name)?;
        while let Some(lane) = walks.iter().filter_map(Walk::lane).min() {
            let cursor = taken(lane);
            // Older segments come first: they have the lower ordinals.
            for walk in &mut walks {
                copy_lane(walk, lane, cursor, &mut writer)?;
            }
        }
        Ok((writer.finish(level.saturating_add(1))?, replaced))
    }
}

/// Copies the entries of a lane at which a walk stands, from the cursor on.
fn copy_lane(
    walk: &mut Walk,
    lane: LaneKey,
    cursor: u64,
    writer: &mut SegmentWriter,
) -> Result<(), BacklogError> {
    while let Some(record) = walk.record_of(lane) {
        if record.end() > cursor {
            let chunk = walk.chunk(&record)?;
            for (ordinal, frame) in (record.first..).zip(frames(chunk)) {
                let frame = frame.ok_or_else(|| walk.corrupt("an entry"))?;
                if ordinal >= cursor {
                    writer.push(lane, ordinal, frame)?;
                }
            }
        }
        walk.advance()?;
    }
    Ok(())
}
