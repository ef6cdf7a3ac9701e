//! Merging runs, so that their number stays small.

use std::path::Path;

use rhumb_disk::Disk;

use super::{Cursor, Mark, RunWriter, strike};
use crate::LikenessError;
use crate::ledger::RunInfo;
use crate::sieve::CROWD_MAX;

/// So many runs of about one size become one: few enough for a pass to read them all, enough that
/// an entry is written once for each time that the sieve grew so many times.
const FANOUT: usize = 4;

/// Runs to be merged.
pub(crate) struct Merge {
    runs: Vec<RunInfo>,
}

impl Merge {
    /// The runs that are worth it, if there are any.
    pub(crate) fn of(runs: &[RunInfo]) -> Option<Self> {
        let crowded =
            |tier: &u32| runs.iter().filter(|run| tier_of(run) == *tier).count() >= FANOUT;
        let tier = runs.iter().map(tier_of).filter(crowded).max()?;
        Some(Self { runs: runs.iter().filter(|run| tier_of(run) <= tier).cloned().collect() })
    }

    /// Writes them as one run, and the names that it replaces.
    pub(crate) fn write(
        self,
        disk: &dyn Disk,
        folder: &Path,
        name: &str,
    ) -> Result<(RunInfo, Vec<String>), LikenessError> {
        let mut writer = RunWriter::create(disk, folder, name)?;
        let mut sources = Vec::new();
        for run in &self.runs {
            sources.push(Source::new(Cursor::open(disk, folder, run)?));
        }
        let mut round = Vec::new();
        let mut marks = Vec::new();
        loop {
            for source in &mut sources {
                source.refill()?;
            }
            // Below the first end of a block all sources are complete; at it they may go on.
            let ends = sources.iter().filter_map(|source| source.entries.last());
            let Some((limit, _)) = ends.min().copied() else { break };
            for source in &mut sources {
                source.take_all(limit, &mut round)?;
            }
            // The stable sort finds the sorted pieces and merges them.
            round.sort();
            for group in round.chunk_by(|a, b| a.0 == b.0) {
                marks.clear();
                marks.extend(group.iter().map(|(_, mark)| *mark));
                strike(&mut marks);
                marks.truncate(CROWD_MAX);
                let key = group[0].0;
                for mark in &marks {
                    writer.extend(&[(key, *mark)])?;
                }
            }
            round.clear();
        }
        Ok((writer.finish()?, self.runs.into_iter().map(|run| run.name).collect()))
    }
}

/// The size class of a run: one for each factor of four.
fn tier_of(run: &RunInfo) -> u32 {
    run.entries.max(1).ilog2() / FANOUT.ilog2()
}

/// A run that is read block by block.
struct Source {
    cursor: Cursor,
    entries: Vec<(u64, Mark)>,
    taken: usize,
}

impl Source {
    fn new(cursor: Cursor) -> Self {
        Self { cursor, entries: Vec::new(), taken: 0 }
    }

    /// Reads the next block if the last one is used up; at the end of the run there are none.
    fn refill(&mut self) -> Result<(), LikenessError> {
        if self.taken == self.entries.len() {
            self.entries.clear();
            self.taken = 0;
            self.cursor.block(&mut self.entries)?;
        }
        Ok(())
    }

    /// Moves the entries up to the limit, in whatever block they lie: the marks of a key stay
    /// together.
    fn take_all(&mut self, limit: u64, round: &mut Vec<(u64, Mark)>) -> Result<(), LikenessError> {
        loop {
            let rest = &self.entries[self.taken..];
            let taken = rest.partition_point(|(key, _)| *key <= limit);
            round.extend_from_slice(&rest[..taken]);
            self.taken += taken;
            if self.taken < self.entries.len() || self.entries.is_empty() {
                return Ok(());
            }
            self.refill()?;
        }
    }
}
