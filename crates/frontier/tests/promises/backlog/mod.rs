//! What the backlog promises: every entry comes back once, in order, at a known cost.

mod damage;
mod history;
mod rewrite;
mod seek;
mod sizes;

use std::path::PathBuf;
use std::sync::Arc;

use rhumb_disk::{Disk, SimulatedDisk};
use rhumb_frontier::Entry;
use rhumb_frontier::backlog::{Backlog, LaneKey};
use rhumb_web::{Candidate, CanonUrl, Errand};

fn folder() -> PathBuf {
    PathBuf::from("crawl/backlog")
}

fn disk(seed: u64) -> SimulatedDisk {
    let disk = SimulatedDisk::new(seed);
    disk.create_folder(&folder()).expect("the disk is new");
    disk
}

fn empty(disk: &SimulatedDisk) -> Backlog {
    Backlog::new(Arc::new(disk.clone()), folder())
}

/// Some are so long that few of them fill a chunk.
fn entry(lane: LaneKey, ordinal: u64) -> Entry {
    let length = if ordinal % 50 == 49 {
        3_000
    } else {
        usize::try_from(ordinal % 17).expect("it is small")
    };
    let text = format!("http://s{}.test/{ordinal}/{}", lane.0, "x".repeat(length));
    let url = CanonUrl::parse(&text).expect("it is a URL");
    let depth = u16::try_from(ordinal % 1_000).expect("it is small");
    Entry::new(Candidate::new(url, Errand::Page, depth, 0))
}

/// Freezes, writes and installs.
fn seal(backlog: &mut Backlog, disk: &SimulatedDisk, name: &str) {
    let frozen = backlog.freeze().expect("there is something to write");
    let segment = frozen.write(disk, &folder(), name).expect("the disk is sound");
    backlog.install(segment);
}

/// Merges what is due, with these cursors.
fn merge(
    backlog: &mut Backlog,
    disk: &SimulatedDisk,
    name: &str,
    taken: &dyn Fn(LaneKey) -> u64,
) -> Vec<String> {
    let merge = backlog.merge().expect("a merge is due");
    let (merged, replaced) = merge.write(disk, &folder(), name, taken).expect("disk is sound");
    backlog.replace(merged, &replaced);
    replaced
}
