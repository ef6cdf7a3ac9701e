//! What is refused is gone from the files, and what is kept comes back in order without a gap.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use rhumb_disk::Disk;
use rhumb_frontier::backlog::{Backlog, BacklogError, LaneKey};
use rhumb_frontier::{Entry, Taken};

use super::{disk, empty, entry, folder, merge, seal};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_rewritten_lane_is_what_a_list_would_be(
        // Per segment and lane: how many entries.
        segments in prop::collection::vec([0..100_u64, 0..3, 0..300, 0..20], 1..12),
        taken in [0..150_u64, 0..20, 0..3_000, 0..300],
        refused_lane in 0..5_u64,
        refused_part in 1..9_u64,
        plucked_part in 1..9_u64,
        is_merged in any::<bool>(),
    ) {
        let disk = disk(1);
        let mut backlog = empty(&disk);
        let mut ends = [0; 4];
        for (n, counts) in segments.iter().enumerate() {
            for (lane, (end, count)) in (0..).zip(ends.iter_mut().zip(counts)) {
                let lane = LaneKey(lane);
                (*end..*end + count).for_each(|at| backlog.push(lane, at, &entry(lane, at)));
                *end += count;
            }
            if counts.iter().any(|count| *count > 0) {
                seal(&mut backlog, &disk, &format!("{n}"));
            }
        }
        let cursor = |lane: LaneKey| {
            let lane = usize::try_from(lane.0).expect("small");
            taken[lane].min(ends[lane])
        };
        if is_merged && backlog.merge().is_some() {
            merge(&mut backlog, &disk, "merged", &cursor);
        }
        // One lane loses all, the others each so-manieth; some have come back before their turn.
        let is_plucked = |at: u64| plucked_part > 1 && at.is_multiple_of(plucked_part);
        let is_kept = |lane: LaneKey, entry: &Entry| {
            lane.0 != refused_lane && !u64::from(entry.candidate.depth).is_multiple_of(refused_part)
        };
        let mut keep = is_kept;
        let list = backlog.segments();
        let taken = |lane: LaneKey| {
            let end = ends[usize::try_from(lane.0).expect("small")];
            let plucked = (cursor(lane)..end).filter(|at| is_plucked(*at)).collect();
            Taken { below: cursor(lane), plucked }
        };
        let written = Backlog::rewrite(&disk, &folder(), "new", &list, &mut keep, &taken);
        let (info, puts) = written.expect("the disk is sound");
        let left = ends.iter().enumerate().map(|(lane, end)| {
            let lane = LaneKey(lane as u64);
            let left = (cursor(lane)..*end).filter(|at| !is_plucked(*at));
            let entries = left.map(|at| entry(lane, at));
            (lane, entries.filter(|entry| is_kept(lane, entry)).collect::<Vec<_>>())
        });
        let left: BTreeMap<LaneKey, Vec<Entry>> = left.collect();
        prop_assert_eq!(info.is_none(), left.values().all(Vec::is_empty));
        let list = Vec::from_iter(info);
        let backlog = Backlog::open(Arc::new(disk), folder(), &list).expect("it is sound");
        for (lane, entries) in left {
            let end = ends[usize::try_from(lane.0).expect("small")];
            let from = cursor(lane);
            let new_end = from + entries.len() as u64;
            prop_assert_eq!(puts.get(&lane).copied(), Some(new_end).filter(|new| *new < end));
            let mut at = from;
            while at < new_end {
                for found in backlog.read(lane, at, 192).run().expect("it was kept").into_entries() {
                    prop_assert_eq!(&found, &entries[usize::try_from(at - from).expect("small")]);
                    at += 1;
                }
            }
            let found_end = backlog.end_of(lane).expect("it is sound");
            prop_assert_eq!(found_end, Some(new_end).filter(|_| !entries.is_empty()));
        }
    }
}

#[test]
fn no_byte_of_what_is_refused_is_in_the_new_file() {
    let disk = disk(2);
    let mut backlog = empty(&disk);
    for lane in (0..20).map(LaneKey) {
        (0..100).for_each(|at| backlog.push(lane, at, &entry(lane, at)));
    }
    seal(&mut backlog, &disk, "one");
    let mut keep = |_: LaneKey, entry: &Entry| entry.url().site().as_str() != "s7.test";
    let list = backlog.segments();
    let written =
        Backlog::rewrite(&disk, &folder(), "two", &list, &mut keep, &|_| Taken::default());
    let (info, puts) = written.expect("the disk is sound");
    let info = info.expect("other lanes are left");
    assert_eq!((info.entries, puts), (1_900, BTreeMap::from([(LaneKey(7), 0)])));
    let mut bytes = vec![0; usize::try_from(info.bytes).expect("small")];
    let file = disk.open(&folder().join("two")).expect("it was written");
    file.read_at(0, &mut bytes).expect("the disk is sound");
    assert!(!bytes.windows(7).any(|window| window == b"s7.test"));
    assert!(bytes.windows(7).any(|window| window == b"s8.test"));
}

#[test]
fn where_nothing_is_left_no_file_is_written() {
    let disk = disk(3);
    let mut backlog = empty(&disk);
    (0..9).for_each(|at| backlog.push(LaneKey(1), at, &entry(LaneKey(1), at)));
    seal(&mut backlog, &disk, "one");
    let list = backlog.segments();
    let written =
        Backlog::rewrite(&disk, &folder(), "two", &list, &mut |_, _| false, &|_| 4.into());
    let expect = (None, BTreeMap::from([(LaneKey(1), 4)]));
    assert_eq!(written.expect("the disk is sound"), expect);
    assert_eq!(disk.list(&folder()).expect("the disk is sound"), ["one"]);
}

#[test]
fn segments_that_do_not_fit_each_other_are_corrupt() {
    let disk = disk(4);
    let mut backlog = empty(&disk);
    let lane = LaneKey(1);
    for (name, at) in [("one", 0), ("two", 1), ("three", 2)] {
        backlog.push(lane, at, &entry(lane, at));
        seal(&mut backlog, &disk, name);
    }
    let mut list = backlog.segments();
    list.remove(1);
    let written =
        Backlog::rewrite(&disk, &folder(), "new", &list, &mut |_, _| false, &|_| Taken::default());
    assert!(matches!(written, Err(BacklogError::Corrupt { .. })), "{written:?}");
}
