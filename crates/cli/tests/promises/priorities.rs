//! What the user wants first comes first at once, and domains are served by their standing, as
//! the servers see it.

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::content::{crawl, page, prose};
use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, command, finish};

const CONTACT: [&str; 2] = ["--contact", "crawl@example.test"];

/// The pages that were asked for.
fn pages(server: &RawServer) -> Vec<(Instant, String)> {
    server.asked_at().into_iter().filter(|(_, target)| target != "/robots.txt").collect()
}

/// The least time between two requests that follow each other.
fn least_gap(asked: &[(Instant, String)]) -> Duration {
    let gaps = asked.windows(2).map(|two| two[1].0 - two[0].0);
    gaps.min().expect("more than one request")
}

#[test]
fn a_rule_that_is_new_brings_what_it_names_to_the_front_of_a_long_queue() {
    let server = RawServer::start(|target| {
        let (old, news) =
            ((0..3_000).map(|n| format!("/old/{n}")), (0..30).map(|n| format!("/news/{n}")));
        let seed = target.bytes().fold(7, |sum, byte| sum * 31 + u64::from(byte)) % 1_000_003;
        match target {
            "/" => page("All", &prose(1, 60), &old.chain(news).collect::<Vec<_>>()),
            "/robots.txt" => missing(),
            target => page(target, &prose(seed, 60), &[]),
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let until = |pages: &str, flags: &[&str]| {
        crawl(folder.path(), &[server.url("/")], &[&["--max-pages", pages], flags].concat());
    };
    until("100", &[]);
    let before = pages(&server).len();
    assert!(pages(&server).iter().all(|(_, target)| !target.starts_with("/news/")));
    until("135", &["--first", "^http://[^/]+/news/"]);
    let after: Vec<String> = pages(&server).split_off(before).into_iter().map(|it| it.1).collect();
    // Until the shelf is searched the crawl goes on: a page or two at full speed.
    let news = after.iter().filter(|target| target.starts_with("/news/")).count();
    assert_eq!((after.len(), news), (35, 30), "{after:?}");
}

/// Domains that all link to three that are well known: one that says nothing of how often it may
/// be asked, one whose robots.txt does, and one that wants to be left alone for a while.
struct Known {
    voters: Vec<RawServer>,
    famous: RawServer,
    slow: RawServer,
    busy: RawServer,
}

const VOTERS: u8 = 40;
const FAMOUS_PAGES: usize = 14;
const RETRY_AFTER: Duration = Duration::from_secs(4);

impl Known {
    fn start() -> Self {
        let listed = |robots: &'static str, count: usize| {
            move |target: &str| match target {
                "/robots.txt" => ok("text/plain", robots),
                "/" => {
                    let links: Vec<String> = (0..count).map(|n| format!("/{n}")).collect();
                    page("Famous", &prose(9, 60), &links)
                }
                target => page(target, &prose(target.len() as u64 + 77, 60), &[]),
            }
        };
        let at = |last| Ipv4Addr::new(127, 0, 72, last);
        let famous = RawServer::start_at(at(1), listed("", FAMOUS_PAGES));
        let slow = RawServer::start_at(at(2), listed("User-agent: *\nCrawl-delay: 3\n", 3));
        let was_busy = std::sync::atomic::AtomicBool::new(false);
        let plain = listed("", 5);
        let busy = RawServer::start_at(at(3), move |target| {
            let is_late = was_busy.load(std::sync::atomic::Ordering::SeqCst);
            if target == "/3" && !is_late {
                was_busy.store(true, std::sync::atomic::Ordering::SeqCst);
                let seconds = RETRY_AFTER.as_secs();
                return format!(
                    "HTTP/1.1 429 No\r\nRetry-After: {seconds}\r\nContent-Length: 0\r\n\
                     Connection: close\r\n\r\n"
                )
                .into_bytes();
            }
            plain(target)
        });
        let links = [&famous, &slow, &busy].map(|server| server.url("/"));
        let voter = |number| {
            let mut links = links.to_vec();
            links.extend((0..3).map(|n| format!("/{n}")));
            RawServer::start_at(Ipv4Addr::new(127, 0, 73, number), move |target| match target {
                "/robots.txt" => missing(),
                "/" => page("Voter", &prose(u64::from(number), 60), &links),
                target => page(target, &prose(target.len() as u64 + 7, 60), &[]),
            })
        };
        Self { voters: (1..=VOTERS).map(voter).collect(), famous, slow, busy }
    }

    fn crawl(&self, folder: &Path, flags: &[&str]) -> Run {
        let mut crawl = command(folder);
        crawl.args(["crawl", "-o", "crawl", "--json", "--allow-private", "--ip-delay", "0s"]);
        crawl.args(["--scope", "any"]).args(CONTACT).args(flags);
        crawl.args(self.voters.iter().map(|server| server.url("/")));
        let run = finish(crawl, "");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run
    }
}

#[test]
fn a_well_known_domain_is_asked_more_often_but_never_below_what_anybody_wants() {
    let (known, folder) = (Known::start(), tempfile::tempdir().expect("a folder"));
    let (delay, floor) = (Duration::from_secs(2), Duration::from_millis(200));
    known.crawl(
        folder.path(),
        &["--budget", "star", "--delay", "2s", "--delay-floor", "200ms", "--max-time", "100s"],
    );
    let famous = pages(&known.famous);
    assert_eq!(famous.len(), 1 + FAMOUS_PAGES, "{famous:?}");
    let shorter = famous.windows(2).filter(|two| two[1].0 - two[0].0 < delay / 2).count();
    assert!(shorter > FAMOUS_PAGES / 2, "most gaps are less than a half of the delay: {famous:?}");
    assert!(least_gap(&famous) >= floor, "never below the floor: {:?}", least_gap(&famous));
    let slow = least_gap(&pages(&known.slow));
    assert!(slow >= Duration::from_secs(3), "what robots.txt asks for holds: {slow:?}");
    let busy = pages(&known.busy);
    let pushed = busy.iter().position(|(_, target)| target == "/3").expect("it was asked");
    let rest = busy[pushed + 1].0 - busy[pushed].0;
    assert!(rest >= RETRY_AFTER, "a back-off holds: {rest:?}");
    for voter in &known.voters {
        let gap = least_gap(&pages(voter));
        assert!(gap >= delay, "who is not known is asked as seldom as ever: {gap:?}");
    }
    let mut audit = command(folder.path());
    audit.args(["audit", "crawl", "--json"]);
    let total = finish(audit, "").json().pop().expect("a total");
    assert_eq!(total["violations"], 0, "{total}");
}

/// Twenty domains that answer slowly, and one that answers at once; sixteen connections.
fn fast_among_slow(budget: &str) -> usize {
    let site = |last, answers_after: Duration| {
        // Nobody ever says anything here.
        let (never, silence) = mpsc::channel::<()>();
        let silence = std::sync::Mutex::new(silence);
        RawServer::start_at(Ipv4Addr::new(127, 0, 74, last), move |target| {
            let _open = &never;
            let silence = silence.lock().expect("no server panics");
            assert!(silence.recv_timeout(answers_after).is_err());
            match target {
                "/robots.txt" => missing(),
                "/" => {
                    let links: Vec<String> = (0..40).map(|n| format!("/{n}")).collect();
                    page("Home", &prose(u64::from(last), 60), &links)
                }
                target => {
                    let number: u64 = target[1..].parse().unwrap_or(0);
                    page(target, &prose(u64::from(last) * 100 + number, 60), &[])
                }
            }
        })
    };
    let slow: Vec<RawServer> = (1..=20).map(|last| site(last, Duration::from_millis(60))).collect();
    let fast = site(99, Duration::from_millis(1));
    let folder = tempfile::tempdir().expect("a folder");
    let mut crawl = std::process::Command::new("sh");
    // So few files leave sixteen connections, half of which are soon in use.
    crawl.args(["-c", "ulimit -n 288 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_rhumb")]);
    crawl.current_dir(folder.path());
    crawl.args(["crawl", "-o", "crawl", "--json", "--allow-private", "--ip-delay", "0s"]);
    crawl.args(["--delay", "0s", "--order", "bfs", "--budget", budget]).args(CONTACT);
    crawl.args(slow.iter().chain([&fast]).map(|server| server.url("/")));
    let run = finish(crawl, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for server in slow.iter().chain([&fast]) {
        assert_eq!(pages(server).len(), 41, "in the end all is fetched");
    }
    let (twentieth, _) = pages(&fast)[19];
    let had = |server: &RawServer| pages(server).iter().filter(|(at, _)| *at < twentieth).count();
    slow.iter().map(had).min().expect("there are some")
}

#[test]
fn a_domain_at_its_ceiling_waits_for_the_others_while_room_is_short() {
    let (without, with) = (fast_among_slow("none"), fast_among_slow("star"));
    println!("when the fast one has had 20 pages the others have had {without}, or {with}");
    assert!(with >= 9, "it waits after ten until the others have had theirs: {with}");
    assert!(without < 9, "nothing holds it back without a budget: {without}");
}
