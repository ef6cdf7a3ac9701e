//! How often results were opened, by page: counted on this machine, told to nobody. What people
//! open is worth visiting again sooner.
//!
//! One file in the crawl's folder, which only grows: a record a click. Several processes may count,
//! one at a time: whoever uses the file locks its folder, and reads what the others have added
//! before it says anything. When the file holds much more than it says it is written anew. A click
//! survives a kill; a power cut may take the last ones.
//!
//! No crawl depends on it. A file that cannot be read counts as none: the next click sets it aside,
//! and a takedown removes it.

mod error;
mod record;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use rhumb_disk::{DiskFile, SharedDisk};
use rhumb_web::CanonUrl;

pub use error::ClicksError;
use record::{HEAD_BYTES, Head, Record};

/// Its name in the crawl's folder.
const FILE: &str = "clicks";
/// Its name while it is written anew.
const NEW: &str = "clicks.new";
/// The name of one that could not be read.
const ASIDE: &str = "clicks.aside";
/// Pages that are remembered; beyond this the rarest go.
pub const PAGES_MAX: usize = 50_000;
/// Bytes of their URLs.
const URLS_BYTES_MAX: usize = 16 << 20;
/// Of those bounds, so many eighths stay when one is reached.
const STAY_EIGHTHS: usize = 7;
/// Records that are always worth their room.
const RECORDS_MIN: u64 = 1_024;
/// Bytes that are read at once.
const PIECE_BYTES: usize = 1 << 20;

/// The clicks of a crawl.
#[derive(Debug)]
pub struct Clicks {
    disk: SharedDisk,
    folder: PathBuf,
    known: Mutex<Known>,
}

/// What was read so far.
#[derive(Debug, Default)]
struct Known {
    /// Which file it was.
    head: Option<Head>,
    /// How far it was read.
    end: u64,
    records: u64,
    counts: HashMap<String, u64>,
    /// Bytes of the URLs.
    bytes: usize,
    /// Records were passed over, and nobody knows what they say.
    is_damaged: bool,
}

/// What is known, for as long as no other process uses the file.
#[derive(Debug)]
struct Held<'a> {
    known: MutexGuard<'a, Known>,
    _lock: File,
}

impl Known {
    fn add(&mut self, url: String, count: u64) {
        self.records += 1;
        let length = url.len();
        let sum = self.counts.entry(url).or_insert_with(|| {
            self.bytes += length;
            0
        });
        *sum = sum.saturating_add(count);
    }

    /// Whether the file should be written anew.
    fn is_wasteful(&self) -> bool {
        let pages = u64::try_from(self.counts.len()).expect("a length fits 64 bits");
        self.records > (2 * pages).max(RECORDS_MIN)
            || self.counts.len() > PAGES_MAX
            || self.bytes > URLS_BYTES_MAX
    }

    /// The most opened first, and of equals in the order of the alphabet.
    fn ranked(&self) -> Vec<(&str, u64)> {
        let mut all: Vec<_> = self.counts.iter().map(|(url, n)| (url.as_str(), *n)).collect();
        all.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        all
    }

    /// What stays when it is written anew.
    fn kept(&self) -> Vec<(&str, u64)> {
        let mut ranked = self.ranked();
        if self.counts.len() > PAGES_MAX || self.bytes > URLS_BYTES_MAX {
            let mut bytes = 0;
            let fits = |(url, _): &(&str, u64)| {
                bytes += url.len();
                bytes <= URLS_BYTES_MAX / 8 * STAY_EIGHTHS
            };
            ranked = ranked.into_iter().take_while(fits).collect();
            ranked.truncate(PAGES_MAX / 8 * STAY_EIGHTHS);
        }
        ranked
    }
}

impl Clicks {
    /// Those of the crawl in a folder; none, if there is no file yet. What a crash left behind its
    /// last whole record is cut off.
    pub fn open(folder: &Path) -> Result<Self, ClicksError> {
        Self::open_on(rhumb_disk::real(), folder)
    }

