//! `rhumb audit` says what the server saw, and finds what was planted.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rhumb_archive::WarcReader;
use rhumb_testweb::{HostWitness, Served, Spec, Witness};
use serde_json::Value;

use crate::run::{Run, command, crawl, crawl_command, finish, is_full};

/// The gap that the crawls keep.
const DELAY: Duration = Duration::from_millis(20);
const FLAGS: [&str; 6] = ["--delay", "20ms", "--ip-delay", "0s", "--tries", "1"];
/// The crawler's clock and the server's see the same gap from two ends of a connection.
const APART: Duration = Duration::from_millis(5);
/// What became of a request that the server may not have read: it had closed the connection.
const UNSEEN: &str = "stale";

fn audit(folder: &Path, words: &[&str]) -> Run {
    let mut audit = command(folder);
    audit.args(["audit", "crawl"]).args(words);
    finish(audit, "")
}

/// The figures of every host by its name, without its port; and the total.
fn audited(folder: &Path) -> (BTreeMap<String, Value>, Value) {
    let run = audit(folder, &["--json"]);
    let mut lines = run.json();
    let total = lines.pop().expect("a total");
    assert_eq!(total["host"], Value::Null, "the last line is for all");
    assert_eq!(run.code, Some(i32::from(total["violations"] != 0)), "{}", run.stderr);
    let name = |line: &Value| {
        let site = line["host"].as_str().expect("a host");
        site.split(':').next().expect("a name").to_owned()
    };
    (lines.iter().map(|line| (name(line), line.clone())).collect(), total)
}

/// Requests of each host that the server may not have seen.
fn unseen(folder: &Path) -> BTreeMap<String, u64> {
    let mut unseen = BTreeMap::new();
    for line in audit(folder, &["--json", "--requests"]).json() {
        if line["outcome"] == UNSEEN {
            let site = line["site"].as_str().expect("a site");
            let name = site.split(':').next().expect("a name");
            *unseen.entry(name.to_owned()).or_default() += 1;
        }
    }
    unseen
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).expect("a short time")
}

/// What the server saw of a host is what the archive says of it.
fn compare(name: &str, host: &HostWitness, figures: &Value, unseen: u64) {
    let number = |key: &str| figures[key].as_u64();
    let (requests, interrupted) = (number("requests").expect("a number"), number("interrupted"));
    let unsure = interrupted.expect("a number") + unseen;
    let seen = u64::try_from(host.requests).expect("a count fits");
    let is_within = (requests - unsure..=requests).contains(&seen);
    assert!(
        is_within,
        "{name}: the server saw {seen} requests, the archive {requests}, of which {unsure} unsure"
    );
    let at_once = number("max_in_flight").expect("a number");
    let in_flight = u64::try_from(host.max_in_flight).expect("a count fits");
    assert_eq!(at_once, in_flight.max(1), "{name}: requests at once");
    let gap = number("min_gap_ms");
    match (host.min_gap, gap) {
        (Some(witnessed), Some(gap)) => {
            let is_near = millis(witnessed).abs_diff(gap) <= millis(APART);
            let are_above = witnessed >= DELAY && gap >= millis(DELAY);
            assert!(is_near || are_above, "{name}: {witnessed:?} and {gap} ms");
        }
        (None, Some(_)) => assert!(unsure > 0, "{name}: the server saw one request"),
        (witnessed, None) => assert!(witnessed.is_none() || unsure > 0, "{name}: no gap"),
    }
}

fn compare_all(folder: &Path, witness: &Witness) -> Value {
    let (hosts, total) = audited(folder);
    let unseen = unseen(folder);
    for (name, host) in &witness.hosts {
        let figures = hosts.get(name).unwrap_or(&Value::Null);
        assert!(figures.is_object(), "{name} was visited, and is not in the archive");
        compare(name, host, figures, unseen.get(name).copied().unwrap_or(0));
    }
    for (name, figures) in &hosts {
        let requests = figures["requests"].as_u64().expect("a number");
        let interrupted = figures["interrupted"].as_u64().expect("a number");
        let sure = requests - interrupted - unseen.get(name).copied().unwrap_or(0);
        assert!(witness.hosts.contains_key(name) || sure == 0, "{name} was never visited");
    }
    assert_eq!(total["violations"], 0, "{}", total["violation_list"]);
    assert_eq!(total["unreadable"], 0);
    total
}

