//! Sorting more rows than memory holds: sorted runs go to disk and are merged.
//!
//! A run has no name: its file is removed as soon as it is made and lives until it is closed, so
//! that neither an error nor a kill leaves anything behind.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::{Path, PathBuf};

use rhumb_disk::{DiskFile, SharedDisk, Writing};

use crate::width::wide;
use crate::{RankError, fresh, varint};

/// What a reader or writer of a run holds of it.
const RUN_BUFFER: usize = 1 << 16;
/// The most runs that are merged at once.
const RUNS_MAX: usize = 256;
/// However little memory there is.
const ROWS_MIN: usize = 16;

const MAGIC: [u8; 8] = *b"rhsort\x00\x01";

/// Where sorters put what they cannot hold, and how much each may hold.
pub(crate) struct Desk {
    disk: SharedDisk,
    path: PathBuf,
    /// Bytes of each sorter.
    share: usize,
}

impl Desk {
    /// A place for sorters of `share` bytes each. A folder has one at a time.
    pub(crate) fn new(disk: &SharedDisk, folder: &Path, share: usize) -> Self {
        Self { disk: SharedDisk::clone(disk), path: folder.join("sort.new"), share }
    }

    pub(crate) fn sorter<const N: usize>(&self) -> Sorter<'_, N> {
        let capacity = (self.share / size_of::<[u64; N]>()).max(ROWS_MIN);
        Sorter { desk: self, capacity, rows: Vec::new(), runs: Vec::new() }
    }

    fn file(&self) -> Result<Box<dyn DiskFile>, RankError> {
        let file = fresh::create(&self.disk, &self.path)?;
        self.disk.remove(&self.path).map_err(RankError::disk("remove", &self.path))?;
        Ok(file)
    }

    /// Writes rows that come sorted.
    fn run<const N: usize>(
        &self,
        rows: impl Iterator<Item = Result<[u64; N], RankError>>,
    ) -> Result<Run<N>, RankError> {
        use std::io::Write as _;

        let failed = || RankError::disk("write", &self.path);
        let mut writing = Writing::new(self.file()?, RUN_BUFFER);
        let mut bytes = MAGIC.to_vec();
        let (mut count, mut before) = (0, 0);
        for row in rows {
            let row = row?;
            varint::put(&mut bytes, row[0] - before);
            row[1..].iter().for_each(|word| varint::put(&mut bytes, *word));
            before = row[0];
            count += 1;
            if bytes.len() >= RUN_BUFFER / 2 {
                writing.write_all(&bytes).map_err(failed())?;
                bytes.clear();
            }
        }
        writing.write_all(&bytes).map_err(failed())?;
        let file = writing.into_file().map_err(failed())?;
        Ok(Run { file, count })
    }
}

/// A sorted run on disk.
struct Run<const N: usize> {
    file: Box<dyn DiskFile>,
    count: u64,
}

/// Takes rows in any order.
pub(crate) struct Sorter<'d, const N: usize> {
    desk: &'d Desk,
    capacity: usize,
    rows: Vec<[u64; N]>,
    runs: Vec<Run<N>>,
}

impl<const N: usize> Sorter<'_, N> {
    pub(crate) fn push(&mut self, row: [u64; N]) -> Result<(), RankError> {
        if self.rows.len() == self.capacity {
            self.spill()?;
        } else if self.rows.is_empty() {
            // All at once: growing would hold the old rows beside the new ones. What is not
            // touched is not resident.
            self.rows.reserve_exact(self.capacity);
        }
        self.rows.push(row);
        Ok(())
    }

    fn spill(&mut self) -> Result<(), RankError> {
        self.rows.sort_unstable();
        self.runs.push(self.desk.run(self.rows.drain(..).map(Ok))?);
        Ok(())
    }

    /// All rows, ascending; equal ones as often as they were pushed.
    pub(crate) fn finish(mut self) -> Result<Sorted<N>, RankError> {
        if self.runs.is_empty() {
            self.rows.sort_unstable();
            return Ok(Sorted::Held(self.rows.into_iter()));
        }
        self.spill()?;
        self.rows = Vec::new();
        let at_once = (self.desk.share / RUN_BUFFER).clamp(2, RUNS_MAX);
        while self.runs.len() > at_once {
            let merge = Merge::new(self.runs.drain(..at_once).collect(), &self.desk.path)?;
            self.runs.push(self.desk.run(merge)?);
        }
        Ok(Sorted::Merged(Merge::new(self.runs, &self.desk.path)?))
    }
}

/// Rows in order.
pub(crate) enum Sorted<const N: usize> {
    Held(std::vec::IntoIter<[u64; N]>),
    Merged(Merge<N>),
}

impl<const N: usize> Iterator for Sorted<N> {
    type Item = Result<[u64; N], RankError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Held(rows) => rows.next().map(Ok),
            Self::Merged(merge) => merge.next(),
        }
    }
}

