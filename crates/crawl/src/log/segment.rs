//! One file of the log: named by the offset where it begins, which its header repeats.

use std::path::{Path, PathBuf};

use rhumb_disk::{DiskFile, Reading, SharedDisk};

use super::{LogError, Offset};

const MAGIC: [u8; 7] = *b"rhlog\0\0";
const FORMAT: u8 = 1;

/// Magic (7), format (1), start (8) and checksum (4). Headers count as bytes of the log, so that
/// a segment ends where the next begins.
pub(super) const HEADER_BYTES: usize = 20;

/// Digits of the largest offset, so that names sort as offsets do.
const NAME_DIGITS: usize = 20;

/// An open file of the log.
#[derive(Debug)]
pub(super) struct Segment {
    start: Offset,
    path: PathBuf,
    file: Box<dyn DiskFile>,
}

/// What the first bytes of a segment say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    /// It is a segment that begins where its name says.
    Whole,
    /// It never was written whole, or is damaged.
    Torn,
}

impl Segment {
    /// Makes a segment; it is on disk, with its name, on return.
    pub(super) fn create(
        disk: &SharedDisk,
        folder: &Path,
        start: Offset,
    ) -> Result<Self, LogError> {
        let path = path_of(folder, start);
        let file = disk.create(&path).map_err(failed("create", &path))?;
        let mut segment = Self { start, path, file };
        segment.append(&header(start))?;
        segment.settle(disk, folder)?;
        Ok(segment)
    }

    /// Opens a segment that exists.
    pub(super) fn open(disk: &SharedDisk, folder: &Path, start: Offset) -> Result<Self, LogError> {
        let path = path_of(folder, start);
        let file = disk.open(&path).map_err(failed("open", &path))?;
        Ok(Self { start, path, file })
    }

    pub(super) fn start(&self) -> Offset {
        self.start
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Its bytes from a place of the log on.
    pub(super) fn reading(&self, from: Offset) -> Reading<'_> {
        Reading::new(self.file.as_ref(), from.0 - self.start.0)
    }

    /// Where its first frame is, or will be.
    pub(super) fn frames_start(&self) -> Offset {
        self.start.plus(HEADER_BYTES)
    }

    /// Where it ends.
    pub(super) fn end(&self) -> Result<Offset, LogError> {
        let length = self.file.length().map_err(failed("measure", &self.path))?;
        Ok(Offset(self.start.0.saturating_add(length)))
    }

    /// Reads the header.
    pub(super) fn header(&self) -> Result<Header, LogError> {
        let mut found = [0; HEADER_BYTES];
        self.read_at(self.start, &mut found)?;
        let number = found[MAGIC.len()];
        if found.starts_with(&MAGIC) && number > FORMAT {
            return Err(LogError::Format { path: self.path.clone(), number });
        }
        Ok(if found == header(self.start) { Header::Whole } else { Header::Torn })
    }

    /// Reads from a place of the log, up to the whole buffer; fewer bytes only at the end.
    pub(super) fn read_at(&self, at: Offset, buffer: &mut [u8]) -> Result<usize, LogError> {
        self.file.read_at(at.0 - self.start.0, buffer).map_err(failed("read", &self.path))
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), LogError> {
        self.file.append(bytes).map_err(failed("write", &self.path))
    }

    pub(super) fn sync(&mut self) -> Result<(), LogError> {
        self.file.sync().map_err(failed("sync", &self.path))
    }

    /// Writes the header anew, into a segment that never had a frame.
    pub(super) fn begin_again(&mut self) -> Result<(), LogError> {
        self.file.cut(0).map_err(failed("cut", &self.path))?;
        self.append(&header(self.start))
    }

    /// Its bytes and its name reach the disk.
    pub(super) fn settle(&mut self, disk: &SharedDisk, folder: &Path) -> Result<(), LogError> {
        self.sync()?;
        disk.sync_folder(folder).map_err(failed("sync", folder))
    }

    /// Cuts it, so that it ends at this place of the log.
    pub(super) fn cut(&mut self, end: Offset) -> Result<(), LogError> {
        self.file.cut(end.0 - self.start.0).map_err(failed("cut", &self.path))
    }
}

/// Where the segments of a folder begin, oldest first.
pub(super) fn list(disk: &SharedDisk, folder: &Path) -> Result<Vec<Offset>, LogError> {
    let names = disk.list(folder).map_err(failed("list", folder))?;
    let mut starts: Vec<Offset> = names.iter().filter_map(|name| start_of(name)).collect();
    starts.sort_unstable();
    Ok(starts)
}

/// Where the newest segment of a folder ends, as its file has it; 0 without any.
pub(super) fn reach(disk: &SharedDisk, folder: &Path) -> Result<Offset, LogError> {
    let Some(start) = list(disk, folder)?.pop() else { return Ok(Offset::default()) };
    Segment::open(disk, folder, start)?.end()
}

/// Removes segments one by one: a power cut leaves no gap between those that stay.
pub(super) fn remove(disk: &SharedDisk, folder: &Path, starts: &[Offset]) -> Result<(), LogError> {
    for start in starts {
        let path = path_of(folder, *start);
        disk.remove(&path).map_err(failed("remove", &path))?;
        disk.sync_folder(folder).map_err(failed("sync", folder))?;
    }
    Ok(())
}

/// Puts words to what a disk said.
pub(super) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> LogError {
    move |source| LogError::Io { doing, path: path.to_owned(), source }
}

fn header(start: Offset) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..7].copy_from_slice(&MAGIC);
    bytes[7] = FORMAT;
    bytes[8..16].copy_from_slice(&start.0.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..16]);
    bytes[16..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn path_of(folder: &Path, start: Offset) -> PathBuf {
    folder.join(format!("{:0width$}.log", start.0, width = NAME_DIGITS))
}

fn start_of(name: &str) -> Option<Offset> {
    let digits = name.strip_suffix(".log")?;
    let fits = digits.len() == NAME_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !fits {
        return None;
    }
    digits.parse().ok().map(Offset)
}
