//! Everything reachable and allowed is fetched once, by the rules, as the server sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rhumb_testweb::{Addresses, Expected, Served, Spec, Witness};
use serde_json::Value;

use crate::run::{Run, crawl, export, is_full};

pub(crate) fn check_clean(expected: &Expected, witness: &Witness) {
    let missing = expected.missing(witness);
    let extra = expected.extra(witness);
    assert!(missing.is_empty(), "{} not fetched, as {:?}", missing.len(), missing.first());
    assert!(extra.is_empty(), "{} fetched without reason, as {:?}", extra.len(), extra.first());
    assert_eq!(witness.repeats, Vec::<String>::new(), "fetched twice");
    assert_eq!(witness.robots_violations, Vec::new(), "against robots.txt");
    assert_eq!(witness.decoys, Vec::<String>::new(), "not links");
    assert_eq!(witness.unknown, Vec::<String>::new(), "made up");
    assert_eq!(witness.not_canonical, Vec::<String>::new(), "not canonical");
}

/// What was kept and told agrees with what the server saw.
fn check_kept(run: &Run, folder: &std::path::Path, expected: &Expected) {
    let pages = export(folder, "jsonl", &[]).json();
    let by_url: BTreeMap<&str, &Value> =
        pages.iter().map(|page| (page["url"].as_str().expect("a URL"), page)).collect();
    let fetched: BTreeSet<String> = run
        .json()
        .iter()
        .filter(|event| event["event"] == "fetched")
        .map(|event| event["url"].as_str().expect("a URL").to_owned())
        .collect();
    for (url, page) in &expected.pages {
        let is_kept = by_url.contains_key(url.as_str());
        assert_eq!(is_kept, page.status == 200, "{url} of status {}", page.status);
        assert_eq!(fetched.contains(url), page.status < 400, "{url} of status {}", page.status);
        let words = page.word.as_deref().into_iter().chain(page.native_word);
        for word in words.filter(|_| page.status == 200) {
            // A page of frames has its word in the title alone.
            let page = by_url[url.as_str()];
            if !page["duplicate_of"].is_null() {
                // The body is kept once, with the page that had it first.
                continue;
            }
            let text = format!("{} {}", page["title"], page["text"]);
            assert!(text.contains(word), "{url}: {word} is not in {text:.80}");
        }
    }
}

#[test]
fn every_reachable_and_allowed_page_is_fetched_exactly_once() {
    let (hosts, pages) = if is_full() { (500, 10_000) } else { (150, 2_500) };
    let spec = Spec::sized(7, hosts, pages);
    let served = Served::start_on_thread(&spec).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(
        &served,
        folder.path(),
        &["--delay", "0s", "--ip-delay", "0s", "--tries", "1", "--partitions", "64"],
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (expected, witness) = (served.expected(), served.witness());
    check_clean(&expected, &witness);
    check_kept(&run, folder.path(), &expected);
    let summary = run.summary();
    let below_400 = expected.pages.values().filter(|page| page.status < 400).count();
    let sitemaps: usize = witness.hosts.values().map(|host| host.sitemap_requests).sum();
    let fetched = summary["fetched"].as_u64().expect("a count");
    assert!(fetched >= (below_400 + witness.trap_requests) as u64, "{fetched}");
    assert!(fetched <= (below_400 + witness.trap_requests + sitemaps) as u64, "{fetched}");
    let crossed = run.stderr.split_once("links between partitions ").expect("they are counted").1;
    assert!(crossed.starts_with(|digit: char| ('1'..='9').contains(&digit)), "{crossed:.40}");
    println!(
        "coverage: {} of {} pages on {} hosts, repeats 0, robots violations 0",
        expected.pages.len(),
        expected.pages.len(),
        expected.hosts.len(),
    );
}

#[test]
fn no_host_is_visited_within_its_delay_nor_twice_at_once() {
    let served = Served::start_on_thread(&Spec::sized(8, 40, 250)).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--delay", "200ms", "--ip-delay", "0s", "--tries", "1"];
    let run = crawl(&served, folder.path(), &flags);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (expected, witness) = (served.expected(), served.witness());
    check_clean(&expected, &witness);
    let delay = Duration::from_millis(200);
    assert_eq!(witness.hurried(delay), Vec::new(), "visited too early");
    assert_eq!(witness.crowded(), Vec::<String>::new(), "two at once");
    let gap = witness.hosts.values().filter_map(|host| host.min_gap).min().expect("gaps");
    println!("politeness: smallest gap {gap:?} on {} hosts at --delay 200ms", witness.hosts.len());
}

#[test]
fn hosts_that_share_an_address_are_visited_one_after_the_other() {
    let addresses = Addresses::Shared(4);
    let spec = Spec { addresses, traps: false, ..Spec::sized(9, 30, 120) };
    let served = Served::start_on_thread(&spec).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--delay", "0s", "--ip-delay", "20ms", "--tries", "1"];
    let run = crawl(&served, folder.path(), &flags);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    check_clean(&served.expected(), &served.witness());
}
