//! `cargo x fuzz`: libFuzzer looks for inputs that break a property of a parser.
//!
//! A package of its own, since its build is instrumented. What libFuzzer needs of the compiler the
//! stable toolchain has; its own code is in C++, so a compiler for that must be there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Ended, workspace};

/// How long each target is fuzzed where nothing is said.
const MINUTES: u64 = 1;
/// Inputs as long as those of the corpora, and twice that.
const INPUT_BYTES_MAX: usize = 8 * 1024;
/// An input that takes longer shows that something is not linear.
const INPUT_SECONDS_MAX: u64 = 10;
const MEMORY_MB_MAX: u64 = 2_048;
/// The coverage that libFuzzer steers by, in the words of LLVM.
const COVERAGE: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];

/// What to fuzz, and for how long.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    target: Option<String>,
    minutes: u64,
}

impl Choice {
    /// Reads `[TARGET] [--minutes N]`.
    pub(crate) fn parse(words: &[&str]) -> Option<Self> {
        let (target, rest) = match words {
            [target, rest @ ..] if !target.starts_with('-') => (Some((*target).to_owned()), rest),
            rest => (None, rest),
        };
        let minutes = match rest {
            [] => MINUTES,
            ["--minutes", minutes] => minutes.parse().ok().filter(|minutes| *minutes > 0)?,
            _ => return None,
        };
        Some(Self { target, minutes })
    }
}

/// Fuzzes one target after another, all of them unless one is named.
pub(crate) fn run(choice: &Choice) -> Ended {
    let corpora = workspace::root().join("crates/fuzz/corpus");
    let names = targets(&corpora)?;
    let chosen: Vec<&String> = match &choice.target {
        Some(name) => names.iter().filter(|known| *known == name).collect(),
        None => names.iter().collect(),
    };
    if chosen.is_empty() {
        return Err(format!("there is no such target; there are {}", names.join(", ")));
    }
    println!("building fuzz/ with the coverage that libFuzzer steers by");
    let program = build()?;
    let mut broken = Vec::new();
    for name in chosen {
        println!("{name}: {} min", choice.minutes);
        if !fuzz(&program, &corpora, name, choice.minutes)? {
            broken.push(name.as_str());
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    let findings = findings();
    Err(format!("{} broke; the inputs are in {}", broken.join(", "), findings.display()))
}

fn targets(corpora: &Path) -> Result<Vec<String>, String> {
    let failed = |e| format!("cannot list {}: {e}", corpora.display());
    let mut names = Vec::new();
    for folder in fs::read_dir(corpora).map_err(failed)? {
        names.push(folder.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn folder() -> PathBuf {
    workspace::target().join("fuzz")
}

fn findings() -> PathBuf {
    folder().join("findings")
}

fn build() -> Result<PathBuf, String> {
    let host = host()?;
    let folder = folder();
    let mut command = workspace::cargo();
    command.args([
        "build",
        "--release",
        "--quiet",
        "--locked",
        "--manifest-path",
        "fuzz/Cargo.toml",
    ]);
    // Named, so that build scripts and macros are built without the flags.
    command.args(["--target", &host, "--target-dir"]).arg(&folder);
    command.env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\x1f"));
    let status = command.status().map_err(|e| format!("cannot start cargo: {e}"))?;
    if !status.success() {
        return Err(format!("the build of fuzz/ ended with {status}"));
    }
    Ok(folder.join(host).join("release/rhumb-libfuzzer"))
}

/// The machine that the compiler builds for.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.map_err(|e| format!("cannot start rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say what it builds for".to_owned())
}

/// Says whether the property held. New inputs that reach new code are kept beside the findings,
/// never in the corpus.
fn fuzz(program: &Path, corpora: &Path, name: &str, minutes: u64) -> Result<bool, String> {
    let grown = folder().join("grown").join(name);
    for made in [&grown, &findings()] {
        fs::create_dir_all(made).map_err(|e| format!("cannot make {}: {e}", made.display()))?;
    }
    let mut command = Command::new(program);
    command.env("RHUMB_FUZZ", name).arg(&grown).arg(corpora.join(name));
    command.arg(format!("-max_total_time={}", minutes * 60));
    command.arg(format!("-max_len={INPUT_BYTES_MAX}"));
    command.arg(format!("-timeout={INPUT_SECONDS_MAX}"));
    command.arg(format!("-rss_limit_mb={MEMORY_MB_MAX}"));
    command.arg(format!("-artifact_prefix={}/{name}-", findings().display()));
    command.args(["-print_final_stats=1", "-verbosity=0"]);
    let status =
        command.status().map_err(|e| format!("cannot start {}: {e}", program.display()))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::Choice;

    #[test]
    fn a_target_and_minutes_can_be_named() {
        let choice = |target: Option<&str>, minutes| {
            Some(Choice { target: target.map(str::to_owned), minutes })
        };
        assert_eq!(Choice::parse(&[]), choice(None, 1));
        assert_eq!(Choice::parse(&["url"]), choice(Some("url"), 1));
        assert_eq!(Choice::parse(&["url", "--minutes", "10"]), choice(Some("url"), 10));
        assert_eq!(Choice::parse(&["--minutes", "0"]), None);
        assert_eq!(Choice::parse(&["url", "html"]), None);
    }
}
