//! The seen-set beside other stores, on the same candidates, each in a process of its own.

use std::error::Error;
use std::path::Path;
use std::process::Command;

use crate::workload::Workload;
use crate::{clock, contenders, ours};

pub const CANDIDATES: u64 = 20_000_000;
/// Candidates come in batches of this size; every store may use the batch as it likes.
pub const BATCH: u64 = 1_000_000;

/// Stores that answer every candidate as it comes, the one to compare with last.
const AT_ONCE: [&str; 4] = ["hashset", "filtered", "redb", "fjall"];
/// Stores that answer a batch at a time.
const IN_BATCHES: [&str; 3] = ["batched", "redb-sorted", "fjall-sorted"];

pub type Outcome = Result<(), Box<dyn Error>>;

/// A store that is told candidates and counts the new ones.
pub trait Store {
    fn meet(&mut self, batch: &[u64]) -> Outcome;
    /// Settles what waits and puts everything on disk; how many candidates were new.
    fn finish(&mut self) -> Result<u64, Box<dyn Error>>;
}

pub fn count(text: &str) -> Result<u64, Box<dyn Error>> {
    text.parse().map_err(|_| format!("not a number of candidates: {text}").into())
}

/// Runs all stores and prints the table.
pub fn compare(candidates: u64) -> Outcome {
    println!("{candidates} candidates, 25 % new, repeats by Zipf's law");
    println!("store         M/CPU-s   bytes/URL   peak MB   x fjall");
    for names in [&AT_ONCE[..], &IN_BATCHES[..]] {
        let figures =
            names.iter().map(|name| run(name, candidates)).collect::<Result<Vec<_>, _>>()?;
        let fjall = figures.last().map_or(f64::NAN, |figures| figures[0]);
        for (name, [rate, bytes, peak]) in names.iter().zip(figures) {
            let ratio = rate / fjall;
            println!("{name:<12} {rate:>8.2} {bytes:>11.2} {peak:>9.0} {ratio:>9.1}");
        }
    }
    Ok(())
}

/// Runs a store in a process of its own.
fn run(name: &str, candidates: u64) -> Result<[f64; 3], Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["seen", "--candidates", &candidates.to_string(), "--alone", name]);
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let failed = |_| format!("{name}: {}", String::from_utf8_lossy(&output.stderr)).into();
    numbers.try_into().map_err(failed)
}

/// Runs one store in this process; prints its rate, its bytes a URL and its memory.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
pub fn measure(name: &str, candidates: u64) -> Outcome {
    let folder = tempfile::tempdir_in(".")?;
    let mut store: Box<dyn Store> = match name {
        "filtered" => Box::new(ours::Ours::new(folder.path(), true)),
        "batched" => Box::new(ours::Ours::new(folder.path(), false)),
        "fjall" => Box::new(contenders::Fjall::new(folder.path(), false)?),
        "fjall-sorted" => Box::new(contenders::Fjall::new(folder.path(), true)?),
        "redb" => Box::new(contenders::Redb::new(folder.path(), false)?),
        "redb-sorted" => Box::new(contenders::Redb::new(folder.path(), true)?),
        "hashset" => Box::new(contenders::Plain::default()),
        _ => return Err(format!("unknown store: {name}").into()),
    };
    let mut workload = Workload::new(candidates);
    let mut batch = Vec::new();
    let begun = clock::process();
    let mut making = 0.0;
    loop {
        let at = clock::thread();
        let is_more = workload.next_batch(&mut batch, BATCH);
        making += clock::thread() - at;
        if !is_more {
            break;
        }
        store.meet(&batch)?;
    }
    let new = store.finish()?;
    let used = clock::process() - begun - making;
    if new != workload.distinct() {
        return Err(format!("{new} new, but {} are", workload.distinct()).into());
    }
    let rate = candidates as f64 / used / 1e6;
    let bytes = size(folder.path())? as f64 / workload.distinct() as f64;
    println!("{rate} {bytes} {}", clock::peak_memory() as f64 / 1e6);
    Ok(())
}

/// Bytes of all files below a folder.
pub fn size(folder: &Path) -> std::io::Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        sum += if about.is_dir() { size(&entry.path())? } else { about.len() };
    }
    Ok(sum)
}
