//! What a crash may take, and what it may not.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::SimulatedDisk;
use crate::{Disk, DiskFile, Room};

fn folder() -> &'static Path {
    Path::new("crawl/log")
}

fn path(name: &str) -> PathBuf {
    folder().join(name)
}

fn new(seed: u64) -> SimulatedDisk {
    let disk = SimulatedDisk::new(seed);
    disk.create_folder(folder()).unwrap();
    disk
}

fn read(disk: &SimulatedDisk, name: &str) -> Vec<u8> {
    let file = disk.open(&path(name)).unwrap();
    let mut bytes = vec![0; usize::try_from(file.length().unwrap()).unwrap()];
    assert_eq!(file.read_at(0, &mut bytes).unwrap(), bytes.len());
    bytes
}

/// A file whose name is safe.
fn safe(disk: &SimulatedDisk, name: &str) -> Box<dyn DiskFile> {
    let file = disk.create(&path(name)).unwrap();
    disk.sync_folder(folder()).unwrap();
    file
}

/// How many of 1,000 crashes leave what `is_so` says, after `act`.
fn crashes(
    act: impl Fn(&SimulatedDisk, &mut dyn DiskFile),
    is_so: impl Fn(&SimulatedDisk) -> bool,
) -> usize {
    let count = (0..1_000).filter(|seed| {
        let disk = new(*seed);
        let mut file = safe(&disk, "a");
        act(&disk, &mut *file);
        disk.crash();
        is_so(&disk)
    });
    count.count()
}

#[test]
fn what_was_written_is_read_before_any_sync() {
    let disk = new(1);
    let mut file = disk.create(&path("a")).unwrap();
    file.append(b"hello").unwrap();
    file.append(b" world").unwrap();
    file.cut(8).unwrap();
    assert_eq!(read(&disk, "a"), b"hello wo");
    let mut rest = [0; 9];
    assert_eq!(file.read_at(6, &mut rest).unwrap(), 2);
    assert_eq!(file.read_at(99, &mut rest).unwrap(), 0);
    assert_eq!(file.cut(9).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn what_was_synced_is_kept_in_every_crash() {
    let act = |_: &SimulatedDisk, file: &mut dyn DiskFile| {
        file.append(b"one two").unwrap();
        file.cut(4).unwrap();
        file.append(b"three").unwrap();
        file.sync().unwrap();
        file.append(b"four").unwrap();
    };
    assert_eq!(crashes(act, |disk| read(disk, "a").starts_with(b"one three")), 1_000);
}

type IsSo = fn(&[u8]) -> bool;

#[test]
fn what_was_not_synced_is_kept_or_lost_or_torn_or_has_a_hole() {
    let act = |_: &SimulatedDisk, file: &mut dyn DiskFile| {
        file.append(b"synced ").unwrap();
        file.sync().unwrap();
        file.append(b"first ").unwrap();
        file.append(b"second").unwrap();
    };
    let whole: &[u8] = b"synced first second";
    let kinds: [(&str, IsSo); 5] = [
        ("kept", |bytes| bytes == b"synced first second"),
        ("lost", |bytes| bytes == b"synced "),
        ("torn", |bytes| (8..19).contains(&bytes.len()) && !bytes.contains(&0)),
        ("hole", |bytes| bytes.len() == 19 && bytes.contains(&0)),
        ("second before first", |bytes| bytes == b"synced \0\0\0\0\0\0second"),
    ];
    for (kind, is_so) in kinds {
        let count = crashes(act, |disk| is_so(&read(disk, "a")));
        assert!(count > 10, "{kind}: {count}");
    }
    let invents = |bytes: &[u8]| bytes.iter().zip(whole).any(|(is, was)| is != was && *is != 0);
    assert_eq!(crashes(act, |disk| invents(&read(disk, "a"))), 0);
}

#[test]
fn a_cut_that_was_not_synced_may_be_undone() {
    let act = |_: &SimulatedDisk, file: &mut dyn DiskFile| {
        file.append(b"long").unwrap();
        file.sync().unwrap();
        file.cut(1).unwrap();
    };
    let undone = crashes(act, |disk| read(disk, "a") == b"long");
    let done = crashes(act, |disk| read(disk, "a") == b"l");
    assert!(undone > 100 && done > 100 && undone + done == 1_000, "{undone} and {done}");
}

#[test]
fn names_that_were_not_synced_happen_or_do_not() {
    let act = |disk: &SimulatedDisk, _: &mut dyn DiskFile| {
        disk.rename(&path("a"), &path("b")).unwrap();
        disk.create(&path("c")).unwrap();
        disk.remove(&path("b")).unwrap();
    };
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..1_000 {
        let disk = new(seed);
        act(&disk, &mut *safe(&disk, "a"));
        assert_eq!(disk.list(folder()).unwrap(), ["c"]);
        disk.crash();
        seen.insert(disk.list(folder()).unwrap().concat());
    }
    let expect = ["", "a", "ac", "b", "bc", "c"];
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), expect);
    let synced = |disk: &SimulatedDisk, file: &mut dyn DiskFile| {
        act(disk, file);
        disk.sync_folder(folder()).unwrap();
    };
    assert_eq!(crashes(synced, |disk| disk.list(folder()).unwrap() == ["c"]), 1_000);
}

