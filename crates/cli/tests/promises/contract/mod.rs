//! Every line that `--json` prints is by the contract, and docs/json.md says so.

mod document;
mod pages;
mod results;
mod table;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rhumb_web::{Canon, CanonUrl};
use serde_json::{Map, Value};

use crate::content::telling;
use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, command, finish};
use pages::{EXPORT, PAGE};
use results::{FOUND, GRAPH, SEARCH, SIMULATE};
use table::{
    AUDIT, BENCH, CRAWL, FAILURE, FORGET, Key, OUTPUTS, Output, PLAN, REASON, REQUEST, ROBOTS,
    SIMILAR, SITE, STATUS, SUCCESS, SUMMARY, Shape, TOTAL, TRAPS, URL, WHY, Words,
};

/// What takes longer fails the test.
const PATIENCE: Duration = Duration::from_mins(1);
/// A gap long enough for a look at a site that waits, and short enough for a test.
const SLOW: [&str; 4] = ["--delay", "400ms", "--ip-delay", "0s"];
const SWIFT: [&str; 4] = ["--delay", "0s", "--ip-delay", "0s"];

impl Words {
    fn has(&self, text: &str) -> bool {
        let is_status = text.strip_prefix("http-").is_some_and(|status| {
            status.len() == 3 && status.bytes().all(|digit| digit.is_ascii_digit())
        });
        self.words.iter().any(|word| *word == text || (*word == "http-NNN" && is_status))
    }
}

/// Holds lines against the table, and notes which of its keys had something to say.
#[derive(Default)]
struct Checker {
    met: BTreeSet<String>,
}

impl Checker {
    /// Every line of a run is of this kind; with another kind for the last.
    fn check(&mut self, run: &Run, each: &Output, last: Option<&Output>) -> Vec<Value> {
        assert!(run.stdout.is_empty() || run.stdout.ends_with('\n'), "{:?}", run.stdout);
        let lines = run.json();
        let count = lines.len();
        for (at, line) in lines.iter().enumerate() {
            self.line(last.filter(|_| at + 1 == count).unwrap_or(each), line);
        }
        lines
    }

    fn line(&mut self, output: &Output, line: &Value) {
        let keys = output.keys.iter().copied().flatten();
        self.object(output.name, keys, line.as_object().expect("a line is an object"));
        check_sense(output, line);
    }

    fn object<'a>(
        &mut self,
        path: &str,
        keys: impl Iterator<Item = &'a Key>,
        object: &Map<String, Value>,
    ) {
        let mut rest: BTreeSet<&str> = object.keys().map(String::as_str).collect();
        for key in keys {
            assert!(rest.remove(key.name), "{path}: {} is absent: {object:?}", key.name);
            self.value(&format!("{path}.{}", key.name), &key.shape, &object[key.name]);
        }
        assert!(rest.is_empty(), "{path}: {rest:?} is printed, and not in the table");
    }

    fn value(&mut self, path: &str, shape: &Shape, value: &Value) {
        let is_fine = match (shape, value) {
            (Shape::OrNull(_), Value::Null) => return,
            (Shape::OrNull(shape), _) => return self.value(path, shape, value),
            (Shape::Null, _) => value.is_null(),
            // Only what the web sent may have nothing in it.
            (Shape::Text, Value::String(text)) => !text.is_empty() || is_of_the_web(path),
            (Shape::Url, Value::String(text)) => {
                let url = CanonUrl::parse_with(text, Canon::KeepQuery);
                url.is_ok_and(|url| url.as_str() == text)
            }
            (Shape::Time, Value::String(text)) => humantime::parse_rfc3339(text).is_ok(),
            (Shape::Word(lists), Value::String(text)) => lists.iter().any(|words| words.has(text)),
            (Shape::Count, _) => value.is_u64(),
            (Shape::Number, _) => value.as_f64().is_some_and(|number| number >= 0.0),
            (Shape::Signed, _) => value.is_number(),
            (Shape::Flag, _) => value.is_boolean(),
            (Shape::List(shape), Value::Array(list)) => {
                for item in list {
                    self.value(&format!("{path}[]"), shape, item);
                }
                true
            }
            (Shape::By(words, shape), Value::Object(map)) => {
                for (word, item) in map {
                    assert!(words.has(word), "{path}: {word:?} is no word for it");
                    self.value(&format!("{path}.*"), shape, item);
                }
                true
            }
            (Shape::Object(keys), Value::Object(object)) => {
                self.object(path, keys.iter(), object);
                true
            }
            _ => false,
        };
        assert!(is_fine, "{path}: {value}");
        self.met.insert(path.to_owned());
    }

    /// Keys of the table that had nothing to say in any line.
    fn silent(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for output in OUTPUTS {
            document::walk(output, &mut |path, _, _| paths.push(format!("{}.{path}", output.name)));
        }
        paths.retain(|path| !self.met.contains(path));
        paths
    }
}

