//! What is looked at: a little site, and the real program that serves a crawl of it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::raw::{RawServer, missing, ok};
use crate::run::{command, finish};

/// Pages of the little site that have the word.
pub(crate) const PAGES: usize = 25;
/// The word that all of them have.
pub(crate) const WORD: &str = "lighthouse";
/// The program says where it serves within this time.
const PATIENCE: Duration = Duration::from_mins(1);

/// Other words of them.
const WORDS: [&str; 40] = [
    "anchor", "bay", "beacon", "boat", "bridge", "buoy", "cape", "captain", "chart", "cliff",
    "coast", "compass", "current", "deck", "dock", "ferry", "fisher", "fog", "gull", "harbour",
    "island", "keel", "knot", "lantern", "map", "mast", "moon", "net", "oar", "pier", "pilot",
    "port", "reef", "rope", "sail", "shore", "storm", "tide", "wave", "wharf",
];

pub(crate) fn html(body: &str) -> Vec<u8> {
    ok("text/html; charset=utf-8", body)
}

/// Words that no other page has in this order, so that none is taken for a copy of another.
fn prose(number: usize) -> String {
    let mut chance = number * 7_919 + 17;
    let mut word = || {
        chance = (chance * 1_103_515_245 + 12_345) & 0x7fff_ffff;
        WORDS[(chance >> 8) % WORDS.len()]
    };
    let mut sentence =
        || format!("The {} and the {} of a {} by the {}.", word(), word(), word(), word());
    std::iter::repeat_with(&mut sentence).take(20).collect::<Vec<_>>().join(" ")
}

/// A site of pages that have a word; one further page is linked from nowhere.
pub(crate) fn little_site() -> RawServer {
    RawServer::start(|target| {
        if let Some(number) = target.strip_prefix("/n/").and_then(|number| number.parse().ok()) {
            let words = prose(number);
            return html(&format!(
                "<html lang=en><title>Page {number} of the coast</title><h1>Page {number}</h1>\
                 <p>A {WORD} with the number {number}. {words}</p><a href=/>All of them</a>"
            ));
        }
        match target {
            "/" => {
                let link = |n| format!("<li><a href=/n/{n}>Light {n}</a>");
                let links: String = (1..=PAGES).map(link).collect();
                html(&format!("<html lang=en><title>The coast</title><ul>{links}</ul>"))
            }
            "/island" => html(
                "<html lang=en><title>An island far out</title><p>Nobody links to zanzibar, and \
                 yet it is there, with spices, a market and an old fort at the sea.</p>",
            ),
            _ => missing(),
        }
    })
}

/// A crawl of these seeds to its end, in `folder/crawl`, with its index.
pub(crate) fn crawl(folder: &Path, seeds: &[&str]) {
    let mut crawl = command(folder);
    crawl.arg("crawl").args(seeds).args(["-o", "crawl", "--index", "--quiet", "--allow-private"]);
    crawl.args(["--delay", "0s", "--ip-delay", "0s"]);
    let run = finish(crawl, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

/// The program while it serves; it ends when this is dropped.
pub(crate) struct Serving {
    child: Child,
    base: String,
}

impl Serving {
    /// `rhumb serve` of the crawl in `folder/crawl`.
    pub(crate) fn at_rest(folder: &Path) -> Self {
        Self::start(folder, &["serve", "crawl", "--listen", "127.0.0.1:0"])
    }

    /// A crawl of these seeds in `folder/crawl` that serves itself, ten requests a second and site.
    pub(crate) fn running(folder: &Path, seeds: &[String]) -> Self {
        let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
        let words = ["-o", "crawl", "--index", "--serve=127.0.0.1:0", "--allow-private"];
        let pace = ["--delay", "100ms", "--ip-delay", "0s"];
        Self::start(folder, &[&["crawl"], &*seeds, &words, &pace].concat())
    }

    fn start(folder: &Path, words: &[&str]) -> Self {
        let mut command = command(folder);
        command.args(words).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let stderr = BufReader::new(child.stderr.take().expect("it was piped"));
        let (sender, told) = mpsc::channel();
        drop(std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                // Read to the end, listened to or not: a full pipe would hold the program.
                drop(sender.send(line));
            }
        }));
        let mut serving = Self { child, base: String::new() };
        let mut before = Vec::new();
        while let Ok(line) = told.recv_timeout(PATIENCE) {
            if let Some((_, url)) = line.split_once("serving: ") {
                url.trim_end_matches('/').clone_into(&mut serving.base);
                return serving;
            }
            before.push(line);
        }
        assert!(!serving.base.is_empty(), "it does not serve: {before:?}");
        serving
    }

    /// Its address, without a path.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A value of a query string.
pub(crate) fn quoted(text: &str) -> String {
    let byte = |b: u8| match b {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' => char::from(b).to_string(),
        _ => format!("%{b:02X}"),
    };
    text.bytes().map(byte).collect()
}
