//! The desk and the disk: reads on other threads, buckets of the seen-set, checkpoints.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_frontier::{SiteKey, Wish};
use rhumb_seen::Bucket;
use rhumb_web::{Origin, PartitionId, Span, Tick, UrlKey};
use tokio::sync::mpsc;

use super::desk::{Desk, Notice};
use super::meter::{Meter, Stage};
use crate::partition::{Event, Fact, Partition};
use crate::store::{Holdings, StoreError, load_site};

/// A candidate waits this long for company before its bucket is passed over in any case; not at
/// all while nothing else is going on.
const PASS_AFTER: Span = Span::seconds(60);
/// Passes at once.
const PASSES_MAX: usize = 4;
/// What a candidate that waits for a pass takes in memory, about.
const WAITING_BYTES: usize = 192;
/// Pieces of work that the committer may be behind before no more tickets are issued.
const LAG_MAX: usize = 16_384;
/// However short checkpoints are apart, the log may run ahead of one by four times this.
const LOG_AHEAD_MIN: u64 = 16_000_000;
/// A checkpoint that only makes room in memory comes at most this often.
const ROOM_EVERY: Span = Span::seconds(2);
/// Below this share of the disk, and below so many bytes, no new fetch starts.
const FREE_SHARE_MIN: u64 = 20;
const FREE_BYTES_MIN: u64 = 1_000_000_000;

/// What the desk has on disk and under way there.
pub(super) struct Keeping {
    pub(super) holdings: Holdings,
    folder: PathBuf,
    notices: mpsc::Sender<Notice>,
    meter: Arc<Meter>,
    /// Log bytes between two checkpoints.
    checkpoint_bytes: u64,
    /// Bytes of entries that may wait in memory for a checkpoint.
    backlog_bytes: usize,
    /// How many candidates wait for each bucket, and since when.
    waiting: HashMap<Bucket, (usize, Tick)>,
    waiting_count: usize,
    /// So many should not wait: the fullest buckets are passed over at once.
    waiting_max: usize,
    /// Buckets that are passed over.
    passing: Vec<Bucket>,
    /// Whether the sieve is compared with what it has on disk.
    is_likening: bool,
    is_checkpointing: bool,
    /// Where the log stood at the last checkpoint.
    marked: u64,
    checkpointed_at: Tick,
    /// Free bytes, and how many are needed, if there are fewer.
    low: Option<(u64, u64)>,
    /// How far the wall clock last jumped, and whether forward.
    pub(super) clock_jump: Option<(Duration, bool)>,
}

impl Keeping {
    pub(super) fn new(
        holdings: Holdings,
        folder: PathBuf,
        notices: mpsc::Sender<Notice>,
        checkpoint_bytes: u64,
        memory: usize,
        meter: Arc<Meter>,
    ) -> Self {
        // Half for entries on their way to the backlog, a quarter for candidates that wait; rows
        // come and go with the checkpoint.
        let backlog_bytes = memory / 2;
        let waiting_max = (memory / 4 / WAITING_BYTES).max(1_024);
        Self {
            holdings,
            folder,
            notices,
            meter,
            checkpoint_bytes,
            backlog_bytes,
            waiting: HashMap::new(),
            waiting_count: 0,
            waiting_max,
            passing: Vec::new(),
            is_likening: false,
            is_checkpointing: false,
            marked: 0,
            checkpointed_at: Tick::default(),
            low: None,
            clock_jump: None,
        }
    }

