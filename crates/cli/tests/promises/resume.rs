//! A crawl that ended goes on: from where it was, with what was added, and with nobody else.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rhumb_testweb::{Served, Spec};
use serde_json::Value;

use crate::coverage::check_clean;
use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, collect, command, crawl_command, export, finish};
use crate::usage::check_refused;

/// Interruptions after which a crawl of the test web must be through.
const RUNS_MAX: usize = 60;

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// Runs until so many events were told, and then no longer than the signal wants.
fn interrupted(mut command: Command, events: usize, signal: &str) -> Run {
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it was piped")).lines();
    let mut told: Vec<String> = lines.by_ref().take(events).map_while(Result::ok).collect();
    if told.len() == events {
        send(signal, &child);
    }
    let rest = std::thread::spawn(move || lines.map_while(Result::ok).collect::<Vec<_>>());
    let run = collect(child);
    told.extend(rest.join().expect("it was read"));
    Run { stdout: told.join("\n"), ..run }
}

#[test]
fn an_interrupted_crawl_goes_on_until_every_page_was_fetched_once() {
    let served = Served::start_on_thread(&Spec::sized(41, 30, 300)).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--delay", "0s", "--ip-delay", "0s", "--tries", "1"];
    let mut crawl = crawl_command(&served, folder.path(), &flags);
    let mut fetched = Vec::new();
    let mut runs = 0;
    loop {
        let signal = if runs % 2 == 0 { "-INT" } else { "-TERM" };
        let run = interrupted(crawl, 40, signal);
        let events = run.json();
        let of_pages = events.iter().filter(|event| event["event"] == "fetched");
        fetched.extend(of_pages.map(|event| event["url"].as_str().expect("a URL").to_owned()));
        runs += 1;
        let summary = run.summary();
        assert_eq!(summary["fetched"], fetched.len() as u64, "the count goes over all runs");
        if run.code == Some(0) {
            break;
        }
        assert_eq!(run.code, Some(130), "{}", run.stderr);
        assert!(run.stderr.contains("to go on: rhumb crawl -o crawl"), "{}", run.stderr);
        assert!(runs < RUNS_MAX, "it gets on");
        // The folder knows all the rest.
        crawl = command(folder.path());
        crawl.env("SSL_CERT_FILE", folder.path().join("ca.pem"));
        crawl.args(["crawl", "-o", "crawl", "--json"]);
    }
    assert!(runs > 3, "it was interrupted {runs} times");
    println!("resume: {} fetched in {runs} runs", fetched.len());
    let expected = served.expected();
    check_clean(&expected, &served.witness());
    let distinct: BTreeSet<&String> = fetched.iter().collect();
    assert_eq!(distinct.len(), fetched.len(), "nothing is told twice");
    let kept = export(folder.path(), "jsonl", &[]).json();
    let kept: Vec<&str> = kept.iter().map(|page| page["url"].as_str().expect("a URL")).collect();
    let distinct: BTreeSet<&str> = kept.iter().copied().collect();
    assert_eq!(distinct.len(), kept.len(), "nothing is archived twice");
    for (url, page) in expected.pages.iter().filter(|(_, page)| page.status == 200) {
        assert!(distinct.contains(url.as_str()), "{url} of status {}", page.status);
    }
    assert_eq!(export(folder.path(), "warc", &["--verify"]).code, Some(0));
}

/// Two pages behind the first, and an island that nothing links.
fn site() -> RawServer {
    RawServer::start(|target| match target {
        "/" => ok("text/html", "<a href=/a>a</a> <a href=/b>b</a>"),
        "/a" | "/b" | "/island" => ok("text/html", target),
        _ => missing(),
    })
}

fn rhumb(folder: &Path, words: &[&str]) -> Run {
    let mut command = command(folder);
    command.arg("crawl").args(words);
    finish(command, "")
}

/// A crawl of a site into the folder `crawl`, without gaps.
fn crawl(folder: &Path, seeds: &[&str], flags: &[&str]) -> Run {
    let swift = ["-o", "crawl", "--json", "--allow-private", "--delay", "0s", "--ip-delay", "0s"];
    rhumb(folder, &[seeds, &swift, flags].concat())
}

fn settings(folder: &Path) -> toml::Table {
    let text = std::fs::read_to_string(folder.join("crawl/crawl.toml")).expect("it is there");
    text.parse().expect("it is TOML")
}

