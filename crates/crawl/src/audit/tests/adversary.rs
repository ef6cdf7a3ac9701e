//! What somebody would try who wants to hide a request, and what must not be held against one who
//! hid none.

use super::*;

impl Book {
    /// A restart, by another name.
    fn goes_by(self, agent: &str) -> Self {
        self.archive.close().expect("closed");
        Self { archive: open(self.folder.path(), agent), ..self }
    }

    /// The archive once a host was taken out of it.
    #[track_caller]
    fn check_without(self, host: &str, expect: &[&str]) -> Audit {
        let Self { folder, archive, .. } = self;
        archive.close().expect("closed");
        let covers = |target: &str| {
            let host_of = |url: &str| CanonUrl::parse(url).ok().map(|url| url.host().to_owned());
            target == host || host_of(target).as_deref() == Some(host)
        };
        let removed =
            rhumb_archive::remove(&rhumb_disk::real(), folder.path(), "rhumb", CRAWL, &covers);
        assert!(removed.expect("removed").records > 0);
        let audit = audited(folder.path(), None);
        let found: Vec<&str> = audit.total.violation_list.iter().map(|it| it.kind.word()).collect();
        assert_eq!(found, expect, "{:#?}", audit.total.violation_list);
        for path in files::list(folder.path()).expect("listed") {
            let mut reader = rhumb_archive::WarcReader::open(&path).expect("opened");
            while let Some(record) = reader.next() {
                let mut record = record.expect("a record");
                let block = record.block(1 << 20).expect("a block");
                let text = format!("{:?}{}", record.head, String::from_utf8_lossy(&block));
                assert!(!text.contains(host) || text.contains("Location"), "{host} in {text}");
            }
        }
        audit
    }
}

#[test]
fn an_early_request_that_is_written_down_before_the_one_that_it_disturbs_is_found() {
    let mut book = opened();
    book.page("https://a.test/2", 1_940, 30);
    book.page("https://a.test/1", 1_010, 30);
    let audit = book.check(&["gap"]);
    let found = &audit.total.violation_list[0];
    assert_eq!(found.what, "900 ms before the request after it, asked for 1000 ms");
    assert_eq!(audit.total.min_gap_ms, Some(900));
    let mut book = opened();
    book.page("https://a.test/2", 2_040, 30);
    book.page("https://a.test/1", 1_010, 30);
    book.check(&[]);
}

#[test]
fn where_two_are_allowed_at_once_the_third_is_early_in_any_order() {
    let stays =
        [("https://a.test/1", 1_010), ("https://a.test/2", 1_020), ("https://a.test/3", 1_500)];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut book = opened();
        book.connections = 2;
        for (url, at) in order.map(|index| stays[index]) {
            book.page(url, at, 100);
        }
        book.check(&["gap"]);
    }
}

#[test]
fn both_schemes_of_a_site_keep_one_gap() {
    let mut book = opened();
    book.file("http://a.test", 1_010, OPEN_TO_ALL);
    book.page("http://a.test/1", 2_020, 10);
    book.page("https://a.test/1", 2_500, 10);
    book.check(&["gap"]);
    let mut book = Book::new();
    book.file("http://a.test", 0, "User-agent: *\nCrawl-delay: 4\n");
    book.file(A, 4_010, OPEN_TO_ALL);
    book.page("https://a.test/1", 5_100, 10);
    book.check(&["gap"]);
}

#[test]
fn no_answer_to_the_question_for_robots_txt_shortens_a_gap() {
    for answer in ["304 Not Modified", "500 Oh", "404 Gone", "301 Moved"] {
        let mut book = Book::new();
        book.file(A, 0, "User-agent: *\nCrawl-delay: 4\n");
        book.page("https://a.test/1", 4_010, 0);
        book.robots(A, 6_010, &format!("HTTP/1.1 {answer}\r\n\r\n"));
        book.check(&["gap"]);
    }
}

#[test]
fn a_clock_that_is_set_back_or_forth_accuses_nobody() {
    for late in [0, HOUR_MS] {
        let mut book = opened();
        book.clock_is_late_by = late;
        book.page("https://a.test/1", 1_010, 30);
        book.clock_is_late_by = HOUR_MS - late;
        book.page("https://a.test/2", 2_040, 30);
        book.check(&[]);
    }
}

#[test]
fn each_request_is_judged_by_the_name_that_it_was_sent_under() {
    let file =
        "User-agent: rhumb\nDisallow: /a\n\nUser-agent: other\nDisallow: /b\nCrawl-delay: 3\n";
    let mut book = Book::new();
    book.file(A, 0, file);
    book.page("https://a.test/b", 1_010, 0);
    let mut book = book.goes_by("Other");
    book.page("https://a.test/a", 4_020, 0);
    let audit = book.check(&[]);
    assert_eq!(audit.agents, ["rhumb", "other"]);
    let mut book = Book::new();
    book.file(A, 0, file);
    book.page("https://a.test/a", 1_010, 0);
    let mut book = book.goes_by("other");
    book.page("https://a.test/b", 2_020, 0);
    book.check(&["robots", "gap", "robots"]);
}

