//! What a user at a terminal is told: no command is in the way of another, and no words, however
//! odd, are answered with anything but plain text and a fitting exit code.

use std::path::Path;
use std::process::Stdio;

use crate::controlling::{Endless, Running, SWIFT, done, rhumb};
use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, collect, command};
use crate::usage::check_refused;

/// Commands at the same time.
const CROWD: usize = 8;

/// A crawl of three pages that has ended, in `folder/crawl`.
fn ended(folder: &Path) -> RawServer {
    let server = RawServer::start(|target| match target {
        "/" => ok("text/html", "<a href=/one>1</a><a href=/two>2</a>"),
        "/one" | "/two" => ok("text/html", target),
        _ => missing(),
    });
    let seed = server.url("/");
    done(&rhumb(folder, &["crawl", &seed, "-o", "crawl", "--allow-private", "--delay", "0s"]));
    server
}

fn endless(folder: &Path) -> (Endless, Running) {
    let site = Endless::start(false);
    let seed = site.server.url("/0");
    let running = Running::start(folder, &[&[seed.as_str()], &SWIFT[..]].concat());
    (site, running)
}

/// Plain text: nothing in it commands a terminal.
#[track_caller]
fn check_plain(run: &Run) {
    for line in run.stdout.lines().chain(run.stderr.lines()) {
        assert!(!line.contains(char::is_control), "{line:?}");
    }
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

#[test]
fn commands_at_once_wait_for_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ended(folder.path());
    let one = server.url("/one");
    let start = |number: usize| {
        let mut command = command(folder.path());
        match number % 4 {
            0 => command.args(["why", "crawl", &one]),
            1 => command.args(["site", "crawl", "a.example", "--budget", "7"]),
            _ => command.args(["status", "crawl"]),
        };
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let children: Vec<_> = (0..CROWD).map(start).collect();
    for child in children {
        done(&collect(child));
    }
}

#[test]
fn a_crawl_that_begins_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = Endless::start(false);
    let mut crawl = command(folder.path());
    crawl.args(["crawl", &site.server.url("/0"), "-o", "crawl", "-q", "--allow-private"]);
    let child = crawl.stderr(Stdio::piped()).spawn().expect("it starts");
    while !folder.path().join("crawl/crawl.toml").exists() {
        std::thread::yield_now();
    }
    let status = rhumb(folder.path(), &["status", "crawl"]);
    let stop = rhumb(folder.path(), &["stop", "crawl"]);
    done(&stop);
    assert_eq!(collect(child).code, Some(130), "{}", stop.stderr);
    done(&status);
    assert!(status.stdout.starts_with("crawl: running for "), "{}", status.stdout);
}

#[test]
fn a_mistake_in_the_settings_keeps_nobody_from_pausing_and_stopping() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_site, mut running) = endless(folder.path());
    let path = folder.path().join("crawl/crawl.toml");
    let was = std::fs::read_to_string(&path).expect("it is there");
    let order = |words: &[&str]| rhumb(folder.path(), words);
    std::fs::write(&path, was.replace("delay = ", "dealy = ")).expect("written");
    running.hear("what held before still holds");
    check_refused(&order(&["site", "crawl", "a.example", "--block"]), 2, "dealy");
    let pause = order(&["pause", "crawl"]);
    done(&pause);
    assert_eq!(pause.stderr, "paused: no fetch starts; to go on: rhumb resume crawl\n");
    assert!(order(&["pause", "crawl"]).stderr.starts_with("it is paused already"));
    assert_eq!(order(&["resume", "crawl"]).stderr, "resumed\n");
    assert_eq!(order(&["resume", "crawl"]).stderr, "it is not paused\n");
    std::fs::write(&path, was).expect("written");
    running.hear("crawl.toml is right again");
    std::fs::write(&path, "dealy = 3").expect("written");
    done(&order(&["stop", "crawl", "--wait", "50s"]));
    assert_eq!(running.end(), Some(130));
}

#[test]
fn why_answers_whatever_it_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_site, mut running) = endless(folder.path());
    let long = format!("http://a.example/{}", "ä\u{1b}".repeat(25_000));
    let check = || {
        let why = |url: &str| {
            let run = rhumb(folder.path(), &["why", "crawl", url]);
            done(&run);
            check_plain(&run);
            let json = rhumb(folder.path(), &["why", "crawl", url, "--json"]);
            assert_eq!(json.json()[0]["url"], url);
            run.stdout
        };
        assert!(why("http://a.example/\u{1b}[2J\u{7}\u{202e}\u{9b}").contains("asked as"));
        assert!(why("").starts_with("refused: bad-url\n"));
        assert!(why("a.example").contains("  try           rhumb why crawl https://a.example\n"));
        let told = why(&long);
        assert!(told.starts_with("refused: bad-url\n"), "{told:.200}");
        assert!(told.contains("… (75,017 bytes)\n"), "{told:.200}");
        assert!(why("http://b.example/").contains("  robots.txt    not known yet\n"));
    };
    check();
    done(&rhumb(folder.path(), &["stop", "crawl"]));
    assert_eq!(running.end(), Some(130));
    check();
}

#[test]
fn naughty_strings_are_no_worse_than_others() {
    let root = std::env::var_os("RHUMB_CONFORMANCE").map(std::path::PathBuf::from);
    let root = root.unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance")
    });
    let Ok(text) = std::fs::read_to_string(root.join("hostile/blns.json")) else {
        println!("skipped: no list of naughty strings in {}", root.display());
        return;
    };
    let strings: Vec<String> = serde_json::from_str(&text).expect("a list of strings");
    let folder = tempfile::tempdir().expect("a folder");
    let (_site, _running) = endless(folder.path());
    for string in strings.iter().filter(|string| !string.contains('\0')).step_by(9) {
        for url in [string.clone(), format!("http://a.example/{string}")] {
            let run = rhumb(folder.path(), &["why", "crawl", "--", &url]);
            done(&run);
            check_plain(&run);
        }
        let site = rhumb(folder.path(), &["site", "crawl", "--", string]);
        assert!(matches!(site.code, Some(0 | 2)), "{}", site.stderr);
        check_plain(&site);
    }
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ended(folder.path());
    let one = server.url("/one");
    let check = |words: &[&str]| {
        let mut command = command(folder.path());
        command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        drop(child.stdout.take());
        let run = collect(child);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{words:?}");
    };
    check(&["status", "crawl"]);
    check(&["status", "crawl", "--watch", "--json"]);
    check(&["why", "crawl", &one]);
    check(&["audit", "crawl"]);
    check(&["site", "crawl", "a.example"]);
    check(&["--help"]);
}

#[test]
fn a_port_that_does_not_follow_its_host_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let _server = ended(folder.path());
    let site = |words: &[&str]| rhumb(folder.path(), &[&["site", "crawl"], words].concat());
    let note = "note: a.example:81 has settings of its own; those of a.example do not hold for it";
    let first = site(&["a.example:81", "--delay", "5s"]);
    done(&first);
    assert!(!first.stderr.contains("note: "), "{}", first.stderr);
    for run in [site(&["a.example", "--block"]), site(&["a.example:81"])] {
        done(&run);
        assert!(run.stderr.contains(note), "{}", run.stderr);
    }
}
