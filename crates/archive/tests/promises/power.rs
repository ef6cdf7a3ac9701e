//! Whatever a kill or a power cut leaves, an archive opens with just what the log knows.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rhumb_archive::{Archive, ArchiveError, Encoded, Keep, Kind, Placed, Position, is_whole};
use rhumb_disk::{Disk, SharedDisk, SimulatedDisk};

use crate::samples::{everything, settings};

const SEEDS: u64 = 300;

fn folder() -> &'static Path {
    Path::new("crawl/archive")
}

fn open(disk: &SimulatedDisk, rotate_bytes: u64, keep: Keep) -> Result<Archive, ArchiveError> {
    let shared: SharedDisk = Arc::new(disk.clone());
    Archive::open(shared, folder(), settings(rotate_bytes), keep)
}

fn read(disk: &SimulatedDisk, name: &str) -> Vec<u8> {
    let file = disk.open(&folder().join(name)).unwrap();
    let mut bytes = vec![0; usize::try_from(file.length().unwrap()).unwrap()];
    file.read_at(0, &mut bytes).unwrap();
    bytes
}

fn names(disk: &SimulatedDisk) -> Vec<String> {
    disk.list(folder()).unwrap()
}

/// The lines of an index, each as the file and the extent that it names.
fn lines(disk: &SimulatedDisk, name: &str) -> Vec<(String, u64, u64)> {
    let text = String::from_utf8(read(disk, name)).unwrap();
    assert!(text.lines().is_sorted(), "{name}");
    let extent = |line: &str| {
        let json: serde_json::Value =
            serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
        let number = |name: &str| json[name].as_str().unwrap().parse::<u64>().unwrap();
        (json["filename"].as_str().unwrap().to_owned(), number("offset"), number("length"))
    };
    let mut lines: Vec<_> = text.lines().map(extent).collect();
    lines.sort();
    lines
}

/// What was appended and where: what an archive should hold.
#[derive(Default)]
struct Kept<'a>(Vec<(Placed, &'a Encoded)>);

impl Kept<'_> {
    fn cut_back(&mut self, to: Position) {
        self.0.retain(|(placed, _)| placed.end <= to);
    }

    fn files(&self) -> BTreeSet<String> {
        self.0.iter().map(|(placed, _)| placed.file.as_ref().to_owned()).collect()
    }

    fn lines(&self) -> Vec<(String, u64, u64)> {
        let indexed =
            self.0.iter().filter(|(_, encoded)| encoded.records[0].kind != Kind::Metadata);
        let mut lines: Vec<_> = indexed
            .map(|(placed, encoded)| {
                let length = u64::try_from(encoded.records[0].length).unwrap();
                (placed.file.as_ref().to_owned(), placed.offset, length)
            })
            .collect();
        lines.sort();
        lines
    }

    /// All records are there, once, in files and indexes, and nothing else is.
    fn check(&self, disk: &SimulatedDisk, why: &str) {
        let warcs = self.files();
        let indexes = warcs.iter().map(|name| name.replace(".warc.gz", ".cdxj"));
        let mut expect: BTreeSet<String> = indexes.chain(warcs.iter().cloned()).collect();
        if names(disk).iter().any(|name| name == "index.cdxj") {
            expect.insert("index.cdxj".to_owned());
            let known = self.lines();
            let is_known = |line| known.contains(line);
            assert!(lines(disk, "index.cdxj").iter().all(is_known), "{why}: merged index");
        }
        assert_eq!(names(disk).into_iter().collect::<BTreeSet<_>>(), expect, "{why}");
        for warc in &warcs {
            let bytes = read(disk, warc);
            let inside = self.0.iter().filter(|(placed, _)| *placed.file == **warc);
            let mut end = None;
            for (placed, encoded) in inside {
                let start = usize::try_from(placed.offset).unwrap();
                assert!(end.is_none_or(|end| end == start), "{why}: a gap in {warc}");
                let piece = bytes.get(start..start + encoded.bytes.len());
                assert_eq!(piece, Some(&*encoded.bytes), "{why}: {warc} at {start}");
                end = Some(start + encoded.bytes.len());
            }
            assert_eq!(end, Some(bytes.len()), "{why}: the end of {warc}");
        }
        let found = warcs.iter().flat_map(|warc| lines(disk, &warc.replace(".warc.gz", ".cdxj")));
        assert_eq!(found.collect::<Vec<_>>(), self.lines(), "{why}: lines");
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }
}

/// What a run knows for sure when it ends.
#[derive(Clone, Copy, Default)]
struct Reached {
    /// What an append has answered.
    written: Position,
    /// What a kill does not take.
    flushed: Position,
    /// What a power cut does not take.
    synced: Position,
}

