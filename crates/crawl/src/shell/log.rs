//! The log of facts; in memory, until it is a file.

use std::collections::VecDeque;

use rhumb_web::{PartitionId, Tick};

use crate::partition::Fact;

/// Facts that are kept: memory is bounded, and nothing reads further back yet.
pub const FACTS_KEPT: usize = 256;

/// One fact of one partition at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Whose.
    pub partition: PartitionId,
    /// When.
    pub at: Tick,
    /// What.
    pub fact: Fact,
}

/// The latest facts of all partitions, in the order in which they were decided.
#[derive(Debug, Default)]
pub struct Log {
    frames: VecDeque<Frame>,
    written: u64,
}

impl Log {
    /// Takes facts in, before any of their effects is started.
    pub fn append(&mut self, partition: PartitionId, at: Tick, facts: Vec<Fact>) {
        for fact in facts {
            self.written += 1;
            self.frames.push_back(Frame { partition, at, fact });
        }
        while self.frames.len() > FACTS_KEPT {
            self.frames.pop_front();
        }
    }

    /// How many facts were ever taken in.
    pub fn written(&self) -> u64 {
        self.written
    }
}
