//! The witness sees every planted misdeed, and none where there is none.

use std::time::Duration;

use rhumb_testweb::truth::{Fault, Host, PageId, Robots, Variant};
use rhumb_testweb::{Served, Spec, Violation, Witness};

use crate::client::{ask, connect, get, plain_host};

const DELAY: Duration = Duration::from_millis(40);

async fn web() -> Served {
    Served::start(&Spec::sized(1, 60, 600)).await.expect("loopback is there")
}

/// A web that thinks for [`DELAY`] before every answer.
async fn slow_web() -> Served {
    let spec = Spec { latency: DELAY, ..Spec::sized(1, 60, 600) };
    Served::start(&spec).await.expect("loopback is there")
}

/// Lets at least [`DELAY`] pass: a slow web takes as long to answer on some other host.
async fn pass_time(served: &Served, not_on: &Host) {
    let other = plain_host(served, |h| h.place != not_on.place);
    get(served, other, "/robots.txt").await;
}

fn ordinary(served: &Served) -> &Host {
    plain_host(served, |h| h.robots == Robots::Prefix && h.pages.len() > 20)
}

fn seen<'a>(witness: &'a Witness, host: &Host) -> &'a rhumb_testweb::HostWitness {
    &witness.hosts[&host.name]
}

fn is_clean(witness: &Witness) -> bool {
    let lists = [&witness.repeats, &witness.decoys, &witness.unknown, &witness.not_canonical];
    lists.iter().all(|list| list.is_empty())
        && witness.robots_violations.is_empty()
        && witness.crowded().is_empty()
}

#[tokio::test]
async fn a_polite_client_leaves_no_trace() {
    let served = slow_web().await;
    let host = ordinary(&served);
    get(&served, host, "/robots.txt").await;
    pass_time(&served, host).await;
    get(&served, host, "/").await;
    let witness = served.witness();
    assert!(is_clean(&witness), "{witness:?}");
    assert_eq!(witness.hurried(DELAY), []);
    assert_eq!((seen(&witness, host).requests, seen(&witness, host).robots_requests), (2, 1));
    assert_eq!(witness.pages.len(), 1);
}

#[tokio::test]
async fn a_request_before_the_gap_is_over_is_seen() {
    let served = web().await;
    let host = ordinary(&served);
    get(&served, host, "/robots.txt").await;
    get(&served, host, "/").await;
    let witness = served.witness();
    assert_eq!(witness.hurried(Duration::from_mins(1)).len(), 1);
    assert!(witness.hurried(Duration::ZERO).is_empty());
}

#[tokio::test]
async fn a_connection_opened_early_counts_as_an_early_request() {
    let served = slow_web().await;
    let host = ordinary(&served);
    get(&served, host, "/robots.txt").await;
    let mut early = connect(&served, host).await;
    pass_time(&served, host).await;
    ask(&mut early, &served, &host.name, "/").await;
    assert_eq!(served.witness().hurried(DELAY).len(), 1);
}

#[tokio::test]
async fn a_crawl_delay_counts_more_than_a_shorter_delay_of_ours() {
    let served = slow_web().await;
    let host = plain_host(&served, |h| h.crawl_delay().is_some());
    get(&served, host, "/robots.txt").await;
    pass_time(&served, host).await;
    get(&served, host, "/").await;
    let hurried = served.witness().hurried(DELAY);
    assert!(hurried.len() == 1 && hurried[0].1 >= DELAY, "{hurried:?}");
}

#[tokio::test]
async fn requests_against_robots_are_seen() {
    let served = Served::start(&Spec::sized(1, 120, 600)).await.unwrap();
    let host = ordinary(&served);
    let closed = host.pages.clone().map(PageId).find(|p| served.web().page(*p).closed).unwrap();
    get(&served, host, "/").await;
    get(&served, host, "/robots.txt").await;
    get(&served, host, &served.web().page(closed).target).await;
    let shut = plain_host(&served, |h| h.robots.refuses_all());
    get(&served, shut, "/robots.txt").await;
    get(&served, shut, "/").await;
    let hosts = &served.web().hosts;
    let broken = hosts.iter().find(|h| h.fault == Some(Fault::Broken)).unwrap();
    get(&served, broken, "/robots.txt").await;
    get(&served, broken, "/").await;
    let violations = served.witness().robots_violations;
    let kinds: Vec<Violation> = violations.iter().map(|(_, v)| *v).collect();
    let expect = [
        Violation::BeforeRobots,
        Violation::Disallowed,
        Violation::HostClosed,
        Violation::HostClosed,
    ];
    assert_eq!(kinds, expect, "{violations:?}");
}

#[tokio::test]
async fn robots_behind_redirects_is_known_after_the_last_hop_only() {
    let served = web().await;
    let host = plain_host(&served, |h| h.robots == Robots::Moved(1));
    get(&served, host, "/robots.txt").await;
    get(&served, host, "/").await;
    assert_eq!(served.witness().robots_violations.len(), 1);
    let rules = get(&served, host, "/robots-1.txt").await;
    assert!(rules.contains("Disallow: /private/"), "{rules}");
    get(&served, host, "/copy").await;
    assert_eq!(served.witness().robots_violations.len(), 1);
}

#[tokio::test]
async fn one_page_under_two_spellings_is_a_repeat() {
    let served = web().await;
    let host = ordinary(&served);
    get(&served, host, "/robots.txt").await;
    get(&served, host, "/").await;
    get(&served, host, "/?utm_source=x").await;
    let witness = served.witness();
    assert_eq!((witness.repeats.len(), witness.not_canonical.len()), (1, 1), "{witness:?}");
    assert_eq!(witness.pages.values().copied().collect::<Vec<_>>(), [2]);
}

