//! How often results were opened, by page: counted on this machine, told to nobody. What people
//! open is worth visiting again sooner.
//!
//! One file in the crawl's folder, which only grows: a record a click. Several processes may count
//! at once; each reads what the others have added before it says anything. When the file holds
//! much more than it says it is written anew, and whoever has it open notices. A click survives a
//! kill; a power cut may take the last ones.

mod error;
mod record;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use rhumb_disk::{DiskFile, SharedDisk};
use rhumb_web::CanonUrl;

pub use error::ClicksError;
use record::{HEAD_BYTES, Head};

/// Its name in the crawl's folder.
const FILE: &str = "clicks";
/// Its name while it is written anew.
const NEW: &str = "clicks.new";
/// Pages that are remembered; beyond this the rarest go.
pub const PAGES_MAX: usize = 50_000;
/// Bytes of their URLs.
const URLS_BYTES_MAX: usize = 16 << 20;
/// Of those bounds, so many eighths stay when one is reached.
const STAY_EIGHTHS: usize = 7;
/// Records that are always worth their room.
const RECORDS_MIN: u64 = 1_024;
/// Looks at a record that is not whole before it is taken for torn.
const LOOKS: usize = 100;
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
        let clicks = Self { disk, folder: folder.to_owned(), known: Mutex::default() };
        let mut known = clicks.known();
        clicks.catch_up(&mut known, true)?;
        if known.is_wasteful() {
            clicks.rewrite(&mut known, |_| true)?;
        }
        drop(known);
        Ok(clicks)
    }

    /// A result was opened.
    pub fn count(&self, url: &CanonUrl) -> Result<(), ClicksError> {
        let mut known = self.known();
        let mut file = self.catch_up(&mut known, true)?;
        if file.is_none() {
            self.rewrite(&mut known, |_| true)?;
            file = self.catch_up(&mut known, true)?;
        }
        let path = self.path();
        let gone = || ClicksError::io("open", &path)(io::ErrorKind::NotFound.into());
        let mut file = file.ok_or_else(gone)?;
        let record = record::encode(url.as_str(), 1);
        // One write at the end of the file, wherever that is by now: others may count as well.
        file.append(&record).map_err(ClicksError::io("write", &path))?;
        self.catch_up(&mut known, false)?;
        if known.is_wasteful() {
            self.rewrite(&mut known, |_| true)?;
        }
        Ok(())
    }

    /// How often a page was opened.
    pub fn of(&self, url: &CanonUrl) -> Result<u64, ClicksError> {
        let mut known = self.known();
        self.catch_up(&mut known, false)?;
        Ok(known.counts.get(url.as_str()).copied().unwrap_or_default())
    }

    /// The pages that were opened most, and how often.
    pub fn most(&self, count: usize) -> Result<Vec<(String, u64)>, ClicksError> {
        let mut known = self.known();
        self.catch_up(&mut known, false)?;
        let ranked = known.ranked().into_iter().take(count);
        Ok(ranked.map(|(url, n)| (url.to_owned(), n)).collect())
    }

    /// Takes pages out, of which no word is left afterwards.
    pub(crate) fn forget(&self, is_forgotten: impl Fn(&str) -> bool) -> Result<(), ClicksError> {
        let mut known = self.known();
        self.catch_up(&mut known, true)?;
        self.clear_up()?;
        if known.counts.keys().any(|url| is_forgotten(url)) {
            self.rewrite(&mut known, |url| !is_forgotten(url))?;
        }
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // After a panic it may hold less than the file, which is read again.
        self.known.lock().unwrap_or_else(|poisoned| {
            let mut known = PoisonError::into_inner(poisoned);
            *known = Known::default();
            known
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Reads what is new in the file, and may cut off what is no record; none, if there is no
    /// file.
    fn catch_up(
        &self,
        known: &mut Known,
        may_cut: bool,
    ) -> Result<Option<Box<dyn DiskFile>>, ClicksError> {
        let path = self.path();
        if !self.disk.exists(&path).map_err(ClicksError::io("find", &path))? {
            *known = Known::default();
            return Ok(None);
        }
        let mut file = self.disk.open(&path).map_err(ClicksError::io("open", &path))?;
        let mut bytes = [0; HEAD_BYTES];
        let read = file.read_at(0, &mut bytes).map_err(ClicksError::io("read", &path))?;
        let Some(head) = Head::parse(&bytes[..read], &path)? else {
            // It ends before its first record: a crash took the rest.
            *known = Known::default();
            return Ok(None);
        };
        let length = file.length().map_err(ClicksError::io("read", &path))?;
        if known.head != Some(head) || known.end > length {
            let end = u64::try_from(HEAD_BYTES).expect("a length fits 64 bits");
            *known = Known { head: Some(head), end, ..Known::default() };
        }
        self.read_on(&*file, known)?;
        if may_cut && known.end < length && self.is_torn(&*file, known)? {
            file.cut(known.end).map_err(ClicksError::io("cut", &path))?;
        }
        Ok(Some(file))
    }

    /// Whether what is behind the last whole record stays so: another process may be writing it.
    fn is_torn(&self, file: &dyn DiskFile, known: &mut Known) -> Result<bool, ClicksError> {
        let path = self.path();
        for _ in 0..LOOKS {
            std::thread::yield_now();
            self.read_on(file, known)?;
            if known.end >= file.length().map_err(ClicksError::io("read", &path))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes in all whole records behind what is known.
    fn read_on(&self, file: &dyn DiskFile, known: &mut Known) -> Result<(), ClicksError> {
        let path = self.path();
        let length = file.length().map_err(ClicksError::io("read", &path))?;
        let left = usize::try_from(length.saturating_sub(known.end)).unwrap_or(PIECE_BYTES);
        let mut piece = vec![0; left.min(PIECE_BYTES)];
        loop {
            let read = file.read_at(known.end, &mut piece);
            let read = read.map_err(ClicksError::io("read", &path))?;
            let mut rest = &piece[..read];
            while let Some((url, count, behind)) = record::decode(rest) {
                known.add(url.to_owned(), count);
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
    fn rewrite(&self, known: &mut Known, stays: impl Fn(&str) -> bool) -> Result<(), ClicksError> {
        self.clear_up()?;
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
        self.catch_up(known, false).map(drop)
    }

    /// Removes what a crash left of a file that was written anew.
    fn clear_up(&self) -> Result<(), ClicksError> {
        let new = self.folder.join(NEW);
        match self.disk.remove(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(ClicksError::io("remove", &new)(error))
            }
            _ => Ok(()),
        }
    }
}