/// Runs until so many events are told, and kills it then.
fn run_and_kill(mut command: Command, events: usize) {
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = piped.spawn().expect("the binary starts");
    let stdout = BufReader::new(child.stdout.take().expect("it was piped"));
    let is_fetch = |line: &String| !line.contains("\"refused\"");
    let told = stdout.lines().map_while(Result::ok).filter(is_fetch).take(events).count();
    child.kill().expect("it is ours");
    child.wait().expect("it can be waited for");
    assert_eq!(told, events, "it ended before");
}

fn resumed(folder: &Path) -> Command {
    let mut resume = command(folder);
    resume.env("SSL_CERT_FILE", folder.join("ca.pem"));
    resume.args(["crawl", "-o", "crawl", "--json"]);
    resume
}

#[test]
fn after_ten_kills_the_audit_agrees_with_the_server_host_by_host() {
    let (hosts, pages) = if is_full() { (500, 10_000) } else { (60, 600) };
    let spec = Spec { latency: Duration::from_millis(15), ..Spec::sized(71, hosts, pages) };
    let served = Served::start_on_thread(&spec).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let share = pages / 12;
    run_and_kill(crawl_command(&served, folder.path(), &FLAGS), share);
    for _ in 1..10 {
        run_and_kill(resumed(folder.path()), share);
    }
    let run = finish(resumed(folder.path()), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let witness = served.witness();
    assert_eq!(witness.robots_violations, Vec::new());
    let total = compare_all(folder.path(), &witness);
    let seen: usize = witness.hosts.values().map(|host| host.requests).sum();
    println!(
        "auditing: the server saw {seen} requests to {} hosts; the archive has {}, of which {} \
        interrupted, and {} attempts",
        witness.hosts.len(),
        total["requests"],
        total["interrupted"],
        total["attempts"],
    );
    assert!(total["interrupted"].as_u64() > Some(0), "kills cut something off");
}

/// A crawl of a small web that nobody disturbs.
fn quiet() -> (Served, tempfile::TempDir) {
    let spec = Spec { latency: Duration::from_millis(5), ..Spec::sized(72, 30, 200) };
    let served = Served::start_on_thread(&spec).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(&served, folder.path(), &FLAGS);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    (served, folder)
}

#[test]
fn a_clean_crawl_is_proven_clean_in_every_form() {
    let (served, folder) = quiet();
    let total = compare_all(folder.path(), &served.witness());
    assert_eq!(total["interrupted"], 0);
    let text = audit(folder.path(), &[]);
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    let verdict = text.stdout.lines().last().expect("a verdict");
    assert!(verdict.starts_with("no violations in "), "{verdict}");
    check_page(folder.path(), &served);
    check_requests(folder.path(), &served);
}

/// Every page was allowed by a file that is named.
fn check_requests(folder: &Path, served: &Served) {
    let requests = audit(folder, &["--json", "--requests"]).json();
    let mut pages = 0;
    for request in requests.iter().filter(|line| line["errand"] == "page") {
        assert!(request["robots"]["fetched"].is_string(), "{request}");
        assert_eq!(request["violations"], serde_json::json!([]), "{request}");
        pages += 1;
    }
    assert!(pages >= served.expected().pages.len());
    let closed = served.web().hosts.iter().any(|host| host.crawl_delay().is_some());
    assert!(closed, "the web asks for delays");
}

fn check_page(folder: &Path, served: &Served) {
    let seed = &served.seeds()[0];
    let run = audit(folder, &[seed, "--html", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let page = &run.stdout;
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    for word in
        ["No violations in", "crawl@example.test", "Crawl-delay: 10", "Disallow: /", "rhumb"]
    {
        assert!(page.contains(word), "{word}");
    }
    for word in ["<script", "src=", "url(", "@import", "http-equiv"] {
        assert!(!page.contains(word), "{word} in a page that needs nothing else");
    }
    let named = audit(folder, &["--html", "page.html"]);
    assert_eq!(named.code, Some(0), "{}", named.stderr);
    assert!(folder.join("page.html").is_file());
    let again = audit(folder, &["--html", "page.html"]);
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("exists already"), "{}", again.stderr);
}

/// The sealed WARC files of the crawl.
fn warcs(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join("crawl/archive")).expect("an archive");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "gz"));
    files.sort();
    files
}

