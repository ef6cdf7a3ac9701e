//! The folder of archive files: one is open and only grows; the others are sealed.

mod captures;
mod file;
mod name;
mod places;
mod position;
mod recover;
mod rewrite;
mod versions;
mod whole;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rhumb_disk::{Disk, RealDisk, SharedDisk};
use thiserror::Error;

pub use self::captures::{Captures, Listed};
use self::file::OpenFile;
use self::name::{CDXJ, INDEX, WARC};
pub(crate) use self::places::{LOOKS_MAX, numbered};
pub use self::places::{distance, file_of, payload_place, reach, record_at};
pub use self::position::{Keep, Position};
use self::recover::Leftovers;
pub use self::rewrite::{FORGOTTEN, Removed, remove};
pub use self::versions::{Version, versions};
pub use self::whole::{ensure_reaches, is_whole};
use crate::cdxj;
use crate::encode::{Encoded, Encoder};
use crate::id::CrawlId;
use crate::read::Fault;

/// How an archive is kept.
#[derive(Clone, Debug)]
pub struct ArchiveSettings {
    /// What every file's name begins with.
    pub prefix: String,
    /// A file that would grow beyond this is sealed first.
    pub rotate_bytes: u64,
    /// What tells the records of this crawl from all others.
    pub crawl: CrawlId,
    /// Who made the files.
    pub about: About,
}

/// What the first record of every file says of its maker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The program and its version.
    pub software: String,
    /// The User-Agent that was sent.
    pub agent: String,
    /// Whom to ask: a mail address or a URL.
    pub operator: Option<String>,
    /// The robots policy that was followed.
    pub robots: String,
}

impl About {
    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![
            ("software", self.software.clone()),
            ("format", "WARC File Format 1.1".to_owned()),
            (
                "conformsTo",
                "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
                    .to_owned(),
            ),
            ("robots", self.robots.clone()),
            ("http-header-user-agent", self.agent.clone()),
        ];
        fields.extend(self.operator.clone().map(|operator| ("operator", operator)));
        fields
    }
}

/// Where something was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The file, by the name that it has once it is sealed.
    pub file: Arc<str>,
    /// Where it begins.
    pub offset: u64,
    /// How long it is.
    pub length: u64,
    /// How far the archive reaches with it.
    pub end: Position,
}

/// Why something could not be kept.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// A file could not be written or read: nothing more is written after that.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// What came of it.
        source: io::Error,
    },
    /// A file is shorter than the log remembers it, or broken before that place.
    #[error(
        "the archive ends before what the log knows: {} is whole up to byte {has} of {wants}",
        file.display()
    )]
    Behind {
        /// The file, by the name that it has once it is sealed.
        file: PathBuf,
        /// Where its last whole record ends.
        has: u64,
        /// Where the log says that one ends.
        wants: u64,
    },
    /// A file is broken, and what is behind that may be what was looked for.
    #[error("{} is damaged {fault}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it, and where.
        fault: Fault,
    },
    /// An earlier write failed, so the end of the file is not known.
    #[error("the archive failed before and takes nothing more")]
    Poisoned,
}

/// Names what failed and where.
fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ArchiveError {
    let path = path.to_owned();
    move |source| ArchiveError::Io { doing, path, source }
}

/// The archive of one crawl. It has one owner, and its bytes come finished.
#[derive(Debug)]
pub struct Archive {
    disk: SharedDisk,
    folder: PathBuf,
    settings: ArchiveSettings,
    encoder: Encoder,
    next_serial: u32,
    position: Position,
    open: Option<OpenFile>,
    is_poisoned: bool,
}

impl Archive {
    /// Opens a folder, new or old, and keeps so much of what it holds. Files that an earlier run
    /// left open are cut back to their last whole record and sealed; what comes next goes into a
    /// new file. Where records may lie behind damage that cannot be read past, the file as it was
    /// stays beside it as `.damaged`.
    pub fn open(
        disk: SharedDisk,
        folder: &Path,
        settings: ArchiveSettings,
        keep: Keep,
    ) -> Result<Self, ArchiveError> {
        disk.create_folder(folder).map_err(failed("create", folder))?;
        let left = Leftovers { disk: &*disk, folder, prefix: &settings.prefix };
        left.drop_unfinished()?;
        if let Keep::UpTo(position) = keep {
            left.cut_back(position)?;
        }
        left.seal_all()?;
        let names = list(&*disk, folder)?;
        let serials = names.iter().filter_map(|name| name::serial(name, &settings.prefix));
        let position = match keep {
            Keep::Everything => last_position(&left, &names)?,
            Keep::UpTo(position) => position,
        };
        let next_serial = serials.fold(position.serial, u32::max).saturating_add(1);
        let encoder = Encoder::new(settings.crawl);
        let (folder, open) = (folder.to_owned(), None);
        Ok(Self {
            disk,
            folder,
            settings,
            encoder,
            next_serial,
            position,
            open,
            is_poisoned: false,
        })
    }