/// Several runs as one.
pub(crate) struct Merge<const N: usize> {
    readers: Vec<RunReader<N>>,
    heads: BinaryHeap<Reverse<([u64; N], usize)>>,
    path: PathBuf,
}

impl<const N: usize> Merge<N> {
    fn new(runs: Vec<Run<N>>, path: &Path) -> Result<Self, RankError> {
        let mut readers: Vec<RunReader<N>> = runs.into_iter().map(RunReader::new).collect();
        let mut heads = BinaryHeap::with_capacity(readers.len());
        for (number, reader) in readers.iter_mut().enumerate() {
            if let Some(row) = reader.take(path)? {
                heads.push(Reverse((row, number)));
            }
        }
        Ok(Self { readers, heads, path: path.to_owned() })
    }
}

impl<const N: usize> Iterator for Merge<N> {
    type Item = Result<[u64; N], RankError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut head = self.heads.peek_mut()?;
        let Reverse((row, number)) = *head;
        match self.readers[number].take(&self.path) {
            Ok(Some(after)) => *head = Reverse((after, number)),
            Ok(None) => {
                PeekMut::pop(head);
            }
            Err(error) => return Some(Err(error)),
        }
        Some(Ok(row))
    }
}

struct RunReader<const N: usize> {
    run: Run<N>,
    /// How far the file has been read.
    offset: u64,
    buffer: Vec<u8>,
    at: usize,
    before: u64,
}

impl<const N: usize> RunReader<N> {
    fn new(run: Run<N>) -> Self {
        let offset = wide(MAGIC.len());
        Self { run, offset, buffer: Vec::new(), at: 0, before: 0 }
    }

    fn take(&mut self, path: &Path) -> Result<Option<[u64; N]>, RankError> {
        if self.run.count == 0 {
            return Ok(None);
        }
        if self.buffer.len() - self.at < N * varint::BYTES_MAX {
            self.fill(path)?;
        }
        match self.decode() {
            Some(row) => Ok(Some(row)),
            None => Err(RankError::damaged(path, "a sorted run makes no sense")),
        }
    }

    fn decode(&mut self) -> Option<[u64; N]> {
        let mut rest = &self.buffer[self.at..];
        let mut row = [0; N];
        for word in &mut row {
            *word = varint::take(&mut rest)?;
        }
        row[0] = row[0].checked_add(self.before)?;
        self.before = row[0];
        self.at = self.buffer.len() - rest.len();
        self.run.count -= 1;
        Some(row)
    }

    fn fill(&mut self, path: &Path) -> Result<(), RankError> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let held = self.buffer.len();
        self.buffer.resize(RUN_BUFFER, 0);
        let count = self.run.file.read_at(self.offset, &mut self.buffer[held..]);
        let count = count.map_err(RankError::disk("read", path))?;
        self.buffer.truncate(held + count);
        self.offset += wide(count);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use rhumb_disk::{Disk, SimulatedDisk};

    use super::*;

    fn check(share: usize, rows: &[[u64; 2]]) {
        let simulated = SimulatedDisk::new(1);
        simulated.create_folder(Path::new("f")).unwrap();
        let disk: SharedDisk = Arc::new(simulated.clone());
        let desk = Desk::new(&disk, Path::new("f"), share);
        let mut sorter = desk.sorter();
        for row in rows {
            sorter.push(*row).unwrap();
        }
        let sorted: Vec<[u64; 2]> = sorter.finish().unwrap().map(Result::unwrap).collect();
        let mut expected = rows.to_vec();
        expected.sort_unstable();
        assert_eq!(sorted, expected);
        assert!(simulated.list(Path::new("f")).unwrap().is_empty(), "runs leave nothing");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rows_come_sorted_however_little_memory_there_is(
            rows in proptest::collection::vec((0..50u64, any::<u64>()), 0..600),
            share in 0..20_000usize,
        ) {
            let rows: Vec<[u64; 2]> = rows.into_iter().map(Into::into).collect();
            check(share, &rows);
        }
    }

    #[test]
    fn many_runs_are_merged_in_several_steps() {
        let mixed = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let rows: Vec<[u64; 2]> = (0..20_000).map(|number| [mixed(number), number]).collect();
        check(0, &rows);
        check(3 * RUN_BUFFER, &rows);
    }

    #[test]
    fn a_disk_that_fails_is_an_error() {
        let simulated = SimulatedDisk::new(1);
        simulated.create_folder(Path::new("f")).unwrap();
        let disk: SharedDisk = Arc::new(simulated.clone());
        let desk = Desk::new(&disk, Path::new("f"), 0);
        let mut sorter = desk.sorter();
        simulated.fail_after(5);
        let failed = (0..100).find_map(|number| sorter.push([number]).err());
        assert!(failed.expect("it fails").to_string().contains("sort.new"));
    }
}
