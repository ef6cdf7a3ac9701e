//! The index as it lies on disk now: followed through commits, and when another takes its place.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rhumb_index::{IndexError, Searcher};

/// Whether there is something new is looked at this often.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Opens the index when it is needed, and sees what is new.
#[derive(Debug)]
pub(crate) struct Shelf {
    folder: PathBuf,
    held: Mutex<Option<Held>>,
}

#[derive(Debug)]
struct Held {
    searcher: Arc<Searcher>,
    stamp: Stamp,
    looked_at: Instant,
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
        Self { folder, held: Mutex::new(None) }
    }

    /// The index, with its last commit or the one of a second ago.
    pub(crate) fn searcher(&self) -> Result<Arc<Searcher>, IndexError> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = &*held
            && held.looked_at.elapsed() < LOOK_EVERY
        {
            return Ok(Arc::clone(&held.searcher));
        }
        let stamp = Stamp::of(&self.folder);
        let searcher = match (held.take(), stamp) {
            (Some(was), Some(stamp)) if was.stamp == stamp => was.searcher,
            (Some(was), Some(stamp)) if was.stamp.folder == stamp.folder => {
                was.searcher.reload()?;
                was.searcher
            }
            _ => Arc::new(Searcher::open(&self.folder)?),
        };
        // Without a stamp it was just opened, and is looked at again soon.
        if let Some(stamp) = stamp {
            let looked_at = Instant::now();
            *held = Some(Held { searcher: Arc::clone(&searcher), stamp, looked_at });
        }
        Ok(searcher)
    }
}