fn seeds(folder: &Path) -> Vec<String> {
    let seeds = settings(folder).remove("seeds").expect("there are seeds");
    seeds.try_into().expect("a list of text")
}

#[test]
fn a_crawl_without_anything_left_says_so_and_asks_for_nothing() {
    let server = site();
    let folder = tempfile::tempdir().expect("a folder");
    let first = crawl(folder.path(), &[&server.url("/")], &[]);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let (asked, was) = (server.asked(), settings(folder.path()));
    assert_eq!(asked.len(), 4, "{asked:?}");
    let same = crawl(folder.path(), &[&server.url("/")], &[]);
    let alone = rhumb(folder.path(), &["-o", "crawl", "--json"]);
    for run in [same, alone] {
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.contains("going on with crawl\n"), "{}", run.stderr);
        assert!(run.stderr.contains("\nnothing left to do: 3 pages"), "{}", run.stderr);
        assert_eq!(run.summary()["fetched"], 3);
        assert_eq!(run.summary()["pages_per_s"], 0.0);
    }
    assert_eq!(server.asked(), asked);
    assert_eq!(settings(folder.path()), was);
}

#[test]
fn new_seeds_are_added_and_the_old_ones_keep_their_scope() {
    let (server, other) = (site(), site());
    let folder = tempfile::tempdir().expect("a folder");
    let first = crawl(folder.path(), &[&server.url("/")], &["--max-pages", "1"]);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(
        first.stderr.contains("; with a higher one, or none, set: rhumb crawl -o crawl"),
        "{}",
        first.stderr
    );
    assert_eq!(server.asked(), ["/robots.txt", "/"]);
    let (home, island) = (server.url("/"), other.url("/island"));
    let new = [home.as_str(), &island, &island];
    let second = crawl(folder.path(), &new, &["--max-pages", "9"]);
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    assert!(second.stderr.contains("going on with crawl, with 1 new seed\n"), "{}", second.stderr);
    assert_eq!(seeds(folder.path()), [home.as_str(), &island]);
    assert_eq!(other.asked(), ["/robots.txt", "/island"]);
    let asked: BTreeSet<String> = server.asked().into_iter().collect();
    assert_eq!(asked.len(), server.asked().len(), "nothing is asked for twice");
    assert!(asked.contains("/a") && asked.contains("/b"), "{asked:?}");
    let links = crawl(folder.path(), &[&other.url("/")], &[]);
    assert_eq!(links.code, Some(0), "{}", links.stderr);
    assert_eq!(seeds(folder.path()), [home, island, other.url("/")]);
    assert_eq!(other.asked().len(), 5, "{:?}", other.asked());
    assert_eq!(links.summary()["fetched"], 7);
}

#[test]
fn flags_that_are_given_again_hold_from_then_on() {
    let server = site();
    let folder = tempfile::tempdir().expect("a folder");
    let pages = |folder: &Path| settings(folder)["max-pages"].as_integer();
    let asked = || server.asked().iter().filter(|target| *target != "/robots.txt").count();
    crawl(folder.path(), &[&server.url("/")], &["--max-pages", "1", "--tries", "2"]);
    assert_eq!((pages(folder.path()), asked()), (Some(1), 1));
    let more = rhumb(folder.path(), &["-o", "crawl", "--json", "--max-pages", "2"]);
    assert_eq!(more.code, Some(0), "{}", more.stderr);
    assert_eq!((pages(folder.path()), asked()), (Some(2), 2), "the limit goes over all runs");
    let same = rhumb(folder.path(), &["-o", "crawl", "--json"]);
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert_eq!((pages(folder.path()), asked()), (Some(2), 2));
    std::fs::write(folder.path().join("c.toml"), "max-pages = 3\nmemory = \"80MB\"")
        .expect("written");
    let file = ["-o", "crawl", "--json", "--config", "c.toml", "--memory", "90MB"];
    let file = rhumb(folder.path(), &file);
    assert_eq!(file.code, Some(0), "{}", file.stderr);
    assert_eq!((pages(folder.path()), asked()), (Some(3), 3));
    let now = settings(folder.path());
    assert_eq!(now["memory"].as_str(), Some("90MB"));
    assert_eq!(now["tries"].as_integer(), Some(2), "what is not given again stays");
    for (key, usual) in [("durability", "200ms"), ("checkpoint", "64MB"), ("warc-size", "1GB")] {
        assert_eq!(now[key].as_str(), Some(usual), "every effective value is written");
    }
}

