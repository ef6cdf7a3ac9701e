//! Every lane that the segments know.

use super::walk::Walk;
use super::{BacklogError, LaneKey};

/// Lanes by key, each once, with the ordinal after its last entry. After an error it ends.
#[derive(Debug)]
pub struct Lanes {
    pub(super) walks: Vec<Walk>,
}

impl Lanes {
    /// The ordinal after the last entry of this lane, which is the lowest of all walks.
    fn end_of(&mut self, lane: LaneKey) -> Result<u64, BacklogError> {
        let mut end = 0;
        for walk in &mut self.walks {
            while let Some(record) = walk.record_of(lane) {
                end = record.end().max(end);
                walk.advance()?;
            }
        }
        Ok(end)
    }
}

impl Iterator for Lanes {
    type Item = Result<(LaneKey, u64), BacklogError>;

    fn next(&mut self) -> Option<Self::Item> {
        let lane = self.walks.iter().filter_map(Walk::lane).min()?;
        let end = self.end_of(lane);
        if end.is_err() {
            self.walks.clear();
        }
        Some(end.map(|end| (lane, end)))
    }
}
