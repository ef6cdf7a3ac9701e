//! Merging runs, so that their number stays small.

use std::path::Path;

use rhumb_disk::Disk;

use crate::run::{RunWriter, Scratch};
use crate::{Run, SeenError};

/// So many runs of about one size become one: few enough for a pass to read them all, enough that
/// a key is written once for each time that the set grew so many times.
const FANOUT: usize = 4;

/// Runs to be merged, on another thread.
#[derive(Debug)]
pub struct Merge {
    runs: Vec<Run>,
}

impl Merge {
    pub(super) fn of(runs: &[Run]) -> Option<Self> {
        let crowded =
            |tier: &u32| runs.iter().filter(|run| tier_of(run) == *tier).count() >= FANOUT;
        let tier = runs.iter().map(tier_of).filter(crowded).max()?;
        Some(Self { runs: runs.iter().filter(|run| tier_of(run) <= tier).cloned().collect() })
    }

    /// Writes them as one run and syncs the file; the caller syncs the folder before anything
    /// refers to the run. Also the names that it replaces.
    pub fn write(
        self,
        disk: &dyn Disk,
        folder: &Path,
        name: &str,
    ) -> Result<(Run, Vec<String>), SeenError> {
        let mut writer = RunWriter::create(disk, folder, name)?;
        let mut sources: Vec<Source<'_>> = self.runs.iter().map(Source::new).collect();
        let mut scratch = Scratch::default();
        let mut round = Vec::new();
        loop {
            for source in &mut sources {
                source.refill(&mut scratch)?;
            }
            // Up to the first end of a block all sources are complete.
            let Some(limit) = sources.iter().filter_map(|source| source.keys.last()).min().copied()
            else {
                break;
            };
            for source in &mut sources {
                source.take(limit, &mut round);
            }
            merge_pieces(&mut round);
            writer.extend(&round)?;
            round.clear();
        }
        let replaced = self.runs.iter().map(|run| run.name().to_owned()).collect();
        Ok((writer.finish()?, replaced))
    }
}

#[expect(clippy::stable_sort_primitive, reason = "it finds the sorted pieces and merges them")]
fn merge_pieces(keys: &mut Vec<u64>) {
    keys.sort();
    keys.dedup();
}

/// The size class of a run: one for each factor of four.
fn tier_of(run: &Run) -> u32 {
    run.len().max(1).ilog2() / FANOUT.ilog2()
}

/// A run that is read block by block.
struct Source<'a> {
    run: &'a Run,
    next_block: usize,
    keys: Vec<u64>,
    taken: usize,
}

impl<'a> Source<'a> {
    fn new(run: &'a Run) -> Self {
        Self { run, next_block: 0, keys: Vec::new(), taken: 0 }
    }

    /// Reads the next block if the last one is used up; at the end of the run there are no keys.
    fn refill(&mut self, scratch: &mut Scratch) -> Result<(), SeenError> {
        if self.taken == self.keys.len() {
            self.keys.clear();
            self.taken = 0;
            if self.next_block < self.run.blocks() {
                self.run.decode(self.next_block, scratch, &mut self.keys)?;
                self.next_block += 1;
            }
        }
        Ok(())
    }

    /// Moves the keys up to the limit.
    fn take(&mut self, limit: u64, keys: &mut Vec<u64>) {
        let rest = &self.keys[self.taken..];
        let taken = rest.partition_point(|key| *key <= limit);
        keys.extend_from_slice(&rest[..taken]);
        self.taken += taken;
    }
}
