//! The page, line by line.

use std::collections::BTreeMap;

use rhumb_crawl::ask::{Activity, Percentiles, SiteStanding, Status};

use super::page::render;
use crate::screen::Line;

fn map(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
    pairs.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect()
}

fn times(count: u64, p50_ms: f64, p90_ms: f64, p99_ms: f64, max_ms: f64) -> Percentiles {
    Percentiles { count, sum_ms: 0.0, p50_ms, p90_ms, p99_ms, max_ms }
}

fn site(site: &str, state: &str, held_by: Option<&str>, for_ms: u64) -> SiteStanding {
    SiteStanding {
        site: site.to_owned(),
        visits: 1_233,
        queued: 4_333,
        takes_ms: 180,
        state: state.to_owned(),
        held_by: held_by.map(str::to_owned),
        for_ms,
    }
}

fn running() -> Status {
    Status {
        state: Activity::Running,
        verdict: "waiting for host politeness: 412 of 480 sites".to_owned(),
        held_back_by: "politeness".to_owned(),
        fetched: 27_626,
        pages: 26_100,
        redirects: 1_500,
        sitemaps: 26,
        robots: 480,
        duplicates: 301,
        queued: 120_331,
        waiting: 412,
        waiting_by: map(&[("site", 400), ("backoff", 9), ("robots", 3), ("address", 0)]),
        refused: map(&[("out-of-scope", 12_333), ("robots", 433), ("nofollow", 12)]),
        failed: map(&[("http-404", 122), ("timeout-connect", 4)]),
        cut: map(&[("length", 2)]),
        sites: 4_120,
        sites_by_state: map(&[("fetching", 68), ("waiting", 412), ("idle", 3_640)]),
        in_flight: 68,
        connections: 512,
        bytes: 812_345_678,
        memory_bytes: 143_200_000,
        memory: map(&[("bodies", 12_000_000), ("seen", 31_000_000)]),
        disk_bytes: 301_000_000,
        disk: map(&[("archive", 290_000_000), ("log", 11_000_000)]),
        pages_per_s: 129.04,
        bytes_per_s: 4_100_000.0,
        cpu_cores: 1.5,
        elapsed_ms: 727_000,
        phases: [
            ("dns".to_owned(), times(4_120, 0.44, 12.0, 90.0, 5_000.0)),
            ("first_byte".to_owned(), times(28_106, 81.4, 410.0, 2_100.0, 19_876.0)),
            ("connect".to_owned(), times(9_000, 20.1, 33.0, 150.0, 240_000.0)),
            ("tls".to_owned(), Percentiles::default()),
        ]
        .into(),
        busiest: vec![
            site("www.example.org", "waiting", Some("site"), 800),
            site("docs.example.org:8080", "fetching", None, 1_200),
        ],
        slowest: vec![
            site(
                "a-very-long-host-name.of-a-department.example.edu",
                "waiting",
                Some("backoff"),
                240_000,
            ),
            site("shut.example.net", "waiting", Some("block"), 0),
            site("ready.example.net", "waiting", Some("site"), 0),
            site("done.example.net", "idle", None, 0),
        ],
        ..Status::default()
    }
}

fn drawn(status: &Status, columns: usize) -> Vec<String> {
    let lines = render("example.org", status, columns);
    lines.iter().map(|line: &Line| line.paint(columns, false)).collect()
}

#[track_caller]
fn check(status: &Status, columns: usize, expect: &str) {
    let lines = drawn(status, columns);
    let expect: Vec<&str> = expect.trim_matches('\n').lines().collect();
    assert_eq!(lines, expect, "\n{}", lines.join("\n"));
}

