//! `rhumb bench`: what is measured is there, and nothing stays behind. No figure is judged.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::run::{collect, command, finish, rhumb};
use crate::usage::check_refused;

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).expect("it is a folder").next().is_none()
}

#[test]
fn a_small_bench_measures_every_part_and_fetches_every_page_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bench = command(folder.path());
    bench.args(["bench", "--pages", "50", "--hosts", "5", "--json", "-o", "."]);
    let run = finish(bench, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json().pop().expect("a report");
    let parts = report["parts"].as_array().expect("a list");
    let names: Vec<&str> = parts.iter().filter_map(|part| part["part"].as_str()).collect();
    for name in ["unpack", "parse", "judge", "record", "write", "decide", "log"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    for part in parts {
        assert!(part["page_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{part}");
    }
    let crawl = &report["crawl"];
    assert_eq!(
        (&crawl["pages"], &crawl["missing"], &crawl["repeats"]),
        (&50.into(), &0.into(), &0.into()),
        "{crawl:#}"
    );
    assert!(crawl["cpu_ms"].as_u64().is_some_and(|ms| ms > 0), "{crawl:#}");
    assert!(run.stderr.contains("crawling 50 pages"), "{}", run.stderr);
    assert!(is_empty(folder.path()), "something stayed behind");
}

#[test]
fn plain_pages_need_no_unpacking_and_the_report_is_text() {
    let run = rhumb(&["bench", "--pages", "20", "--hosts", "2", "--plain"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("sent as they are"), "{}", run.stdout);
    assert!(!run.stdout.contains("unpack"), "{}", run.stdout);
    assert!(run.stdout.contains("\nbottleneck: "), "{}", run.stdout);
    for line in run.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn an_interrupted_bench_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bench = command(folder.path());
    bench.args(["bench", "--pages", "1000", "--hosts", "20", "-o", "."]);
    let child = bench.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it was piped")).lines();
    let is_crawling =
        |line: std::io::Result<String>| line.is_ok_and(|it| it.starts_with("crawling"));
    assert!(lines.any(is_crawling));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill runs").success());
    let run = collect(child);
    assert_eq!((run.code, run.stdout.as_str()), (Some(130), ""));
    assert!(is_empty(folder.path()), "something stayed behind");
}

#[test]
fn a_bench_that_cannot_be_is_refused() {
    check_refused(&rhumb(&["bench", "--pages", "3", "--hosts", "9"]), 2, "9 sites");
    check_refused(&rhumb(&["bench", "--pages", "0"]), 2, "--pages");
    check_refused(&rhumb(&["bench", "-o", "nowhere"]), 1, "nowhere");
}