#[tokio::test]
async fn a_second_connection_is_seen_and_a_successor_is_none() {
    let served = web().await;
    let host = ordinary(&served);
    get(&served, host, "/robots.txt").await;
    get(&served, host, "/").await;
    assert_eq!(seen(&served.witness(), host).max_connections, 1);
    let mut first = connect(&served, host).await;
    let mut second = connect(&served, host).await;
    ask(&mut first, &served, &host.name, "/").await;
    ask(&mut second, &served, &host.name, "/").await;
    let witness = served.witness();
    assert_eq!(seen(&witness, host).max_connections, 2);
    assert_eq!(seen(&witness, host).max_in_flight, 1);
    assert_eq!(witness.crowded(), std::slice::from_ref(&host.name));
}

#[tokio::test]
async fn two_requests_at_once_are_seen() {
    let spec = Spec { latency: DELAY, ..Spec::sized(1, 10, 50) };
    let served = Served::start(&spec).await.unwrap();
    let host = plain_host(&served, |_| true);
    tokio::join!(get(&served, host, "/robots.txt"), get(&served, host, "/"));
    assert_eq!(seen(&served.witness(), host).max_in_flight, 2);
    assert_eq!(seen(&served.witness(), host).min_gap, None);
}

#[tokio::test]
async fn decoys_traps_and_inventions_are_told_apart() {
    let served = web().await;
    let host = plain_host(&served, |h| h.trap);
    get(&served, host, "/robots.txt").await;
    for target in
        ["/decoy/comment/1.html", "/trap/deep/more/", "/favicon.ico", "/calendar/2026/2.html"]
    {
        get(&served, host, target).await;
    }
    let witness = served.witness();
    let counts = [witness.decoys.len(), witness.trap_requests, witness.unknown.len()];
    assert_eq!(counts, [1, 1, 1], "{witness:?}");
    assert_eq!(witness.robots_violations.len(), 1);
    assert!(witness.repeats.is_empty());
    get(&served, host, "/trap/deep/more/").await;
    assert_eq!(served.witness().repeats.len(), 1);
}

#[tokio::test]
async fn a_failing_page_asked_again_is_a_retry_and_no_repeat() {
    let served = web().await;
    let web = served.web();
    let fits = |h: &Host| h.pages.clone().any(|p| web.page(PageId(p)).status() == 500);
    let host = plain_host(&served, |h| fits(h) && !h.robots.refuses_all());
    let failing = host.pages.clone().map(PageId).find(|p| web.page(*p).status() == 500).unwrap();
    get(&served, host, "/robots.txt").await;
    get(&served, host, &web.page(failing).target).await;
    get(&served, host, &web.page(failing).target).await;
    let witness = served.witness();
    assert_eq!((witness.retries.len(), witness.repeats.len()), (1, 0));
}

#[tokio::test]
async fn a_cookie_wall_lets_those_pass_who_bring_its_cookie() {
    let spec = Spec { cookie_walls: true, ..Spec::sized(1, 60, 600) };
    let served = Served::start(&spec).await.unwrap();
    let host = plain_host(&served, |h| h.cookie && !h.robots.refuses_all());
    get(&served, host, "/robots.txt").await;
    let first = get(&served, host, "/wall/").await;
    assert!(first.starts_with("HTTP/1.1 302") && first.contains("Set-Cookie: pass=1"), "{first}");
    let again = get(&served, host, "/wall/ HTTP/1.1\r\nCookie: pass=1\r\nX:").await;
    assert!(again.starts_with("HTTP/1.1 200"), "{again}");
    let witness = served.witness();
    assert!(witness.repeats.is_empty());
    assert_eq!((witness.pages.len(), seen(&witness, host).cookies), (1, 1));
}

#[test]
fn links_come_in_all_variants() {
    let web = rhumb_testweb::Web::generate(&Spec::demo());
    for variant in [
        Variant::Plain,
        Variant::Fragment,
        Variant::Tracking,
        Variant::Session,
        Variant::Escapes,
        Variant::Dots,
        Variant::CapitalHost,
        Variant::EmptyQuery,
        Variant::References,
    ] {
        let links = web.pages.iter().flat_map(|p| &p.links);
        assert!(links.filter(|l| l.variant == variant).count() > 20, "{variant:?}");
    }
}

#[tokio::test]
async fn forgotten_misdeeds_are_gone_and_open_connections_stay_in_the_books() {
    let served = web().await;
    let host = ordinary(&served);
    let mut kept = connect(&served, host).await;
    ask(&mut kept, &served, &host.name, "/").await;
    ask(&mut kept, &served, &host.name, "/").await;
    assert_eq!(served.pages_answered(), 2);
    assert!(!is_clean(&served.witness()));
    served.forget();
    assert_eq!(served.pages_answered(), 0);
    let witness = served.witness();
    assert!(is_clean(&witness) && witness.hosts.is_empty() && witness.pages.is_empty());
    ask(&mut kept, &served, &host.name, "/").await;
    assert_eq!(served.witness().robots_violations.len(), 1, "robots.txt is unknown again");
    drop(kept);
    get(&served, host, "/robots.txt").await;
    get(&served, host, "/copy").await;
    let witness = served.witness();
    assert_eq!((seen(&witness, host).max_connections, served.pages_answered()), (1, 1));
    assert!(witness.crowded().is_empty());
}
