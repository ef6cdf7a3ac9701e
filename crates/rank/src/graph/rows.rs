//! A table in a file: rows of numbers, in blocks with a checksum, found by their place.

use std::path::Path;

use rhumb_disk::DiskFile;

use crate::RankError;
use crate::fresh::Fresh;
use crate::width::wide;

const ROWS_A_BLOCK: usize = 2_048;
const WORD: usize = size_of::<u64>();
const SUM: usize = size_of::<u32>();

/// Writes rows of `N` numbers.
pub(super) struct RowsWriter<const N: usize> {
    at: u64,
    count: u64,
    block: Vec<u8>,
}

impl<const N: usize> RowsWriter<N> {
    pub(super) fn new(out: &Fresh) -> Self {
        Self { at: out.length(), count: 0, block: Vec::new() }
    }

    pub(super) fn push(&mut self, out: &mut Fresh, row: [u64; N]) -> Result<(), RankError> {
        self.block.extend(row.iter().flat_map(|word| word.to_le_bytes()));
        self.count += 1;
        if self.block.len() == ROWS_A_BLOCK * N * WORD { self.write(out) } else { Ok(()) }
    }

    fn write(&mut self, out: &mut Fresh) -> Result<(), RankError> {
        let sum = crc32fast::hash(&self.block);
        self.block.extend_from_slice(&sum.to_le_bytes());
        out.put(&self.block)?;
        self.block.clear();
        Ok(())
    }

    pub(super) fn finish(mut self, out: &mut Fresh) -> Result<Rows<N>, RankError> {
        if !self.block.is_empty() {
            self.write(out)?;
        }
        Ok(Rows { at: self.at, count: self.count })
    }
}

/// Where a table lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<const N: usize> {
    pub(super) at: u64,
    pub(super) count: u64,
}

impl<const N: usize> Rows<N> {
    pub(super) fn blocks(self) -> u64 {
        self.count.div_ceil(wide(ROWS_A_BLOCK))
    }

    /// All rows of a block.
    pub(super) fn block(
        self,
        file: &dyn DiskFile,
        path: &Path,
        number: u64,
    ) -> Result<Vec<[u64; N]>, RankError> {
        let before = number * wide(ROWS_A_BLOCK);
        let rows = (self.count - before).min(wide(ROWS_A_BLOCK));
        let rows = usize::try_from(rows).expect("a block is small");
        let mut bytes = vec![0; rows * N * WORD + SUM];
        let at = self.at + number * wide(ROWS_A_BLOCK * N * WORD + SUM);
        let count = file.read_at(at, &mut bytes).map_err(RankError::disk("read", path))?;
        if count < bytes.len() {
            return Err(RankError::damaged(path, "it ends within a table"));
        }
        let sum = bytes.split_off(bytes.len() - SUM);
        if crc32fast::hash(&bytes).to_le_bytes() != sum[..] {
            return Err(RankError::damaged(path, "the checksum of a table is wrong"));
        }
        let mut words = bytes
            .chunks_exact(WORD)
            .map(|word| u64::from_le_bytes(word.try_into().expect("a chunk is as long as a word")));
        let mut next = || words.next().expect("a block is made of whole rows");
        Ok((0..rows).map(|_| std::array::from_fn(|_| next())).collect())
    }

    /// The row at a place, which must be there.
    pub(super) fn row(
        self,
        file: &dyn DiskFile,
        path: &Path,
        place: u64,
    ) -> Result<[u64; N], RankError> {
        let block = self.block(file, path, place / wide(ROWS_A_BLOCK))?;
        let within = usize::try_from(place % wide(ROWS_A_BLOCK)).expect("a block is small");
        Ok(block[within])
    }

    /// All rows in order.
    pub(super) fn each(
        self,
        file: &dyn DiskFile,
        path: &Path,
        mut visit: impl FnMut([u64; N]) -> Result<(), RankError>,
    ) -> Result<(), RankError> {
        for number in 0..self.blocks() {
            self.block(file, path, number)?.into_iter().try_for_each(&mut visit)?;
        }
        Ok(())
    }

    /// The row that begins with this number, in a table sorted by it.
    pub(super) fn find(
        self,
        file: &dyn DiskFile,
        path: &Path,
        first: u64,
    ) -> Result<Option<[u64; N]>, RankError> {
        let (mut low, mut high) = (0, self.blocks());
        while low < high {
            let middle = low + (high - low) / 2;
            let block = self.block(file, path, middle)?;
            if block.last().is_some_and(|row| row[0] < first) {
                low = middle + 1;
            } else if block.first().is_some_and(|row| row[0] > first) {
                high = middle;
            } else {
                let place = block.binary_search_by_key(&first, |row| row[0]);
                return Ok(place.ok().map(|place| block[place]));
            }
        }
        Ok(None)
    }
}
