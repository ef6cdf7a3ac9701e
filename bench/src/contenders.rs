//! What one could use instead, each in the fastest way that its documents give for batches, with
//! no sync: the batch is sorted and each key asked for once, in order.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

use fjall::config::{BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry};
use redb::{Durability, TableDefinition};

use crate::seen::{Outcome, Store};

/// A cache that holds everything that these runs write.
const CACHE_BYTES: usize = 1 << 30;

const KEYS: TableDefinition<'_, u64, ()> = TableDefinition::new("keys");

/// The batch, sorted and each key once.
fn sorted(batch: &[u64]) -> Vec<u64> {
    let mut keys = batch.to_vec();
    keys.sort_unstable();
    keys.dedup();
    keys
}

pub struct Fjall {
    database: fjall::Database,
    keys: fjall::Keyspace,
    new: u64,
}

impl Fjall {
    pub fn new(folder: &Path) -> Result<Self, Box<dyn Error>> {
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
        Ok(Self { database, keys, new: 0 })
    }
}

impl Store for Fjall {
    fn meet(&mut self, batch: &[u64]) -> Outcome {
        let mut changes = self.database.batch().durability(None);
        for key in sorted(batch) {
            let key = key.to_be_bytes();
            if !self.keys.contains_key(key)? {
                changes.insert(&self.keys, key, []);
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
    new: u64,
}

impl Redb {
    pub fn new(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut builder = redb::Builder::new();
        let database = builder.set_cache_size(CACHE_BYTES).create(folder.join("redb"))?;
        Ok(Self { database, new: 0 })
    }
}

impl Store for Redb {
    fn meet(&mut self, batch: &[u64]) -> Outcome {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(Durability::None)?;
        let mut table = transaction.open_table(KEYS)?;
        for key in sorted(batch) {
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
