//! What a crawl keeps is a valid archive, by our own reader and by those of others.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use rhumb_archive::{HttpMessage, Kind, WarcReader};
use rhumb_testweb::{Served, Spec};
use serde_json::Value;

use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, command, crawl, export, finish};

/// The largest block that a test looks at.
const BLOCK_MAX: usize = 16 << 20;
/// Captures that are replayed.
const REPLAYS: usize = 20;

/// Whether `cargo x test` could not install it; says so.
#[expect(clippy::print_stdout, reason = "a check that could not run says so")]
fn is_missing(program: &str) -> bool {
    let is_missing = Command::new(program).arg("--help").output().is_err();
    if is_missing {
        println!("skipped: a check of the archive, for want of {program}");
    }
    is_missing
}

fn warcs(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join("crawl/archive")).expect("an archive");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "gz"));
    files.sort();
    files
}

/// Head fields and block of every record, by offset.
fn records(path: &Path) -> BTreeMap<u64, (rhumb_archive::RecordHead, Vec<u8>)> {
    let mut reader = WarcReader::open(path).expect("it opens");
    let mut records = BTreeMap::new();
    while let Some(record) = reader.next() {
        let mut record = record.expect("a whole record");
        let block = record.block(BLOCK_MAX).expect("a block");
        records.insert(record.offset, (record.head.clone(), block));
    }
    records
}