/// What no single value shows: which words go with which.
fn check_sense(output: &Output, line: &Value) {
    let word = |key: &str| line[key].as_str();
    let is_of = |words: &Words, key: &str| word(key).is_some_and(|word| words.has(word));
    let is_null = |key: &str| line[key].is_null();
    let is_sound = match (output.name, word("event").or(word("state"))) {
        ("crawl", Some("fetched")) => is_of(&SUCCESS, "outcome") && is_null("reason"),
        ("crawl", Some("failed")) => is_of(&FAILURE, "outcome") && is_null("reason"),
        ("crawl", _) => is_of(&REASON, "reason") && is_null("outcome") && is_null("status"),
        ("why", Some("refused")) => is_of(&REASON, "reason") || word("reason") == Some("blocked"),
        ("why", Some("failed")) => is_of(&FAILURE, "reason") || is_of_robots_txt(line),
        ("why", Some("duplicate")) => !is_null("duplicate_of"),
        ("why", Some("queued")) => !is_null("seen_at") || is_of_robots_txt(line),
        ("url", _) => is_null("error") != is_null("canonical"),
        _ => true,
    };
    assert!(is_sound, "{}: {line:#}", output.name);
    if output.name == "why" {
        assert!(is_null("held_until") || !is_null("held_by"), "held by nothing: {line:#}");
    }
}

fn is_of_the_web(path: &str) -> bool {
    matches!(path.rsplit('.').next(), Some("text" | "main" | "snippet"))
}

fn is_of_robots_txt(line: &Value) -> bool {
    line["url"].as_str().is_some_and(|url| url.ends_with("/robots.txt"))
}

/// The head of a page that says of itself what a page can.
fn head() -> &'static str {
    "<title>Start</title><meta name=description content='Where it begins'>\
        <meta name=author content='A. Writer'>\
        <meta property=article:published_time content=2024-05-06>\
        <meta property=article:modified_time content=2024-05-07T08:09:10+02:00>"
}

/// What a page says to those who show links to it, and in the vocabulary of schema.org.
const SHOWN: &str = "<meta property=og:title content=T><meta property=og:type content=article>\
    <meta property=og:url content=http://e.test/><meta property=og:image content=/i.png>\
    <meta property=og:description content=D><meta property=og:site_name content=E>\
    <meta property=og:locale content=de_DE><link rel=alternate hreflang=fr href=/fr>\
    <script type=application/ld+json>{\"@type\": \"Article\", \"headline\": \"H\",\
    \"author\": \"A\", \"datePublished\": \"2024-05-06\", \"dateModified\": \"2024-05-07\"}</script>";

/// A site with an example of nearly everything.
fn site() -> RawServer {
    let links = [
        "/page",
        "/copy",
        "/moved",
        "/gone",
        "/noise",
        "/cut",
        "/private/x",
        "/x/x/x/x",
        "/a?utm_id=1",
    ];
    let links = links.map(|link| format!("<a href='{link}'>x</a>")).concat();
    let links = format!("{links}<a rel=nofollow href=/ad>ad</a><a href=http://far.test/>far</a>");
    RawServer::start(move |target| match target {
        "/robots.txt" => {
            ok("text/plain", "User-agent: *\nDisallow: /private\nAllow: /page\nCrawl-delay: 0.01\n")
        }
        "/" => ok("text/html", &format!("<html lang=de>{}<p>Hier beginnt es.</p>{links}", head())),
        "/page" | "/copy" => ok("text/html", "<p>the same text on two pages</p>"),
        "/moved" => b"HTTP/1.1 301 So\r\nLocation: /target\r\nContent-Length: 0\r\n\r\n".to_vec(),
        "/target" | "/a" => ok("text/html; charset=utf-8", target),
        "/noise" => b"this is not HTTP at all\r\n\r\n".to_vec(),
        "/cut" => {
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\n<p>".to_vec()
        }
        _ => missing(),
    })
}

fn rhumb(folder: &Path, words: &[&str]) -> Run {
    let mut rhumb = command(folder);
    rhumb.args(words);
    finish(rhumb, "")
}

fn crawl(folder: &Path, seed: &str, words: &[&str]) -> Run {
    let first = ["crawl", seed, "-o", "crawl", "--json", "--allow-private", "--tries", "1"];
    rhumb(folder, &[&first, words].concat())
}

