//! Keeps the index of a crawl at rest complete while its pages are served: a crawl that ended
//! without an index is read, and one whose pages were forgotten is read anew.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use rhumb_index::Searches;

use crate::fault::Fault;
use crate::home::{Holder, Home};
use crate::{indexing, rest, tell};

/// Whether there is something to read is looked at this often.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// A thread that looks no more once this is dropped. What it reads at that moment is not waited
/// for: the index survives any end.
#[derive(Debug)]
pub(super) struct Keeper {
    is_reading: Arc<AtomicBool>,
    _end: Sender<()>,
}

impl Keeper {
    pub(super) fn start(folder: PathBuf, searches: Searches) -> Self {
        let (end, ended) = channel();
        let is_reading = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_reading);
        drop(std::thread::spawn(move || keep(&folder, &searches, &told, &ended)));
        Self { is_reading, _end: end }
    }

    /// Tells whether it reads at the moment: then the crawl is its own.
    pub(super) fn is_reading(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_reading)
    }
}

fn keep(folder: &Path, searches: &Searches, is_reading: &AtomicBool, ended: &Receiver<()>) {
    // A fault is told once, and again only after it was gone.
    let mut is_failing = false;
    while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        match catch_up(folder, searches, is_reading) {
            Ok(()) => is_failing = false,
            Err(Fault::Loud { what, .. }) if !is_failing => {
                tell(&format!("warning: what is new is not found: {what}"));
                is_failing = true;
            }
            Err(_) => {}
        }
    }
}

/// Reads what a crawl at rest has and its index has not.
fn catch_up(folder: &Path, searches: &Searches, is_reading: &AtomicBool) -> Result<(), Fault> {
    if rest::holder(folder)? != Holder::Nobody || indexing::is_current(folder)? {
        return Ok(());
    }
    // Somebody may be faster; then it is theirs to read.
    let Ok(Some((home, settings))) = Home::open(folder) else { return Ok(()) };
    is_reading.store(true, Ordering::Relaxed);
    let caught_up = indexing::catch_up(&home, settings, searches.clone());
    is_reading.store(false, Ordering::Relaxed);
    caught_up
}
