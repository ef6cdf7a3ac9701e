//! Archives made by hand: what is planted in them is found, and nothing else.

mod adversary;

use std::path::Path;
use std::time::{Duration, SystemTime};

use rhumb_archive::{
    About, Archive, ArchiveSettings, Capture, CrawlId, Earlier, Encoded, Encoder, Interrupted,
    Keep, Miss,
};
use rhumb_web::{Canon, CanonUrl, Cut, Failure};

use super::*;

/// 2026-02-03T12:00:00Z.
const NOON: Duration = Duration::from_hours(491_700);
const HOUR_MS: u64 = 3_600_000;
const OPEN_TO_ALL: &str = "User-agent: *\nAllow: /\n";

const CRAWL: CrawlId = CrawlId([7; 16]);

/// An archive in the making.
struct Book {
    folder: tempfile::TempDir,
    archive: Archive,
    encoder: Encoder,
    number: u64,
    /// The gap that the settings ask for.
    delay: Option<u64>,
    connections: u32,
    has_ticks: bool,
    earlier: Option<Earlier>,
    cut: Option<Cut>,
    /// By how much the wall clock goes wrong.
    clock_is_late_by: u64,
}

impl Book {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self {
            archive: open(folder.path(), "rhumb"),
            folder,
            encoder: Encoder::new(CRAWL),
            number: 0,
            delay: Some(1_000),
            connections: 1,
            has_ticks: true,
            earlier: None,
            cut: None,
            clock_is_late_by: 0,
        }
    }

    fn fields(&mut self, errand: &str, at: u64) -> Vec<(&'static str, String)> {
        self.number += 1;
        let mut fields = vec![("errand", errand.to_owned())];
        if self.has_ticks {
            fields.push(("tick", at.to_string()));
        }
        fields.extend(self.delay.map(|delay| ("delayMs", delay.to_string())));
        if self.connections > 1 {
            fields.push(("connections", self.connections.to_string()));
        }
        fields
    }

    /// An exchange that began at `at` ms and took so long; the first line and headers as given.
    fn exchange(
        &mut self,
        url: &str,
        (at, took): (u64, u64),
        (errand, robots_for): (&str, Option<&str>),
        answer: &str,
    ) {
        let mut fields = self.fields(errand, at);
        fields.push(("fetchTimeMs", took.to_string()));
        fields.extend(robots_for.map(|origin| ("robotsFor", origin.to_owned())));
        let url = CanonUrl::parse_with(url, Canon::KeepQuery).expect("a URL");
        let capture = Capture {
            url: &url,
            number: self.number,
            began: moment(at) - Duration::from_millis(self.clock_is_late_by),
            address: None,
            protocols: vec!["http/1.1"],
            sent: b"GET / HTTP/1.1\r\n\r\n",
            received: answer.as_bytes(),
            cut: self.cut.take(),
            fields,
        };
        let earlier = self.earlier.take();
        let encoded = self.encoder.capture(&capture, |_| earlier);
        self.keep(&encoded);
    }

    fn page(&mut self, url: &str, at: u64, took: u64) {
        self.exchange(url, (at, took), ("page", None), "HTTP/1.1 200 OK\r\n\r\nhello");
    }

    /// The robots.txt of the URL's own origin, which takes 10 ms.
    fn robots(&mut self, origin: &str, at: u64, answer: &str) {
        let url = format!("{origin}/robots.txt");
        self.exchange(&url, (at, 10), ("robots", Some(origin)), answer);
    }

    fn file(&mut self, origin: &str, at: u64, body: &str) {
        self.robots(origin, at, &format!("HTTP/1.1 200 OK\r\n\r\n{body}"));
    }

    fn miss(&mut self, url: &str, at: u64, took: u64, failure: Failure) {
        let fields = self.fields("page", at);
        let url = CanonUrl::parse_with(url, Canon::KeepQuery).expect("a URL");
        let encoded = self.encoder.miss(&Miss {
            url: &url,
            number: self.number,
            began: moment(at),
            address: None,
            failure,
            took: Duration::from_millis(took),
            fields,
        });
        self.keep(&encoded);
    }

    fn interrupted(&mut self, url: &str, at: u64) {
        let mut fields = self.fields("page", at);
        fields.push(("ticket", at.to_string()));
        let url = CanonUrl::parse_with(url, Canon::KeepQuery).expect("a URL");
        let (number, began) = (self.number, moment(at));
        let encoded = self.encoder.interrupted(&Interrupted { url: &url, number, began, fields });
        self.keep(&encoded);
    }

    fn keep(&mut self, encoded: &Encoded) {
        self.archive.append(encoded).expect("kept");
    }

    fn audit(self) -> Audit {
        let Self { folder, archive, .. } = self;
        archive.close().expect("closed");
        audited(folder.path(), None)
    }

    /// The violations, as words.
    #[track_caller]
    fn check(self, expect: &[&str]) -> Audit {
        let audit = self.audit();
        let found: Vec<&str> = audit.total.violation_list.iter().map(|it| it.kind.word()).collect();
        assert_eq!(found, expect, "{:#?}", audit.total.violation_list);
        assert_eq!(audit.unreadable, 0, "{:?}", audit.first_flaw);
        audit
    }
}