/// One run: appends, flushes, syncs and rotations, until it ends or the disk fails.
fn run<'a>(
    mut archive: Archive,
    dice: &mut Dice,
    samples: &'a [Encoded],
    kept: &mut Kept<'a>,
) -> Reached {
    let position = archive.position();
    let mut reached = Reached { written: position, flushed: position, synced: position };
    for _ in 0..dice.below(40) {
        let index = usize::try_from(dice.below(100_000)).unwrap() % samples.len();
        let done = match dice.below(12) {
            0 => archive.sync().map(|()| {
                reached.flushed = archive.position();
                reached.synced = archive.position();
            }),
            1 => archive.seal().map(|()| reached.flushed = archive.position()),
            2 | 3 => archive.flush().map(|()| reached.flushed = archive.position()),
            _ => archive.append(&samples[index]).map(|placed| {
                assert_eq!(placed.end, archive.position());
                kept.0.push((placed, &samples[index]));
                reached.written = archive.position();
            }),
        };
        if done.is_err() {
            return reached;
        }
    }
    if dice.below(3) == 0 && archive.close().is_ok() {
        reached.flushed = reached.written;
    }
    reached
}

/// Opens, through faults on the way, and through crashes where all that is known is synced.
fn open_at_last(
    disk: &SimulatedDisk,
    dice: &mut Dice,
    rotate_bytes: u64,
    position: Position,
    is_synced: bool,
) -> Archive {
    for _ in 0..dice.below(4) {
        disk.fail_after(dice.below(25));
        if let Err(error) = open(disk, rotate_bytes, Keep::UpTo(position)) {
            assert!(matches!(error, ArchiveError::Io { .. }), "{error}");
        }
        if is_synced && dice.below(2) == 0 {
            disk.crash();
        } else {
            disk.kill();
        }
    }
    open(disk, rotate_bytes, Keep::UpTo(position)).unwrap()
}

#[test]
fn after_any_crash_the_archive_holds_what_the_log_knows_once_and_nothing_beyond() {
    let samples = everything();
    let (mut torn, mut survived) = (0, 0);
    for seed in 0..SEEDS {
        let (disk, mut dice) = (SimulatedDisk::new(seed), Dice(seed));
        let rotate_bytes = 3_000 + dice.below(40_000);
        let (mut kept, mut position) = (Kept::default(), Position::default());
        let mut synced = position;
        for life in 0..5 {
            let is_synced = position == synced;
            let archive = open_at_last(&disk, &mut dice, rotate_bytes, position, is_synced);
            let why = format!("seed {seed}, life {life}");
            assert_eq!(archive.position(), position, "{why}");
            kept.check(&disk, &why);
            if dice.below(2) == 0 {
                disk.fail_after(dice.below(80));
            }
            let reached = run(archive, &mut dice, &samples, &mut kept);
            synced = reached.synced;
            position = if dice.below(3) == 0 {
                disk.kill();
                reached.flushed
            } else {
                disk.crash();
                // The log's unsynced end may have survived where the archive's did not.
                let (from, to) = (reached.synced, reached.written);
                let is_there = is_whole(&disk, folder(), "rhumb", from, to).unwrap();
                *(if is_there { &mut survived } else { &mut torn }) += u32::from(from < to);
                if is_there { to } else { from }
            };
            kept.cut_back(position);
        }
        open(&disk, rotate_bytes, Keep::UpTo(position)).unwrap().close().unwrap();
        kept.check(&disk, &format!("seed {seed}, at the end"));
        assert_eq!(lines(&disk, "index.cdxj"), kept.lines(), "seed {seed}");
    }
    assert!(torn > 100 && survived > 100, "{torn} torn, {survived} survived");
}

#[test]
fn without_a_log_a_crash_takes_nothing_that_was_synced() {
    let samples = everything();
    for seed in 0..SEEDS {
        let (disk, mut dice, mut kept) = (SimulatedDisk::new(seed), Dice(seed), Kept::default());
        let rotate_bytes = 3_000 + dice.below(40_000);
        for life in 0..3 {
            let archive = open(&disk, rotate_bytes, Keep::Everything).unwrap();
            let reached = run(archive, &mut dice, &samples, &mut kept);
            disk.crash();
            for _ in 0..dice.below(3) {
                disk.fail_after(dice.below(25));
                drop(open(&disk, rotate_bytes, Keep::Everything));
                disk.crash();
            }
            drop(open(&disk, rotate_bytes, Keep::Everything).unwrap());
            disk.crash();
            kept.cut_back(reached.synced);
            for (placed, encoded) in &kept.0 {
                let start = usize::try_from(placed.offset).unwrap();
                let piece = &read(&disk, &placed.file)[start..start + encoded.bytes.len()];
                assert_eq!(piece, encoded.bytes, "seed {seed}, life {life}: {placed:?}");
            }
            let lines = |name: &String| lines(&disk, &name.replace(".warc.gz", ".cdxj"));
            let found: Vec<_> = kept.files().iter().flat_map(lines).collect();
            let is_found = |line| found.contains(line);
            assert!(kept.lines().iter().all(is_found), "seed {seed}, life {life}");
        }
    }
}

