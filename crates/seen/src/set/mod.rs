//! The set: table, filter and cache in memory, runs on disk.

mod merge;
mod pass;

use std::fmt;
use std::path::Path;

use rhumb_disk::SharedDisk;
use rhumb_web::UrlKey;

use crate::cache::Cache;
use crate::filter::Filter;
use crate::run::Scratch;
use crate::table::Table;
use crate::{Bucket, Novelty, Run, RunInfo, Seen, SeenError};
pub use merge::Merge;
pub use pass::Pass;

/// Of the memory that is granted, the filter takes one part in so many,
const FILTER_PART: usize = 2;
/// and the cache one in so many, up to a million keys: by Zipf's law more would gain little.
const CACHE_PART: usize = 8;
const CACHE_BYTES_MAX: usize = 8 << 20;
/// What a key of the memtable costs at worst: a slot that is half empty in the table, another in
/// the frozen table, and its place in a snapshot.
const TABLE_BYTES_A_KEY: usize = 16 + 16 + 8;
/// A pass reads a whole bucket; from this many keys read for one asked on, that is cheaper than
/// anything else that a candidate goes through.
const READ_A_CANDIDATE: u64 = 128;
const PASS_PAYS_MIN: u64 = 32;

/// The keys that a checkpoint has to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Sorted and distinct.
    pub keys: Vec<u64>,
    /// They retire from memory: write them as a [`Run`], and [`SeenSet::install`] it when the
    /// checkpoint that lists it is durable.
    pub is_flush: bool,
}

/// The set of all URLs ever admitted by a process, whichever partition they belong to.
///
/// With no runs there is nothing to be unsure of. The filter holds every key, also those of the
/// memtable, so installing and replacing runs are cheap; it is made at the first flush, in the
/// size that it will always have, and given up when the keys outgrow it.
pub struct SeenSet {
    memory: usize,
    /// Whether there is a filter, or will be with the first flush.
    is_filtered: bool,
    cache: Cache,
    memtable: Table,
    /// A memtable that is on its way to become a run.
    frozen: Option<Table>,
    filter: Option<Filter>,
    /// The largest first: most keys that are known are found there.
    runs: Vec<Run>,
}

impl fmt::Debug for SeenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeenSet")
            .field("len", &self.len())
            .field("memory", &self.memory())
            .field("runs", &self.runs)
            .finish_non_exhaustive()
    }
}

impl Seen for SeenSet {
    fn meet(&mut self, key: UrlKey) -> Novelty {
        if self.cache.contains(key.0) {
            return Novelty::Known;
        }
        if self.filter.as_ref().is_some_and(|filter| !filter.may_contain(key.0)) {
            return Novelty::New;
        }
        let is_frozen = || self.frozen.as_ref().is_some_and(|frozen| frozen.contains(key.0));
        if self.memtable.contains(key.0) || is_frozen() {
            self.cache.put(key.0);
            return Novelty::Known;
        }
        if self.runs.is_empty() { Novelty::New } else { Novelty::Unsure(Bucket::of(key)) }
    }

    fn insert(&mut self, key: UrlKey) {
        self.memtable.insert(key.0);
        if let Some(filter) = &mut self.filter {
            filter.insert(key.0);
        }
        self.note_known(key);
    }
}

impl SeenSet {
    /// An empty set that may use this many bytes.
    pub fn new(memory: usize) -> Self {
        Self {
            memory,
            is_filtered: true,
            cache: Cache::new((memory / CACHE_PART).min(CACHE_BYTES_MAX)),
            memtable: Table::default(),
            frozen: None,
            filter: None,
            runs: Vec::new(),
        }
    }

    /// The same set with no memory for a filter and more for the memtable: what is in neither
    /// memtable nor cache waits for a pass, as in `IRLbot`'s DRUM.
    #[must_use]
    pub fn without_filter(mut self) -> Self {
        self.is_filtered = false;
        self.filter = None;
        self
    }

    /// Opens the runs that a checkpoint lists, and the memtable that it saved; fills the filter in
    /// one pass.
    pub fn open(
        memory: usize,
        disk: &SharedDisk,
        folder: &Path,
        runs: &[RunInfo],
        memtable: impl IntoIterator<Item = u64>,
    ) -> Result<Self, SeenError> {
        let mut set = Self::new(memory);
        set.memtable = Table::of(memtable.into_iter().collect());
        for info in runs {
            set.runs.push(Run::open(&**disk, folder, info)?);
        }
        set.sort_runs();
        if set.runs.is_empty() {
            return Ok(set);
        }
        set.make_filter();
        let Some(filter) = &mut set.filter else { return Ok(set) };
        let (mut scratch, mut keys) = (Scratch::default(), Vec::new());
        for run in &set.runs {
            for block in 0..run.blocks() {
                run.decode(block, &mut scratch, &mut keys)?;
                keys.drain(..).for_each(|key| filter.insert(key));
            }
        }
        Ok(set)
    }

    /// From now on it may use this many bytes; filter and cache keep their size until it is opened
    /// again.
    pub fn set_memory(&mut self, memory: usize) {
        self.memory = memory;
    }

