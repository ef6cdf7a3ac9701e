//! Files that are not what was written are errors that name them, never wrong entries.

use std::path::Path;
use std::sync::Arc;

use rhumb_disk::{Disk, SimulatedDisk};
use rhumb_frontier::backlog::{Backlog, BacklogError, LaneKey, SegmentInfo};

use super::{disk, empty, entry, folder, seal};

const NAME: &str = "sample";

/// Five lanes, one of them over several chunks.
fn sample(seed: u64) -> (SimulatedDisk, Vec<SegmentInfo>) {
    let disk = disk(seed);
    let mut backlog = empty(&disk);
    for lane in (1..=5).map(LaneKey) {
        let count = if lane.0 == 3 { 130 } else { 2 };
        (0..count).for_each(|ordinal| backlog.push(lane, ordinal, &entry(lane, ordinal)));
    }
    seal(&mut backlog, &disk, NAME);
    let segments = backlog.segments();
    (disk, segments)
}

/// Opens it and reads all that it says it has; what comes is right.
fn read_all(disk: &SimulatedDisk, segments: &[SegmentInfo]) -> Result<(), BacklogError> {
    let backlog = Backlog::open(Arc::new(disk.clone()), folder(), segments)?;
    for lane in backlog.lanes()? {
        let (lane, end) = lane?;
        let mut at = 0;
        while at < end {
            for found in backlog.read(lane, at, 64).run()?.into_entries() {
                assert_eq!(found, entry(lane, at));
                at += 1;
            }
        }
    }
    Ok(())
}

fn message(result: Result<(), BacklogError>) -> String {
    result.expect_err("it is damaged").to_string()
}

#[test]
fn every_flipped_byte_is_found() {
    let (disk, segments) = sample(1);
    read_all(&disk, &segments).expect("nothing is wrong yet");
    let path = folder().join(NAME);
    for offset in 0..segments[0].bytes {
        disk.flip(&path, offset).expect("it is in the file");
        let message = message(read_all(&disk, &segments));
        assert!(message.contains("crawl/backlog/sample"), "{message}");
        disk.flip(&path, offset).expect("it is in the file");
    }
    read_all(&disk, &segments).expect("all is as it was");
}

#[test]
fn a_damaged_chunk_stops_a_merge() {
    let disk = disk(2);
    let mut backlog = empty(&disk);
    for n in 0..8 {
        backlog.push(LaneKey(1), n, &entry(LaneKey(1), n));
        seal(&mut backlog, &disk, &format!("{n}"));
    }
    disk.flip(&folder().join("5"), 20).expect("it is in the file");
    let merge = backlog.merge().expect("eight segments are due");
    let written = merge.write(&disk, &folder(), "merged", &|_| 0);
    let error = written.map(|_| ()).expect_err("the sixth is damaged");
    assert!(matches!(&error, BacklogError::Corrupt { path, .. } if path.ends_with("5")), "{error}");
}

#[test]
fn a_file_of_another_length_is_refused_before_it_is_read() {
    let (disk, segments) = sample(3);
    let path = folder().join(NAME);
    for length in (0..segments[0].bytes).rev().step_by(97) {
        let mut file = disk.open(&path).expect("it is there");
        file.cut(length).expect("the disk is sound");
        assert!(message(read_all(&disk, &segments)).contains("length"));
        let short = [SegmentInfo { bytes: length, ..segments[0].clone() }];
        assert!(message(read_all(&disk, &short)).contains("corrupt"));
    }
}

#[test]
fn a_missing_file_is_named() {
    let (disk, segments) = sample(4);
    disk.remove(&folder().join(NAME)).expect("it is there");
    assert_eq!(
        message(read_all(&disk, &segments)),
        "cannot open crawl/backlog/sample: entity not found"
    );
}

#[test]
fn another_format_is_named_with_its_number() {
    let (disk, mut segments) = sample(5);
    rewrite(&disk, &folder().join(NAME), |bytes| bytes[7] = 9);
    let expect = "the backlog file crawl/backlog/sample has format 9, this program reads 1";
    assert_eq!(message(read_all(&disk, &segments)), expect);
    segments[0].entries += 1;
    rewrite(&disk, &folder().join(NAME), |bytes| bytes[7] = 1);
    assert!(message(read_all(&disk, &segments)).contains("trailer"));
}

fn rewrite(disk: &SimulatedDisk, path: &Path, change: impl Fn(&mut [u8])) {
    let mut file = disk.open(path).expect("it is there");
    let mut bytes =
        vec![0; usize::try_from(file.length().expect("it is open")).expect("it is small")];
    file.read_at(0, &mut bytes).expect("it is open");
    change(&mut bytes);
    file.cut(0).expect("the disk is sound");
    file.append(&bytes).expect("the disk is sound");
}
