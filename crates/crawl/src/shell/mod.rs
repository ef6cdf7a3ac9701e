//! The shell: time, tasks and files around the pure partitions.
//!
//! One desk owns the partitions and decides; a task per ticket fetches and reads; one thread
//! writes pages. See [`run`].

mod clock;
mod committer;
mod desk;
mod log;
mod reading;
mod report;
mod roster;
mod shelf;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;

use rhumb_archive::{About, Archive, ArchiveError, ArchiveSettings, CrawlId};
use rhumb_fetch::Fetcher;
use rhumb_frontier::Manners;
use rhumb_rules::Rules;
use rhumb_web::{Canon, CanonUrl, Epoch, HashKey, PartitionId, Span};
use tokio::sync::{mpsc, watch};

use crate::partition::PartitionSettings;
use desk::Desk;
use reading::Reader;
use worker::Worker;

pub use log::{FACTS_KEPT, Frame, Log};
pub use report::{Ended, Hosts, Progress, Report, SiteLine, Standing, Summary, What};

/// A WARC file that would grow beyond this is sealed first.
const WARC_BYTES_MAX: u64 = 1_000_000_000;

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
    /// While our own connection is down, one fetch in this time probes it.
    pub probe_every: Span,
    /// How long a ticket may be out: longer than the longest fetch.
    pub ticket_for: Span,
    /// The creation of the crawl, in milliseconds since 1970.
    pub born_ms: u64,
    /// The folder of the archive.
    pub archive: PathBuf,
    /// What the archive says of its maker.
    pub about: About,
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

    /// What tells the records of this crawl from all others: as secret as its hashes need be.
    fn crawl_id(&self) -> CrawlId {
        let name = |word: &str| self.hash.hash(word.as_bytes()).to_be_bytes();
        let mut id = [0; 16];
        id[..8].copy_from_slice(&name("archive"));
        id[8..].copy_from_slice(&name("record"));
        CrawlId(id)
    }

    fn archive_settings(&self) -> ArchiveSettings {
        ArchiveSettings {
            prefix: "rhumb".to_owned(),
            rotate_bytes: WARC_BYTES_MAX,
            crawl: self.crawl_id(),
            about: self.about.clone(),
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
/// An error means that something could not be kept.
pub async fn run(
    settings: CrawlSettings,
    rules: Rules,
    fetcher: Fetcher,
    seeds: &[CanonUrl],
    outlet: Outlet,
) -> Result<Summary, ArchiveError> {
    let archive = Archive::open(&settings.archive, settings.archive_settings())?;
    let (counter, mut committer) = committer::start(settings.crawl_id(), archive);
    // Every ticket that is out can report without waiting.
    let (arrivals, inbox) = mpsc::channel(settings.connections + 1);
    let reader = Reader {
        agent: settings.agent.clone(),
        canon: settings.canon,
        hash: settings.hash,
        partitions: settings.partitions,
        tells_refusals: settings.tells_refusals,
    };
    let worker = Arc::new(Worker::new(fetcher, reader, counter, arrivals));
    let mut desk = Desk::new(settings, rules, Arc::clone(&worker), outlet.reports, outlet.progress);
    desk.seed(desk::seeds(seeds));
    let (ended, progress, facts) = tokio::select! {
        ended = desk.run(inbox, outlet.stop) => ended,
        // Its counter lives as long as the worker: it ends before that only by a failed write.
        failed = &mut committer => {
            let written = failed.expect("the committer does not panic");
            return Err(written.err().unwrap_or(ArchiveError::Poisoned));
        }
    };
    let hosts = desk.hosts();
    let duplicates = worker.duplicates();
    drop((desk, worker));
    committer.await.expect("the committer does not panic")?;
    Ok(Summary { ended, progress, duplicates, hosts, facts })
}
