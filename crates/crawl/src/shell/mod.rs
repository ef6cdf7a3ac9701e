//! The shell: time, tasks and files around the pure partitions.
//!
//! One desk owns the partitions and decides; a task per ticket fetches and reads; one thread
//! writes records and facts. See [`run`].

mod answers;
mod cloaking;
mod clock;
mod committer;
mod desk;
mod doorways;
mod estimates;
mod following;
mod handle;
mod hindsight;
mod interrupted;
mod keeping;
mod likening;
mod meter;
mod payloads;
mod pulse;
mod pushing;
mod reading;
mod recent;
mod repeats;
mod report;
mod roster;
mod saying;
mod shares;
mod suspicion;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rhumb_archive::{About, ArchiveSettings};
use rhumb_fetch::Fetcher;
use rhumb_formats::{Formats, FormatsSettings};
use rhumb_frontier::{Manners, Policy, SiteRules};
use rhumb_rules::Rules;
use rhumb_web::{Canon, CanonUrl, Epoch, HashKey, PartitionId, Site, Span, Tick};
use tokio::sync::{mpsc, watch};

use crate::forget;
use crate::partition::{Partition, PartitionSettings};
use crate::store::{self, Identity, Opened, StoreSettings};
use crate::tables::Tables;
use clock::Clock;
use committer::Committing;
use desk::Desk;
use keeping::Keeping;
use payloads::Payloads;
use reading::Reader;
use worker::Worker;

pub use crate::store::StoreError as CrawlError;
pub(crate) use estimates::forget_pages;
pub use following::{Follower, News};
pub use handle::{Asks, Handle, handle};
pub use hindsight::Hindsight;
pub use meter::Stopwatch;
pub use report::{Ended, Hosts, Progress, Report, SiteLine, Standing, Summary, What};

/// What may wait for the desk; whoever brings more waits himself.
const NOTICES_MAX: usize = 1_024;

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
    /// The secret of its hashes, for a crawl that is created.
    pub hash: HashKey,
    /// The name to which robots.txt and directives speak.
    pub agent: String,
    /// Politeness.
    pub manners: Manners,
    /// What the user wants of single sites.
    pub sites: SiteRules,
    /// In which order pages are fetched, and how many a domain may have.
    pub policy: Policy,
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
    /// The moment of its creation, in milliseconds since 1970, for a crawl that is created.
    pub born_ms: u64,
    /// The folder of the crawl.
    pub folder: PathBuf,
    /// Bytes of memory that it may take: see [`Shares`].
    pub memory: u64,
    /// What was written reaches the disk within this time.
    pub durability: Duration,
    /// Bytes of log between two checkpoints.
    pub checkpoint_bytes: u64,
    /// A WARC file that would grow beyond this is sealed first.
    pub warc_bytes: u64,
    /// What the archive says of its maker.
    pub about: About,
    /// Whether refused links are reported one by one.
    pub tells_refusals: bool,
    /// Of a million pages so many are compared with what a browser is shown: none, unless the
    /// operator agrees to hide who asks.
    pub cloaking_sample: u32,
    /// Who reads documents that are no pages; where nobody does they are only kept.
    pub formats: Option<FormatsSettings>,
}

impl CrawlSettings {
    pub(crate) fn partition(&self, id: PartitionId) -> PartitionSettings {
        PartitionSettings {
            may_disguise: self.cloaking_sample > 0,
            id,
            count: self.partitions,
            hash: self.hash,
            epoch: Epoch::default(),
            manners: self.manners,
            agent: self.agent.clone(),
            ticket_for: self.ticket_for,
            born_ms: self.born_ms,
            memory: self.shares().frontier / usize::from(self.partitions),
        }
    }

    pub(crate) fn store(&self) -> StoreSettings {
        StoreSettings {
            folder: self.folder.clone(),
            archive: ArchiveSettings {
                prefix: "rhumb".to_owned(),
                rotate_bytes: self.warc_bytes,
                crawl: store::crawl_id(self.hash),
                about: self.about.clone(),
            },
            identity: Identity::new(self.partitions, self.hash, self.born_ms),
            agent: self.agent.clone(),
            seen_memory: self.shares().seen,
            // The rest is for payloads.
            likeness_memory: self.shares().likeness / 4 * 3,
        }
    }

    /// The present moment of the crawl by the wall clock.
    pub(crate) fn wall_tick(&self) -> Tick {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now_ms = Span::from(since_1970.unwrap_or_default()).0;
        Tick(now_ms.saturating_sub(self.born_ms))
    }

    /// How its memory is shared out.
    pub fn shares(&self) -> Shares {
        let shares = Shares::of(self.memory);
        if self.policy.order.needs_rank() { shares.with_ranks() } else { shares }
    }

    pub(crate) fn owner(&self, url: &CanonUrl) -> PartitionId {
        reading::owner(url, self.hash, self.partitions)
    }

    pub(crate) fn owner_of(&self, site: &Site) -> PartitionId {
        site.pld().partition(self.hash, self.partitions)
    }
}

/// One table of memory: eighths of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Bodies in flight: two.
    pub bodies: usize,
    /// The seen-set: two.
    pub seen: usize,
    /// Sites and the heads of their queues.
    pub frontier: usize,
    /// What a checkpoint will write: changed rows, entries on their way to disk.
    pub changed: usize,
    /// The originals of all pages.
    pub likeness: usize,
    /// The tables' own caches.
    pub tables: usize,
    /// Links between pages and ranks over them: nothing, or half of what the frontier has.
    pub ranks: usize,
}