fn open(folder: &Path, agent: &str) -> Archive {
    let about = About {
        software: "rhumb/1".to_owned(),
        agent: format!("{agent}/1 (+me@example.test)"),
        operator: Some("me@example.test".to_owned()),
        robots: "obey".to_owned(),
    };
    let prefix = "rhumb".to_owned();
    let settings = ArchiveSettings { prefix, rotate_bytes: 1 << 20, crawl: CRAWL, about };
    Archive::open(rhumb_disk::real(), folder, settings, Keep::Everything).expect("an archive")
}

fn moment(at: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + NOON + Duration::from_millis(at)
}

fn audited(folder: &Path, only: Option<&str>) -> Audit {
    audit(folder, only, &mut |_| {}).expect("audited")
}

const A: &str = "https://a.test";

/// A book whose site has an open robots.txt, fetched from 0 to 10 ms.
fn opened() -> Book {
    let mut book = Book::new();
    book.file(A, 0, OPEN_TO_ALL);
    book
}

#[test]
fn a_polite_crawl_has_no_violation_and_true_figures() {
    let mut book = opened();
    book.page("https://a.test/1", 1_010, 30);
    book.page("https://a.test/2", 2_045, 30);
    book.file("http://b.test", 0, "User-agent: *\nCrawl-delay: 3\n");
    book.page("http://b.test/", 3_011, 5);
    let audit = book.check(&[]);
    assert!(audit.is_clean());
    let [a, b] = audit.hosts.as_slice() else { panic!("two hosts: {:?}", audit.hosts) };
    assert_eq!((a.requests, a.robots_requests, a.max_in_flight), (3, 1, 1));
    assert_eq!((a.min_gap_ms, a.delay_ms, a.crawl_delay_ms), (Some(1_000), Some(1_000), None));
    assert_eq!((b.min_gap_ms, b.crawl_delay_ms), (Some(3_001), Some(3_000)));
    assert_eq!(b.tightest, Some(Kept { gap_ms: 3_001, asked_ms: 3_000 }));
    assert_eq!(audit.total.requests, 5);
    assert_eq!(audit.total.tightest, Some(Kept { gap_ms: 1_000, asked_ms: 1_000 }));
    assert_eq!((audit.files, audit.records), (1, 16));
    assert_eq!(audit.maker.token(), "rhumb");
    assert_eq!(audit.maker.operator.as_deref(), Some("me@example.test"));
}

