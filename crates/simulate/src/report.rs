//! What a simulation came to.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::Plan;
use crate::checker::Violation;
use crate::moment::Moment;

/// The result of one history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was asked for.
    pub plan: Plan,
    /// Requests that reached the web.
    pub fetches: u64,
    /// Pages that came: answers that are neither robots.txt, redirect nor error.
    pub pages: u64,
    /// Links that they brought.
    pub links: u64,
    /// How long the crawl took in its own time.
    pub virtual_time: Moment,
    /// What hosts may complain of, and how often.
    pub violations: BTreeMap<Violation, u64>,
    /// The first violations in words.
    pub examples: Vec<String>,
    /// A number that is the same only for the same visits in the same order.
    pub history: u64,
    /// What made the crawl hard, and how often.
    pub hardships: BTreeMap<&'static str, u64>,
}

impl Report {
    /// How many violations there were.
    pub fn violation_count(&self) -> u64 {
        self.violations.values().sum()
    }

    /// One object; `wall` is what the simulation itself took.
    pub fn json(&self, wall: Duration) -> Value {
        let count = |violation: &Violation| self.violations.get(violation).copied().unwrap_or(0);
        let violations: Map<String, Value> = Violation::ALL
            .iter()
            .map(|violation| (violation.word().to_owned(), count(violation).into()))
            .collect();
        json!({
            "seed": self.plan.seed,
            "fetches": self.fetches,
            "sites": self.plan.sites,
            "links": self.plan.links,
            "pages": self.pages,
            "links_found": self.links,
            "virtual_ms": self.virtual_time.as_millis(),
            "wall_ms": u64::try_from(wall.as_millis()).unwrap_or(u64::MAX),
            "fetches_per_s": per_second(self.fetches, wall),
            "violations": violations,
            "hardships": self.hardships,
            "history": format!("{:016x}", self.history),
        })
    }

    /// A line for a person, and one for each of the first violations.
    pub fn tell(&self, wall: Duration) -> String {
        let mut text = format!(
            "seed {}: {} fetches on {} sites, {} pages with {} links, {} s of virtual time in {} ms \
             ({} fetches/s), {} violations, history {:016x}",
            self.plan.seed,
            self.fetches,
            self.plan.sites,
            self.pages,
            self.links,
            self.virtual_time.as_millis() / 1_000,
            wall.as_millis(),
            per_second(self.fetches, wall),
            self.violation_count(),
            self.history,
        );
        for example in &self.examples {
            text.push_str("\n  ");
            text.push_str(example);
        }
        text
    }
}

fn per_second(fetches: u64, wall: Duration) -> u64 {
    let millis = u64::try_from(wall.as_millis()).unwrap_or(u64::MAX).max(1);
    fetches.saturating_mul(1_000) / millis
}