/// A disk on which a run was killed in its third file, all of it synced.
fn killed(seed: u64, samples: &[Encoded]) -> (SimulatedDisk, Kept<'_>) {
    let disk = SimulatedDisk::new(seed);
    let mut archive = open(&disk, u64::MAX, Keep::Everything).unwrap();
    let mut kept = Kept::default();
    for (number, encoded) in (0..).zip(samples) {
        if number == 5 || number == 10 {
            archive.seal().unwrap();
        }
        kept.0.push((archive.append(encoded).unwrap(), encoded));
    }
    archive.sync().unwrap();
    drop(archive);
    disk.kill();
    (disk, kept)
}

/// Opens again and again, on disks made by `make`: each time the disk fails a step later, then the
/// process is killed or the power cut. `check` gets the disk after that, and what the case was.
fn fail_at_every_step(
    keep: Keep,
    make: impl Fn(u64) -> SimulatedDisk,
    check: impl Fn(&SimulatedDisk, &str),
) {
    for seed in 0..16 {
        for steps in 0.. {
            let disk = make(seed * 1_000 + steps);
            disk.fail_after(steps);
            let is_open = open(&disk, u64::MAX, keep).is_ok();
            if seed == 0 {
                disk.kill();
            } else {
                disk.crash();
            }
            check(&disk, &format!("seed {seed}, {steps} steps"));
            assert!(steps < 100, "it never ends");
            if is_open {
                break;
            }
        }
    }
}

#[test]
fn an_opening_that_fails_at_any_step_can_be_repeated() {
    let samples = everything();
    for is_closed in [false, true] {
        for index in [2, 7, 9, 12, samples.len() - 1] {
            let make = |seed| {
                let (disk, kept) = killed(seed, &samples);
                if is_closed {
                    open(&disk, u64::MAX, Keep::Everything).unwrap().close().unwrap();
                }
                (disk, kept)
            };
            let (_, mut kept) = make(0);
            let position = kept.0[index].0.end;
            kept.cut_back(position);
            fail_at_every_step(
                Keep::UpTo(position),
                |seed| make(seed).0,
                |disk, why| {
                    open(disk, u64::MAX, Keep::UpTo(position)).unwrap();
                    kept.check(disk, &format!("record {index}, {why}"));
                },
            );
        }
    }
}

#[test]
fn a_file_that_is_set_aside_is_never_lost_on_the_way() {
    // A member with a stored block that claims to be longer than the rest of the file.
    let swallows = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\xff\xff\0\0WARC/1.1\r\n";
    let samples = everything();
    let damaged = [&samples[0].bytes, &swallows[..], &samples[1].bytes].concat();
    let make = |seed| {
        let disk = SimulatedDisk::new(seed);
        disk.create_folder(folder()).unwrap();
        let mut file = disk.create(&folder().join("x.warc.gz.open")).unwrap();
        file.append(&damaged).unwrap();
        file.sync().unwrap();
        disk.sync_folder(folder()).unwrap();
        disk
    };
    fail_at_every_step(Keep::Everything, make, |disk, why| {
        open(disk, u64::MAX, Keep::Everything).unwrap();
        disk.crash();
        assert_eq!(read(disk, "x.warc.gz.damaged"), damaged, "{why}");
        assert_eq!(read(disk, "x.warc.gz"), samples[0].bytes, "{why}");
    });
}

#[test]
fn a_sealed_file_and_a_closed_archive_are_safe_as_they_are() {
    let samples = everything();
    let contents = |disk: &SimulatedDisk| -> Vec<(String, Vec<u8>)> {
        names(disk).into_iter().map(|name| (name.clone(), read(disk, &name))).collect()
    };
    for seed in 0..100 {
        let disk = SimulatedDisk::new(seed);
        let mut archive = open(&disk, u64::MAX, Keep::Everything).unwrap();
        archive.append(&samples[0]).unwrap();
        archive.seal().unwrap();
        let sealed = contents(&disk);
        disk.crash();
        assert_eq!(contents(&disk), sealed, "seed {seed}");
        open(&disk, u64::MAX, Keep::Everything).unwrap().close().unwrap();
        let closed = contents(&disk);
        disk.crash();
        assert_eq!(contents(&disk), closed, "seed {seed}");
    }
}

