//! Tables in a fjall database.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fjall::compaction::Leveled;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable};

use super::journals::Journals;
use super::replacing::{mend, sync_above};
use super::{Batch, Rows, Table, Tables, TablesError};
use crate::log::Offset;

/// The keyspaces, in the order of [`Table::ALL`], and one for the offset.
const NAMES: [&str; 5] = ["meta", "sites", "robots", "urls", "offset"];

/// The only key of the keyspace of the offset.
const OFFSET_KEY: &[u8] = b"offset";

/// What a keyspace gathers before it writes a file. A constant, because fjall keeps the value of
/// the day a keyspace was made.
const WRITE_BUFFER_BYTES: u64 = 4 << 20;

/// The size of files. Merging larger ones takes more memory.
const FILE_BYTES: u64 = 8 << 20;

/// The block cache is this part of the memory: a batch passes through write buffers, which hold
/// all of it and what waits to be written.
const CACHE_SHARE: usize = 4;

/// The smallest block cache.
const CACHE_BYTES_MIN: usize = 1 << 20;

/// One that writes buffers to files, so that they do not grow while the other one merges files.
const WORKERS: usize = 2;

/// The least that fjall allows: journals are rows that are not in a file yet.
const JOURNALS_BYTES: u64 = 64 << 20;

/// At every opening fjall reads its last journal, item by item, though all of it may be in files:
/// 12 MB took a quarter of a second.
const JOURNAL_BYTES_READ: u64 = 2 << 20;

/// How long the removal of old journals is waited for.
const REMOVAL: Duration = Duration::from_secs(5);

/// A journal that is longer is ended when a buffer is written to a file.
const JOURNAL_BYTES_ENDED: u64 = 64_000_000;

/// What makes a journal long enough to be ended; no reader asks for it.
const PADDING_KEY: &[u8] = b"padding";
const PADDING_BYTES: usize = 1 << 20;

/// Open files of tables. The crawl needs its descriptors for connections.
const OPEN_FILES: usize = 64;

/// The tables of a crawl on disk: one fjall database, a keyspace per table.
pub struct FjallTables {
    folder: PathBuf,
    database: Database,
    keyspaces: [Keyspace; NAMES.len()],
    /// Behind the database, which is closed before they are put back.
    journals: Mutex<Journals>,
}

impl FjallTables {
    /// Opens the tables in a folder, or makes them; they hold about `memory` bytes at most.
    pub fn open(folder: &Path, memory: usize) -> Result<Self, TablesError> {
        let failed = |doing, reason: &dyn ToString| TablesError::Failed {
            doing,
            folder: folder.to_owned(),
            reason: reason.to_string(),
        };
        mend(folder).map_err(|error| failed("mend", &error))?;
        if is_absent(folder).map_err(|error| failed("find", &error))? {
            make(folder).map_err(|error| failed("make", &error))?;
        }
        if let Some(name) = missing_file(folder).map_err(|error| failed("list", &error))? {
            return Err(failed("open", &format!("{name} is missing")));
        }
        let mut journals = Journals::read(folder).map_err(|error| failed("read", &error))?;
        // fjall asserts some of what it reads from its journal.
        let database = catch_unwind(|| open_database(folder, memory))
            .map_err(|_| failed("open", &"a file is damaged"))?
            .map_err(|error| match error {
                fjall::Error::Locked => {
                    // They are written by another.
                    journals.forget();
                    TablesError::InUse { folder: folder.to_owned() }
                }
                error => failed("open", &error),
            })?;
        if let Some(name) = NAMES.iter().find(|name| !database.keyspace_exists(name)) {
            return Err(failed("open", &format!("the table {name} is missing")));
        }
        let keyspaces = keyspaces(&database).map_err(|error| failed("open", &error))?;
        journals.opened().map_err(|error| failed("read", &error))?;
        Ok(Self { folder: folder.to_owned(), database, keyspaces, journals: Mutex::new(journals) })
    }

    fn keyspace(&self, table: Table) -> &Keyspace {
        &self.keyspaces[table as usize]
    }

    fn forget_journals(&self) {
        self.journals.lock().unwrap_or_else(PoisonError::into_inner).forget();
    }

    fn failed(&self, doing: &'static str, error: &fjall::Error) -> TablesError {
        TablesError::Failed { doing, folder: self.folder.clone(), reason: error.to_string() }
    }
}

impl Tables for FjallTables {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, TablesError> {
        let value = self.keyspace(table).get(key).map_err(|error| self.failed("read", &error))?;
        Ok(value.map(|value| value.to_vec()))
    }

