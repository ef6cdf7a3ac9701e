//! One immutable file of lanes, and how it is read.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::{Disk, DiskFile};
use serde::{Deserialize, Serialize};

use super::layout::{
    BLOCK_CRC_BYTES, FENCE_BYTES, Fence, MAGIC, Record, TRAILER_BYTES, Trailer, size, wide,
};
use super::{BacklogError, LaneKey};

/// What a checkpoint keeps of a segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentInfo {
    /// The name of its file.
    pub name: String,
    /// How long that is.
    pub bytes: u64,
    /// How many entries it has, read ones too.
    pub entries: u64,
}

/// A segment on disk. Its file stays open, so that it can be removed while it is still read.
#[derive(Debug)]
pub struct Segment {
    pub(super) info: SegmentInfo,
    pub(super) path: PathBuf,
    pub(super) file: Arc<dyn DiskFile>,
    pub(super) level: u32,
    pub(super) fences: Vec<Fence>,
}

/// Chunks in a row that hold what a read wants.
#[derive(Debug)]
pub(super) struct Stretch {
    /// Where their group begins.
    start: u64,
    records: Vec<Record>,
}

impl Segment {
    /// What a checkpoint lists.
    pub fn info(&self) -> &SegmentInfo {
        &self.info
    }

    /// Reads magic, trailer and fences.
    pub(super) fn open(
        disk: &dyn Disk,
        folder: &Path,
        info: SegmentInfo,
    ) -> Result<Self, BacklogError> {
        let path = folder.join(&info.name);
        let corrupt = |what| BacklogError::corrupt(&path, what);
        let file = disk.open(&path).map_err(BacklogError::disk("open", &path))?;
        let length = file.length().map_err(BacklogError::disk("measure", &path))?;
        if length != info.bytes {
            return Err(corrupt("its length is not what the checkpoint says"));
        }
        let file: Arc<dyn DiskFile> = Arc::from(file);
        let mut segment = Self { info, path: path.clone(), file, level: 0, fences: Vec::new() };
        segment.check_magic()?;
        let trailer_at = length.checked_sub(wide(TRAILER_BYTES));
        let trailer_at = trailer_at.ok_or_else(|| corrupt("it is too short"))?;
        let trailer = segment.bytes(trailer_at, TRAILER_BYTES)?;
        let trailer = trailer.first_chunk().and_then(Trailer::decode);
        let trailer = trailer.ok_or_else(|| corrupt("its trailer"))?;
        let fences_bytes = trailer_at.checked_sub(trailer.fences_at);
        if fences_bytes != trailer.groups.checked_mul(wide(FENCE_BYTES))
            || trailer.entries != segment.info.entries
        {
            return Err(corrupt("its trailer fits another file"));
        }
        let fences_bytes = usize::try_from(trailer_at - trailer.fences_at);
        let fences_bytes = fences_bytes.map_err(|_| corrupt("its fences are too many"))?;
        let fences = segment.bytes(trailer.fences_at, fences_bytes)?;
        if crc32fast::hash(&fences) != trailer.fences_crc {
            return Err(corrupt("its fences"));
        }
        segment.level = trailer.level;
        segment.fences = fences.as_chunks().0.iter().map(Fence::decode).collect();
        if segment.fences.iter().any(|fence| fence.end() > trailer.fences_at) {
            return Err(corrupt("its fences lie outside"));
        }
        Ok(segment)
    }

    fn check_magic(&self) -> Result<(), BacklogError> {
        let magic = self.bytes(0, MAGIC.len())?;
        let (name, known) = (&MAGIC[..MAGIC.len() - 1], MAGIC[MAGIC.len() - 1]);
        match magic.split_last() {
            Some((&found, begin)) if begin == name && found == known => Ok(()),
            Some((&found, begin)) if begin == name => {
                Err(BacklogError::Format { path: self.path.clone(), found, known })
            }
            _ => Err(self.corrupt("it does not begin as a segment does")),
        }
    }

    /// The entries of a lane with one of these ordinals, group by group: one read for each.
    pub(super) fn stretches(
        &self,
        lane: LaneKey,
        range: Range<u64>,
    ) -> impl Iterator<Item = Result<Stretch, BacklogError>> {
        let after = self.fences.partition_point(|f| (f.lane, f.first) <= (lane, range.start));
        let groups = self.fences[after.saturating_sub(1)..].iter();
        let end = (lane, range.end);
        let groups = groups.take_while(move |fence| (fence.lane, fence.first) < end);
        groups.map(move |fence| self.stretch(fence, lane, range.clone()))
    }

