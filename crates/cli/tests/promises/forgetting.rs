//! A takedown leaves no byte of what it is of in any file, whatever moment it is ended at, and
//! everything else as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use rhumb_archive::{WarcReader, verify};
use rhumb_crawl::tables::{FjallTables, Table, Tables};
use rhumb_testweb::{Served, Spec};
use serde_json::Value;

use crate::archive::check_by_warcio;
use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, command, crawl_command, export, finish};
use crate::usage::check_refused;

/// More pages than the head of a queue holds, so that some lie in the backlog.
const PAGES: usize = 600;

fn page(number: usize) -> String {
    format!("/page-{number:04}.html")
}

/// A home page with links to many pages; every page says the secret.
fn site(secret: &'static str) -> RawServer {
    RawServer::start(move |target| {
        let number = target.strip_prefix("/page-").and_then(|rest| rest.strip_suffix(".html"));
        match (target, number) {
            ("/", _) => {
                let mut body = format!("<p>home of {secret}</p><a href=/moved>moved</a>");
                for number in 0..PAGES {
                    write!(body, "<a href={}>{number}</a> ", page(number)).expect("a string");
                }
                ok("text/html", &body)
            }
            ("/robots.txt", _) => ok("text/plain", &format!("# {secret}\nUser-agent: *\nAllow: /")),
            ("/moved", _) => {
                let head = format!("HTTP/1.1 301 Moved\r\nLocation: {}\r\n", page(1));
                format!("{head}Content-Length: 0\r\nConnection: close\r\n\r\n").into_bytes()
            }
            (_, Some(number)) => ok("text/html", &format!("<p>leaf-{number}-of {secret}</p>")),
            _ => missing(),
        }
    })
}

fn rhumb(folder: &Path, words: &[&str]) -> Run {
    let mut command = command(folder);
    command.args(words);
    finish(command, "")
}

