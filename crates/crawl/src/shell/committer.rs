//! The committer: one thread that writes, in one order, what the workers and the desk bring.
//!
//! A worker's records are written before the desk hears of the fetch, and the desk's facts after
//! that: the archive goes before the log. Fetches reach the desk in the order of their records,
//! so the log always knows a beginning of the archive, and what is behind it can be cut off.
//! A request goes out, and a report is told, only after the facts that speak of it are written:
//! after a kill every request is known that was ever sent, and all that was ever told.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rhumb_archive::{CrawlId, Digest, Earlier, Encoded, Encoder};
use rhumb_web::{HashKey, Hold, PartitionId, Tick};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::desk::Notice;
use super::following::{News, Told};
use super::keeping::guarded;
use super::meter::{Meter, Stage};
use super::payloads::Payloads;
use super::report::Report;
use super::worker::Arrival;
use crate::partition::Fact;
use crate::store::{Mark, Snapshot, Store, StoreError};

/// Encoders that are kept for the next one who needs one.
const ENCODERS_MAX: usize = 64;
/// Pieces of work that are written in one go.
const BATCH_MAX: usize = 1_024;
/// With this many fetches under way, what comes within a moment is written in one go: waking the
/// thread for every piece costs more than writing it.
const LINGER_FROM: usize = 16;
const LINGER: Duration = Duration::from_millis(2);
/// How long the thread sleeps when nothing is to be synced.
const IDLE: Duration = Duration::from_hours(1);

/// What is to be written.
#[derive(Debug)]
enum Work {
    /// Records, and the fetch that brought them; later captures may refer to it.
    Deposit {
        records: Vec<Encoded>,
        arrival: Box<Arrival>,
        original: Original,
        /// The memory that the body was granted.
        hold: Hold,
        /// How long its records took so far.
        took: Duration,
    },
    /// Facts of a turn, whether a fetch waits for them to be written, and what is told then.
    Facts(PartitionId, Tick, Vec<Fact>, bool, Vec<Report>),
    /// What is told once everything before it is written.
    Reports(Vec<Report>),
    /// A checkpoint of everything before it.
    Checkpoint(Box<Snapshot>),
    /// A checkpoint is on the disk.
    Trim(Mark),
}

/// What came of a batch.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Turns whose facts were ever written.
    pub(super) turns: u64,
    /// What may be told now, each with the moment of the fact that says so; links that were refused
    /// have none.
    pub(super) told: Vec<(Option<Tick>, Report)>,
    /// Fetches whose records are written.
    pub(super) arrivals: Vec<Arrival>,
}

/// A payload that later captures may refer to.
type Original = Option<(Digest, Earlier)>;

