//! The committer: one thread that appends to the archive what the workers encoded.
//!
//! A worker waits until its bytes are written before the partition hears of the fetch: the
//! archive goes before the log.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rhumb_archive::{Archive, ArchiveError, CrawlId, Digest, Earlier, Encoded, Encoder};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// Deposits that may wait to be written.
const DEPOSITS_MAX: usize = 256;
/// Digests that are remembered to store a payload once.
const PAYLOADS_MAX: usize = 1_000_000;
/// Encoders that are kept for the next one who needs one.
const ENCODERS_MAX: usize = 64;

/// Bytes to be written, and who waits for that.
#[derive(Debug)]
struct Deposit {
    encoded: Vec<Encoded>,
    written: oneshot::Sender<()>,
}

/// Where workers bring what is to be kept.
#[derive(Debug)]
pub(super) struct Counter {
    crawl: CrawlId,
    encoders: Mutex<Vec<Encoder>>,
    /// The payloads that are in the archive, by digest.
    payloads: Mutex<HashMap<Digest, Earlier>>,
    deposits: mpsc::Sender<Deposit>,
}

impl Counter {
    /// Encodes something with an encoder of the house.
    pub(super) fn encode<T>(&self, make: impl FnOnce(&mut Encoder) -> T) -> T {
        let mut pool = locked(&self.encoders);
        let mut encoder = pool.pop().unwrap_or_else(|| Encoder::new(self.crawl));
        drop(pool);
        let made = make(&mut encoder);
        let mut pool = locked(&self.encoders);
        if pool.len() < ENCODERS_MAX {
            pool.push(encoder);
        }
        made
    }

    /// The capture that first had this payload.
    pub(super) fn earlier(&self, digest: &Digest) -> Option<Earlier> {
        locked(&self.payloads).get(digest).cloned()
    }

    /// Hands bytes over, and waits until they are written; false if they could not be.
    pub(super) async fn deposit(&self, encoded: Vec<Encoded>) -> bool {
        let (written, is_written) = oneshot::channel();
        self.deposits.send(Deposit { encoded, written }).await.is_ok() && is_written.await.is_ok()
    }

    /// Lets later captures refer to this one, now that it is written.
    pub(super) fn publish(&self, digest: Digest, capture: Earlier) {
        let mut payloads = locked(&self.payloads);
        if payloads.len() < PAYLOADS_MAX {
            payloads.entry(digest).or_insert(capture);
        }
    }
}

/// Starts the thread; it seals the archive and ends once the counter is gone.
pub(super) fn start(
    crawl: CrawlId,
    mut archive: Archive,
) -> (Counter, JoinHandle<Result<(), ArchiveError>>) {
    let (deposits, mut inbox) = mpsc::channel::<Deposit>(DEPOSITS_MAX);
    let write = move || {
        let mut batch = Vec::with_capacity(DEPOSITS_MAX);
        while inbox.blocking_recv_many(&mut batch, DEPOSITS_MAX) > 0 {
            for encoded in batch.iter().flat_map(|deposit| &deposit.encoded) {
                archive.append(encoded)?;
            }
            archive.flush()?;
            for deposit in batch.drain(..) {
                // Whoever stopped waiting is told by the crawl's end.
                deposit.written.send(()).ok();
            }
        }
        archive.close()
    };
    let counter = Counter {
        crawl,
        encoders: Mutex::new(Vec::new()),
        payloads: Mutex::new(HashMap::new()),
        deposits,
    };
    (counter, tokio::task::spawn_blocking(write))
}

/// Takes a lock; what it guards is whole between statements.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
