//! A crawl that an older binary began goes on in this one: of each format a crawl is kept, cut off
//! in the middle. `tests/golden/README.md` tells how the next one is made.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::raw::{RawServer, missing, ok};
use crate::run::{command, export, finish};

/// Pages of the large site: more than the frontier keeps in memory, so that some are on disk.
const MANY: usize = 320;
/// Pages of the small site.
const FEW: usize = 5;
/// Pages after which the sites fall silent, and the crawl is killed.
const ANSWERED: usize = 40;
/// Kills until one leaves something in every folder.
const KILLS_MAX: usize = 20;
/// Small enough that the repository does not feel it.
const PACKED_MAX: u64 = 100_000;

const LARGE: &str = "http://large.localhost/";
const SMALL: &str = "http://small.localhost/";

/// Two sites behind one proxy: every port is the system's, and the URLs stay the same. They fall
/// silent after so many pages.
fn sites(answers: usize) -> RawServer {
    let left = AtomicUsize::new(answers);
    RawServer::start(move |target| {
        let one_less = |left: usize| left.checked_sub(1);
        if !target.ends_with("/robots.txt")
            && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_err()
        {
            return Vec::new();
        }
        let (home, pages, other) = match target {
            _ if target.starts_with(LARGE) => (LARGE, MANY, SMALL),
            _ => (SMALL, FEW, LARGE),
        };
        let path = target.trim_start_matches(home);
        let number = path.strip_prefix("page/").and_then(|number| number.parse::<usize>().ok());
        match (path, number) {
            ("", _) => {
                let links = (0..pages).map(|number| format!("<a href=/page/{number}>{number}</a>"));
                let links = links.collect::<String>();
                ok("text/html", &format!("{links}<a href=/closed>no</a><a href={other}>o</a>"))
            }
            ("robots.txt", _) => ok("text/plain", "User-agent: *\nDisallow: /closed\n"),
            (_, Some(number)) if number < pages => {
                let next = (number + 1) % pages;
                ok("text/html", &format!("{target}<a href=/page/{next}>on</a><a href=/>home</a>"))
            }
            _ => missing(),
        }
    })
}

/// Every page that is there.
fn pages() -> BTreeSet<String> {
    let of = |home: &'static str, pages: usize| {
        let numbered = (0..pages).map(move |number| format!("{home}page/{number}"));
        numbered.chain([home.to_owned()])
    };
    of(LARGE, MANY).chain(of(SMALL, FEW)).collect()
}

fn crawl(folder: &Path, site: &RawServer) -> Command {
    let mut command = command(folder);
    let proxy = site.url("");
    command.args(["crawl", "-o", "crawl", "--json", "--proxy", &proxy]);
    command
}

/// Begins a crawl and kills it, until every kind of file has something in it.
fn cut_off() -> tempfile::TempDir {
    let cut = || {
        let site = sites(ANSWERED);
        let folder = tempfile::tempdir().expect("a folder");
        let mut crawl = crawl(folder.path(), &site);
        crawl.args([LARGE, SMALL, "--allow-private", "--delay", "0s", "--ip-delay", "0s"]);
        crawl.args(["--checkpoint", "20KB", "--warc-size", "20KB", "--memory", "64MB"]);
        let child = crawl.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("the binary starts");
        let told = BufReader::new(child.stdout.take().expect("it was piped")).lines();
        let told = told.map_while(Result::ok).filter(|line| line.contains("\"fetched\""));
        assert_eq!(told.take(ANSWERED).count(), ANSWERED);
        child.kill().expect("it runs");
        child.wait().expect("it was killed");
        folder
    };
    let is_full = |folder: &tempfile::TempDir| {
        let has = |name: &str, end: &str, least: u64| {
            let files = files(&folder.path().join("crawl").join(name));
            files.into_iter().any(|(name, bytes)| name.ends_with(end) && bytes >= least)
        };
        has("archive", ".warc.gz", 1)
            && has("archive", ".warc.gz.open", 1_000)
            && has("log", ".log", 1_000)
            && ["seen", "backlog", "tables"].iter().all(|name| has(name, "", 1_000))
    };
    let mut folders = std::iter::repeat_with(cut).take(KILLS_MAX);
    folders.find(is_full).expect("one kill leaves something in every folder")
}

