//! A disk that is full: a clear stop, and with more room nothing was lost.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rhumb_testweb::Spec;

use super::Trial;
use crate::run::{Run, collect, crawl_command};

/// A disk of a few hundred KB that grows each time when it was too small. It is seen by the
/// script alone, so what is kept on it is copied.
const SCRIPT: &str = r#"
kb=$1; step=$2; shift 2
mkdir crawl && mount -t tmpfs -o size=${kb}k tmpfs crawl || exit 77
run=0
while [ $run -lt 40 ]; do
    "$@" >run.$run.out 2>run.$run.err
    code=$?
    echo $code >run.$run.code
    run=$((run + 1))
    [ $code = 1 ] || break
    kb=$((kb + step))
    mount -o remount,size=${kb}k crawl || exit 77
done
cp -r crawl kept
"#;

/// What the script says where it may not mount anything.
const NO_MOUNT: i32 = 77;

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

#[test]
fn a_full_disk_ends_the_crawl_with_advice_and_with_more_room_nothing_was_lost() {
    // Bodies that fill the disk between two looks at it.
    let spec = Spec { traps: false, body_bytes: 20_000, ..Spec::sized(57, 20, 300) };
    let flags = ["--delay", "10ms", "--ip-delay", "0s", "--tries", "1", "--checkpoint", "64KB"];
    let trial = Trial::new(&spec, &flags, Duration::from_millis(10));
    let folder = trial.folder.path();
    let script = on_a_small_disk(&trial, 256, 384);
    let Some(script) = script.filter(|it| it.code != Some(NO_MOUNT) && it.code != Some(1)) else {
        println!("skipped: a full disk, for want of the right to mount one");
        return;
    };
    assert_eq!(script.code, Some(0), "{}", script.stderr);
    let mut full = Vec::new();
    while let Some(code) = text(folder, full.len(), "code") {
        let stderr = text(folder, full.len(), "err").expect("it was written");
        println!("survival room: {} {stderr}", code.trim());
        full.push((code, stderr));
    }
    let (code, stderr) = full.pop().expect("it ran");
    assert_eq!(code, "0\n", "{stderr}");
    for (code, stderr) in &full {
        assert_eq!(code, "1\n", "{stderr}");
        assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
        assert!(stderr.contains("\n  try: "), "{stderr}");
    }
    assert!(full.len() > 2, "it was full {} times", full.len());
    std::fs::remove_dir(trial.dir()).expect("nothing is there");
    std::fs::rename(folder.join("kept"), trial.dir()).expect("it was copied");
    trial.check();
}
