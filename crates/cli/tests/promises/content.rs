//! What pages say, and whether it was there before: mirrors, near-duplicates, shells, traps, marks.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, command, finish};

/// Words of which no two pages have four in a row in common.
pub(crate) fn prose(seed: u64, words: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    for _ in 0..words {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = (state >> 33) % 4_000;
        let letter = |at: u64| char::from(b'a' + u8::try_from(at % 20).expect("a letter"));
        write!(text, "{}{}{}o ", letter(word), letter(word / 20), letter(word / 400))
            .expect("text");
    }
    text
}

pub(crate) fn page(title: &str, text: &str, links: &[String]) -> Vec<u8> {
    let links: Vec<String> =
        links.iter().map(|link| format!("<a href=\"{link}\">{link}</a> ")).collect();
    let links = links.concat();
    let html = format!("<title>{title}</title><h1>{title}</h1><p>{text}</p><p>{links}</p>");
    ok("text/html; charset=utf-8", &html)
}

pub(crate) fn crawl(folder: &Path, seeds: &[String], flags: &[&str]) -> Run {
    let mut crawl = command(folder);
    crawl.args(["crawl", "-o", "crawl", "--json", "--allow-private", "--delay", "0s"]);
    crawl.args(["--ip-delay", "0s"]).args(flags).args(seeds);
    let run = finish(crawl, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run
}

pub(crate) fn why(folder: &Path, url: &str) -> Value {
    let mut why = command(folder);
    why.args(["why", "crawl", url, "--json"]);
    finish(why, "").json().remove(0)
}

fn status(folder: &Path) -> Value {
    let mut status = command(folder);
    status.args(["status", "crawl", "--json"]);
    finish(status, "").json().remove(0)
}

fn fetched(run: &Run) -> usize {
    run.json().iter().filter(|line| line["event"] == "fetched").count()
}

const PAGES: u64 = 30;

/// A site of pages in a chain; `change` is what its own copy of a page has besides.
fn chain(change: fn(u64) -> String) -> RawServer {
    RawServer::start(move |target| match target.trim_start_matches('/').parse::<u64>() {
        Ok(number) if number < PAGES => {
            let text = format!("{} {}", prose(number, 300), change(number));
            page("A chain", &text, &[format!("/{}", number + 1)])
        }
        _ if target == "/" => page("Home of a chain", &prose(99, 80), &["/0".to_owned()]),
        _ => missing(),
    })
}

/// A page that says that there is nothing there, with the status 200.
fn gone() -> Vec<u8> {
    let head = "<title>404 - Page not found</title><meta name=robots content=noindex>";
    let words = "Sorry, the page you requested could not be found. It may have been moved or \
                 deleted. Check the address, or go back to the home page.";
    ok("text/html", &format!("{head}<h1>Page not found</h1><p>{words}</p>"))
}

/// Bytes of this type.
fn bytes(media: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// A document with a link that was made for the tests of its reader.
const DOCUMENT: &[u8] = include_bytes!("../../../formats/tests/samples/reportlab.pdf");

/// A crawl of two mirrors with a document and a page that is none; and what to ask it about.
pub(crate) fn telling(folder: &Path) -> Vec<String> {
    let mirror = || {
        RawServer::start(|target| match target {
            "/" => {
                let others = ["/paper", "/gone"].map(str::to_owned);
                let pages: Vec<String> = (0..10).map(|n| format!("/{n}")).collect();
                page("Home", &prose(4, 60), &[&pages[..], &others[..]].concat())
            }
            "/paper" => bytes("application/octet-stream", DOCUMENT),
            "/gone" => gone(),
            target if target.len() == 2 => {
                page("One of ten", &prose(u64::from(target.as_bytes()[1]), 80), &[])
            }
            _ => missing(),
        })
    };
    let sites = [mirror(), mirror()];
    crawl(folder, &[sites[0].url("/"), sites[1].url("/")], &[]);
    let paths = ["/3", "/paper", "/gone"];
    sites.iter().flat_map(|site| paths.map(|path| site.url(path))).collect()
}

#[test]
fn links_and_text_of_documents_count_whatever_type_is_declared() {
    let server = RawServer::start(|target| match target {
        "/" => page("Home", "home", &["/a.bin".to_owned(), "/b.pdf".to_owned()]),
        "/a.bin" => bytes("application/octet-stream", DOCUMENT),
        "/b.pdf" => bytes("application/pdf", b"%PDF-1.4\n1 0 obj << broken"),
        _ => missing(),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &[server.url("/")], &[]);
    let told = why(folder.path(), &server.url("/a.bin"));
    assert_eq!((&told["state"], &told["document"]), (&"fetched".into(), &"pdf: whole".into()));
    let outside = run.summary()["refused"]["out-of-scope"].as_u64();
    assert!(outside.is_some_and(|links| links > 0), "{}", run.summary());
    let told = why(folder.path(), &server.url("/b.pdf"));
    assert_eq!(told["document"], "pdf: broken", "{told:#}");
}

#[test]
fn every_page_of_a_mirror_is_fetched_and_each_content_counts_once() {
    let sites =
        [chain(|_| String::new()), chain(|_| String::new()), chain(|n| prose(n + 7_000, 6))];
    let seeds: Vec<String> = sites.iter().map(|site| site.url("/")).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &seeds, &[]);
    let summary = run.summary();
    let pages = usize::try_from(PAGES).expect("small") + 1;
    assert_eq!(fetched(&run), 3 * pages);
    assert_eq!(summary["duplicates"], 2 * pages, "{summary}");
    let near = summary["near_duplicates"].as_u64().expect("a count");
    // Which of the three came first is for the frontier to say.
    assert!((PAGES..=2 * PAGES).contains(&near), "{summary}");
    for number in 0..PAGES {
        let told: Vec<Value> =
            sites.iter().map(|it| why(folder.path(), &it.url(&format!("/{number}")))).collect();
        let originals: Vec<&Value> = told.iter().filter(|it| it["state"] == "fetched").collect();
        assert_eq!(originals.len(), 1, "{told:#?}");
        for twin in told.iter().filter(|it| it["state"] == "duplicate") {
            assert_eq!(twin["duplicate_of"], originals[0]["canonical"], "{twin:#}");
            let is_near = twin["likeness"] == "near";
            assert!(is_near || twin["likeness"] == "same", "{twin:#}");
        }
    }
    let status = status(folder.path());
    assert_eq!(status["duplicates"], summary["duplicates"]);
    let mirrors = status["mirrors"].as_array().expect("a list");
    assert!(mirrors.len() >= 2, "{status:#}");
    for mirror in mirrors {
        assert_ne!(mirror["site"], mirror["of"]);
        assert!(mirror["pages"].as_u64().expect("a count") >= 8, "{mirror}");
    }
}

#[test]
fn duplicates_are_known_over_the_end_of_a_run() {
    let (first, second) = (chain(|_| String::new()), chain(|_| String::new()));
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &[first.url("/")], &[]);
    let run = crawl(folder.path(), &[second.url("/")], &[]);
    let pages = usize::try_from(PAGES).expect("small") + 1;
    assert_eq!(run.summary()["duplicates"], pages, "{}", run.summary());
    let told = why(folder.path(), &second.url("/7"));
    assert_eq!(told["duplicate_of"], first.url("/7"), "{told:#}");
}

#[test]
fn a_canonical_link_is_believed_where_the_content_agrees() {
    let server = RawServer::start(|target| {
        let text = prose(5, 200);
        let of = |canonical: &str, text: &str, links: &str| {
            let link = format!("<link rel=canonical href={canonical}>");
            ok("text/html", &format!("<title>x</title>{link}<p>{text}</p>{links}"))
        };
        match target {
            "/" => of("/", "home", "<a href=/print>p</a><a href=/liar>l</a>"),
            // Some of it is other: too much for pages that do not say what they are.
            "/print" => of("/real", &format!("{text} {}", prose(6, 30)), "<a href=/real>r</a>"),
            "/real" => of("/real", &text, ""),
            "/liar" => of("/real", &prose(77, 200), ""),
            _ => missing(),
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &[server.url("/")], &[]);
    let print = why(folder.path(), &server.url("/print"));
    assert_eq!(print["duplicate_of"], server.url("/real"), "{print:#}");
    assert_eq!(print["likeness"], "canonical");
    assert_eq!(why(folder.path(), &server.url("/real"))["state"], "fetched");
    let liar = why(folder.path(), &server.url("/liar"));
    assert_eq!((&liar["state"], &liar["duplicate_of"]), (&"fetched".into(), &Value::Null));
}

#[test]
fn equal_shells_of_two_sites_hide_no_link_of_each_other() {
    let shell = |name: &'static str| {
        RawServer::start(move |target| match target {
            "/" => {
                let pages: Vec<String> = (0..5).map(|n| format!("/{n}")).collect();
                page("Loading", "Please wait", &pages)
            }
            target if target.len() == 2 => {
                page(name, &prose(u64::from(target.as_bytes()[1]), 50), &[])
            }
            _ => missing(),
        })
    };
    let (one, two) = (shell("one"), shell("two"));
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &[one.url("/"), two.url("/")], &[]);
    assert_eq!(fetched(&run), 12);
    assert_eq!(run.summary()["duplicates"], 1, "{}", run.summary());
}

#[test]
fn a_calendar_and_an_endless_folder_end_by_themselves() {
    let server = RawServer::start(|target| {
        let words = "Nothing is planned on this day: look at the next day or at the one before it";
        if target == "/" {
            let real: Vec<String> = (0..40).map(|n| format!("/real/{n}")).collect();
            let traps = ["/day?d=1".to_owned(), "/down/".to_owned()];
            return page("Home", "home", &[&real[..], &traps[..]].concat());
        }
        if let Some(day) = target.strip_prefix("/day?d=").and_then(|day| day.parse::<u64>().ok()) {
            let date = format!("{}-{}-{}", 2000 + day / 365, day % 365 / 31 + 1, day % 31 + 1);
            let next = format!("/day?d={}", day + 1);
            return page("Calendar", &format!("{date} {words} {day}"), &[next]);
        }
        if target.starts_with("/down/") {
            // Deep, but never the same segment twice.
            let depth = target.matches('/').count();
            return page("Folder", &format!("{words} {depth}"), &[format!("{depth}/")]);
        }
        match target.strip_prefix("/real/").and_then(|it| it.parse::<u64>().ok()) {
            Some(number) => page("Real", &prose(number, 60), &[]),
            None => missing(),
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &[server.url("/")], &["--max-pages", "5000"]);
    let summary = run.summary();
    let real = server.asked().iter().filter(|target| target.starts_with("/real/")).count();
    assert_eq!(real, 40);
    assert!(fetched(&run) < 700, "{summary}");
    let refused = summary["refused"]["trap-repeated-page"].as_u64();
    assert!(refused.is_some_and(|links| links > 0), "{summary}");
    assert_eq!(summary["queued"], 0);
    let days = server.asked().iter().filter(|target| target.starts_with("/day")).count();
    let last = why(folder.path(), &server.url(&format!("/day?d={days}")));
    assert!(last["advice"].as_str().is_some_and(|it| it.contains("digits only")), "{last:#}");
}

#[test]
fn pages_that_are_not_what_their_status_says_are_marked_and_a_gate_slows_its_site() {
    let site = RawServer::start(|target| match target {
        "/" => page("Home", &prose(1, 60), &["/gone".to_owned(), "/guide".to_owned()]),
        "/gone" => gone(),
        "/guide" => {
            let text =
                format!("The status 404 not found means that a page is gone. {}", prose(2, 400));
            page("404 Not Found", &text, &[])
        }
        _ => missing(),
    });
    let gate = RawServer::start(|target| {
        if target == "/robots.txt" {
            return missing();
        }
        let body = "<html><head><title>Just a moment...</title><meta name=robots \
                    content=noindex,nofollow><meta http-equiv=refresh content=360></head><body>\
                    <h1>Checking your browser</h1><p>Enable JavaScript and cookies to continue</p>\
                    <script src=/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page></script>\
                    <a href=/a>a</a><a href=/b>b</a></body></html>";
        let length = body.len();
        let head = format!(
            "HTTP/1.1 403 Forbidden\r\nServer: cloudflare\r\nCf-Mitigated: challenge\r\n\
             Content-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        format!("{head}{body}").into_bytes()
    });
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = [site.url("/"), gate.url("/"), gate.url("/two")];
    let run = crawl(folder.path(), &seeds, &["--max-time", "5s"]);
    assert_eq!(why(folder.path(), &site.url("/gone"))["mark"], "soft-404");
    assert_eq!(why(folder.path(), &site.url("/guide"))["mark"], Value::Null);
    let first = why(folder.path(), &gate.url("/"));
    let second = why(folder.path(), &gate.url("/two"));
    let marks = [&first, &second].map(|it| it["mark"] == "challenge");
    assert_eq!(marks.iter().filter(|it| **it).count(), 1, "{first:#} {second:#}");
    let waiting = if marks[0] { &second } else { &first };
    assert_eq!((&waiting["state"], &waiting["held_by"]), (&"queued".into(), &"backoff".into()));
    let asked = gate.asked().iter().filter(|target| *target != "/robots.txt").count();
    assert_eq!(asked, 1, "it is left alone for a while");
    let marked = &run.summary()["marked"];
    assert_eq!((&marked["soft-404"], &marked["challenge"]), (&1.into(), &1.into()), "{marked}");
}

#[test]
fn spam_is_marked_kept_and_followed() {
    let site = RawServer::start(|target| match target {
        "/" => page("Home", &prose(1, 60), &["/spam".to_owned(), "/door".to_owned()]),
        "/spam" => {
            let text = "cheap pills online, buy pills now, best pills, ".repeat(120);
            page("Pills pills pills", &text, &["/behind".to_owned()])
        }
        "/door" => ok(
            "text/html",
            "<title>Pills</title><meta http-equiv=refresh content='0;url=http://pills.example/'>",
        ),
        "/behind" => page("Behind", &prose(2, 60), &[]),
        _ => missing(),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &[site.url("/")], &[]);
    for (path, mark) in [
        ("/", Value::Null),
        ("/spam", "spam".into()),
        ("/door", "doorway".into()),
        ("/behind", Value::Null),
    ] {
        let told = why(folder.path(), &site.url(path));
        assert_eq!((&told["state"], &told["mark"]), (&"fetched".into(), &mark), "{told:#}");
    }
    let marked = &run.summary()["marked"];
    assert_eq!((&marked["spam"], &marked["doorway"]), (&1.into(), &1.into()), "{marked}");
}

#[test]
fn domains_that_all_lead_to_one_page_are_marked_from_the_twentieth_on_and_followed() {
    const DOORS: usize = 22;
    let site = RawServer::start(|target| match target.split('?').next() {
        Some("/moved") => {
            let head = "HTTP/1.1 302 Found\r\nLocation: //shop.localhost";
            let port = target.split_once('?').map_or("", |(_, port)| port);
            let end = "Content-Length: 0\r\nConnection: close\r\n\r\n";
            format!("{head}:{port}/pills?by=moving\r\n{end}").into_bytes()
        }
        Some("/waits") => {
            let port = target.split_once('?').map_or("", |(_, port)| port);
            let refresh = format!("0;url=//shop.localhost:{port}/pills?by=waiting");
            let text = prose(7, 90);
            ok("text/html", &format!("<meta http-equiv=refresh content='{refresh}'><p>{text}</p>"))
        }
        Some("/pills") => {
            page("Pills", &prose(if target.contains("moving") { 3 } else { 4 }, 60), &[])
        }
        _ => missing(),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let port = site.url("").rsplit(':').next().expect("a port").to_owned();
    let way = |at: usize| if at.is_multiple_of(2) { "moved" } else { "waits" };
    let door = |at: usize| format!("http://door{at}.localhost:{port}/{}?{port}", way(at));
    let doors: Vec<String> = (0..DOORS).map(door).collect();
    let run = crawl(folder.path(), &doors, &["--scope", "any", "--contact", "a@example.test"]);
    let told: Vec<Value> = doors.iter().map(|url| why(folder.path(), url)).collect();
    let marked = told.iter().filter(|it| it["mark"] == "doorway").count();
    assert_eq!(marked, DOORS - 19, "{told:#?}");
    assert_eq!(run.summary()["marked"]["doorway"], marked, "{}", run.summary());
    for by in ["moving", "waiting"] {
        let target = why(folder.path(), &format!("http://shop.localhost:{port}/pills?by={by}"));
        assert_eq!((&target["state"], &target["mark"]), (&"fetched".into(), &Value::Null));
    }
}
