//! The links of all documents, as they were read: a file that only grows, in blocks.

mod block;
mod scan;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use rhumb_disk::{DiskFile, SharedDisk};
use rhumb_web::UrlKey;

use self::block::Draft;
pub(crate) use self::scan::{Scan, Word};
use crate::width::wide;
use crate::{Graph, RankError, Ranks, fresh, graph, standing};

/// The most links that are kept of one document; further ones are not counted.
pub const LINKS_MAX: usize = 65_536;
/// A block is written once it holds so many numbers: large enough that a site's navigation, which
/// is on every page of it, is written once for many pages.
const BLOCK_NUMBERS: usize = 65_536;

const MAGIC: [u8; 8] = *b"rhlinks\x01";
const NAME: &str = "links";

/// A document, and where it belongs: hashes of its host and port, and of its registrable domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source {
    /// The document.
    pub key: UrlKey,
    /// Its host and port.
    pub site: u64,
    /// Its registrable domain.
    pub domain: u64,
}

/// What a document says now. The last word of a document counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// It links to these, in any order.
    Links(&'a [UrlKey]),
    /// It is another document: it leads there, or it says the same.
    Moved(UrlKey),
    /// It is no document any more.
    Gone,
}

/// The file of all links. It has one writer; whoever builds a graph reads it meanwhile.
#[derive(Debug)]
pub struct LinkStore {
    path: PathBuf,
    file: Box<dyn DiskFile>,
    draft: Draft,
    /// What has been handed to the file.
    written: u64,
    /// What has reached the disk.
    end: u64,
    is_given_up: bool,
}

impl LinkStore {
    /// Opens the store of a folder and cuts it back to what was committed; 0 begins a new one.
    pub fn open(disk: &SharedDisk, folder: &Path, end: u64) -> Result<Self, RankError> {
        disk.create_folder(folder).map_err(RankError::disk("make the folder", folder))?;
        remove_newer(disk, folder, end)?;
        let path = folder.join(NAME);
        let file = if end == 0 { begin(disk, folder, &path)? } else { reopen(disk, &path, end)? };
        let end = end.max(wide(MAGIC.len()));
        let draft = Draft::default();
        Ok(Self { path, file, draft, written: end, end, is_given_up: false })
    }

    /// Notes what a document says. It is durable after the next [`Self::sync`].
    pub fn append(&mut self, source: Source, said: &Said<'_>) -> Result<(), RankError> {
        self.draft.push(source, said);
        if self.draft.numbers() >= BLOCK_NUMBERS { self.write() } else { Ok(()) }
    }

    /// All that was noted reaches the disk. Returns the end to be committed.
    pub fn sync(&mut self) -> Result<u64, RankError> {
        self.write()?;
        if self.written > self.end {
            let synced = self.file.sync().map_err(RankError::disk("sync", &self.path));
            self.is_given_up = synced.is_err();
            synced?;
            self.end = self.written;
        }
        Ok(self.end)
    }

    /// Where the last sync ended.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// How long the file is.
    pub fn size_bytes(&self) -> u64 {
        self.written
    }

    fn write(&mut self) -> Result<(), RankError> {
        if self.is_given_up {
            return Err(RankError::GivenUp { path: self.path.clone() });
        }
        if !self.draft.is_empty() {
            let block = self.draft.encode();
            let written = self.file.append(&block).map_err(RankError::disk("write", &self.path));
            self.is_given_up = written.is_err();
            written?;
            self.written += wide(block.len());
        }
        Ok(())
    }
}

/// Removes a graph or ranks of more than was committed, as what the store says there from now on
/// is something else; and damaged ones, as they can be computed again.
fn remove_newer(disk: &SharedDisk, folder: &Path, end: u64) -> Result<(), RankError> {
    let graph = Graph::open(disk, folder).map(|graph| graph.map(|graph| graph.built_at()));
    let ranks = Ranks::newest_built_at(disk, folder);
    for (found, name) in [(graph, graph::NAME), (ranks, standing::NAME)] {
        let is_stale = match found {
            Ok(built_at) => built_at.is_some_and(|built_at| built_at > end),
            Err(RankError::Damaged { .. } | RankError::Format { .. }) => true,
            Err(error) => return Err(error),
        };
        if is_stale {
            fresh::remove(disk, &folder.join(name))?;
        }
    }
    Ok(())
}

fn begin(disk: &SharedDisk, folder: &Path, path: &Path) -> Result<Box<dyn DiskFile>, RankError> {
    let mut file = fresh::create(disk, path)?;
    file.append(&MAGIC).map_err(RankError::disk("write", path))?;
    file.sync().map_err(RankError::disk("sync", path))?;
    disk.sync_folder(folder).map_err(RankError::disk("sync the folder", folder))?;
    Ok(file)
}

fn reopen(disk: &SharedDisk, path: &Path, end: u64) -> Result<Box<dyn DiskFile>, RankError> {
    let short = |length| RankError::Short { path: path.to_owned(), length, end };
    if !disk.exists(path).map_err(RankError::disk("look for", path))? {
        return Err(short(0));
    }
    let mut file = disk.open(path).map_err(RankError::disk("open", path))?;
    let found = file.length().map_err(RankError::disk("measure", path))?;
    if found < end {
        return Err(short(found));
    }
    check_begin(&*file, path)?;
    if end < wide(MAGIC.len()) {
        return Err(RankError::damaged(path, "its committed end lies within its beginning"));
    }
    if end < found {
        file.cut(end).map_err(RankError::disk("cut", path))?;
    }
    Ok(file)
}

fn check_begin(file: &dyn DiskFile, path: &Path) -> Result<(), RankError> {
    let mut magic = [0; 8];
    let count = file.read_at(0, &mut magic).map_err(RankError::disk("read", path))?;
    RankError::check_magic(path, &magic[..count], MAGIC)
}
