//! How a segment lies on disk; all numbers are little-endian.
//!
//! ```text
//! magic | group … | fences | trailer
//! group  = chunks, then a block: one record per chunk, and their CRC
//! chunk  = up to CHUNK_ENTRIES entries of one lane: length (u32) and postcard bytes each
//! fences = one per group: its first lane and ordinal, and where it lies
//! ```
//! Chunks are sorted by lane, then by ordinal, over the whole file.

use super::LaneKey;

/// What a segment begins with; the last byte is the number of the format.
pub(super) const MAGIC: [u8; 8] = *b"rhback\x00\x01";

/// Entries in one chunk, the least that is read and verified; a refill reads a few in a row.
pub(super) const CHUNK_ENTRIES: u32 = 64;
/// A chunk that has this many bytes takes no more entries.
pub(super) const CHUNK_BYTES: usize = 16 * 1024;
/// Chunks in one group: one index look-up reads the records of this many.
pub(super) const GROUP_CHUNKS: usize = 64;
/// A group that has this many bytes takes no more chunks. A merge holds one group per segment.
pub(super) const GROUP_BYTES: u32 = 256 * 1024;

pub(super) const RECORD_BYTES: usize = 32;
pub(super) const FENCE_BYTES: usize = 32;
pub(super) const TRAILER_BYTES: usize = 36;
/// The CRC behind the records of a block.
pub(super) const BLOCK_CRC_BYTES: usize = 4;

/// One chunk, as the block of its group tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) lane: LaneKey,
    /// The ordinal of its first entry.
    pub(super) first: u64,
    /// Where it begins in its group.
    pub(super) offset: u32,
    pub(super) length: u32,
    pub(super) count: u32,
    pub(super) crc: u32,
}

/// One group, as is kept in memory while the segment lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    /// Lane and ordinal of its first entry.
    pub(super) lane: LaneKey,
    pub(super) first: u64,
    /// Where its chunks begin.
    pub(super) start: u64,
    /// How long they are together; the block follows.
    pub(super) data: u32,
    /// How many there are.
    pub(super) chunks: u32,
}

/// The end of a segment, from which it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trailer {
    pub(super) fences_at: u64,
    pub(super) groups: u64,
    pub(super) entries: u64,
    /// How many merges made it: merged are segments of one level.
    pub(super) level: u32,
    pub(super) fences_crc: u32,
}

impl Record {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.lane.0.to_le_bytes());
        out.extend(self.first.to_le_bytes());
        for field in [self.offset, self.length, self.count, self.crc] {
            out.extend(field.to_le_bytes());
        }
    }

    pub(super) fn decode(bytes: &[u8; RECORD_BYTES]) -> Self {
        Self {
            lane: LaneKey(u64_at(bytes, 0)),
            first: u64_at(bytes, 8),
            offset: u32_at(bytes, 16),
            length: u32_at(bytes, 20),
            count: u32_at(bytes, 24),
            crc: u32_at(bytes, 28),
        }
    }

    /// The ordinal after its last entry.
    pub(super) fn end(&self) -> u64 {
        self.first.saturating_add(u64::from(self.count))
    }
}

impl Fence {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        for field in [self.lane.0, self.first, self.start] {
            out.extend(field.to_le_bytes());
        }
        out.extend(self.data.to_le_bytes());
        out.extend(self.chunks.to_le_bytes());
    }

    pub(super) fn decode(bytes: &[u8; FENCE_BYTES]) -> Self {
        Self {
            lane: LaneKey(u64_at(bytes, 0)),
            first: u64_at(bytes, 8),
            start: u64_at(bytes, 16),
            data: u32_at(bytes, 24),
            chunks: u32_at(bytes, 28),
        }
    }

    /// Where its block begins.
    pub(super) fn block_at(&self) -> u64 {
        self.start.saturating_add(u64::from(self.data))
    }

    /// How long its block is.
    pub(super) fn block_bytes(&self) -> usize {
        size(self.chunks).saturating_mul(RECORD_BYTES).saturating_add(BLOCK_CRC_BYTES)
    }

    /// Where it ends.
    pub(super) fn end(&self) -> u64 {
        self.block_at().saturating_add(wide(self.block_bytes()))
    }
}

impl Trailer {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(TRAILER_BYTES);
        for field in [self.fences_at, self.groups, self.entries] {
            out.extend(field.to_le_bytes());
        }
        out.extend(self.level.to_le_bytes());
        out.extend(self.fences_crc.to_le_bytes());
        let crc = crc32fast::hash(&out);
        out.extend(crc.to_le_bytes());
        out
    }

    /// None: it is not what was written.
    pub(super) fn decode(bytes: &[u8; TRAILER_BYTES]) -> Option<Self> {
        let (body, crc) = bytes.split_last_chunk::<4>()?;
        (crc32fast::hash(body) == u32::from_le_bytes(*crc)).then(|| Self {
            fences_at: u64_at(bytes, 0),
            groups: u64_at(bytes, 8),
            entries: u64_at(bytes, 16),
            level: u32_at(bytes, 24),
            fences_crc: u32_at(bytes, 28),
        })
    }
}

/// Appends an encoded entry to a chunk.
pub(super) fn put_frame(chunk: &mut Vec<u8>, entry: &[u8]) {
    let length = u32::try_from(entry.len()).expect("an entry is short");
    chunk.extend_from_slice(&length.to_le_bytes());
    chunk.extend_from_slice(entry);
}

/// The frames of a chunk, each the bytes of one entry; None for one that does not fit.
pub(super) fn frames(mut chunk: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    std::iter::from_fn(move || {
        if chunk.is_empty() {
            return None;
        }
        let frame = chunk
            .split_first_chunk::<4>()
            .and_then(|(length, rest)| rest.split_at_checked(size(u32::from_le_bytes(*length))));
        let (frame, rest) = frame.map_or((None, &chunk[..0]), |(frame, rest)| (Some(frame), rest));
        chunk = rest;
        Some(frame)
    })
}

pub(super) fn size(length: u32) -> usize {
    usize::try_from(length).expect("32 bits fit a size")
}

pub(super) fn wide(length: usize) -> u64 {
    u64::try_from(length).expect("a length fits 64 bits")
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("the layout has a field here"))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(*bytes[at..].first_chunk().expect("the layout has a field here"))
}
