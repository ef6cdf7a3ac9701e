//! Words that only some rooms may say.

use super::Finding;
use super::code::{code, product};

/// Which part of the Rust files a rule looks at.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Everything, tests too.
    All,
    /// What ships.
    Product,
}

struct Rule {
    words: &'static [&'static str],
    /// Whether a file is under this rule.
    applies: fn(&str) -> bool,
    part: Part,
    advice: &'static str,
}

const RULES: [Rule; 7] = [
    Rule {
        words: &["hyper::client", "client::conn", "TcpStream", "UdpSocket"],
        applies: |path| !in_rooms(path, &["fetch", "testweb", "xtask"]),
        part: Part::Product,
        advice: "only fetch talks to the web, ask it",
    },
    Rule {
        words: &["tokio::net"],
        applies: |path| {
            !in_rooms(path, &["fetch", "serve", "testweb", "xtask"])
                && !path.starts_with("crates/crawl/src/control")
        },
        part: Part::Product,
        advice: "only fetch goes out, only serve and control listen",
    },
    Rule {
        words: &["axum"],
        applies: |path| !in_rooms(path, &["serve", "xtask"]),
        part: Part::All,
        advice: "only serve knows axum, move it there",
    },
    Rule {
        words: &["std::env", "env::"],
        applies: |path| !in_rooms(path, &["cli", "xtask"]) && !is_program(path),
        part: Part::Product,
        advice: "only cli knows the environment, take the value as an argument",
    },
    Rule {
        words: &["Instant::now", "SystemTime::now"],
        applies: is_pure,
        part: Part::All,
        advice: "take `now: Tick` as an argument",
    },
    Rule {
        words: &["thread_rng", "rand::random", "rand::rng", "thread::sleep"],
        applies: is_pure,
        part: Part::All,
        advice: "take a seed or a moment as an argument",
    },
    Rule {
        words: &["#[ignore", "todo!(", "unimplemented!(", "dbg!(", "unbounded_channel"],
        applies: |_| true,
        part: Part::All,
        advice: "finish it, remove it, or give it a named maximum",
    },
];

/// Programs beside the crawler, which take arguments of their own.
fn is_program(path: &str) -> bool {
    in_rooms(path, &["testweb", "simulate"]) && path.contains("/src/bin/")
}

fn in_rooms(path: &str, rooms: &[&str]) -> bool {
    room(path).is_some_and(|room| rooms.contains(&room))
}

/// The crate that a file belongs to.
pub(super) fn room(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.split('/').next()
}

/// Time and chance are arguments here.
fn is_pure(path: &str) -> bool {
    in_rooms(path, &["web", "rules", "page", "frontier", "seen", "rank"])
        || path.starts_with("crates/crawl/src/partition")
        || (in_rooms(path, &["simulate"]) && !is_program(path))
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs") || path.contains("/benches/")
}

/// Findings in one Rust file.
pub(super) fn check(path: &str, text: &str) -> Vec<Finding> {
    let all = code(text);
    let shipped = if is_test(path) { String::new() } else { product(&all) };
    let mut findings = Vec::new();
    for rule in RULES.iter().filter(|rule| (rule.applies)(path)) {
        let part = if rule.part == Part::All { &all } else { &shipped };
        for (line, text) in part.lines().enumerate() {
            if let Some(word) = rule.words.iter().find(|word| says(text, word)) {
                findings.push(Finding::new(path, line + 1, format!("`{word}`: {}", rule.advice)));
            }
        }
    }
    findings
}

/// Whether a line has the word, not merely as a part of a longer name.
fn says(line: &str, word: &str) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        let open_start = joins(word.chars().next()) && joins(before.chars().next_back());
        let open_end = joins(word.chars().next_back()) && joins(after.chars().next());
        !open_start && !open_end
    })
}
