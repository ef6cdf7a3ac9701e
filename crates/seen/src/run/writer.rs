//! Writing a run, key after key.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::{Disk, Writing};

use super::block::{KEYS_MAX, encode};
use super::{ENTRY_BYTES, Entry, FOOT_BYTES, MAGIC, MAGIC_BYTES, Run, RunInfo, Sealed};
use super::{block_bytes, shape_bytes};
use crate::SeenError;

/// Blocks reach the file in pieces of this size.
const BUFFER_BYTES: usize = 256 * 1024;

pub(crate) struct RunWriter {
    name: String,
    path: PathBuf,
    file: Writing,
    entries: Vec<Entry>,
    keys: u64,
    end: u64,
    waiting: Vec<u64>,
    words: Vec<u64>,
    bytes: Vec<u8>,
}

impl RunWriter {
    pub(crate) fn create(disk: &dyn Disk, folder: &Path, name: &str) -> Result<Self, SeenError> {
        let path = folder.join(name);
        let file = disk.create(&path).map_err(SeenError::disk("create", &path))?;
        let mut writer = Self {
            name: name.to_owned(),
            path,
            file: Writing::new(file, BUFFER_BYTES),
            entries: Vec::new(),
            keys: 0,
            end: MAGIC_BYTES,
            waiting: Vec::new(),
            words: Vec::new(),
            bytes: MAGIC.to_vec(),
        };
        writer.hand_over()?;
        Ok(writer)
    }

    /// Takes keys that are sorted, distinct, and above all keys before them.
    pub(crate) fn extend(&mut self, mut keys: &[u64]) -> Result<(), SeenError> {
        if !self.waiting.is_empty() {
            let taken = keys.len().min(KEYS_MAX - self.waiting.len());
            self.waiting.extend_from_slice(&keys[..taken]);
            keys = &keys[taken..];
            if self.waiting.len() < KEYS_MAX {
                return Ok(());
            }
            self.write_waiting()?;
        }
        let (blocks, rest) = keys.as_chunks::<KEYS_MAX>();
        for block in blocks {
            self.write_block(block)?;
        }
        self.waiting.extend_from_slice(rest);
        Ok(())
    }

    /// Writes the directory and syncs the file.
    pub(crate) fn finish(mut self) -> Result<Run, SeenError> {
        if !self.waiting.is_empty() {
            self.write_waiting()?;
        }
        self.bytes.clear();
        self.bytes.reserve(self.entries.len() * ENTRY_BYTES + FOOT_BYTES);
        for entry in &self.entries {
            self.bytes.extend_from_slice(&shape_bytes(entry.shape));
        }
        let blocks = u64::try_from(self.entries.len()).expect("a length fits 64 bits");
        self.bytes.extend_from_slice(&blocks.to_le_bytes());
        self.bytes.extend_from_slice(&self.keys.to_le_bytes());
        let crc = crc32fast::hash(&self.bytes);
        self.bytes.extend_from_slice(&crc.to_le_bytes());
        let bytes = self.end + u64::try_from(self.bytes.len()).expect("a length fits 64 bits");
        self.hand_over()?;
        self.file.sync().map_err(SeenError::disk("sync", &self.path))?;
        let file = self.file.into_file().map_err(SeenError::disk("write", &self.path))?;
        let info = RunInfo { name: self.name, keys: self.keys, bytes };
        Ok(Run(Arc::new(Sealed { info, path: self.path, file, entries: self.entries })))
    }

    fn write_waiting(&mut self) -> Result<(), SeenError> {
        let mut waiting = std::mem::take(&mut self.waiting);
        self.write_block(&waiting)?;
        waiting.clear();
        self.waiting = waiting;
        Ok(())
    }

    fn write_block(&mut self, keys: &[u64]) -> Result<(), SeenError> {
        let shape = encode(keys, &mut self.words);
        self.bytes.clear();
        self.bytes.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        let crc = crc32fast::hash(&self.bytes);
        self.bytes.extend_from_slice(&crc.to_le_bytes());
        self.entries.push(Entry { shape, offset: self.end });
        self.end += block_bytes(shape);
        self.keys += u64::from(shape.count);
        self.hand_over()
    }

    fn hand_over(&mut self) -> Result<(), SeenError> {
        self.file.write_all(&self.bytes).map_err(SeenError::disk("write", &self.path))
    }
}
