//! What an earlier run left behind is put in order: the torn end of its open file is cut off, and
//! the file is sealed. Damage before that end stays where it is, and the index passes over it.
//!
//! A kill or a power cut in between only means that it is done again.

use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use rhumb_disk::{Disk, DiskFile, Reading};

use super::name::{self, DAMAGED, INDEX, OPEN, Paths, WARC};
use super::{ArchiveError, Position, failed, list, sync_folder};
use crate::cdxj::{self, LineHead};
use crate::http::HttpMessage;
use crate::read::{Fault, Flaw, Record, WarcReader, has_member_after};

/// The beginning of a block in which the head of an answer is looked for.
const HTTP_HEAD_MAX: usize = 1024 * 1024;
/// What is read at a time.
const BUFFER_BYTES: usize = 64 * 1024;

/// A folder that an earlier run left.
pub(super) struct Leftovers<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) folder: &'a Path,
    pub(super) prefix: &'a str,
}

impl Leftovers<'_> {
    /// Takes away the files that were not finished, and can be made again.
    pub(super) fn drop_unfinished(&self) -> Result<(), ArchiveError> {
        let names = list(self.disk, self.folder)?;
        names.iter().filter(|name| name::is_leftover(name)).try_for_each(|name| self.remove(name))
    }

    /// Cuts everything back to a place, so that the file around it is sealed and none comes after.
    /// It is safe once all is sealed.
    pub(super) fn cut_back(&self, to: Position) -> Result<(), ArchiveError> {
        let names = list(self.disk, self.folder)?;
        let ours = |name: &str| name::serial(name, self.prefix);
        let mut last = names.iter().filter(|name| ours(name) == Some(to.serial) && to.end > 0);
        let last = last.find_map(|name| name::records(name));
        let is_beyond = |name: &str| {
            let begins = ours(name).map(|serial| Position { serial, end: 0 });
            begins.is_some_and(|begins| begins >= to) && !name.ends_with(DAMAGED)
        };
        let beyond: Vec<&String> = names.iter().filter(|name| is_beyond(name)).collect();
        let has = last.map_or(Ok(0), |name| self.length(name))?;
        if has < to.end {
            return Err(self.behind(last, to, has));
        }
        if has > to.end || !beyond.is_empty() {
            self.drop_merged_index(&names)?;
        }
        if let Some(name) = last {
            self.cut_file(name, to, has)?;
        }
        beyond.into_iter().try_for_each(|name| self.remove(name))
    }

    /// Seals every file that is still open, and gives each sealed file its index if it has none.
    pub(super) fn seal_all(&self) -> Result<(), ArchiveError> {
        for name in list(self.disk, self.folder)? {
            if let Some(name) = name.strip_suffix(OPEN).filter(|name| name.ends_with(WARC)) {
                self.seal(name)?;
            } else if name.ends_with(WARC) {
                let paths = Paths::new(self.folder, &name);
                if !self.exists(&paths.lines)? {
                    self.index(&paths.sealed, &name, u64::MAX)?;
                }
            }
        }
        sync_folder(self.disk, self.folder)
    }

    /// Takes away the index of all files before it names records that are not there.
    pub(super) fn drop_merged_index(&self, names: &[String]) -> Result<(), ArchiveError> {
        if names.iter().any(|name| name == INDEX) {
            self.remove(INDEX)?;
            sync_folder(self.disk, self.folder)?;
        }
        Ok(())
    }

    fn cut_file(&self, name: &str, to: Position, has: u64) -> Result<(), ArchiveError> {
        let paths = Paths::new(self.folder, name);
        let is_open = self.exists(&paths.open)?;
        let path = if is_open { &paths.open } else { &paths.sealed };
        if !is_open && has == to.end && self.exists(&paths.lines)? {
            // An opening that was killed may have cut it a moment ago.
            return self.cut(path, to.end);
        }
        let whole = self.index(path, name, to.end)?;
        if whole < to.end {
            return Err(self.behind(Some(name), to, whole));
        }
        self.cut(path, to.end)?;
        if is_open {
            self.disk.rename(path, &paths.sealed).map_err(failed("rename", path))?;
        }
        Ok(())
    }

    fn seal(&self, name: &str) -> Result<(), ArchiveError> {
        let paths = Paths::new(self.folder, name);
        let end = self.index(&paths.open, name, u64::MAX)?;
        let hides_more = self.open(&paths.open).and_then(|file| {
            has_member_after(buffered(&*file), end).map_err(failed("read", &paths.open))
        })?;
        if hides_more {
            self.set_aside(&paths.open, &self.folder.join(format!("{name}{DAMAGED}")))?;
        }
        if end == 0 {
            self.disk.remove(&paths.lines).map_err(failed("remove", &paths.lines))?;
            return self.disk.remove(&paths.open).map_err(failed("remove", &paths.open));
        }
        self.cut(&paths.open, end)?;
        self.disk.rename(&paths.open, &paths.sealed).map_err(failed("rename", &paths.open))
    }

    /// Keeps a copy of a file whose end is not just torn: damage can look as if it reached to the
    /// end, and records may lie behind it.
    fn set_aside(&self, open: &Path, aside: &Path) -> Result<(), ArchiveError> {
        let file = self.open(open)?;
        let copied = cdxj::create_anew(self.disk, aside).and_then(|mut copy| {
            io::copy(&mut Reading::new(&*file, 0), &mut copy)?;
            copy.sync()
        });
        copied.map_err(failed("copy", open))?;
        sync_folder(self.disk, self.folder)
    }

    fn cut(&self, path: &Path, end: u64) -> Result<(), ArchiveError> {
        let mut file = self.open(path)?;
        let cut = file.cut(end).and_then(|()| file.sync());
        cut.map_err(failed("cut back", path))
    }

    /// Writes the index of a file anew, for its records up to a place, and says where the last
    /// whole one ends. The index is safe before anything happens to the file.
    pub(super) fn index(&self, warc: &Path, name: &str, until: u64) -> Result<u64, ArchiveError> {
        let paths = Paths::new(self.folder, name);
        let file = self.open(warc)?;
        let written = cdxj::create_anew(self.disk, &paths.open_lines).and_then(|mut lines| {
            let end = write_lines(&*file, name, until, &mut lines)?;
            lines.flush()?;
            Ok(end)
        });
        let end = written.map_err(failed("index", warc))?;
        let sorted = cdxj::sort_file(self.disk, &paths.open_lines, &paths.lines);
        sorted.map_err(failed("sort", &paths.open_lines))?;
        self.disk.remove(&paths.open_lines).map_err(failed("remove", &paths.open_lines))?;
        sync_folder(self.disk, self.folder)?;
        Ok(end)
    }

    fn behind(&self, name: Option<&str>, to: Position, has: u64) -> ArchiveError {
        let missing = || format!("{}-*-{:05}{WARC}", self.prefix, to.serial);
        let file = self.folder.join(name.map_or_else(missing, str::to_owned));
        ArchiveError::Behind { file, has, wants: to.end }
    }

    /// The length of a file, by the name that it has once it is sealed.
    pub(super) fn length(&self, name: &str) -> Result<u64, ArchiveError> {
        let path = records_path(self.disk, self.folder, name)?;
        self.open(&path)?.length().map_err(failed("read", &path))
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), ArchiveError> {
        let path = self.folder.join(name);
        self.disk.remove(&path).map_err(failed("remove", &path))
    }

    fn exists(&self, path: &Path) -> Result<bool, ArchiveError> {
        self.disk.exists(path).map_err(failed("find", path))
    }

    fn open(&self, path: &Path) -> Result<Box<dyn DiskFile>, ArchiveError> {
        self.disk.open(path).map_err(failed("open", path))
    }
}

