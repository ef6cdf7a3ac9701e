//! What a running crawl tells of itself, and what is left of that once it has ended.

use std::time::Duration;

use rhumb_crawl::ask::{SiteOrder, SitesPage, SitesWanted, Status, stopped};
use rhumb_crawl::shell::{self, Ended, Handle, Outlet, Progress, handle};
use rhumb_fetch::{FetchSettings, Fetcher, Networks};
use rhumb_rules::{Rules, Scope, ScopeKind};
use rhumb_testweb::{Served, Spec};
use rhumb_web::CanonUrl;
use tokio::sync::{mpsc, watch};

use crate::outage::settings;

/// URLs of one site that lead nowhere: more than the head of its queue holds.
const NOWHERE: usize = 600;

/// What takes longer fails the test.
const PATIENCE: Duration = Duration::from_mins(1);

/// Looks at a crawl until it stands so.
async fn until(handle: &Handle, is_so: impl Fn(&Status) -> bool) -> Status {
    let look = async {
        loop {
            let status = handle.status().await.expect("it runs");
            if is_so(&status) {
                return status;
            }
        }
    };
    tokio::time::timeout(PATIENCE, look).await.expect("it comes to that")
}

/// What does not depend on whether it runs.
fn lasting(page: &SitesPage) -> Vec<(&str, u64, u64, &str)> {
    let rows = page.sites.iter();
    rows.map(|row| (row.site.as_str(), row.visits, row.queued, row.robots.as_str())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sites_of_a_running_crawl_are_those_that_it_leaves() {
    let spec = Spec { bad_hosts: false, traps: false, ..Spec::sized(6, 40, 200) };
    let served = Served::start(&spec).await.expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let mut fetch = FetchSettings {
        dns: Some(served.dns()),
        allow_private: Networks::all(),
        ip_gap: Duration::ZERO,
        ..FetchSettings::default()
    };
    fetch.roots.add(served.ca_der().to_vec().into()).expect("a certificate");
    let fetcher = Fetcher::new(fetch).expect("a fetcher");
    let mut seeds: Vec<CanonUrl> =
        served.seeds().iter().map(|seed| CanonUrl::parse(seed).expect("a URL")).collect();
    let origin = seeds[0].origin();
    let nowhere = |n| CanonUrl::parse(&format!("{origin}/nowhere/{n}")).expect("a URL");
    seeds.extend((0..NOWHERE).map(nowhere));
    let (reports, mut told) = mpsc::channel(1_024);
    let (progress, _) = watch::channel(Progress::default());
    let (stop_sender, stop) = watch::channel(false);
    let (handle, asks) = handle();
    let outlet = Outlet { reports, progress, stop, asks, follower: None, earlier: None };
    let wanted = SitesWanted { sort: SiteOrder::Visits, count: 200, ..SitesWanted::default() };
    let asking = wanted.clone();
    let asked = tokio::spawn(async move {
        let times = |status: &Status, phase: &str| status.phases[phase].count;
        until(&handle, |it| times(it, "links") > 20 && times(it, "refill") > 0).await;
        handle.pause(true).await.expect("it runs");
        let status = until(&handle, |status| status.in_flight == 0).await;
        let sites = handle.sites(&asking).await.expect("it runs").expect("tables can be read");
        stop_sender.send_replace(true);
        (status, sites)
    });
    let drain = tokio::spawn(async move { while told.recv().await.is_some() {} });
    let settings = settings(folder.path());
    let rules = Rules::new(Scope::new(ScopeKind::Any));
    let run = shell::run(settings.clone(), rules, fetcher, &seeds, outlet).await;
    assert_eq!(run.expect("pages are kept").ended, Ended::Stopped);
    let (status, sites) = asked.await.expect("it answers");
    drain.await.expect("drained");
    let rest = stopped::sites(&settings, &wanted).expect("it can be read");
    assert!(sites.exact && rest.exact && sites.total > 10, "{sites:?}");
    assert_eq!((sites.total, lasting(&sites)), (rest.total, lasting(&rest)));
    assert_eq!(sites.total, status.sites);
    let times = |phase: &str| status.phases[phase].count;
    assert!(times("links") <= status.fetched, "{} of {}", times("links"), status.fetched);
    assert_eq!(times("index"), 0, "nobody follows");
    assert_eq!(status.recent.len(), 20);
    assert!(status.recent.is_sorted_by(|one, other| one.time >= other.time), "the newest first");
    let rest = stopped::status(&settings).expect("it can be read");
    assert!(rest.recent.is_empty() && rest.phases.is_empty());
    served.stop().await;
}
