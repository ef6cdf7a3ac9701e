//! A caller that keeps the rules of the seen-set, and checks each answer against a plain set.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use rhumb_disk::{Disk, SharedDisk, SimulatedDisk};
use rhumb_seen::{Bucket, Merge, Novelty, Pass, Run, RunInfo, Seen, SeenSet, Snapshot};
use rhumb_web::UrlKey;

const FOLDER: &str = "seen";

/// What a power cut leaves: a checkpoint, and the keys that the log has after it.
#[derive(Default)]
struct Durable {
    runs: Vec<RunInfo>,
    memtable: Vec<u64>,
    log: Vec<u64>,
}

pub(crate) struct Caller {
    memory: usize,
    is_filtered: bool,
    disk: SimulatedDisk,
    pub(crate) set: SeenSet,
    truth: HashSet<u64>,
    waiting: BTreeMap<Bucket, Vec<UrlKey>>,
    passing: Option<(Bucket, Pass, Vec<UrlKey>)>,
    checkpoint: Option<(Snapshot, usize)>,
    merging: Option<Merge>,
    durable: Durable,
    names: usize,
    pub(crate) unsure: usize,
    pub(crate) rescued: usize,
}

impl Caller {
    pub(crate) fn new(memory: usize, is_filtered: bool) -> Self {
        let disk = SimulatedDisk::new(3);
        disk.create_folder(Path::new(FOLDER)).unwrap();
        let set = SeenSet::new(memory);
        Self {
            memory,
            is_filtered,
            disk,
            set: if is_filtered { set } else { set.without_filter() },
            truth: HashSet::new(),
            waiting: BTreeMap::new(),
            passing: None,
            checkpoint: None,
            merging: None,
            durable: Durable::default(),
            names: 0,
            unsure: 0,
            rescued: 0,
        }
    }

    /// A candidate arrives.
    pub(crate) fn meet(&mut self, key: UrlKey) {
        match self.set.meet(key) {
            Novelty::New => self.admit(key),
            Novelty::Known => assert!(self.truth.contains(&key.0), "{key} is known, but new"),
            Novelty::Unsure(bucket) => {
                assert_eq!(bucket, Bucket::of(key));
                self.unsure += 1;
                self.waiting.entry(bucket).or_default().push(key);
            }
        }
    }

    fn admit(&mut self, key: UrlKey) {
        assert!(self.truth.insert(key.0), "{key} is new twice");
        self.durable.log.push(key.0);
        self.set.insert(key);
    }

    /// Begins a pass over a bucket where something waits.
    pub(crate) fn begin_pass(&mut self, choice: usize) {
        if self.passing.is_some() || self.waiting.is_empty() {
            return;
        }
        let bucket = *self.waiting.keys().nth(choice % self.waiting.len()).unwrap();
        let keys = self.waiting.remove(&bucket).unwrap();
        self.passing = Some((bucket, self.set.pass(bucket), keys));
    }

    pub(crate) fn end_pass(&mut self) {
        let Some((_, pass, keys)) = self.passing.take() else { return };
        let is_new = pass.find_new(&keys).unwrap();
        for (key, is_new) in keys.into_iter().zip(is_new) {
            if is_new {
                self.rescued += 1;
                self.admit(key);
            } else {
                assert!(self.truth.contains(&key.0), "{key} is in a run, but new");
                self.set.note_known(key);
            }
        }
    }

    pub(crate) fn begin_checkpoint(&mut self) {
        if self.checkpoint.is_none() {
            self.checkpoint = Some((self.set.snapshot(), self.durable.log.len()));
        }
    }

    pub(crate) fn end_checkpoint(&mut self) {
        let Some((snapshot, logged)) = self.checkpoint.take() else { return };
        let mut runs = self.set.runs();
        let mut installed = None;
        if snapshot.is_flush {
            let name = self.name();
            let run = Run::write(&self.disk, Path::new(FOLDER), &name, &snapshot.keys).unwrap();
            runs.push(run.info());
            installed = Some(run);
        }
        self.disk.sync_folder(Path::new(FOLDER)).unwrap();
        self.durable.runs = runs;
        self.durable.memtable = if snapshot.is_flush { Vec::new() } else { snapshot.keys };
        self.durable.log.drain(..logged);
        if let Some(run) = installed {
            self.set.install(run);
        }
    }

    pub(crate) fn begin_merge(&mut self) {
        if self.merging.is_none() {
            self.merging = self.set.merge();
        }
    }

    pub(crate) fn end_merge(&mut self) {
        let Some(merge) = self.merging.take() else { return };
        let name = self.name();
        let (run, replaced) = merge.write(&self.disk, Path::new(FOLDER), &name).unwrap();
        self.disk.sync_folder(Path::new(FOLDER)).unwrap();
        self.durable.runs.retain(|old| !replaced.contains(&old.name));
        self.durable.runs.push(run.info());
        self.set.replace(run, &replaced);
        for name in replaced {
            self.disk.remove(&Path::new(FOLDER).join(name)).unwrap();
        }
    }

    /// The power fails; what waits is in the log, the rest comes from what is durable.
    pub(crate) fn reopen(&mut self) {
        (self.checkpoint, self.merging) = (None, None);
        if let Some((bucket, _, keys)) = self.passing.take() {
            self.waiting.entry(bucket).or_default().extend(keys);
        }
        let memtable = self.durable.memtable.iter().copied();
        let runs = &self.durable.runs;
        self.disk.crash();
        let disk: SharedDisk = Arc::new(self.disk.clone());
        let set = SeenSet::open(self.memory, &disk, Path::new(FOLDER), runs, memtable).unwrap();
        self.set = if self.is_filtered { set } else { set.without_filter() };
        for key in &self.durable.log {
            self.set.insert(UrlKey(*key));
        }
    }

    /// Settles what waits; then the set has exactly what was met.
    pub(crate) fn finish(&mut self, met: &HashSet<u64>) {
        self.end_pass();
        while !self.waiting.is_empty() {
            self.begin_pass(0);
            self.end_pass();
        }
        assert_eq!(&self.truth, met);
        assert_eq!(self.set.len(), u64::try_from(met.len()).unwrap());
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("{}.run", self.names)
    }
}