    /// How many keys it has.
    pub fn len(&self) -> u64 {
        let tables = self.memtable.len() + self.frozen.as_ref().map_or(0, Table::len);
        self.keys_in_runs() + u64::try_from(tables).expect("a length fits 64 bits")
    }

    /// Whether it has no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes used now.
    pub fn memory(&self) -> usize {
        self.memtable.bytes()
            + self.frozen.as_ref().map_or(0, Table::bytes)
            + self.cache.bytes()
            + self.filter.as_ref().map_or(0, Filter::bytes)
            + self.runs.iter().map(Run::memory).sum::<usize>()
    }

    /// The memtable has outgrown its share: the next checkpoint should flush it.
    pub fn wants_flush(&self) -> bool {
        let filter = if self.is_filtered { self.memory / FILTER_PART } else { 0 };
        let share = self.memory.saturating_sub(filter + self.cache.bytes());
        self.frozen.is_none() && self.memtable.len() > share / TABLE_BYTES_A_KEY
    }

    /// The keys that are in no run, for a checkpoint. If the set [`wants_flush`](Self::wants_flush)
    /// they retire: they move to a frozen table, which is still searched, and the memtable starts
    /// anew.
    pub fn snapshot(&mut self) -> Snapshot {
        let is_flush = self.wants_flush();
        let mut keys: Vec<u64> = Vec::with_capacity(self.memtable.len());
        keys.extend(self.memtable.keys());
        if is_flush {
            if self.filter.is_none() {
                self.make_filter();
            }
            self.frozen = Some(std::mem::take(&mut self.memtable));
        } else if let Some(frozen) = &self.frozen {
            keys.extend(frozen.keys());
            keys.sort_unstable();
            keys.dedup();
        }
        Snapshot { keys, is_flush }
    }

    /// After the checkpoint that lists it is durable: a flushed snapshot became this run.
    pub fn install(&mut self, run: Run) {
        self.runs.push(run);
        self.sort_runs();
        self.frozen = None;
        let len = self.len();
        if self.filter.as_ref().is_some_and(|filter| !filter.suffices(len)) {
            (self.is_filtered, self.filter) = (false, None);
        }
    }

    /// A pass over a bucket, to be run on another thread.
    ///
    /// It takes along what the tables hold of the bucket at this moment, so it sees every key of
    /// the set, whatever is flushed, installed or merged while it runs. Two rules of the caller
    /// keep the set exact:
    /// - A key is in one pass at a time: while one runs, keys of its bucket wait for the next.
    /// - What [`Pass::find_new`] calls new is inserted, though `meet` still says "unsure" of it:
    ///   nobody else can have inserted it, because `meet` said "unsure" to everybody.
    pub fn pass(&self, bucket: Bucket) -> Pass {
        let mut tables = Vec::new();
        for table in self.frozen.iter().chain([&self.memtable]) {
            table.bucket(bucket).for_each(|key| tables.push(key));
        }
        tables.sort_unstable();
        Pass::new(bucket, tables, self.runs.clone())
    }

    /// A candidate with this key waits for a pass since before the set was opened: whoever meets
    /// the key must wait as well, whatever the filter of today would say.
    pub fn expect(&mut self, key: UrlKey) {
        if let Some(filter) = &mut self.filter {
            filter.insert(key.0);
        }
    }

    /// How many waiting candidates of one bucket pay for a pass.
    pub fn pass_pays(&self) -> usize {
        let keys_a_bucket = self.keys_in_runs() / u64::from(Bucket::COUNT);
        let pays = (keys_a_bucket / READ_A_CANDIDATE).max(PASS_PAYS_MIN);
        usize::try_from(pays).unwrap_or(usize::MAX)
    }

    /// A pass found this key, or it was inserted: met again it is known at once, as long as the
    /// cache remembers it.
    pub fn note_known(&mut self, key: UrlKey) {
        self.cache.put(key.0);
    }

    /// Runs worth merging, if any; one merge at a time.
    pub fn merge(&self) -> Option<Merge> {
        Merge::of(&self.runs)
    }

    /// After the checkpoint that lists it is durable: this run stands for those.
    pub fn replace(&mut self, run: Run, replaced: &[String]) {
        self.runs.retain(|old| !replaced.iter().any(|name| name == old.name()));
        self.runs.push(run);
        self.sort_runs();
    }

    /// The files of the set, for the checkpoint.
    pub fn runs(&self) -> Vec<RunInfo> {
        self.runs.iter().map(Run::info).collect()
    }

    /// Makes the filter, if there is memory for one, and puts the memtable into it.
    fn make_filter(&mut self) {
        if self.is_filtered {
            self.filter = Filter::new(self.memory / FILTER_PART, self.len());
            self.is_filtered = self.filter.is_some();
        }
        if let Some(filter) = &mut self.filter {
            self.memtable.keys().for_each(|key| filter.insert(key));
        }
    }

    fn keys_in_runs(&self) -> u64 {
        self.runs.iter().map(Run::len).sum()
    }

    fn sort_runs(&mut self) {
        self.runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
    }
}
