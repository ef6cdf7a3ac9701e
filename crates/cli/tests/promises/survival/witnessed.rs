//! What the server saw of a crawl that ended many times, held against what the crawler told.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rhumb_testweb::{Served, Witness};

/// A run tells a page when it has decided on it; the write of that may still wait for a sync that
/// is under way. What was told longer than this before a kill is written.
const WRITTEN_WITHIN: Duration = Duration::from_millis(500);

/// Judges run by run.
pub(super) struct Judge {
    /// The pages of the web.
    pages: BTreeSet<String>,
    /// Hosts whose robots.txt is asked for by one origin alone.
    plain_hosts: BTreeSet<String>,
    /// How it was when the last run ended, and the one before it.
    last: Ends,
    before_last: Ends,
    /// What was told so shortly before an end that it may not have been written; by how much.
    unsure: BTreeMap<String, Duration>,
    /// Pages, sitemaps and traps that were asked for once more.
    pub(super) again: usize,
    /// Those among them that had been told a moment before the end.
    pub(super) hasty: usize,
    /// The longest time that one of those had been told before the end.
    pub(super) hasty_by: Duration,
    /// Whether the log loses its end between the runs: then settled pages may come again.
    pub(super) is_lenient: bool,
}

/// How it was when a run ended.
#[derive(Default)]
struct Ends {
    /// Pages that were asked for and whose end was not told.
    in_flight: BTreeSet<String>,
    /// Requests for robots.txt at hosts that were asked for pages, too.
    robots: BTreeMap<String, usize>,
    repeats: usize,
    retries: usize,
}

impl Judge {
    pub(super) fn new(served: &Served) -> Self {
        let web = served.web();
        let mut origins: BTreeMap<&str, usize> = BTreeMap::new();
        for host in &web.hosts {
            *origins.entry(&host.name).or_default() += 1;
        }
        // Other hosts borrow the robots.txt of the hub.
        let hub = web.hosts[web.spec.hosts - 1].name.as_str();
        let plain = origins.into_iter().filter(|(name, count)| *count == 1 && *name != hub);
        Self {
            pages: served.expected().pages.into_keys().collect(),
            plain_hosts: plain.map(|(name, _)| name.to_owned()).collect(),
            last: Ends::default(),
            before_last: Ends::default(),
            unsure: BTreeMap::new(),
            again: 0,
            hasty: 0,
            hasty_by: Duration::ZERO,
            is_lenient: false,
        }
    }

    /// Pages that were in flight when the last run ended.
    pub(super) fn in_flight(&self) -> usize {
        self.last.in_flight.len()
    }

    /// Whatever this run asked for once more was in flight when the run before it ended.
    pub(super) fn run_ended(
        &mut self,
        witness: &Witness,
        told: &BTreeMap<String, Instant>,
        at: Instant,
    ) {
        let new = witness.repeats[self.last.repeats..].iter();
        let new: Vec<&String> = new.chain(&witness.retries[self.last.retries..]).collect();
        let mut met = BTreeSet::new();
        for url in new {
            assert!(met.insert(url), "{url} was asked for again without an end between");
            self.judge_repeat(url, told);
        }
        for (host, requests) in &self.before_last.robots {
            let now = witness.hosts[host].robots_requests;
            assert!(now == *requests || self.is_lenient, "robots.txt of {host} was known");
        }
        for (url, told) in told {
            let by = at.saturating_duration_since(*told);
            if by < WRITTEN_WITHIN {
                self.unsure.insert(url.clone(), by);
            }
        }
        let asked = witness.pages.keys().filter(|url| !told.contains_key(*url));
        let ends = Ends {
            in_flight: asked.cloned().collect(),
            robots: self.known_robots(witness),
            repeats: witness.repeats.len(),
            retries: witness.retries.len(),
        };
        self.before_last = std::mem::replace(&mut self.last, ends);
    }

    fn judge_repeat(&mut self, url: &str, told: &BTreeMap<String, Instant>) {
        self.again += 1;
        if self.last.in_flight.contains(url) {
            return;
        }
        if let Some(by) = self.unsure.remove(url) {
            self.hasty += 1;
            self.hasty_by = self.hasty_by.max(by);
            return;
        }
        // Sitemaps and traps are no pages of the model: what is known of them is what was told.
        let is_settled = told.contains_key(url) || self.pages.contains(url);
        assert!(!is_settled || self.is_lenient, "{url} was settled, and asked for again");
    }

    /// Requests for robots.txt where it must be known, because pages were asked for.
    fn known_robots(&self, witness: &Witness) -> BTreeMap<String, usize> {
        let hosts = witness.hosts.iter().filter(|(name, host)| {
            let others = host.robots_requests + host.sitemap_requests;
            host.requests > others && self.plain_hosts.contains(*name)
        });
        hosts.map(|(name, host)| (name.clone(), host.robots_requests)).collect()
    }
}