    /// How far the archive reaches: the file that was written last, and its length.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Adds records at the end of the open file, after a rotation if that one is full.
    ///
    /// Until [`Archive::flush`] a kill can lose them; until [`Archive::sync`], or until their file
    /// is sealed, a power cut.
    pub fn append(&mut self, encoded: &Encoded) -> Result<Placed, ArchiveError> {
        self.guard(|archive| archive.append_unguarded(encoded))
    }

    /// Hands everything to the operating system.
    pub fn flush(&mut self) -> Result<(), ArchiveError> {
        self.guard(|archive| archive.open.as_mut().map_or(Ok(()), OpenFile::flush))
    }

    /// Everything reaches the disk.
    pub fn sync(&mut self) -> Result<(), ArchiveError> {
        self.guard(|archive| archive.open.as_mut().map_or(Ok(()), OpenFile::sync))
    }

    /// Seals the open file; the next record begins a new one.
    pub fn seal(&mut self) -> Result<(), ArchiveError> {
        self.guard(|archive| archive.open.take().map_or(Ok(()), OpenFile::seal))
    }

    /// Seals the open file and merges the indexes of all files into `index.cdxj`.
    pub fn close(mut self) -> Result<(), ArchiveError> {
        self.seal()?;
        merge_index(&*self.disk, &self.folder)
    }

    fn append_unguarded(&mut self, encoded: &Encoded) -> Result<Placed, ArchiveError> {
        let length = u64::try_from(encoded.bytes.len()).expect("a length fits 64 bits");
        let is_full = |file: &OpenFile| file.length + length > self.settings.rotate_bytes;
        if let Some(full) = self.open.take_if(|file| is_full(file)) {
            full.seal()?;
        }
        if self.open.is_none() {
            self.open = Some(self.begin_file(encoded.began)?);
        }
        let file = self.open.as_mut().expect("a file was just opened");
        let offset = file.append(encoded)?;
        self.position = Position { serial: file.serial, end: file.length };
        Ok(Placed { file: Arc::clone(&file.name), offset, length, end: self.position })
    }

    /// A new file, which begins with what it says of itself.
    fn begin_file(&mut self, began: SystemTime) -> Result<OpenFile, ArchiveError> {
        let (prefix, serial) = (&self.settings.prefix, self.next_serial);
        let mut file = OpenFile::create(&self.disk, &self.folder, prefix, serial, began)?;
        self.next_serial = self.next_serial.saturating_add(1);
        let fields = self.settings.about.fields();
        let warcinfo = self.encoder.warcinfo(&file.name, began, &fields);
        file.append(&warcinfo)?;
        Ok(file)
    }

    /// After a failed write the end of the file is unknown: nothing may follow it.
    fn guard<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, ArchiveError>,
    ) -> Result<T, ArchiveError> {
        if self.is_poisoned {
            return Err(ArchiveError::Poisoned);
        }
        let done = act(self);
        self.is_poisoned = done.is_err();
        done
    }
}

/// The files of records in a folder, in the order in which they were begun: those that are sealed,
/// and one that grows still.
pub fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut names = RealDisk.list(folder)?;
    names.retain(|name| name::records(name).is_some());
    names.sort_by(|a, b| name::age(a).cmp(&name::age(b)));
    Ok(names.iter().map(|name| folder.join(name)).collect())
}

/// Merges the indexes of all sealed files into one.
fn merge_index(disk: &dyn Disk, folder: &Path) -> Result<(), ArchiveError> {
    let index = folder.join(INDEX);
    let lines: Vec<PathBuf> = list(disk, folder)?
        .iter()
        .filter(|name| name.ends_with(CDXJ) && name.as_str() != INDEX)
        .map(|name| folder.join(name))
        .collect();
    cdxj::merge(disk, &lines, &index).map_err(failed("write", &index))?;
    sync_folder(disk, folder)
}

/// The end of the last sealed file.
fn last_position(left: &Leftovers<'_>, names: &[String]) -> Result<Position, ArchiveError> {
    let sealed = names.iter().filter(|name| name.ends_with(WARC));
    let ours = sealed.filter_map(|name| Some((name::serial(name, left.prefix)?, name)));
    let Some((serial, name)) = ours.max() else { return Ok(Position::default()) };
    Ok(Position { serial, end: left.length(name)? })
}

fn list(disk: &dyn Disk, folder: &Path) -> Result<Vec<String>, ArchiveError> {
    disk.list(folder).map_err(failed("list", folder))
}

/// New and renamed files are safe once their folder is.
fn sync_folder(disk: &dyn Disk, folder: &Path) -> Result<(), ArchiveError> {
    disk.sync_folder(folder).map_err(failed("sync", folder))
}
