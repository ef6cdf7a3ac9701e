//! `cargo x check`: all that is judged without running a test.

use std::time::Instant;

use crate::{Ended, tidy, workspace};

/// A step's name, its cargo arguments, and a variable that it needs.
type Step = (&'static str, &'static [&'static str], Option<(&'static str, &'static str)>);

const FORMAT: Step = ("format", &["fmt", "--all", "--check"], None);
const CLIPPY: Step = (
    "clippy",
    &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
    None,
);
const DOCUMENTS: Step = (
    "documentation",
    &["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"],
    Some(("RUSTDOCFLAGS", "-D warnings")),
);

/// Runs the steps, cheapest first, and stops at the first that fails.
pub(crate) fn run() -> Ended {
    timed("format", || cargo(&FORMAT))?;
    timed("tidy", tidy::run)?;
    timed("clippy", || cargo(&CLIPPY))?;
    timed("documentation", || cargo(&DOCUMENTS))
}

fn timed(name: &str, step: impl FnOnce() -> Ended) -> Ended {
    let start = Instant::now();
    step()?;
    println!("{name}: ok, {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn cargo((name, arguments, variable): &Step) -> Ended {
    let mut command = workspace::cargo();
    command.args(*arguments).envs(*variable);
    let status = command.status().map_err(|e| format!("cannot start cargo: {e}"))?;
    if status.success() {
        return Ok(());
    }
    let variable = variable.map_or_else(String::new, |(name, value)| format!("{name}='{value}' "));
    Err(format!("{name} failed\n  try: {variable}cargo {}", arguments.join(" ")))
}
