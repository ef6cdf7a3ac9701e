//! Reading the store from a place to another, document by document.

use std::path::{Path, PathBuf};

use rhumb_disk::{DiskFile, SharedDisk};

pub(crate) use super::block::Word;
use super::block::{BLOCK_BYTES_MAX, Block, HEAD};
use super::{MAGIC, NAME, Source, check_begin};
use crate::RankError;
use crate::width::wide;

/// A document as it was stored.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    /// How many came before it in this scan.
    pub(crate) ordinal: u64,
    pub(crate) source: Source,
    pub(crate) word: Word<'a>,
}

/// Goes through the store.
#[derive(Debug)]
pub(crate) struct Scan {
    path: PathBuf,
    file: Box<dyn DiskFile>,
    at: u64,
    end: u64,
    ordinal: u64,
    block: Block,
}

impl Scan {
    /// From one synced end, or 0, to another.
    pub(crate) fn open(
        disk: &SharedDisk,
        folder: &Path,
        from: u64,
        end: u64,
    ) -> Result<Self, RankError> {
        let path = folder.join(NAME);
        let file = disk.open(&path).map_err(RankError::disk("open", &path))?;
        let found = file.length().map_err(RankError::disk("measure", &path))?;
        if found < end {
            return Err(RankError::Short { path, length: found, end });
        }
        check_begin(&*file, &path)?;
        let at = from.max(wide(MAGIC.len()));
        Ok(Self { path, file, at, end, ordinal: 0, block: Block::default() })
    }

    /// The next document.
    pub(crate) fn advance(&mut self) -> Result<Option<Record<'_>>, RankError> {
        while self.block.is_done() {
            if !self.next_block()? {
                return Ok(None);
            }
        }
        let ordinal = self.ordinal;
        self.ordinal += 1;
        match self.block.take() {
            Some((source, word)) => Ok(Some(Record { ordinal, source, word })),
            None => Err(RankError::damaged(&self.path, "a block makes no sense")),
        }
    }

    /// How far blocks have been read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Reads the next block, if there is one before the end.
    fn next_block(&mut self) -> Result<bool, RankError> {
        if self.at >= self.end {
            return Ok(false);
        }
        let damaged = |what| RankError::damaged(&self.path, what);
        let mut head = [0; HEAD];
        self.read(self.at, &mut head)?;
        let [a, b, c, d, sum @ ..] = head;
        let bytes = u32::from_le_bytes([a, b, c, d]);
        let after = self.at + wide(HEAD) + u64::from(bytes);
        let bytes = usize::try_from(bytes).expect("a computer has at least 32 bits");
        if after > self.end || bytes > BLOCK_BYTES_MAX {
            return Err(damaged("a block is longer than it can be"));
        }
        let mut body = vec![0; bytes];
        self.read(self.at + wide(HEAD), &mut body)?;
        if crc32fast::hash(&body) != u32::from_le_bytes(sum) {
            return Err(damaged("the checksum of a block is wrong"));
        }
        self.at = after;
        match self.block.parse(body) {
            Some(()) => Ok(true),
            None => Err(RankError::damaged(&self.path, "a block makes no sense")),
        }
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> Result<(), RankError> {
        let count = self.file.read_at(at, buffer).map_err(RankError::disk("read", &self.path))?;
        if count == buffer.len() {
            Ok(())
        } else {
            Err(RankError::damaged(&self.path, "it ends within a block"))
        }
    }
}
