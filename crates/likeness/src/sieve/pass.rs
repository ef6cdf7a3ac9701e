//! A pass: a generation is compared with all that is on disk, and goes there.

use std::path::PathBuf;
use std::sync::Arc;

use rhumb_disk::SharedDisk;

use super::generation::{CROWD_MAX, Generation};
use super::judging::{Judge, Judgement};
use crate::ledger::{Ledger, RowsInfo, RunInfo};
use crate::row::{KEY_BITS, Row, URLS_END};
use crate::rows::{self, Reader};
use crate::run::{self, Cursor, Mark, Merge, RunWriter};
use crate::{Late, LikenessError};

/// The keys of a generation are sorted one part in so many at a time, to take less memory.
const SLICES: u64 = 8;
const SLICE: u64 = (1 << KEY_BITS) / SLICES;
const _: () = assert!(URLS_END.is_multiple_of(SLICE), "keys of URLs have slices of their own");

/// A generation on its way to the disk; see [`Sieve::pass`](crate::Sieve::pass).
pub struct Pass {
    disk: SharedDisk,
    folder: PathBuf,
    generation: Arc<Generation>,
    files: Ledger,
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pass").field("files", &self.files).finish_non_exhaustive()
    }
}

/// What a pass found and wrote.
#[derive(Debug)]
pub struct Passed {
    pub(super) late: Vec<Late>,
    pub(super) rows: Option<RowsInfo>,
    /// All runs from now on.
    pub(super) runs: Vec<RunInfo>,
    pub(super) next_row: u32,
    /// The names of runs that are merged into others.
    pub(super) replaced: Vec<String>,
}

impl Pass {
    pub(super) fn new(
        disk: SharedDisk,
        folder: PathBuf,
        generation: Arc<Generation>,
        files: Ledger,
    ) -> Self {
        Self { disk, folder, generation, files }
    }

    /// Reads all runs once, forward, then writes. The files are synced; the checkpoint that lists
    /// them syncs the folder.
    pub fn run(self) -> Result<Passed, LikenessError> {
        let judgement = self.judge()?;
        let room = run::ROWS_MAX - self.files.next_row;
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let originals = &judgement.originals[..judgement.originals.len().min(room)];
        let rows = self.write_rows(originals)?;
        let next_row = self.files.next_row + rows.as_ref().map_or(0, |rows| rows.count);
        let mut runs = self.files.runs.clone();
        runs.extend(self.write_run(originals, &judgement.outdated)?);
        let mut replaced = Vec::new();
        if let Some(merge) = Merge::of(&runs) {
            let name = self.name("merged");
            let (merged, names) = merge.write(&*self.disk, &self.folder, &name)?;
            runs.retain(|run| !names.contains(&run.name));
            runs.push(merged);
            replaced = names;
        }
        Ok(Passed { late: judgement.late, rows, runs, next_row, replaced })
    }

    fn name(&self, kind: &str) -> String {
        format!("{kind}-{:010}", self.files.generation)
    }

    /// Compares the generation with the rows on disk.
    fn judge(&self) -> Result<Judgement, LikenessError> {
        let reader = Reader::new(&*self.disk, &self.folder, &self.files.rows);
        let mut judge = Judge::new(&self.generation, reader);
        let mut cursors = Vec::new();
        for run in &self.files.runs {
            cursors.push(Cursor::open(&*self.disk, &self.folder, run)?);
        }
        let slices = if cursors.is_empty() { 0 } else { SLICES };
        let mut marks = Vec::new();
        for slice in (0..slices).map(|number| number * SLICE) {
            if slice == URLS_END {
                judge.settle()?;
            }
            let mut questions = Vec::new();
            for (number, row) in numbered(self.generation.living()) {
                let mut ask = |key| questions.push((key, number));
                row.questions(|key| {
                    if key.wrapping_sub(slice) < SLICE {
                        ask(key);
                    }
                });
            }
            questions.sort_unstable();
            for group in questions.chunk_by(|a, b| a.0 == b.0) {
                marks.clear();
                for cursor in &mut cursors {
                    cursor.find(group[0].0, 2 * CROWD_MAX, &mut marks)?;
                }
                marks.sort_unstable();
                run::living(&mut marks);
                for (_, document) in group {
                    for mark in marks.iter().take(CROWD_MAX) {
                        judge.note(mark.row(), *document)?;
                    }
                }
            }
        }
        judge.finish()
    }

    fn write_rows(&self, originals: &[u32]) -> Result<Option<RowsInfo>, LikenessError> {
        if originals.is_empty() {
            return Ok(None);
        }
        let count = u32::try_from(originals.len()).expect("a generation has a maximum");
        let (name, generation) = (self.name("rows"), self.files.generation);
        let info = RowsInfo { name, generation, first: self.files.next_row, count };
        let rows = originals.iter().map(|number| self.row(*number));
        rows::write(&*self.disk, &self.folder, &info, rows)?;
        Ok(Some(info))
    }

    /// The keys of the originals, and those that outdated rows on disk had.
    fn write_run(
        &self,
        originals: &[u32],
        outdated: &[u32],
    ) -> Result<Option<RunInfo>, LikenessError> {
        if originals.is_empty() && outdated.is_empty() {
            return Ok(None);
        }
        let mut writer = RunWriter::create(&*self.disk, &self.folder, &self.name("run"))?;
        let mut reader = Reader::new(&*self.disk, &self.folder, &self.files.rows);
        let mut entries = Vec::new();
        for slice in (0..SLICES).map(|number| number * SLICE) {
            let mut put = |row: &Row, mark| {
                row.keys(|key| {
                    if key.wrapping_sub(slice) < SLICE {
                        entries.push((key, mark));
                    }
                });
            };
            for (number, on_disk) in originals.iter().zip(self.files.next_row..) {
                put(self.row(*number), Mark::present(on_disk));
            }
            for on_disk in outdated {
                put(&reader.read(*on_disk)?, Mark::gone(*on_disk));
            }
            entries.sort_unstable();
            writer.extend(&entries)?;
            entries.clear();
        }
        Ok(Some(writer.finish()?))
    }

    fn row(&self, number: u32) -> &Row {
        self.generation.row(usize::try_from(number).expect("a row's number"))
    }
}

fn numbered<'a>(
    rows: impl Iterator<Item = (usize, &'a Row)>,
) -> impl Iterator<Item = (u32, &'a Row)> {
    rows.map(|(number, row)| (u32::try_from(number).expect("a generation has a maximum"), row))
}
