//! What is known beside the facts: who links to whom, what follows from it, and OPIC cash.
//!
//! It decides who goes first, and nothing else. Lost, it costs a worse order for a while and no
//! page: see decision 25. Each kind gathers in bounded memory, is counted and written on another
//! thread, and lies in a [`sheet`] of the crawl's folder.

mod ballot;
mod cash;
mod citations;
mod sheet;

use std::io;
use std::path::Path;
use std::sync::Arc;

use rhumb_disk::SharedDisk;
use rhumb_frontier::{DomainKey, Ranks};
use rhumb_web::{HashKey, Site, Tick, UrlKey};

use super::CrawlSettings;
use super::desk::Desk;
use ballot::Ballot;
use cash::Cash;
use citations::Citations;

pub(super) use ballot::Counted;
pub(super) use citations::Ranked;

/// At the end of a crawl no more rows than this are counted once more: a few seconds of work.
const ROWS_AT_END: usize = 1 << 22;

/// Whether enough rows are new to count again, if they must have grown by this part: at the end of
/// a crawl any are, unless the user would wait too long for it.
fn is_enough(fresh: usize, counted: usize, part: usize, least: usize, is_end: bool) -> bool {
    if is_end {
        return fresh > 0 && counted <= ROWS_AT_END;
    }
    fresh >= least.max(counted / part)
}

/// All estimates of a crawl that runs.
#[derive(Debug)]
pub(super) struct Estimates {
    /// Links between domains.
    ballot: Ballot,
    /// Links between pages, where the order asks for ranks.
    citations: Option<Citations>,
    /// What was known at the opening, until the partitions are told.
    ranks: Option<Ranks>,
    cash: Cash,
}

impl Estimates {
    /// Reads what was noted before.
    pub(super) fn open(disk: &SharedDisk, settings: &CrawlSettings) -> Self {
        let (folder, shares) = (&settings.folder, settings.shares());
        let ballot = Ballot::open(Arc::clone(disk), folder, shares.changed / 4);
        let needs_rank = settings.policy.order.needs_rank();
        let opened = needs_rank.then(|| Citations::open(Arc::clone(disk), folder, shares.ranks));
        let (citations, ranks) = opened.unzip();
        let cash = Cash::new(Arc::clone(disk), folder);
        Self { ballot, citations, ranks, cash }
    }

    /// A domain from which trust flows.
    pub(super) fn trust(&mut self, hash: HashKey, site: &Site) {
        self.ballot.trust(hash, site);
    }

    /// A page of a domain links to others.
    pub(super) fn vote(&mut self, from: DomainKey, to: Vec<DomainKey>) {
        self.ballot.note(from, to);
    }

    /// A page links to others.
    pub(super) fn cite(&mut self, from: UrlKey, to: &[UrlKey]) {
        if let Some(citations) = &mut self.citations {
            citations.note(from, to);
        }
    }

    /// Whether something is under way that the end of the crawl waits for.
    pub(super) fn is_busy(&self) -> bool {
        self.ballot.is_counting()
            || self.citations.as_ref().is_some_and(Citations::is_counting)
            || self.cash.is_writing()
    }
}

impl Desk {
    /// Tells the partitions what was known at the opening.
    pub(super) fn recall_estimates(&mut self) {
        if let Some(ranks) = self.estimates.ranks.take() {
            self.set_ranks(ranks);
        }
        for (id, page, coins) in self.estimates.cash.read() {
            if let Some(partition) = self.partitions.get_mut(id.index()) {
                partition.state_mut().frontier_mut().note_coins(page, coins);
            }
        }
    }

    /// Counts anew where enough has come, and writes what is to be written; at the end of the
    /// crawl whatever has come is.
    pub(super) fn tend_estimates(&mut self, now: Tick, is_end: bool) {
        self.tend_cash(now, is_end);
        let notices = self.keeping.notices();
        let Estimates { ballot, citations, .. } = &mut self.estimates;
        if ballot.is_due(is_end) {
            ballot.count(notices.clone());
        }
        if let Some(citations) = citations.as_mut().filter(|it| it.is_due(is_end)) {
            citations.count(notices);
            for partition in &mut self.partitions {
                partition.state_mut().frontier_mut().begin_ranks();
            }
        }
    }

    fn tend_cash(&mut self, now: Tick, is_end: bool) {
        let (cash, count) = (&mut self.estimates.cash, self.partitions.len());
        while let Some(id) = cash.wants(now, is_end) {
            let coins = self.partitions[id.index()].state().frontier().coins();
            cash.take_down(id, count, coins, || self.keeping.notices());
            // One a turn, so that nobody waits for all of them.
            if !is_end {
                break;
            }
        }
    }

    /// Cash is written.
    pub(super) fn cash_written(&mut self) {
        self.estimates.cash.written(self.clock.now());
    }

    /// Tells the partitions what was counted of domains.
    pub(super) fn take_census(&mut self, counted: Counted) {
        let census = Arc::new(self.estimates.ballot.counted(counted));
        for partition in &mut self.partitions {
            partition.state_mut().frontier_mut().set_census(Arc::clone(&census));
        }
    }

    /// Tells the partitions the ranks of pages.
    pub(super) fn take_ranks(&mut self, ranked: Ranked) {
        if let Some(citations) = &mut self.estimates.citations {
            let ranks = citations.counted(ranked);
            self.set_ranks(ranks);
        }
    }

    fn set_ranks(&mut self, ranks: Ranks) {
        let ranks = Arc::new(ranks);
        for partition in &mut self.partitions {
            partition.state_mut().frontier_mut().set_ranks(Arc::clone(&ranks));
        }
    }
}

/// Removes what is known of single pages from a crawl's folder: after a takedown nothing of what
/// was forgotten is left there, not even as a hash among links. Links between domains stay.
pub(crate) fn forget_pages(disk: &SharedDisk, folder: &Path) -> io::Result<()> {
    Citations::forget(disk, folder)?;
    Cash::forget(disk, folder)?;
    disk.sync_folder(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_when_they_have_grown_and_at_the_end_unless_they_are_too_many() {
        let check = |fresh, counted, is_end, expect: bool| {
            assert_eq!(is_enough(fresh, counted, 5, 100, is_end), expect, "{fresh} to {counted}");
        };
        check(99, 0, false, false);
        check(100, 0, false, true);
        check(199, 1_000, false, false);
        check(200, 1_000, false, true);
        check(0, 1_000, true, false);
        check(1, 1_000, true, true);
        check(ROWS_AT_END, ROWS_AT_END + 1, true, false);
    }
}
