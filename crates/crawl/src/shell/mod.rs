//! The shell: time, tasks and files around the pure partitions.
//!
//! One desk owns the partitions and decides; a task per ticket fetches and reads; one thread
//! writes pages. See [`run`].

mod clock;
mod desk;
mod keep;
mod log;
mod reading;
mod report;
mod shelf;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;

use rhumb_fetch::Fetcher;
use rhumb_frontier::Manners;
use rhumb_rules::Rules;
use rhumb_web::{Canon, CanonUrl, Epoch, HashKey, PartitionId, Span};
use tokio::sync::{mpsc, watch};

use crate::partition::PartitionSettings;
use desk::Desk;
use reading::Reader;
use worker::Worker;

pub use keep::PageRecord;
pub use log::{FACTS_KEPT, Frame, Log};
pub use report::{Ended, Progress, Report, Summary, What};

/// When a crawl has enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Pages.
    pub pages: Option<u64>,
    /// Time since the start.
    pub time: Option<Span>,
    /// Bytes of bodies.
    pub bytes: Option<u64>,
}

/// The settings of the engine.
#[derive(Clone, Debug)]
pub struct CrawlSettings {
    /// Into how many shares the crawl is split.
    pub partitions: u16,
    /// The secret of its hashes.
    pub hash: HashKey,
    /// The name to which robots.txt and directives speak.
    pub agent: String,
    /// Politeness.
    pub manners: Manners,
    /// How URLs are brought to their canonical form.
    pub canon: Canon,
    /// Fetches under way at once, over all sites.
    pub connections: usize,
    /// When it is enough.
    pub limits: Limits,
    /// A run ends when all that is left waits longer than this.
    pub patience: Span,
    /// How long a ticket may be out: longer than the longest fetch.
    pub ticket_for: Span,
    /// The creation of the crawl, in milliseconds since 1970.
    pub born_ms: u64,
    /// The file of pages.
    pub pages: PathBuf,
    /// Whether refused links are reported one by one.
    pub tells_refusals: bool,
}

impl CrawlSettings {
    fn partition(&self, id: PartitionId) -> PartitionSettings {
        PartitionSettings {
            id,
            count: self.partitions,
            hash: self.hash,
            epoch: Epoch::default(),
            manners: self.manners,
            agent: self.agent.clone(),
            ticket_for: self.ticket_for,
            born_ms: self.born_ms,
        }
    }

    fn owner(&self, url: &CanonUrl) -> PartitionId {
        reading::owner(url, self.hash, self.partitions)
    }
}

/// Where a crawl tells what happens.
#[derive(Debug)]
pub struct Outlet {
    /// The end of every URL.
    pub reports: mpsc::Sender<Report>,
    /// How it stands, several times a second.
    pub progress: watch::Sender<Progress>,
    /// Turns true when the user wants it to end.
    pub stop: watch::Receiver<bool>,
}

/// Crawls from the seeds until nothing is left, a limit is reached or the user stops it.
/// An error means that a page could not be kept.
pub async fn run(
    settings: CrawlSettings,
    rules: Rules,
    fetcher: Fetcher,
    seeds: &[CanonUrl],
    outlet: Outlet,
) -> std::io::Result<Summary> {
    let (pages, mut keeper) = worker::start_keeper(&settings.pages)?;
    // Every ticket that is out can report without waiting.
    let (events, inbox) = mpsc::channel(settings.connections + 1);
    let reader = Reader {
        agent: settings.agent.clone(),
        canon: settings.canon,
        hash: settings.hash,
        partitions: settings.partitions,
        tells_refusals: settings.tells_refusals,
    };
    let refusals = settings.tells_refusals.then(|| outlet.reports.clone());
    let worker = Worker::new(fetcher, reader, events, pages, refusals);
    let mut desk = Desk::new(settings, rules, Arc::new(worker), outlet.reports, outlet.progress);
    desk.seed(desk::seeds(seeds));
    let (ended, progress, facts) = tokio::select! {
        ended = desk.run(inbox, outlet.stop) => ended,
        // Its senders live as long as the desk: it ends before that only by a failed write.
        failed = &mut keeper => {
            let written = failed.map_err(std::io::Error::other)?;
            return Err(written.err().unwrap_or_else(|| std::io::Error::other("it ended early")));
        }
    };
    drop(desk);
    let duplicates = keeper.await.map_err(std::io::Error::other)??;
    Ok(Summary { ended, progress, duplicates, facts })
}
