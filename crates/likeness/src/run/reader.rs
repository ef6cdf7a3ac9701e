//! Reading a run from its first entry to its last.

use std::path::{Path, PathBuf};

use rhumb_disk::{Disk, DiskFile};

use super::{CRC_BYTES, ENTRIES_MAX, HEAD_BYTES, MAGIC, MAGIC_BYTES, MARK_BYTES, Mark, WIDTH_MAX};
use crate::LikenessError;
use crate::ledger::RunInfo;

/// The largest block, and the head of the next.
const BLOCK_BYTES_MAX: usize = HEAD_BYTES + ENTRIES_MAX * (WIDTH_MAX + MARK_BYTES) + CRC_BYTES;

/// A place in a run that only goes forward.
pub(crate) struct Cursor {
    info: RunInfo,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    /// Where the next block begins, and how many entries came before it.
    next: u64,
    read: u64,
    /// The block, as it lies in the file.
    bytes: Vec<u8>,
    first: u64,
    width: usize,
    /// The bits of the first so many bytes.
    key_mask: u64,
    count: usize,
    /// The next entry of the block.
    at: usize,
}

impl Cursor {
    /// Opens the run that a checkpoint lists.
    pub(crate) fn open(
        disk: &dyn Disk,
        folder: &Path,
        info: &RunInfo,
    ) -> Result<Self, LikenessError> {
        let path = folder.join(&info.name);
        let file = disk.open(&path).map_err(LikenessError::disk("open", &path))?;
        let mut magic = [0; 8];
        file.read_at(0, &mut magic).map_err(LikenessError::disk("read", &path))?;
        LikenessError::check_magic(&path, &magic, MAGIC)?;
        if file.length().map_err(LikenessError::disk("measure", &path))? != info.bytes {
            return Err(LikenessError::damaged(&path, "it is not as long as the checkpoint says"));
        }
        Ok(Self {
            info: info.clone(),
            path,
            file,
            next: MAGIC_BYTES,
            read: 0,
            bytes: Vec::new(),
            first: 0,
            width: 0,
            key_mask: 0,
            count: 0,
            at: 0,
        })
    }

    /// Goes to a key, which is not below those that were asked for before, and adds its marks: no
    /// more than so many.
    pub(crate) fn find(
        &mut self,
        key: u64,
        most: usize,
        marks: &mut Vec<Mark>,
    ) -> Result<(), LikenessError> {
        let end = marks.len() + most;
        loop {
            if self.at == self.count && !self.next_block()? {
                return Ok(());
            }
            if self.key(self.count - 1) < key {
                self.at = self.count;
                continue;
            }
            self.at = self.seek(key);
            while self.at < self.count && self.key(self.at) == key {
                if marks.len() == end {
                    // Those that are left are passed over by whoever asks for the next key.
                    return Ok(());
                }
                marks.push(self.mark(self.at));
                self.at += 1;
            }
            if self.at < self.count {
                return Ok(());
            }
        }
    }

    /// Adds the entries of the next block; none are left if there is none.
    pub(crate) fn block(&mut self, entries: &mut Vec<(u64, Mark)>) -> Result<(), LikenessError> {
        if self.next_block()? {
            entries.extend((0..self.count).map(|at| (self.key(at), self.mark(at))));
            self.at = self.count;
        }
        Ok(())
    }

    /// The first entry from here on that is not below the key, which mostly is not far: steps
    /// double until one goes too far, then halve.
    fn seek(&self, key: u64) -> usize {
        let mut step = 1;
        let mut low = self.at;
        while low + step < self.count && self.key(low + step) < key {
            low += step;
            step *= 2;
        }
        let mut high = (low + step).min(self.count);
        while low < high {
            let middle = low.midpoint(high);
            if self.key(middle) < key { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn key(&self, at: usize) -> u64 {
        // Behind the key there is a mark, and behind the last one the checksum: eight bytes.
        let start = HEAD_BYTES + at * (self.width + MARK_BYTES);
        let eight = u64::from_le_bytes(part(&self.bytes[start..start + 8]));
        self.first + (eight & self.key_mask)
    }

    fn mark(&self, at: usize) -> Mark {
        let end = HEAD_BYTES + (at + 1) * (self.width + MARK_BYTES);
        Mark(u32::from_le_bytes(part(&self.bytes[end - MARK_BYTES..end])))
    }

    /// Reads the next block, or says that there is none.
    fn next_block(&mut self) -> Result<bool, LikenessError> {
        (self.at, self.count) = (0, 0);
        if self.next >= self.info.bytes {
            let is_whole = self.next == self.info.bytes && self.read == self.info.entries;
            return if is_whole { Ok(false) } else { Err(self.damaged()) };
        }
        self.bytes.resize(BLOCK_BYTES_MAX, 0);
        let got = self.file.read_at(self.next, &mut self.bytes);
        let got = got.map_err(LikenessError::disk("read", &self.path))?;
        let Some(head) = self.bytes[..got].first_chunk::<HEAD_BYTES>() else {
            return Err(self.damaged());
        };
        let count = usize::from(u16::from_le_bytes(part(&head[..2])));
        self.width = usize::from(head[2]);
        self.first = u64::from_le_bytes(part(&head[3..]));
        let end = HEAD_BYTES + count * (self.width + MARK_BYTES);
        let is_shaped = count > 0 && self.width <= WIDTH_MAX && end + CRC_BYTES <= got;
        let is_sound = is_shaped
            && crc32fast::hash(&self.bytes[..end]).to_le_bytes()
                == self.bytes[end..end + CRC_BYTES];
        if !is_sound {
            return Err(self.damaged());
        }
        self.next += u64::try_from(end + CRC_BYTES).expect("a length fits 64 bits");
        self.read += u64::try_from(count).expect("a length fits 64 bits");
        self.count = count;
        self.key_mask = (1 << (8 * self.width)) - 1;
        Ok(true)
    }

    fn damaged(&self) -> LikenessError {
        LikenessError::damaged(&self.path, "a block is not what was written")
    }
}

fn part<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("a part of the length of its number")
}
