//! The folder of archive files: one is open and only grows; the others are sealed.

mod file;
mod recover;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use thiserror::Error;

use self::file::OpenFile;
use crate::cdxj;
use crate::encode::{Encoded, Encoder};
use crate::id::CrawlId;

/// The merged index of all sealed files.
const INDEX: &str = "index.cdxj";
/// The end of a sealed file's name.
const WARC: &str = ".warc.gz";
/// The end of its index's name.
const CDXJ: &str = ".cdxj";
/// What a name ends in while the file grows.
const OPEN: &str = ".open";
/// What the name of a file ends in that was set aside, because it may hold more than can be read.
const DAMAGED: &str = ".damaged";

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
    folder: PathBuf,
    settings: ArchiveSettings,
    encoder: Encoder,
    next_serial: u32,
    open: Option<OpenFile>,
    is_poisoned: bool,
}

impl Archive {
    /// Opens a folder, new or old. Files that an earlier run left open are cut back to their
    /// last whole record and sealed; what comes next goes into a new file. Where records may lie
    /// behind damage that cannot be read past, the file as it was stays beside it as `.damaged`.
    pub fn open(folder: &Path, settings: ArchiveSettings) -> Result<Self, ArchiveError> {
        fs::create_dir_all(folder).map_err(failed("create", folder))?;
        recover::close_orphans(folder)?;
        let last = names(folder)?.iter().filter_map(|name| serial(name, &settings.prefix)).max();
        let next_serial = last.map_or(0, |last| last.saturating_add(1));
        let encoder = Encoder::new(settings.crawl);
        let folder = folder.to_owned();
        Ok(Self { folder, settings, encoder, next_serial, open: None, is_poisoned: false })
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
        let index = self.folder.join(INDEX);
        let lines: Vec<PathBuf> = names(&self.folder)?
            .iter()
            .filter(|name| name.ends_with(CDXJ) && name.as_str() != INDEX)
            .map(|name| self.folder.join(name))
            .collect();
        cdxj::merge(&lines, &index).map_err(failed("write", &index))?;
        sync_folder(&self.folder)
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
        Ok(Placed { file: Arc::clone(&file.name), offset, length })
    }

    /// A new file, which begins with what it says of itself.
    fn begin_file(&mut self, began: SystemTime) -> Result<OpenFile, ArchiveError> {
        let prefix = &self.settings.prefix;
        let mut file = OpenFile::create(&self.folder, prefix, self.next_serial, began)?;
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

/// The names in a folder, sorted.
fn names(folder: &Path) -> Result<BTreeSet<String>, ArchiveError> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(failed("list", folder))? {
        let entry = entry.map_err(failed("list", folder))?;
        names.extend(entry.file_name().into_string().ok());
    }
    Ok(names)
}

/// The serial number in a name: `rhumb-20260203040506-00017.warc.gz`.
fn serial(name: &str, prefix: &str) -> Option<u32> {
    let rest = name.strip_prefix(prefix)?.strip_prefix('-')?;
    let (_, rest) = rest.split_once('-')?;
    rest.split('.').next()?.parse().ok()
}

/// New and renamed files are safe once their folder is.
fn sync_folder(folder: &Path) -> Result<(), ArchiveError> {
    let synced = fs::File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(failed("sync", folder))
}
