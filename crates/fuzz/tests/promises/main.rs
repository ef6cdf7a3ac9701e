//! Every property holds for its corpus, and for thousands of inputs made of it.

use std::path::{Path, PathBuf};

use rhumb_fuzz::{Chance, TARGETS, Target, mutate, watch_panics};

/// Inputs made for a target; as many as take about a second.
const INPUTS: usize = 1_500;
/// The same where the long sizes run.
const INPUTS_FULL: usize = 30_000;
/// A corpus is kept small.
const FILES_MAX: usize = 30;
const FILE_BYTES_MAX: usize = 4 * 1024;

fn corpus(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let files = std::fs::read_dir(&folder).expect("a folder named as the target");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let read = |path: PathBuf| (path.clone(), std::fs::read(path).expect("a readable file"));
    paths.into_iter().map(read).collect()
}

#[test]
fn a_corpus_is_small_and_belongs_to_a_target() {
    for target in TARGETS {
        let files = corpus(target);
        assert!((1..=FILES_MAX).contains(&files.len()), "{}: {}", target.name, files.len());
        for (path, bytes) in files {
            assert!(bytes.len() <= FILE_BYTES_MAX, "{}", path.display());
        }
    }
    let folders = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"));
    assert_eq!(folders.expect("a folder").count(), TARGETS.len());
}

#[test]
fn every_property_holds_for_its_corpus_and_for_what_is_made_of_it() {
    watch_panics();
    let is_full = std::env::var_os("RHUMB_FULL").is_some();
    let inputs = if is_full { INPUTS_FULL } else { INPUTS };
    for (seed, target) in (1..).zip(TARGETS) {
        let files = corpus(target);
        for (path, input) in &files {
            tried(target, input, &path.display().to_string());
        }
        let corpus: Vec<_> = files.into_iter().map(|(_, input)| input).collect();
        let mut chance = Chance::new(seed);
        for number in 0..inputs {
            let input = mutate(target, &corpus, &mut chance);
            tried(target, &input, &format!("input {number}"));
        }
    }
}

/// Checks an input, and shows it where the property does not hold.
fn tried(target: &Target, input: &[u8], name: &str) {
    let checked = std::panic::catch_unwind(|| target.check(input));
    assert!(checked.is_ok(), "{} {name}: {}", target.name, input.escape_ascii());
}

#[test]
fn chance_is_the_same_everywhere() {
    let mut chance = Chance::new(7);
    let numbers: Vec<_> = (0..4).map(|_| chance.below(1000)).collect();
    let mut again = Chance::new(7);
    assert_eq!(numbers, (0..4).map(|_| again.below(1000)).collect::<Vec<_>>());
}
