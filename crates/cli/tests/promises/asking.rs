//! `rhumb why`: right for every state of a URL, on a stopped crawl and on a running one.

use std::path::Path;

use serde_json::Value;

use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, command, finish};

/// Every key of the contract, and those beyond it.
const KEYS: [&str; 20] = [
    "advice",
    "canonical",
    "changes",
    "depth",
    "duplicate_of",
    "found_on",
    "held_by",
    "held_until",
    "judged_now",
    "next_visit",
    "queue_position",
    "reason",
    "redirected_from",
    "redirects_to",
    "robots",
    "scope",
    "seen_at",
    "state",
    "tries",
    "url",
];

fn crawl(folder: &Path, words: &[&str]) -> Run {
    let mut crawl = command(folder);
    crawl.args(["crawl", "-o", "crawl", "--allow-private", "--ip-delay", "0s"]).args(words);
    finish(crawl, "")
}

fn why(folder: &Path, url: &str) -> Value {
    let mut why = command(folder);
    why.args(["why", "crawl", url, "--json"]);
    let run = finish(why, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let told = run.json().pop().expect("one object");
    let mut keys: Vec<&str> =
        told.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, KEYS, "unknown is null, never absent");
    told
}

/// Checks state, reason and further fields of the story of a URL.
fn check(folder: &Path, url: &str, state: &str, reason: Option<&str>, more: &[(&str, Value)]) {
    let told = why(folder, url);
    assert_eq!(told["state"], state, "{url}: {told:#}");
    assert_eq!(told["reason"].as_str(), reason, "{url}: {told:#}");
    for (key, expect) in more {
        assert_eq!(told[*key], *expect, "{key} of {url}: {told:#}");
    }
}

fn redirect(to: &str) -> Vec<u8> {
    let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: ";
    format!("{head}{to}\r\n\r\n").into_bytes()
}

fn site() -> RawServer {
    let links = [
        "/page",
        "/copy",
        "/moved",
        "/gone",
        "/private/x",
        "/x/x/x/x",
        "http://elsewhere.test/",
        "/page?utm_source=a#top",
    ];
    let links = links.map(|link| format!("<a href='{link}'>x</a>")).concat();
    RawServer::start(move |target| match target {
        "/robots.txt" => ok("text/plain", "User-agent: *\nDisallow: /private\n"),
        "/" => ok("text/html", &links),
        "/page" | "/copy" => ok("text/html", "<p>the same text on two pages</p>"),
        "/moved" => redirect("/half-way"),
        "/half-way" => redirect("/target"),
        "/target" => ok("text/html", "<p>here</p>"),
        _ => missing(),
    })
}