    /// The ordinal after the last entry of a lane, if it has any here: at most one read.
    pub(super) fn end_of(&self, lane: LaneKey) -> Result<Option<u64>, BacklogError> {
        let after = self.fences.partition_point(|fence| fence.lane <= lane);
        let Some(group) = after.checked_sub(1) else { return Ok(None) };
        let stretch = self.stretch(&self.fences[group], lane, 0..u64::MAX)?;
        Ok(stretch.records.last().map(Record::end))
    }

    /// The chunks of a group that hold some of these entries: one read.
    fn stretch(
        &self,
        fence: &Fence,
        lane: LaneKey,
        wanted: Range<u64>,
    ) -> Result<Stretch, BacklogError> {
        let mut records = self.block(fence)?;
        records.retain(|r| r.lane == lane && r.end() > wanted.start && r.first < wanted.end);
        Ok(Stretch { start: fence.start, records })
    }

    /// The chunks of a stretch, verified: one read.
    pub(super) fn chunks(&self, stretch: &Stretch) -> Result<Vec<(Record, Vec<u8>)>, BacklogError> {
        let records = &stretch.records;
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let begin = records.first().map_or(0, |record| record.offset);
        let end = records.last().map_or(0, |r| u64::from(r.offset) + u64::from(r.length));
        let length = usize::try_from(end.saturating_sub(u64::from(begin)));
        let length = length.map_err(|_| self.corrupt("a chunk is too long"))?;
        let bytes = self.bytes(stretch.start + u64::from(begin), length)?;
        let chunk = |record: &Record| {
            let offset = record.offset.checked_sub(begin);
            let chunk = offset.and_then(|offset| verified(&bytes, offset, record));
            let chunk = chunk.ok_or_else(|| self.corrupt("a chunk"))?;
            Ok((*record, chunk.to_vec()))
        };
        records.iter().map(chunk).collect()
    }

    /// The records of a group: one read.
    pub(super) fn block(&self, fence: &Fence) -> Result<Vec<Record>, BacklogError> {
        let bytes = self.bytes(fence.block_at(), fence.block_bytes())?;
        self.records(fence, &bytes)
    }

    /// A whole group, its records and the bytes of its chunks: one read.
    pub(super) fn group(&self, fence: &Fence) -> Result<(Vec<Record>, Vec<u8>), BacklogError> {
        let data = size(fence.data);
        let mut bytes = self.bytes(fence.start, data + fence.block_bytes())?;
        let records = self.records(fence, &bytes[data..])?;
        bytes.truncate(data);
        Ok((records, bytes))
    }

    fn records(&self, fence: &Fence, block: &[u8]) -> Result<Vec<Record>, BacklogError> {
        let (records, crc) = block.split_at(block.len() - BLOCK_CRC_BYTES);
        let records_crc = crc32fast::hash(records).to_le_bytes();
        let records: Vec<Record> = records.as_chunks().0.iter().map(Record::decode).collect();
        let begins = records.first().map(|record| (record.lane, record.first));
        if records_crc != *crc || begins != Some((fence.lane, fence.first)) {
            return Err(self.corrupt("a block of its index"));
        }
        Ok(records)
    }

    fn bytes(&self, offset: u64, length: usize) -> Result<Vec<u8>, BacklogError> {
        let mut bytes = vec![0; length];
        let read = self.file.read_at(offset, &mut bytes);
        let read = read.map_err(BacklogError::disk("read", &self.path))?;
        if read < length {
            return Err(self.corrupt("it ends early"));
        }
        Ok(bytes)
    }

    pub(super) fn corrupt(&self, what: &'static str) -> BacklogError {
        BacklogError::corrupt(&self.path, what)
    }
}

/// A chunk within bytes that hold it at this offset, if it is what was written.
pub(super) fn verified<'a>(bytes: &'a [u8], offset: u32, record: &Record) -> Option<&'a [u8]> {
    let chunk = bytes.get(size(offset)..)?.get(..size(record.length))?;
    (crc32fast::hash(chunk) == record.crc).then_some(chunk)
}
