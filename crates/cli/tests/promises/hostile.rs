//! Hostile servers on real sockets: each ends as it should, and the good hosts beside it are
//! crawled as if it were not there.

use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use rhumb_testweb::hostile::{Hostile, Trick};
use rhumb_testweb::{Served, Spec};
use serde_json::Value;

use crate::run::{Run, collect, command, is_full, rhumb};

/// Where the good web and the hostile hosts live; every other private address stays refused.
const ALLOWED: &str = "--allow-private=127.20.0.0/16,127.60.0.0/16";
/// Longer than the longest fetch and the longest good site together, on a busy machine.
const ENDS_WITHIN_MS: u64 = 60_000;
/// The whole process, in a build that is not optimised: up to 265 MB were seen where nothing else
/// kept the machine busy, so that many bodies were read at once.
const MEMORY_MAX_KB: u64 = 400 * 1_024;
const BODY_MAX: u64 = 4_000_000;
const LIMITS: [&str; 8] = [
    "--connect-timeout",
    "2s",
    "--headers-timeout",
    "2s",
    "--total-timeout",
    "6s",
    "--max-body",
    "4MB",
];
/// Everything is tried once: what waits for a second try is another test's.
const FLAGS: [&str; 7] = [ALLOWED, "--delay", "100ms", "--tries", "1", "--exclude", "/never/"];
/// How often the memory of a run is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How a hostile host's first page ends.
#[derive(Debug, PartialEq)]
enum End<'a> {
    Fetched(u16),
    Failed(&'a str),
    Refused(&'a str),
    /// Its robots.txt could not be had, for this reason, which closes the site.
    Closed(&'a str),
}

fn end_of(trick: Trick) -> End<'static> {
    match trick {
        // Cut, and kept as far as they came.
        Trick::EndlessBody
        | Trick::EndlessChunks
        | Trick::EndlessTrailers
        | Trick::SlowBody
        | Trick::BrokenChunks
        | Trick::LengthTooLong
        | Trick::GzipBomb
        | Trick::BrotliBomb
        | Trick::ZstdBomb
        | Trick::NestedBomb
        // Odd, and read as they are.
        | Trick::LengthTooShort
        | Trick::ForgedAnswer
        | Trick::BadHeaderBytes
        | Trick::NestedTags
        | Trick::NulBytes
        | Trick::LyingCharset
        | Trick::BinaryAsHtml
        | Trick::HtmlAsImage
        | Trick::UnnamedGzip
        | Trick::CookieWall
        | Trick::BadLocation
        | Trick::RedirectToPrivate
        | Trick::LinksToPrivate
        | Trick::SlowDns
        | Trick::RebindingDns
        | Trick::MixedDns
        | Trick::EndlessRobots
        | Trick::LargeRobots
        | Trick::HtmlRobots
        | Trick::RobotsLoop
        | Trick::ManyLinks
        | Trick::SitemapBomb
        | Trick::SitemapLoop
        | Trick::CookieFlood => End::Fetched(200),
        Trick::RedirectChain
        | Trick::RedirectLoop2
        | Trick::RedirectLoop3
        | Trick::SelfRedirect
        | Trick::SelfRedirectCookie => End::Fetched(302),
        Trick::EndlessHeaders | Trick::EndlessInterim => End::Failed("headers-too-large"),
        Trick::SlowHeaders | Trick::SilentPage => End::Failed("timeout-headers"),
        Trick::ResetPage => End::Failed("reset"),
        Trick::BadStatusLine | Trick::NulInHeader => End::Failed("not-http"),
        Trick::AlwaysBusy => End::Failed("http-429"),
        Trick::AbsurdRetryAfter => End::Failed("http-503"),
        Trick::PrivateDns => End::Refused("private-address"),
        Trick::SilentHost => End::Closed("timeout-headers"),
        Trick::ResetHost => End::Closed("reset"),
        Trick::RobotsToPrivate | Trick::PrivateIpv6Dns => End::Closed("connect"),
        Trick::SilentDns => End::Closed("timeout-dns"),
        Trick::FailingDns | Trick::GarbageDns => End::Closed("dns"),
        Trick::SelfSigned | Trick::Expired | Trick::WrongHost | Trick::GarbageTls => {
            End::Closed("tls")
        }
        Trick::SilentTls => End::Closed("timeout-connect"),
    }
}

/// A run, its events, and the most memory that it took.
struct Watched {
    run: Run,
    events: Vec<Value>,
    peak_kb: u64,
}

impl Watched {
    /// The last word on a URL.
    fn event(&self, url: &str) -> Option<&Value> {
        self.events.iter().rfind(|event| event["url"] == url)
    }

    fn end(&self, seed: &str) -> Option<End<'_>> {
        let Some(event) = self.event(seed) else {
            let robots = self.event(&format!("{seed}robots.txt"))?;
            assert_eq!(robots["event"], "failed");
            return robots["outcome"].as_str().map(End::Closed);
        };
        let text = |key: &str| event[key].as_str().unwrap_or_default();
        Some(match text("event") {
            "fetched" => End::Fetched(u16::try_from(event["status"].as_u64()?).ok()?),
            "failed" => End::Failed(text("outcome")),
            _ => End::Refused(text("reason")),
        })
    }
}

