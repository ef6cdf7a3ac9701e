use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use rhumb_disk::{Disk, SimulatedDisk};

use super::*;
use crate::ledger::RunInfo;
use crate::sieve::CROWD_MAX;

const FOLDER: &str = "runs";

fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new(2);
    disk.create_folder(Path::new(FOLDER)).unwrap();
    disk
}

fn write(disk: &SimulatedDisk, name: &str, entries: &[(u64, Mark)]) -> RunInfo {
    let mut writer = RunWriter::create(disk, Path::new(FOLDER), name).unwrap();
    writer.extend(entries).unwrap();
    writer.finish().unwrap()
}

fn all(disk: &SimulatedDisk, info: &RunInfo) -> Vec<(u64, Mark)> {
    let mut cursor = Cursor::open(disk, Path::new(FOLDER), info).unwrap();
    let mut entries = Vec::new();
    loop {
        let before = entries.len();
        cursor.block(&mut entries).unwrap();
        if entries.len() == before {
            return entries;
        }
    }
}

fn marks(disk: &SimulatedDisk, info: &RunInfo, key: u64) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut cursor = Cursor::open(disk, Path::new(FOLDER), info).unwrap();
    cursor.find(key, usize::MAX / 2, &mut marks).unwrap();
    marks
}

#[test]
fn keys_are_found_across_blocks_and_at_both_ends() {
    let disk = disk();
    let top = (1 << KEY_BITS) - 1;
    let row = |number| Mark::present(number);
    let mut entries: Vec<(u64, Mark)> = (0..10_000).map(|it| (7, row(it))).collect();
    entries.insert(0, (0, row(1)));
    entries.extend([(8, row(2)), (top, row(3)), (top, Mark::gone(3))]);
    let info = write(&disk, "a", &entries);
    assert_eq!(info.entries, 10_004);
    assert_eq!(all(&disk, &info), entries);
    assert_eq!(marks(&disk, &info, 0), [row(1)]);
    assert_eq!(marks(&disk, &info, 7).len(), 10_000);
    assert_eq!(marks(&disk, &info, 8), [row(2)]);
    assert_eq!(marks(&disk, &info, 9), []);
    assert_eq!(marks(&disk, &info, top), [row(3), Mark::gone(3)]);
    let mut cursor = Cursor::open(&disk, Path::new(FOLDER), &info).unwrap();
    let mut few = Vec::new();
    cursor.find(7, 3, &mut few).unwrap();
    cursor.find(8, 3, &mut few).unwrap();
    assert_eq!(few, [row(0), row(1), row(2), row(2)], "a crowd is passed over");
}

#[test]
fn what_is_gone_is_struck_out() {
    let check = |marks: &[Mark], expect: &[Mark]| {
        let mut marks = marks.to_vec();
        marks.sort_unstable();
        living(&mut marks);
        assert_eq!(marks, expect);
    };
    let (is, gone) = (Mark::present, Mark::gone);
    check(&[], &[]);
    check(&[is(1), gone(1)], &[]);
    check(&[gone(1)], &[]);
    check(&[is(1), is(2), gone(1), is(3)], &[is(2), is(3)]);
    check(&[gone(2), is(1), gone(3)], &[is(1)]);
}

/// Runs of about one size: each the keys of the rows that follow, and in the last one some of the
/// earlier entries are gone. Also what they say together.
fn write_runs(
    disk: &SimulatedDisk,
    keys: &[Vec<u64>],
    gone: &[prop::sample::Index],
) -> (Vec<RunInfo>, BTreeMap<u64, Vec<Mark>>) {
    let mut expect: BTreeMap<u64, Vec<Mark>> = BTreeMap::new();
    let mut runs = Vec::new();
    let mut rows = 0..;
    for (run, keys) in keys.iter().enumerate() {
        let mut entries = Vec::new();
        if run == 3 {
            let earlier: Vec<(u64, Mark)> =
                expect.iter().flat_map(|(key, marks)| marks.iter().map(|it| (*key, *it))).collect();
            let struck: BTreeSet<_> = gone.iter().map(|it| *it.get(&earlier)).collect();
            for (key, mark) in struck {
                expect.entry(key).or_default().retain(|it| *it != mark);
                entries.push((key, Mark::gone(mark.row())));
            }
        }
        for (key, row) in keys.iter().zip(&mut rows) {
            expect.entry(*key).or_default().push(Mark::present(row));
            entries.push((*key, Mark::present(row)));
        }
        entries.sort_unstable();
        runs.push(write(disk, &format!("{run}"), &entries));
    }
    expect.retain(|_, marks| !marks.is_empty());
    (runs, expect)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn merged_runs_say_what_the_runs_said(
        keys in vec(vec(0u64..3_000, 1_100), 4),
        gone in vec(any::<prop::sample::Index>(), 0..50),
    ) {
        let disk = disk();
        let (runs, mut expect) = write_runs(&disk, &keys, &gone);
        let merge = Merge::of(&runs).expect("four runs of a size are worth it");
        let (merged, replaced) = merge.write(&disk, Path::new(FOLDER), "merged").unwrap();
        prop_assert_eq!(replaced.len(), 4);
        let mut found: BTreeMap<u64, Vec<Mark>> = BTreeMap::new();
        for (key, mark) in all(&disk, &merged) {
            found.entry(key).or_default().push(mark);
        }
        for marks in expect.values_mut() {
            marks.truncate(CROWD_MAX);
        }
        prop_assert_eq!(found, expect);
    }
}
