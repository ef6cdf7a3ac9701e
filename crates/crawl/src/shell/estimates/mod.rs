//! What is known beside the facts: who links to whom, and what follows from it.
//!
//! It decides who goes first, and nothing else. Lost, it costs a worse order for a while and no
//! page: see decision 25. Each kind gathers in bounded memory, is counted and written on another
//! thread, and lies in a [`sheet`] of the crawl's folder.

mod ballot;
mod citations;
mod sheet;

use std::io;
use std::path::Path;
use std::sync::Arc;

use rhumb_disk::SharedDisk;
use rhumb_frontier::{DomainKey, Ranks};
use rhumb_web::{HashKey, Site, UrlKey};

use super::CrawlSettings;
use super::desk::Desk;
use ballot::Ballot;
use citations::Citations;

pub(super) use ballot::Counted;
pub(super) use citations::Ranked;

/// All estimates of a crawl that runs.
#[derive(Debug)]
pub(super) struct Estimates {
    /// Links between domains.
    ballot: Ballot,
    /// Links between pages, where the order asks for ranks.
    citations: Option<Citations>,
    /// What was known at the opening, until the partitions are told.
    ranks: Option<Ranks>,
}

impl Estimates {
    /// Reads what was noted before.
    pub(super) fn open(disk: &SharedDisk, settings: &CrawlSettings) -> Self {
        let (folder, shares) = (&settings.folder, settings.shares());
        let ballot = Ballot::open(Arc::clone(disk), folder, shares.changed / 4);
        let needs_rank = settings.policy.order.needs_rank();
        let opened = needs_rank.then(|| Citations::open(Arc::clone(disk), folder, shares.ranks));
        let (citations, ranks) = opened.unzip();
        Self { ballot, citations, ranks }
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
        self.citations.as_ref().is_some_and(Citations::is_counting)
    }
}

impl Desk {
    /// Tells the partitions what was known at the opening.
    pub(super) fn recall_estimates(&mut self) {
        if let Some(ranks) = self.estimates.ranks.take() {
            self.set_ranks(ranks);
        }
    }

    /// Counts anew where enough has come; at the end of the crawl whatever has.
    pub(super) fn tend_estimates(&mut self, is_end: bool) {
        let notices = self.keeping.notices();
        let Estimates { ballot, citations, .. } = &mut self.estimates;
        if ballot.is_due() && !is_end {
            ballot.count(notices.clone());
        }
        if let Some(citations) = citations.as_mut().filter(|it| it.is_due(is_end)) {
            citations.count(notices);
            for partition in &mut self.partitions {
                partition.state_mut().frontier_mut().begin_ranks();
            }
        }
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
    disk.sync_folder(folder)
}
