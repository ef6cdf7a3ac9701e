//! A run: an immutable file of sorted entries, each a key and the row that has it.
//!
//! The magic, then blocks: how many entries, how many bytes the keys of the block need above its
//! first, the first key; the entries; and the CRC-32 of all that. Numbers are little-endian. Runs
//! are read from end to end, so there is no directory.

mod merge;
mod reader;
mod writer;

use crate::row::KEY_BITS;
pub(crate) use merge::Merge;
pub(crate) use reader::Cursor;
pub(crate) use writer::RunWriter;

const MAGIC: [u8; 8] = *b"rhlrun\x00\x01";
const MAGIC_BYTES: u64 = 8;
/// Entries of a block: as many as a read pays for.
const ENTRIES_MAX: usize = 4096;
const HEAD_BYTES: usize = 2 + 1 + 8;
const CRC_BYTES: usize = 4;
const MARK_BYTES: usize = 4;
const WIDTH_MAX: usize = KEY_BITS.div_ceil(8) as usize;

/// Rows that a run can name.
pub(crate) const ROWS_MAX: u32 = 1 << 31;

/// What a run says of a row under a key: that it has the key, or, in a later run, that it had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark(u32);

impl Mark {
    pub(crate) fn present(row: u32) -> Self {
        debug_assert!(row < ROWS_MAX, "a row's number leaves a bit");
        Self(row << 1)
    }

    pub(crate) fn gone(row: u32) -> Self {
        Self(Self::present(row).0 | 1)
    }

    pub(crate) fn row(self) -> u32 {
        self.0 >> 1
    }

    fn is_gone(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Strikes the rows that are gone out of all marks of one key, which are sorted.
pub(crate) fn strike(marks: &mut Vec<Mark>) {
    let mut kept = 0;
    for at in 0..marks.len() {
        let mark = marks[at];
        if mark.is_gone() && kept > 0 && marks[kept - 1] == Mark::present(mark.row()) {
            kept -= 1;
        } else {
            marks[kept] = mark;
            kept += 1;
        }
    }
    marks.truncate(kept);
}

/// The same, and what is gone from nowhere is left out: for all runs together.
pub(crate) fn living(marks: &mut Vec<Mark>) {
    strike(marks);
    marks.retain(|mark| !mark.is_gone());
}

#[cfg(test)]
mod tests;