#[test]
fn an_early_request_is_found() {
    let mut book = opened();
    book.page("https://a.test/1", 1_010, 30);
    book.page("https://a.test/2", 1_940, 30);
    let audit = book.check(&["gap"]);
    let found = &audit.total.violation_list[0];
    assert_eq!(found.url, "https://a.test/2");
    assert_eq!(found.what, "900 ms after the request before it, asked for 1000 ms");
    assert_eq!(audit.total.min_gap_ms, Some(900));
}

#[test]
fn two_milliseconds_are_a_matter_of_rounding_and_three_are_not() {
    let mut book = opened();
    book.page("https://a.test/1", 1_008, 0);
    book.check(&[]);
    let mut book = opened();
    book.page("https://a.test/1", 1_007, 0);
    book.check(&["gap"]);
}

#[test]
fn a_crawl_delay_counts_from_the_file_that_asks_for_it() {
    let mut book = Book::new();
    book.file(A, 0, "User-agent: rhumb\nCrawl-delay: 5\n");
    book.page("https://a.test/1", 1_010, 0);
    let audit = book.check(&["gap"]);
    assert_eq!(audit.total.crawl_delay_ms, Some(5_000));
    let mut book = Book::new();
    book.file(A, 0, "User-agent: other\nCrawl-delay: 5\n");
    book.page("https://a.test/1", 1_010, 0);
    book.check(&[]);
}

#[test]
fn two_requests_at_once_are_found_in_either_order_of_their_ends() {
    let mut book = opened();
    book.page("https://a.test/1", 1_010, 500);
    book.page("https://a.test/2", 1_300, 500);
    let audit = book.check(&["in-flight"]);
    assert_eq!((audit.total.max_in_flight, audit.total.min_gap_ms), (2, Some(0)));
    let mut book = opened();
    book.page("https://a.test/2", 1_300, 50);
    book.page("https://a.test/1", 1_010, 500);
    let audit = book.check(&["in-flight"]);
    assert_eq!((audit.total.max_in_flight, audit.total.min_gap_ms), (2, Some(0)));
}

#[test]
fn requests_within_one_millisecond_are_not_at_once() {
    let mut book = opened();
    book.delay = Some(0);
    for at in [1_010, 1_010, 1_011] {
        book.page(&format!("https://a.test/{at}"), at, 1);
    }
    let audit = book.check(&[]);
    assert_eq!((audit.total.max_in_flight, audit.total.min_gap_ms), (1, Some(0)));
}

#[test]
fn where_more_connections_are_allowed_more_are_no_violation() {
    let mut book = opened();
    book.connections = 2;
    book.page("https://a.test/1", 1_010, 500);
    book.page("https://a.test/2", 1_020, 500);
    let audit = book.check(&[]);
    assert_eq!(audit.total.max_in_flight, 2);
    let mut book = opened();
    book.connections = 2;
    book.page("https://a.test/1", 1_010, 500);
    book.page("https://a.test/2", 1_020, 500);
    book.page("https://a.test/3", 1_030, 500);
    book.check(&["in-flight"]);
    let mut book = opened();
    book.connections = 2;
    book.page("https://a.test/1", 1_010, 100);
    book.page("https://a.test/2", 1_020, 100);
    book.page("https://a.test/3", 1_500, 100);
    book.check(&["gap"]);
}

#[test]
fn a_disallowed_fetch_is_found_with_its_line() {
    let mut book = Book::new();
    book.file(A, 0, "User-agent: *\nDisallow: /closed\nAllow: /closed/but\n");
    book.page("https://a.test/closed/but/this", 1_010, 0);
    book.page("https://a.test/closed/1", 2_010, 0);
    let audit = book.check(&["robots"]);
    let found = &audit.total.violation_list[0];
    assert_eq!(found.url, "https://a.test/closed/1");
    assert_eq!(found.what, "line 2 of robots.txt forbids it: Disallow: /closed");
}

