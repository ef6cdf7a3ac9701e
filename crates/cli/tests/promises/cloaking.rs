//! Pages that show a browser something else than us, and what it takes to find them.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};

use crate::content::{page, prose, why};
use crate::raw::{missing, ok};
use crate::run::{Run, command, export, finish};

const OWN: &str = concat!("rhumb/", env!("CARGO_PKG_VERSION"), " (+a@example.org)");

/// One request: its target, who asked, and whom we said to ask.
struct Heard {
    target: String,
    agent: String,
    from: Option<String>,
}

/// A site with two faces; its thread ends with the test's process.
fn listen() -> (String, Receiver<Heard>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let origin = format!("http://{}", listener.local_addr().expect("bound"));
    let (sender, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for (number, stream) in (1_000..).zip(listener.incoming().map_while(Result::ok)) {
            if let Some(request) = answer(&stream, number) {
                drop(sender.send(request));
            }
        }
    });
    (origin, heard)
}

/// Answers one request, the last of its connection.
fn answer(mut stream: &TcpStream, number: u64) -> Option<Heard> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let target = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let header = |name: &str| {
        headers.iter().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then(|| value.to_owned())
        })
    };
    let agent = header("user-agent")?;
    let is_browser = agent.starts_with("Mozilla/");
    let links = ["/two-faced", "/lively", "/closed", "/plain.txt"].map(str::to_owned);
    let bytes = match target.as_str() {
        "/robots.txt" => ok("text/plain", "User-agent: rhumb\nDisallow: /closed\n"),
        "/" => page("Home", &prose(1, 200), &links),
        "/two-faced" if is_browser => page("Buy", &prose(2, 200), &[]),
        "/two-faced" => page("Read", &prose(3, 200), &["/behind".to_owned()]),
        // To nobody twice the same.
        "/lively" => page("News", &prose(number, 200), &[]),
        "/behind" => page("Few", "words", &[]),
        "/plain.txt" => ok("text/plain", &prose(4, 200)),
        _ => missing(),
    };
    stream.write_all(&bytes).ok()?;
    Some(Heard { target, agent, from: header("from") })
}

fn crawl(folder: &Path, origin: &str, flags: &[&str]) -> Run {
    let mut crawl = command(folder);
    crawl.args(["crawl", origin, "-o", "crawl", "--allow-private", "--contact", "a@example.org"]);
    crawl.args(["--delay", "20ms", "--ip-delay", "0s"]).args(flags);
    let run = finish(crawl, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run
}

/// Who asked for each target, in their order.
fn askers(heard: &[Heard]) -> BTreeMap<&str, Vec<&str>> {
    let mut askers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for request in heard {
        let is_own = request.agent == OWN;
        assert_eq!(request.from.is_some(), is_own, "{}", request.target);
        let asker = if is_own { "own" } else { "browser" };
        askers.entry(request.target.as_str()).or_default().push(asker);
    }
    askers
}

#[test]
fn a_page_with_another_face_for_browsers_is_marked_and_every_request_is_told() {
    let (origin, heard) = listen();
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let run = crawl(folder, &origin, &["--json", "--cloaking-sample", "100%"]);
    let heard: Vec<Heard> = heard.try_iter().collect();
    let thrice = vec!["own", "browser", "own"];
    let expect = BTreeMap::from([
        ("/", thrice.clone()),
        ("/behind", vec!["own"]),
        ("/lively", thrice.clone()),
        ("/plain.txt", vec!["own"]),
        ("/robots.txt", vec!["own"]),
        ("/two-faced", thrice),
    ]);
    assert_eq!(askers(&heard), expect);

    for (path, mark) in [("/", None), ("/two-faced", Some("cloaked")), ("/lively", None)] {
        let told = why(folder, &format!("{origin}{path}"));
        assert_eq!((&told["state"], told["mark"].as_str()), (&"fetched".into(), mark), "{told:#}");
    }
    let summary = run.summary();
    assert_eq!((&summary["fetched"], &summary["marked"]["cloaked"]), (&5.into(), &1.into()));
    // Each page is captured once, as we were shown it.
    let pages = export(folder, "jsonl", &[]).json();
    assert_eq!(pages.len(), 5, "{pages:#?}");
    let two_faced = pages.iter().find(|it| it["title"] == "Read").expect("our own copy");
    assert_eq!(two_faced["duplicate_of"], serde_json::Value::Null);

    let mut audit = command(folder);
    audit.args(["audit", "crawl", "--json"]);
    let audit = finish(audit, "");
    assert_eq!(audit.code, Some(0), "{}", audit.stdout);
    let total = audit.json().pop().expect("a total");
    assert_eq!((&total["requests"], &total["disguised"]), (&heard.len().into(), &3.into()));
    assert_eq!((&total["violations"], &total["untold"]), (&0.into(), &0.into()), "{total:#}");
    let mut told = command(folder);
    told.args(["audit", "crawl"]);
    let told = finish(told, "").stdout;
    assert!(told.contains("3 requests went out under the headers of a browser"), "{told}");
}

#[test]
fn without_the_switch_every_page_is_asked_for_once_under_our_own_name() {
    let (origin, heard) = listen();
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &origin, &[]);
    let heard: Vec<Heard> = heard.try_iter().collect();
    assert!(askers(&heard).values().all(|askers| *askers == ["own"]));
    assert!(!run.stderr.contains("browser"), "{}", run.stderr);
    let settings = std::fs::read_to_string(folder.path().join("crawl/crawl.toml"));
    assert!(settings.expect("settings").contains("cloaking-sample = \"0%\""));
}

#[test]
fn the_summary_says_that_our_name_was_hidden() {
    let (origin, _heard) = listen();
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &origin, &["--cloaking-sample", "50%"]);
    let told = format!("{}{}", run.stdout, run.stderr);
    assert!(told.contains("our name, in the browser's part of --cloaking-sample"), "{told}");
}

#[test]
fn a_part_that_is_none_is_refused_with_advice() {
    for part in ["1", "lots", "101%", "-1%"] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut crawl = command(folder.path());
        crawl.args(["crawl", "http://e.test/", "--cloaking-sample", part]);
        let run = finish(crawl, "");
        assert_eq!(run.code, Some(2), "{part}: {}", run.stderr);
        assert!(run.stderr.contains("--cloaking-sample 1%"), "{part}: {}", run.stderr);
    }
}