/// Where the records of a file lie, which has one of its two names.
pub(super) fn records_path(
    disk: &dyn Disk,
    folder: &Path,
    name: &str,
) -> Result<PathBuf, ArchiveError> {
    let paths = Paths::new(folder, name);
    let is_open = disk.exists(&paths.open).map_err(failed("find", &paths.open))?;
    Ok(if is_open { paths.open } else { paths.sealed })
}

pub(super) fn buffered(file: &dyn DiskFile) -> BufReader<Reading<'_>> {
    BufReader::with_capacity(BUFFER_BYTES, Reading::new(file, 0))
}

fn write_lines(
    warc: &dyn DiskFile,
    name: &str,
    until: u64,
    out: &mut impl Write,
) -> io::Result<u64> {
    let mut reader = WarcReader::new(buffered(warc));
    let mut whole = 0;
    // Only the first record of a member can be found by its offset.
    let mut shared = None;
    while whole < until {
        let Some(next) = reader.next() else { break };
        let read = next.and_then(|mut record| {
            let (offset, line) = (record.offset, line_of(&mut record));
            record.finish().map(|end| (offset, line, end))
        });
        match read {
            Ok((_, _, end)) if end > until => break,
            Ok((offset, line, end)) => {
                if let Some(line) = line?.filter(|_| shared != Some(offset)) {
                    out.write_all(line.place(name, offset, end - offset).as_bytes())?;
                }
                whole = whole.max(end);
            }
            // What the disk does not give out today is not to be cut off.
            Err(Fault { flaw: Flaw::Unreadable(why), .. }) => return Err(io::Error::other(why)),
            Err(Fault { flaw: Flaw::SharedMember, offset }) => shared = Some(offset),
            Err(_) => {}
        }
    }
    Ok(whole)
}

fn line_of<R: io::BufRead + io::Seek>(record: &mut Record<'_, R>) -> io::Result<Option<LineHead>> {
    let head = record.head.clone();
    let (Some(url), Some(date)) = (head.url(), head.field("WARC-Date")) else { return Ok(None) };
    let mut start = Vec::new();
    if head.is_http() {
        let max = u64::try_from(HTTP_HEAD_MAX).expect("a length fits 64 bits");
        record.take(max).read_to_end(&mut start)?;
    }
    let message = head.is_http().then(|| HttpMessage::split(&start));
    let media_type = head.field("Content-Type");
    let digest = head.field("WARC-Payload-Digest");
    Ok(LineHead::new(head.kind, url, date, message.as_ref(), media_type, digest))
}
