//! Where the numbers of a status come from.

use std::path::Path;

use rhumb_frontier::SiteRules;
use rhumb_seen::Seen;

use super::status::Status;
use super::verdict::{self, Strain};
use crate::partition::{Dossier, Partition, Tally};
use crate::store::disk_use;

impl Status {
    /// Takes in the counts of all partitions.
    pub(crate) fn count<S: Seen>(&mut self, partitions: &[Partition<S>]) {
        let mut tally = Tally::default();
        for partition in partitions {
            let state = partition.state();
            tally.add(state.tally());
            let frontier = state.frontier();
            self.queued += frontier.queued();
            self.sites += frontier.site_count();
            self.in_flight += wide(partition.in_flight());
            for (hold, sites) in frontier.held() {
                *self.waiting_by.entry(hold.word().to_owned()).or_default() += sites;
            }
            let standings = frontier.standings();
            for (state, sites) in [
                ("fetching", standings.fetching),
                ("waiting", standings.waiting),
                ("idle", standings.idle),
                ("asleep", standings.asleep),
            ] {
                *self.sites_by_state.entry(state.to_owned()).or_default() += sites;
            }
        }
        self.waiting = self.waiting_by.values().sum();
        self.fetched = tally.fetched;
        self.pages = tally.pages();
        self.redirects = tally.redirects;
        self.sitemaps = tally.sitemaps;
        self.robots = tally.robots;
        self.duplicates = tally.duplicates;
        self.near_duplicates = tally.near;
        self.bytes = tally.bytes;
        let words = |(word, count): (&str, u64)| (word.to_owned(), count);
        self.refused = tally.refused.iter().map(|(it, n)| words((it.word(), *n))).collect();
        self.failed = tally.missed.iter().map(|(miss, n)| (miss.word(), *n)).collect();
        self.marked = tally.marked.iter().map(|(it, n)| words((it.word(), *n))).collect();
        self.cut = tally.cut.iter().map(|(it, n)| words((it.word(), *n))).collect();
    }

    /// Takes in a site that lies on disk, of a crawl that does not run.
    pub(crate) fn count_resting(&mut self, rules: &SiteRules, dossier: &Dossier) {
        let state = &dossier.state;
        let word = if state.queued() > 0 { "waiting" } else { "idle" };
        for (word, change) in [("asleep", -1), (word, 1)] {
            let count = self.sites_by_state.entry(word.to_owned()).or_default();
            *count = count.saturating_add_signed(change);
        }
        if state.queued() > 0 {
            let hold = state.waits().map_or(state.manner().hold, |waiting| waiting.hold);
            let hold = rules.bars(&dossier.site, state).unwrap_or(hold);
            *self.waiting_by.entry(hold.word().to_owned()).or_default() += 1;
            self.waiting += 1;
        }
    }

    /// Measures the files of the crawl; slow on a slow disk.
    pub(crate) fn measure(&mut self, folder: &Path) {
        self.disk = disk_use(folder);
        self.disk_bytes = self.disk.values().sum();
    }

    /// Says what holds it back.
    pub(crate) fn judge(&mut self, strain: Strain) {
        let (word, text) = verdict::of(self, strain);
        (self.held_back_by, self.verdict) = (word.to_owned(), text);
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).expect("a length fits 64 bits")
}
