//! What one could use instead, with caches that hold everything, writes in large batches, and no
//! sync. Each is asked in two ways: for every candidate as it comes, as our filtered set answers;
//! or for a batch that was sorted and freed of repeats before, as our batched set answers.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

use fjall::config::{BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry};
use redb::{Durability, TableDefinition};

use crate::seen::{Outcome, Store};

/// A cache that holds everything that these runs write.
const CACHE_BYTES: usize = 1 << 30;

const KEYS: TableDefinition<'_, u64, ()> = TableDefinition::new("keys");

/// The batch as the store is asked for it.
fn asked(batch: &[u64], is_sorted: bool) -> Vec<u64> {
    let mut keys = batch.to_vec();
    if is_sorted {
        keys.sort_unstable();
        keys.dedup();
    }
    keys
}

pub struct Fjall {
    database: fjall::Database,
    keys: fjall::Keyspace,
    is_sorted: bool,
    new: u64,
}

impl Fjall {
    pub fn new(folder: &Path, is_sorted: bool) -> Result<Self, Box<dyn Error>> {
        let cache = u64::try_from(CACHE_BYTES)?;
        let database = fjall::Database::builder(folder).cache_size(cache).open()?;
        let filter = FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey(12.0));
        let options = || {
            fjall::KeyspaceCreateOptions::default()
                .manual_journal_persist(true)
                .max_memtable_size(64 << 20)
                .filter_policy(FilterPolicy::all(filter))
                .data_block_compression_policy(CompressionPolicy::disabled())
        };
        let keys = database.keyspace("keys", options)?;
        Ok(Self { database, keys, is_sorted, new: 0 })
    }
}

impl Store for Fjall {
    fn meet(&mut self, batch: &[u64]) -> Outcome {
        let mut written = HashSet::new();
        let mut changes = self.database.batch().durability(None);
        for key in asked(batch, self.is_sorted) {
            let bytes = key.to_be_bytes();
            // A batch does not read its own writes.
            if !self.keys.contains_key(bytes)? && (self.is_sorted || written.insert(key)) {
                changes.insert(&self.keys, bytes, []);
                self.new += 1;
            }
        }
        changes.commit()?;
        Ok(())
    }

    fn finish(&mut self) -> Result<u64, Box<dyn Error>> {
        self.keys.rotate_memtable_and_wait()?;
        Ok(self.new)
    }
}

pub struct Redb {
    database: redb::Database,
    is_sorted: bool,
    new: u64,
}

impl Redb {
    pub fn new(folder: &Path, is_sorted: bool) -> Result<Self, Box<dyn Error>> {
        let mut builder = redb::Builder::new();
        let database = builder.set_cache_size(CACHE_BYTES).create(folder.join("redb"))?;
        Ok(Self { database, is_sorted, new: 0 })
    }
}

impl Store for Redb {
    fn meet(&mut self, batch: &[u64]) -> Outcome {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(Durability::None)?;
        let mut table = transaction.open_table(KEYS)?;
        for key in asked(batch, self.is_sorted) {
            self.new += u64::from(table.insert(key, ())?.is_none());
        }
        drop(table);
        transaction.commit()?;
        Ok(())
    }

    fn finish(&mut self) -> Result<u64, Box<dyn Error>> {
        self.database.begin_write()?.commit()?;
        Ok(self.new)
    }
}

#[derive(Default)]
pub struct Plain {
    keys: HashSet<u64>,
}

impl Store for Plain {
    fn meet(&mut self, batch: &[u64]) -> Outcome {
        self.keys.extend(batch);
        Ok(())
    }

    fn finish(&mut self) -> Result<u64, Box<dyn Error>> {
        Ok(u64::try_from(self.keys.len())?)
    }
}
