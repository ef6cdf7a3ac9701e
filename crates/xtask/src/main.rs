//! Chores of the workspace, run as `cargo x <chore>`.
//!
//! One command a chore, the same on a laptop and in CI: check, test, tidy, plants,
//! conformance, pictures, sim, fuzz, web, bench.
//! It never changes a tracked file but the pictures, never touches the crawler's own data,
//! and has no dependencies, so that it builds at once on a fresh machine.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person who typed it"
)]

mod bench;
mod check;
mod conformance;
mod fuzz;
mod greenhouse;
mod needs;
mod peers;
mod pictures;
mod plants;
mod suite;
mod texts;
mod tidy;
mod watched;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo x <chore>
  check                   format, clippy, tidy, documentation; no tests
  test [--full] [FILTER]  every test, then the plants; --full for the long sizes
  plants [NAME]           plant known bugs, or those named so, into a copy: each must turn red
  tidy                    layers, sizes, names, links
  conformance             the external suites, counted
  pictures                the live display in tmux and the pages in Chromium, into docs/pictures
  sim [ARGS...]           simulate crawls in virtual time: --seed N, --seeds N, --fetches N; --crashes
  fuzz [TARGET] [--minutes N]
                          let libFuzzer look for inputs that break a parser, N minutes a target
  web [ARGS...]           serve the test web on loopback
  bench [ARGS...]         measure, in a release build: crawl (where nothing is named), scaling,
                          seen, backlog, discover, why, asked, text
                          --against wget2,scrapy,spider installs these and crawls with them too";

/// What a chore ends with: nothing more to say, or what went wrong.
type Ended = Result<(), String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["check"] => check::run(),
        ["test", rest @ ..] => match suite::Choice::parse(rest) {
            Some(choice) => suite::run(&choice),
            None => return usage(),
        },
        ["plants"] => greenhouse::run(None, true),
        ["plants", name] if !name.starts_with('-') => greenhouse::run(Some(name), true),
        ["tidy"] => tidy::run(),
        ["conformance"] => conformance::run(),
        ["pictures"] => pictures::run(),
        ["sim", rest @ ..] => program("rhumb-simulate", "sim", rest),
        ["fuzz", rest @ ..] => match fuzz::Choice::parse(rest) {
            Some(choice) => fuzz::run(&choice),
            None => return usage(),
        },
        ["web", rest @ ..] => program("rhumb-testweb", "testweb", rest),
        ["bench", rest @ ..] => bench::run(rest),
        _ => return usage(),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

/// Builds and runs a program that stands beside the crawler.
fn program(package: &str, name: &str, rest: &[&str]) -> Ended {
    let mut command = workspace::cargo();
    command.args(["run", "--quiet", "--locked", "-p", package, "--bin", name, "--"]).args(rest);
    let status = command.status().map_err(|e| format!("cannot start cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} ended with {status}")) }
}
