//! Corners in which crawlers are impolite, endless or wrong about how they ended.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, collect, command, finish};

fn crawl(folder: &Path, url: &str, flags: &[&str]) -> Run {
    let mut crawl = command(folder);
    crawl.args(["crawl", url, "-o", "crawl", "--json", "--allow-private"]);
    crawl.args(["--delay", "0s", "--ip-delay", "0s", "--tries", "1"]).args(flags);
    finish(crawl, "")
}

const HOME: &str = "<a href=/private>p</a> <a href=/open>o</a>";

#[test]
fn a_robots_txt_that_came_in_part_closes_the_site() {
    let torn: [&[u8]; 3] = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nUser-agent: *\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nd\r\nUser-agent: *\r\nxyz",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 14\r\n\r\nUser-agent: *\n",
    ];
    for robots in torn {
        let server = RawServer::start(move |target| match target {
            "/robots.txt" => robots.to_vec(),
            _ => ok("text/html", HOME),
        });
        let folder = tempfile::tempdir().expect("a folder");
        let run = crawl(folder.path(), &server.url("/"), &[]);
        assert_eq!(run.code, Some(3), "{}", run.stderr);
        assert_eq!(server.asked(), ["/robots.txt"]);
    }
}

#[test]
fn a_line_torn_by_the_limit_of_robots_txt_is_no_rule() {
    let head = "User-agent: *\nDisallow: /private\n";
    let filler = "#\n".repeat((512_000 - head.len()) / 2 - 6);
    let mut robots = format!("{head}{filler}");
    robots.push_str(&"#".repeat(512_000 - robots.len() - "\nDisallow: /".len()));
    robots.push_str("\nDisallow: /only-this\n");
    let server = RawServer::start(move |target| match target {
        "/robots.txt" => ok("text/plain", &robots),
        _ => ok("text/html", HOME),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &server.url("/"), &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(server.asked(), ["/robots.txt", "/", "/open"]);
}

#[test]
fn sitemaps_that_list_sitemaps_for_ever_end_by_themselves() {
    let address = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let base = std::sync::Arc::clone(&address);
    let server = RawServer::start(move |target| {
        let base = base.get().expect("it is set before the crawl");
        match target {
            "/robots.txt" => ok("text/plain", &format!("Sitemap: {base}/s")),
            "/" => ok("text/html", HOME),
            nested if nested.starts_with("/s") => {
                let children = ["a", "b", "c"];
                let entry = |c| format!("<sitemap><loc>{base}{nested}{c}</loc></sitemap>");
                let list: Vec<String> = children.map(entry).into();
                ok("text/xml", &format!("<sitemapindex>{}</sitemapindex>", list.concat()))
            }
            _ => missing(),
        }
    });
    address.set(server.url("")).expect("once");
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &server.url("/"), &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let sitemaps = server.asked().iter().filter(|target| target.starts_with("/s")).count();
    assert_eq!(sitemaps, 1 + 3 + 9);
    assert_eq!(run.summary()["refused"]["too-deep"], 27);
}

#[test]
fn a_limit_of_time_is_the_end_even_beside_a_server_that_says_nothing() {
    let server = RawServer::start(|target| match target {
        "/robots.txt" => missing(),
        _ => Vec::new(),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &server.url("/"), &["--max-time", "1s"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let elapsed = run.summary()["elapsed_ms"].as_u64().expect("a time");
    // Far below the sixty seconds for which a fetch may last.
    assert!(elapsed < 30_000, "{elapsed} ms");
}

#[test]
fn a_seed_that_only_redirects_to_a_closed_site_is_nothing() {
    let closed = RawServer::start(|target| match target {
        "/robots.txt" => ok("text/plain", "User-agent: *\nDisallow: /"),
        _ => ok("text/html", HOME),
    });
    let there = closed.url("/");
    let moved = format!("HTTP/1.1 301 Go\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n");
    let server = RawServer::start(move |target| {
        if target == "/robots.txt" { missing() } else { moved.clone().into_bytes() }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &server.url("/"), &[]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert_eq!(closed.asked(), ["/robots.txt"]);
}

#[test]
fn a_seed_list_of_dead_hosts_ends() {
    let seeds: Vec<String> = (1..=60).map(|n| format!("http://127.77.0.{n}:9/\n")).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let mut crawl = command(folder.path());
    crawl.args(["crawl", "-", "-o", "crawl", "--allow-private", "--contact", "a@example.test"]);
    crawl.args(["--tries", "1", "-q"]);
    let run = finish(crawl, &seeds.concat());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
}

#[test]
fn a_reader_that_comes_late_is_told_everything() {
    let links: Vec<String> = (0..30_000).map(|n| format!("<a href=//o{n}.test/>o</a>")).collect();
    let page = links.concat();
    let server = RawServer::start(move |target| match target {
        "/robots.txt" => missing(),
        _ => ok("text/html", &page),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let mut crawl = command(folder.path());
    crawl.args(["crawl", &server.url("/"), "-o", "crawl", "--json", "--allow-private", "-q"]);
    let mut child = crawl.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    // Its output fills the pipe; nobody reads until well after the time for fetches under way.
    // The time is what is promised about, and it cannot be shortened by a setting.
    let (_nobody, silence) = std::sync::mpsc::channel::<()>();
    assert!(silence.recv_timeout(Duration::from_secs(7)).is_err());
    assert!(child.try_wait().expect("it can be asked").is_none(), "it waits for its reader");
    let run = collect(child);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let refused = run.json().iter().filter(|event| event["event"] == "refused").count();
    assert_eq!(refused, 30_000);
    assert_eq!(run.summary()["refused"]["out-of-scope"], 30_000);
}
