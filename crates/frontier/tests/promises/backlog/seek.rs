//! A URL is found where it waits, wherever that is.

use std::sync::Arc;

use proptest::prelude::*;
use rhumb_frontier::Entry;
use rhumb_frontier::backlog::{Backlog, LaneKey, Seek};
use rhumb_web::{Candidate, CanonUrl, Errand};

use super::{disk, empty, entry, folder, seal};

/// So few names that some come twice, and that one begins as another does.
fn named(lane: u64, name: u8) -> Entry {
    let text = format!("http://s{lane}.test/{}", "a".repeat(usize::from(name)));
    let url = CanonUrl::parse(&text).expect("it is a URL");
    Entry::new(Candidate::new(url, Errand::Page, u16::from(name), 0))
}

#[derive(Clone, Debug)]
enum Step {
    Push { lane: u64, names: Vec<u8> },
    Freeze,
    Seal,
    Seek { lane: u64, from: u64, name: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    let names = prop::collection::vec(0..200_u8, 1..100);
    prop_oneof![
        4 => (0..4_u64, names).prop_map(|(lane, names)| Step::Push { lane, names }),
        1 => Just(Step::Freeze),
        2 => Just(Step::Seal),
        6 => (0..5_u64, 0..400_u64, 0..200_u8)
            .prop_map(|(lane, from, name)| Step::Seek { lane, from, name }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn seeking_finds_what_a_list_would_find(
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let disk = disk(1);
        let mut backlog = empty(&disk);
        let mut lists: Vec<Vec<Entry>> = vec![Vec::new(); 5];
        let mut frozen = std::collections::VecDeque::new();
        let mut files = 0;
        for step in steps {
            match step {
                Step::Push { lane, names } => {
                    for name in names {
                        let list = &mut lists[usize::try_from(lane).expect("small")];
                        let entry = named(lane, name);
                        backlog.push(LaneKey(lane), list.len() as u64, &entry);
                        list.push(entry);
                    }
                }
                Step::Freeze => frozen.extend(backlog.freeze()),
                Step::Seal => {
                    if frozen.is_empty() {
                        frozen.extend(backlog.freeze());
                    }
                    let Some(oldest) = frozen.pop_front() else { continue };
                    files += 1;
                    let written = oldest.write(&disk, &folder(), &format!("{files}"));
                    backlog.install(written.expect("the disk is sound"));
                }
                Step::Seek { lane, from, name } => {
                    let list = &lists[usize::try_from(lane).expect("small")];
                    let wanted = named(lane, name);
                    let mut found = (0..).zip(list).skip_while(|(at, _)| *at < from);
                    let found = found.find(|(_, entry)| **entry == wanted);
                    let seek = backlog.seek(LaneKey(lane), from, wanted.url());
                    let expect = found.map(|(at, entry)| (at, entry.clone()));
                    prop_assert_eq!(seek.run().expect("the disk is sound"), expect);
                    let end = backlog.end_of(LaneKey(lane)).expect("the disk is sound");
                    prop_assert_eq!(end, Some(list.len() as u64).filter(|end| *end > 0));
                }
            }
        }
    }
}

#[test]
fn the_last_of_a_long_lane_is_found_among_other_lanes() {
    let disk = disk(2);
    let mut backlog = empty(&disk);
    let lane = LaneKey(7);
    for part in 0..3 {
        for ordinal in part * 10_000..(part + 1) * 10_000 {
            backlog.push(lane, ordinal, &entry(lane, ordinal));
        }
        for other in [1, 6, 8, 9].map(LaneKey) {
            (part * 10..(part + 1) * 10).for_each(|at| backlog.push(other, at, &entry(other, at)));
        }
        seal(&mut backlog, &disk, &format!("{part}"));
    }
    let check = |backlog: &Backlog, lane: LaneKey, from, wanted: u64, expect: Option<u64>| {
        let found = backlog.seek(lane, from, entry(lane, wanted).url()).run();
        let expect = expect.map(|at| (at, entry(lane, at)));
        assert_eq!(found.expect("the disk is sound"), expect, "{lane:?} {from}");
    };
    check(&backlog, lane, 0, 29_999, Some(29_999));
    check(&backlog, lane, 29_999, 29_999, Some(29_999));
    check(&backlog, lane, 12_345, 12_344, None);
    check(&backlog, lane, 0, 30_000, None);
    check(&backlog, LaneKey(6), 0, 29, Some(29));
    check(&backlog, LaneKey(8), 9, 10, Some(10));
    check(&backlog, LaneKey(5), 0, 1, None);
    assert_eq!(backlog.end_of(LaneKey(5)).expect("the disk is sound"), None);
    assert_eq!(backlog.end_of(LaneKey(0)).expect("the disk is sound"), None);
    assert_eq!(backlog.end_of(lane).expect("the disk is sound"), Some(30_000));
}

#[test]
fn a_search_goes_on_after_its_segments_are_removed() {
    fn on_another_thread<T: Send + 'static>(value: T) -> T {
        value
    }
    let disk = disk(3);
    let mut backlog = empty(&disk);
    let lane = LaneKey(1);
    backlog.push(lane, 0, &entry(lane, 0));
    seal(&mut backlog, &disk, "one");
    let seek: Seek = on_another_thread(backlog.seek(lane, 0, entry(lane, 0).url()));
    let (folder, disk) = (folder(), Arc::new(disk));
    rhumb_disk::Disk::remove(&*disk, &folder.join("one")).expect("the disk is sound");
    assert_eq!(seek.run().expect("it is still open"), Some((0, entry(lane, 0))));
}