fn forget(folder: &Path, target: &str) -> Value {
    let run = rhumb(folder, &["forget", "crawl", target, "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    serde_json::from_str(&run.stdout).expect("JSON")
}

/// A crawl of these seeds that ends with most pages still waiting.
fn crawl(folder: &Path, seeds: &[&str]) {
    let flags = [
        "-o",
        "crawl",
        "--json",
        "--allow-private",
        "--delay",
        "0s",
        "--ip-delay",
        "0s",
        "--partitions",
        "4",
        "--checkpoint",
        "20KB",
        "--warc-size",
        "16KB",
        "--max-pages",
        "90",
    ];
    let run = rhumb(folder, &[&["crawl"], seeds, &flags].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

fn resume(folder: &Path) -> Run {
    rhumb(folder, &["crawl", "-o", "crawl", "--json", "--max-pages", "100000"])
}

fn has(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

/// All files below a folder; a socket is none.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Every record of the archive in plain text: its head and its block.
fn records(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut records = Vec::new();
    for path in files(&dir.join("archive")).iter().filter(|path| is_warc(path)) {
        let mut reader = WarcReader::open(path).expect("it opens");
        while let Some(record) = reader.next() {
            let mut record = record.expect("a whole record");
            let head = format!("{:?}", record.head);
            let mut block = Vec::new();
            std::io::Read::read_to_end(&mut record, &mut block).expect("a block");
            records.push((head, block));
        }
    }
    records
}

fn is_warc(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".warc.gz")
}

/// The files, and records, that have one of these words in them.
fn traces(dir: &Path, words: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in files(dir) {
        let bytes = std::fs::read(&path).expect("a file");
        let hits =
            words.iter().filter(|word| has(&bytes, word) || path.to_string_lossy().contains(*word));
        let name = path.strip_prefix(dir).expect("below it").to_string_lossy().into_owned();
        found.extend(hits.map(|word| format!("{word} in {name}")));
    }
    for ((table, _), row) in rows(dir) {
        let hits = words.iter().filter(|word| has(&row, word));
        found.extend(hits.map(|word| format!("{word} in a row of {table:?}")));
    }
    for (head, block) in records(dir) {
        let hits = words.iter().filter(|word| head.contains(*word) || has(&block, word));
        found.extend(hits.map(|word| format!("{word} in a record: {head}")));
    }
    found
}

fn check_archive(dir: &Path) {
    let warcs: Vec<PathBuf> =
        files(&dir.join("archive")).into_iter().filter(|it| is_warc(it)).collect();
    for path in &warcs {
        let report = verify(path).expect("it can be read");
        assert!(report.is_valid(), "{}: {:?}", path.display(), report.faults.first());
    }
    check_by_warcio(&warcs);
}

/// Every page was asked for exactly once, but for these.
fn check_asked(server: &RawServer, but: &[String]) {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for target in server.asked() {
        *times.entry(target).or_default() += 1;
    }
    for target in (0..PAGES).map(page).chain(["/".to_owned(), "/moved".to_owned()]) {
        let expect = usize::from(!but.contains(&target));
        assert_eq!(times.get(&target).copied().unwrap_or(0), expect, "times of {target}");
    }
}

#[test]
fn a_forgotten_host_is_in_no_file_and_never_asked_again_and_the_others_lose_nothing() {
    let (kept, gone) = (site("daylight"), site("moonshine"));
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("crawl");
    let name = gone.url("").replace("http://", "");
    crawl(folder.path(), &[&kept.url("/"), &gone.url("/")]);
    let words = [name.as_str(), "moonshine"];
    let before = traces(&dir, &words);
    for part in
        ["a record", "Sites", "Urls", "Robots", "backlog", "crawl.toml", "archive/index.cdxj"]
    {
        assert!(
            before.iter().any(|trace| trace.contains(part)),
            "{part} has it before: {before:?}"
        );
    }
    let asked = gone.asked();
    let told = forget(folder.path(), &name);
    assert_eq!((&told["target"], &told["kind"]), (&name.as_str().into(), &"host".into()));
    let count = |key: &str| told[key].as_u64().expect("a number");
    let waited = count("queued");
    assert!(count("records") > 20 && count("urls") > 10 && count("files") > 0, "{told}");
    assert!(waited + asked.len() as u64 >= PAGES as u64, "{told}");
    assert!(humantime::parse_rfc3339(told["time"].as_str().expect("a time")).is_ok());
    assert_eq!(traces(&dir, &words), BTreeSet::new());
    check_archive(&dir);
    let rest = resume(folder.path());
    assert_eq!(rest.code, Some(0), "{}", rest.stderr);
    assert_eq!(gone.asked(), asked, "it is left alone");
    check_asked(&kept, &[]);
    assert_eq!(rest.summary()["queued"], 0);
    assert_eq!(traces(&dir, &words), BTreeSet::new());
    check_archive(&dir);
    // Whoever links to it, or names it once more, is told why not.
    let again = rhumb(folder.path(), &["crawl", &gone.url("/"), "-o", "crawl", "--json"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(gone.asked(), asked, "not as a seed either");
}

#[test]
fn a_forgotten_url_is_gone_wherever_it_stood_and_its_site_goes_on() {
    let server = site("daylight");
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("crawl");
    crawl(folder.path(), &[&server.url("/")]);
    let asked: BTreeSet<String> = server.asked().into_iter().collect();
    let waiting = |from: usize| (from..PAGES).map(page).find(|target| !asked.contains(target));
    let fetched = page(1);
    assert!(asked.contains(&fetched) && asked.contains("/moved"), "{asked:?}");
    let next = waiting(0).expect("some wait in the head");
    let last = (0..PAGES).rev().map(page).find(|it| !asked.contains(it)).expect("on the shelf");
    for target in [&fetched, &next, &last] {
        let url = server.url(target);
        let number: usize = target[6..10].parse().expect("a number");
        let secret = format!("leaf-{number}-of");
        let told = forget(folder.path(), &url);
        assert_eq!(told["kind"], "url");
        let is_fetched = u64::from(asked.contains(target));
        assert_eq!(
            (&told["urls"], &told["queued"]),
            (&is_fetched.into(), &(1 - is_fetched).into())
        );
        assert_eq!(traces(&dir, &[url.trim_start_matches("http://"), &secret]), BTreeSet::new());
    }
    check_archive(&dir);
    let rest = resume(folder.path());
    assert_eq!(rest.code, Some(0), "{}", rest.stderr);
    assert_eq!(rest.summary()["refused"]["forgotten"], Value::Null, "no page links anew");
    check_asked(&server, &[next, last]);
    assert_eq!(rest.summary()["queued"], 0);
}

#[test]
fn a_crawl_that_was_killed_forgets_as_well_and_loses_nothing() {
    let (kept, gone) = (site("daylight"), site("moonshine"));
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("crawl");
    let name = gone.url("").replace("http://", "");
    let words = [name.as_str(), "moonshine"];
    let mut killed = command(folder.path());
    killed.args(["crawl", &kept.url("/"), &gone.url("/"), "-o", "crawl", "--json"]);
    killed.args(["--allow-private", "--delay", "0s", "--ip-delay", "0s", "--warc-size", "16KB"]);
    let mut killed =
        killed.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let lines = BufReader::new(killed.stdout.take().expect("it was piped")).lines();
    assert_eq!(lines.take(40).count(), 40);
    killed.kill().expect("it is ours");
    killed.wait().expect("it can be waited for");
    assert!(!files(&dir.join("log")).is_empty());
    let log: Vec<u8> = files(&dir.join("log"))
        .iter()
        .flat_map(|path| std::fs::read(path).expect("a file"))
        .collect();
    assert!(has(&log, &name), "the log has it before");
    let asked = gone.asked().len();
    let told = forget(folder.path(), &name);
    assert!(told["queued"].as_u64() > Some(0), "{told}");
    assert_eq!(traces(&dir, &words), BTreeSet::new());
    let rest = rhumb(folder.path(), &["crawl", "-o", "crawl", "--json"]);
    assert_eq!(rest.code, Some(0), "{}", rest.stderr);
    assert_eq!(rest.summary()["queued"], 0);
    assert!(gone.asked().len() <= asked + 1, "only what was on its way");
    let of_kept: Vec<String> = kept.asked();
    let distinct: BTreeSet<&String> = of_kept.iter().collect();
    for target in (0..PAGES).map(page) {
        assert!(distinct.contains(&target), "{target} was asked for");
    }
    assert!(of_kept.len() - distinct.len() <= 2, "only what was in flight comes again");
    assert_eq!(traces(&dir, &words), BTreeSet::new());
    check_archive(&dir);
}

#[test]
fn a_host_that_was_never_met_is_never_fetched_later() {
    let (known, unknown) = (site("daylight"), site("moonshine"));
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &[&known.url("/")]);
    let name = unknown.url("").replace("http://", "");
    let run = rhumb(folder.path(), &["forget", "crawl", &name]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    assert!(run.stderr.starts_with(&format!("nothing of {name} was here\n")), "{}", run.stderr);
    assert_eq!(traces(&folder.path().join("crawl"), &[&name]), BTreeSet::new());
    let words = ["crawl", &unknown.url("/"), "-o", "crawl", "--max-pages", "95", "-q"];
    assert_eq!(rhumb(folder.path(), &words).code, Some(0));
    assert_eq!(unknown.asked(), Vec::<String>::new());
}

#[test]
fn no_redirect_leads_to_what_is_forgotten_nor_leaves_its_name() {
    let gone = site("moonshine");
    let place = gone.url("");
    let borrower = RawServer::start(move |target| match target {
        "/robots.txt" | "/away" => {
            let head = format!("HTTP/1.1 301 Moved\r\nLocation: {place}{target}\r\n");
            format!("{head}Content-Length: 0\r\nConnection: close\r\n\r\n").into_bytes()
        }
        _ => ok("text/html", "<p>a page</p>"),
    });
    let teller = RawServer::start({
        let away = gone.url("/page-0002.html");
        move |target| match target {
            "/robots.txt" => missing(),
            "/away" => {
                let head = format!("HTTP/1.1 301 Moved\r\nLocation: {away}\r\n");
                format!("{head}Content-Length: 0\r\nConnection: close\r\n\r\n").into_bytes()
            }
            _ => ok("text/html", "<a href=/away>away</a>"),
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &[&gone.url("/")]);
    let name = gone.url("").replace("http://", "");
    forget(folder.path(), &name);
    let asked = gone.asked();
    let words = ["crawl", &borrower.url("/"), &teller.url("/"), "-o", "crawl", "-q"];
    let run =
        rhumb(folder.path(), &[&words[..], &["--max-pages", "1000", "--tries", "1"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(gone.asked(), asked, "its robots.txt is not borrowed any more");
    assert_eq!(borrower.asked(), ["/robots.txt"], "and without one nothing is fetched");
    assert!(teller.asked().contains(&"/away".to_owned()));
    for ((table, key), row) in rows(&folder.path().join("crawl")) {
        assert!(!has(&row, &name), "{name} in the row {key:?} of {table:?}");
    }
}

#[test]
fn a_crawl_whose_only_seed_was_forgotten_says_so_when_it_is_gone_on_with() {
    let server = site("daylight");
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &[&server.url("/")]);
    let asked = server.asked();
    let told = forget(folder.path(), "127.0.0.1");
    assert_eq!(told["seeds"], 1);
    let rest = resume(folder.path());
    assert_eq!(rest.code, Some(0), "{}", rest.stderr);
    assert!(
        rest.stderr.contains("no seed of it is left; to add one: rhumb crawl"),
        "{}",
        rest.stderr
    );
    assert_eq!(server.asked(), asked);
    check_archive(&folder.path().join("crawl"));
}

#[test]
fn a_damaged_file_is_named_and_once_it_is_away_the_rest_goes_and_is_counted() {
    let (kept, gone) = (site("daylight"), site("moonshine"));
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("crawl");
    crawl(folder.path(), &[&kept.url("/"), &gone.url("/")]);
    let name = gone.url("").replace("http://", "");
    let damaged = files(&dir.join("archive")).into_iter().filter(|path| is_warc(path)).nth(1);
    let damaged = damaged.expect("several files");
    let mut bytes = std::fs::read(&damaged).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 40].fill(0);
    std::fs::write(&damaged, bytes).expect("written");
    let run = rhumb(folder.path(), &["forget", "crawl", &name]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let advice = format!("or move it out of the folder, then rhumb forget crawl {name}");
    assert!(run.stderr.contains("is damaged at byte"), "{}", run.stderr);
    assert!(run.stderr.contains(&advice), "{}", run.stderr);
    std::fs::rename(&damaged, folder.path().join("aside")).expect("moved");
    let told = forget(folder.path(), &name);
    assert!(told["records"].as_u64() > Some(20) && told["urls"].as_u64() > Some(10), "{told}");
    assert_eq!(traces(&dir, &[&name, "moonshine"]), BTreeSet::new());
    check_archive(&dir);
}

#[test]
fn what_cannot_be_forgotten_is_refused_and_nothing_is_touched() {
    let server = site("daylight");
    let folder = tempfile::tempdir().expect("a folder");
    let no_crawl = rhumb(folder.path(), &["forget", "crawl", "example.org"]);
    check_refused(&no_crawl, 2, "holds no crawl");
    crawl(folder.path(), &[&server.url("/")]);
    for word in ["two words", "example.org/page", "mailto:a@b.example", "ftp://example.org/"] {
        let run = rhumb(folder.path(), &["forget", "crawl", word]);
        check_refused(&run, 2, "is no URL and no host");
    }
    let robots = rhumb(folder.path(), &["forget", "crawl", &server.url("/robots.txt")]);
    check_refused(&robots, 2, "as long as its host is visited");
    let mut running = command(folder.path());
    running.args(["crawl", "-o", "crawl", "--json", "--delay", "1s", "--max-pages", "9999"]);
    let mut running =
        running.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut lines = BufReader::new(running.stdout.take().expect("it was piped")).lines();
    assert!(lines.next().is_some(), "it runs");
    let busy = rhumb(folder.path(), &["forget", "crawl", "127.0.0.1"]);
    check_refused(&busy, 2, "works on crawl");
    assert!(
        busy.stderr.contains("  try: rhumb stop crawl, then the same again"),
        "{}",
        busy.stderr
    );
    running.kill().expect("it is ours");
    running.wait().expect("it can be waited for");
}

/// The rows of a crawl's tables: their files may be packed.
fn rows(dir: &Path) -> BTreeMap<(Table, Vec<u8>), Vec<u8>> {
    let tables = FjallTables::open(&dir.join("tables"), 1 << 20).expect("they open");
    let mut rows = BTreeMap::new();
    for table in Table::ALL {
        for row in tables.range(table, &[]) {
            let (key, value) = row.expect("a row");
            rows.insert((table, key), value);
        }
    }
    rows
}

/// The same but for what a checkpoint numbers anew, and the moment of a takedown.
fn lasting_rows(dir: &Path) -> BTreeMap<(Table, Vec<u8>), Vec<u8>> {
    let mut rows = rows(dir);
    rows.retain(|(table, key), _| *table != Table::Meta || key.starts_with(b"partition/"));
    rows
}

/// How far a takedown has come: the first byte of its row.
fn stage(dir: &Path) -> Option<u8> {
    rows(dir).get(&(Table::Meta, b"forgotten".to_vec()))?.first().copied()
}

fn archive(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let folder = dir.join("archive");
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a file");
        (path.strip_prefix(&folder).expect("below it").to_owned(), bytes)
    };
    files(&folder).into_iter().map(read).collect()
}

fn copy(from: &Path, to: &Path) {
    for path in files(from) {
        let place = to.join(path.strip_prefix(from).expect("below it"));
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("made");
        std::fs::copy(&path, &place).expect("copied");
    }
}

/// Nothing but pages of others has the name, and no record is of it.
fn check_no_trace(dir: &Path, name: &str) {
    for path in files(dir).iter().filter(|path| !is_warc(path)) {
        let bytes = std::fs::read(path).expect("a file");
        assert!(!has(&bytes, name), "{name} in {}", path.display());
    }
    for ((table, key), row) in rows(dir) {
        assert!(!has(&row, name), "{name} in the row {key:?} of {table:?}");
    }
    for (head, block) in records(dir) {
        assert!(!head.contains(name), "{head}");
        let is_fields = head.contains("warc-fields");
        assert!(!is_fields || !has(&block, name), "{name} in the fields of {head}");
    }
}

/// The host of a test web of which most pages are in the archive; its name is no end of another's.
fn busiest_host(served: &Served, folder: &Path) -> String {
    let mut pages: BTreeMap<String, usize> = BTreeMap::new();
    for page in export(folder, "jsonl", &[]).json() {
        let url = page["url"].as_str().expect("a URL");
        let host = url.split('/').nth(2).expect("a host").split(':').next().expect("a name");
        *pages.entry(host.to_owned()).or_default() += 1;
    }
    let is_end = |name: &str| {
        let end = format!(".{name}");
        served.web().hosts.iter().any(|host| host.name.ends_with(&end))
    };
    pages.retain(|name, _| !is_end(name));
    let busiest = pages.into_iter().max_by_key(|(_, count)| *count);
    busiest.expect("pages were fetched").0
}

#[test]
fn a_takedown_that_is_killed_comes_to_the_same_end() {
    let spec = Spec { bad_hosts: false, ..Spec::sized(71, 20, 400) };
    let served = Served::start_on_thread(&spec).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let flags = [
        "--delay",
        "0s",
        "--ip-delay",
        "0s",
        "--tries",
        "1",
        "--partitions",
        "8",
        "--max-pages",
        "250",
        "--warc-size",
        "64KB",
    ];
    let first = finish(crawl_command(&served, folder.path(), &flags), "");
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let host = busiest_host(&served, folder.path());
    let whole = folder.path().join("whole");
    copy(&folder.path().join("crawl"), &whole.join("crawl"));
    let began = Instant::now();
    let told = forget(&whole, &host);
    let took = began.elapsed();
    assert!(told["records"].as_u64() > Some(0), "{told}");
    check_no_trace(&whole.join("crawl"), &host);
    let (rows_of_whole, archive_of_whole) =
        (lasting_rows(&whole.join("crawl")), archive(&whole.join("crawl")));
    let moments = if crate::run::is_full() { 60 } else { 14 };
    let (mut cut_short, mut stages) = (0, BTreeSet::new());
    for moment in 0..moments {
        let killed = tempfile::tempdir().expect("a folder");
        let dir = killed.path().join("crawl");
        copy(&folder.path().join("crawl"), &dir);
        let mut child = command(killed.path());
        child.args(["forget", "crawl", &host]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = child.spawn().expect("it starts");
        // Nothing is waited for: the moment is the subject.
        std::thread::sleep(took.mul_f64(f64::from(moment) / f64::from(moments)));
        child.kill().expect("it is ours");
        let ended = child.wait().expect("it can be waited for");
        cut_short += usize::from(!ended.success());
        stages.insert(stage(&dir));
        if moment % 3 == 2 {
            // A start finishes what was begun; it has nothing else to do, its limit is reached.
            let run = rhumb(killed.path(), &["crawl", "-o", "crawl", "--json"]);
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            forget(killed.path(), &host);
        } else {
            forget(killed.path(), &host);
            assert!(lasting_rows(&dir) == rows_of_whole, "moment {moment}: the rows are the same");
        }
        assert!(archive(&dir) == archive_of_whole, "moment {moment}: the archive is the same");
        check_no_trace(&dir, &host);
        let left: Vec<_> = std::fs::read_dir(&dir)
            .expect("a folder")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.starts_with("tables."))
            .collect();
        assert_eq!(left, Vec::<String>::new(), "moment {moment}");
    }
    println!(
        "forgetting: {cut_short} of {moments} takedowns were cut short, in the stages {stages:?}; \
         one takes {took:?}"
    );
    assert!(cut_short > 3 && stages.len() > 1, "the moments are well chosen");
    check_others(&served, &whole, &host);
}

/// Goes on with a crawl after a takedown to its end: the host is left alone, the others are
/// fetched by the rules and once.
fn check_others(served: &Served, folder: &Path, host: &str) {
    let before = served.witness();
    let mut rest = command(folder);
    rest.env("SSL_CERT_FILE", folder.parent().expect("a folder").join("ca.pem"));
    rest.args(["crawl", "-o", "crawl", "--json", "--max-pages", "100000"]);
    let rest = finish(rest, "");
    assert_eq!(rest.code, Some(0), "{}", rest.stderr);
    let witness = served.witness();
    assert_eq!(witness.hosts[host].requests, before.hosts[host].requests, "{host} is left alone");
    assert_eq!(witness.repeats, before.repeats, "nothing is fetched twice");
    assert!(witness.pages.len() > before.pages.len(), "there was work left");
    assert!(rest.summary()["refused"]["forgotten"].as_u64() > Some(0), "links to it are refused");
    assert_eq!(served.expected().extra(&witness), Vec::<String>::new());
    check_no_trace(&folder.join("crawl"), host);
    check_archive(&folder.join("crawl"));
}