#[test]
fn a_page_needs_the_robots_txt_of_its_own_origin() {
    let mut book = opened();
    book.page("http://a.test/1", 1_010, 0);
    book.check(&["no-robots"]);
    let mut book = Book::new();
    book.page("https://a.test/1", 0, 0);
    book.file(A, 1_000, OPEN_TO_ALL);
    book.check(&["no-robots"]);
}

#[test]
fn what_an_answer_means_follows_rfc_9309() {
    let check = |answer: &str, expect: &[&str]| {
        let mut book = Book::new();
        book.robots(A, 0, answer);
        book.page("https://a.test/1", 1_010, 0);
        book.check(expect);
    };
    check("HTTP/1.1 404 Not Found\r\n\r\n", &[]);
    check("HTTP/1.1 403 Forbidden\r\n\r\nDisallow: /", &[]);
    check("HTTP/1.1 304 Not Modified\r\n\r\n", &[]);
    check("HTTP/1.1 301 Moved\r\n\r\n", &[]);
    check("HTTP/1.1 500 Oh\r\n\r\n", &["no-robots"]);
    check("HTTP/1.1 503 Later\r\n\r\n", &["no-robots"]);
    check("HTTP/1.1 429 Slowly\r\n\r\n", &["no-robots"]);
    check("HTTP/1.1 301 Moved\r\nLocation: /other\r\n\r\n", &["no-robots"]);
    check("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /", &["robots"]);
}

#[test]
fn while_a_robots_txt_fails_the_last_good_one_holds() {
    let mut book = Book::new();
    book.file(A, 0, "User-agent: *\nDisallow: /closed\n");
    book.robots(A, 1_010, "HTTP/1.1 500 Oh\r\n\r\n");
    book.page("https://a.test/1", 2_020, 0);
    book.robots(A, 3_020, "HTTP/1.1 304 Not Modified\r\n\r\n");
    book.page("https://a.test/2", 4_030, 0);
    book.page("https://a.test/closed", 5_030, 0);
    book.check(&["robots"]);
}

#[test]
fn half_a_file_is_none() {
    let mut book = Book::new();
    book.cut = Some(Cut::Disconnect);
    book.file(A, 0, OPEN_TO_ALL);
    book.page("https://a.test/1", 1_010, 0);
    book.check(&["no-robots"]);
}

#[test]
fn a_file_is_believed_for_a_day_and_after_that_it_is_asked_for_again() {
    let mut book = opened();
    book.page("https://a.test/1", 23 * HOUR_MS, 0);
    book.page("https://a.test/2", 25 * HOUR_MS, 0);
    book.robots(A, 26 * HOUR_MS, "HTTP/1.1 304 Not Modified\r\n\r\n");
    book.page("https://a.test/3", 27 * HOUR_MS, 0);
    let audit = book.check(&["no-robots"]);
    assert_eq!(audit.total.violation_list[0].url, "https://a.test/2");
}

#[test]
fn the_file_that_held_when_a_request_began_is_the_one_that_counts() {
    let mut book = opened();
    book.file(A, 1_010, "User-agent: *\nDisallow: /\n");
    // It began before that file was there, and is written down after it.
    book.page("https://a.test/1", 1_005, 400);
    let audit = book.audit();
    let kinds: Vec<_> = audit.total.violation_list.iter().map(|it| it.kind).collect();
    assert!(!kinds.contains(&ViolationKind::Robots), "{kinds:?}");
}

#[test]
fn a_redirected_robots_txt_speaks_for_the_origin_that_asked() {
    for is_told in [true, false] {
        let told = is_told.then_some(A);
        let mut book = Book::new();
        book.has_ticks = is_told;
        let moved = "HTTP/1.1 301 Moved\r\nLocation: https://hub.test/r.txt\r\n\r\n";
        book.exchange("https://a.test/robots.txt", (0, 10), ("robots", told), moved);
        let file = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /closed\n";
        book.exchange("https://hub.test/r.txt", (20, 10), ("robots", told), file);
        book.page("https://a.test/open", 1_040, 0);
        book.page("https://a.test/closed", 2_040, 0);
        book.check(&["robots"]);
    }
}