fn kept() -> (Served, tempfile::TempDir, Run) {
    let served = Served::start_on_thread(&Spec::sized(31, 60, 600)).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(&served, folder.path(), &["--delay", "0s", "--ip-delay", "0s", "--tries", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    (served, folder, run)
}

#[test]
fn the_archive_passes_its_own_verifier_and_those_of_others() {
    let (served, folder, _) = kept();
    drop(served);
    let verified = export(folder.path(), "warc", &["--verify"]);
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
    let files = warcs(folder.path());
    let kinds: Vec<Kind> = files
        .iter()
        .flat_map(|path| records(path).into_values())
        .map(|(head, _)| head.kind)
        .collect();
    let wanted = [
        Kind::Warcinfo,
        Kind::Response,
        Kind::Request,
        Kind::Metadata,
        Kind::Revisit,
        Kind::Resource,
    ];
    for kind in wanted {
        assert!(kinds.contains(&kind), "there is no {}", kind.word());
    }
    check_by_warcio(&files);
    check_by_indexer(folder.path(), &files);
    check_by_pywb(folder.path(), &files);
}

/// warcio names only records that came in chunks: it digests them with their chunks.
#[expect(clippy::print_stdout, reason = "the figure is what the check is for")]
pub(crate) fn check_by_warcio(files: &[PathBuf]) {
    if is_missing("warcio") {
        return;
    }
    let mut named = 0;
    for path in files {
        let check = Command::new("warcio").arg("check").arg(path).output().expect("warcio runs");
        let said = String::from_utf8_lossy(&check.stdout).into_owned();
        let records = records(path);
        for line in said.lines().filter_map(|line| line.trim().strip_prefix("offset ")) {
            let offset = line.split(' ').next().and_then(|text| text.parse::<u64>().ok());
            let (_, block) = &records[&offset.expect("an offset")];
            let coding = HttpMessage::split(block).header("transfer-encoding");
            assert_eq!(coding, Some(&b"chunked"[..]), "{line}");
            named += 1;
        }
    }
    println!("archive: warcio check names {named} records, all of them chunked");
}

#[expect(clippy::print_stdout, reason = "the figure is what the check is for")]
fn check_by_indexer(folder: &Path, files: &[PathBuf]) {
    if is_missing("cdxj-indexer") {
        return;
    }
    let index = Command::new("cdxj-indexer").arg("-s").args(files).output().expect("it runs");
    let theirs = String::from_utf8_lossy(&index.stdout).into_owned();
    let ours = std::fs::read_to_string(folder.join("crawl/archive/index.cdxj")).expect("an index");
    assert!(theirs == ours, "cdxj-indexer and ours differ");
    println!("archive: cdxj-indexer gives our {} lines", ours.lines().count());
}

/// Captures to replay: of each kind some, with what pywb must give back.
fn wanted(folder: &Path, files: &[PathBuf]) -> Vec<(String, String, u16, Option<Vec<u8>>)> {
    let index = std::fs::read_to_string(folder.join("crawl/archive/index.cdxj")).expect("an index");
    let mut by_place = HashMap::new();
    let mut by_url: HashMap<String, Vec<u8>> = HashMap::new();
    for path in files {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        for (offset, (head, block)) in records(path) {
            if head.kind == Kind::Response {
                let message = HttpMessage::split(&block);
                let codings = message.headers();
                let codings =
                    codings.filter(|(key, _)| key.eq_ignore_ascii_case(b"content-encoding"));
                let codings = codings.filter_map(|(_, value)| std::str::from_utf8(value).ok());
                let body = rhumb_fetch::decoded(codings, message.payload().into_owned().into());
                by_url.insert(head.url().expect("a URL").to_owned(), body.to_vec());
            }
            by_place.insert((name.clone(), offset), (head, block));
        }
    }
    let mut keys: HashMap<&str, usize> = HashMap::new();
    for key in index.lines().filter_map(|line| line.split(' ').next()) {
        *keys.entry(key).or_default() += 1;
    }
    let mut shares: HashMap<&str, usize> = HashMap::new();
    let mut wanted = Vec::new();
    for line in index.lines() {
        let mut words = line.splitn(3, ' ').skip(1);
        let timestamp = words.next().expect("a timestamp").to_owned();
        let fields: Value = serde_json::from_str(words.next().expect("fields")).expect("JSON");
        let text = |key: &str| fields[key].as_str().unwrap_or_default().to_owned();
        let place = (text("filename"), text("offset").parse::<u64>().expect("an offset"));
        let (head, block) = &by_place[&place];
        if head.kind == Kind::Resource {
            continue;
        }
        let message = HttpMessage::split(block);
        let status: u16 = message.status().and_then(|status| status.parse().ok()).expect("one");
        let coding = message.header("content-encoding").unwrap_or_default();
        let media = message.header("content-type").unwrap_or_default().to_ascii_lowercase();
        let media = String::from_utf8_lossy(&media).into_owned();
        let class = match head.kind {
            Kind::Revisit => "revisit",
            _ if (300..400).contains(&status) => "redirect",
            _ if coding == b"br" => "br",
            _ if coding == b"gzip" => "gzip",
            _ if message.header("transfer-encoding").is_some() => "chunked",
            _ if media.contains("charset") && !media.contains("utf-8") => "charset",
            _ => continue,
        };
        let share = shares.entry(class).or_default();
        let url = text("url");
        // A replay knows no scheme: where http and https share a key it may show either.
        let key = line.split(' ').next().expect("a key");
        if *share >= REPLAYS.div_ceil(6) || keys[key] > 1 {
            continue;
        }
        let body = match head.kind {
            Kind::Revisit => {
                head.field("WARC-Refers-To-Target-URI").and_then(|url| by_url.get(url))
            }
            _ => by_url.get(&url),
        };
        *share += 1;
        wanted.push((timestamp, url, status, body.cloned()));
    }
    assert_eq!(shares.len(), 6, "the web has all classes: {shares:?}");
    wanted
}

#[expect(clippy::print_stdout, reason = "the figure is what the check is for")]
fn check_by_pywb(folder: &Path, files: &[PathBuf]) {
    if is_missing("wb-manager") {
        return;
    }
    let replay = folder.join("replay");
    std::fs::create_dir(&replay).expect("a folder");
    let manage = |words: &[&str], files: &[PathBuf]| {
        let mut manager = Command::new("wb-manager");
        let done = manager.args(words).args(files).current_dir(&replay).output().expect("it runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    manage(&["init", "crawl"], &[]);
    manage(&["add", "crawl"], files);
    let wanted = wanted(folder, files);
    assert!(wanted.len() >= REPLAYS, "{}", wanted.len());
    let asked: Vec<String> =
        wanted.iter().map(|(timestamp, url, ..)| format!("{timestamp} {url}\n")).collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promises/replay.py");
    let mut python = Command::new(python_of_pywb());
    python.arg(script).current_dir(&replay);
    let run = finish(python, &asked.concat());
    let answers: Vec<&str> =
        run.stdout.lines().filter_map(|line| line.strip_prefix("replayed ")).collect();
    assert_eq!(answers.len(), wanted.len(), "{}\n{}", run.stdout, run.stderr);
    for (answer, (_, url, status, body)) in answers.iter().zip(&wanted) {
        let mut words = answer.split(' ');
        assert_eq!(words.next(), Some(status.to_string().as_str()), "{url}: {answer}");
        if let Some(body) = body.as_ref().filter(|_| *status == 200) {
            let digest = rhumb_archive::Digest::of(body);
            let hex: Vec<String> =
                digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(words.next(), Some(hex.concat().as_str()), "{url}");
        }
    }
    println!("archive: pywb replays {} captures with their own bytes", wanted.len());
}

/// The interpreter beside `wb-manager`: the one that has pywb.
fn python_of_pywb() -> PathBuf {
    let path = std::env::var_os("PATH").expect("there is a search path");
    let found = std::env::split_paths(&path).find(|folder| folder.join("wb-manager").is_file());
    found.map_or_else(|| "python3".into(), |folder| folder.join("python3"))
}

/// A server that answers every connection with the same bytes, and robots.txt with 404.
fn raw_server(answer: &'static [u8]) -> (u16, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let serve = move || {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut lines = BufReader::new(stream.try_clone().expect("a handle")).lines();
            let first = lines.next().expect("a request").expect("a line");
            while lines.next().is_some_and(|line| !line.expect("a line").is_empty()) {}
            let missing: &[u8] =
                b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
            let bytes = if first.contains("/robots.txt") { missing } else { answer };
            stream.write_all(bytes).expect("written");
        }
    };
    (port, std::thread::spawn(serve))
}

#[test]
fn a_record_holds_the_very_bytes_that_the_server_sent() {
    let sent: &[u8] = b"HTTP/1.1 200 Fine\r\nX-oDd:  two  spaces\r\nContent-Type: text/html\r\n\
        Transfer-Encoding: chunked\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: close\r\n\r\n\
        5;name=value\r\n<a hr\r\n0A\r\nef=/>x</a>\r\n0\r\nTrailer: kept\r\n\r\n";
    let (port, server) = raw_server(sent);
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = command(folder.path());
    run.args(["crawl", &format!("http://127.0.0.1:{port}/"), "-o", "crawl", "--allow-private"]);
    run.args(["--scope", "page", "--delay", "0s"]);
    let run = finish(run, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    server.join().expect("the server ends");
    let records = records(&warcs(folder.path())[0]);
    let blocks: Vec<&Vec<u8>> = records
        .values()
        .filter(|(head, _)| head.kind == Kind::Response)
        .filter(|(head, _)| head.url().is_some_and(|url| url.ends_with('/')))
        .map(|(_, block)| block)
        .collect();
    assert_eq!(blocks, [&sent.to_vec()]);
    let verified = export(folder.path(), "warc", &["--verify"]);
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
}

#[test]
fn a_planted_fault_in_the_archive_is_found() {
    let (served, folder, _) = kept();
    drop(served);
    let path = warcs(folder.path()).remove(0);
    let mut bytes = std::fs::read(&path).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(&path, bytes).expect("written");
    let verified = export(folder.path(), "warc", &["--verify"]);
    assert_eq!(verified.code, Some(1), "{}", verified.stderr);
    assert!(verified.stderr.contains("at byte"), "{}", verified.stderr);
    let exported = export(folder.path(), "jsonl", &[]);
    assert_eq!(exported.code, Some(1), "{}", exported.stderr);
    assert!(exported.stderr.contains("--to warc --verify"), "{}", exported.stderr);
    assert!(exported.json().len() > 10, "what can be read is written");
}

#[test]
fn an_export_never_overwrites_and_an_archive_of_nothing_is_not_valid() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("crawl/archive")).expect("made");
    std::fs::write(folder.path().join("mine"), "years of work").expect("written");
    let check = |flags: &[&str], what: &str| {
        let run = export(folder.path(), "warc", flags);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert!(run.stderr.contains(what), "{}", run.stderr);
    };
    check(&["-o", "mine"], "error: mine exists already\n  try: another path");
    check(&["--verify"], "holds no WARC file");
    assert_eq!(std::fs::read(folder.path().join("mine")).expect("a file"), b"years of work");
}

#[test]
fn an_export_of_all_has_the_fetches_without_an_answer() {
    let (served, folder, _) = kept();
    drop(served);
    let unanswered = |flags: &[&str]| {
        let run = export(folder.path(), "jsonl", flags);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let mut rows = run.json();
        rows.retain(|row| row["status"].is_null());
        rows
    };
    assert_eq!(unanswered(&[]), Vec::<Value>::new());
    let rows = unanswered(&["--all"]);
    assert!(!rows.is_empty());
    for row in rows {
        assert!(row["url"].as_str().is_some_and(|url| url.starts_with("http")), "{row}");
        assert!(row["time"].is_string() && row["digest"].is_null(), "{row}");
        assert_eq!(row["links"], Value::Array(Vec::new()));
    }
}

#[test]
fn an_export_writes_links_as_the_crawl_did() {
    let check = |flags: &[&str], expect: &str| {
        let (port, server) = raw_server(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\
            Content-Length: 35\r\n\r\n<a href='/next?utm_source=x'>on</a>",
        );
        let folder = tempfile::tempdir().expect("a folder");
        let mut run = command(folder.path());
        run.args(["crawl", &format!("http://127.0.0.1:{port}/"), "-o", "crawl"]);
        run.args(["--allow-private", "--scope", "page", "--delay", "0s"]).args(flags);
        let run = finish(run, "");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        server.join().expect("the server ends");
        let exported = export(folder.path(), "jsonl", &[]);
        assert!(exported.stdout.contains(expect), "{}", exported.stdout);
    };
    check(&[], "/next\"");
    check(&["--keep-query"], "/next?utm_source=x\"");
}

/// A crawl of two pages.
fn two_pages() -> tempfile::TempDir {
    let server = RawServer::start(|target| match target {
        "/" => ok("text/html", "<a href=/a>a</a>"),
        "/a" => ok("text/html", "<p>A page."),
        _ => missing(),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = command(folder.path());
    run.args(["crawl", &server.url("/"), "-o", "crawl", "--allow-private", "--delay", "0s"]);
    let run = finish(run, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    folder
}

#[track_caller]
fn check_exported(folder: &Path, note: Option<&str>) {
    let run = export(folder, "jsonl", &[]);
    assert_eq!((run.code, run.json().len()), (Some(0), 2), "{}", run.stderr);
    match note {
        Some(note) => {
            assert!(run.stderr.starts_with("note: "), "{}", run.stderr);
            assert!(run.stderr.contains(note), "{}", run.stderr);
        }
        None => assert_eq!(run.stderr, ""),
    }
}

#[test]
fn an_archive_without_settings_is_exported() {
    let folder = two_pages();
    check_exported(folder.path(), None);
    std::fs::remove_file(folder.path().join("crawl/crawl.toml")).expect("it is there");
    check_exported(folder.path(), None);
}

#[test]
fn pages_are_exported_without_what_cannot_be_read_of_the_crawl() {
    let folder = two_pages();
    let crawl = folder.path().join("crawl");
    let lock = crawl.join("LOCK");
    std::fs::remove_file(&lock).expect("it is there");
    std::fs::create_dir(&lock).expect("made");
    check_exported(folder.path(), Some("cannot lock crawl/LOCK"));
    std::fs::remove_dir(&lock).expect("it is ours");
    check_exported(folder.path(), None);
    for entry in std::fs::read_dir(crawl.join("log")).expect("a log") {
        std::fs::remove_file(entry.expect("a file").path()).expect("it is ours");
    }
    check_exported(folder.path(), Some("crawl/log"));
    std::fs::remove_dir_all(crawl.join("tables")).expect("they are there");
    std::fs::write(crawl.join("tables"), "no tables").expect("written");
    check_exported(folder.path(), Some("crawl/tables"));
}

#[test]
fn an_export_waits_for_whoever_only_reads_the_crawl() {
    let folder = two_pages();
    let lock = std::fs::File::open(folder.path().join("crawl/LOCK")).expect("it is there");
    lock.lock().expect("nobody has it");
    let listener = UnixListener::bind(folder.path().join("crawl/control.sock")).expect("bound");
    // Once it asks, it is seen that it waits.
    let reader = std::thread::spawn(move || {
        let asked = listener.accept();
        drop((listener, lock));
        drop(asked);
    });
    check_exported(folder.path(), None);
    reader.join().expect("it was asked");
}

#[test]
fn an_export_that_cannot_begin_makes_no_file() {
    let folder = two_pages();
    std::fs::write(folder.path().join("crawl/crawl.toml"), "no = [settings").expect("written");
    let run = export(folder.path(), "jsonl", &["-o", "out.jsonl"]);
    assert_ne!(run.code, Some(0), "{}", run.stderr);
    assert!(!folder.path().join("out.jsonl").exists());
}
