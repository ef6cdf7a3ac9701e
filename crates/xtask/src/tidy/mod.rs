//! `cargo x tidy`: the rules of the house that no compiler holds; runs as a test too.

mod code;
mod layers;
mod places;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;

use crate::{Ended, workspace};

/// Lines of a Rust file at most; 300 are the aim.
const LINES_MAX: usize = 600;
/// Lines that open a crate: what it is for, what it never does, what it follows.
const OPENING: std::ops::RangeInclusive<usize> = 3..=12;

/// The page that gives every crate its question.
const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// Something that is not as it should be, and what to do.
#[derive(Debug)]
struct Finding {
    path: String,
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Prints every finding; an error where there is one.
pub(crate) fn run() -> Ended {
    let findings = findings_of_the_tree()?;
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        n => Err(format!("tidy failed with {n} findings\n  try: cargo x tidy")),
    }
}

fn findings_of_the_tree() -> Result<Vec<Finding>, String> {
    let root = workspace::root();
    let files = workspace::files()?;
    let mut texts = BTreeMap::new();
    for path in &files {
        let bytes = fs::read(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
        // What is no text has no lines to judge.
        if let Ok(text) = String::from_utf8(bytes) {
            texts.insert(path.clone(), text);
        }
    }
    let mut findings = Vec::new();
    for (path, text) in &texts {
        findings.extend(check(path, text, &files));
    }
    if let Some(page) = texts.get(ARCHITECTURE) {
        findings.extend(unnamed_crates(page, &files));
    }
    Ok(findings)
}

/// Findings in one file of a tree that has `files`.
fn check(path: &str, text: &str, files: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = places::paths(path, text);
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    if extension == Some("md") {
        findings.extend(places::links(path, text, files));
    }
    let Some(room) = words::room(path) else {
        return findings;
    };
    if path == format!("crates/{room}/Cargo.toml") {
        findings.extend(layers::check(path, room, text));
    }
    if extension == Some("rs") {
        findings.extend(words::check(path, text));
        findings.extend(places::name(path));
        findings.extend(too_long(path, text));
        if path == format!("crates/{room}/src/lib.rs")
            || path == format!("crates/{room}/src/main.rs")
        {
            findings.extend(opening(path, text));
        }
    }
    findings
}

fn too_long(path: &str, text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    let what = || format!("{lines} lines, {LINES_MAX} at most: split it along its nouns");
    (lines > LINES_MAX).then(|| Finding::new(path, LINES_MAX + 1, what()))
}

fn opening(path: &str, text: &str) -> Option<Finding> {
    let lines = text.lines().take_while(|line| line.starts_with("//!")).count();
    let what = || {
        let (least, most) = (OPENING.start(), OPENING.end());
        format!(
            "opens with {lines} lines of `//!`, not {least} to {most}: \
             say what the room is for and what it never does"
        )
    };
    (!OPENING.contains(&lines)).then(|| Finding::new(path, 1, what()))
}

/// A finding for each crate that the page does not name.
fn unnamed_crates(page: &str, files: &BTreeSet<String>) -> Vec<Finding> {
    let rooms = files.iter().filter(|path| path.ends_with("/Cargo.toml"));
    let unnamed = rooms.filter_map(|path| words::room(path)).filter(|room| {
        let mut words = page.split(|c: char| !c.is_alphanumeric() && c != '_');
        !words.any(|word| word == *room)
    });
    let what = |room: &str| format!("does not name the crate {room}, give it its question");
    unnamed.map(|room| Finding::new(ARCHITECTURE, 1, what(room))).collect()
}
