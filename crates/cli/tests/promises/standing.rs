//! `rhumb status` and `--metrics`: the same numbers, of a crawl that runs and of one that does not.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rhumb_testweb::{Served, Spec};
use serde_json::Value;

use crate::run::{Run, collect, command, crawl, crawl_command, finish, rhumb};
use crate::usage::check_refused;

/// Every key of the contract, and what else is told.
const KEYS: [&str; 39] = [
    "state",
    "paused",
    "verdict",
    "held_back_by",
    "fetched",
    "pages",
    "redirects",
    "sitemaps",
    "robots",
    "duplicates",
    "near_duplicates",
    "marked",
    "mirrors",
    "queued",
    "waiting",
    "waiting_by",
    "refused",
    "failed",
    "cut",
    "sites",
    "sites_by_state",
    "in_flight",
    "connections",
    "bytes",
    "memory_bytes",
    "memory",
    "disk_bytes",
    "disk",
    "pages_per_s",
    "bytes_per_s",
    "cpu_cores",
    "elapsed_ms",
    "phases",
    "dns_failures",
    "outage",
    "forgotten",
    "busiest",
    "slowest",
    "recent",
];
/// What takes longer fails the test.
const PATIENCE: Duration = Duration::from_mins(2);

fn served(seed: u64) -> Served {
    Served::start_on_thread(&Spec::sized(seed, 20, 300)).expect("the web is served")
}

fn status_command(folder: &Path, flags: &[&str]) -> Command {
    let mut status = command(folder);
    status.args(["status", "crawl"]).args(flags);
    status
}

fn status(folder: &Path) -> Value {
    let run = finish(status_command(folder, &["--json"]), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 1);
    run.json().remove(0)
}

/// A crawl under way: slow enough to be looked at.
struct Going {
    child: Child,
    address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Going {
    /// Starts it, and waits until it answers.
    fn start(served: &Served) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let flags = ["--delay", "200ms", "--ip-delay", "0s", "--metrics=127.0.0.1:0"];
        let mut command = crawl_command(served, folder.path(), &flags);
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut talk = BufReader::new(child.stderr.take().expect("it was piped"));
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(talk.read_line(&mut line).expect("text") > 0, "it told no address");
            let told = line.strip_prefix("metrics: http://");
            if let Some(told) = told.and_then(|told| told.trim().strip_suffix("/metrics")) {
                break told.parse().expect("an address");
            }
        };
        std::thread::spawn(move || drop(talk.read_to_end(&mut Vec::new())));
        let going = Self { child, address, folder };
        going.until(|run| run.code == Some(0) && run.json()[0]["fetched"].as_u64() > Some(10));
        going
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Asks for its status again and again.
    fn until(&self, is_well: impl Fn(&Run) -> bool) {
        let start = Instant::now();
        loop {
            let run = finish(status_command(self.path(), &["--json"]), "");
            if is_well(&run) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{} {}", run.stdout, run.stderr);
        }
    }

    fn order(&self, word: &str) {
        let mut order = command(self.path());
        order.args([word, "crawl"]);
        let run = finish(order, "");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }

    /// The samples of its metrics.
    fn metrics(&self) -> Vec<(String, f64)> {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        let samples = body.lines().filter(|line| !line.starts_with('#'));
        let sample = |line: &str| {
            let (name, value) = line.rsplit_once(' ').expect("a value");
            (name.to_owned(), value.parse().expect("a number"))
        };
        samples.map(sample).collect()
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_crawl_that_is_done_stands_as_its_summary_told() {
    let served = served(71);
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--delay", "0s", "--ip-delay", "0s", "--tries", "1"];
    let summary = crawl(&served, folder.path(), &flags).summary();
    let told = status(folder.path());
    let keys: BTreeSet<&str> =
        told.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, KEYS.into_iter().collect());
    for key in ["fetched", "refused", "failed", "duplicates", "queued", "bytes"] {
        assert_eq!(told[key], summary[key], "{key}");
    }
    assert_eq!(told["state"], "done");
    assert_eq!(told["held_back_by"], "nothing");
    assert_eq!(told["memory_bytes"], 0);
    assert!(told["disk_bytes"].as_u64() > told["disk"]["log"].as_u64(), "{told}");
    assert_eq!(status(folder.path()), told, "a look changes nothing");
    let page = finish(status_command(folder.path(), &[]), "");
    assert_eq!(page.code, Some(0));
    assert!(page.stdout.starts_with("crawl: done\nnothing is left to do\n"), "{}", page.stdout);
    assert!(!page.stdout.contains('\x1b'), "no colours in a pipe");
    assert!(page.stdout.lines().all(|line| line.chars().count() <= 80), "{}", page.stdout);
    // Nothing runs: there is nothing to watch.
    let watched = finish(status_command(folder.path(), &["--watch", "--json"]), "");
    assert_eq!((watched.code, watched.json()), (Some(0), vec![told]));
}

#[test]
fn a_crawl_with_work_left_is_stopped() {
    let served = served(72);
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(&served, folder.path(), &["--max-pages", "17", "--delay", "0s"]);
    let told = status(folder.path());
    assert_eq!(told["state"], "stopped");
    assert_eq!(told["pages"], 17);
    assert_eq!(told["queued"], run.summary()["queued"]);
    assert_eq!(told["pages_per_s"], 0.0);
}

#[test]
fn a_running_crawl_tells_how_it_stands_and_its_metrics_tell_the_same() {
    let served = served(73);
    let going = Going::start(&served);
    // Sites are ranked once in a while.
    going.until(|run| run.json()[0]["busiest"][0]["visits"].as_u64() > Some(1));
    let told = status(going.path());
    let keys: BTreeSet<&str> =
        told.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, KEYS.into_iter().collect());
    assert_eq!(told["state"], "running");
    assert!(told["verdict"].as_str().is_some_and(|text| !text.is_empty()), "{told}");
    assert!(told["memory_bytes"].as_u64() > Some(1_000_000), "{told}");
    assert!(told["phases"]["first_byte"]["count"].as_u64() > Some(10), "{told}");
    going.order("pause");
    going.until(|run| {
        let told = &run.json()[0];
        told["paused"] == true && told["in_flight"] == 0
    });
    let before = status(going.path());
    let metrics = going.metrics();
    let after = status(going.path());
    assert_eq!(before["held_back_by"], "pause");
    let mut compared = BTreeSet::new();
    for (name, value) in &metrics {
        let field = name.strip_prefix("rhumb_").expect("our name");
        let (field, label) = field.split_once('{').unwrap_or((field, ""));
        let label = label.split('"').nth(1).unwrap_or_default();
        let of = |status: &Value| match &status[field] {
            Value::Object(map) => map.get(label).cloned(),
            Value::Bool(is) => Some(u8::from(*is).into()),
            Value::Number(number) => Some(Value::Number(number.clone())),
            _ => None,
        };
        // What moves while nothing is fetched, as time does, cannot be compared.
        if let (Some(before), Some(after)) = (of(&before), of(&after))
            && before == after
        {
            let is = before.as_f64().expect("a number");
            assert!((is - value).abs() < 1e-9, "{name}: {value}, but status says {is}");
            compared.insert(field.to_owned());
        }
    }
    let still = ["fetched", "pages", "robots", "queued", "sites", "bytes", "paused", "refused"];
    for field in still {
        assert!(compared.contains(field), "{field} is not in {compared:?}");
    }
    assert!(metrics.contains(&("rhumb_state{state=\"running\"}".to_owned(), 1.0)));
}

#[test]
fn whoever_watches_in_a_pipe_gets_a_line_a_second_until_the_end() {
    let served = served(74);
    let going = Going::start(&served);
    let mut json = status_command(going.path(), &["--watch", "--json"]);
    let mut json = json.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(json.stdout.take().expect("it was piped")).lines();
    let mut next = || -> Option<Value> {
        let line = lines.next()?.expect("text");
        Some(serde_json::from_str(&line).expect("JSON"))
    };
    let first = next().expect("a line");
    let second = next().expect("another");
    assert_eq!((&first["state"], &second["state"]), (&"running".into(), &"running".into()));
    let ms = |status: &Value| status["elapsed_ms"].as_u64().expect("a number");
    assert!(ms(&second) >= ms(&first) + 900, "{} and {}", ms(&first), ms(&second));
    let page = status_command(going.path(), &["--watch"]).stdout(Stdio::piped()).spawn();
    let mut page = page.expect("it starts");
    let mut text = BufReader::new(page.stdout.take().expect("it was piped"));
    let mut head = String::new();
    text.read_line(&mut head).expect("text");
    assert!(head.starts_with("crawl: running for "), "{head}");
    // One has seen enough; the other stays to the end.
    let pid = page.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill runs").success());
    assert_eq!(page.wait().expect("it ends").code(), Some(0));
    going.order("stop");
    let last = std::iter::from_fn(next).last().expect("a last line");
    assert_eq!(last["state"], "stopped");
    assert_eq!(last["paused"], false);
    assert_eq!(collect(json).code, Some(0));
}

#[test]
fn a_folder_without_a_crawl_is_told_as_such() {
    check_refused(&rhumb(&["status", "nowhere"]), 2, "nowhere holds no crawl");
    check_refused(&rhumb(&["status", "nowhere", "--watch"]), 2, "nowhere holds no crawl");
    check_refused(&rhumb(&["status", "/dev/null"]), 2, "/dev/null holds no crawl");
    check_refused(&rhumb(&["status"]), 2, "<DIR>");
}

#[test]
fn metrics_on_an_address_that_cannot_be_had_are_refused_before_anything_is_made() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let folder = tempfile::tempdir().expect("a folder");
    let run = |flag: &str| {
        let mut crawl = command(folder.path());
        crawl.args(["crawl", "http://e.test/", "-o", "crawl", flag]);
        finish(crawl, "")
    };
    let text = format!("--metrics: cannot listen on {address}: another program uses that address");
    check_refused(&run(&format!("--metrics={address}")), 2, &text);
    check_refused(&run("--metrics=somewhere"), 2, "\"somewhere\" is no address");
    assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 0);
}
