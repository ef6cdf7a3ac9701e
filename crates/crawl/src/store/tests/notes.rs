//! Records of which no fact speaks.

use rhumb_archive::{Position, is_whole};

use super::life::{End, World};
use crate::store::{ARCHIVE, Store, open};

/// How far a note gets before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    Noted,
    Written,
    Synced,
}

/// A crawl that was killed, opened again.
fn reopen(world: &World) -> Store {
    let (disk, tables) = (world.shared_disk(), world.shared_tables());
    let opened = open(&disk, &tables, &world.settings).unwrap();
    let (folder, prefix) = (world.settings.folder.join(ARCHIVE), &world.settings.archive.prefix);
    let (begin, end) = (Position::default(), opened.store.known);
    assert!(is_whole(&*disk, &folder, prefix, begin, end).unwrap(), "up to {end:?}");
    opened.store
}

/// Whether a note is there after an end.
fn outlives(seed: u64, until: Until, end: End) -> bool {
    let mut world = World::new(seed);
    world.live(120 + seed, End::Kill);
    let mut store = reopen(&world);
    store.opened(store.last).unwrap();
    let before = store.known;
    store.note(&world.records(seed)).unwrap();
    store.note(&[]).unwrap();
    let noted = store.known;
    assert!(noted > before);
    match until {
        Until::Noted => {}
        Until::Written => store.write().unwrap(),
        Until::Synced => store.sync().unwrap(),
    }
    drop(store);
    match end {
        End::PowerCut => world.disk.crash(),
        End::Clean | End::Kill => world.disk.kill(),
    }
    let found = reopen(&world).known;
    assert!(found == noted || found == before, "{found:?}");
    found == noted
}

#[test]
fn a_note_that_was_written_outlives_a_kill_and_one_that_was_synced_a_power_cut() {
    for seed in 0..40 {
        assert!(outlives(seed, Until::Written, End::Kill), "seed {seed}");
        assert!(outlives(seed, Until::Synced, End::PowerCut), "seed {seed}");
    }
}

#[test]
fn a_note_that_was_not_written_is_cut_off_with_its_records() {
    for seed in 0..40 {
        assert!(!outlives(seed, Until::Noted, End::Kill), "seed {seed}");
    }
}

#[test]
fn a_note_that_was_not_synced_is_there_after_a_power_cut_as_a_whole_or_not_at_all() {
    let there = (0..120).filter(|seed| outlives(*seed, Until::Written, End::PowerCut)).count();
    assert!((1..120).contains(&there), "{there} of 120");
}

#[test]
fn a_checkpoint_knows_of_notes() {
    let mut world = World::new(5);
    world.live(100, End::Kill);
    let mut store = reopen(&world);
    store.note(&world.records(1)).unwrap();
    assert_eq!(store.mark().unwrap().archive, store.known);
}
