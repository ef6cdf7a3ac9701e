//! A run: an immutable file of sorted keys.
//!
//! The magic, then blocks (words, then their CRC-32), then the directory: for each block its first
//! key, its words, its keys and its low bits; then the number of blocks, the number of keys, and
//! the CRC-32 of the directory. All numbers are little-endian. The directory is kept in memory, so
//! a reader goes forward and skips the blocks that nothing falls in.

mod block;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::{Disk, DiskFile};
use rhumb_web::UrlKey;
use serde::{Deserialize, Serialize};

use crate::SeenError;
use block::{Block, Finder, Shape};
pub(crate) use writer::RunWriter;

const MAGIC: [u8; 8] = *b"rhseen\x00\x01";
const MAGIC_BYTES: u64 = 8;
const ENTRY_BYTES: usize = 16;
const CRC_BYTES: usize = 4;
const FOOT_BYTES: usize = 8 + 8 + CRC_BYTES;

/// A run as a checkpoint lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInfo {
    /// The name of its file.
    pub name: String,
    /// How many keys it has.
    pub keys: u64,
    /// How long its file is.
    pub bytes: u64,
}

/// A sealed file of sorted keys; clones share it.
#[derive(Clone)]
pub struct Run(Arc<Sealed>);

struct Sealed {
    info: RunInfo,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    entries: Vec<Entry>,
}

/// Where a block lies, and how.
struct Entry {
    shape: Shape,
    offset: u64,
}

/// What reading blocks needs again and again.
#[derive(Default)]
pub(crate) struct Scratch {
    bytes: Vec<u8>,
    words: Vec<u64>,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Run").field(&self.0.info).finish()
    }
}

impl Run {
    /// Writes sorted, distinct keys and syncs the file; the caller syncs the folder before anything
    /// refers to the run.
    pub fn write(
        disk: &dyn Disk,
        folder: &Path,
        name: &str,
        keys: &[u64],
    ) -> Result<Self, SeenError> {
        let mut writer = RunWriter::create(disk, folder, name)?;
        writer.extend(keys)?;
        writer.finish()
    }

    /// Opens the run that a checkpoint lists.
    pub fn open(disk: &dyn Disk, folder: &Path, info: &RunInfo) -> Result<Self, SeenError> {
        let path = folder.join(&info.name);
        let file = disk.open(&path).map_err(SeenError::disk("open", &path))?;
        let length = file.length().map_err(SeenError::disk("measure", &path))?;
        let mut magic = [0; 8];
        read_exactly(&*file, &path, 0, &mut magic)?;
        SeenError::check_magic(&path, &magic, MAGIC)?;
        let entries = read_directory(&*file, &path, length)?;
        let keys = entries.iter().map(|entry| u64::from(entry.shape.count)).sum::<u64>();
        if length != info.bytes || keys != info.keys {
            return Err(SeenError::damaged(&path, "it is not the run that the checkpoint lists"));
        }
        Ok(Self(Arc::new(Sealed { info: info.clone(), path, file, entries })))
    }

    /// As a checkpoint lists it.
    pub fn info(&self) -> RunInfo {
        self.0.info.clone()
    }

    /// All its keys, sorted: 8 bytes of memory each.
    pub fn keys(&self) -> Result<Vec<u64>, SeenError> {
        let mut keys = Vec::new();
        let mut scratch = Scratch::default();
        for block in 0..self.blocks() {
            self.decode(block, &mut scratch, &mut keys)?;
        }
        Ok(keys)
    }

    /// Whether it has this key: one block is read.
    pub fn contains(&self, key: UrlKey) -> Result<bool, SeenError> {
        let after = self.0.entries.partition_point(|entry| entry.shape.first <= key.0);
        let Some(block) = after.checked_sub(1) else { return Ok(false) };
        let mut scratch = Scratch::default();
        Ok(Finder::new(self.read(block, &mut scratch)?).contains(key.0))
    }

    pub(crate) fn name(&self) -> &str {
        &self.0.info.name
    }

    pub(crate) fn len(&self) -> u64 {
        self.0.info.keys
    }

    pub(crate) fn blocks(&self) -> usize {
        self.0.entries.len()
    }

    /// Bytes of memory that the directory takes.
    pub(crate) fn memory(&self) -> usize {
        self.0.entries.capacity() * size_of::<Entry>()
    }

    /// Appends the keys of a block.
    pub(crate) fn decode(
        &self,
        block: usize,
        scratch: &mut Scratch,
        keys: &mut Vec<u64>,
    ) -> Result<(), SeenError> {
        self.read(block, scratch)?.decode(keys);
        Ok(())
    }