/// Writes the archive anew, unpacked, with its records changed; says how many were.
fn edit(folder: &Path, mut change: impl FnMut(&str, &mut String) -> bool) -> usize {
    let mut changed = 0;
    for path in warcs(folder) {
        let mut out = Vec::new();
        let mut reader = WarcReader::open(&path).expect("it opens");
        while let Some(record) = reader.next() {
            let mut record = record.expect("a whole record");
            let mut block = record.block(16 << 20).expect("a block");
            let url = record.head.url().unwrap_or_default().to_owned();
            if let Ok(mut text) = String::from_utf8(block.clone())
                && change(&url, &mut text)
            {
                block = text.into_bytes();
                changed += 1;
            }
            out.extend_from_slice(b"WARC/1.1\r\n");
            for (name, value) in &record.head.fields {
                let value =
                    if name == "Content-Length" { block.len().to_string() } else { value.clone() };
                out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
            }
            out.extend_from_slice(b"\r\n");
            out.extend_from_slice(&block);
            out.extend_from_slice(b"\r\n\r\n");
        }
        std::fs::write(&path, out).expect("written");
    }
    changed
}

/// The kinds and URLs of all violations.
fn violations(folder: &Path) -> Vec<(String, String)> {
    let (_, total) = audited(folder);
    let list = total["violation_list"].as_array().expect("a list").iter();
    let text = |it: &Value, key: &str| it[key].as_str().expect("text").to_owned();
    list.map(|it| (text(it, "kind"), text(it, "url"))).collect()
}

#[test]
fn a_planted_early_request_is_found() {
    let (_served, folder) = quiet();
    let pages: Vec<Value> = audit(folder.path(), &["--json", "--requests"])
        .json()
        .into_iter()
        .filter(|line| line["errand"] == "page" && line["gap_ms"].as_u64() > Some(0))
        .collect();
    let last = pages.last().expect("pages");
    let url = last["url"].as_str().expect("a URL").to_owned();
    let back = last["gap_ms"].as_u64().expect("a gap") - 5;
    let changed = edit(folder.path(), |about, block| {
        let Some(line) = block.lines().find(|line| line.starts_with("tick: ")) else {
            return false;
        };
        if about != url {
            return false;
        }
        let tick: u64 = line["tick: ".len()..].trim().parse().expect("a number");
        *block = block.replace(line, &format!("tick: {}", tick - back));
        true
    });
    assert_eq!(changed, 1);
    assert_eq!(violations(folder.path()), [("gap".to_owned(), url.clone())]);
    let text = audit(folder.path(), &[]);
    assert_eq!(text.code, Some(1));
    assert!(text.stdout.contains(&url), "{}", text.stdout);
    assert!(text.stdout.contains("1 violation in "), "{}", text.stdout);
}

#[test]
fn a_planted_disallowed_fetch_is_found() {
    let (_served, folder) = quiet();
    let requests = audit(folder.path(), &["--json", "--requests"]).json();
    let page = requests.iter().find(|line| {
        let path = line["url"].as_str().and_then(|url| url.splitn(4, '/').nth(3));
        line["errand"] == "page"
            && line["robots"]["group"] == "*"
            && line["robots"]["line"].is_null()
            && path.is_some_and(|path| path.len() > 1)
    });
    let page = page.expect("a page that no rule speaks of");
    let url = page["url"].as_str().expect("a URL").to_owned();
    let mut parts = url.splitn(4, '/');
    let origin = format!("{}//{}", parts.next().expect("a scheme"), parts.nth(1).expect("a host"));
    let path = parts.next().expect("a path").to_owned();
    let robots = format!("{origin}/robots.txt");
    let changed = edit(folder.path(), |about, block| {
        let is_file = about == robots && block.starts_with("HTTP/1.1 200");
        if is_file {
            // What comes first may lie above all groups, so it brings its own.
            let planted = format!("\r\n\r\nUser-agent: *\nDisallow: /{path}$\n\n");
            *block = block.replacen("\r\n\r\n", &planted, 1);
        }
        is_file
    });
    assert_eq!(changed, 1, "{robots}");
    let found = violations(folder.path());
    assert!(found.contains(&("robots".to_owned(), url.clone())), "{url}: {found:?}");
}

#[test]
fn what_cannot_be_audited_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = audit(folder.path(), &[]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.stderr.contains("crawl holds no crawl\n  try: "), "{}", missing.stderr);
    std::fs::create_dir_all(folder.path().join("crawl/archive")).expect("made");
    let empty = audit(folder.path(), &[]);
    assert_eq!(empty.code, Some(1));
    assert!(empty.stderr.contains("holds no WARC file\n  try: "), "{}", empty.stderr);
    let (_served, folder) = quiet();
    let stranger = audit(folder.path(), &["nobody.test"]);
    assert_eq!(stranger.code, Some(1));
    assert!(stranger.stderr.contains("has no request to nobody.test"), "{}", stranger.stderr);
}
