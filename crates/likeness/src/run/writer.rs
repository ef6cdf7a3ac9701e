//! Writing a run, entry after entry.

use std::io::Write;
use std::path::{Path, PathBuf};

use rhumb_disk::{Disk, Writing};

use super::{ENTRIES_MAX, MAGIC, MAGIC_BYTES, Mark};
use crate::LikenessError;
use crate::ledger::RunInfo;

/// Blocks reach the file in pieces of this size.
const BUFFER_BYTES: usize = 256 * 1024;

pub(crate) struct RunWriter {
    info: RunInfo,
    path: PathBuf,
    file: Writing,
    waiting: Vec<(u64, Mark)>,
    bytes: Vec<u8>,
}

impl RunWriter {
    pub(crate) fn create(
        disk: &dyn Disk,
        folder: &Path,
        name: &str,
    ) -> Result<Self, LikenessError> {
        let path = folder.join(name);
        let file = disk.create(&path).map_err(LikenessError::disk("create", &path))?;
        let mut file = Writing::new(file, BUFFER_BYTES);
        file.write_all(&MAGIC).map_err(LikenessError::disk("write", &path))?;
        let info = RunInfo { name: name.to_owned(), entries: 0, bytes: MAGIC_BYTES };
        Ok(Self { info, path, file, waiting: Vec::new(), bytes: Vec::new() })
    }

    /// Takes entries that are sorted, and not below those before them.
    pub(crate) fn extend(&mut self, entries: &[(u64, Mark)]) -> Result<(), LikenessError> {
        for entry in entries {
            self.waiting.push(*entry);
            if self.waiting.len() == ENTRIES_MAX {
                self.write_block()?;
            }
        }
        Ok(())
    }

    /// Writes what waits and syncs the file; the caller syncs the folder before anything refers
    /// to the run.
    pub(crate) fn finish(mut self) -> Result<RunInfo, LikenessError> {
        self.write_block()?;
        self.file.sync().map_err(LikenessError::disk("sync", &self.path))?;
        Ok(self.info)
    }

    fn write_block(&mut self) -> Result<(), LikenessError> {
        let (Some((first, _)), Some((last, _))) = (self.waiting.first(), self.waiting.last())
        else {
            return Ok(());
        };
        let width = (64 - (last - first).leading_zeros()).div_ceil(8);
        let width = u8::try_from(width).expect("a key has eight bytes");
        let count = u16::try_from(self.waiting.len()).expect("a block has a maximum");
        self.bytes.clear();
        self.bytes.extend(count.to_le_bytes());
        self.bytes.push(width);
        self.bytes.extend(first.to_le_bytes());
        for (key, mark) in &self.waiting {
            self.bytes.extend(&(key - first).to_le_bytes()[..usize::from(width)]);
            self.bytes.extend(mark.0.to_le_bytes());
        }
        let crc = crc32fast::hash(&self.bytes);
        self.bytes.extend(crc.to_le_bytes());
        self.file.write_all(&self.bytes).map_err(LikenessError::disk("write", &self.path))?;
        self.info.entries += u64::from(count);
        self.info.bytes += u64::try_from(self.bytes.len()).expect("a length fits 64 bits");
        self.waiting.clear();
        Ok(())
    }
}
