//! The committer: one thread that writes, in one order, what the workers and the desk bring.
//!
//! A worker's records are written before the desk hears of the fetch, and the desk's facts after
//! that: the archive goes before the log. Fetches reach the desk in the order of their records,
//! so the log always knows a beginning of the archive, and what is behind it can be cut off.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rhumb_archive::{CrawlId, Digest, Earlier, Encoded, Encoder};
use rhumb_web::{Hold, PartitionId, Tick};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::desk::Notice;
use super::keeping::guarded;
use super::worker::Arrival;
use crate::partition::Fact;
use crate::store::{Mark, Snapshot, Store, StoreError};

/// Digests that are remembered to store a payload once.
const PAYLOADS_MAX: usize = 1_000_000;
/// Encoders that are kept for the next one who needs one.
const ENCODERS_MAX: usize = 64;
/// Pieces of work that are written in one go.
const BATCH_MAX: usize = 1_024;
/// How long the thread sleeps when nothing is to be synced.
const IDLE: Duration = Duration::from_hours(1);

/// What is to be written.
#[derive(Debug)]
enum Work {
    /// Records, and the fetch that brought them; later captures may refer to it.
    Deposit {
        records: Vec<Encoded>,
        arrival: Box<Arrival>,
        original: Option<(Digest, Earlier)>,
        /// The memory that the body was granted.
        hold: Hold,
    },
    /// Facts of a turn.
    Facts(PartitionId, Tick, Vec<Fact>),
    /// A checkpoint of everything before it.
    Checkpoint(Box<Snapshot>),
    /// A checkpoint is on the disk.
    Trim(Mark),
}

/// The payloads that are in the archive, by digest.
type Payloads = Arc<Mutex<HashMap<Digest, Earlier>>>;

/// Where workers and the desk bring what is to be kept. The thread ends once it is gone.
#[derive(Debug)]
pub(super) struct Counter {
    crawl: CrawlId,
    encoders: Mutex<Vec<Encoder>>,
    payloads: Payloads,
    work: Sender<Work>,
    /// Pieces of work that are not written yet.
    lag: Arc<AtomicUsize>,
    log_end: Arc<AtomicU64>,
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

    /// Hands records over; the desk hears of the fetch once they are written.
    pub(super) fn deposit(
        &self,
        records: Vec<Encoded>,
        arrival: Arrival,
        original: Option<(Digest, Earlier)>,
        hold: Hold,
    ) {
        self.bring(Work::Deposit { records, arrival: Box::new(arrival), original, hold });
    }

    /// Hands the facts of a turn over.
    pub(super) fn log(&self, partition: PartitionId, at: Tick, facts: Vec<Fact>) {
        if !facts.is_empty() {
            self.bring(Work::Facts(partition, at, facts));
        }
    }

    pub(super) fn checkpoint(&self, snapshot: Snapshot) {
        self.bring(Work::Checkpoint(Box::new(snapshot)));
    }

    pub(super) fn trim(&self, mark: Mark) {
        self.bring(Work::Trim(mark));
    }

    /// How much is not written yet.
    pub(super) fn lag(&self) -> usize {
        self.lag.load(Ordering::Relaxed)
    }

    /// Bytes of log that were ever written.
    pub(super) fn log_end(&self) -> u64 {
        self.log_end.load(Ordering::Relaxed)
    }

    fn bring(&self, work: Work) {
        self.lag.fetch_add(1, Ordering::Relaxed);
        // It is gone only when a write failed: the crawl ends by that.
        self.work.send(work).ok();
    }
}

/// The thread's side.
struct Committer {
    store: Store,
    work: Receiver<Work>,
    notices: mpsc::Sender<Notice>,
    payloads: Payloads,
    lag: Arc<AtomicUsize>,
    log_end: Arc<AtomicU64>,
    durability: Duration,
    /// Since when something is not synced.
    unsynced: Option<Instant>,
}

/// Starts the thread; it seals the archive and ends once the counter is gone.
pub(super) fn start(
    crawl: CrawlId,
    store: Store,
    durability: Duration,
    notices: mpsc::Sender<Notice>,
) -> (Counter, JoinHandle<Result<(), StoreError>>) {
    let (sender, work) = channel();
    let payloads = Payloads::default();
    let lag = Arc::new(AtomicUsize::new(0));
    let log_end = Arc::new(AtomicU64::new(store.log_end().0));
    let committer = Committer {
        store,
        work,
        notices,
        payloads: Arc::clone(&payloads),
        lag: Arc::clone(&lag),
        log_end: Arc::clone(&log_end),
        durability,
        unsynced: None,
    };
    let counter =
        Counter { crawl, encoders: Mutex::new(Vec::new()), payloads, work: sender, lag, log_end };
    (counter, tokio::task::spawn_blocking(move || committer.run()))
}

impl Committer {
    fn run(mut self) -> Result<(), StoreError> {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        loop {
            let wait = match self.unsynced {
                Some(since) => self.durability.saturating_sub(since.elapsed()),
                None => IDLE,
            };
            match self.work.recv_timeout(wait) {
                Ok(work) => batch.push(work),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.store.close(),
            }
            while batch.len() < BATCH_MAX
                && let Ok(work) = self.work.try_recv()
            {
                batch.push(work);
            }
            self.write(&mut batch)?;
            if self.unsynced.is_some_and(|since| since.elapsed() >= self.durability) {
                self.store.sync()?;
                self.unsynced = None;
            }
        }
    }

    fn write(&mut self, batch: &mut Vec<Work>) -> Result<(), StoreError> {
        let count = batch.len();
        let mut arrivals = Vec::new();
        for work in batch.drain(..) {
            match work {
                Work::Deposit { records, mut arrival, original, hold } => {
                    arrival.returned.kept = self.store.keep(&records)?;
                    drop((records, hold));
                    arrivals.push((arrival, original));
                }
                Work::Facts(partition, at, facts) => self.store.log(partition, at, &facts)?,
                Work::Checkpoint(snapshot) => {
                    let mark = self.store.mark()?;
                    let notices = self.notices.clone();
                    std::thread::spawn(move || {
                        let written = guarded(|| snapshot.write(mark));
                        // The desk is gone only when the crawl has ended.
                        notices.blocking_send(Notice::Checkpointed(Box::new(written))).ok();
                    });
                }
                Work::Trim(mark) => self.store.trim(mark)?,
            }
            if self.unsynced.is_none() {
                self.unsynced = Some(Instant::now());
            }
        }
        if count == 0 {
            return Ok(());
        }
        self.store.write()?;
        self.log_end.store(self.store.log_end().0, Ordering::Relaxed);
        self.lag.fetch_sub(count, Ordering::Relaxed);
        for (arrival, original) in arrivals {
            if let Some((digest, capture)) = original {
                let mut payloads = locked(&self.payloads);
                if payloads.len() < PAYLOADS_MAX {
                    payloads.entry(digest).or_insert(capture);
                }
            }
            self.notices.blocking_send(Notice::Arrived(*arrival)).ok();
        }
        Ok(())
    }
}

/// Takes a lock; what it guards is whole between statements.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
