//! The ceiling of all domains, and when it is raised.

use rhumb_web::{Span, Tick};

use super::desk::Desk;
use crate::partition::Partition;

/// The ceiling of all domains is raised when nobody else was due for so long.
const RAISE_AFTER: Span = Span::seconds(2);
/// How often it is raised at once, if that frees nobody.
const RAISES_MAX: usize = 40;

impl Desk {
    /// Tells the partitions what is wanted first.
    pub(super) fn set_policy(&mut self) {
        for partition in &mut self.partitions {
            partition.state_mut().frontier_mut().set_policy(self.settings.policy.clone());
        }
        self.set_level();
    }

    /// Tells the partitions how high the ceiling of all domains is.
    fn set_level(&mut self) {
        let level = self.keeping.holdings.level;
        for partition in &mut self.partitions {
            partition.state_mut().frontier_mut().set_level(level);
        }
    }

    /// Whether sites wait only because their domains have had their share.
    pub(super) fn has_shares_to_raise(&self) -> bool {
        self.shared() > 0
    }

    /// Sites that wait because their domains have had their share.
    fn shared(&self) -> u64 {
        self.partitions.iter().map(|partition| partition.state().frontier().shared()).sum()
    }

    /// Raises the ceiling of all domains when all that have work stand at it, or when those that
    /// do not keep us waiting.
    pub(super) fn raise_if_idle(&mut self, now: Tick) {
        let shared = self.shared();
        if shared == 0 {
            self.idle_since = None;
            return;
        }
        let due = self.partitions.iter().filter_map(Partition::wants_turn_at).min();
        let is_busy = due.is_some_and(|due| due <= now + RAISE_AFTER)
            || !self.own.is_empty()
            || self.room(now) == 0
            || self.partitions.iter().any(Partition::is_reading);
        if is_busy {
            self.idle_since = None;
            return;
        }
        let since = *self.idle_since.get_or_insert(now);
        let is_alone = due.is_none() && self.in_flight() == 0;
        if !is_alone && now.since(since) < RAISE_AFTER {
            return;
        }
        // What was learned since the last count may be enough.
        if self.ballot.has_news() {
            self.ballot.count(self.keeping.notices());
            return;
        }
        self.idle_since = None;
        for _ in 0..RAISES_MAX {
            self.keeping.holdings.level += 1;
            self.set_level();
            if self.shared() < shared {
                break;
            }
        }
    }
}