/// Where workers and the desk bring what is to be kept. The thread ends once it is gone.
#[derive(Debug)]
pub(super) struct Counter {
    crawl: CrawlId,
    encoders: Mutex<Vec<Encoder>>,
    payloads: Arc<Payloads>,
    meter: Arc<Meter>,
    work: Sender<Work>,
    /// Pieces of work that are not written yet.
    lag: Arc<AtomicUsize>,
    log_end: Arc<AtomicU64>,
    /// Turns whose facts were ever brought.
    turns: AtomicU64,
    /// Whether the thread waits for company before it writes.
    lingers: Arc<AtomicBool>,
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
        self.payloads.find(digest)
    }

    /// How long the parts of the work take.
    pub(super) fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Hands records over, which took so long; the desk hears of the fetch once they are written.
    pub(super) fn deposit(
        &self,
        records: Vec<Encoded>,
        arrival: Arrival,
        original: Original,
        hold: Hold,
        took: Duration,
    ) {
        self.bring(Work::Deposit { records, arrival: Box::new(arrival), original, hold, took });
    }

    /// Hands the facts of a turn over and says which turn it is. Once they are written, what is to
    /// be told comes back as [`Notice::Written`], and so it does where a fetch waits for it.
    pub(super) fn log(
        &self,
        partition: PartitionId,
        at: Tick,
        facts: Vec<Fact>,
        is_awaited: bool,
        reports: Vec<Report>,
    ) -> u64 {
        debug_assert!(!facts.is_empty() || !is_awaited && reports.is_empty(), "facts say it");
        if facts.is_empty() {
            return self.turns.load(Ordering::Relaxed);
        }
        self.bring(Work::Facts(partition, at, facts, is_awaited, reports));
        self.turns.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Says how many fetches are under way: among many, one that waits a moment holds up nobody.
    pub(super) fn expect(&self, in_flight: usize) {
        self.lingers.store(in_flight >= LINGER_FROM, Ordering::Relaxed);
    }

    /// Hands reports over that come back once everything before them is written.
    pub(super) fn tell(&self, reports: Vec<Report>) {
        if !reports.is_empty() {
            self.bring(Work::Reports(reports));
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
    payloads: Arc<Payloads>,
    meter: Arc<Meter>,
    lag: Arc<AtomicUsize>,
    log_end: Arc<AtomicU64>,
    turns: u64,
    lingers: Arc<AtomicBool>,
    durability: Duration,
    /// Who is told what the facts say, and the secret of the keys in it.
    follower: Option<(Sender<News>, HashKey)>,
    /// Since when something is not synced.
    unsynced: Option<Instant>,
}

/// What the thread has beside its store.
pub(super) struct Committing {
    pub(super) payloads: Payloads,
    pub(super) meter: Arc<Meter>,
    /// Who is told what the facts say, and the secret of the keys in it.
    pub(super) follower: Option<(Sender<News>, HashKey)>,
}

/// Starts the thread; it seals the archive and ends once the counter is gone.
pub(super) fn start(
    crawl: CrawlId,
    store: Store,
    with: Committing,
    durability: Duration,
    notices: mpsc::Sender<Notice>,
) -> (Counter, JoinHandle<Result<(), StoreError>>) {
    let (sender, work) = channel();
    let Committing { payloads, meter, follower } = with;
    let payloads = Arc::new(payloads);
    let lag = Arc::new(AtomicUsize::new(0));
    let log_end = Arc::new(AtomicU64::new(store.log_end().0));
    let lingers = Arc::new(AtomicBool::new(false));
    let committer = Committer {
        store,
        work,
        notices,
        payloads: Arc::clone(&payloads),
        meter: Arc::clone(&meter),
        lag: Arc::clone(&lag),
        log_end: Arc::clone(&log_end),
        turns: 0,
        lingers: Arc::clone(&lingers),
        durability,
        follower,
        unsynced: None,
    };
    let counter = Counter {
        crawl,
        encoders: Mutex::new(Vec::new()),
        payloads,
        meter,
        work: sender,
        lag,
        log_end,
        turns: AtomicU64::new(0),
        lingers,
    };
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
                Ok(work) => {
                    batch.push(work);
                    if self.lingers.load(Ordering::Relaxed) {
                        std::thread::sleep(LINGER);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.store.close(),
            }
            while batch.len() < BATCH_MAX
                && let Ok(work) = self.work.try_recv()
            {
                batch.push(work);
            }
            let mut logging = self.write(&mut batch)?;
            if self.unsynced.is_some_and(|since| since.elapsed() >= self.durability) {
                let began = Instant::now();
                self.store.sync()?;
                logging += began.elapsed();
                self.unsynced = None;
            }
            if !logging.is_zero() {
                self.meter.note(Stage::Log, logging);
            }
        }
    }

    /// Writes a batch, and says how long the log took.
    fn write(&mut self, batch: &mut Vec<Work>) -> Result<Duration, StoreError> {
        if batch.is_empty() {
            return Ok(Duration::ZERO);
        }
        let count = batch.len();
        self.unsynced.get_or_insert_with(Instant::now);
        let (mut written, mut originals) = (Written::default(), Vec::new());
        let (mut is_awaited, mut told) = (false, Told::default());
        let mut logging = Duration::ZERO;
        for work in batch.drain(..) {
            let began = Instant::now();
            match work {
                Work::Deposit { records, mut arrival, original, hold, took } => {
                    arrival.returned.kept = self.store.keep(&records)?;
                    drop((records, hold));
                    written.arrivals.push(*arrival);
                    originals.extend(original);
                    self.meter.note(Stage::Archive, took + began.elapsed());
                }
                Work::Facts(partition, at, facts, waits, reports) => {
                    self.store.log(partition, at, &facts)?;
                    if let Some((_, hash)) = self.follower {
                        for fact in &facts {
                            told.note(fact, hash);
                        }
                    }
                    self.turns += 1;
                    is_awaited |= waits;
                    written.told.extend(reports.into_iter().map(|report| (Some(at), report)));
                    logging += began.elapsed();
                }
                Work::Reports(reports) => {
                    written.told.extend(reports.into_iter().map(|report| (None, report)));
                }
                Work::Checkpoint(snapshot) => self.checkpoint(snapshot)?,
                Work::Trim(mark) => self.store.trim(mark)?,
            }
        }
        let began = Instant::now();
        self.store.write()?;
        logging += began.elapsed();
        if let Some((follower, _)) = &self.follower {
            told.tell(follower);
        }
        self.log_end.store(self.store.log_end().0, Ordering::Relaxed);
        self.lag.fetch_sub(count, Ordering::Relaxed);
        self.payloads.add(originals);
        if is_awaited || !written.told.is_empty() || !written.arrivals.is_empty() {
            written.turns = self.turns;
            // The desk is gone only when the crawl has ended.
            self.notices.blocking_send(Notice::Written(written)).ok();
        }
        Ok(logging)
    }

    fn checkpoint(&mut self, snapshot: Box<Snapshot>) -> Result<(), StoreError> {
        let mark = self.store.mark()?;
        let notices = self.notices.clone();
        std::thread::spawn(move || {
            let written = guarded(|| snapshot.write(mark));
            // The desk is gone only when the crawl has ended.
            notices.blocking_send(Notice::Checkpointed(Box::new(written))).ok();
        });
        Ok(())
    }
}

/// Takes a lock; what it guards is whole between statements.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use rhumb_archive::{About, ArchiveSettings};
    use rhumb_disk::{SharedDisk, SimulatedDisk};
    use rhumb_frontier::Entry;
    use rhumb_web::{Candidate, CanonUrl, Errand, HashKey, TicketNumber};

    use super::super::report::What;
    use super::*;
    use crate::store::{Identity, Opened, StoreSettings, crawl_id, open};
    use crate::tables::{MemoryTables, Tables};

    const HASH: HashKey = HashKey(5, 6);

    struct World {
        disk: SimulatedDisk,
        tables: Arc<dyn Tables>,
    }

    impl World {
        fn new() -> Self {
            Self { disk: SimulatedDisk::new(1), tables: Arc::new(MemoryTables::default()) }
        }

        fn committing(&self) -> Committing {
            let payloads = Payloads::new(Arc::clone(&self.tables), 1 << 20, true);
            Committing { payloads, meter: Arc::default(), follower: None }
        }

        fn open(&self) -> Opened {
            let settings = StoreSettings {
                folder: "crawl".into(),
                archive: ArchiveSettings {
                    prefix: "rhumb".to_owned(),
                    rotate_bytes: u64::MAX,
                    crawl: crawl_id(HASH),
                    about: About::default(),
                },
                identity: Identity::new(1, HASH, 0),
                agent: "rhumb".to_owned(),
                seen_memory: 1 << 20,
                likeness_memory: 1 << 20,
            };
            let disk: SharedDisk = Arc::new(self.disk.clone());
            open(&disk, &self.tables, &settings).unwrap()
        }
    }

    fn url() -> CanonUrl {
        CanonUrl::parse("http://a.test/").unwrap()
    }

    /// A ticket that goes out, with what it needs before.
    fn issued() -> Vec<Fact> {
        let entry = Entry::new(Candidate::new(url(), Errand::Page, 0, 0));
        let entries = vec![entry.clone()];
        let (shelved, unsure) = (Vec::new(), Vec::new());
        vec![
            Fact::Admitted { parcel: None, entries, shelved, unsure },
            Fact::Issued { number: TicketNumber(0), entry, expires: Tick(9) },
        ]
    }

    fn report() -> Report {
        Report { url: url(), depth: 0, what: What::Fetched(200, None), bytes: 0, took: None }
    }

    async fn written(inbox: &mut mpsc::Receiver<Notice>) -> Written {
        match inbox.recv().await {
            Some(Notice::Written(written)) => written,
            other => panic!("{other:?} was told"),
        }
    }

    #[tokio::test]
    async fn whoever_may_go_or_is_told_is_known_after_a_kill() {
        let world = World::new();
        let (notices, mut inbox) = mpsc::channel(8);
        let store = world.open().store;
        // It never syncs by itself.
        let (counter, thread) = start(crawl_id(HASH), store, world.committing(), IDLE, notices);
        let turn = counter.log(PartitionId(0), Tick(1), issued(), true, vec![report()]);
        let written = written(&mut inbox).await;
        world.disk.kill();
        let moments: Vec<_> = written.told.iter().map(|(at, _)| *at).collect();
        assert_eq!((written.turns, moments), (turn, vec![Some(Tick(1))]));
        let number = |opened: &Opened| opened.states[0].out().map(|(number, _)| number.0).max();
        assert_eq!(number(&world.open()), Some(0));
        drop(counter);
        thread.await.unwrap().expect_err("its files are gone with the kill");
    }

    #[tokio::test]
    async fn a_write_that_fails_lets_nobody_go_and_nothing_be_told() {
        let world = World::new();
        let (notices, mut inbox) = mpsc::channel(8);
        let store = world.open().store;
        world.disk.fail_after(0);
        let (counter, thread) = start(crawl_id(HASH), store, world.committing(), IDLE, notices);
        counter.log(PartitionId(0), Tick(1), issued(), true, vec![report()]);
        thread.await.unwrap().expect_err("nothing can be written");
        assert!(inbox.recv().await.is_none(), "nothing is told, and nobody may go");
    }

    #[tokio::test]
    async fn refusals_are_told_behind_the_facts_before_them() {
        let world = World::new();
        let (notices, mut inbox) = mpsc::channel(8);
        let store = world.open().store;
        let (counter, thread) = start(crawl_id(HASH), store, world.committing(), IDLE, notices);
        counter.log(PartitionId(0), Tick(1), issued(), false, Vec::new());
        counter.tell(Vec::new());
        counter.tell(vec![report(), report()]);
        let moments: Vec<_> = written(&mut inbox).await.told.iter().map(|(at, _)| *at).collect();
        assert_eq!(moments, [None, None], "links have no end");
        world.disk.kill();
        assert!(world.open().states[0].has_tickets());
        drop(counter);
        thread.await.unwrap().expect_err("its files are gone with the kill");
    }
}
