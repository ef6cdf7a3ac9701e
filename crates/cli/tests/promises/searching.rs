//! What is found, while a crawl runs and afterwards, and what is not.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, collect, command, export, finish};

fn rhumb(folder: &Path, words: &[&str]) -> Run {
    let mut rhumb = command(folder);
    rhumb.args(words);
    finish(rhumb, "")
}

fn crawl(folder: &Path, seed: &str, flags: &[&str]) -> Run {
    let first = ["crawl", seed, "-o", "crawl", "--json", "--allow-private", "--delay", "0s"];
    let run = rhumb(folder, &[&first[..], &["--ip-delay", "0s"], flags].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run
}

/// The results of a query, as data.
pub(crate) fn search(folder: &Path, query: &str, flags: &[&str]) -> Vec<Value> {
    let run = rhumb(folder, &[&["search", "crawl", query, "--json"], flags].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.json()
}

/// The paths of what a query finds.
fn found(folder: &Path, query: &str) -> Vec<String> {
    let path = |row: &Value| {
        let url = row["url"].as_str().expect("a URL");
        format!("/{}", url.splitn(4, '/').nth(3).expect("a path"))
    };
    search(folder, query, &["-n", "100"]).iter().map(path).collect()
}

fn html(body: &str) -> Vec<u8> {
    ok("text/html; charset=utf-8", body)
}

/// A site with something for every operator.
fn site() -> RawServer {
    RawServer::start(|target| match target {
        "/" => html(
            "<title>Start</title><p>All the pages of this little site about the sea.</p>\
             <a href=/tides>one</a> <a href=/notes/harbour.html>two</a> \
             <a href=/wordless>green ferry timetable</a> <a href=/hidden>three</a> \
             <a href=/moved>the old pier</a> <a href=/deutsch>four</a> <a href=/ja>five</a> \
             <a href=/gone>six</a> <a href=/plain.txt>seven</a>",
        ),
        "/tides" => html(
            "<html lang=en><title>Tides and currents</title><h1>Tides</h1><p>The tide rises and \
             falls twice a day. Sailors who know the tides need no engine. Spring tides follow a \
             new moon.</p>",
        ),
        "/notes/harbour.html" => html(
            "<html lang=en><title>Harbour notes</title><p>A quiet harbour with a lighthouse. The \
             tide runs hard outside of it, and no moon is needed to see the light.</p>",
        ),
        "/wordless" => html("<title>4711</title><img src=x.png alt=''><p>12:30 14:45 16:10</p>"),
        "/hidden" => html("<meta name=robots content=noindex><p>zanzibar is secret</p>"),
        "/moved" => b"HTTP/1.1 301 M\r\nLocation: /pier\r\nContent-Length: 0\r\n\r\n".to_vec(),
        "/pier" => html("<title>Steg</title><p>A wooden walk into the water.</p>"),
        "/deutsch" => html(
            "<html lang=de><title>Der Leuchtturm</title><p>Die Häuser am Hafen und die Türme an \
             der Küste stehen im Wind, und wer sie sieht, der weiß, wo er ist.</p>",
        ),
        "/ja" => html(
            "<html lang=ja><title>灯台</title><p>この灯台は港の入り口に立っています。夜になると光ります。</p>",
        ),
        "/plain.txt" => ok("text/plain", "A plain text on knots: bowline, sheet bend, hitch."),
        _ => missing(),
    })
}

#[test]
fn a_crawl_at_rest_is_found_by_words_phrases_fields_and_links() {
    let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
    let folder = folder.path();
    crawl(folder, &server.url("/"), &[]);
    let check = |query: &str, expect: &[&str]| assert_eq!(found(folder, query), expect, "{query}");
    check("lighthouse", &["/notes/harbour.html"]);
    check("tide moon", &["/tides", "/notes/harbour.html"]);
    check("\"quiet harbour\" lighthouse", &["/notes/harbour.html"]);
    check("tide -lighthouse", &["/tides"]);
    check("bowline OR lighthouse type:text", &["/plain.txt"]);
    check("sailor", &["/tides"]);
    check("intitle:notes", &["/notes/harbour.html"]);
    check("inurl:harbour", &["/notes/harbour.html"]);
    check("lighth*", &["/notes/harbour.html"]);
    check("turm lang:de", &["/deutsch"]);
    check("haus", &["/deutsch"]);
    check("灯台", &["/ja"]);
    check("type:text knots", &["/plain.txt"]);
    check("site:example.org tide", &[]);
    // No word of its own, only those of links to it; and through a redirect.
    check("ferry timetable", &["/wordless", "/"]);
    check("old pier", &["/pier", "/"]);
    // It asks not to be found.
    check("zanzibar", &[]);
}

#[test]
fn a_result_says_what_it_is_where_the_words_are_and_what_its_score_is_made_of() {
    let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
    let folder = folder.path();
    crawl(folder, &server.url("/"), &[]);
    let rows = search(folder, "spring tides", &["--explain"]);
    let row = rows.first().expect("a result");
    let parts = row["parts"].as_object().expect("parts");
    let sum: f64 = parts.values().map(|part| part.as_f64().expect("a number")).sum();
    let score = row["score"].as_f64().expect("a number");
    assert!((sum - score).abs() < 1e-3 * score, "{row:#}");
    let snippet: Vec<char> = row["snippet"].as_str().expect("a snippet").chars().collect();
    let marked: Vec<String> = row["marks"]
        .as_array()
        .expect("marks")
        .iter()
        .map(|mark| {
            let at =
                |key: &str| usize::try_from(mark[key].as_u64().expect("a count")).expect("it fits");
            snippet[at("from")..at("to")].iter().collect::<String>().to_lowercase()
        })
        .collect();
    assert!(marked.contains(&"spring".to_owned()), "{row:#}");
    assert!(marked.iter().all(|word| ["spring", "tides", "tide"].contains(&&**word)), "{row:#}");
    let pages = search(folder, "tide", &["-n", "1", "--page", "2"]);
    assert_eq!(pages[0]["rank"], 2, "{pages:#?}");
    let typo = rhumb(folder, &["search", "crawl", "lighthuose"]);
    assert!(typo.stderr.contains("lighthouse"), "{}", typo.stderr);
    assert!(typo.stdout.contains("harbour.html"), "{}", typo.stdout);
    let shown = rhumb(folder, &["search", "crawl", "tide", "--facets"]);
    assert!(shown.stdout.contains("languages en 2"), "{}", shown.stdout);
    for (query, advice) in [("\"open", "quote"), ("", "word"), ("before:soon x", "2024")] {
        let run = rhumb(folder, &["search", "crawl", query]);
        assert_eq!(run.code, Some(2), "{query}: {}", run.stderr);
        assert!(run.stderr.contains("try:") && run.stderr.contains(advice), "{}", run.stderr);
    }
}

#[test]
fn spam_is_found_behind_what_is_to_be_read_and_says_why() {
    let server = RawServer::start(|target| match target {
        "/" => html(
            "<html lang=en><title>Start</title><p>What there is to read here.</p>\
             <a href=/bait>one</a> <a href=/passing>two</a>",
        ),
        "/bait" => html(&format!(
            "<html lang=en><title>Compass compass compass</title><p>{}</p>",
            "cheap compass online, buy compass now, best compass, ".repeat(120)
        )),
        "/passing" => html(
            "<html lang=en><title>Packing</title><p>Take a lamp, dry socks, bread and cheese for \
             two days, a knife, some rope, and if the fog is thick by then also a compass, which \
             lies in the drawer below the charts.</p>",
        ),
        _ => missing(),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let read_behind = || found(folder, "compass");
    crawl(folder, &server.url("/"), &[]);
    assert_eq!(read_behind(), ["/passing", "/bait"]);
    let only = search(folder, "cheap compass", &["--explain"]).remove(0);
    assert!(only["url"].as_str().is_some_and(|url| url.ends_with("/bait")), "{only:#}");
    assert!(only["parts"]["spam"].as_f64() < Some(0.0), "{only:#}");
    let told = rhumb(folder, &["search", "crawl", "cheap compass", "--explain"]);
    assert!(told.stdout.contains("spam"), "{}", told.stdout);
    let anew = rhumb(folder, &["index", "crawl"]);
    assert_eq!(anew.code, Some(0), "{}", anew.stderr);
    assert_eq!(read_behind(), ["/passing", "/bait"]);
}

#[test]
fn pages_are_found_within_seconds_while_their_crawl_runs() {
    let (sender, asked) = mpsc::channel();
    // The last page never ends, so that the crawl does not either.
    let server = RawServer::start(move |target| {
        sender.send(target.to_owned()).ok();
        match target {
            "/" => html("<title>Start</title><a href=/a>a</a> <a href=/b>b</a> <a href=/z>z</a>"),
            "/a" => html("<p>the first oyster</p>"),
            "/b" => html("<p>the second oyster</p>"),
            "/z" => Vec::new(),
            _ => missing(),
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut crawl = command(folder);
    crawl.args(["crawl", &server.url("/"), "-o", "crawl", "--allow-private", "--index", "-q"]);
    crawl.args(["--delay", "0s", "--ip-delay", "0s", "--tries", "1"]);
    let child = crawl.spawn().expect("the binary starts");
    while asked.recv_timeout(Duration::from_mins(1)).expect("it is asked") != "/z" {}
    let began = Instant::now();
    let found = loop {
        let run = rhumb(folder, &["search", "crawl", "oyster", "--json"]);
        let found = if run.code == Some(0) { run.json().len() } else { 0 };
        if found == 2 || began.elapsed() > Duration::from_secs(30) {
            break found;
        }
        std::thread::yield_now();
    };
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-9", &pid]).status().expect("kill runs").success());
    collect(child);
    assert_eq!(found, 2, "both pages, while the third is waited for");
}

#[test]
fn what_is_forgotten_is_not_found_and_the_rest_is() {
    let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
    let folder = folder.path();
    crawl(folder, &server.url("/"), &["--index"]);
    assert_eq!(found(folder, "lighthouse"), ["/notes/harbour.html"]);
    let url = server.url("/notes/harbour.html");
    let run = rhumb(folder, &["forget", "crawl", &url]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!folder.join("crawl/index").exists(), "no file of it has its words");
    assert_eq!(found(folder, "lighthouse"), Vec::<String>::new());
    assert_eq!(found(folder, "sailor"), ["/tides"]);
}

#[test]
fn hostile_queries_get_an_answer_or_a_clear_refusal_and_no_crash() {
    let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
    let folder = folder.path();
    crawl(folder, &server.url("/"), &[]);
    let long = "tide ".repeat(20_000);
    let deep = format!("{}tide{}", "(".repeat(5_000), ")".repeat(5_000));
    let nots = format!("{}tide", "-".repeat(5_000));
    let wild = "a* b* c* d* e* f* g* h* i* t* s* z*";
    let odd = "\u{202e}tide\u{0}\u{feff}\u{1b}[2J";
    for query in [&long, &deep, &nots, wild, odd, "site:", "\"\"", "OR OR OR", "((", "after:9999"] {
        // A shell cannot give a word with a nul.
        let query = query.replace('\u{0}', "");
        let run = rhumb(folder, &["search", "crawl", "--", &query]);
        let is_sound = matches!(run.code, Some(0 | 2));
        assert!(is_sound && !run.stderr.contains("panicked"), "{:.60}: {}", query, run.stderr);
        assert!(!run.stderr.contains('\u{1b}') && run.stderr.len() < 4_096, "{}", run.stderr);
    }
}

#[test]
fn ranks_agree_with_those_of_networkx() {
    let Some(python) = std::env::var_os("RHUMB_PYTHON").map(PathBuf::from) else {
        println!("skipped: RHUMB_PYTHON names no python with networkx");
        return;
    };
    let spec =
        rhumb_testweb::Spec { body_bytes: 1_500, ..rhumb_testweb::Spec::sized(8, 30, 1_500) };
    let served = rhumb_testweb::Served::start_on_thread(&spec).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let flags = ["--delay", "0s", "--ip-delay", "0s", "--tries", "1"];
    crate::run::crawl(&served, folder, &flags);
    let graph = export(folder, "graph", &[]);
    assert_eq!(graph.code, Some(0), "{}", graph.stderr);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/promises/ranks.py");
    let mut compare = Command::new(python);
    compare.arg(script);
    let run = finish(compare, &graph.stdout);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    println!("ranks: {}", run.stdout.trim());
    let nodes = graph.json().len();
    assert!(nodes > 800, "{nodes} documents");
}