#[test]
fn why_tells_what_became_of_every_url_of_a_crawl_that_has_ended() {
    let server = site();
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &[&server.url("/"), "--delay", "0s"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let folder = folder.path();
    let (url, home) = (|path: &str| server.url(path), Value::from(server.url("/")));
    check(folder, &url("/"), "fetched", None, &[("found_on", Value::Null), ("depth", 0.into())]);
    let page = why(folder, &url("/page?fbclid=1#x"));
    assert_eq!(page["canonical"], url("/page"));
    assert_eq!(page["found_on"], home);
    assert_eq!(page["changes"].as_array().expect("a list").len(), 2, "{page:#}");
    assert_eq!(page["tries"][0]["status"], 200);
    assert_eq!(page["tries"][0]["outcome"], "fetched");
    assert!(page["seen_at"].is_string() && page["tries"][0]["time"].is_string(), "{page:#}");
    // Which of both came first is for the frontier to say.
    let (first, second) =
        if page["state"] == "fetched" { ("/page", "/copy") } else { ("/copy", "/page") };
    check(folder, &url(first), "fetched", None, &[("duplicate_of", Value::Null)]);
    check(folder, &url(second), "duplicate", None, &[("duplicate_of", url(first).into())]);
    let half_way = ("redirects_to", Value::from(url("/half-way")));
    check(folder, &url("/moved"), "fetched", Some("redirect"), &[half_way]);
    let chain = Value::from(vec![url("/moved"), url("/half-way")]);
    let target = [("redirected_from", chain), ("found_on", home.clone()), ("depth", 1.into())];
    check(folder, &url("/target"), "fetched", None, &target);
    let gone = why(folder, &url("/gone"));
    assert_eq!((&gone["state"], &gone["reason"]), (&"failed".into(), &"http-404".into()));
    assert_eq!(gone["tries"][0]["status"], 404);
    let private = why(folder, &url("/private/x"));
    assert_eq!((&private["state"], &private["reason"]), (&"refused".into(), &"robots".into()));
    assert_eq!(private["robots"]["line"], 2);
    assert_eq!(private["robots"]["rule"], "Disallow: /private");
    assert_eq!(private["judged_now"], false);
    let now = ("judged_now", Value::from(true));
    let trap = Some("trap-tandem-segments");
    check(folder, &url("/x/x/x/x"), "refused", trap, std::slice::from_ref(&now));
    let out = Some("out-of-scope");
    check(folder, "http://elsewhere.test/", "refused", out, std::slice::from_ref(&now));
    let robots = Some("robots");
    check(folder, &url("/private/never-met"), "refused", robots, std::slice::from_ref(&now));
    let unknown = why(folder, &url("/page/deeper/never"));
    assert_eq!(unknown["state"], "unknown", "{unknown:#}");
    let advice = unknown["advice"].as_str().expect("advice");
    assert!(advice.contains("allowed") && advice.contains(&url("/")), "{advice}");
    check(folder, "mailto:a@b.test", "refused", Some("not-http"), &[]);
    check(folder, "no url", "refused", Some("bad-url"), &[]);
}

#[test]
fn why_names_the_clock_that_holds_a_url() {
    let check_held = |robots: &'static str, page: &'static str, words: &[&str], by: &str| {
        let server = RawServer::start(move |target| {
            let answer = if target == "/robots.txt" { robots } else { page };
            answer.replace('|', "\r\n").into_bytes()
        });
        let folder = tempfile::tempdir().expect("a folder");
        let run = crawl(folder.path(), &[&[&*server.url("/")], words].concat());
        assert!(matches!(run.code, Some(0 | 3)), "{}", run.stderr);
        let told = why(folder.path(), &server.url("/"));
        assert_eq!(told["state"], "queued", "{told:#}");
        assert_eq!(told["held_by"], by, "{told:#}");
        assert!(told["held_until"].is_string(), "{told:#}");
        assert_eq!(told["queue_position"], 0, "{told:#}");
    };
    let none = "HTTP/1.1 404 No|Content-Length: 0|Connection: close||";
    let quiet = "HTTP/1.1 503 No|Retry-After: 3600|Content-Length: 0|Connection: close||";
    check_held(none, none, &["--delay", "10m"], "site");
    check_held(none, quiet, &["--delay", "0s"], "backoff");
    let broken = "HTTP/1.1 500 No|Content-Length: 0|Connection: close||";
    check_held(broken, none, &["--delay", "0s", "--tries", "1"], "robots");
}

#[test]
fn why_names_an_address_that_other_sites_share() {
    let servers = [site(), site()];
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = [servers[0].url("/"), servers[1].url("/")];
    let words = [&*seeds[0], &*seeds[1], "--delay", "0s", "--ip-delay", "10m"];
    let mut crawl = command(folder.path());
    crawl.args(["crawl", "-o", "crawl", "--allow-private"]).args(words);
    let run = finish(crawl, "");
    assert!(matches!(run.code, Some(0 | 3)), "{}", run.stderr);
    let told = seeds.each_ref().map(|seed| why(folder.path(), seed));
    let held = told.iter().filter(|told| told["held_by"] == "address").count();
    assert!(held >= 1, "{told:#?}");
    assert!(told.iter().all(|told| told["state"] == "queued"), "{told:#?}");
}

#[test]
fn why_names_a_budget_and_a_block() {
    let server = site();
    let host = server.url("").trim_start_matches("http://").to_owned();
    for (rule, state, reason, held) in [
        ("budget = 1", "queued", None, Value::from("budget")),
        ("block = true", "refused", Some("blocked"), Value::Null),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let rules = format!("[site.\"{host}\"]\n{rule}\n");
        std::fs::write(folder.path().join("rules.toml"), rules).expect("written");
        let words = [&*server.url("/"), "--delay", "0s", "--config", "rules.toml"];
        let run = crawl(folder.path(), &words);
        assert!(matches!(run.code, Some(0 | 3)), "{}", run.stderr);
        let told = why(folder.path(), &server.url("/"));
        assert_eq!(told["state"], state, "{told:#}");
        assert_eq!(told["held_by"], held, "{told:#}");
        if reason.is_some() {
            assert_eq!(told["reason"].as_str(), reason, "{told:#}");
        }
    }
}

#[test]
fn why_of_a_folder_without_a_crawl_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut why = command(folder.path());
    why.args(["why", "crawl", "http://a.test/"]);
    let run = finish(why, "");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("rhumb crawl -o DIR"), "{}", run.stderr);
}
