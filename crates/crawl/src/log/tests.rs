use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::{Disk, SharedDisk, SimulatedDisk};

use super::{FRAME_BYTES_MAX, Log, LogError, Offset, Verdict};

const FOLDER: &str = "crawl/log";
const SEGMENT_BYTES: u64 = 400;
const SEEDS: u64 = 1_000;

type Frame = (Offset, Vec<u8>);

/// `SplitMix64`.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let end = u64::try_from(end).unwrap();
        usize::try_from((mixed ^ (mixed >> 31)) % end).unwrap()
    }
}

/// A log, and what it must know.
struct World {
    disk: SimulatedDisk,
    log: Option<Log>,
    /// Where the newest checkpoint says that reading begins.
    from: Offset,
    frames: Vec<Frame>,
    /// So many frames survive a power cut.
    synced: usize,
    /// So many frames survive a kill.
    written: usize,
}

/// Gathers frames up to one that is refused.
fn taker(
    refused: Option<Offset>,
    found: &mut Vec<Frame>,
) -> impl FnMut(Offset, &[u8]) -> Result<Verdict, LogError> {
    move |at, payload| {
        if refused == Some(at) {
            return Ok(Verdict::CutHere);
        }
        found.push((at, payload.to_owned()));
        Ok(Verdict::Take)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Append(usize),
    Write,
    Sync,
    Rotate,
    Trim,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    PowerCut,
    Kill,
}

impl World {
    fn new(seed: u64) -> Self {
        let disk = SimulatedDisk::new(seed);
        disk.create_folder(Path::new("crawl")).unwrap();
        let (frames, from) = (Vec::new(), Offset(0));
        Self { disk, log: None, from, frames, synced: 0, written: 0 }
    }

    fn shared(&self) -> SharedDisk {
        Arc::new(self.disk.clone())
    }

    fn log(&mut self) -> &mut Log {
        self.log.as_mut().expect("the log is open")
    }

    fn act(&mut self, act: Act) -> Result<(), LogError> {
        match act {
            Act::Append(bytes) => {
                let payload = vec![u8::try_from(self.frames.len() % 251).unwrap(); bytes];
                let at = self.log().append(&payload)?;
                self.frames.push((at, payload));
            }
            Act::Write => {
                self.log().write()?;
                self.written = self.frames.len();
            }
            Act::Sync => {
                self.log().sync()?;
                (self.synced, self.written) = (self.frames.len(), self.frames.len());
                let synced = self.log().synced();
                assert!(self.frames.last().is_none_or(|(at, _)| *at < synced));
            }
            Act::Rotate => {
                self.from = self.log().rotate()?;
                (self.synced, self.written) = (self.frames.len(), self.frames.len());
            }
            Act::Trim => {
                let from = self.from;
                self.log().trim(from)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, end: End) {
        self.log = None;
        match end {
            End::PowerCut => {
                self.disk.crash();
                self.written = self.synced;
            }
            End::Kill => self.disk.kill(),
        }
    }

    /// Opens the log, with a verdict against one frame if that is asked. A reader has found the
    /// same before, and has changed nothing.
    fn read(&self, refused: Option<Offset>) -> Result<(Log, Vec<Frame>), LogError> {
        let (disk, folder, from) = (self.shared(), Path::new(FOLDER), self.from);
        let (mut seen, mut found) = (Vec::new(), Vec::new());
        let before = self.disk.operations();
        let looked = Log::read(&disk, folder, from, &mut taker(refused, &mut seen));
        assert_eq!(self.disk.operations(), before);
        let opened = Log::open(disk, folder, from, SEGMENT_BYTES, &mut taker(refused, &mut found));
        match (&looked, &opened) {
            (Err(looked), Err(opened)) => assert_eq!(looked.to_string(), opened.to_string()),
            // A disk that refuses changes does not stop a reader.
            (looked, Err(LogError::Io { .. }) | Ok(_)) => assert!(looked.is_ok()),
            (looked, opened) => panic!("{looked:?} and {opened:?}"),
        }
        assert_eq!(seen, found);
        Ok((opened?, found))
    }

    /// Opens the log: it must have a beginning of what was appended, and all that was promised.
    fn open(&mut self, refused: Option<Offset>) -> Result<(), LogError> {
        // An opening that fails may have cut already.
        let unrefused = self.frames.partition_point(|(at, _)| refused.is_none_or(|end| *at < end));
        self.written = self.written.min(unrefused);
        let (log, found) = self.read(refused)?;
        let first = self.frames.partition_point(|(at, _)| *at < self.from);
        let count = first + found.len();
        assert!(count >= self.written, "{count} frames are left of {}", self.written);
        assert_eq!(self.frames.get(first..count), Some(found.as_slice()));
        self.frames.truncate(count);
        (self.synced, self.written) = (count, count);
        self.log = Some(log);
        Ok(())
    }

    fn disk_end(&self) -> Offset {
        let (path, bytes) = self.files().pop().unwrap();
        Offset(start_of(&path) + u64::try_from(bytes.len()).unwrap())
    }

    fn paths(&self) -> Vec<PathBuf> {
        let names = self.disk.list(Path::new(FOLDER)).unwrap();
        names.iter().map(|name| Path::new(FOLDER).join(name)).collect()
    }

    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let read = |path: PathBuf| {
            let file = self.disk.open(&path).unwrap();
            let mut bytes = vec![0; usize::try_from(file.length().unwrap()).unwrap()];
            file.read_at(0, &mut bytes).unwrap();
            (path, bytes)
        };
        self.paths().into_iter().map(read).collect()
    }
}

/// Two sealed segments, and a last one with synced, marked, and unsynced frames.
fn small_log(seed: u64) -> World {
    let mut world = World::new(seed);
    world.open(None).unwrap();
    let acts = [
        [Act::Append(5), Act::Append(0), Act::Rotate],
        [Act::Append(30), Act::Sync, Act::Append(2)],
        [Act::Rotate, Act::Append(9), Act::Sync],
        [Act::Append(11), Act::Append(3), Act::Sync],
        [Act::Append(20), Act::Append(4), Act::Write],
    ];
    acts.into_iter().flatten().for_each(|act| world.act(act).unwrap());
    world.log = None;
    world.from = Offset(0);
    world
}

fn start_of(path: &Path) -> u64 {
    path.file_stem().unwrap().to_str().unwrap().parse().unwrap()
}

fn frame_end(frame: &Frame) -> u64 {
    frame.0.0 + 9 + u64::try_from(frame.1.len()).unwrap()
}

#[test]
fn what_was_synced_survives_power_cuts_and_what_was_written_survives_kills() {
    let (mut cut, mut faults, mut opened) = (0, 0, 0);
    for seed in 0..SEEDS {
        let mut chance = Chance(seed);
        let mut world = World::new(seed);
        for life in 0..5 {
            if chance.below(4) == 0 {
                world.disk.fail_after(u64::try_from(chance.below(8)).unwrap());
            }
            let unsure = world.frames.len() - world.synced;
            let refused = (unsure > 0 && chance.below(4) == 0)
                .then(|| world.frames[world.synced + chance.below(unsure)].0);
            let before = world.frames.len();
            let mut result = world.open(refused);
            cut += before - world.frames.len();
            opened += usize::from(result.is_ok());
            for _ in 0..chance.below(40) {
                if result.is_err() {
                    break;
                }
                if chance.below(60) == 0 {
                    world.disk.fail_after(u64::try_from(chance.below(4)).unwrap());
                }
                result = world.act(match chance.below(12) {
                    0..5 => Act::Append(chance.below(60)),
                    5..8 => Act::Write,
                    8..10 => Act::Sync,
                    10 => Act::Rotate,
                    _ => Act::Trim,
                });
            }
            if let Err(error) = result {
                assert!(matches!(error, LogError::Io { .. }), "seed {seed}: {error}");
                faults += 1;
            }
            let end = if chance.below(2) == 0 { End::PowerCut } else { End::Kill };
            world.end(if life == 4 { End::Kill } else { end });
        }
        world.open(None).unwrap();
    }
    assert!(cut > 1_000 && faults > 500 && opened > 3_000, "{cut} {faults} {opened}");
}

#[test]
fn a_failure_at_any_operation_loses_nothing_and_poisons() {
    let script = [
        [Act::Append(40), Act::Write, Act::Append(3), Act::Sync],
        [Act::Append(350), Act::Sync, Act::Append(20), Act::Write],
        [Act::Rotate, Act::Trim, Act::Append(8), Act::Write],
        [Act::Append(1), Act::Sync, Act::Append(2), Act::Rotate],
        [Act::Append(9), Act::Write, Act::Trim, Act::Sync],
    ];
    for end in [End::PowerCut, End::Kill] {
        let mut whole_at = None;
        for operations in 0..100 {
            let mut world = World::new(operations);
            world.disk.fail_after(operations);
            let mut result = world.open(None);
            for act in script.into_iter().flatten() {
                if result.is_ok() {
                    result = world.act(act);
                }
            }
            if result.is_ok() {
                whole_at = Some(operations);
                break;
            }
            if let Some(log) = &mut world.log {
                assert!(matches!(log.append(b"x"), Err(LogError::Poisoned { .. })));
                assert!(matches!(log.write(), Err(LogError::Poisoned { .. })));
                assert!(matches!(log.sync(), Err(LogError::Poisoned { .. })));
                assert!(matches!(log.rotate(), Err(LogError::Poisoned { .. })));
                assert!(matches!(log.trim(Offset(0)), Err(LogError::Poisoned { .. })));
            }
            world.end(end);
            // And opening what is left fails at every operation too, before it succeeds.
            for operations in 0..100 {
                world.disk.fail_after(operations);
                if world.open(None).is_ok() {
                    break;
                }
                world.end(end);
            }
            world.end(end);
            world.open(None).unwrap();
        }
        assert!(whole_at.is_some_and(|operations| operations > 20));
    }
}

#[test]
fn a_tail_cut_at_any_byte_leaves_the_whole_frames_before_it() {
    let length = small_log(0).files().pop().unwrap().1.len();
    for cut in 0..=length {
        let mut world = small_log(0);
        let path = world.paths().pop().unwrap();
        let cut = u64::try_from(cut).unwrap();
        world.disk.open(&path).unwrap().cut(cut).unwrap();
        let end = start_of(&path) + cut;
        let expected: Vec<Frame> =
            world.frames.iter().filter(|frame| frame_end(frame) <= end).cloned().collect();
        assert_eq!(world.read(None).unwrap().1, expected, "cut at {cut}");

        // The log goes on behind them.
        (world.frames, world.written) = (expected, 0);
        world.open(None).unwrap();
        world.act(Act::Append(7)).unwrap();
        world.act(Act::Write).unwrap();
        world.end(End::Kill);
        world.open(None).unwrap();
    }
}

#[test]
fn a_sealed_segment_that_is_cut_is_refused_and_left_alone() {
    for segment in 0..2 {
        let length = small_log(0).files()[segment].1.len();
        for cut in 0..length {
            let world = small_log(0);
            let path = &world.paths()[segment];
            world.disk.open(path).unwrap().cut(u64::try_from(cut).unwrap()).unwrap();
            let before = world.files();
            assert!(matches!(world.read(None), Err(LogError::Missing { .. })));
            assert_eq!(world.files(), before);
        }
    }
}

#[test]
fn a_flipped_byte_is_an_error_where_all_was_synced_and_a_torn_tail_behind() {
    let world = small_log(0);
    // The third sync of the script comes after the frame of 3 bytes; its mark was written.
    let known = frame_end(&world.frames[6]);
    for (path, bytes) in world.files() {
        for position in 0..u64::try_from(bytes.len()).unwrap() {
            let world = small_log(0);
            world.disk.flip(&path, position).unwrap();
            let before = world.files();
            let place = start_of(&path) + position;
            match world.read(None) {
                Ok((_, found)) => {
                    let whole = |frame: &&Frame| frame_end(frame) <= place;
                    let expected: Vec<Frame> = world.frames.iter().filter(whole).cloned().collect();
                    assert!(place >= known, "{place} was known to be synced");
                    assert_eq!(found, expected);
                }
                Err(LogError::Corrupt { .. } | LogError::Format { .. }) => {
                    assert!(place < known, "{place} was not known to be synced");
                    assert_eq!(world.files(), before);
                }
                Err(error) => panic!("flipped at {place}: {error}"),
            }
        }
    }
}

#[test]
fn a_missing_segment_is_refused() {
    for segment in 0..2 {
        let world = small_log(0);
        world.disk.remove(&world.paths()[segment]).unwrap();
        let before = world.files();
        assert!(matches!(world.read(None), Err(LogError::Missing { .. })));
        assert_eq!(world.files(), before);
    }
    let mut world = small_log(0);
    let end = world.disk_end();
    world.from = Offset(end.0 + 1);
    assert!(matches!(world.read(None), Err(LogError::Missing { .. })));
    world.from = end;
    assert_eq!(world.read(None).unwrap().1, []);
    assert_eq!(world.paths().len(), 1, "the rest lies before the checkpoint");

    let mut world = World::new(0);
    world.from = Offset(1);
    assert!(matches!(world.read(None), Err(LogError::Missing { .. })));
}

#[test]
fn a_frame_that_the_reader_refuses_is_cut_with_all_behind_it() {
    for refused in 0..small_log(0).frames.len() {
        let mut world = small_log(0);
        let at = world.frames[refused].0;
        assert_eq!(world.read(Some(at)).unwrap().1, &world.frames[..refused]);
        assert_eq!(world.read(None).unwrap().1, &world.frames[..refused]);
        world.disk.crash();
        world.frames.truncate(refused);
        (world.synced, world.written) = (refused, refused);
        world.open(None).unwrap();
    }
}

/// Opens a small log with a failure at every operation and a power cut behind it, until it opens.
fn check_power_cuts_while_opening(from: impl Fn(&World) -> Offset, refused: Option<usize>) {
    for operations in 0..12 {
        for seed in 0..20 {
            let mut world = small_log(seed);
            world.from = from(&world);
            if world.from > Offset(0) {
                // A checkpoint speaks of what is synced only.
                world.disk.open(&world.paths()[2]).unwrap().sync().unwrap();
                world.synced = world.frames.len();
            }
            let refused = refused.map(|index| world.frames[index].0);
            world.disk.fail_after(operations);
            let first = world.open(refused);
            assert!(first.is_ok() || matches!(first, Err(LogError::Io { .. })), "{first:?}");
            world.written = world.written.min(world.synced);
            world.end(End::PowerCut);
            world.open(refused).unwrap();
            assert!(refused.is_none_or(|at| world.frames.iter().all(|frame| frame.0 < at)));
        }
    }
}

#[test]
fn a_power_cut_while_segments_are_cut_off_leaves_no_gap() {
    for refused in 0..4 {
        check_power_cuts_while_opening(|world| world.from, Some(refused));
    }
}

#[test]
fn a_power_cut_while_opening_at_the_very_end_loses_no_offset() {
    check_power_cuts_while_opening(World::disk_end, None);
}

#[test]
fn a_frame_in_the_place_of_another_is_noticed() {
    let mut world = World::new(0);
    world.open(None).unwrap();
    for act in [Act::Append(9), Act::Append(9), Act::Rotate] {
        world.act(act).unwrap();
    }
    world.end(End::Kill);
    world.from = Offset(0);
    let (path, bytes) = world.files().remove(0);
    let mut file = world.disk.open(&path).unwrap();
    file.cut(20).unwrap();
    file.append(&[&bytes[38..], &bytes[20..38]].concat()).unwrap();
    assert!(matches!(world.read(None), Err(LogError::Corrupt { offset: Offset(20), .. })));
}

#[test]
fn an_error_of_the_reader_changes_nothing() {
    let world = small_log(0);
    let before = world.files();
    let result = Log::open(world.shared(), Path::new(FOLDER), Offset(0), 1, &mut |offset, _| {
        Err(LogError::Refused { offset, reason: "no such fact".to_owned() })
    });
    assert!(matches!(result, Err(LogError::Refused { .. })));
    assert_eq!(world.files(), before);
}

#[test]
fn a_checkpoint_in_the_middle_of_a_segment_hands_on_what_is_behind_it() {
    let mut world = small_log(0);
    for index in 0..world.frames.len() {
        world.from = world.frames[index].0;
        assert_eq!(world.read(None).unwrap().1, &world.frames[index..]);
    }
    let mut world = small_log(0);
    world.from = Offset(world.frames[1].0.0 - 1);
    assert!(matches!(world.read(None), Err(LogError::Corrupt { .. })), "no frame begins there");
}

#[test]
fn a_newer_format_is_named() {
    let world = small_log(0);
    let path = world.paths()[2].clone();
    world.disk.flip(&path, 7).unwrap();
    let error = world.read(None).unwrap_err();
    assert!(matches!(error, LogError::Format { number: 254, .. }));
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
}

#[test]
fn opening_again_and_again_adds_no_files() {
    let mut world = small_log(0);
    world.open(None).unwrap();
    let before = world.files();
    for _ in 0..5 {
        world.end(End::Kill);
        world.open(None).unwrap();
    }
    assert_eq!(world.files(), before);
}

#[test]
fn a_sync_without_news_touches_nothing() {
    let mut world = small_log(0);
    world.open(None).unwrap();
    world.act(Act::Append(3)).unwrap();
    world.act(Act::Sync).unwrap();
    let (operations, end) = (world.disk.operations(), world.log().end());
    world.act(Act::Sync).unwrap();
    assert_eq!((world.disk.operations(), world.log().end()), (operations, end));
}

#[test]
fn segments_are_sealed_at_their_size_and_trimmed_behind_a_checkpoint() {
    let mut world = World::new(0);
    world.open(None).unwrap();
    for _ in 0..100 {
        world.act(Act::Append(50)).unwrap();
        world.act(Act::Sync).unwrap();
    }
    let sizes: Vec<usize> = world.files().iter().map(|(_, bytes)| bytes.len()).collect();
    assert!(sizes.len() > 10 && sizes.iter().all(|size| *size <= 500), "{sizes:?}");
    let second = Offset(start_of(&world.paths()[1]));
    world.log().trim(Offset(second.0 - 1)).unwrap();
    assert_eq!(world.paths().len(), sizes.len());
    world.log().trim(second).unwrap();
    assert_eq!(world.paths().len(), sizes.len() - 1);
    world.act(Act::Rotate).unwrap();
    world.act(Act::Trim).unwrap();
    assert_eq!(world.paths().len(), 1);
    world.end(End::PowerCut);
    world.open(None).unwrap();
}

#[test]
fn a_frame_beyond_the_maximum_is_refused_and_the_log_goes_on() {
    let mut world = World::new(0);
    world.open(None).unwrap();
    let error = world.log().append(&vec![0; FRAME_BYTES_MAX + 1]).unwrap_err();
    assert!(matches!(error, LogError::TooLarge { .. }));
    world.act(Act::Append(FRAME_BYTES_MAX)).unwrap();
    world.act(Act::Sync).unwrap();
    world.end(End::PowerCut);
    world.open(None).unwrap();
}

#[test]
fn a_real_folder_is_made_and_read_back() {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("log");
    let mut found = Vec::new();
    for life in 0..3u8 {
        found.clear();
        let mut log =
            Log::open(rhumb_disk::real(), &folder, Offset(0), 1 << 20, &mut |_, payload| {
                found.extend_from_slice(payload);
                Ok(Verdict::Take)
            })
            .unwrap();
        log.append(&[life]).unwrap();
        log.sync().unwrap();
    }
    assert_eq!(found, [0, 1]);
}
