//! The graph and the ranks, built anew now and then, in a thread of their own.

use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use rhumb_disk::SharedDisk;
use rhumb_rank::{Graph, RankError, RankSettings, Ranks};

use crate::IndexError;

/// Below this length of the store nobody waits for ranks while a crawl runs.
const LINKS_MIN: u64 = 64 << 10;

/// Builds the graph and the ranks.
#[derive(Debug)]
pub(super) struct Ranking {
    disk: SharedDisk,
    folder: PathBuf,
    memory: usize,
    /// How far the store of links was read for the last one.
    built_at: u64,
    running: Option<JoinHandle<Result<u64, RankError>>>,
}

impl Ranking {
    pub(super) fn new(
        disk: SharedDisk,
        folder: PathBuf,
        memory: usize,
    ) -> Result<Self, IndexError> {
        let built_at = Ranks::newest_built_at(&disk, &folder)?.unwrap_or(0);
        Ok(Self { disk, folder, memory, built_at, running: None })
    }

    /// Begins to build if links have grown by half since; one at a time.
    pub(super) fn begin(&mut self, end: u64) -> Result<(), IndexError> {
        if self.running.as_ref().is_some_and(|running| !running.is_finished()) {
            return Ok(());
        }
        self.join()?;
        let is_due = end >= LINKS_MIN && end / 3 >= self.built_at / 2;
        if is_due {
            let (disk, folder) = (SharedDisk::clone(&self.disk), self.folder.clone());
            let memory = self.memory;
            self.running = Some(thread::spawn(move || build(&disk, &folder, end, memory)));
        }
        Ok(())
    }

    /// Builds unless it is done, and waits for it.
    pub(super) fn finish(&mut self, end: u64) -> Result<(), IndexError> {
        self.join()?;
        if self.built_at != end {
            self.built_at = build(&self.disk, &self.folder, end, self.memory)?;
        }
        Ok(())
    }

    fn join(&mut self) -> Result<(), IndexError> {
        if let Some(running) = self.running.take() {
            let built = running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            self.built_at = built?;
        }
        Ok(())
    }
}

fn build(disk: &SharedDisk, folder: &Path, end: u64, memory: usize) -> Result<u64, RankError> {
    let graph = Graph::build(disk, folder, end, memory)?;
    rhumb_rank::compute(disk, folder, &graph, &RankSettings::default(), memory)?;
    Ok(end)
}