#[test]
fn a_file_that_replaces_another_is_one_of_the_two_after_a_crash() {
    let act = |disk: &SimulatedDisk, file: &mut dyn DiskFile| {
        file.append(b"old").unwrap();
        file.sync().unwrap();
        let mut new = disk.create(&path("a.new")).unwrap();
        new.append(b"new").unwrap();
        new.sync().unwrap();
        disk.rename(&path("a.new"), &path("a")).unwrap();
    };
    let old = crashes(act, |disk| read(disk, "a") == b"old");
    let new = crashes(act, |disk| read(disk, "a") == b"new");
    assert!(old > 100 && new > 100 && old + new == 1_000, "{old} and {new}");
}

#[test]
fn files_that_were_open_in_a_crash_or_a_kill_answer_errors() {
    for end in [SimulatedDisk::crash, SimulatedDisk::kill] {
        let disk = new(1);
        let mut file = safe(&disk, "a");
        end(&disk);
        assert!(file.append(b"x").is_err());
        assert!(file.read_at(0, &mut [0]).is_err());
        assert!(file.length().is_err());
        assert!(file.cut(0).is_err());
        assert!(file.sync().is_err());
        assert_eq!(read(&disk, "a"), b"");
    }
}

#[test]
fn a_kill_keeps_all_that_was_written_until_the_power_fails() {
    let mut lost = 0;
    for seed in 0..100 {
        let disk = new(seed);
        disk.create(&path("a")).unwrap().append(b"unsynced").unwrap();
        disk.kill();
        assert_eq!(read(&disk, "a"), b"unsynced");
        disk.crash();
        let is_kept = disk.exists(&path("a")).unwrap() && read(&disk, "a") == b"unsynced";
        lost += i32::from(!is_kept);
    }
    assert!(lost > 10, "{lost}");
}

#[test]
fn operations_fail_from_a_given_one_on_until_a_crash() {
    let (mut parts, mut kinds) = ([0; 4], std::collections::HashSet::new());
    for seed in 0..100 {
        let disk = new(seed);
        let mut file = safe(&disk, "a");
        let before = disk.operations();
        disk.fail_after(1);
        file.append(b"yes").unwrap();
        kinds.insert(file.append(b"not").unwrap_err().kind());
        parts[read(&disk, "a").len() - 3] += 1;
        assert!(file.sync().is_err());
        assert!(file.cut(0).is_err());
        assert!(disk.create(&path("b")).is_err());
        assert!(disk.rename(&path("a"), &path("b")).is_err());
        assert!(disk.remove(&path("a")).is_err());
        assert!(disk.sync_folder(folder()).is_err());
        assert_eq!(disk.operations(), before + 8);
        disk.kill();
        disk.remove(&path("a")).unwrap();
    }
    assert!(parts.iter().all(|count| *count > 0), "{parts:?}");
    assert_eq!(kinds, [ErrorKind::StorageFull, ErrorKind::Other].into());
}

#[test]
fn a_flipped_byte_stays_so() {
    let disk = new(1);
    safe(&disk, "a").append(b"abc").unwrap();
    disk.flip(&path("a"), 1).unwrap();
    disk.crash();
    assert_eq!(read(&disk, "a"), [b'a', b'b' ^ 0xff, b'c']);
    assert!(disk.flip(&path("a"), 3).is_err());
}

#[test]
fn the_room_is_what_was_set() {
    let disk = new(1);
    let room = Room { free: 5, total: 10 };
    disk.set_room(room);
    assert_eq!(disk.room(folder()).unwrap(), room);
}

#[test]
fn a_file_needs_a_folder_and_a_free_name() {
    let disk = new(1);
    let kind = |path: &Path| disk.create(path).unwrap_err().kind();
    assert_eq!(kind(Path::new("elsewhere/a")), ErrorKind::NotFound);
    disk.create(&path("a")).unwrap();
    assert_eq!(kind(&path("a")), ErrorKind::AlreadyExists);
    assert_eq!(disk.open(&path("b")).unwrap_err().kind(), ErrorKind::NotFound);
}
