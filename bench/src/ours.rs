//! The seen-set, driven as a crawl drives it, all on one thread.

use std::error::Error;
use std::path::{Path, PathBuf};

use rhumb_disk::SharedDisk;
use rhumb_seen::{Bucket, Novelty, Run, Seen, SeenSet};
use rhumb_web::UrlKey;

use crate::seen::{Outcome, Store};

/// What `--memory 256MB` grants.
const MEMORY: usize = 64 << 20;
/// Without a filter this many candidates wait before all buckets are passed over.
const BATCHED: usize = 4_000_000;

pub struct Ours {
    set: SeenSet,
    disk: SharedDisk,
    folder: PathBuf,
    waiting: Vec<Vec<UrlKey>>,
    count: usize,
    is_filtered: bool,
    new: u64,
    files: u64,
}

impl Ours {
    pub fn new(folder: &Path, is_filtered: bool) -> Self {
        let set = SeenSet::new(MEMORY);
        Self {
            set: if is_filtered { set } else { set.without_filter() },
            disk: rhumb_disk::real(),
            folder: folder.to_owned(),
            waiting: vec![Vec::new(); usize::from(Bucket::COUNT)],
            count: 0,
            is_filtered,
            new: 0,
            files: 0,
        }
    }

    fn admit(&mut self, key: UrlKey) {
        self.set.insert(key);
        self.new += 1;
    }

    fn pass(&mut self, bucket: Bucket) -> Outcome {
        let keys = std::mem::take(&mut self.waiting[usize::from(bucket.0)]);
        self.count -= keys.len();
        let is_new = self.set.pass(bucket).find_new(&keys)?;
        for (key, is_new) in keys.iter().zip(is_new) {
            if is_new {
                self.admit(*key);
            } else {
                self.set.note_known(*key);
            }
        }
        let mut keys = keys;
        keys.clear();
        self.waiting[usize::from(bucket.0)] = keys;
        Ok(())
    }

    fn pass_all(&mut self) -> Outcome {
        (0..Bucket::COUNT).try_for_each(|bucket| self.pass(Bucket(bucket)))
    }

    fn name(&mut self) -> String {
        self.files += 1;
        format!("{}.run", self.files)
    }

    fn flush(&mut self) -> Outcome {
        let name = self.name();
        let keys = self.set.snapshot().keys;
        self.set.install(Run::write(&*self.disk, &self.folder, &name, &keys)?);
        if let Some(merge) = self.set.merge() {
            let name = self.name();
            let (run, replaced) = merge.write(&*self.disk, &self.folder, &name)?;
            self.set.replace(run, &replaced);
            for name in replaced {
                self.disk.remove(&self.folder.join(name))?;
            }
        }
        Ok(())
    }
}

impl Store for Ours {
    fn meet(&mut self, batch: &[u64]) -> Outcome {
        let pays = self.set.pass_pays();
        for key in batch {
            match self.set.meet(UrlKey(*key)) {
                Novelty::New => self.admit(UrlKey(*key)),
                Novelty::Known => {}
                Novelty::Unsure(bucket) => {
                    let waiting = &mut self.waiting[usize::from(bucket.0)];
                    waiting.push(UrlKey(*key));
                    self.count += 1;
                    if self.is_filtered && waiting.len() >= pays {
                        self.pass(bucket)?;
                    }
                }
            }
        }
        if !self.is_filtered && self.count >= BATCHED {
            self.pass_all()?;
        }
        if self.set.wants_flush() {
            self.flush()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<u64, Box<dyn Error>> {
        self.pass_all()?;
        self.set.set_memory(0);
        if self.set.wants_flush() {
            self.flush()?;
        }
        Ok(self.new)
    }
}
