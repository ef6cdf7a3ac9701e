//! How many searches there were: whoever works in the background goes after them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts searches; its clones are one.
#[derive(Clone, Debug, Default)]
pub struct Searches(Arc<AtomicU64>);

impl Searches {
    /// There was one more.
    pub fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn total(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
