//! A disk that is full: a clear stop, and with more room nothing was lost.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rhumb_testweb::Spec;

use super::Trial;
use crate::run::{Run, collect, crawl_command, is_full};

/// A disk of a few hundred KB that grows each time when it was too small. It is seen by the
/// script alone, so what is kept on it is copied.
const SCRIPT: &str = r#"
kb=$1; step=$2; shift 2
mkdir crawl && mount -t tmpfs -o size=${kb}k tmpfs crawl || exit 1
run=0
while [ $run -lt 200 ]; do
    "$@" >run.$run.out 2>run.$run.err
    code=$?
    echo $code >run.$run.code
    run=$((run + 1))
    [ $code = 1 ] || break
    kb=$((kb + step))
    mount -o remount,size=${kb}k crawl || exit 1
done
cp -r crawl kept
"#;

fn text(folder: &Path, run: usize, part: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(format!("run.{run}.{part}"))).ok()
}

/// The crawl's own command, on a disk that grows by steps.
fn on_a_small_disk(trial: &Trial, kb: u32, step: u32) -> Option<Run> {
    let crawl = crawl_command(&trial.served, trial.folder.path(), &trial.flags);
    let mut script = Command::new("unshare");
    script.args(["-rm", "sh", "-c", SCRIPT, "sh", &kb.to_string(), &step.to_string()]);
    script.arg(crawl.get_program()).args(crawl.get_args());
    script.current_dir(trial.folder.path());
    for (key, value) in crawl.get_envs() {
        script.env(key, value.expect("it is set"));
    }
    script.spawn().ok().map(collect)
}

/// Crawls a web on a disk that begins with so many KB; says how often it was full.
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn fill(spec: &Spec, kb: u32, step: u32) -> Option<usize> {
    let flags = ["--delay", "5ms", "--ip-delay", "0s", "--tries", "1", "--checkpoint", "64KB"];
    let trial = Trial::new(spec, &flags, Duration::from_millis(5));
    let folder = trial.folder.path();
    let script = on_a_small_disk(&trial, kb, step)?;
    if !folder.join("run.0.code").exists() {
        return None;
    }
    assert_eq!(script.code, Some(0), "{}", script.stderr);
    let mut full = Vec::new();
    while let Some(code) = text(folder, full.len(), "code") {
        full.push((code, text(folder, full.len(), "err").expect("it was written")));
    }
    let (code, stderr) = full.pop().expect("it ran");
    assert_eq!(code, "0\n", "{stderr}");
    for (code, stderr) in &full {
        assert_eq!(code, "1\n", "{stderr}");
        assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
        assert!(stderr.contains("\n  try: make room "), "{stderr}");
    }
    std::fs::remove_dir(trial.dir()).expect("nothing is there");
    std::fs::rename(folder.join("kept"), trial.dir()).expect("it was copied");
    trial.check();
    let at = |word: &str| full.iter().filter(|(_, stderr)| stderr.contains(word)).count();
    println!(
        "survival full disk: {} pages, full {} times: archive {}, log {}, tables {}, seen {}, \
        noticed before {}",
        trial.expected.pages.len(),
        full.len(),
        at("crawl/archive"),
        at("crawl/log"),
        at("crawl/tables"),
        at("crawl/seen"),
        at("too little to go on"),
    );
    Some(full.len())
}

#[test]
fn a_full_disk_ends_the_crawl_with_advice_and_with_more_room_nothing_was_lost() {
    let spec = Spec { traps: false, body_bytes: 20_000, ..Spec::sized(57, 20, 300) };
    let Some(full) = fill(&spec, 256, 384) else {
        println!("skipped: a full disk, for want of the right to mount one");
        return;
    };
    assert!(full > 2, "it was full {full} times");
    if is_full() {
        // So small steps find everything that is written.
        let spec = Spec { traps: false, body_bytes: 1_000, ..Spec::sized(58, 20, 600) };
        fill(&spec, 96, 48).expect("as before");
    }
}