#[test]
fn after_five_redirects_there_is_no_robots_txt() {
    let run = |hops: u64| {
        let mut book = Book::new();
        for hop in 0..hops {
            let url = match hop {
                0 => "https://a.test/robots.txt".to_owned(),
                hop => format!("https://a.test/{hop}"),
            };
            let answer = format!("HTTP/1.1 301 Moved\r\nLocation: /{}\r\n\r\n", hop + 1);
            book.exchange(&url, (hop * 1_010, 10), ("robots", Some(A)), &answer);
        }
        book.page("https://a.test/page", hops * 1_010, 0);
        book
    };
    run(5).check(&["no-robots"]);
    run(6).check(&[]);
}

#[test]
fn a_payload_that_is_kept_elsewhere_is_found_there() {
    let closed = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /closed\n";
    for original in ["robots", "page"] {
        let mut book = Book::new();
        let url = "https://b.test/robots.txt";
        let robots_for = (original == "robots").then_some("https://b.test");
        book.exchange(url, (0, 10), (original, robots_for), closed);
        let url = CanonUrl::parse_with(url, Canon::KeepQuery).expect("a URL");
        book.earlier = Some(Earlier { url, began: moment(0) });
        book.robots(A, 500, closed);
        book.page("https://a.test/open", 1_510, 0);
        book.page("https://a.test/closed", 2_510, 0);
        let audit = book.audit();
        let a = audit.hosts.iter().find(|host| host.requests == 3).expect("a.test");
        let kinds: Vec<_> = a.violation_list.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [ViolationKind::Robots], "an original that was fetched as {original}");
    }
}

#[test]
fn a_payload_that_is_nowhere_proves_nothing() {
    let mut book = Book::new();
    let url = CanonUrl::parse("https://gone.test/").expect("a URL");
    book.earlier = Some(Earlier { url, began: moment(0) });
    book.file(A, 0, OPEN_TO_ALL);
    book.page("https://a.test/1", 1_010, 0);
    book.check(&["no-robots"]);
}

#[test]
fn hours_of_robots_txt_hold_for_pages() {
    let mut book = Book::new();
    book.file(A, 0, "User-agent: *\nVisit-time: 0600-1230\n");
    book.page("https://a.test/1", HOUR_MS / 4, 0);
    book.page("https://a.test/2", HOUR_MS, 0);
    book.check(&["hours"]);
}

#[test]
fn a_try_without_a_request_is_an_attempt_and_keeps_the_gap() {
    let mut book = opened();
    book.miss("https://a.test/1", 1_010, 100, Failure::Connect);
    book.miss("https://a.test/2", 1_500, 100, Failure::Reset);
    let audit = book.check(&["gap"]);
    assert_eq!((audit.total.requests, audit.total.attempts), (2, 1));
}

#[test]
fn a_request_that_was_interrupted_counts_from_its_beginning() {
    let mut book = opened();
    book.interrupted("https://a.test/1", 1_010);
    book.page("https://a.test/1", 2_010, 0);
    let audit = book.check(&[]);
    assert_eq!((audit.total.requests, audit.total.interrupted), (3, 1));
    assert_eq!(audit.total.min_gap_ms, Some(1_000), "up to it, not after it");
    let mut book = opened();
    book.interrupted("https://a.test/1", 1_010);
    book.page("https://a.test/1", 1_500, 0);
    book.check(&["gap"]);
}

#[test]
fn what_was_interrupted_and_noted_twice_counts_once() {
    let mut book = opened();
    book.interrupted("https://a.test/1", 1_010);
    book.interrupted("https://a.test/1", 1_010);
    book.page("https://a.test/1", 2_010, 0);
    let audit = book.check(&[]);
    assert_eq!((audit.total.requests, audit.total.interrupted), (3, 1));
}

