//! The files of a sieve, as a checkpoint lists them.

use serde::{Deserialize, Serialize};

/// All that is needed to open a sieve again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The number of the generation that is in memory.
    pub(crate) generation: u64,
    /// The number that the next row on disk gets.
    pub(crate) next_row: u32,
    /// The number that the next file of young rows gets.
    pub(crate) next_young: u64,
    /// The originals, each file with the numbers that follow those of the file before.
    pub(crate) rows: Vec<RowsInfo>,
    /// The keys of the originals.
    pub(crate) runs: Vec<RunInfo>,
    /// Rows that were in memory.
    pub(crate) young: Vec<RowsInfo>,
}

impl Ledger {
    /// The names of its files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let rows = self.rows.iter().chain(&self.young).map(|info| info.name.as_str());
        rows.chain(self.runs.iter().map(|info| info.name.as_str()))
    }

    /// Bytes of its files.
    pub fn bytes(&self) -> u64 {
        let rows = self.rows.iter().chain(&self.young).map(RowsInfo::bytes);
        rows.chain(self.runs.iter().map(|info| info.bytes)).sum()
    }

    /// How many originals are on disk; those in memory are not counted.
    pub fn originals(&self) -> u64 {
        self.rows.iter().map(|info| u64::from(info.count)).sum()
    }
}

/// A file of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RowsInfo {
    pub(crate) name: String,
    /// The generation that they were met in.
    pub(crate) generation: u64,
    /// The number of the first row.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// A file of keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunInfo {
    pub(crate) name: String,
    pub(crate) entries: u64,
    pub(crate) bytes: u64,
}
