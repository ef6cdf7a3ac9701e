//! The page for webmasters.

use std::time::{Duration, Instant};

use rhumb_crawl::ask::{SiteRow, SitesPage};
use rhumb_crawl::control::{Question, Reply};

use crate::house::{Answered, Furniture, TestHouse, encoded};
use crate::wholeness::check_whole;

/// Audits of a small archive are made by then.
const PATIENCE: Duration = Duration::from_secs(30);

/// Looks as the page does, again and again, until the audit is there.
fn audited(house: &TestHouse, host: &str) -> Answered {
    let start = Instant::now();
    loop {
        let answer = house.get(&format!("/webmaster?host={}", encoded(host)));
        assert_eq!(answer.code, 200, "{}", answer.text());
        check_whole(answer.text());
        if answer.header("refresh").is_none() {
            return answer;
        }
        assert!(answer.text().contains("is being made"), "{}", answer.text());
        assert!(start.elapsed() < PATIENCE, "it is never made");
        std::thread::yield_now();
    }
}

#[test]
fn webmasters_are_told_who_this_is_and_how_to_be_left_alone() {
    let house = Furniture::default().start();
    let page = house.get("/webmaster");
    check_whole(page.text());
    for word in [
        "rhumb/0.1 (+mailto:who@example.org)",
        "mailto:who@example.org",
        env!("CARGO_PKG_VERSION"),
        "Crawl-delay: 10",
        "User-agent: rhumb\nDisallow: /",
        "Retry-After",
        "X-Robots-Tag: noindex",
        "noarchive",
        "nosnippet",
        "rhumb forget DIR",
        "name=\"host\"",
    ] {
        assert!(page.text().contains(word), "{word}");
    }
}

#[test]
fn webmasters_are_told_whether_requests_go_out_without_our_name() {
    for is_disguised in [false, true] {
        let house = Furniture { is_disguised, ..Furniture::default() }.start();
        let page = house.get("/webmaster");
        check_whole(page.text());
        let told = page.text().contains("under the headers of a browser and without its own name");
        assert_eq!(told, is_disguised, "{}", page.text());
    }
}

#[test]
fn the_audit_of_a_host_is_shown_with_every_request() {
    let house = Furniture::default().start();
    let page = audited(&house, "https://A.example/some/page");
    for word in [" did on a.example", "Every request", "http://a.example/", "Most at once"] {
        assert!(page.text().contains(word), "{word} in {}", page.text());
    }
    assert!(!page.text().contains("http://b.example/"), "another host");
    // It is kept: nobody waits for it again.
    let again = house.get("/webmaster?host=a.example");
    assert!(again.header("refresh").is_none());
}

#[test]
fn the_next_visit_is_told_as_people_read_it() {
    let soon = |question: &Question| {
        let row = SiteRow {
            site: "a.example".to_owned(),
            next_visit: Some("2026-01-02T03:04:05.678Z".to_owned()),
            ..SiteRow::default()
        };
        let page = SitesPage { sites: vec![row], total: 1, exact: true };
        matches!(question, Question::Sites(_)).then_some(Reply::Sites(page))
    };
    let house = Furniture { replies: Box::new(soon), ..Furniture::default() }.start();
    let page = audited(&house, "a.example");
    assert!(page.text().contains(">2026-01-02 03:04:05 UTC</time>"), "{}", page.text());
}

#[test]
fn a_host_that_is_no_host_or_unknown_is_said_to_be() {
    let house = Furniture::default().start();
    let unknown = house.get("/webmaster?host=nobody.example");
    assert_eq!((unknown.code, unknown.header("refresh")), (200, None));
    assert!(unknown.text().contains("Nothing was fetched from nobody.example"));
    check_whole(unknown.text());
    for wrong in ["no host", "<script>", "a@b.example", "http://"] {
        let answer = house.get(&format!("/webmaster?host={}", encoded(wrong)));
        assert_eq!(answer.code, 400, "{wrong}");
        assert!(!answer.text().contains("<script>"));
    }
    assert_eq!(house.get("/webmaster?host=").code, 200);
}

#[test]
fn a_crawl_that_cannot_tell_its_sites_still_has_its_archive() {
    let silent = |question: &Question| {
        let refused = || Reply::Refused { what: "no".to_owned(), advice: "later".to_owned() };
        matches!(question, Question::Sites(_)).then(refused)
    };
    let house = Furniture { replies: Box::new(silent), ..Furniture::default() }.start();
    assert!(audited(&house, "a.example").text().contains("Every request"));
    let page = audited(&house, "nobody.example");
    assert!(page.text().contains("has no request to this host"), "{}", page.text());
}

#[test]
fn without_an_archive_nothing_is_proven_and_nothing_breaks() {
    let known = |question: &Question| {
        let inexact = || Reply::Sites(SitesPage { exact: false, ..SitesPage::default() });
        matches!(question, Question::Sites(_)).then(inexact)
    };
    let furniture =
        Furniture { captures: Vec::new(), replies: Box::new(known), ..Furniture::default() };
    let house = furniture.start();
    let archive = house.folder.path().join("archive");
    std::fs::remove_dir_all(&archive).expect("it was there");
    let page = audited(&house, "a.example");
    assert!(page.text().contains("has no request to this host"), "{}", page.text());
    std::fs::write(&archive, "no folder").expect("written");
    let page = audited(&house, "b.example");
    assert!(page.text().contains("cannot be read at the moment"), "{}", page.text());
}
