//! When our own line is down, nothing is spent: the crawl pauses, probes, and goes on.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rhumb_archive::About;
use rhumb_crawl::shell::{self, CrawlSettings, Ended, Limits, Outlet, Progress, handle};
use rhumb_fetch::{FetchSettings, Fetcher};
use rhumb_frontier::{Manners, OUTAGE_WINDOW, SiteRules};
use rhumb_rules::{Rules, Scope, ScopeKind};
use rhumb_testweb::{Served, Spec};
use rhumb_web::{Canon, CanonUrl, HashKey, Span};
use tokio::sync::{mpsc, watch};

/// A name server that passes questions on, until the line is cut: then every answer is a failure.
struct Line {
    address: std::net::SocketAddr,
    is_cut: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    relay: Option<std::thread::JoinHandle<()>>,
}

impl Line {
    fn to(upstream: std::net::SocketAddr) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        // Only so that the thread notices its end.
        socket.set_read_timeout(Some(Duration::from_millis(50))).expect("a time-out");
        let address = socket.local_addr().expect("an address");
        let (is_cut, is_over) =
            (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (cut, over) = (Arc::clone(&is_cut), Arc::clone(&is_over));
        let relay = std::thread::spawn(move || {
            let ask = UdpSocket::bind("127.0.0.1:0").expect("a port");
            ask.set_read_timeout(Some(Duration::from_secs(2))).expect("a time-out");
            let mut packet = [0; 1_500];
            while !over.load(Ordering::SeqCst) {
                let Ok((length, from)) = socket.recv_from(&mut packet) else { continue };
                let length = if cut.load(Ordering::SeqCst) {
                    // The same question with the bit of an answer, and SERVFAIL.
                    packet[2] |= 0x80;
                    packet[3] = 2;
                    length
                } else {
                    ask.send_to(&packet[..length], upstream).expect("sent");
                    ask.recv(&mut packet).expect("the test web answers")
                };
                drop(socket.send_to(&packet[..length], from));
            }
        });
        Self { address, is_cut, is_over, relay: Some(relay) }
    }

    fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::SeqCst);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.relay.take().expect("it runs").join().expect("the relay ends");
    }
}

/// A server that says 404 to a robots.txt and a page, and ends.
fn one_that_answers() -> (u16, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let serve = move || {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().expect("a connection");
            let answer = b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let mut request = [0; 1_024];
            assert!(stream.read(&mut request).expect("a request") > 0);
            stream.write_all(answer).expect("written");
        }
    };
    (port, std::thread::spawn(serve))
}

pub(crate) fn settings(folder: &std::path::Path) -> CrawlSettings {
    CrawlSettings {
        partitions: 8,
        hash: HashKey(3, 4),
        agent: "rhumb".to_owned(),
        manners: Manners { delay: Span::ZERO, delay_is_explicit: true, tries: 2, floor: None },
        sites: SiteRules::default(),
        policy: rhumb_frontier::Policy::default(),
        canon: Canon::Full,
        connections: 64,
        limits: Limits::default(),
        // Longer than the second wait for a robots.txt, shorter than the third.
        patience: Span::seconds(11),
        probe_every: Span(100),
        ticket_for: Span::seconds(90),
        born_ms: 0,
        folder: folder.to_owned(),
        memory: 64 << 20,
        durability: Duration::from_millis(200),
        checkpoint_bytes: 64 << 20,
        warc_bytes: 1 << 30,
        about: About::default(),
        cloaking_sample: 0,
        tells_refusals: false,
        formats: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_outlives_an_outage_of_its_own_line_without_spending_tries() {
    let spec = Spec { bad_hosts: false, traps: false, ..Spec::sized(5, 300, 900) };
    let served = Served::start(&spec).await.expect("the web is served");
    let line = Line::to(served.dns());
    let folder = tempfile::tempdir().expect("a folder");
    let mut fetch = FetchSettings {
        dns: Some(line.address),
        allow_private: rhumb_fetch::Networks::all(),
        ip_gap: Duration::ZERO,
        ..FetchSettings::default()
    };
    fetch.roots.add(served.ca_der().to_vec().into()).expect("a certificate");
    let fetcher = Fetcher::new(fetch).expect("a fetcher");
    // A seed on every host, so that many sites fail at once.
    let expected = served.expected();
    let mut sites = HashSet::new();
    let urls = expected.pages.keys().map(|url| CanonUrl::parse(url).expect("a URL"));
    let seeds: Vec<CanonUrl> = urls.filter(|url| sites.insert(url.site())).collect();
    assert!(seeds.len() > OUTAGE_WINDOW, "there are enough sites: {}", seeds.len());
    // One that needs no name server, so that there is a line which can be down.
    let (port, answering) = one_that_answers();
    let literal = CanonUrl::parse(&format!("http://127.0.0.1:{port}/")).expect("a URL");
    let seeds: Vec<CanonUrl> = seeds.into_iter().chain([literal]).collect();
    line.cut(true);
    let rules = Rules::new(Scope::new(ScopeKind::Any));
    let (reports, mut told) = mpsc::channel(1_024);
    let (progress, mut shown) = watch::channel(Progress::default());
    let (_stop, stop) = watch::channel(false);
    // Nobody asks.
    let (_, asks) = handle();
    let outlet = Outlet { reports, progress, stop, asks, follower: None, earlier: None };
    let drain = tokio::spawn(async move { while told.recv().await.is_some() {} });
    let run = tokio::spawn(async move {
        shell::run(settings(folder.path()), rules, fetcher, &seeds, outlet).await
    });
    shown.wait_for(|progress| progress.outage).await.expect("it notices");
    line.cut(false);
    let summary = run.await.expect("it ends").expect("pages are kept");
    drain.await.expect("drained");
    assert_eq!(summary.ended, Ended::Done);
    let witness = served.witness();
    assert_eq!(expected.missing(&witness), Vec::<String>::new());
    assert_eq!(witness.repeats, Vec::<String>::new());
    answering.join().expect("the server ends");
    served.stop().await;
}
