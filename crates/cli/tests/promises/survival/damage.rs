//! Files that are damaged, gone or cannot be written: a clear stop, and all is as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rhumb_crawl::tables::{Batch, FjallTables, Table, Tables};
use rhumb_testweb::Spec;

use super::cuts::{HEADER_BYTES, newest, synced};
use super::{Gone, Trial, contents, has_ending, kept, names};

fn trial() -> Trial {
    let spec = Spec { traps: false, ..Spec::sized(55, 20, 200) };
    let pace = ["--delay", "10ms", "--ip-delay", "0s", "--tries", "1"];
    let flags = [&pace[..], &["--durability", "20ms", "--warc-size", "64KB"]].concat();
    Trial::new(&spec, &flags, Duration::from_millis(10))
}

/// A crawl with a checkpoint, and a killed run behind it.
fn killed() -> Trial {
    let mut trial = trial();
    let pages = trial.expected.pages.len();
    let going = trial.run_until(pages / 3);
    going.signal("-TERM");
    trial.follow(going);
    let going = trial.run_until(2 * pages / 3);
    trial.kill(going, Duration::ZERO);
    trial
}

#[track_caller]
fn check_told(gone: &Gone, names: &[&str]) {
    assert_eq!(gone.status.code(), Some(1), "{}", gone.stderr);
    let errors: Vec<&str> =
        gone.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 1, "{}", gone.stderr);
    assert!(gone.stderr.contains("\n  try: "), "{}", gone.stderr);
    for name in names {
        assert!(errors[0].contains(name), "{name} is not in {}", errors[0]);
    }
}

/// Puts a folder back as it was.
fn restore(folder: &Path, was: &BTreeMap<PathBuf, Vec<u8>>) {
    let now = contents(folder);
    for path in now.keys().filter(|path| !was.contains_key(*path)) {
        std::fs::remove_file(path).expect("it is ours");
    }
    for (path, bytes) in was {
        if now.get(path) != Some(bytes) {
            std::fs::write(path, bytes).expect("written");
        }
    }
}

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).expect("a file");
    bytes[at] ^= 0x55;
    std::fs::write(path, bytes).expect("written");
}

fn cut(path: &Path, length: usize) {
    let bytes = std::fs::read(path).expect("a file");
    std::fs::write(path, &bytes[..length]).expect("written");
}

/// Harms a killed crawl in one way after the other.
struct Bench {
    trial: Trial,
    was: BTreeMap<PathBuf, Vec<u8>>,
}

impl Bench {
    /// The harm is noticed and named before anything is asked for or written; then it is undone.
    #[track_caller]
    #[expect(clippy::print_stdout, reason = "what is told is for people to judge")]
    fn check(&mut self, what: &str, named: &[&str], harm: impl FnOnce(&Path)) {
        let dir = self.trial.dir();
        harm(&dir);
        let harmed = contents(&dir);
        assert!(harmed != self.was, "{what} is a change");
        let before = self.requests();
        let gone = self.trial.finish();
        assert_eq!(self.requests(), before, "{what}: nothing is asked for");
        let told = gone.stderr.lines().find(|line| line.starts_with("error: "));
        println!("survival damage: {what}: {}", told.unwrap_or("nothing is told"));
        check_told(&gone, named);
        let now = contents(&dir);
        // A segment of the log without a frame says nothing.
        let is_empty = |path: &PathBuf| {
            let has_frames = now.get(path).is_some_and(|bytes| bytes.len() > HEADER_BYTES);
            path.starts_with(dir.join("log")) && !harmed.contains_key(path) && !has_frames
        };
        let differs = |path: &&PathBuf| now.get(*path) != harmed.get(*path) && !is_empty(path);
        let touched: BTreeSet<&PathBuf> = now.keys().chain(harmed.keys()).filter(differs).collect();
        assert_eq!(touched, BTreeSet::new(), "{what}: nothing is touched");
        restore(&dir, &self.was);
    }