    /// Keeps those of the candidates, which are sorted by key, that are not in this run.
    pub(crate) fn strike(
        &self,
        candidates: &mut Vec<(u64, u32)>,
        scratch: &mut Scratch,
    ) -> Result<(), SeenError> {
        let entries = &self.0.entries;
        let Some((lowest, _)) = candidates.first() else { return Ok(()) };
        let mut next = entries.partition_point(|entry| entry.shape.first <= *lowest);
        let (mut kept, mut at) = (0, 0);
        while at < candidates.len() {
            let end = entries.get(next).map(|entry| entry.shape.first);
            let inside = |(key, _): &(u64, u32)| end.is_none_or(|end| *key < end);
            if next > 0 && inside(&candidates[at]) {
                let mut finder = Finder::new(self.read(next - 1, scratch)?);
                while at < candidates.len() && inside(&candidates[at]) {
                    let candidate = candidates[at];
                    candidates[kept] = candidate;
                    kept += usize::from(!finder.contains(candidate.0));
                    at += 1;
                }
            } else {
                while at < candidates.len() && inside(&candidates[at]) {
                    candidates[kept] = candidates[at];
                    kept += 1;
                    at += 1;
                }
            }
            next += 1;
        }
        candidates.truncate(kept);
        Ok(())
    }

    fn read<'a>(&self, block: usize, scratch: &'a mut Scratch) -> Result<Block<'a>, SeenError> {
        let Entry { shape, offset } = &self.0.entries[block];
        let words = usize::try_from(shape.words).expect("a block is small");
        scratch.bytes.resize(words * 8 + CRC_BYTES, 0);
        read_exactly(&*self.0.file, &self.0.path, *offset, &mut scratch.bytes)?;
        let (body, crc) = scratch.bytes.split_at(words * 8);
        if crc32fast::hash(body).to_le_bytes() != crc {
            return Err(SeenError::damaged(&self.0.path, "the checksum of a block is wrong"));
        }
        scratch.words.clear();
        scratch.words.extend(body.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)));
        Ok(Block::new(*shape, &scratch.words))
    }
}

fn read_directory(file: &dyn DiskFile, path: &Path, length: u64) -> Result<Vec<Entry>, SeenError> {
    let damaged = || SeenError::damaged(path, "its directory is not what was written");
    let foot_start = length.checked_sub(FOOT_BYTES as u64).ok_or_else(damaged)?;
    let mut foot = [0; FOOT_BYTES];
    read_exactly(file, path, foot_start, &mut foot)?;
    let blocks = u64::from_le_bytes(part(&foot[..8]));
    let keys = u64::from_le_bytes(part(&foot[8..16]));
    let start =
        blocks.checked_mul(ENTRY_BYTES as u64).and_then(|bytes| foot_start.checked_sub(bytes));
    let start = start.filter(|start| *start >= MAGIC_BYTES).ok_or_else(damaged)?;
    let mut bytes = vec![0; usize::try_from(length - start).map_err(|_| damaged())?];
    read_exactly(file, path, start, &mut bytes)?;
    let (covered, crc) = bytes.split_at(bytes.len() - CRC_BYTES);
    if crc32fast::hash(covered).to_le_bytes() != crc {
        return Err(damaged());
    }
    let mut offset = MAGIC_BYTES;
    let mut count = 0;
    let mut entries: Vec<Entry> = Vec::new();
    for entry in covered[..covered.len() - 16].as_chunks::<ENTRY_BYTES>().0 {
        let shape = shape_from(entry);
        let rises = entries.last().is_none_or(|last| last.shape.first < shape.first);
        if !shape.is_sound() || !rises {
            return Err(damaged());
        }
        entries.push(Entry { shape, offset });
        offset += block_bytes(shape);
        count += u64::from(shape.count);
    }
    if offset != start || count != keys {
        return Err(damaged());
    }
    Ok(entries)
}

fn block_bytes(shape: Shape) -> u64 {
    u64::from(shape.words) * 8 + CRC_BYTES as u64
}

fn shape_bytes(shape: Shape) -> [u8; ENTRY_BYTES] {
    let mut bytes = [0; ENTRY_BYTES];
    bytes[..8].copy_from_slice(&shape.first.to_le_bytes());
    bytes[8..12].copy_from_slice(&shape.words.to_le_bytes());
    bytes[12..14].copy_from_slice(&shape.count.to_le_bytes());
    bytes[14] = shape.low;
    bytes
}

fn shape_from(bytes: &[u8; ENTRY_BYTES]) -> Shape {
    Shape {
        first: u64::from_le_bytes(part(&bytes[..8])),
        words: u32::from_le_bytes(part(&bytes[8..12])),
        count: u16::from_le_bytes(part(&bytes[12..14])),
        low: bytes[14],
    }
}

fn part<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("a part of the length of its number")
}

fn read_exactly(
    file: &dyn DiskFile,
    path: &Path,
    offset: u64,
    buffer: &mut [u8],
) -> Result<(), SeenError> {
    let count = file.read_at(offset, buffer).map_err(SeenError::disk("read", path))?;
    if count < buffer.len() {
        return Err(SeenError::damaged(path, "it is too short"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