#[test]
fn a_changed_setting_holds_for_what_comes_after_it() {
    let mut book = opened();
    book.delay = Some(60_000);
    book.page("https://a.test/1", 1_010, 0);
    book.page("https://a.test/2", 3_000, 0);
    let audit = book.check(&["gap"]);
    assert_eq!(audit.total.violation_list[0].url, "https://a.test/2");
}

#[test]
fn without_ticks_and_delays_the_wall_clock_and_robots_txt_still_count() {
    let mut book = Book::new();
    (book.has_ticks, book.delay) = (false, None);
    book.file(A, 0, "User-agent: *\nCrawl-delay: 2\n");
    book.page("https://a.test/1", 2_010, 0);
    book.page("https://a.test/2", 3_010, 0);
    let audit = book.check(&["gap"]);
    assert_eq!((audit.untold, audit.total.min_gap_ms), (3, None));
}

#[test]
fn one_host_can_be_asked_for_with_its_robots_txt_from_elsewhere() {
    let mut book = Book::new();
    let moved = "HTTP/1.1 301 Moved\r\nLocation: https://hub.test/r.txt\r\n\r\n";
    book.exchange("https://a.test/robots.txt", (0, 10), ("robots", Some(A)), moved);
    let file = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /closed\n";
    book.exchange("https://hub.test/r.txt", (20, 10), ("robots", Some(A)), file);
    book.page("https://a.test/open", 1_040, 0);
    let Book { folder, archive, .. } = book;
    archive.close().expect("closed");
    let audit = audited(folder.path(), Some("A.test"));
    let names: Vec<_> = audit.hosts.iter().filter_map(|host| host.host.clone()).collect();
    assert_eq!(names.iter().map(Site::as_str).collect::<Vec<_>>(), ["a.test"]);
    assert!(audit.is_clean());
}

#[test]
fn every_request_is_told_with_the_line_that_allowed_it() {
    let mut book = Book::new();
    book.file(A, 0, "User-agent: *\nDisallow: /\nAllow: /ok\n");
    book.page("https://a.test/ok/1", 1_010, 7);
    let Book { folder, archive, .. } = book;
    archive.close().expect("closed");
    let mut told = Vec::new();
    let mut each = |request: &RequestLine<'_>| {
        let line = request.robots.and_then(|robots| robots.verdict.line);
        told.push((request.url.to_owned(), request.gap_ms, request.took_ms, line));
    };
    audit(folder.path(), None, &mut each).expect("audited");
    let expect = [
        ("https://a.test/robots.txt".to_owned(), None, Some(10), None),
        ("https://a.test/ok/1".to_owned(), Some(1_000), Some(7), Some(3)),
    ];
    assert_eq!(told, expect);
}

#[test]
fn a_file_that_grows_is_read_as_far_as_it_is_whole() {
    let mut book = opened();
    book.page("https://a.test/1", 1_010, 0);
    let Book { folder, mut archive, .. } = book;
    archive.sync().expect("synced");
    assert_eq!(audited(folder.path(), None).total.requests, 2);
    let open = files::list(folder.path()).expect("listed").remove(0);
    assert!(files::is_open(&open));
    let bytes = std::fs::read(&open).expect("read");
    std::fs::write(&open, &bytes[..bytes.len() - 20]).expect("written");
    let audit = audited(folder.path(), None);
    assert_eq!((audit.total.requests, audit.unreadable), (1, 0), "its metadata are torn");
    // The same is a flaw of a file that was sealed.
    std::fs::rename(&open, open.with_extension("")).expect("renamed");
    let audit = audited(folder.path(), None);
    assert_eq!(audit.unreadable, 1);
    assert!(!audit.is_clean());
}

#[test]
fn an_archive_without_files_is_no_clean_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = audit(folder.path(), None, &mut |_| {});
    assert!(matches!(empty, Err(AuditError::Empty { .. })), "{empty:?}");
}