    /// Notes what a fact says of candidates that wait for a bucket.
    pub(super) fn note(&mut self, now: Tick, fact: &Fact) {
        match fact {
            Fact::Admitted { unsure, .. } => {
                for (bucket, _) in unsure {
                    self.add_waiting(now, *bucket, 1);
                }
            }
            Fact::Rescued { bucket, read, .. } => {
                if let Some((count, since)) = self.waiting.get_mut(bucket) {
                    let read = (*read).min(*count);
                    *count -= read;
                    *since = now;
                    self.waiting_count -= read;
                    if *count == 0 {
                        self.waiting.remove(bucket);
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn add_waiting(&mut self, now: Tick, bucket: Bucket, count: usize) {
        self.waiting.entry(bucket).or_insert((0, now)).0 += count;
        self.waiting_count += count;
    }

    /// Where threads report to.
    pub(super) fn notices(&self) -> mpsc::Sender<Notice> {
        self.notices.clone()
    }

    /// Whether nothing waits for a pass.
    pub(super) fn is_settled(&self) -> bool {
        self.waiting.is_empty() && self.passing.is_empty() && !self.is_likening
    }

    /// Free bytes and those that are needed, if the disk is nearly full.
    pub(super) fn is_low(&self) -> Option<(u64, u64)> {
        self.low
    }

    pub(super) fn refill(&self, id: PartitionId, origin: Origin, wish: Wish) {
        let reading = self.holdings.backlog.look(wish);
        let (notices, meter, asked) =
            (self.notices.clone(), Arc::clone(&self.meter), Instant::now());
        tokio::task::spawn_blocking(move || {
            let read = guarded(|| reading.run().map_err(StoreError::from));
            meter.note(Stage::Refill, asked.elapsed());
            notices.blocking_send(Notice::Refilled(id, origin, read)).ok();
        });
    }

    pub(super) fn wake(&self, id: PartitionId, key: SiteKey) {
        let load = load_site(Arc::clone(&self.holdings.tables), &self.holdings.backlog, key);
        let (notices, meter, asked) =
            (self.notices.clone(), Arc::clone(&self.meter), Instant::now());
        tokio::task::spawn_blocking(move || {
            let site = guarded(load);
            meter.note(Stage::Refill, asked.elapsed());
            notices.blocking_send(Notice::Woken(id, site.map(Box::new))).ok();
        });
    }
}

/// Runs a piece of work on a thread of its own: should it panic, the crawl ends and says so.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or(Err(StoreError::Panicked))
}

impl Desk {
    /// Takes in what came from the threads around the desk.
    pub(super) fn hear(&mut self, notice: Notice) -> Result<(), StoreError> {
        match notice {
            Notice::Arrived(arrival) => self.take_in(arrival),
            Notice::Refilled(id, origin, stock) => {
                self.own.push_back((id, Event::Refilled(origin, stock?)));
            }
            Notice::Woken(id, dossier) => self.own.push_back((id, Event::Woken(dossier?))),
            Notice::Passed(bucket, parts, new) => self.passed(bucket, parts, &new?),
            Notice::Written(written) => self.written(written),
            Notice::Counted(counted) => self.take_census(*counted?),
            Notice::Ranked(ranked) => self.take_ranks(*ranked?),
            Notice::CashWritten(written) => {
                written?;
                self.cash_written();
            }
            Notice::Likened(passed) => {
                self.keeping.is_likening = false;
                let late = self.keeping.holdings.passed(*passed?);
                self.own.extend(late.into_iter().map(|it| (it.partition, Event::Likened(it))));
            }
            Notice::Checkpointed(written) => {
                let installed = (*written)?;
                let now = self.clock.now();
                self.worker.counter().trim(installed.mark);
                self.keeping.holdings.install(installed);
                self.keeping.is_checkpointing = false;
                for partition in &mut self.partitions {
                    partition.cool(now);
                }
            }
        }
        Ok(())
    }

    /// Once a second: who gets how much memory, is there room on the disk, did the wall clock jump?
    pub(super) fn tend(&mut self) {
        self.share_memory();
        // A disk that does not say how full it is will say so when it is full.
        if let Ok(room) = self.keeping.holdings.disk.room(&self.keeping.folder) {
            let needs = (room.total / FREE_SHARE_MIN).min(FREE_BYTES_MIN);
            self.keeping.low = (room.free < needs).then_some((room.free, needs));
        }
        if let Some(jump) = self.clock.jump() {
            self.keeping.clock_jump = Some(jump);
        }
    }

    /// A partition has its share for certain, and of what the others leave a part every second: a
    /// crawl of one domain has all its sites in one.
    fn share_memory(&mut self) {
        let share = self.settings.shares().frontier;
        let count = self.partitions.len().max(1);
        let used: usize = self.partitions.iter().map(Partition::bytes).sum();
        // What is left is shared out evenly, every second anew; if nothing is left everyone gives.
        let part = share.saturating_sub(used) / count;
        let own = share / count;
        for partition in &mut self.partitions {
            let bytes = partition.bytes();
            let fair = if used <= share { bytes } else { bytes / 8 * (share / (used / 8).max(1)) };
            partition.set_memory(own.max(fair + part));
        }
    }

    /// Whether writing or passing is so far behind that no more should be fetched.
    pub(super) fn is_behind(&self) -> bool {
        let keeping = &self.keeping;
        let logged = self.worker.counter().log_end().saturating_sub(keeping.marked);
        self.worker.counter().lag() > LAG_MAX
            || keeping.waiting_count > 2 * keeping.waiting_max
            // A checkpoint is under way that makes room, and takes its time.
            || keeping.holdings.backlog.bytes() > 2 * keeping.backlog_bytes
            || logged / 4 > keeping.checkpoint_bytes.max(LOG_AHEAD_MIN)
            || keeping.is_likening && keeping.holdings.wants_pass()
    }

    /// Starts passes over the buckets for which enough candidates wait, or for long enough.
    pub(super) fn tend_buckets(&mut self, now: Tick) {
        if self.keeping.waiting.is_empty() || self.keeping.passing.len() >= PASSES_MAX {
            return;
        }
        let is_idle = self.in_flight() == 0;
        let keeping = &self.keeping;
        let pays = keeping.holdings.seen.lock().pass_pays();
        let is_pressed = keeping.waiting_count > keeping.waiting_max;
        let is_due = |(bucket, (count, since)): (&Bucket, &(usize, Tick))| {
            let is_late = now.since(*since) >= PASS_AFTER;
            let is_due = *count >= pays || is_late || is_idle || is_pressed;
            (is_due && !keeping.passing.contains(bucket)).then_some((*count, *bucket))
        };
        let mut due: Vec<(usize, Bucket)> = keeping.waiting.iter().filter_map(is_due).collect();
        due.sort_unstable_by(|a, b| b.cmp(a));
        for (_, bucket) in due.into_iter().take(PASSES_MAX - self.keeping.passing.len()) {
            self.pass(bucket);
        }
    }

    fn pass(&mut self, bucket: Bucket) {
        let mut keys: Vec<UrlKey> = Vec::new();
        let mut parts = Vec::new();
        for partition in &self.partitions {
            let waiting = partition.state().waiting(bucket);
            if !waiting.is_empty() {
                keys.extend(waiting.iter().map(|it| it.url.key(self.settings.hash)));
                parts.push((partition.id(), waiting.len()));
            }
        }
        let pass = self.keeping.holdings.seen.lock().pass(bucket);
        self.keeping.passing.push(bucket);
        let notices = self.keeping.notices.clone();
        tokio::task::spawn_blocking(move || {
            let new = guarded(|| pass.find_new(&keys).map_err(StoreError::from));
            notices.blocking_send(Notice::Passed(bucket, parts, new)).ok();
        });
    }

    fn passed(&mut self, bucket: Bucket, parts: Vec<(PartitionId, usize)>, new: &[bool]) {
        self.keeping.passing.retain(|other| *other != bucket);
        let mut from = 0;
        for (id, read) in parts {
            let flags = &new[from..from + read];
            from += read;
            let waiting = self.partitions[id.index()].state().waiting(bucket).iter();
            let mut found = Vec::new();
            let mut seen = self.keeping.holdings.seen.lock();
            for (candidate, is_new) in waiting.zip(flags) {
                if *is_new {
                    found.push(candidate.clone());
                } else {
                    seen.note_known(candidate.url.key(self.settings.hash));
                }
            }
            drop(seen);
            let new = found;
            self.own.push_back((id, Event::BucketSettled { bucket, read, new }));
        }
    }

    /// Starts to compare what the sieve holds in memory with what it has on disk: when it is full,
    /// and before the end.
    pub(super) fn tend_sieve(&mut self, now: Tick) {
        let holdings = &self.keeping.holdings;
        let is_due = holdings.wants_pass() || (holdings.needs_pass() && self.is_idle(now));
        if self.keeping.is_likening || !is_due {
            return;
        }
        let Some(pass) = self.keeping.holdings.pass() else { return };
        self.keeping.is_likening = true;
        let notices = self.keeping.notices.clone();
        tokio::task::spawn_blocking(move || {
            let passed = guarded(|| pass.run().map_err(StoreError::from));
            notices.blocking_send(Notice::Likened(passed.map(Box::new))).ok();
        });
    }

    /// Begins a checkpoint if the log has grown enough, or memory wants it.
    pub(super) fn checkpoint_if_due(&mut self, now: Tick) {
        let keeping = &self.keeping;
        if keeping.is_checkpointing || !self.own.is_empty() {
            return;
        }
        let logged = self.worker.counter().log_end().saturating_sub(keeping.marked);
        let is_long = logged >= keeping.checkpoint_bytes;
        let is_rested = now.since(keeping.checkpointed_at) >= ROOM_EVERY;
        let wants_room = || {
            keeping.holdings.backlog.bytes() >= keeping.backlog_bytes
                || keeping.holdings.seen.lock().wants_flush()
                || self.partitions.iter().any(Partition::is_crowded)
        };
        if is_long || (is_rested && wants_room()) {
            self.checkpoint(now, true);
        }
    }

    fn checkpoint(&mut self, now: Tick, merges: bool) {
        let snapshot = self.keeping.holdings.snapshot(now, &mut self.partitions, merges);
        self.keeping.is_checkpointing = true;
        self.keeping.marked = self.worker.counter().log_end();
        self.keeping.checkpointed_at = now;
        self.worker.counter().checkpoint(snapshot);
    }

    /// The last checkpoint of a run: with it nothing has to be replayed. What is known beside the
    /// facts is written meanwhile.
    pub(super) async fn finish(
        &mut self,
        inbox: &mut mpsc::Receiver<Notice>,
    ) -> Result<(), StoreError> {
        for is_last in [false, true] {
            while self.keeping.is_checkpointing || self.estimates.is_busy() {
                let notice = inbox.recv().await.expect("the desk holds a sender itself");
                self.hear(notice)?;
            }
            let now = self.clock.now();
            self.work_off(now);
            if !is_last {
                self.tend_estimates(now, true);
                self.checkpoint(now, false);
            }
        }
        Ok(())
    }
}
