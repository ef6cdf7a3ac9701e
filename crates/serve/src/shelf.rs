//! The index as it lies on disk now: followed through commits, and when another takes its place.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::SystemTime;

use rhumb_index::{IndexError, Searcher};

/// Opens the index when it is needed, and sees what is new.
#[derive(Debug)]
pub(crate) struct Shelf {
    folder: PathBuf,
    held: Mutex<Option<Held>>,
    /// Whoever looks at the next commit has this; others go on with the one before.
    looking: Mutex<()>,
}

#[derive(Clone, Debug)]
struct Held {
    searcher: Arc<Searcher>,
    stamp: Stamp,
}

/// Which index this is, and which of its commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    folder: u64,
    changed: SystemTime,
}

impl Stamp {
    fn of(folder: &Path) -> Option<Self> {
        let changed = fs::metadata(folder.join("words/meta.json")).ok()?.modified().ok()?;
        Some(Self { folder: fs::metadata(folder).ok()?.ino(), changed })
    }
}

impl Shelf {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, held: Mutex::new(None), looking: Mutex::new(()) }
    }

    /// The index with its last commit; or the one before, while somebody else opens the last.
    pub(crate) fn searcher(&self) -> Result<Arc<Searcher>, IndexError> {
        let stamp = Stamp::of(&self.folder);
        let held = self.held().clone();
        // Of an index that is gone nothing is shown: something in it was forgotten.
        let before = held.filter(|held| stamp.is_some_and(|it| it.folder == held.stamp.folder));
        if let (Some(held), Some(stamp)) = (&before, stamp)
            && held.stamp == stamp
        {
            return Ok(Arc::clone(&held.searcher));
        }
        let _looking = match (self.looking.try_lock(), &before) {
            (Ok(looking), _) => looking,
            (Err(TryLockError::WouldBlock), Some(held)) => return Ok(Arc::clone(&held.searcher)),
            _ => self.looking.lock().unwrap_or_else(PoisonError::into_inner),
        };
        let searcher = match before {
            Some(held) => {
                held.searcher.reload()?;
                held.searcher
            }
            None => Arc::new(Searcher::open(&self.folder)?),
        };
        *self.held() = stamp.map(|stamp| Held { searcher: Arc::clone(&searcher), stamp });
        Ok(searcher)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
