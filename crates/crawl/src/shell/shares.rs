//! The ceiling of all domains: when there is one, and when it is raised.
//!
//! A ceiling is for a crawl that has more to fetch than it can: while there is room for everyone
//! there is none. When those below their ceilings do not fill the room any more it is raised, and
//! lifted until room is short again.

use std::sync::Arc;

use rhumb_order::Forecast;
use rhumb_web::{Span, Tick};

use super::desk::Desk;

/// Room is short while this part of all connections is in use: a half.
const SHORT_PART: usize = 2;
/// It is not any more while less than this part is: a quarter.
const AMPLE_PART: usize = 4;
/// For so long at least.
const AMPLE_FOR: Span = Span::seconds(1);

impl Desk {
    /// Tells the partitions what is wanted first, and what is known of pages from before.
    pub(super) fn set_priorities(&mut self, forecast: Option<Arc<Forecast>>) {
        self.set_policy();
        self.recall_estimates();
        self.set_forecast(forecast);
    }

    fn set_policy(&mut self) {
        for partition in &mut self.partitions {
            partition.state_mut().frontier_mut().set_policy(self.settings.policy.clone());
        }
    }

    /// Sets a ceiling when room is short, and lifts it when it is not.
    pub(super) fn tend_shares(&mut self, now: Tick) {
        let (in_flight, all) = (self.in_flight(), self.settings.connections);
        if in_flight >= (all / SHORT_PART).max(1) {
            self.ample_since = None;
            if !self.has_ceiling {
                self.has_ceiling = true;
                self.set_level(Some(self.keeping.holdings.level));
            }
        } else if self.has_ceiling && in_flight < (all / AMPLE_PART).max(1) {
            let since = *self.ample_since.get_or_insert(now);
            if now.since(since) >= AMPLE_FOR {
                self.lift_ceiling();
            }
        } else {
            self.ample_since = None;
        }
    }

    /// Nobody waits for his share any more; when room is short again everyone has a larger one.
    fn lift_ceiling(&mut self) {
        (self.has_ceiling, self.ample_since) = (false, None);
        let waiting: u64 =
            self.partitions.iter().map(|partition| partition.state().frontier().shared()).sum();
        if waiting > 0 {
            self.keeping.holdings.level = self.keeping.holdings.level.saturating_add(1);
        }
        self.set_level(None);
    }

    fn set_level(&mut self, level: Option<u32>) {
        for partition in &mut self.partitions {
            partition.state_mut().frontier_mut().set_level(level);
        }
    }
}
