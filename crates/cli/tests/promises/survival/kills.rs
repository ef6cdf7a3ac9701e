//! Killed at any moment, and taken up again.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use rhumb_testweb::Spec;

use super::{Dice, Going, Trial, kept, names};
use crate::run::is_full;

/// How long a moment is waited for; a checkpoint comes many times a second.
const AIM_FOR: Duration = Duration::from_secs(1);

/// A moment to kill at, by what the folder of the crawl shows; with the names of the log's
/// segments when the run began.
type Aim = fn(&Path, &BTreeSet<String>) -> bool;

/// Opening begins one segment; a checkpoint begins another, and at its end removes all before it.
fn is_checkpointing(dir: &Path, logs: &BTreeSet<String>) -> bool {
    names(&dir.join("log")).difference(logs).count() > 1
}

/// So few keys are one file, until a checkpoint has written it anew, and not yet removed the old.
fn is_replacing(dir: &Path, _: &BTreeSet<String>) -> bool {
    names(&dir.join("seen")).len() > 1
}

/// What was under way at the kills, by what they left.
#[derive(Debug, Default)]
struct Under {
    /// Pages were asked for and not settled.
    fetches: usize,
    /// Nothing was told yet by a run that was killed early on.
    openings: usize,
    /// A checkpoint had marked its place in the log, and had not ended.
    checkpoints: usize,
    /// A checkpoint's files lay beside those that they were to replace.
    replacements: usize,
    /// A WARC file was open beside one that the same run had sealed.
    rotations: usize,
    /// The backlog was in use.
    backlogs: usize,
}

#[test]
fn a_crawl_that_is_killed_at_any_moment_loses_nothing_and_keeps_nothing_twice() {
    let (hosts, pages, kills) = if is_full() { (500, 10_000, 200) } else { (60, 600, 10) };
    let spec = Spec { latency: Duration::from_millis(15), ..Spec::sized(51, hosts, pages) };
    let flags = ["--delay", "20ms", "--ip-delay", "0s", "--tries", "1"];
    let trial = Trial::new(&spec, &flags, Duration::from_millis(20));
    let slow = trial.served.web().hosts.iter().filter(|host| host.crawl_delay().is_some());
    assert!(slow.count() > 1, "some hosts ask for a longer gap");
    let under = run("at any moment", trial, kills, &[]);
    assert!(under.fetches * 2 >= kills, "{under:?}");
}

#[test]
fn a_crawl_that_is_killed_while_it_writes_checkpoints_and_rotates_goes_on() {
    let (pages, kills) = if is_full() { (6_000, 60) } else { (1_500, 12) };
    // Few hosts with long queues: what does not fit their heads goes to the backlog.
    let spec = Spec { body_bytes: 1_000, traps: false, ..Spec::sized(52, 3, pages) };
    let pace = ["--delay", "0s", "--ip-delay", "0s", "--tries", "1", "--durability", "20ms"];
    let sizes = ["--memory", "64MB", "--checkpoint", "16KB", "--warc-size", "64KB"];
    let flags = [&pace[..], &sizes, &["--partitions", "4"]].concat();
    let trial = Trial::new(&spec, &flags, Duration::ZERO);
    let under = run("in checkpoints", trial, kills, &[is_checkpointing, is_replacing]);
    assert!(under.checkpoints * 4 >= kills, "{under:?}");
    assert!(under.replacements > 0 && under.rotations > 0 && under.backlogs > 0, "{under:?}");
}

/// Kills a crawl at moments that are spread evenly over its pages, and every fourth time once
/// more while it opens; aims at some moments; then lets it end, and checks everything.
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn run(name: &str, mut trial: Trial, kills: usize, aims: &[Aim]) -> Under {
    let mut under = Under::default();
    let mut dice = Dice(u64::try_from(kills).expect("a count fits 64 bits"));
    let pages = trial.expected.pages.len();
    for kill in 1..=kills {
        let logs = names(&trial.dir().join("log"));
        let warcs = names(&trial.dir().join("archive"));
        // What was settled and not told any more is never told: the rest is shared out anew.
        let left = pages - trial.served.witness().pages.len();
        let share = (left / (kills + 2 - kill)).max(1);
        let going = trial.run_until(trial.pages_told + share);
        if let Some(aim) = aims.get(kill % 4) {
            let deadline = Instant::now() + AIM_FOR;
            while Instant::now() < deadline && !aim(&trial.dir(), &logs) {
                std::thread::yield_now();
            }
            trial.kill(going, Duration::ZERO);
        } else {
            trial.kill(going, Duration::from_micros(dice.below(30_000)));
        }
        under.note(&trial, &logs, &warcs);
        if kill % 4 == 0 {
            let told = trial.told.len();
            let going = Going::start(trial.command());
            let gone = trial.kill(going, Duration::from_micros(dice.below(200_000)));
            assert!(!gone.stderr.contains("error:"), "{}", gone.stderr);
            under.openings += usize::from(trial.told.len() == told);
        }
        if !is_full() || kill % 10 == 0 {
            kept::check_valid(&kept::sealed(&trial.dir()));
        }
    }
    let gone = trial.finish();
    assert_eq!(gone.status.code(), Some(0), "{}", gone.stderr);
    trial.check();
    let judge = &trial.judge;
    assert!(judge.hasty <= 4 * kills, "{} were told long before they were written", judge.hasty);
    println!(
        "survival {name}: {pages} pages, {kills} kills, {under:?}; asked for again {}, of them \
        told {} (at most {:?} before the kill); shortest gap {:?}",
        judge.again,
        judge.hasty,
        judge.hasty_by,
        trial.shortest_gap(),
    );
    under
}

impl Under {
    /// Looks at what a kill left; `logs` and `warcs` were there when the run began.
    fn note(&mut self, trial: &Trial, logs: &BTreeSet<String>, warcs: &BTreeSet<String>) {
        let now = |folder: &str| names(&trial.dir().join(folder));
        self.fetches += usize::from(trial.judge.in_flight() > 0);
        self.checkpoints += usize::from(is_checkpointing(&trial.dir(), logs));
        self.replacements += usize::from(is_replacing(&trial.dir(), logs));
        self.backlogs += usize::from(!now("backlog").is_empty());
        let warcs: Vec<String> = now("archive").difference(warcs).cloned().collect();
        let ends = |end: &str| warcs.iter().filter(|name| name.ends_with(end)).count();
        // Opening seals one.
        self.rotations += usize::from(ends(".warc.gz.open") > 0 && ends(".warc.gz") > 1);
    }
}
