//! The rows on disk: a fjall database.

use std::fmt;
use std::fs;
use std::io;
use std::ops::Bound;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use rhumb_web::UrlKey;

use super::keyed::KeyedSet;
use super::row::Row;
use crate::IndexError;

/// What a keyspace gathers before it writes a file. A constant, because fjall keeps the value of
/// the day a keyspace was made.
const WRITE_BUFFER_BYTES: u64 = 8 << 20;
/// The smallest block cache.
const CACHE_BYTES_MIN: usize = 1 << 20;
/// Journals are rows that are not in a file yet. The least that fjall allows.
const JOURNALS_BYTES: u64 = 64 << 20;
/// Open files of the table. The crawl needs its descriptors for connections.
const OPEN_FILES: usize = 64;
/// Marked keys that are given at once.
const MARKED_MAX: usize = 4_096;

/// The rows, and the keys that are marked.
pub(super) struct AnchorTable {
    folder: PathBuf,
    database: Database,
    rows: Keyspace,
    marks: Keyspace,
}

impl AnchorTable {
    /// Opens the table in a folder, or makes it.
    pub(super) fn open(folder: &Path, memory: usize) -> Result<Self, IndexError> {
        let failed = |reason: &dyn ToString| IndexError::Anchors {
            doing: "open",
            folder: folder.to_owned(),
            reason: reason.to_string(),
        };
        if !folder.try_exists().map_err(|error| failed(&error))? {
            make(folder).map_err(|error| failed(&error))?;
        }
        // fjall asserts some of what it reads from its journal.
        let opened = catch_unwind(|| open_database(folder, memory));
        let other = |what| IndexError::Other { folder: folder.to_owned(), what };
        let (database, rows, marks) = opened
            .map_err(|_| other("has a damaged file".to_owned()))?
            .map_err(|error| match error {
            fjall::Error::Locked => IndexError::InUse { folder: folder.to_owned() },
            fjall::Error::Io(_) | fjall::Error::Storage(fjall::LsmError::Io(_)) => failed(&error),
            error => other(format!("is damaged ({error})")),
        })?;
        Ok(Self { folder: folder.to_owned(), database, rows, marks })
    }

    pub(super) fn get(&self, key: UrlKey) -> Result<Option<Row>, IndexError> {
        let value = self.rows.get(key.0.to_be_bytes()).map_err(|it| self.failed("read", &it))?;
        let row = value.map(|value| postcard::from_bytes(&value)).transpose();
        row.map_err(|error| self.failed("read a row of", &error))
    }

    /// Writes rows and marks, and they reach the disk.
    pub(super) fn write(
        &self,
        mut rows: Vec<(UrlKey, &Row)>,
        marks: &KeyedSet<UrlKey>,
    ) -> Result<(), IndexError> {
        if rows.is_empty() && marks.is_empty() {
            return Ok(());
        }
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncAll));
        rows.sort_unstable_by_key(|(key, _)| *key);
        for (key, row) in rows {
            let value = postcard::to_stdvec(row).expect("plain data can be written");
            batch.insert(&self.rows, key.0.to_be_bytes(), value);
        }
        for key in marks {
            batch.insert(&self.marks, key.0.to_be_bytes(), []);
        }
        batch.commit().map_err(|error| self.failed("write", &error))
    }

    pub(super) fn unmark(&self, keys: &[UrlKey]) -> Result<(), IndexError> {
        if keys.is_empty() {
            return Ok(());
        }
        let mut batch = self.database.batch();
        for key in keys {
            batch.remove(&self.marks, key.0.to_be_bytes());
        }
        batch.commit().map_err(|error| self.failed("write", &error))
    }

    pub(super) fn marked(&self, after: Option<UrlKey>) -> Result<Vec<UrlKey>, IndexError> {
        let from = after.map_or(Bound::Unbounded, |key| Bound::Excluded(key.0.to_be_bytes()));
        let found = self.marks.range((from, Bound::Unbounded)).take(MARKED_MAX);
        let keys = found.map(|item| {
            let key = item.key().map_err(|error| self.failed("read", &error))?;
            let bytes = <[u8; 8]>::try_from(&*key)
                .map_err(|_| self.failed("read", &"a mark is not a key"))?;
            Ok(UrlKey(u64::from_be_bytes(bytes)))
        });
        keys.collect()
    }

    fn failed(&self, doing: &'static str, reason: &dyn ToString) -> IndexError {
        IndexError::Anchors { doing, folder: self.folder.clone(), reason: reason.to_string() }
    }
}

impl fmt::Debug for AnchorTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnchorTable").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Makes the database beside its place, and gives it its name once it is whole: fjall cannot go on
/// where it was killed while it made one.
fn make(folder: &Path) -> Result<(), fjall::Error> {
    let beside = folder.with_extension("new");
    match fs::remove_dir_all(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    drop(open_database(&beside, 0)?);
    fs::rename(&beside, folder)?;
    let above = folder.parent().unwrap_or(Path::new("."));
    Ok(fs::File::open(above)?.sync_all()?)
}

fn open_database(
    folder: &Path,
    memory: usize,
) -> Result<(Database, Keyspace, Keyspace), fjall::Error> {
    let cache = memory.max(CACHE_BYTES_MIN);
    let database = Database::builder(folder)
        .cache_size(u64::try_from(cache).expect("a length fits 64 bits"))
        .worker_threads(1)
        .max_cached_files(Some(OPEN_FILES))
        .max_journaling_size(JOURNALS_BYTES)
        .open()?;
    let options = || KeyspaceCreateOptions::default().max_memtable_size(WRITE_BUFFER_BYTES);
    let rows = database.keyspace("rows", options)?;
    let marks = database.keyspace("marks", options)?;
    Ok((database, rows, marks))
}