/// A crawl of mirrors, documents and pages that are none.
fn check_contents(checker: &mut Checker) {
    let folder = tempfile::tempdir().expect("a folder");
    for url in telling(folder.path()) {
        checker.check(&rhumb(folder.path(), &["why", "crawl", &url, "--json"]), &WHY, None);
    }
    checker.check(&rhumb(folder.path(), &["status", "crawl", "--json"]), &STATUS, None);
    let export = rhumb(folder.path(), &["export", "crawl", "--to", "jsonl"]);
    checker.check(&export, &EXPORT, None);
}

/// A crawl that is searched, for what is there and for what was mistyped.
fn check_found(checker: &mut Checker) {
    let server = RawServer::start(|target| match target {
        "/" => {
            let links = (0..60).map(|n| format!("<a href=/{n}>berth {n}</a> "));
            ok("text/html", &format!("{}{}", head(), links.collect::<String>()))
        }
        "/7" => ok("text/html", &format!("{}<p>A harbuor, mistyped, and number 7", head())),
        _ => {
            ok("text/html; charset=utf-8", &format!("<p>the harbour of number {target}, {target}"))
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    crawl(folder, &server.url("/"), &SWIFT);
    for query in ["harbour", "harbuor", "hrbour", "harbour number 7", "begins"] {
        let words = ["search", "crawl", query, "--json", "--facets", "--explain"];
        checker.check(&rhumb(folder, &words), &SEARCH, Some(&FOUND));
        checker.check(&rhumb(folder, &["search", "crawl", query, "--json"]), &SEARCH, None);
    }
    checker.check(&rhumb(folder, &["export", "crawl", "--to", "graph"]), &GRAPH, None);
}

/// A crawl under way; it ends with the test.
struct Going(Child);

impl Going {
    /// Starts it, and waits until it has asked for a page or two.
    fn start(folder: &Path, seed: &str, words: &[&str], asked: &mpsc::Receiver<String>) -> Self {
        let mut crawl = command(folder);
        crawl.args(["crawl", seed, "-o", "crawl", "--allow-private"]).args(words);
        let child = crawl.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let going = Self(child.expect("the binary starts"));
        for _ in 0..4 {
            asked.recv_timeout(PATIENCE).expect("it is asked");
        }
        going
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A crawl that has ended, asked for everything.
fn check_ended(checker: &mut Checker) {
    let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
    let folder = folder.path();
    let name = server.url("").trim_start_matches("http://").to_owned();
    let first = crawl(folder, &server.url("/"), &SWIFT);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let events = checker.check(&first, &CRAWL, Some(&SUMMARY));
    for event in ["fetched", "refused", "failed", "summary"] {
        assert!(events.iter().any(|line| line["event"] == event), "{event}: {events:#?}");
    }
    let paths = ["/", "/page?fbclid=1#x", "/page", "/copy", "/moved", "/target", "/gone", "/noise"];
    let others = ["/cut", "/private/x", "/private/y", "/x/x/x/x", "/never", "/robots.txt", "/ad"];
    let urls = paths.iter().chain(&others).map(|path| server.url(path));
    let no_pages = ["http://far.test/", "mailto:a@b.test", "no url"].map(str::to_owned);
    for url in urls.chain(no_pages) {
        checker.check(&rhumb(folder, &["why", "crawl", &url, "--json"]), &WHY, None);
    }
    let traps = rhumb(folder, &["status", "crawl", "--traps", "--json"]);
    assert_eq!(checker.check(&traps, &TRAPS, None)[0]["kind"], "trap-tandem-segments");
    for words in [&["--json"][..], &["--json", "--watch"]] {
        checker.check(&rhumb(folder, &[&["status", "crawl"], words].concat()), &STATUS, None);
    }
    for words in [&["--json"][..], &[&*name, "--json"], &["--json", "--requests"]] {
        check_audit(checker, &rhumb(folder, &[&["audit", "crawl"], words].concat()));
    }
    for words in [&["--to", "jsonl"][..], &["--to", "jsonl", "--all"]] {
        checker.check(&rhumb(folder, &[&["export", "crawl"], words].concat()), &EXPORT, None);
    }
    for words in [&[][..], &["--delay", "5s", "--budget", "9"]] {
        let run = rhumb(folder, &[&["site", "crawl", &*name, "--json"], words].concat());
        checker.check(&run, &SITE, None);
    }
    for target in [&server.url("/page"), &name] {
        checker.check(&rhumb(folder, &["forget", "crawl", target, "--json"]), &FORGET, None);
        let why = rhumb(folder, &["why", "crawl", &server.url("/page"), "--json"]);
        assert_eq!(checker.check(&why, &WHY, None)[0]["reason"], "forgotten");
    }
    checker.check(&rhumb(folder, &["status", "crawl", "--json"]), &STATUS, None);
}

/// Requests if they are asked for, then hosts, then all of them together.
fn check_audit(checker: &mut Checker, run: &Run) {
    let is_request = |line: &&str| line.contains("\"errand\":");
    let (requests, hosts): (Vec<&str>, Vec<&str>) =
        run.stdout.split_inclusive('\n').partition(is_request);
    let part =
        |lines: &[&str]| Run { stdout: lines.concat(), stderr: String::new(), code: run.code };
    checker.check(&part(&requests), &REQUEST, None);
    let hosts = checker.check(&part(&hosts), &AUDIT, Some(&TOTAL));
    assert!(hosts.len() > 1, "{}", run.stderr);
}

/// An archive with a request that should not have been made.
fn check_violation(checker: &mut Checker) {
    let record = |kind: &str, about: &str, block: &str| {
        let length = block.len();
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:test:{kind}>\r\n\
             WARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: http://a.test/\r\n{about}\
             Content-Type: application/http; msgtype=response\r\n\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    };
    let answer = record("response", "", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let about = "WARC-Concurrent-To: <urn:test:response>\r\n";
    let told = "errand: page\r\ntick: 5\r\nfetchTimeMs: 3\r\ndelayMs: 1000\r\n";
    let folder = tempfile::tempdir().expect("a folder");
    let archive = folder.path().join("crawl/archive");
    std::fs::create_dir_all(&archive).expect("made");
    let text = answer + &record("metadata", about, told);
    std::fs::write(archive.join("rhumb-1.warc.gz"), text).expect("written");
    let run = rhumb(folder.path(), &["audit", "crawl", "--json", "--requests"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    check_audit(checker, &run);
}

/// A crawl that lies still because its site must wait.
fn check_waiting(checker: &mut Checker) {
    let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
    let run = crawl(folder.path(), &server.url("/"), &["--delay", "10m"]);
    checker.check(&run, &CRAWL, Some(&SUMMARY));
    let why = rhumb(folder.path(), &["why", "crawl", &server.url("/"), "--json"]);
    assert_eq!(checker.check(&why, &WHY, None)[0]["held_by"], "site");
    checker.check(&rhumb(folder.path(), &["status", "crawl", "--json"]), &STATUS, None);
}

/// A crawl under way.
fn check_running(checker: &mut Checker) {
    let (sender, asked) = mpsc::channel();
    let server = RawServer::start(move |target| {
        // The test may be over.
        drop(sender.send(target.to_owned()));
        let links = (0..60).map(|n| format!("<a href=/{n}>{n}</a>"));
        if target == "/robots.txt" {
            missing()
        } else {
            ok("text/html", &links.collect::<String>())
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let _going = Going::start(folder.path(), &server.url("/"), &SLOW, &asked);
    for n in 0..10 {
        let url = server.url(&format!("/{n}"));
        checker.check(&rhumb(folder.path(), &["why", "crawl", &url, "--json"]), &WHY, None);
    }
    let traps = rhumb(folder.path(), &["status", "crawl", "--traps"]);
    assert_eq!(traps.stdout, "no traps are suspected\n", "{}", traps.stderr);
    let start = Instant::now();
    loop {
        let run = rhumb(folder.path(), &["status", "crawl", "--json"]);
        let status = checker.check(&run, &STATUS, None).remove(0);
        assert_eq!(status["state"], "running");
        // Sites are ranked once in a while, and this one may be answering.
        if ["busiest", "slowest"].iter().all(|list| status[*list][0]["held_by"].is_string()) {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "{status:#}");
    }
}

fn check_tools(checker: &mut Checker) {
    let run = crate::run::rhumb(&[
        "url",
        "--json",
        "HTTP://E.test/a?utm_id=1",
        "http://127.0.0.1:8/",
        "x",
    ]);
    checker.check(&run, &URL, None);
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    write("robots.txt", "User-agent: *\nDisallow: /x\nCrawl-delay: 2\n");
    write("empty.txt", "");
    for file in ["robots.txt", "empty.txt"] {
        let words = ["robots", file, "--json", "http://e.test/x", "http://e.test/y", "odd"];
        checker.check(&rhumb(folder.path(), &words), &ROBOTS, None);
    }
    let html = "<html lang=de><meta charset=utf-8><title>T\u{202e}</title><base href=/b/>\
        <meta name=robots content='noindex, nofollow'><link rel=canonical href=/c>\
        <a href=x>one</a><area href=y><iframe src=z></iframe><a rel=nofollow href=w></a>\
        <p>Dies ist ein Absatz in deutscher Sprache, damit man sie auch erkennen kann.</p>";
    write("page.html", &format!("{html}{}{SHOWN}", head()));
    for (file, url) in [("page.html", "http://e.test/"), ("empty.txt", "http://e.test/a?b=c")] {
        let run = rhumb(folder.path(), &["page", file, "--url", url, "--json"]);
        assert!(run.stdout.is_ascii() || !run.stdout.contains('\u{202e}'), "{}", run.stdout);
        checker.check(&run, &PAGE, None);
    }
    let gone = "<title>Page not found</title><h1>Page not found</h1><meta name=robots \
        content=noindex><p>Sorry, the page you requested could not be found. It may have been moved \
        or deleted.</p>";
    write("gone.html", gone);
    write("paper", "%PDF-1.4\n1 0 obj\n");
    for file in ["gone.html", "paper"] {
        let words = ["page", file, "--url", "http://e.test/gone", "--json"];
        checker.check(&rhumb(folder.path(), &words), &PAGE, None);
    }
    for other in ["page.html", "gone.html", "empty.txt"] {
        let words = ["similar", "page.html", other, "--json"];
        checker.check(&rhumb(folder.path(), &words), &SIMILAR, None);
    }
    let server = site();
    let words = ["plan", &server.url("/"), "--allow-private", "--delay", "0s", "--json"];
    checker.check(&rhumb(folder.path(), &words), &PLAN, None);
    let words = ["bench", "--pages", "50", "--hosts", "5", "--json"];
    let lines = checker.check(&rhumb(folder.path(), &words), &BENCH, None);
    assert_eq!(lines.len(), 1);
    let words = ["simulate", "--pages", "1000", "--orders", "trust", "--farm", "20", "--json"];
    let lines = checker.check(&rhumb(folder.path(), &words), &SIMULATE, None);
    assert_eq!(lines.len(), 3);
}

#[test]
fn every_line_that_json_prints_is_by_the_contract() {
    let mut checker = Checker::default();
    check_tools(&mut checker);
    check_ended(&mut checker);
    check_violation(&mut checker);
    check_contents(&mut checker);
    check_found(&mut checker);
    check_waiting(&mut checker);
    check_running(&mut checker);
    assert_eq!(checker.silent(), Vec::<String>::new(), "keys that nothing was told of");
}

#[test]
fn a_command_that_fails_prints_no_data() {
    for words in [
        &["why", "nowhere", "http://a.test/"][..],
        &["status", "nowhere"],
        &["audit", "nowhere"],
        &["forget", "nowhere", "a.test"],
        &["site", "nowhere", "a.test"],
        &["plan", "nowhere"],
        &["page", "nowhere", "--url", "http://a.test/"],
        &["robots", "nowhere", "http://a.test/"],
        &["similar", "nowhere", "nowhere"],
        &["search", "nowhere", "word"],
    ] {
        let run = crate::run::rhumb(&[words, &["--json"]].concat());
        assert_eq!(run.code, Some(2), "{words:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{words:?}");
        assert!(run.stderr.starts_with("error: "), "{words:?}: {}", run.stderr);
    }
}

/// A line of `rhumb site` with one key changed, or taken away.
fn check_changed(key: &str, value: Option<Value>) {
    let mut line = serde_json::json!({
        "site": "a.test", "delay_ms": null, "connections": 1, "scope": "host", "budget": 9,
        "block": false, "own": ["budget"],
    });
    let keys = line.as_object_mut().expect("an object");
    match value {
        Some(value) => keys.insert(key.to_owned(), value),
        None => keys.remove(key),
    };
    Checker::default().line(&SITE, &line);
}

#[test]
fn a_line_as_it_should_be_passes() {
    check_changed("delay_ms", Some(5.into()));
}

#[test]
#[should_panic(expected = "delay_ms is absent")]
fn an_absent_key_is_found() {
    check_changed("delay_ms", None);
}

#[test]
#[should_panic(expected = "{\"colour\"} is printed")]
fn a_key_too_many_is_found() {
    check_changed("colour", Some("red".into()));
}

#[test]
#[should_panic(expected = "site.own[]: \"colour\"")]
fn a_word_that_is_none_is_found() {
    check_changed("own", Some(vec!["colour"].into()));
}

#[test]
#[should_panic(expected = "site.delay_ms: 0.5")]
fn a_fraction_where_a_count_belongs_is_found() {
    check_changed("delay_ms", Some(0.5.into()));
}
