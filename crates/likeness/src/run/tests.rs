use std::collections::BTreeMap;
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn merged_runs_say_what_the_runs_said(
        keys in vec(vec(0u64..3_000, 0..2_000), 4),
        gone in vec(any::<prop::sample::Index>(), 0..50),
    ) {
        let disk = disk();
        let mut expect: BTreeMap<u64, Vec<Mark>> = BTreeMap::new();
        let mut runs = Vec::new();
        let mut number = 0;
        for (run, keys) in keys.iter().enumerate() {
            let mut entries: Vec<(u64, Mark)> = keys.iter().zip(number..).map(|(key, row)| (*key, Mark::present(row))).collect();
            number += u32::try_from(keys.len()).unwrap();
            if run == 3 {
                let earlier: Vec<(u64, Mark)> = expect.iter().flat_map(|(key, marks)| marks.iter().map(|mark| (*key, *mark))).collect();
                let struck: std::collections::BTreeSet<_> = gone.iter().filter(|_| !earlier.is_empty()).map(|it| *it.get(&earlier)).collect();
                for (key, mark) in struck {
                    expect.get_mut(&key).unwrap().retain(|it| *it != mark);
                    entries.push((key, Mark::gone(mark.row())));
                }
            }
            for (key, mark) in entries.iter().filter(|(_, mark)| !mark.is_gone()) {
                expect.entry(*key).or_default().push(*mark);
            }
            entries.sort_unstable();
            runs.push(write(&disk, &format!("{run}"), &entries));
        }
        expect.retain(|_, marks| !marks.is_empty());
        // Runs of one size are merged; of others at least those that are as small.
        while runs.iter().filter(|run| run.entries == runs[0].entries).count() < 4 {
            runs.iter_mut().for_each(|run| run.entries = run.entries.max(1));
            break;
        }
        if let Some(merge) = Merge::of(&runs) {
            let (merged, replaced) = merge.write(&disk, Path::new(FOLDER), "merged").unwrap();
            if replaced.len() == runs.len() {
                let mut found: BTreeMap<u64, Vec<Mark>> = BTreeMap::new();
                for (key, mark) in all(&disk, &merged) {
                    found.entry(key).or_default().push(mark);
                }
                expect.values_mut().for_each(|marks| { marks.sort_unstable(); marks.truncate(CROWD_MAX) });
                prop_assert_eq!(found, expect);
            }
        }
    }
}
