//! Keeps the index of a crawl at rest complete while its pages are served: a crawl that ended
//! without an index is read, and one whose pages were forgotten is read anew.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::fault::Fault;
use crate::home::{Holder, Home};
use crate::{indexing, rest, tell};

/// Whether there is something to read is looked at this often.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// A thread that ends when this is dropped.
#[derive(Debug)]
pub(super) struct Keeper {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    pub(super) fn start(folder: PathBuf) -> Self {
        let (end, ended) = channel();
        let thread = std::thread::spawn(move || keep(&folder, &ended));
        Self { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It has nothing to tell but that it is over.
            drop(thread.join());
        }
    }
}

fn keep(folder: &Path, ended: &Receiver<()>) {
    // A fault is told once, and again only after it was gone.
    let mut is_failing = false;
    while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        match catch_up(folder) {
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
fn catch_up(folder: &Path) -> Result<(), Fault> {
    if rest::holder(folder)? != Holder::Nobody || indexing::is_current(folder)? {
        return Ok(());
    }
    // Somebody may be faster; then it is theirs to read.
    let Ok(Some((home, settings))) = Home::open(folder) else { return Ok(()) };
    indexing::catch_up(&home, settings)
}
