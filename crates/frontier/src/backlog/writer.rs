//! Writes a segment: entries come in the order of lanes and ordinals, and gather in chunks.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::{Disk, Writing};

use super::layout::{
    CHUNK_BYTES, CHUNK_ENTRIES, Fence, GROUP_BYTES, GROUP_CHUNKS, MAGIC, Record, Trailer,
    put_frame, wide,
};
use super::{BacklogError, LaneKey, Segment, SegmentInfo};

/// How much is handed to the disk at a time.
const WRITE_BYTES: usize = 256 * 1024;

/// A segment that is being written.
#[derive(Debug)]
pub(super) struct SegmentWriter {
    name: String,
    path: PathBuf,
    out: Writing,
    /// Bytes written so far.
    at: u64,
    entries: u64,
    /// Lane and ordinal of the last entry.
    last: Option<(LaneKey, u64)>,
    /// The bytes of the chunk that grows, which belongs to the last entry's lane.
    chunk: Vec<u8>,
    chunk_entries: u32,
    /// The chunks of the group that grows, and where it began.
    records: Vec<Record>,
    group_at: u64,
    fences: Vec<Fence>,
}

impl SegmentWriter {
    /// A new file of that name; one that exists is an error.
    pub(super) fn create(disk: &dyn Disk, folder: &Path, name: &str) -> Result<Self, BacklogError> {
        let path = folder.join(name);
        let file = disk.create(&path).map_err(BacklogError::disk("create", &path))?;
        let mut writer = Self {
            name: name.to_owned(),
            path,
            out: Writing::new(file, WRITE_BYTES),
            at: 0,
            entries: 0,
            last: None,
            chunk: Vec::with_capacity(2 * CHUNK_BYTES),
            chunk_entries: 0,
            records: Vec::with_capacity(GROUP_CHUNKS),
            group_at: wide(MAGIC.len()),
            fences: Vec::new(),
        };
        writer.write(&MAGIC)?;
        Ok(writer)
    }

    /// Appends an encoded entry. Lanes come in ascending order, and the ordinals of one without
    /// a gap.
    pub(super) fn push(
        &mut self,
        lane: LaneKey,
        ordinal: u64,
        entry: &[u8],
    ) -> Result<(), BacklogError> {
        let follows = self
            .last
            .is_some_and(|(last, before)| last == lane && before.checked_add(1) == Some(ordinal));
        if !follows && self.last.is_some_and(|(last, _)| last >= lane) {
            return Err(BacklogError::corrupt(&self.path, "what is merged into it has a gap"));
        }
        let is_full = self.chunk_entries == CHUNK_ENTRIES || self.chunk.len() >= CHUNK_BYTES;
        if !follows || is_full {
            self.end_chunk()?;
        }
        put_frame(&mut self.chunk, entry);
        self.chunk_entries += 1;
        self.entries += 1;
        self.last = Some((lane, ordinal));
        Ok(())
    }

    /// Writes what is left, the fences and the trailer, and syncs the file.
    pub(super) fn finish(mut self, level: u32) -> Result<Segment, BacklogError> {
        self.end_chunk()?;
        self.end_group()?;
        let fences_at = self.at;
        let mut bytes = Vec::new();
        self.fences.iter().for_each(|fence| fence.encode(&mut bytes));
        self.write(&bytes)?;
        let trailer = Trailer {
            fences_at,
            groups: wide(self.fences.len()),
            entries: self.entries,
            level,
            fences_crc: crc32fast::hash(&bytes),
        };
        self.write(&trailer.encode())?;
        let Self { name, path, mut out, at, entries, fences, .. } = self;
        out.sync().map_err(BacklogError::disk("sync", &path))?;
        let file = out.into_file().map_err(BacklogError::disk("write", &path))?;
        let info = SegmentInfo { name, bytes: at, entries };
        Ok(Segment { info, path, file: Arc::from(file), level, fences })
    }

    fn end_chunk(&mut self) -> Result<(), BacklogError> {
        let Some((lane, last)) = self.last.filter(|_| self.chunk_entries > 0) else {
            return Ok(());
        };
        let record = Record {
            lane,
            first: last + 1 - u64::from(self.chunk_entries),
            offset: u32::try_from(self.at - self.group_at).expect("a group is short"),
            length: u32::try_from(self.chunk.len()).expect("a chunk is short"),
            count: self.chunk_entries,
            crc: crc32fast::hash(&self.chunk),
        };
        let chunk = std::mem::take(&mut self.chunk);
        self.write(&chunk)?;
        self.chunk = chunk;
        self.chunk.clear();
        self.chunk_entries = 0;
        self.records.push(record);
        let is_full =
            self.records.len() == GROUP_CHUNKS || self.at - self.group_at >= u64::from(GROUP_BYTES);
        if is_full { self.end_group() } else { Ok(()) }
    }

    fn end_group(&mut self) -> Result<(), BacklogError> {
        let Some(first) = self.records.first() else { return Ok(()) };
        self.fences.push(Fence {
            lane: first.lane,
            first: first.first,
            start: self.group_at,
            data: u32::try_from(self.at - self.group_at).expect("a group is short"),
            chunks: u32::try_from(self.records.len()).expect("a group has few chunks"),
        });
        let mut block = Vec::new();
        self.records.drain(..).for_each(|record| record.encode(&mut block));
        let crc = crc32fast::hash(&block);
        block.extend(crc.to_le_bytes());
        self.write(&block)?;
        self.group_at = self.at;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), BacklogError> {
        let written: io::Result<()> = self.out.write_all(bytes);
        written.map_err(BacklogError::disk("write", &self.path))?;
        self.at += wide(bytes.len());
        Ok(())
    }
}
