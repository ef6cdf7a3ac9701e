//! The file that grows, and the lines of its index beside it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rhumb_disk::{SharedDisk, Writing};

use super::name::{self, Paths};
use super::{ArchiveError, failed, sync_folder};
use crate::cdxj;
use crate::encode::Encoded;
use crate::stamp::Stamp;

/// What is gathered before it is handed to the operating system.
const BUFFER_BYTES: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct OpenFile {
    /// The name that it has once it is sealed.
    pub(super) name: Arc<str>,
    pub(super) serial: u32,
    pub(super) length: u64,
    disk: SharedDisk,
    folder: PathBuf,
    records: Writing,
    lines: Writing,
}

impl OpenFile {
    pub(super) fn create(
        disk: &SharedDisk,
        folder: &Path,
        prefix: &str,
        serial: u32,
        began: SystemTime,
    ) -> Result<Self, ArchiveError> {
        let name = name::sealed(prefix, &Stamp::of(began), serial);
        let paths = Paths::new(folder, &name);
        let create = |path: &Path| {
            let file = disk.create(path).map_err(failed("create", path))?;
            Ok(Writing::new(file, BUFFER_BYTES))
        };
        let (records, lines) = (create(&paths.open)?, create(&paths.open_lines)?);
        sync_folder(&**disk, folder)?;
        let (disk, folder) = (Arc::clone(disk), folder.to_owned());
        Ok(Self { name: Arc::from(name), serial, length: 0, disk, folder, records, lines })
    }

    /// Adds records at the end, and says where they begin.
    pub(super) fn append(&mut self, encoded: &Encoded) -> Result<u64, ArchiveError> {
        let offset = self.length;
        let written = self.records.write_all(&encoded.bytes);
        written.map_err(|error| self.failed(error))?;
        self.length += u64::try_from(encoded.bytes.len()).expect("a length fits 64 bits");
        if let (Some(line), Some(first)) = (&encoded.line, encoded.records.first()) {
            let length = u64::try_from(first.length).expect("a length fits 64 bits");
            let line = line.place(&self.name, offset, length);
            self.lines.write_all(line.as_bytes()).map_err(|error| self.failed(error))?;
        }
        Ok(offset)
    }

    pub(super) fn flush(&mut self) -> Result<(), ArchiveError> {
        let flushed = self.records.flush().and_then(|()| self.lines.flush());
        flushed.map_err(|error| self.failed(error))
    }

    pub(super) fn sync(&mut self) -> Result<(), ArchiveError> {
        self.flush()?;
        // The lines can be made again from the records.
        self.records.sync().map_err(|error| self.failed(error))
    }

    /// Takes its last name. The index comes first: a file that has its name has its index.
    pub(super) fn seal(mut self) -> Result<(), ArchiveError> {
        self.sync()?;
        let (disk, paths) = (&*self.disk, Paths::new(&self.folder, &self.name));
        let sorted = cdxj::sort_file(disk, &paths.open_lines, &paths.lines);
        sorted.map_err(failed("sort", &paths.open_lines))?;
        disk.rename(&paths.open, &paths.sealed).map_err(failed("rename", &paths.open))?;
        disk.remove(&paths.open_lines).map_err(failed("remove", &paths.open_lines))?;
        sync_folder(disk, &self.folder)
    }

    fn failed(&self, error: std::io::Error) -> ArchiveError {
        let path = Paths::new(&self.folder, &self.name).open;
        failed("write", &path)(error)
    }
}