#[test]
fn what_cannot_be_changed_or_read_is_refused_and_nothing_is_touched() {
    let server = site();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl/crawl.toml");
    crawl(folder.path(), &[&server.url("/")], &["--max-pages", "1", "--partitions", "8"]);
    let (asked, was) = (server.asked(), std::fs::read_to_string(&path).expect("it is there"));
    assert!(was.contains("memory = \"auto\"\n"), "{was}");
    let resume = |flags: &[&str]| rhumb(folder.path(), &[&["-o", "crawl"], flags].concat());
    check_refused(&resume(&["--partitions", "16"]), 2, "has 8 partitions, and keeps them");
    check_refused(&resume(&["--memory", "63MB"]), 2, "--memory 63MB is too little");
    check_refused(&resume(&["--memory", "lots"]), 2, "lots");
    check_refused(&resume(&["--durability", "11s"]), 2, "--durability 11s is too long");
    check_refused(&resume(&["--checkpoint", "0"]), 2, "--checkpoint 0 is too small");
    check_refused(&resume(&["--warc-size", "1 ell"]), 2, "1 ell");
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), was);
    let broken = was.replace("tries = 3", "tries = ");
    let line = was.lines().position(|line| line == "tries = 3").expect("a line") + 1;
    std::fs::write(&path, &broken).expect("written");
    check_refused(&resume(&[]), 2, &format!("crawl.toml, line {line}: "));
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), broken);
    assert_eq!(server.asked(), asked);
    std::fs::write(&path, &was).expect("written");
    assert_eq!(resume(&["--max-pages", "9", "--partitions", "8"]).code, Some(0));
}

#[test]
fn without_seeds_there_must_be_a_crawl() {
    let folder = tempfile::tempdir().expect("a folder");
    check_refused(&rhumb(folder.path(), &[]), 2, "there is no seed, and no folder");
    check_refused(&rhumb(folder.path(), &["-o", "crawl"]), 2, "crawl holds no crawl");
    assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 0);
}

#[test]
fn a_folder_at_work_is_refused_to_others_and_read_by_export() {
    let (sender, asked) = mpsc::channel();
    let server = RawServer::start(move |target| match target {
        "/" => ok("text/html", "<a href=/silent>s</a>"),
        "/silent" => {
            sender.send(()).expect("the test waits");
            Vec::new()
        }
        _ => missing(),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let mut first = command(folder.path());
    first.args(["crawl", &server.url("/"), "-o", "crawl", "--allow-private", "--delay", "0s"]);
    let first = first.stderr(Stdio::piped()).spawn().expect("the binary starts");
    asked.recv_timeout(Duration::from_mins(1)).expect("it comes to the second page");
    let named = format!("another rhumb (pid {}) works on crawl\n", first.id());
    check_refused(&rhumb(folder.path(), &["-o", "crawl"]), 2, &named);
    let page = export(folder.path(), "jsonl", &[]);
    assert_eq!((page.code, page.json().len()), (Some(0), 1), "{}", page.stderr);
    send("-TERM", &first);
    let run = collect(first);
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(run.stderr.contains("nothing is lost; to go on: rhumb crawl -o crawl"));
    let alone = rhumb(folder.path(), &["-o", "crawl", "--max-time", "1s", "--json"]);
    assert_eq!(alone.code, Some(0), "{}", alone.stderr);
    let silent = server.asked().iter().filter(|target| *target == "/silent").count();
    assert_eq!(silent, 2, "what was under way is asked for again: {:?}", server.asked());
}

#[test]
fn a_folder_that_may_not_be_written_is_told_with_advice() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let server = site();
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &[&server.url("/")], &["--max-pages", "1"]);
    let dir = folder.path().join("crawl");
    let allow = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("they are ours");
    };
    allow(folder.path(), 0o755);
    allow(&dir.join("LOCK"), 0o444);
    allow(&dir, 0o555);
    let run = |words: &[&str]| {
        let mut command = command(folder.path());
        command.arg("crawl").args(words);
        // To the superuser nothing is forbidden: somebody else tries.
        if std::fs::write(dir.join("probe"), "").is_ok() {
            std::fs::remove_file(dir.join("probe")).expect("it is ours");
            command.uid(65_534);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map(collect)
    };
    match run(&["-o", "crawl"]) {
        Ok(resumed) => {
            check_refused(&resumed, 1, "cannot lock crawl/LOCK: Permission denied");
            let new = run(&[&server.url("/"), "-o", "crawl/deeper"]).expect("as before");
            check_refused(&new, 1, "cannot create the crawl's folder crawl/deeper: ");
        }
        Err(error) => println!("skipped: nobody may run the binary: {error}"),
    }
    allow(&dir.join("LOCK"), 0o644);
    allow(&dir, 0o755);
    assert_eq!(rhumb(folder.path(), &["-o", "crawl", "--max-pages", "9"]).code, Some(0));
    assert_eq!(server.asked().len(), 4);
}

