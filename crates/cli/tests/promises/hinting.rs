//! The summary's hints, drawn from real runs.

use crate::run::{Run, command, finish};
use crate::static_site::StaticSite;

fn crawl(files: &[(&str, &str)], flags: &[&str]) -> Run {
    let root = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        std::fs::write(root.path().join(path), text).expect("written");
    }
    let site = StaticSite::open(root.path());
    let folder = tempfile::tempdir().expect("a folder");
    let mut crawl = command(folder.path());
    crawl.args(["crawl", &site.url("/"), "-o", "crawl", "--allow-private"]).args(flags);
    finish(crawl, "")
}

#[track_caller]
fn check(run: &Run, hint: &str) {
    assert!(run.stderr.contains(&format!("\n  note: {hint}")), "{}", run.stderr);
}

#[test]
fn a_long_crawl_delay_is_told_with_the_time_that_it_costs() {
    let files = [("robots.txt", "User-agent: *\nCrawl-delay: 3600"), ("index.html", "")];
    let run = crawl(&files, &["--max-time", "500ms"]);
    check(&run, "1 host asked for a delay above 10 s: this crawl needs at least 2 h 00 min");
}

#[test]
fn links_that_all_lead_elsewhere_and_lifted_guards_are_told() {
    let files = [("index.html", "<a href=http://other.example/>away</a>")];
    let run = crawl(&files, &["--delay", "0s"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    check(&run, "all links lead out of the scope host: try --scope domain");
    let lifted = "the gap between requests to one site, the guard of private addresses";
    check(&run, &format!("lifted by your settings: {lifted}"));
}
