//! A real crawl: followed while it runs, and read when it is over.

use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use rhumb_archive::About;
use rhumb_crawl::ask::stopped;
use rhumb_crawl::shell::{
    self, CrawlSettings, Ended, Follower, Limits, Outlet, Progress, Stopwatch,
};
use rhumb_fetch::{FetchSettings, Fetcher, Networks};
use rhumb_frontier::{Manners, SiteRules};
use rhumb_gather::{GatherSettings, Gatherer, is_read};
use rhumb_index::Searcher;
use rhumb_rules::{Rules, Scope, ScopeKind};
use rhumb_testweb::{Served, Spec};
use rhumb_web::{Canon, CanonUrl, Span};
use tokio::sync::{mpsc, watch};

use crate::maker::{HASH, held};

fn settings(folder: &Path) -> CrawlSettings {
    CrawlSettings {
        partitions: 4,
        hash: HASH,
        agent: "rhumb".to_owned(),
        manners: Manners { delay: Span::ZERO, delay_is_explicit: true, tries: 1, floor: None },
        sites: SiteRules::default(),
        policy: rhumb_frontier::Policy::default(),
        canon: Canon::Full,
        connections: 64,
        limits: Limits::default(),
        patience: Span::seconds(1),
        probe_every: Span(100),
        ticket_for: Span::seconds(90),
        born_ms: 0,
        folder: folder.to_owned(),
        memory: 64 << 20,
        durability: Duration::from_millis(200),
        checkpoint_bytes: 64 << 20,
        // Files are sealed while they are followed.
        warc_bytes: 200_000,
        about: About::default(),
        cloaking_sample: 0,
        tells_refusals: false,
        formats: None,
    }
}

fn gatherer(folder: &Path, index: &str) -> Gatherer {
    let settings = GatherSettings {
        folder: folder.to_owned(),
        index: folder.join(index),
        hash: HASH,
        threads: 3,
        commit_every: Duration::from_millis(300),
        ..GatherSettings::default()
    };
    Gatherer::open(settings).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_was_followed_is_held_as_one_that_is_read_at_its_end() {
    let spec = Spec { bad_hosts: false, traps: false, ..Spec::sized(8, 12, 300) };
    let served = Served::start(&spec).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut fetch = FetchSettings {
        dns: Some(served.dns()),
        allow_private: Networks::all(),
        ip_gap: Duration::ZERO,
        ..FetchSettings::default()
    };
    fetch.roots.add(served.ca_der().to_vec().into()).unwrap();
    let fetcher = Fetcher::new(fetch).unwrap();
    let seeds: Vec<CanonUrl> =
        served.seeds().iter().map(|seed| CanonUrl::parse(seed).unwrap()).collect();
    let follower = gatherer(folder.path(), "followed");
    let (news_sender, news) = channel();
    let took = Stopwatch::default();
    let watch = took.clone();
    let following = std::thread::spawn(move || follower.follow(&news, &watch));
    // A crawl does not end before all is told.
    let (reports, mut told) = mpsc::channel(1);
    let (progress, _) = watch::channel(Progress::default());
    let (_stop, stop) = watch::channel(false);
    let (handle, asks) = shell::handle();
    let follower = Follower { news: news_sender, took };
    let follower = Some(follower);
    let outlet = Outlet { reports, progress, stop, asks, follower, earlier: None };
    let drain = tokio::spawn(async move {
        let mut status = handle.status().await.unwrap();
        while status.phases["index"].count == 0 {
            status = handle.status().await.unwrap();
        }
        while told.recv().await.is_some() {}
        status
    });
    let rules = Rules::new(Scope::new(ScopeKind::Any));
    let settings = settings(folder.path());
    let summary = shell::run(settings.clone(), rules, fetcher, &seeds, outlet).await.unwrap();
    let status = drain.await.unwrap();
    assert!(status.phases["index"].sum_ms > 0.0);
    assert_eq!(summary.ended, Ended::Done);
    following.join().unwrap().unwrap();
    let followed = held(&folder.path().join("followed"));
    let contents = stopped::contents(&settings).unwrap();
    let mut reader = gatherer(folder.path(), "read");
    let caught = reader.catch_up(Some(&contents), &mut |_| {}).unwrap();
    assert_eq!((caught.missing, caught.flaws.len()), (0, 0));
    let read = held(&folder.path().join("read"));
    assert!(read.len() > 100, "{}", read.len());
    assert!(read.values().any(|page| page.original.is_some()), "there are copies");
    assert!(read.len() < usize::try_from(summary.progress.tally.fetched).unwrap_or(0) + 1);
    assert_eq!(followed, read);
    for index in ["followed", "read"] {
        let cursor = Searcher::open(&folder.path().join(index)).unwrap().cursor();
        assert!(is_read(folder.path(), cursor).unwrap(), "{index}");
    }
    // Whoever followed it has nothing to add.
    let mut again = gatherer(folder.path(), "followed");
    assert_eq!(again.catch_up(Some(&contents), &mut |_| {}).unwrap().pages, 0);
    served.stop().await;
}