/// The files of a folder of the crawl, by name.
fn files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("crawl").join(name)).expect("it is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

#[test]
fn what_is_missing_or_damaged_is_named_and_once_it_is_back_the_crawl_goes_on() {
    let server = site();
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &[&server.url("/")], &["--max-pages", "1"]);
    let resume = || rhumb(folder.path(), &["-o", "crawl", "--max-pages", "9"]);
    let aside = folder.path().join("aside");
    let mut victims = vec![folder.path().join("crawl/tables")];
    for name in ["log", "seen"] {
        victims.extend(files(folder.path(), name).into_iter().next());
    }
    let warc = |path: &PathBuf| path.to_string_lossy().ends_with(".warc.gz");
    victims.extend(files(folder.path(), "archive").into_iter().find(warc));
    assert_eq!(victims.len(), 4, "{victims:?}");
    for victim in victims {
        std::fs::rename(&victim, &aside).expect("it is ours");
        for _ in 0..2 {
            check_refused(&resume(), 1, "try: put crawl back from a copy");
            assert_eq!(server.asked(), ["/robots.txt", "/"], "{victim:?}");
        }
        if aside.is_dir() {
            // An empty one is made before the loss is noticed.
            drop(std::fs::remove_dir_all(&victim));
        } else if victim.extension().is_none_or(|ending| ending != "log") {
            // The tail of a log may be torn: it is cut.
            let mut bytes = std::fs::read(&aside).expect("it can be read");
            bytes.truncate(bytes.len() / 2);
            std::fs::write(&victim, bytes).expect("written");
            check_refused(&resume(), 1, "try: put crawl back from a copy");
            assert_eq!(server.asked(), ["/robots.txt", "/"], "half of {victim:?}");
        }
        std::fs::rename(&aside, &victim).expect("it is ours");
    }
    let whole = resume();
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    assert_eq!(server.asked().len(), 4, "{:?}", server.asked());
}

#[test]
fn few_open_files_mean_fewer_connections_and_too_few_none() {
    let server = site();
    let folder = tempfile::tempdir().expect("a folder");
    let run = |files: u16, dir: &str| {
        let mut shell = Command::new("sh");
        shell.current_dir(folder.path()).stdin(Stdio::null());
        shell.args(["-c", &format!("ulimit -n {files} && exec \"$@\""), "sh"]);
        shell.args([env!("CARGO_BIN_EXE_rhumb"), "crawl", &server.url("/"), "-o", dir, "-v"]);
        shell.args(["--allow-private", "--delay", "0s", "--ip-delay", "0s"]);
        finish(shell, "")
    };
    check_refused(&run(200, "none"), 1, "only 200 files may be open at once");
    let few = run(400, "few");
    assert_eq!(few.code, Some(0), "{}", few.stderr);
    assert!(few.stderr.contains("400 open files, 72 connections, "), "{}", few.stderr);
}

#[test]
fn seeds_of_a_settings_file_count_where_the_command_has_none() {
    let server = site();
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("seeds = [{:?}]\nallow-private = \"all\"\n", server.url("/island"));
    std::fs::write(folder.path().join("c.toml"), text).expect("written");
    let run = rhumb(folder.path(), &["--config", "c.toml", "-o", "crawl", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(server.asked(), ["/robots.txt", "/island"]);
    assert_eq!(run.json().first().map(|event| event["depth"].clone()), Some(Value::from(0)));
}