    fn requests(&self) -> usize {
        self.trial.served.witness().hosts.values().map(|host| host.requests).sum()
    }
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

fn remove(path: &Path) {
    std::fs::remove_file(path).expect("it is there");
}

#[test]
fn damage_is_named_and_nothing_is_touched_and_a_copy_put_back_goes_on() {
    let trial = killed();
    let dir = trial.dir();
    let mut bench = Bench { was: contents(&dir), trial };
    let run = dir.join("seen").join(names(&dir.join("seen")).first().expect("a run"));
    bench.check("a run is gone", &[&name(&run)], |_| remove(&run));
    bench.check("a run has a wrong byte", &[&name(&run)], |_| flip(&run, 40));
    bench.check("a run is too short", &[&name(&run)], |_| cut(&run, 30));

    let segment = newest(&dir);
    let middle = synced(&segment) / 2;
    bench.check("the log has a wrong byte", &[&name(&segment)], |_| flip(&segment, middle));
    let first = dir.join("log").join(names(&dir.join("log")).first().expect("a segment"));
    bench.check("the log's beginning is gone", &["crawl/log"], |_| remove(&first));

    let tables = dir.join("tables");
    bench.check("the tables have no version", &["tables", "version"], |_| {
        remove(&tables.join("version"));
    });
    let journal = names(&tables).into_iter().find(|name| has_ending(name, "jnl"));
    let journal = tables.join(journal.expect("a journal"));
    let length = std::fs::metadata(&journal).expect("it is there").len();
    let length = usize::try_from(length).expect("a small file");
    bench.check("the tables' journal is gone", &["tables", ".jnl"], |_| remove(&journal));
    for at in [0, 1, 9, 16, length / 4, length / 2, length - 30] {
        // Taken for a torn end, it leaves tables that are older than the log.
        bench.check("the tables' journal has a wrong byte", &["crawl/"], |_| flip(&journal, at));
    }
    bench.check("a row has nonsense in it", &["of the tables", "row"], |dir| {
        let tables = FjallTables::open(&dir.join("tables"), 1 << 20).expect("they open");
        let (key, _) = tables.range(Table::Sites, &[]).next().expect("a site").expect("a row");
        let offset = tables.offset().expect("it can be read").expect("there is a checkpoint");
        let mut batch = Batch::default();
        batch.put(Table::Sites, key, vec![0xFF; 3]);
        tables.commit(batch, offset).expect("committed");
    });

    let gone = bench.trial.finish();
    assert_eq!(gone.status.code(), Some(0), "{}", gone.stderr);
    bench.trial.check();
}

#[test]
fn an_archive_that_has_lost_its_end_is_named_and_a_copy_put_back_goes_on() {
    let mut trial = trial();
    let going = trial.run_until(trial.expected.pages.len() / 2);
    going.signal("-TERM");
    trial.follow(going);
    let dir = trial.dir();
    let mut bench = Bench { was: contents(&dir), trial };
    let last = kept::sealed(&dir).pop().expect("a WARC file");
    // The log knows its number alone.
    let number = name(&last).split('-').next_back().map(str::to_owned).expect("a number");
    bench.check("the last WARC file is gone", &[&number], |_| remove(&last));
    bench.check("the last WARC file is too short", &[&number], |_| cut(&last, 700));
    let gone = bench.trial.finish();
    assert_eq!(gone.status.code(), Some(0), "{}", gone.stderr);
    bench.trial.check();
    assert_eq!(bench.trial.judge.again, 0, "nothing is asked for again");
}

#[test]
fn a_write_that_fails_ends_the_crawl_and_nothing_is_lost() {
    let spec = Spec { traps: false, ..Spec::sized(56, 20, 300) };
    let pace = ["--delay", "10ms", "--ip-delay", "0s", "--tries", "1"];
    let flags = [&pace[..], &["--checkpoint", "16KB", "--warc-size", "64KB"]].concat();
    let mut trial = Trial::new(&spec, &flags, Duration::from_millis(10));
    trial.judge.is_lenient = true;
    let pages = trial.expected.pages.len();
    let parts = ["archive", "log", "seen"];
    for (at, part) in parts.iter().enumerate() {
        let going = trial.run_until((at + 1) * pages / (parts.len() + 2));
        // Whatever is to be made in there now fails.
        let (folder, away) = (trial.dir().join(part), trial.dir().join("away"));
        std::fs::rename(&folder, &away).expect("it is ours");
        let gone = trial.follow(going);
        check_told(&gone, &[&format!("crawl/{part}")]);
        assert!(!folder.exists(), "{part}");
        std::fs::rename(&away, &folder).expect("it is ours");
    }
    let gone = trial.finish();
    assert_eq!(gone.status.code(), Some(0), "{}", gone.stderr);
    trial.check();
}
