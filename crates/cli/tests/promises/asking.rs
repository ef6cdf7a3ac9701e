//! `rhumb why`: right for every state of a URL, on a stopped crawl and on a running one.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rhumb_testweb::truth::{Kind, PageId, Web};
use rhumb_testweb::{Served, Spec};
use serde_json::Value;

use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, collect, command, crawl_command, finish};

/// Every key of the contract, and those beyond it.
const KEYS: [&str; 23] = [
    "advice",
    "canonical",
    "changes",
    "depth",
    "document",
    "duplicate_of",
    "found_on",
    "held_by",
    "held_until",
    "judged_now",
    "likeness",
    "mark",
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

/// What takes longer fails the test.
const PATIENCE: Duration = Duration::from_mins(1);
/// URLs that are asked about, of those that ended in the same way.
const OF_A_KIND_MAX: usize = 40;

/// A crawl under way; it ends with the test.
struct Going(Child);

impl Drop for Going {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn why_tells_of_a_running_crawl_what_it_does_at_this_moment() {
    let (sender, asked) = mpsc::channel();
    let links = (0..9).map(|n| format!("/{n}"));
    let links = links.chain(["/private/x", "http://elsewhere.test/"].map(str::to_owned));
    let links = links.map(|link| format!("<a href='{link}'>x</a>")).collect::<Vec<_>>().concat();
    // Whatever is asked for behind the first page is never answered.
    let server = RawServer::start(move |target| match target {
        "/robots.txt" => ok("text/plain", "User-agent: *\nDisallow: /private\n"),
        "/" => ok("text/html", &links),
        target => {
            // The test may be over.
            drop(sender.send(target.to_owned()));
            Vec::new()
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut crawl = command(folder);
    crawl.args(["crawl", "-o", "crawl", "--allow-private", "--ip-delay", "0s", "--delay", "0s"]);
    crawl.args([&*server.url("/"), "--headers-timeout", "5m", "--total-timeout", "5m"]);
    let crawl = crawl.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let _going = Going(crawl.expect("the binary starts"));
    let out = asked.recv_timeout(PATIENCE).expect("it is asked");

    let home = Value::from(server.url("/"));
    let from = ("found_on", home.clone());
    check(folder, &server.url("/"), "fetched", None, &[("depth", 0.into())]);
    let first = [("queue_position", 0.into()), ("held_by", Value::Null), from.clone()];
    check(folder, &server.url(&out), "queued", Some("it is being fetched"), &first);
    let mut positions = BTreeSet::new();
    for path in (0..9).map(|n| format!("/{n}")).filter(|path| *path != out) {
        let told = why(folder, &server.url(&path));
        assert_eq!((&told["state"], &told["held_by"]), (&"queued".into(), &"site".into()));
        assert_eq!((&told["found_on"], &told["depth"]), (&home, &1.into()), "{told:#}");
        assert!(told["next_visit"].is_string() && told["seen_at"].is_string(), "{told:#}");
        positions.insert(told["queue_position"].as_u64().expect("a position"));
    }
    assert_eq!(positions.len(), 8, "each has a place of its own: {positions:?}");
    // What robots.txt closes may have a place among them until its turn.
    assert!(positions.last() <= Some(&8), "{positions:?}");
    let robots = Some("robots");
    check(folder, &server.url("/private/x"), "refused", robots, &[]);
    check(folder, &server.url("/private/y"), "refused", robots, &[("seen_at", Value::Null)]);
    check(folder, "http://elsewhere.test/", "refused", Some("out-of-scope"), &[]);
    check(folder, &server.url("/never"), "unknown", None, &[("depth", Value::Null)]);
}

/// How a URL ended, as the events of a crawl told it: an event and a word.
type End = (String, String);

/// How each URL ended. A link that was refused says nothing of a URL that was fetched through
/// another one.
fn ends(events: &[Value]) -> BTreeMap<String, End> {
    let mut ends: BTreeMap<String, End> = BTreeMap::new();
    for event in events.iter().filter(|event| event["event"] != "summary") {
        let text = |key: &str| event[key].as_str().map(str::to_owned);
        let word = text("reason").or(text("outcome")).expect("a word");
        let url = text("url").expect("a URL");
        let is_news = event["event"] != "refused" || !ends.contains_key(&url);
        if is_news {
            ends.insert(url, (text("event").expect("an event"), word));
        }
    }
    ends
}

/// Some of every kind, spread over all.
fn sample(ends: &BTreeMap<String, End>) -> Vec<(&str, &End)> {
    let mut kinds: BTreeMap<&End, Vec<&str>> = BTreeMap::new();
    for (url, end) in ends {
        kinds.entry(end).or_default().push(url);
    }
    let mut sample = Vec::new();
    for (end, urls) in kinds {
        let step = urls.len().div_ceil(OF_A_KIND_MAX);
        sample.extend(urls.into_iter().step_by(step).map(|url| (url, end)));
    }
    sample
}

/// Whether a story is the one that the crawl told.
fn agrees(url: &str, (event, word): &End, told: &Value) -> bool {
    let (state, reason) = (told["state"].as_str().expect("a state"), told["reason"].as_str());
    let last = &told["tries"].as_array().expect("a list").last().map(|one| one["outcome"].clone());
    match (event.as_str(), word.as_str()) {
        ("fetched", "redirect") => state == "fetched" && reason == Some("redirect"),
        ("fetched", _) => {
            let is_there = last.as_ref().is_some_and(|outcome| outcome == "fetched");
            is_there && matches!(state, "fetched" | "duplicate")
        }
        // It is the link that was refused: the URL itself was never met.
        ("refused", "nofollow" | "too-many-links") => state == "unknown",
        // Why it failed is told of its site.
        ("failed", _) if url.ends_with("/robots.txt") => state == "failed",
        _ => state == event && reason == Some(word),
    }
}

/// The pages that a page leads to, by the test web's truth.
fn leads_to(web: &Web, from: PageId) -> Vec<PageId> {
    let page = web.page(from);
    let links = page.links.iter().map(|link| link.to);
    // A page names its canonical form, which is a link like others.
    links.chain([web.page(page.body_of).text_of]).collect()
}

/// Whether the story of how a page was found is true. None for what is no page of the model:
/// traps, sitemaps and robots.txt.
fn was_found_there(
    served: &Served,
    by_url: &BTreeMap<String, PageId>,
    told: &Value,
) -> Option<bool> {
    let web = served.web();
    let page = |value: &Value| by_url.get(value.as_str()?).copied();
    let target = page(&told["canonical"])?;
    let chain: Vec<Value> = told["redirected_from"].as_array().expect("a list").clone();
    let hops: Vec<PageId> = chain.iter().map(|hop| page(hop).expect("a page redirects")).collect();
    let is_hop = |pair: &[PageId]| matches!(web.page(pair[0]).kind, Kind::Redirect { to, .. } if to == pair[1]);
    let path: Vec<PageId> = hops.into_iter().chain([target]).collect();
    if !path.windows(2).all(is_hop) {
        return Some(false);
    }
    let first = path[0];
    let Some(found_on) = told["found_on"].as_str() else {
        return Some(web.seeds.contains(&first));
    };
    let is_listed = web.page(first).in_sitemap
        && found_on.starts_with(&format!("{}/sitemap", web.host_of(first).origin(served.port())));
    let is_linked =
        page(&told["found_on"]).is_some_and(|from| leads_to(web, from).contains(&first));
    Some(is_listed || is_linked)
}

/// Whether both have the same body or text, by the test web's truth, if one is told as the other's copy.
fn is_copy(served: &Served, by_url: &BTreeMap<String, PageId>, told: &Value) -> bool {
    let page = |value: &Value| Some(served.web().page(*by_url.get(value.as_str()?)?));
    let (copy, original) = (page(&told["canonical"]), page(&told["duplicate_of"]));
    let (Some(copy), Some(original)) = (copy, original) else {
        return told["duplicate_of"].is_null();
    };
    match told["likeness"].as_str() {
        Some("same") => copy.body_of == original.body_of,
        _ => served.web().page(copy.body_of).text_of == served.web().page(original.body_of).text_of,
    }
}

/// Asks about a sample of what the crawl told, and looks for what differs; returns the figures.
fn check_agreement(served: &Served, folder: &Path, events: &[Value], kinds: usize) -> String {
    let ends = ends(events);
    let sample = sample(&ends);
    let stories: BTreeMap<&str, Value> =
        sample.iter().map(|(url, _)| (*url, why(folder, url))).collect();
    let differs = |(url, end): &&(&str, &End)| !agrees(url, end, &stories[*url]);
    let differing: Vec<_> = sample.iter().filter(differs).collect();
    assert!(differing.is_empty(), "{differing:#?}, but {:#}", stories[differing[0].0]);
    let web = served.web();
    let ids = (0..web.pages.len()).map(|at| PageId(u32::try_from(at).expect("few pages")));
    let by_url = ids.map(|id| (web.url(id, served.port()), id)).collect();
    let found = stories.values().filter(|told| told["state"] != "unknown");
    let truths: Vec<_> =
        found.filter_map(|told| Some((was_found_there(served, &by_url, told)?, told))).collect();
    let wrong: Vec<_> = truths.iter().filter(|(is_true, _)| !is_true).collect();
    assert!(wrong.is_empty(), "{} of {} found elsewhere: {wrong:#?}", wrong.len(), truths.len());
    assert!(truths.iter().all(|(_, told)| is_copy(served, &by_url, told)), "{truths:#?}");
    // The same question finds lies: every page as found where the next one was.
    let is_lie = |pair: &&[(bool, &Value)]| {
        let mut lie = pair[0].1.clone();
        lie["found_on"] = pair[1].1["found_on"].clone();
        was_found_there(served, &by_url, &lie) == Some(false)
    };
    let lies = truths.windows(2).filter(is_lie).count();
    let met: BTreeSet<&End> = sample.iter().map(|(_, end)| *end).collect();
    assert!(met.len() >= kinds && truths.len() > 50, "{} of {met:?}", truths.len());
    assert!(lies > truths.len() / 4, "{lies} lies were found");
    format!(
        "asking: {} of {} URLs in {} kinds agree, {} were found where it is said, {lies} \
        lies were caught",
        sample.len(),
        ends.len(),
        met.len(),
        truths.len()
    )
}

const SWIFT: [&str; 6] = ["--delay", "0s", "--ip-delay", "0s", "--tries", "1"];

#[test]
fn why_says_of_every_url_what_the_crawl_told_of_it() {
    let served = Served::start_on_thread(&Spec::sized(81, 120, 1_200)).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let run = finish(crawl_command(&served, folder.path(), &SWIFT), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    println!("{}", check_agreement(&served, folder.path(), &run.json(), 10));
}

/// Runs until so many events were told, kills it, and returns all that it told.
fn killed(mut command: Command, events: usize) -> Vec<Value> {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it was piped")).lines();
    let mut told: Vec<String> = lines.by_ref().take(events).map_while(Result::ok).collect();
    assert_eq!(told.len(), events, "it ended before");
    child.kill().expect("it is ours");
    assert_eq!(collect(child).code, None, "a signal ended it");
    told.extend(lines.map_while(Result::ok));
    // The last line may have been under way.
    told.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn why_says_what_was_told_of_a_crawl_that_was_killed() {
    let spec = Spec { latency: Duration::from_millis(5), ..Spec::sized(82, 60, 900) };
    let served = Served::start_on_thread(&spec).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let events = killed(crawl_command(&served, folder.path(), &SWIFT), 700);
    println!("{}", check_agreement(&served, folder.path(), &events, 5));
}
