//! Who we say we are, as a server hears it, and which robots.txt group we take as ours.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};

use crate::run::{Run, command, finish};

/// What one request said: its target, and its headers as written.
struct Heard {
    target: String,
    headers: Vec<String>,
}

impl Heard {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

const ROBOTS: &str = "User-agent: *\nDisallow: /for-others\n\nUser-agent: my-bot\n\
                      Disallow: /for-my-bot\n\nUser-agent: rhumb\nDisallow: /for-rhumb\n";
const PAGE: &str = "<a href=/for-others>1</a> <a href=/for-my-bot>2</a> <a href=/for-rhumb>3</a>";

/// A server that tells every request; its thread ends with the test's process.
fn listen() -> (String, Receiver<Heard>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let origin = format!("http://{}", listener.local_addr().expect("bound"));
    let (sender, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if let Some(request) = answer(&stream) {
                drop(sender.send(request));
            }
        }
    });
    (origin, heard)
}

/// Reads one request and answers it; the connection ends with the answer.
fn answer(mut stream: &TcpStream) -> Option<Heard> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let target = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers = lines.take_while(|line| !line.is_empty()).collect();
    let (kind, body) = match target.as_str() {
        "/robots.txt" => ("text/plain", ROBOTS),
        _ => ("text/html", PAGE),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all((head + body).as_bytes()).ok()?;
    Some(Heard { target, headers })
}

fn crawl(origin: &str, flags: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let mut crawl = command(folder.path());
    crawl.args(["crawl", origin, "-o", "crawl", "--allow-private"]);
    crawl.args(["--delay", "0s", "--ip-delay", "0s"]).args(flags);
    finish(crawl, "")
}

#[track_caller]
fn check(flags: &[&str], agent: &str, from: Option<&str>, closed: &str) {
    let (origin, heard) = listen();
    let run = crawl(&origin, flags);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let heard: Vec<Heard> = heard.try_iter().collect();
    for request in &heard {
        assert_eq!(request.header("user-agent"), Some(agent), "{}", request.target);
        assert_eq!(request.header("from"), from, "{}", request.target);
    }
    let mut targets: Vec<&str> = heard.iter().map(|request| request.target.as_str()).collect();
    targets.sort_unstable();
    let mut expect = vec!["/", "/for-my-bot", "/for-others", "/for-rhumb", "/robots.txt"];
    expect.retain(|target| *target != closed);
    assert_eq!(targets, expect);
}

#[test]
fn without_a_word_we_are_rhumb() {
    let agent = concat!("rhumb/", env!("CARGO_PKG_VERSION"));
    check(&[], agent, None, "/for-rhumb");
}

#[test]
fn a_mail_contact_stands_in_the_agent_and_in_the_from_header() {
    let agent = concat!("rhumb/", env!("CARGO_PKG_VERSION"), " (+a@example.org)");
    check(&["--contact", "a@example.org"], agent, Some("a@example.org"), "/for-rhumb");
}

#[test]
fn a_page_as_contact_stands_in_the_agent_alone() {
    let agent = concat!("rhumb/", env!("CARGO_PKG_VERSION"), " (+https://example.org/bot)");
    check(&["--contact", "https://example.org/bot"], agent, None, "/for-rhumb");
}

#[test]
fn the_agent_decides_which_robots_group_is_ours() {
    let flags = ["--agent", "my-bot/2.1", "--contact", "a@example.org"];
    check(&flags, "my-bot/2.1 (+a@example.org)", Some("a@example.org"), "/for-my-bot");
    let agent = concat!("other/", env!("CARGO_PKG_VERSION"));
    check(&["--agent", "other"], agent, None, "/for-others");
}