    fn open_on(disk: SharedDisk, folder: &Path) -> Result<Self, ClicksError> {
        let clicks = Self::on(disk, folder);
        let Held { mut known, _lock } = clicks.hold()?;
        clicks.catch_up(&mut known)?;
        if known.is_wasteful() {
            clicks.rewrite(&mut known, |_| true)?;
        }
        drop(known);
        Ok(clicks)
    }

    /// Nothing is read yet.
    fn on(disk: SharedDisk, folder: &Path) -> Self {
        Self { disk, folder: folder.to_owned(), known: Mutex::default() }
    }

    /// A result was opened.
    pub fn count(&self, url: &CanonUrl) -> Result<(), ClicksError> {
        let Held { mut known, _lock } = self.hold()?;
        let mut file = self.catch_up(&mut known)?;
        if file.is_none() {
            self.set_aside()?;
            file = self.rewrite(&mut known, |_| true)?;
        }
        let path = self.path();
        let gone = || ClicksError::io("open", &path)(io::ErrorKind::NotFound.into());
        let mut file = file.ok_or_else(gone)?;
        let record = record::encode(url.as_str(), 1);
        file.append(&record).map_err(ClicksError::io("write", &path))?;
        self.read_on(&*file, &mut known)?;
        if known.is_wasteful() {
            self.rewrite(&mut known, |_| true)?;
        }
        Ok(())
    }

    /// How often a page was opened.
    pub fn of(&self, url: &CanonUrl) -> Result<u64, ClicksError> {
        let Held { mut known, _lock } = self.hold()?;
        self.catch_up(&mut known)?;
        Ok(known.counts.get(url.as_str()).copied().unwrap_or_default())
    }

    /// The pages that were opened most, and how often.
    pub fn most(&self, count: usize) -> Result<Vec<(String, u64)>, ClicksError> {
        let Held { mut known, _lock } = self.hold()?;
        self.catch_up(&mut known)?;
        let ranked = known.ranked().into_iter().take(count);
        Ok(ranked.map(|(url, n)| (url.to_owned(), n)).collect())
    }

    /// Takes pages out of those of a crawl, and no word of them is left afterwards: a file from
    /// which they cannot be taken is removed.
    pub(crate) fn forget(
        folder: &Path,
        is_forgotten: impl Fn(&str) -> bool,
    ) -> Result<(), ClicksError> {
        let clicks = Self::on(rhumb_disk::real(), folder);
        let Held { mut known, _lock } = clicks.hold()?;
        clicks.remove(NEW)?;
        clicks.remove(ASIDE)?;
        if !matches!(clicks.weed(&mut known, is_forgotten), Ok(true)) {
            clicks.remove(FILE)?;
        }
        let reach = clicks.disk.sync_folder(folder);
        reach.map_err(ClicksError::io("sync", folder))
    }

    /// Writes the file anew unless all of it may stay, and says whether there is one that can be
    /// read.
    fn weed(
        &self,
        known: &mut Known,
        is_forgotten: impl Fn(&str) -> bool,
    ) -> Result<bool, ClicksError> {
        let file = self.catch_up(known)?;
        if known.is_damaged || known.counts.keys().any(|url| is_forgotten(url)) {
            self.rewrite(known, |url| !is_forgotten(url))?;
        }
        Ok(file.is_some())
    }

