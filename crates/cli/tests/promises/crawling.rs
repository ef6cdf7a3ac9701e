//! `rhumb crawl` as a user types it: events, limits, scope, interruption, export.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use rhumb_testweb::{Served, Spec};
use serde_json::Value;

use crate::run::{collect, command, crawl, export, finish};

fn served(seed: u64) -> Served {
    Served::start_on_thread(&Spec::sized(seed, 20, 120)).expect("the web is served")
}

#[test]
fn every_event_and_the_summary_keep_the_contract() {
    let served = served(21);
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(&served, folder.path(), &["--delay", "0s", "--ip-delay", "0s", "--tries", "1"]);
    let mut events = run.json();
    let summary = events.pop().expect("a summary");
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    let set = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let contract: BTreeSet<String> = set(&[
        "event", "time", "url", "site", "status", "outcome", "reason", "bytes", "depth", "took_ms",
    ]);
    let mut kinds = BTreeSet::new();
    for event in &events {
        assert_eq!(keys(event), contract);
        kinds.insert(event["event"].as_str().expect("a word").to_owned());
    }
    assert_eq!(kinds, set(&["fetched", "refused", "failed"]));
    let contract: BTreeSet<String> = set(&[
        "event",
        "fetched",
        "refused",
        "failed",
        "duplicates",
        "near_duplicates",
        "marked",
        "queued",
        "waiting",
        "bytes",
        "elapsed_ms",
        "pages_per_s",
        "exit",
    ]);
    assert_eq!(keys(&summary), contract);
    let fetched = events.iter().filter(|event| event["event"] == "fetched").count();
    assert_eq!(summary["fetched"], fetched as u64);
    let robots = events.iter().filter(|event| event["reason"] == "robots").count();
    assert_eq!(summary["refused"]["robots"], robots as u64);
}

#[test]
fn a_limit_of_pages_is_kept_exactly() {
    let served = served(22);
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(&served, folder.path(), &["--max-pages", "17", "--delay", "0s"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let pages = export(folder.path(), "jsonl", &[]);
    assert_eq!(pages.stdout.lines().count(), 17);
    let contract = [
        "url",
        "status",
        "time",
        "type",
        "charset",
        "language",
        "title",
        "description",
        "author",
        "published",
        "modified",
        "text",
        "main",
        "links",
        "digest",
        "duplicate_of",
        "likeness",
        "mark",
        "document",
    ];
    let contract: BTreeSet<String> = contract.iter().map(|key| (*key).to_owned()).collect();
    for page in pages.json() {
        let keys: BTreeSet<String> = page.as_object().expect("an object").keys().cloned().collect();
        assert_eq!(keys, contract);
    }
    assert_eq!(export(folder.path(), "jsonl", &["-o", "out.jsonl"]).code, Some(0));
    let out = std::fs::read_to_string(folder.path().join("out.jsonl")).expect("it is there");
    assert_eq!(out, pages.stdout);
    let again = export(folder.path(), "jsonl", &["-o", "out.jsonl"]);
    assert_eq!(again.code, Some(1), "nothing is written over");
    let all = export(folder.path(), "jsonl", &["--all"]).json();
    assert!(all.len() > 17);
    assert!(all.iter().any(|row| row["url"].as_str().expect("a URL").ends_with("/robots.txt")));
}

#[test]
fn a_host_scope_stays_on_the_host_and_the_same_command_goes_on_with_its_crawl() {
    let served = served(23);
    let folder = tempfile::tempdir().expect("a folder");
    let (dns, seed) = (served.dns().to_string(), served.seeds().remove(0));
    let ca = folder.path().join("ca.pem");
    std::fs::write(&ca, served.ca_pem()).expect("written");
    let run = || {
        let mut crawl = command(folder.path());
        crawl.env("SSL_CERT_FILE", &ca).args(["crawl", &seed, "--dns", &dns, "--allow-private"]);
        crawl.args(["--delay", "0s", "--ip-delay", "0s", "--tries", "1", "--json"]);
        finish(crawl, "")
    };
    let first = run();
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let sites: BTreeSet<String> = first
        .json()
        .iter()
        .filter(|event| event["event"] == "fetched")
        .map(|event| event["site"].as_str().expect("a site").to_owned())
        .collect();
    assert_eq!(sites.len(), 1, "{sites:?}");
    assert!(first.summary()["refused"]["out-of-scope"].as_u64() > Some(0));
    let site = sites.first().expect("one").replace(':', "-");
    let settings = folder.path().join(site).join("crawl.toml");
    let settings = std::fs::read_to_string(settings).expect("settings are written");
    for key in ["seeds", "scope = \"host\"", "delay = \"0s\"", "tries = 1", "partitions = 64"] {
        assert!(settings.contains(key), "{key} is not in {settings}");
    }
    let second = run();
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    assert_eq!(second.summary()["fetched"], first.summary()["fetched"]);
}

#[test]
fn an_interrupted_crawl_ends_cleanly_with_130() {
    let served = served(24);
    let folder = tempfile::tempdir().expect("a folder");
    let mut crawl = command(folder.path());
    let dns = served.dns().to_string();
    crawl.arg("crawl").args(served.seeds()).args(["-o", "crawl", "--scope", "any", "--json"]);
    crawl.args(["--contact", "a@example.test", "--allow-private", "--dns", &dns]);
    let mut child =
        crawl.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("it was piped"));
    let mut first = String::new();
    stdout.read_line(&mut first).expect("an event comes");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
    let rest = std::thread::spawn(move || stdout.lines().map_while(Result::ok).last());
    let run = collect(child);
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    let last = rest.join().expect("read").expect("a last line");
    let summary: Value = serde_json::from_str(&last).expect("JSON");
    assert_eq!((&summary["event"], &summary["exit"]), (&"summary".into(), &130.into()));
}
