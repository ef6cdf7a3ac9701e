//! `cargo x test`: every test of the workspace, timed, then the plants.

mod binaries;
mod tally;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use self::binaries::Binary;
use self::tally::Tally;
use crate::needs::{self, Supplies};
use crate::watched::{self, Watched};
use crate::{Ended, conformance, greenhouse, workspace};

/// A test program that takes longer hangs: the whole suite is meant to take minutes.
const PATIENCE: Duration = Duration::from_mins(15);
/// The same for the long sizes.
const PATIENCE_FULL: Duration = Duration::from_hours(1);

/// Which tests to run.
pub(crate) struct Choice {
    full: bool,
    filter: Option<String>,
}

impl Choice {
    /// Reads `[--full] [FILTER]`.
    pub(crate) fn parse(words: &[&str]) -> Option<Self> {
        let mut choice = Self { full: false, filter: None };
        for word in words {
            match *word {
                "--full" if !choice.full => choice.full = true,
                word if word.starts_with('-') || choice.filter.is_some() => return None,
                word => choice.filter = Some(word.to_owned()),
            }
        }
        Some(choice)
    }

    fn patience(&self) -> Duration {
        if self.full { PATIENCE_FULL } else { PATIENCE }
    }
}

/// Runs the tests chosen; where all were, the plants too.
pub(crate) fn run(choice: &Choice) -> Ended {
    let mut supplies = needs::supply(choice.full);
    let binaries = binaries::build()?;
    let logs = workspace::target().join("x/test");
    let mut tally = Tally::default();
    for binary in &binaries {
        let log = logs.join(format!("{}-{}.log", binary.room, binary.target));
        let done = watched::run(&mut command(binary, choice, &supplies), &log, choice.patience())?;
        println!("{} {}", binary.room, binary.target);
        take(&mut tally, &mut supplies, &binary.room, &done, &log);
    }
    let mut doctests = workspace::cargo();
    doctests.args(["test", "--doc", "--workspace", "--locked", "--no-fail-fast"]);
    if let Some(filter) = &choice.filter {
        doctests.arg(filter);
    }
    let log = logs.join("doctests.log");
    println!("doctests");
    let done = watched::run(&mut doctests, &log, choice.patience())?;
    take(&mut tally, &mut supplies, "doctest", &done, &log);

    let (passed, failed) = (tally.passed, tally.failed);
    println!("\nslowest:");
    for line in tally.slowest().iter().chain(&supplies.left_out) {
        println!("{line}");
    }
    println!("\n{passed} passed, {failed} failed");
    if failed > 0 {
        return Err(format!("{failed} failed; whole logs are in {}", logs.display()));
    }
    if choice.filter.is_none() { greenhouse::run(None, choice.full) } else { Ok(()) }
}

fn command(binary: &Binary, choice: &Choice, supplies: &Supplies) -> Command {
    let mut command = workspace::command(&binary.program.to_string_lossy());
    command
        .current_dir(&binary.folder)
        .env("CARGO_MANIFEST_DIR", &binary.folder)
        .env("CARGO_PKG_NAME", format!("rhumb-{}", binary.room))
        .env("PATH", &supplies.path)
        .env("RHUMB_WITHOUT", &supplies.without)
        .envs(supplies.python.as_ref().map(|python| ("RHUMB_PYTHON", python)))
        // libtest tells the time of a test only to those who ask for what is not stable yet.
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["-Z", "unstable-options", "--report-time", "--show-output"])
        .args(&choice.filter);
    if choice.full {
        command.env("RHUMB_FULL", "1");
    }
    command
}

/// Counts what one program did and prints what a reader needs of it.
fn take(tally: &mut Tally, supplies: &mut Supplies, room: &str, done: &Watched, log: &Path) {
    let failed_before = tally.failed;
    for line in tally.read(room, &done.log) {
        println!("{line}");
    }
    for line in done.log.lines().filter_map(conformance::told) {
        if line.starts_with("skipped: ") {
            supplies.left_out.push(format!("{room} {line}"));
        } else {
            println!("{line}");
        }
    }
    for stray in &done.strays {
        println!("left running, now stopped: {stray}");
        tally.failed += 1;
    }
    if done.timed_out {
        println!("stopped: it did not end in time");
    }
    if !done.success && tally.failed == failed_before {
        tally.failed += 1;
    }
    if !done.success {
        println!("{}", tally::failures(&done.log));
        println!("whole log: {}", log.display());
    }
}

#[cfg(test)]
mod tests {
    use super::Choice;

    #[test]
    fn full_and_one_filter_may_be_given_and_nothing_else() {
        let check = |words: &[&str], expect| {
            let choice = Choice::parse(words).map(|c| (c.full, c.filter.unwrap_or_default()));
            assert_eq!(choice, expect, "{words:?}");
        };
        check(&[], Some((false, String::new())));
        check(&["--full"], Some((true, String::new())));
        check(&["robots", "--full"], Some((true, "robots".to_owned())));
        check(&["--fast"], None);
        check(&["a", "b"], None);
    }
}