#[test]
fn a_sealed_file_is_cut_back_too_and_the_next_serial_follows() {
    let samples = everything();
    let (disk, mut kept) = killed(1, &samples);
    open(&disk, u64::MAX, Keep::Everything).unwrap().close().unwrap();
    kept.check(&disk, "closed");
    let position = kept.0[6].0.end;
    assert_eq!(position.serial, 2);
    kept.cut_back(position);
    let mut archive = open(&disk, u64::MAX, Keep::UpTo(position)).unwrap();
    kept.check(&disk, "cut back");
    assert!(!names(&disk).contains(&"index.cdxj".to_owned()), "it named what is gone");
    let placed = archive.append(&samples[0]).unwrap();
    assert_eq!(placed.end.serial, 3);
    assert!(placed.file.ends_with("-00003.warc.gz"), "{}", placed.file);
}

#[test]
fn where_nothing_is_known_every_file_of_ours_goes_and_no_other() {
    let samples = everything();
    let (disk, _) = killed(1, &samples);
    let foreign = [
        "other-20260203040506-00001.warc.gz",
        "rhumb-20260203040506-00001.txt",
        "rhumb-20260203040506-00001.warc.gz.damaged",
        "rhumb-mine-00001.warc.gz",
    ];
    let older = "rhumb-20260203040506-00000.warc.gz";
    for name in foreign.into_iter().chain([older]) {
        let mut file = disk.create(&folder().join(name)).unwrap();
        file.append(&samples[0].bytes).unwrap();
    }
    let archive = open(&disk, u64::MAX, Keep::UpTo(Position::default())).unwrap();
    assert_eq!(archive.position(), Position::default());
    let is_index = |name: &String| name.contains(".cdxj");
    let left: Vec<String> = names(&disk).into_iter().filter(|name| !is_index(name)).collect();
    assert_eq!(left, foreign);
}

#[test]
fn everything_is_kept_up_to_the_end_of_the_last_file() {
    let samples = everything();
    let (disk, kept) = killed(1, &samples);
    let archive = open(&disk, u64::MAX, Keep::Everything).unwrap();
    assert_eq!(archive.position(), kept.0.last().unwrap().0.end);
    kept.check(&disk, "all");
}

#[test]
fn an_archive_that_ends_before_what_the_log_knows_is_refused_and_left_as_it_is() {
    let samples = everything();
    let (disk, kept) = killed(1, &samples);
    let end = kept.0.last().unwrap().0.end;
    let check = |position: Position, has: u64| {
        let before = names(&disk);
        let refused = open(&disk, u64::MAX, Keep::UpTo(position)).unwrap_err();
        let wants = position.end;
        let expect = format!("is whole up to byte {has} of {wants}");
        assert!(refused.to_string().ends_with(&expect), "{refused}");
        let records = |names: Vec<String>| -> Vec<String> {
            names.into_iter().filter(|name| name.contains(".warc.gz")).collect()
        };
        assert_eq!(records(names(&disk)), records(before));
    };
    check(Position { end: end.end + 1, ..end }, end.end);
    check(Position { serial: 4, end: 100 }, 0);
    let record_end = kept.0[11].0.end;
    check(Position { end: record_end.end + 1, ..record_end }, record_end.end);
    disk.flip(&folder().join(format!("{}.open", kept.0[16].0.file)), end.end - 3).unwrap();
    check(end, kept.0[15].0.end.end);
}

#[test]
fn a_flipped_byte_between_two_positions_is_found_in_whichever_file() {
    let samples = everything();
    let (disk, kept) = killed(1, &samples);
    let whole =
        |from: Position, to: Position| is_whole(&disk, folder(), "rhumb", from, to).unwrap();
    let end = |index: usize| kept.0[index].0.end;
    let last = end(samples.len() - 1);
    assert!(whole(Position::default(), last));
    assert!(whole(end(3), end(12)));
    assert!(whole(last, last));
    assert!(!whole(last, Position { end: last.end + 1, ..last }));
    assert!(!whole(last, Position { serial: 4, end: 1 }));
    assert!(!whole(end(3), Position { end: end(12).end - 1, ..end(12) }));
    disk.flip(&folder().join(&*kept.0[7].0.file), kept.0[7].0.offset + 100).unwrap();
    assert!(!whole(end(3), end(12)));
    assert!(!whole(end(6), end(7)));
    assert!(whole(end(3), end(6)));
    assert!(whole(end(7), end(12)));
}