    fn range(&self, table: Table, prefix: &[u8]) -> Rows<'_> {
        let rows = self.database.snapshot().prefix(self.keyspace(table), prefix);
        Box::new(rows.map(|row| match row.into_inner() {
            Ok((key, value)) => Ok((key.to_vec(), value.to_vec())),
            Err(error) => Err(self.failed("read", &error)),
        }))
    }

    fn commit(&self, batch: Batch, offset: Offset) -> Result<(), TablesError> {
        batch.check()?;
        self.forget_journals();
        // fjall writes a batch to its journal between two marks with a checksum, and syncs it
        // before a row can be seen.
        let mut writing = self.database.batch().durability(Some(PersistMode::SyncAll));
        for change in batch.changes {
            match change.value {
                Some(value) => writing.insert(self.keyspace(change.table), change.key, value),
                None => writing.remove(self.keyspace(change.table), change.key),
            }
        }
        writing.insert(&self.keyspaces[Table::ALL.len()], OFFSET_KEY, offset.0.to_le_bytes());
        writing.commit().map_err(|error| self.failed("commit to", &error))
    }

    fn settle(&self) -> Result<(), TablesError> {
        let journals = journal_bytes(&self.folder);
        if journals <= JOURNAL_BYTES_READ {
            return Ok(());
        }
        self.forget_journals();
        let failed = |error| self.failed("settle", &error);
        let keyspace = &self.keyspaces[Table::ALL.len()];
        let padding = vec![0; PADDING_BYTES];
        // Until it is ended its bytes are not known exactly: one more than needed at the most.
        for _ in 0..=JOURNAL_BYTES_ENDED.saturating_sub(journals) >> 20 {
            keyspace.insert(PADDING_KEY, &padding).map_err(failed)?;
        }
        keyspace.remove(PADDING_KEY).map_err(failed)?;
        self.database.persist(PersistMode::SyncAll).map_err(failed)?;
        for keyspace in &self.keyspaces {
            keyspace.rotate_memtable_and_wait().map_err(failed)?;
        }
        // A thread of the library removes the journals that are written elsewhere now; if it takes
        // longer, the next reader has more to read.
        let begun = Instant::now();
        while journal_bytes(&self.folder) > JOURNAL_BYTES_READ && begun.elapsed() < REMOVAL {
            thread::sleep(REMOVAL / 1_000);
        }
        Ok(())
    }

    fn offset(&self) -> Result<Option<Offset>, TablesError> {
        let value = self.keyspaces[Table::ALL.len()].get(OFFSET_KEY);
        let Some(value) = value.map_err(|error| self.failed("read", &error))? else {
            return Ok(None);
        };
        let bytes = <[u8; 8]>::try_from(&*value).map_err(|_| TablesError::Failed {
            doing: "read the offset of",
            folder: self.folder.clone(),
            reason: format!("it has {} bytes", value.len()),
        })?;
        Ok(Some(Offset(u64::from_le_bytes(bytes))))
    }
}

impl fmt::Debug for FjallTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FjallTables").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// What the journals take on disk; they are made longer than they are.
pub(super) fn journal_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let journals = entries.filter(|entry| entry.path().extension().is_some_and(|it| it == "jnl"));
    journals.filter_map(|entry| entry.metadata().ok()).map(|meta| meta.blocks() * 512).sum()
}

fn is_absent(folder: &Path) -> io::Result<bool> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// Makes the database beside its place, and gives it its name once it is whole: fjall cannot go on
/// where it was killed while it made one.
fn make(folder: &Path) -> Result<(), fjall::Error> {
    let mut name = folder.as_os_str().to_owned();
    name.push(".new");
    let beside = PathBuf::from(name);
    match fs::remove_dir_all(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let database = open_database(&beside, 0)?;
    keyspaces(&database)?;
    drop(database);
    fs::rename(&beside, folder)?;
    Ok(sync_above(folder)?)
}

/// A file that every database has, and that is not there. fjall would make some of them anew, and
/// delete the rows that go with others.
fn missing_file(folder: &Path) -> io::Result<Option<String>> {
    if !folder.join("version").try_exists()? {
        return Ok(Some("version".to_owned()));
    }
    for number in 0..=NAMES.len() {
        let name = format!("keyspaces/{number}/current");
        if !folder.join(&name).try_exists()? {
            return Ok(Some(name));
        }
    }
    let mut journals = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".jnl"));
        journals.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    journals.sort_unstable();
    let gap = journals.windows(2).find(|pair| pair[0] + 1 != pair[1]).map(|pair| pair[0] + 1);
    let missing = gap.or(if journals.is_empty() { Some(0) } else { None });
    Ok(missing.map(|number| format!("{number}.jnl")))
}

fn open_database(folder: &Path, memory: usize) -> Result<Database, fjall::Error> {
    let cache = (memory / CACHE_SHARE).max(CACHE_BYTES_MIN);
    Database::builder(folder)
        .cache_size(u64::try_from(cache).expect("a length fits 64 bits"))
        .worker_threads(WORKERS)
        .max_cached_files(Some(OPEN_FILES))
        .max_journaling_size(JOURNALS_BYTES)
        .open()
}

fn keyspaces(database: &Database) -> Result<[Keyspace; NAMES.len()], fjall::Error> {
    let options = || {
        let files = Leveled::default().with_table_target_size(FILE_BYTES);
        KeyspaceCreateOptions::default()
            .max_memtable_size(WRITE_BUFFER_BYTES)
            .compaction_strategy(Arc::new(files))
    };
    let keyspace = |name| database.keyspace(name, options);
    let [meta, sites, robots, urls, offset] = NAMES.map(keyspace);
    Ok([meta?, sites?, robots?, urls?, offset?])
}
