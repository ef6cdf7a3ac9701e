//! The benchmarks: a package of its own, since it needs what ours is measured against.

use std::env;

use crate::{Ended, peers, texts, workspace};

/// What is measured where nothing is named.
const DEFAULT: &str = "crawl";
/// These run the program itself.
const WITH_RHUMB: [&str; 8] =
    ["why", "asked", "crawl", "scaling", "ranking", "index", "served", "growth"];
/// Where manuals are made; `bench/src/search` looks there.
const MANUALS: &str = "target/search";
/// What a measured crawl is completed by: the server's ceiling, and a check of the archive.
const BESIDE: [&str; 2] = ["wrk", "warcio"];

/// Builds and runs them; for `crawl`, installs what the crawl is compared with.
pub(crate) fn run(rest: &[&str]) -> Ended {
    let words = named(rest);
    // Who names a program has built it.
    if WITH_RHUMB.contains(&words[0]) && env::var_os("RHUMB").is_none() {
        cargo(
            "the build of rhumb",
            &["build", "--release", "--locked", "--quiet"],
            &["-p", "rhumb-cli"],
        )?;
    }
    if words[0] == DEFAULT {
        for name in BESIDE {
            if let Err(why) = peers::install(&[name]) {
                eprintln!("left out: {why}");
            }
        }
        peers::install(&against(&words))?;
    }
    if words[0] == "text" {
        texts::make()?;
    }
    if words[0] == "ranking" {
        manuals()?;
    }
    let place = ["--manifest-path", "bench/Cargo.toml", "--target-dir", "target/bench", "--"];
    let words = [&place[..], &words[..]].concat();
    cargo("the benchmark", &["run", "--release", "--quiet", "--locked"], &words)
}

/// Makes the manuals that rankings are judged on, with their queries.
fn manuals() -> Ended {
    let made = workspace::command("python3").args(["bench/search/make.py", MANUALS]).status();
    let made = made.map_err(|e| format!("cannot start python3: {e}"))?;
    if made.success() { Ok(()) } else { Err(format!("bench/search/make.py ended with {made}")) }
}

fn cargo(what: &str, first: &[&str], then: &[&str]) -> Ended {
    let mut command = workspace::cargo();
    let status = command.args(first).args(then).status();
    let status = status.map_err(|e| format!("cannot start cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{what} ended with {status}")) }
}

/// The words with the benchmark's name first.
fn named<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    let is_named = rest.first().is_some_and(|word| !word.starts_with('-'));
    if is_named { rest.to_vec() } else { [&[DEFAULT], rest].concat() }
}

/// The peers after `--against`.
fn against<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let lists = words.windows(2).filter(|pair| pair[0] == "--against");
    lists.flat_map(|pair| pair[1].split(',')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_name_crawls_are_measured() {
        assert_eq!(named(&[]), ["crawl"]);
        assert_eq!(named(&["--gzip"]), ["crawl", "--gzip"]);
        assert_eq!(named(&["seen", "--candidates", "9"]), ["seen", "--candidates", "9"]);
    }

    #[test]
    fn peers_are_those_after_against() {
        assert_eq!(against(&["crawl", "--gzip", "--against", "wget2,spider"]), ["wget2", "spider"]);
        assert_eq!(against(&["crawl", "--against"]), Vec::<&str>::new());
    }
}