/// The names and lengths of the files in a folder; none where it is not there.
fn files(folder: &Path) -> BTreeMap<String, u64> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map_while(Result::ok);
    let named = entries.map(|entry| {
        let bytes = entry.metadata().expect("nobody is at work there").len();
        (entry.file_name().to_string_lossy().into_owned(), bytes)
    });
    named.collect()
}

/// The crawl in the folder goes on, and has in the end every page once. How many were left.
#[track_caller]
fn check_goes_on(folder: &Path, what: &str) -> usize {
    let site = sites(usize::MAX);
    let run = finish(crawl(folder, &site), "");
    assert_eq!(run.code, Some(0), "{what}: {}", run.stderr);
    let all = pages();
    let summary = run.summary();
    assert_eq!(summary["fetched"], all.len() as u64, "{what}: the count goes over both runs");
    assert_eq!(summary["refused"]["robots"], 2, "{what}: {summary}");
    assert_eq!((&summary["queued"], &summary["failed"]), (&0.into(), &serde_json::json!({})));
    let asked = site.asked();
    let asked: Vec<_> = asked.iter().filter(|url| !url.ends_with("/robots.txt")).collect();
    assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), asked.len(), "{what}: {asked:?}");
    assert!(
        asked.len() >= all.len() - ANSWERED && asked.len() < all.len(),
        "{what}: {}",
        asked.len()
    );
    let kept = export(folder, "jsonl", &[]).json();
    let kept: Vec<&str> = kept.iter().map(|page| page["url"].as_str().expect("a URL")).collect();
    assert_eq!(kept.len(), all.len(), "{what}: nothing is archived twice");
    assert!(kept.iter().all(|url| all.contains(*url)), "{what}: {kept:?}");
    assert_eq!(kept.iter().collect::<BTreeSet<_>>().len(), all.len(), "{what}");
    let verified = export(folder, "warc", &["--verify"]);
    assert_eq!(verified.code, Some(0), "{what}: {}", verified.stderr);
    asked.len()
}

fn tar(words: &[&str], file: &Path, folder: &Path) {
    let mut tar = Command::new("tar");
    tar.args(words).arg(file).arg("-C").arg(folder).arg("crawl");
    assert!(tar.status().expect("tar runs").success(), "{}", file.display());
}

#[test]
fn a_crawl_of_every_format_there_ever_was_goes_on() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let packed = files(&golden);
    assert!(packed.contains_key("v1.tar.gz"), "{packed:?}");
    for name in packed.into_keys().filter(|name| name.ends_with(".tar.gz")) {
        let folder = tempfile::tempdir().expect("a folder");
        tar(&["-xzf"], &golden.join(&name), folder.path());
        println!("golden: {name}: {} pages were left", check_goes_on(folder.path(), &name));
    }
}

#[test]
fn a_crawl_of_todays_format_goes_on_and_is_small_enough_to_keep() {
    let folder = cut_off();
    let asked = std::env::var_os("RHUMB_MAKE_GOLDEN").map(PathBuf::from);
    let packed = asked.unwrap_or_else(|| folder.path().join("today.tar.gz"));
    tar(&["--sort=name", "--owner=0", "--group=0", "-czf"], &packed, folder.path());
    let bytes = packed.metadata().expect("it was made").len();
    assert!(bytes < PACKED_MAX, "{} has {bytes} bytes", packed.display());
    println!("golden: {} has {bytes} bytes", packed.display());
    println!("golden: {} pages were left", check_goes_on(folder.path(), "today's format"));
}
