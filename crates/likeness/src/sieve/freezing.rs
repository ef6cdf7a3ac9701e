//! Rows that were in memory, on their way into a checkpoint.

use std::path::Path;

use rhumb_disk::Disk;

use crate::LikenessError;
use crate::ledger::{Ledger, RowsInfo};
use crate::row::Row;
use crate::rows;

/// What a checkpoint has to write.
#[derive(Debug)]
pub struct Frozen {
    ledger: Ledger,
    /// Rows that no checkpoint has yet, by generation.
    rows: Vec<(u64, Vec<Row>)>,
    gone: Vec<String>,
}

/// What a checkpoint has written.
#[derive(Debug)]
pub struct Sealed {
    pub(super) young: Vec<RowsInfo>,
    gone: Vec<String>,
}

impl Frozen {
    pub(super) fn new(ledger: Ledger, rows: Vec<(u64, Vec<Row>)>, gone: Vec<String>) -> Self {
        Self { ledger, rows, gone }
    }

    /// Writes and syncs its files; the caller syncs the folder, and then writes down the ledger.
    pub fn write(self, disk: &dyn Disk, folder: &Path) -> Result<(Ledger, Sealed), LikenessError> {
        let mut ledger = self.ledger;
        let mut young = Vec::new();
        for (number, (generation, rows)) in (1..).zip(&self.rows) {
            let first = ledger.young.last().map_or(0, |last| last.first + last.count);
            let name = format!("young-{:010}", ledger.next_young - number);
            let count = u32::try_from(rows.len()).expect("a generation has a maximum");
            let info = RowsInfo { name, generation: *generation, first, count };
            rows::write(disk, folder, &info, rows)?;
            ledger.young.push(info.clone());
            young.push(info);
        }
        Ok((ledger, Sealed { young, gone: self.gone }))
    }
}

impl Sealed {
    /// The names of files that nothing refers to any more, once the ledger is durable.
    pub fn gone(&self) -> Vec<String> {
        self.gone.clone()
    }
}
