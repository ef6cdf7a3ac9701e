//! The payloads that the archive has in full: what comes again is stored as a reference to them.
//!
//! What came lately is in memory, the rest in the tables; a payload that is in neither is stored
//! once more, which is always right.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use rhumb_archive::{Digest, Earlier};

use super::committer::locked;
use crate::store::read_payload;
use crate::tables::Tables;

/// What a payload takes in memory, about.
const BYTES_EACH: usize = 256;

/// Where payloads are, by digest.
#[derive(Debug)]
pub(super) struct Payloads {
    lately: Mutex<Lately>,
    /// Payloads of half of what is in memory.
    half: usize,
    tables: Arc<dyn Tables>,
    /// Whether the tables may know more than memory.
    is_deep: AtomicBool,
}

#[derive(Debug, Default)]
struct Lately {
    young: HashMap<Digest, Earlier>,
    old: HashMap<Digest, Earlier>,
}

impl Payloads {
    /// Those of a crawl, which is new or not, in so many bytes of memory.
    pub(super) fn new(tables: Arc<dyn Tables>, memory: usize, is_new: bool) -> Self {
        let half = (memory / BYTES_EACH / 2).max(1);
        let is_deep = AtomicBool::new(!is_new);
        Self { lately: Mutex::default(), half, tables, is_deep }
    }

    /// The capture that first had this payload.
    pub(super) fn find(&self, digest: &Digest) -> Option<Earlier> {
        let lately = locked(&self.lately);
        let known = lately.young.get(digest).or_else(|| lately.old.get(digest)).cloned();
        drop(lately);
        if known.is_some() || !self.is_deep.load(Ordering::Relaxed) {
            return known;
        }
        // Where the tables cannot be read the crawl ends by the next checkpoint.
        let (url, kept_ms) = read_payload(&*self.tables, digest.as_bytes()).ok().flatten()?;
        Some(Earlier { url, began: SystemTime::UNIX_EPOCH + Duration::from_millis(kept_ms) })
    }

    /// Lets later captures refer to payloads that are written.
    pub(super) fn add(&self, originals: Vec<(Digest, Earlier)>) {
        let mut lately = locked(&self.lately);
        for (digest, capture) in originals {
            if lately.young.len() >= self.half {
                lately.old = std::mem::take(&mut lately.young);
                self.is_deep.store(true, Ordering::Relaxed);
            }
            if !lately.old.contains_key(&digest) {
                lately.young.entry(digest).or_insert(capture);
            }
        }
    }
}
