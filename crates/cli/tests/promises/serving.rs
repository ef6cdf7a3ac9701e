//! `rhumb serve` and `--serve`, asked as a program asks: at rest, beside a crawl, and when wrong.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::browser::stage::{Serving, little_site};
use crate::run::{command, finish};

/// What has not happened by then never will.
const PATIENCE: Duration = Duration::from_mins(2);

/// The status and the body of an answer.
fn ask(base: &str, request: &str, path: &str, body: &str) -> (u16, String) {
    let address = base.strip_prefix("http://").expect("a plain address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let length = body.len();
    let head = format!(
        "{request} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let code = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    let body = answer.split_once("\r\n\r\n").expect("a head").1.to_owned();
    (code, body)
}

fn json(base: &str, path: &str) -> Value {
    let (code, body) = ask(base, "GET", path, "");
    assert_eq!(code, 200, "{path}: {body}");
    serde_json::from_str(&body).expect("JSON")
}

#[track_caller]
fn until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "it never comes");
        std::thread::yield_now();
    }
}

/// A crawl of one page to its end in `folder/crawl`, without an index.
fn crawl(folder: &Path, seed: &str) {
    let mut crawl = command(folder);
    crawl.args(["crawl", seed, "-o", "crawl", "--quiet", "--allow-private", "--scope", "page"]);
    let run = finish(crawl, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn a_crawl_goes_on_beside_its_pages_and_they_find_what_it_brought() {
    let site = little_site();
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &site.url("/n/1"));
    let serving = Serving::at_rest(folder.path());
    let found = |query: &str| {
        let answer = json(serving.base(), &format!("/api/search?q={query}"));
        answer["total"].as_u64().expect("a number")
    };
    assert_eq!((found("lighthouse"), found("zanzibar")), (1, 0), "it is read before it is served");
    assert_eq!(json(serving.base(), "/api/status")["state"], "done");
    let pages = serving.base().to_owned();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Whoever looks all the time is not in the way.
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                ask(&pages, "GET", "/api/why?url=http://a.example/", "");
                ask(&pages, "GET", "/api/sites", "");
            }
        });
        let crawling = std::panic::AssertUnwindSafe(|| crawl(folder.path(), &site.url("/island")));
        let crawled = std::panic::catch_unwind(crawling);
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        crawled.expect("nobody who looks keeps it from beginning");
    });
    until(|| found("zanzibar") == 1);
    assert_eq!(json(serving.base(), "/api/status")["pages"], 2);
}

#[test]
fn what_is_submitted_at_rest_waits_for_the_next_start() {
    let site = little_site();
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &site.url("/n/1"));
    let serving = Serving::at_rest(folder.path());
    let body = format!("{{\"urls\":[\"{}\"]}}", site.url("/island"));
    let (code, told) = ask(serving.base(), "POST", "/api/submit", &body);
    assert_eq!(code, 200, "{told}");
    assert!(told.contains("it is fetched at the next start"), "{told}");
    let (code, told) = ask(serving.base(), "POST", "/api/control", "{\"do\":\"pause\"}");
    assert!((400..500).contains(&code) && told.contains("does not run"), "{code} {told}");
    let settings = std::fs::read_to_string(folder.path().join("crawl/crawl.toml"));
    assert!(settings.expect("settings").contains(&site.url("/island")));
}

#[test]
fn no_answer_names_a_folder_even_where_something_is_wrong() {
    let site = little_site();
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &site.url("/n/1"));
    let serving = Serving::at_rest(folder.path());
    std::fs::write(folder.path().join("crawl/crawl.toml"), "tries = \"many\"").expect("written");
    let name = folder.path().to_string_lossy().into_owned();
    let urls = "{\"urls\":[\"http://a.example/\"]}";
    let asked = [
        ("POST", "/api/submit", urls),
        ("GET", "/api/why?url=http://a.example/", ""),
        ("GET", "/api/sites", ""),
        ("GET", "/crawl", ""),
        ("GET", "/api/page?url=http://a.example/", ""),
        ("GET", "/copy?url=http://a.example/", ""),
    ];
    for (method, path, body) in asked {
        let (code, told) = ask(serving.base(), method, path, body);
        assert!(code < 500 || code == 503, "{path}: {code} {told}");
        assert!(!told.contains(&name), "{path}: {told}");
    }
    let (code, told) = ask(serving.base(), "POST", "/api/submit", urls);
    assert!(code >= 400 && told.contains("crawl.toml"), "{code} {told}");
}

#[test]
fn a_crawl_that_is_served_has_an_index_unless_it_is_to_have_none() {
    let site = little_site();
    let check = |flags: &[&str], expect: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut crawl = command(folder.path());
        crawl.args(["crawl", &site.url("/n/1"), "-o", "crawl", "--quiet", "--allow-private"]);
        crawl.args(["--scope", "page"]).args(flags);
        let run = finish(crawl, "");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let settings = std::fs::read_to_string(folder.path().join("crawl/crawl.toml"));
        let settings = settings.expect("settings");
        assert!(settings.contains(expect), "{flags:?}: {settings}");
    };
    check(&["--serve=127.0.0.1:0"], "index = true");
    check(&["--serve=127.0.0.1:0", "--index=false"], "index = false");
    check(&["--serve=none"], "index = false");
    check(&[], "serve = \"none\"");
}

#[test]
fn what_cannot_be_served_is_said_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |words: &[&str], expect: &str| {
        let mut serve = command(folder.path());
        serve.arg("serve").args(words);
        let run = finish(serve, "");
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(expect) && run.stderr.contains("\n  try: "), "{}", run.stderr);
    };
    check(&["nothing"], "holds no crawl");
    crawl(folder.path(), &little_site().url("/n/1"));
    check(&["crawl", "--listen", "somewhere"], "\"somewhere\" is no address");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    check(&["crawl", "--listen", &address], "another program uses that address");
}

#[test]
fn the_demo_ends_with_a_search_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut demo = command(folder.path());
    demo.args(["demo", "--serve=127.0.0.1:0", "--quiet"]);
    demo.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = demo.spawn().expect("the binary starts");
    let lines = BufReader::new(child.stderr.take().expect("it was piped")).lines();
    let told = lines.map_while(Result::ok).find(|line| line.starts_with("search it in a browser"));
    let told = told.expect("it says where");
    let base = told.split(' ').find(|word| word.starts_with("http://")).expect("an address");
    let base = base.trim_end_matches('/');
    let (code, page) = ask(base, "GET", "/search?q=lighthouse+harbour", "");
    assert_eq!(code, 200, "{page}");
    assert!(page.contains("<mark>lighthouse</mark>"), "{page}");
    let pid = i32::try_from(child.id()).expect("a number");
    let pid = rustix::process::Pid::from_raw(pid).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("told");
    assert_eq!(child.wait().expect("its end").code(), Some(0));
}