    /// Waits until no other thread and no other process uses the file. The folder is locked, and
    /// not the file: that one is replaced now and then.
    fn hold(&self) -> Result<Held<'_>, ClicksError> {
        // After a panic it may hold less than the file, which is read again.
        let known = self.known.lock().unwrap_or_else(|poisoned| {
            let mut known = PoisonError::into_inner(poisoned);
            *known = Known::default();
            known
        });
        let lock = File::open(&self.folder).and_then(|folder| folder.lock().map(|()| folder));
        let lock = lock.map_err(ClicksError::io("lock", &self.folder))?;
        Ok(Held { known, _lock: lock })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Reads what is new in the file, and cuts off what is no record; none, if there is no file or
    /// none that can be read.
    fn catch_up(&self, known: &mut Known) -> Result<Option<Box<dyn DiskFile>>, ClicksError> {
        let path = self.path();
        let is_there = self.disk.exists(&path).map_err(ClicksError::io("find", &path))?;
        let opened = match is_there.then(|| self.disk.open(&path)) {
            Some(Err(error)) if error.kind() == io::ErrorKind::PermissionDenied => None,
            opened => opened.transpose().map_err(ClicksError::io("open", &path))?,
        };
        let mut bytes = [0; HEAD_BYTES];
        let read = opened.as_ref().map_or(Ok(0), |file| file.read_at(0, &mut bytes));
        let read = read.map_err(ClicksError::io("read", &path))?;
        let (Some(mut file), Some(head)) = (opened, Head::parse(&bytes[..read])) else {
            *known = Known::default();
            return Ok(None);
        };
        let length = file.length().map_err(ClicksError::io("read", &path))?;
        if known.head != Some(head) || known.end > length {
            let end = u64::try_from(HEAD_BYTES).expect("a length fits 64 bits");
            *known = Known { head: Some(head), end, ..Known::default() };
        }
        self.read_on(&*file, known)?;
        if known.end < length {
            file.cut(known.end).map_err(ClicksError::io("cut", &path))?;
        }
        Ok(Some(file))
    }

    /// Takes in all records behind what is known, as far as they go.
    fn read_on(&self, file: &dyn DiskFile, known: &mut Known) -> Result<(), ClicksError> {
        let path = self.path();
        let length = file.length().map_err(ClicksError::io("read", &path))?;
        let left = usize::try_from(length.saturating_sub(known.end)).unwrap_or(PIECE_BYTES);
        let mut piece = vec![0; left.min(PIECE_BYTES)];
        loop {
            let read = file.read_at(known.end, &mut piece);
            let read = read.map_err(ClicksError::io("read", &path))?;
            let mut rest = &piece[..read];
            while let Some((record, behind)) = record::decode(rest) {
                match record {
                    Record::Opened(url, count) => known.add(url.to_owned(), count),
                    Record::Damaged => known.is_damaged = true,
                }
                rest = behind;
            }
            let taken = read - rest.len();
            if taken == 0 {
                return Ok(());
            }
            known.end += u64::try_from(taken).expect("a length fits 64 bits");
        }
    }

    /// Writes the file anew, with the pages that may stay: a record for each.
    fn rewrite(
        &self,
        known: &mut Known,
        stays: impl Fn(&str) -> bool,
    ) -> Result<Option<Box<dyn DiskFile>>, ClicksError> {
        self.remove(NEW)?;
        let (path, new) = (self.path(), self.folder.join(NEW));
        let mut bytes = Head::now(SystemTime::now()).encode();
        for (url, count) in known.kept().into_iter().filter(|(url, _)| stays(url)) {
            bytes.extend(record::encode(url, count));
        }
        let write = || {
            let mut file = self.disk.create(&new)?;
            file.append(&bytes)?;
            file.sync()?;
            self.disk.rename(&new, &path)?;
            self.disk.sync_folder(&self.folder)
        };
        write().map_err(ClicksError::io("write", &new))?;
        *known = Known::default();
        self.catch_up(known)
    }

    /// Gives a file that cannot be read another name.
    fn set_aside(&self) -> Result<(), ClicksError> {
        let path = self.path();
        absent_is_fine(self.disk.rename(&path, &self.folder.join(ASIDE)))
            .map_err(ClicksError::io("rename", &path))
    }

    /// Removes a file of the folder; none is fine.
    fn remove(&self, name: &str) -> Result<(), ClicksError> {
        let path = self.folder.join(name);
        absent_is_fine(self.disk.remove(&path)).map_err(ClicksError::io("remove", &path))
    }
}

fn absent_is_fine(done: io::Result<()>) -> io::Result<()> {
    done.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