#[test]
fn a_revisit_that_refers_to_nothing_says_nothing() {
    let mut book = Book::new();
    let closed = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n";
    book.exchange("https://gone.test/page", (0, 10), ("page", None), closed);
    // The payload is lost before whoever refers to it is taken into account.
    let url = CanonUrl::parse("https://gone.test/lost").expect("a URL");
    book.earlier = Some(Earlier { url, began: moment(5) });
    book.robots(A, 500, "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nAllow: /\n");
    book.page("https://a.test/1", 1_510, 0);
    book.check_without("gone.test", &["no-robots"]);
}

#[test]
fn many_payloads_that_pages_had_first_are_all_found() {
    let mut book = Book::new();
    book.delay = Some(0);
    for number in 0..20_u64 {
        let hub = format!("https://hub{number}.test");
        let closed = format!("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /{number}$\n");
        book.file(&hub, number, OPEN_TO_ALL);
        book.exchange(&format!("{hub}/page"), (100 + number, 1), ("page", None), &closed);
        let url = CanonUrl::parse(&format!("{hub}/page")).expect("a URL");
        book.earlier = Some(Earlier { url, began: moment(100 + number) });
        let site = format!("https://a{number}.test");
        book.robots(&site, 200 + number, &closed);
        book.page(&format!("{site}/open"), 300 + number, 1);
    }
    book.page("https://a19.test/19", 400, 1);
    book.check(&["robots"]);
}

#[test]
fn whoever_borrowed_a_forgotten_robots_txt_is_not_accused() {
    let mut book = Book::new();
    let moved = "HTTP/1.1 301 Moved\r\nLocation: https://hub.test/r.txt\r\n\r\n";
    book.exchange("https://a.test/robots.txt", (0, 10), ("robots", Some(A)), moved);
    let file = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /closed\n";
    book.exchange("https://hub.test/r.txt", (20, 10), ("robots", Some(A)), file);
    book.page("https://a.test/open", 1_040, 0);
    book.page("https://a.test/soon", 1_140, 0);
    let audit = book.check_without("hub.test", &["gap"]);
    assert_eq!((audit.forgotten, audit.hosts.len()), (2, 1));
    assert_eq!((audit.total.requests, audit.total.robots_requests), (3, 1));
}

#[test]
fn whoever_lent_a_robots_txt_to_a_forgotten_host_is_not_judged_by_it() {
    let mut book = Book::new();
    let (hub, gone) = ("https://hub.test", Some("https://gone.test"));
    book.file(hub, 0, OPEN_TO_ALL);
    let moved = "HTTP/1.1 301 Moved\r\nLocation: https://hub.test/r.txt\r\n\r\n";
    book.exchange("https://gone.test/robots.txt", (0, 10), ("robots", gone), moved);
    let file = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n";
    book.exchange("https://hub.test/r.txt", (1_020, 10), ("robots", gone), file);
    book.page("https://hub.test/page", 2_040, 0);
    let audit = book.check_without("gone.test", &[]);
    assert!(audit.is_clean());
    assert_eq!((audit.total.requests, audit.forgotten), (3, 0));
}

#[test]
fn what_others_had_from_a_forgotten_host_still_holds() {
    let mut book = Book::new();
    let closed = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /closed\n";
    book.robots("https://gone.test", 0, closed);
    for site in ["https://a.test", "https://b.test"] {
        let url = CanonUrl::parse("https://gone.test/robots.txt").expect("a URL");
        book.earlier = Some(Earlier { url, began: moment(0) });
        book.robots(site, 500, closed);
        book.page(&format!("{site}/open"), 1_510, 0);
        book.page(&format!("{site}/closed"), 2_510, 0);
    }
    book.check_without("gone.test", &["robots", "robots"]);
}

#[test]
fn a_note_that_is_none_is_a_flaw_that_is_told() {
    let mut book = opened();
    book.interrupted("https://a.test/1", 1_010);
    let Book { folder, archive, .. } = book;
    archive.close().expect("closed");
    let path = files::list(folder.path()).expect("listed").remove(0);
    let mut unpacked = Vec::new();
    let mut reader = rhumb_archive::WarcReader::open(&path).expect("opened");
    while let Some(record) = reader.next() {
        let mut record = record.expect("a record");
        let block = record.block(1 << 20).expect("a block");
        unpacked.extend_from_slice(b"WARC/1.1\r\n");
        for (name, value) in &record.head.fields {
            let value = value.replace("https://a.test/1", "no URL");
            unpacked.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        unpacked.extend_from_slice(b"\r\n");
        unpacked.extend_from_slice(&block);
        unpacked.extend_from_slice(b"\r\n\r\n");
    }
    std::fs::write(&path, unpacked).expect("written");
    let audit = audited(folder.path(), None);
    assert_eq!(audit.unreadable, 1);
    let flaw = audit.first_flaw.expect("it is told");
    assert!(flaw.ends_with("no request as it should be"), "{flaw}");
}
