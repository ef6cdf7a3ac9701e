//! What a history of crashes came to.

use std::collections::BTreeMap;

/// Violations that are told one by one.
const EXAMPLES_MAX: usize = 10;

/// What is counted of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Ends by kill: what was written stays.
    Kills,
    /// Ends by power cut.
    PowerCuts,
    /// Ends that were asked for.
    CleanEnds,
    /// Ends while the crawl was being opened.
    EndsInOpening,
    /// Ends in the commit of a checkpoint.
    EndsInCommit,
    /// Ends by an operation of the disk that failed.
    EndsOfDisk,
    /// Requests that hosts saw.
    Asked,
    /// Checkpoints that were installed.
    Checkpoints,
    /// Facts that were not on the disk when the power went.
    LinesLost,
    /// Sites that were read from disk.
    Woken,
    /// Shelves that were read.
    Refilled,
    /// Times that something on a shelf was passed over for what lay behind it.
    Skipped,
    /// Buckets of the seen-set that were passed over.
    Passed,
    /// Generations of the sieve that were compared with its disk.
    Sieved,
    /// Of those, while a checkpoint was under way.
    SievedAmidCheckpoint,
    /// Pages that were taken for originals until then.
    Late,
    /// Pages that an opening found to be none.
    LateAgain,
    /// Originals that named a later page as their canonical form.
    Replaced,
    /// Parcels that did not arrive before an end.
    ParcelsAgain,
    /// Tickets that were out at an end.
    Recalled,
}

/// The result of one history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashReport {
    /// Where all chance came from.
    pub seed: u64,
    /// Times that the process ended before the crawl did.
    pub ends: u64,
    /// Pages that the crawl had to find.
    pub pages: u64,
    /// What happened, and how often.
    pub counts: BTreeMap<Count, u64>,
    /// What should not have happened, and how often.
    pub violations: BTreeMap<&'static str, u64>,
    /// The first violations in words.
    pub examples: Vec<String>,
}

impl CrashReport {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            ends: 0,
            pages: 0,
            counts: BTreeMap::new(),
            violations: BTreeMap::new(),
            examples: Vec::new(),
        }
    }

    /// How many violations there were.
    pub fn violation_count(&self) -> u64 {
        self.violations.values().sum()
    }

    /// The report in words.
    pub fn tell(&self) -> String {
        let mut words = format!(
            "seed {}: {} ends, {} pages, {} violations {:?}\n  {:?}",
            self.seed,
            self.ends,
            self.pages,
            self.violation_count(),
            self.violations,
            self.counts,
        );
        for example in &self.examples {
            words.push_str("\n  ");
            words.push_str(example);
        }
        words
    }

    /// How often something happened.
    pub fn count_of(&self, count: Count) -> u64 {
        self.counts.get(&count).copied().unwrap_or(0)
    }

    pub(super) fn count(&mut self, count: Count) {
        self.add(count, 1);
    }

    pub(super) fn add(&mut self, count: Count, times: u64) {
        *self.counts.entry(count).or_default() += times;
    }

    pub(super) fn violate(&mut self, what: &'static str, words: impl FnOnce() -> String) {
        *self.violations.entry(what).or_default() += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(format!("end {}: {what}: {}", self.ends, words()));
        }
    }
}