impl Shares {
    /// Of so many bytes.
    pub fn of(memory: u64) -> Self {
        let eighth = usize::try_from(memory / 8).unwrap_or(usize::MAX / 8);
        Self {
            bodies: 2 * eighth,
            seen: 2 * eighth,
            frontier: eighth,
            changed: eighth,
            likeness: eighth,
            tables: eighth,
            ranks: 0,
        }
    }

    /// For a crawl whose order asks for ranks.
    fn with_ranks(self) -> Self {
        let ranks = self.frontier / 2;
        Self { frontier: self.frontier - ranks, ranks, ..self }
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
    /// What it is asked while it runs.
    pub asks: Asks,
    /// Who reads the archive behind it, if anybody does.
    pub follower: Option<Follower>,
    /// Earlier crawls that say what likely changed since, if there are any.
    pub earlier: Option<Hindsight>,
}

/// Crawls from the seeds, or on from where it ended, until nothing is left, a limit is reached or
/// the user stops it. An error means that something could not be kept, or not be found again.
pub async fn run(
    mut settings: CrawlSettings,
    mut rules: Rules,
    fetcher: Fetcher,
    seeds: &[CanonUrl],
    outlet: Outlet,
) -> Result<Summary, CrawlError> {
    let (tables, opened) = open(settings.clone()).await?;
    (settings.hash, settings.born_ms) = (opened.identity.hash, opened.identity.born_ms);
    let forecast = hindsight::look(outlet.earlier, &settings).await?;
    let clock = Clock::resume(opened.last, settings.born_ms);
    let mut store = opened.store;
    store.opened(clock.now())?;
    // Whatever was under way when a crawl was killed may have reached its server.
    let (crawl, born_ms) = (store::crawl_id(settings.hash), settings.born_ms);
    let (within, last) = (settings.ticket_for, opened.last);
    store.note(&interrupted::notes(crawl, born_ms, within, last, &opened.states))?;
    store.sync()?;
    rules.forgotten = Arc::new(forget::known(&*tables)?);
    for root in opened.holdings.roots() {
        rules.scope.add_root(root);
    }
    let (notices, mut inbox) = mpsc::channel(NOTICES_MAX);
    let payloads = payloads(&settings, &tables, opened.last);
    let meter = outlet.follower.as_ref().map(|it| Arc::clone(&it.took.0)).unwrap_or_default();
    let follower = outlet.follower.map(|it| (it.news, settings.hash));
    let committing = Committing { payloads, meter: Arc::clone(&meter), follower };
    let (counter, mut committer) =
        committer::start(crawl, store, committing, settings.durability, notices.clone());
    let reader = Reader::new(&settings);
    let formats = settings.formats.clone().map(Formats::new);
    let worker = Arc::new(Worker::new(fetcher, formats, reader, counter, clock, notices.clone()));
    let partitions = (0..settings.partitions).map(PartitionId).zip(opened.states);
    let partitions: Vec<_> = partitions
        .map(|(id, state)| Partition::with_state(settings.partition(id), state))
        .collect();
    let mut keeping = Keeping::new(
        opened.holdings,
        settings.folder.clone(),
        notices,
        settings.checkpoint_bytes,
        settings.shares().changed,
        meter,
    );
    for partition in &partitions {
        for (bucket, count) in partition.state().waiting_counts() {
            keeping.add_waiting(clock.now(), bucket, count);
        }
    }
    let shown = (outlet.reports, outlet.progress);
    let at_work = Arc::clone(&worker);
    let mut desk = Desk::new(settings, clock, partitions, keeping, rules, at_work, shown);
    desk.set_site_rules();
    desk.set_priorities(forecast);
    desk.reopen(opened.parcels, opened.late, opened.last, opened.is_clean);
    desk.seed(desk::seeds(seeds));
    let work = async {
        let ended = desk.run(&mut inbox, outlet.stop, outlet.asks).await?;
        desk.finish(&mut inbox).await?;
        Ok::<_, CrawlError>(ended)
    };
    let (ended, progress, facts) = tokio::select! {
        ended = work => ended?,
        // Its counter lives as long as the worker: it ends before that only by a failed write.
        failed = &mut committer => {
            let written = failed.expect("the committer does not panic");
            return Err(written.expect_err("it ends early only by a failure"));
        }
    };
    let hosts = desk.hosts();
    drop((desk, worker, inbox));
    committer.await.expect("the committer does not panic")?;
    if !matches!(ended, Ended::DiskLow { .. }) {
        // Where it fails nothing is lost but time at the next opening.
        drop(tokio::task::spawn_blocking(move || tables.settle()).await);
    }
    Ok(Summary { ended, duplicates: progress.tally.duplicates, progress, hosts, facts })
}

/// The payloads that the archive has; of a crawl that was never open before there are none.
fn payloads(settings: &CrawlSettings, tables: &Arc<dyn Tables>, last: Tick) -> Payloads {
    let memory = settings.shares().likeness / 4;
    Payloads::new(Arc::clone(tables), memory, last == Tick::default())
}

/// Opens what a crawl keeps. It may take a while, in which signals, questions and the display have
/// their turn.
async fn open(settings: CrawlSettings) -> Result<(Arc<dyn Tables>, Opened), CrawlError> {
    let opening = tokio::task::spawn_blocking(move || {
        let tables = forget::open_tables(&settings)?;
        let opened = store::open(&rhumb_disk::real(), &tables, &settings.store())?;
        Ok((tables, opened))
    });
    opening.await.unwrap_or(Err(CrawlError::Panicked))
}
