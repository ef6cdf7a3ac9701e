//! Documents through the sieve, with the share that `--memory 256MB` gives it.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use rhumb_disk::SharedDisk;
use rhumb_likeness::{Document, Late, Ledger, Sieve, Sketch, Verdict};
use rhumb_web::{PartitionId, UrlKey};

use crate::clock;
use crate::seen::Outcome;

const MEMORY: usize = 32 << 20;
/// One document in so many repeats an earlier one: in turns all of it, or with its last word
/// changed.
const REPEATS: u64 = 5;
const WORDS: u64 = 128;
/// Documents that are made before they are met, so that making them is not measured.
const BATCH: u64 = 4_096;
/// Documents between two checkpoints.
const CHECKPOINT: u64 = 20_000;
/// Odd, so that numbers and keys can be told from each other.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The state of a run.
struct Run {
    repeats: Option<u64>,
    disk: SharedDisk,
    sieve: Sieve,
    ledger: Ledger,
    found_now: u64,
    found_late: u64,
    passes: u64,
    passing: f64,
}

/// Without repeats, then with them.
pub fn measure(documents: u64) -> Outcome {
    println!(
        "documents     repeats  found now       late  M/CPU-s  passes  in passes  bytes each  peak MB"
    );
    for repeats in [None, Some(REPEATS)] {
        run(documents, repeats)?;
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn run(documents: u64, repeats: Option<u64>) -> Outcome {
    let folder = tempfile::tempdir_in(".")?;
    let disk = rhumb_disk::real();
    let sieve = Sieve::open(&disk, folder.path(), MEMORY, &Ledger::default())?;
    let (ledger, found_now, found_late) = (Ledger::default(), 0, 0);
    let mut run =
        Run { repeats, disk, sieve, ledger, found_now, found_late, passes: 0, passing: 0.0 };
    let mut expected = 0;
    let mut used = 0.0;
    for first in (0..documents).step_by(usize::try_from(BATCH)?) {
        let numbers = first..(first + BATCH).min(documents);
        let batch: Vec<(Document, Option<u64>)> =
            numbers.map(|number| made(number, repeats)).collect();
        expected += batch.iter().filter(|(_, original)| original.is_some()).count() as u64;
        let begun = clock::process();
        for (at, (document, original)) in (first..).zip(&batch) {
            run.meet(document, *original)?;
            if at.is_multiple_of(CHECKPOINT) {
                run.checkpoint(folder.path())?;
            }
        }
        used += clock::process() - begun;
    }
    let begun = clock::process();
    run.pass()?;
    run.checkpoint(folder.path())?;
    used += clock::process() - begun;
    let Run { ledger, found_now, found_late, passes, passing, .. } = run;
    println!(
        "{documents:>9} {expected:>11} {found_now:>10} {found_late:>10} {:>8.3} {passes:>7} {:>9.0} % \
         {:>11.1} {:>8.0}",
        documents as f64 / used / 1e6,
        passing / used * 100.0,
        ledger.bytes() as f64 / ledger.originals() as f64,
        clock::peak_memory() as f64 / 1e6,
    );
    if found_now + found_late != expected {
        return Err(format!("{expected} repeats, {} found", found_now + found_late).into());
    }
    Ok(())
}

impl Run {
    fn meet(&mut self, document: &Document, original: Option<u64>) -> Outcome {
        if let Verdict::Twin(twin) = self.sieve.meet(document) {
            self.found_now += 1;
            self.check(original, twin.of)?;
        }
        if self.sieve.wants_pass() { self.pass() } else { Ok(()) }
    }

    fn pass(&mut self) -> Outcome {
        let Some(pass) = self.sieve.pass() else { return Ok(()) };
        let begun = clock::process();
        for Late { url: late, twin, .. } in self.sieve.install(pass.run()?) {
            self.found_late += 1;
            self.check(original(number(late), self.repeats), twin.of)?;
        }
        self.passes += 1;
        self.passing += clock::process() - begun;
        Ok(())
    }

    /// The original that was found is the right one, or a repeat of it whose original is on disk.
    fn check(&self, expected: Option<u64>, found: UrlKey) -> Outcome {
        let found = number(found);
        if expected == Some(original(found, self.repeats).unwrap_or(found)) {
            return Ok(());
        }
        Err("a document has another original".into())
    }

    fn checkpoint(&mut self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let (ledger, sealed) = self.sieve.freeze().write(&*self.disk, folder)?;
        self.disk.sync_folder(folder)?;
        for name in sealed.gone() {
            self.disk.remove(&folder.join(name))?;
        }
        self.sieve.seal(sealed);
        self.ledger = ledger;
        Ok(())
    }
}

fn url(number: u64) -> UrlKey {
    UrlKey((number + 1).wrapping_mul(SPREAD))
}

/// The number of a URL.
fn number(url: UrlKey) -> u64 {
    // Newton's way to the inverse of an odd number: each step doubles the bits that are right.
    let inverse = (0..6)
        .fold(SPREAD, |guess, _| guess.wrapping_mul(2u64.wrapping_sub(SPREAD.wrapping_mul(guess))));
    url.0.wrapping_mul(inverse).wrapping_sub(1)
}

/// The document that this one repeats, if it does; none of those repeats another.
fn original(number: u64, repeats: Option<u64>) -> Option<u64> {
    let every = repeats.filter(|every| number % *every == *every - 1)?;
    let earlier = mixed(number) % number;
    Some(if earlier % every == every - 1 { earlier - 1 } else { earlier })
}

fn made(number: u64, repeats: Option<u64>) -> (Document, Option<u64>) {
    let original = original(number, repeats);
    let seed = original.unwrap_or(number);
    let is_changed = original.is_some() && number.is_multiple_of(2);
    let mut text = String::new();
    for at in 0..WORDS {
        let is_last = is_changed && at == WORDS - 1;
        let word = mixed(seed.wrapping_mul(WORDS) + at) >> 32;
        write!(text, "{word:x}{} ", if is_last { "x" } else { "" }).expect("a string takes all");
    }
    let document = Document {
        url: url(number),
        partition: PartitionId(0),
        site: number % 1_000,
        path: 0,
        payload: (!is_changed).then(|| mixed(!seed)),
        canonical: None,
        sketch: Sketch::of(&text),
    };
    (document, original)
}

/// A number without pattern (`SplitMix64`).
fn mixed(number: u64) -> u64 {
    let mut state = number.wrapping_add(1).wrapping_mul(SPREAD);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}
