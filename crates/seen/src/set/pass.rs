//! A pass over a bucket.

use rhumb_web::UrlKey;

use crate::run::Scratch;
use crate::{Bucket, Run, SeenError};

/// What the set has of one bucket at one moment, to be searched for the keys that wait there; see
/// [`SeenSet::pass`](crate::SeenSet::pass).
#[derive(Debug)]
pub struct Pass {
    bucket: Bucket,
    /// The keys that were in memory, sorted.
    tables: Vec<u64>,
    runs: Vec<Run>,
}

impl Pass {
    pub(super) fn new(bucket: Bucket, tables: Vec<u64>, runs: Vec<Run>) -> Self {
        Self { bucket, tables, runs }
    }

    /// Which of these keys of the bucket the set does not have; of equal ones only the first. It reads the
    /// disk, forward.
    pub fn find_new(self, keys: &[UrlKey]) -> Result<Vec<bool>, SeenError> {
        debug_assert!(
            keys.iter().all(|key| Bucket::of(*key) == self.bucket),
            "a pass reads one bucket"
        );
        let mut waiting: Vec<(u64, u32)> = keys.iter().map(|key| key.0).zip(0..).collect();
        waiting.sort_unstable();
        waiting.dedup_by_key(|(key, _)| *key);
        let mut tables = self.tables.iter().peekable();
        waiting.retain(|(key, _)| {
            while tables.next_if(|known| *known < key).is_some() {}
            tables.peek() != Some(&key)
        });
        let mut scratch = Scratch::default();
        for run in &self.runs {
            run.strike(&mut waiting, &mut scratch)?;
        }
        let mut is_new = vec![false; keys.len()];
        for (_, index) in waiting {
            is_new[usize::try_from(index).expect("an index of a list in memory")] = true;
        }
        Ok(is_new)
    }
}
