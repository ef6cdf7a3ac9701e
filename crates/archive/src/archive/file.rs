//! The file that grows, and the lines of its index beside it.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::{ArchiveError, CDXJ, OPEN, WARC, failed, sync_folder};
use crate::cdxj;
use crate::encode::Encoded;
use crate::stamp::Stamp;

/// What is gathered before it is handed to the operating system.
const BUFFER_BYTES: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct OpenFile {
    /// The name that it has once it is sealed.
    pub(super) name: Arc<str>,
    pub(super) length: u64,
    folder: PathBuf,
    records: BufWriter<File>,
    lines: BufWriter<File>,
}

/// The paths of a file in its two lives.
pub(super) struct Paths {
    pub(super) open: PathBuf,
    pub(super) sealed: PathBuf,
    pub(super) open_lines: PathBuf,
    pub(super) lines: PathBuf,
}

impl Paths {
    /// From the name of a sealed file.
    pub(super) fn new(folder: &Path, name: &str) -> Self {
        let bare = name.strip_suffix(WARC).unwrap_or(name);
        Self {
            open: folder.join(format!("{name}{OPEN}")),
            sealed: folder.join(name),
            open_lines: folder.join(format!("{bare}{CDXJ}{OPEN}")),
            lines: folder.join(format!("{bare}{CDXJ}")),
        }
    }
}

impl OpenFile {
    pub(super) fn create(
        folder: &Path,
        prefix: &str,
        serial: u32,
        began: SystemTime,
    ) -> Result<Self, ArchiveError> {
        let name = format!("{prefix}-{}-{serial:05}{WARC}", Stamp::of(began).digits());
        let paths = Paths::new(folder, &name);
        let create = |path: &Path| {
            let file = File::create_new(path).map_err(failed("create", path))?;
            Ok(BufWriter::with_capacity(BUFFER_BYTES, file))
        };
        let (records, lines) = (create(&paths.open)?, create(&paths.open_lines)?);
        sync_folder(folder)?;
        let folder = folder.to_owned();
        Ok(Self { name: Arc::from(name), length: 0, folder, records, lines })
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
        self.records.get_ref().sync_data().map_err(|error| self.failed(error))
    }

    /// Takes its last name. The index comes first: a file that has its name has its index.
    pub(super) fn seal(mut self) -> Result<(), ArchiveError> {
        self.sync()?;
        let paths = Paths::new(&self.folder, &self.name);
        let sorted = cdxj::sort_file(&paths.open_lines, &paths.lines);
        sorted.map_err(failed("sort", &paths.open_lines))?;
        fs::rename(&paths.open, &paths.sealed).map_err(failed("rename", &paths.open))?;
        fs::remove_file(&paths.open_lines).map_err(failed("remove", &paths.open_lines))?;
        sync_folder(&self.folder)
    }

    fn failed(&self, error: std::io::Error) -> ArchiveError {
        let path = Paths::new(&self.folder, &self.name).open;
        failed("write", &path)(error)
    }
}
