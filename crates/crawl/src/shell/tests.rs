//! The desk among those who want something of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rhumb_archive::About;
use rhumb_disk::{SharedDisk, SimulatedDisk};
use rhumb_fetch::FetchSettings;
use rhumb_frontier::Manners;
use rhumb_rules::{Scope, ScopeKind};

use super::desk::Notice;
use super::*;
use crate::tables::{MemoryTables, Tables};

pub(crate) const HASH: HashKey = HashKey(7, 8);

/// The settings of a small crawl.
pub(crate) fn settings(sites: SiteRules) -> CrawlSettings {
    CrawlSettings {
        partitions: 8,
        hash: HASH,
        agent: "rhumb".to_owned(),
        manners: Manners::default(),
        sites,
        canon: Canon::KeepQuery,
        connections: 8,
        limits: Limits::default(),
        patience: Span::minutes(2),
        probe_every: Span::seconds(1),
        ticket_for: Span::minutes(2),
        born_ms: 1_700_000_000_000,
        folder: PathBuf::from("crawl"),
        memory: 64 << 20,
        durability: Duration::ZERO,
        checkpoint_bytes: 1 << 20,
        warc_bytes: 1 << 20,
        about: About::default(),
        tells_refusals: false,
    }
}

/// A desk without work that does not end by itself, and what reaches it.
fn desk() -> (Desk, mpsc::Receiver<Notice>, mpsc::Sender<Notice>) {
    let settings = settings(SiteRules::default());
    let disk: SharedDisk = Arc::new(SimulatedDisk::new(1));
    let tables: Arc<dyn Tables> = Arc::new(MemoryTables::default());
    let opened = store::open(&disk, &tables, &settings.store()).unwrap();
    let clock = Clock::resume(opened.last, settings.born_ms);
    let (notices, inbox) = mpsc::channel(NOTICES_MAX);
    let crawl = store::crawl_id(HASH);
    let (counter, _) = committer::start(crawl, opened.store, settings.durability, notices.clone());
    let reader = Reader {
        agent: settings.agent.clone(),
        canon: settings.canon,
        hash: HASH,
        partitions: settings.partitions,
        tells_refusals: false,
    };
    let fetcher = Fetcher::new(FetchSettings::default()).unwrap();
    let worker = Arc::new(Worker::new(fetcher, reader, counter, clock, notices.clone()));
    let partitions = (0..).map(PartitionId).zip(opened.states);
    let partition = |(id, state)| Partition::with_state(settings.partition(id), state);
    let partitions = partitions.map(partition).collect();
    let folder = settings.folder.clone();
    let keeping = Keeping::new(opened.holdings, folder, notices.clone(), u64::MAX, 1 << 20);
    let (reports, _) = mpsc::channel(1);
    let (progress, _) = watch::channel(Progress::default());
    let rules = Rules::new(Scope::new(ScopeKind::Any));
    let shown = (reports, progress);
    let mut desk = Desk::new(settings, clock, partitions, keeping, rules, worker, shown);
    desk.is_paused = true;
    (desk, inbox, notices)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_asks_is_answered_however_many_notices_come() {
    let (mut desk, mut inbox, notices) = desk();
    let (stop, stopped) = watch::channel(false);
    let (handle, asks) = handle();
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let flood = std::thread::spawn(move || {
        while !over.load(Ordering::SeqCst) {
            notices.blocking_send(Notice::Written(Vec::new())).expect("the desk listens");
        }
    });
    let asking = tokio::spawn(async move {
        let answer = tokio::time::timeout(Duration::from_secs(10), handle.pause(true)).await;
        is_over.store(true, Ordering::SeqCst);
        stop.send_replace(true);
        answer
    });
    let (ended, ..) = desk.run(&mut inbox, stopped, asks).await.unwrap();
    assert_eq!(ended, Ended::Stopped);
    assert_eq!(asking.await.unwrap(), Ok(Some(())));
    flood.join().unwrap();
}
