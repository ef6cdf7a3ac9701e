//! Tables in memory, that fail on demand: for simulations.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Batch, Rows, Table, Tables, TablesError};
use crate::log::Offset;

/// Tables that a simulated crawl keeps over its crashes. Clones share their rows.
#[derive(Clone, Debug, Default)]
pub struct MemoryTables {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    rows: BTreeMap<(Table, Vec<u8>), Vec<u8>>,
    offset: Option<Offset>,
    fault: Option<Fault>,
}

#[derive(Clone, Copy, Debug)]
struct Fault {
    happens: bool,
}

impl MemoryTables {
    /// The next commit is refused.
    pub fn fail_next(&self) {
        self.kill_in_commit(false);
    }

    /// The next commit answers an error, though it happened or not.
    pub fn kill_in_commit(&self, happens: bool) {
        self.with(|inner| inner.fault = Some(Fault { happens }));
    }

    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        act(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Tables for MemoryTables {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, TablesError> {
        Ok(self.with(|inner| inner.rows.get(&(table, key.to_vec())).cloned()))
    }

    fn range(&self, table: Table, prefix: &[u8]) -> Rows<'_> {
        let rows: Vec<_> = self.with(|inner| {
            let from = inner.rows.range((table, prefix.to_vec())..);
            from.take_while(|((of, key), _)| *of == table && key.starts_with(prefix))
                .map(|((_, key), value)| Ok((key.clone(), value.clone())))
                .collect()
        });
        Box::new(rows.into_iter())
    }

    fn commit(&self, batch: Batch, offset: Offset) -> Result<(), TablesError> {
        batch.check()?;
        self.with(|inner| {
            let fault = inner.fault.take();
            if fault.is_none_or(|fault| fault.happens) {
                for change in batch.changes {
                    let key = (change.table, change.key);
                    match change.value {
                        Some(value) => inner.rows.insert(key, value),
                        None => inner.rows.remove(&key),
                    };
                }
                inner.offset = Some(offset);
            }
            match fault {
                None => Ok(()),
                Some(_) => Err(TablesError::Failed {
                    doing: "commit to",
                    folder: PathBuf::from("memory"),
                    reason: "the simulation says so".to_owned(),
                }),
            }
        })
    }

    fn offset(&self) -> Result<Option<Offset>, TablesError> {
        Ok(self.with(|inner| inner.offset))
    }
}