/// The most memory that a process took while it lived, in kilobytes.
fn peak_of(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

fn good_web() -> Served {
    let spec = Spec { bad_hosts: false, traps: false, ..Spec::sized(31, 20, 400) };
    Served::start_on_thread(&spec).expect("the web is served")
}

/// Crawls these seeds, with the hostile hosts' name server, and watches the memory.
fn crawl(den: &Hostile, good: Option<&Served>, seeds: &[String], flags: &[&str]) -> Watched {
    let folder = tempfile::tempdir().expect("a folder");
    let authorities = den.ca_pem().to_owned() + good.map_or("", Served::ca_pem);
    std::fs::write(folder.path().join("ca.pem"), authorities).expect("written");
    let mut command = command(folder.path());
    command.env("SSL_CERT_FILE", folder.path().join("ca.pem")).arg("crawl").args(seeds);
    command.args(["-o", "crawl", "--scope", "any", "--contact", "crawl@example.test"]);
    command.args(["--json", "-v", "--ip-delay", "0s", "--dns", &den.dns().to_string()]);
    command.args(LIMITS).args(flags);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the binary starts");
    let (pid, (ended, until)) = (child.id(), mpsc::channel::<()>());
    let watcher = std::thread::spawn(move || {
        let mut peak = 0;
        while until.recv_timeout(LOOK_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
            peak = peak_of(pid).unwrap_or(peak);
        }
        peak
    });
    let run = collect(child);
    drop(ended);
    let peak_kb = watcher.join().expect("the watcher ends");
    let events = run.json();
    Watched { run, events, peak_kb }
}

fn check_bounds(watched: &Watched) {
    let summary = watched.run.summary();
    let elapsed = summary["elapsed_ms"].as_u64().expect("a count");
    assert!(elapsed < ENDS_WITHIN_MS, "{elapsed} ms");
    assert!((1..MEMORY_MAX_KB).contains(&watched.peak_kb), "{} kB", watched.peak_kb);
    for event in &watched.events {
        assert!(
            event["bytes"].as_u64() <= Some(BODY_MAX) || event["event"] == "summary",
            "{event}"
        );
    }
}

fn check_good_web(good: &Served) {
    let (expected, witness) = (good.expected(), good.witness());
    assert_eq!(expected.missing(&witness), Vec::<String>::new(), "good pages are missing");
    assert_eq!(witness.repeats, Vec::<String>::new(), "good pages are fetched twice");
}

#[test]
fn every_hostile_server_has_its_own_end_and_good_hosts_are_crawled_whole() {
    let good = good_web();
    let den = Hostile::start_on_thread(Some(good.dns())).expect("hostile hosts are served");
    let mut seeds = good.seeds();
    seeds.extend(Trick::ALL.map(|trick| den.seed(trick)));
    let watched = crawl(&den, Some(&good), &seeds, &FLAGS);
    assert_eq!(watched.run.code, Some(0), "{}", watched.run.stderr);
    let ends = Trick::ALL.map(|trick| (trick, watched.end(&den.seed(trick))));
    let is_right = |(trick, end): &(Trick, Option<End<'_>>)| {
        // A reset may arrive while we connect, or while we ask.
        let other =
            if *trick == Trick::ResetHost { End::Closed("connect") } else { end_of(*trick) };
        *end == Some(end_of(*trick)) || *end == Some(other)
    };
    let wrong: Vec<_> = ends.iter().filter(|end| !is_right(end)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    check_bounds(&watched);
    println!("hostile: at most {} MB", watched.peak_kb / 1_024);
    check_good_web(&good);
    check_private(&den, &watched);
    check_details(&den, &watched);
    check_cuts(&den, &watched);
    if is_full() {
        for (trick, end) in &ends {
            let event = watched.event(&den.seed(*trick)).unwrap_or(&Value::Null);
            let (bytes, took) = (&event["bytes"], &event["took_ms"]);
            println!("hostile: {trick:?}: {end:?}, {bytes} bytes, {took} ms");
        }
        let (with, without) = (good_rate(&watched), rate_alone());
        let ratio = with / without;
        println!("hostile: rate with / without = {with:.1} / {without:.1} = {ratio:.3}");
    }
}

/// Nobody was led to a private address.
fn check_private(den: &Hostile, watched: &Watched) {
    assert_eq!(den.victim_visits(), 0, "a private address was reached");
    assert_eq!(den.rebinding_asks(), 1, "a name that was checked is not asked for again");
    let spellings = den.private_urls("link").len() as u64;
    // Redirects and links in every spelling, a refresh, a sitemap, and a name.
    let refused = &watched.run.summary()["refused"]["private-address"];
    assert_eq!(*refused, 2 * spellings + 3, "{:?}", den.private_urls("redirect"));
}

/// What the tricks tried to gain, and did not.
fn check_details(den: &Hostile, watched: &Watched) {
    let summary = watched.run.summary();
    let fetched = |trick, path: &str| {
        let url = format!("{}{path}", den.seed(trick));
        watched.event(&url).is_some_and(|event| event["event"] == "fetched")
    };
    for trick in [Trick::SelfSigned, Trick::Expired, Trick::WrongHost] {
        assert_eq!(den.requests(trick), 0, "{trick:?} was spoken to");
    }
    // robots.txt and the page, and the page once more with its cookie.
    for trick in [Trick::SelfRedirect, Trick::SelfRedirectCookie, Trick::CookieWall] {
        assert_eq!(den.requests(trick), 3, "{trick:?}");
    }
    assert_eq!(den.requests(Trick::RedirectChain), 7, "robots.txt, a page and five hops");
    assert_eq!(den.requests(Trick::RedirectLoop2), 4, "two hosts");
    assert_eq!(den.requests(Trick::RedirectLoop3), 6, "three hosts");
    assert_eq!(den.requests(Trick::RobotsLoop), 7, "robots.txt, five hops and a page");
    assert_eq!(den.requests(Trick::SitemapLoop), 4, "robots.txt, two indexes and a page");
    assert!(fetched(Trick::ForgedAnswer, "second"), "asked on another connection");
    assert!(!fetched(Trick::ForgedAnswer, "forged"), "an answer to nothing is none");
    assert_eq!(den.requests(Trick::ForgedAnswer), 3);
    assert!(fetched(Trick::SitemapBomb, "listed"), "the part that came is read");
    assert!(!fetched(Trick::LengthTooShort, "surplus"), "what is behind the body is no body");
    assert!(!fetched(Trick::HtmlAsImage, "hidden"), "an image has no links");
    assert_eq!(summary["refused"]["too-many-hops"], 1);
    assert_eq!(summary["refused"]["excluded"], 50_000, "no more links are read of one page");
    assert!(den.longest_request() < 16_000, "{} bytes of request", den.longest_request());
}

/// Bodies that are not whole are kept as far as they came, and never further than the limit.
fn check_cuts(den: &Hostile, watched: &Watched) {
    let cut_at = |trick| {
        let event = watched.event(&den.seed(trick)).expect("it was fetched");
        event["bytes"].as_u64().expect("a count")
    };
    assert_eq!(cut_at(Trick::EndlessBody), BODY_MAX);
    assert_eq!(cut_at(Trick::BrokenChunks), 5, "the chunk before the broken one");
    assert_eq!(cut_at(Trick::LengthTooLong), 8, "all that came");
    assert_eq!(cut_at(Trick::LengthTooShort), 5, "no more than was said");
    assert!((1..10).contains(&cut_at(Trick::SlowBody)));
    for trick in [Trick::EndlessChunks, Trick::GzipBomb, Trick::BrotliBomb, Trick::ZstdBomb] {
        assert!((1_000_000..=BODY_MAX).contains(&cut_at(trick)), "{trick:?}: {}", cut_at(trick));
    }
    let words = [
        (Trick::EndlessBody, "cut-length"),
        (Trick::BrokenChunks, "cut-encoding"),
        (Trick::LengthTooLong, "cut-disconnect"),
        (Trick::SlowBody, "cut-time"),
    ];
    for (trick, word) in words {
        let event = watched.event(&den.seed(trick)).expect("it was fetched");
        assert_eq!(event["outcome"], word, "{trick:?}");
    }
}

/// How fast the good hosts are crawled with no hostile one beside them.
fn rate_alone() -> f64 {
    let good = good_web();
    let den = Hostile::start_on_thread(Some(good.dns())).expect("hostile hosts are served");
    let watched = crawl(&den, Some(&good), &good.seeds(), &FLAGS);
    check_good_web(&good);
    good_rate(&watched)
}

/// Good pages a second, over the time in which there were any.
#[expect(clippy::cast_precision_loss, reason = "a rate is shown with a few digits")]
fn good_rate(watched: &Watched) -> f64 {
    let is_hostile = |site: &str| Trick::ALL.iter().any(|trick| site.contains(&trick.host()));
    let is_good = |event: &&Value| {
        event["event"] == "fetched" && event["site"].as_str().is_some_and(|site| !is_hostile(site))
    };
    let times: Vec<SystemTime> = watched
        .events
        .iter()
        .filter(is_good)
        .map(|event| event["time"].as_str().expect("a time"))
        .map(|time| humantime::parse_rfc3339(time).expect("RFC 3339"))
        .collect();
    let (first, last) = (times.iter().min(), times.iter().max());
    let took = last.expect("good pages").duration_since(*first.expect("good pages"));
    times.len() as f64 / took.expect("last is not before first").as_secs_f64()
}

#[test]
fn a_server_that_pushes_back_for_ever_is_given_up_and_one_that_asks_for_ages_is_left() {
    let den = Hostile::start_on_thread(None).expect("hostile hosts are served");
    let seeds = [Trick::AlwaysBusy, Trick::AbsurdRetryAfter, Trick::SlowDns];
    let seeds = seeds.map(|trick| den.seed(trick));
    let watched = crawl(&den, None, &seeds, &[ALLOWED, "--delay", "10ms"]);
    assert_eq!(watched.run.code, Some(0), "{}", watched.run.stderr);
    check_bounds(&watched);
    assert_eq!(watched.end(&seeds[0]), Some(End::Failed("http-429")));
    assert_eq!(den.requests(Trick::AlwaysBusy), 4, "robots.txt and three tries");
    assert_eq!(den.requests(Trick::AbsurdRetryAfter), 2, "robots.txt and one try");
    let summary = watched.run.summary();
    assert_eq!((&summary["queued"], &summary["waiting"]), (&1.into(), &1.into()));
}

#[test]
fn without_leave_no_private_address_is_reached_in_any_spelling() {
    let den = Hostile::start_on_thread(None).expect("hostile hosts are served");
    let mut seeds = den.private_urls("seed");
    let literals = seeds.len();
    let names = [Trick::PrivateDns, Trick::RebindingDns, Trick::MixedDns, Trick::SelfSigned];
    seeds.extend(names.map(|trick| den.seed(trick)));
    let watched = crawl(&den, None, &seeds, &["--delay", "0s", "--tries", "1"]);
    assert_eq!(watched.run.code, Some(3), "{}", watched.run.stderr);
    let summary = watched.run.summary();
    assert_eq!(summary["refused"]["private-address"], (literals + names.len()) as u64);
    assert_eq!((&summary["fetched"], &summary["queued"]), (&0.into(), &0.into()));
    assert_eq!(den.victim_visits(), 0);
    assert!(Trick::ALL.iter().all(|trick| den.requests(*trick) == 0));
    assert!(watched.run.stderr.contains("--allow-private, if that network is yours"));
    // The control: with leave the same seeds do reach it.
    crawl(&den, None, &seeds[..1], &["--allow-private", "--delay", "0s", "--tries", "1"]);
    assert_eq!(den.victim_visits(), 1);
}

#[test]
fn limits_that_make_no_sense_are_refused_before_any_request() {
    for (flag, advice) in [
        ("--allow-private=nonsense", "try: --allow-private, or --allow-private="),
        ("--allow-private=10.0.0.0/33", "try: --allow-private, or --allow-private="),
        ("--total-timeout=0s", "try: --total-timeout 10s"),
        ("--headers-timeout=soon", "try: --headers-timeout 500ms"),
        ("--max-body=ten", "try: --max-body 10MB"),
    ] {
        let run = rhumb(&["crawl", "http://127.0.0.1:9/", flag]);
        assert_eq!(run.code, Some(2), "{flag}: {}", run.stderr);
        assert!(run.stderr.contains(advice), "{flag}: {}", run.stderr);
    }
}

/// A proxy that answers every request itself: the first lines of what it was asked.
fn proxy(location: String) -> (std::net::SocketAddr, mpsc::Receiver<String>) {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("bound");
    let (teller, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut head = [0; 4_096];
            let length = stream.read(&mut head).unwrap_or(0);
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            let line = head.lines().next().unwrap_or_default().to_owned();
            let status = if line.contains("/robots.txt") {
                "404 No".to_owned()
            } else {
                format!("302 Found\r\nLocation: {location}")
            };
            let answer =
                format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            drop(stream.write_all(answer.as_bytes()));
            if teller.send(line).is_err() {
                return;
            }
        }
    });
    (address, heard)
}

#[test]
fn a_proxy_is_never_asked_for_a_private_address() {
    let den = Hostile::start_on_thread(None).expect("hostile hosts are served");
    let (address, heard) = proxy(den.private_urls("redirect").remove(0));
    let proxy = format!("http://{address}");
    let mut seeds = den.private_urls("seed");
    seeds.push(den.seed(Trick::PrivateDns));
    let flags = ["--proxy", &proxy, "--delay", "0s", "--tries", "1"];
    let watched = crawl(&den, None, &seeds, &flags);
    assert_eq!(watched.run.code, Some(3), "{}", watched.run.stderr);
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), Vec::<String>::new());

    let seed = den.seed(Trick::HtmlRobots);
    let flags = [ALLOWED, "--proxy", &proxy, "--delay", "0s", "--tries", "1"];
    let watched = crawl(&den, None, std::slice::from_ref(&seed), &flags);
    let asked = [format!("GET {seed}robots.txt HTTP/1.1"), format!("GET {seed} HTTP/1.1")];
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), asked);
    assert_eq!(watched.end(&seed), Some(End::Fetched(302)));
    assert_eq!(watched.run.summary()["refused"]["private-address"], 1);
    assert_eq!(den.victim_visits(), 0);
}