#[test]
fn a_running_crawl_is_told_with_its_verdict_first() {
    check(
        &running(),
        80,
        "
example.org: running for 12 min 07 s
waiting for host politeness: 412 of 480 sites

fetched     27,626        pages       26,100        redirects   1,500
sitemaps    26            robots.txt  480           duplicates  301
queued      120,331       received    812.3 MB      in flight   68 of 512
pages/s     129.0         received/s  4.1 MB        busy cores  1.50

waiting     412           its gap 400  back-off 9  robots.txt 3
refused     12,778        out-of-scope 12,333  robots 433  nofollow 12
failed      126           http-404 122  timeout-connect 4
not whole   2             length 2
sites       4,120         idle 3,640  waiting 412  fetching 68
memory      143.2 MB      seen 31.0 MB  bodies 12.0 MB
disk        301.0 MB      archive 290.0 MB  log 11.0 MB

phase             times        p50        p90        p99        max
dns               4,120     440 µs      12 ms      90 ms      5.0 s
connect           9,000      20 ms      33 ms     150 ms      4 min
first byte       28,106      81 ms     410 ms      2.1 s     19.9 s

busiest sites                requests     queued    takes  waits for
www.example.org                 1,233      4,333   180 ms  its gap, 800 ms
docs.example.org:8080           1,233      4,333   180 ms  its answer, 1.2 s

slowest sites                requests     queued    takes  waits for
a-very-long-host-name.of-…      1,233      4,333   180 ms  back-off, 4 min
shut.example.net                1,233      4,333   180 ms  your block
ready.example.net               1,233      4,333   180 ms  its turn
done.example.net                1,233      4,333   180 ms  nothing: all done
",
    );
}

#[test]
fn a_stopped_crawl_has_no_rates() {
    let status = Status {
        state: Activity::Stopped,
        verdict: "it does not run; 7 URLs are queued".to_owned(),
        held_back_by: "stopped".to_owned(),
        queued: 7,
        forgotten: 2,
        disk_bytes: 1_000,
        ..Status::default()
    };
    check(
        &status,
        80,
        "
example.org: stopped
it does not run; 7 URLs are queued

fetched     0             pages       0             redirects   0
sitemaps    0             robots.txt  0             duplicates  0
queued      7             received    0 B           forgotten   2

disk        1.0 kB
",
    );
}

#[test]
fn a_long_list_goes_on_below_its_first_word() {
    let failed: Vec<(String, u64)> = (400..420).map(|n| (format!("http-{n}"), 1_000)).collect();
    let status = Status { failed: failed.into_iter().collect(), ..Status::default() };
    let lines = drawn(&status, 80);
    let first = "failed      20,000        http-400 1,000  http-401 1,000  http-402 1,000";
    let at = lines.iter().position(|line| line == first).expect("it is there");
    let rest = &lines[at + 1..];
    assert_eq!(rest.len(), 6, "{rest:?}");
    for line in rest {
        assert!(line.starts_with(&format!("{}http-4", " ".repeat(26))), "{line}");
    }
    assert!(rest[5].ends_with("  http-419 1,000"), "{rest:?}");
}

#[test]
fn no_line_is_wider_than_its_terminal_nor_a_command_to_it() {
    let mut status = running();
    status.paused = true;
    status.verdict = "\u{1b}[2J".to_owned();
    status.refused = map(&[("\u{9b}31m", 5)]);
    status.busiest[0].site = "\u{1b}]0;x\u{7}".to_owned();
    for columns in [30, 64, 80, 110] {
        for line in drawn(&status, columns) {
            assert!(line.chars().count() <= columns, "{line}");
            assert!(!line.contains(char::is_control), "{line:?}");
        }
    }
    assert_eq!(drawn(&status, 80)[0], "example.org: running for 12 min 07 s, paused");
}

#[test]
fn a_long_path_does_not_hide_the_state() {
    let title = format!("/home/{}/example.org", "deep/".repeat(40));
    let head = |columns| render(&title, &running(), columns)[0].paint(columns, false);
    assert!(head(80).starts_with('…'), "{}", head(80));
    assert!(head(80).ends_with("/example.org: running for 12 min 07 s"), "{}", head(80));
    assert_eq!(head(80).chars().count(), 80);
}

#[test]
fn a_time_is_rounded_into_the_unit_in_which_it_is_read() {
    let mut status = running();
    status.phases = [("dns".to_owned(), times(1, 0.999_9, 9.96, 999.7, 59_999.0))].into();
    let expect = "dns                   1     1.0 ms      10 ms      1.0 s     60.0 s";
    assert!(drawn(&status, 80).iter().any(|line| line == expect), "{:?}", drawn(&status, 80));
}
