//! One long lane, many short ones, and what a refill costs.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rhumb_disk::{Disk, DiskFile, Room, SharedDisk};
use rhumb_frontier::backlog::{Backlog, BacklogError, Frozen, LaneKey, Lanes, Merge, Reading};

use super::{disk, empty, entry, folder, merge, seal};

/// Counts the reads of another disk.
#[derive(Clone, Debug)]
struct Counting {
    disk: SharedDisk,
    reads: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct CountingFile {
    file: Box<dyn DiskFile>,
    reads: Arc<AtomicUsize>,
}

impl Disk for Counting {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.disk.create(path)
    }
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = self.disk.open(path)?;
        Ok(Box::new(CountingFile { file, reads: Arc::clone(&self.reads) }))
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.disk.exists(path)
    }
    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        self.disk.create_folder(folder)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.disk.list(folder)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.disk.sync_folder(folder)
    }
    fn room(&self, folder: &Path) -> io::Result<Room> {
        self.disk.room(folder)
    }
}

impl DiskFile for CountingFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.append(bytes)
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.file.read_at(offset, buffer)
    }
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.cut(length)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}

/// The same backlog on a disk that counts.
fn counted(backlog: &Backlog, disk: SharedDisk) -> (Backlog, Arc<AtomicUsize>) {
    let reads = Arc::new(AtomicUsize::new(0));
    let counting = Arc::new(Counting { disk, reads: Arc::clone(&reads) });
    let backlog = Backlog::open(counting, folder(), &backlog.segments()).expect("it is sound");
    (backlog, reads)
}

/// How many reads it costs to bring what, and how much comes.
fn refill(backlog: &Backlog, reads: &AtomicUsize, lane: LaneKey, ordinal: u64) -> (usize, u64) {
    reads.store(0, Ordering::Relaxed);
    let entries = backlog.read(lane, ordinal, 192).run().expect("it was pushed").into_entries();
    let count = (ordinal..).zip(entries).map(|(at, found)| assert_eq!(found, entry(lane, at)));
    let count = count.count();
    (reads.load(Ordering::Relaxed), u64::try_from(count).expect("it is small"))
}

#[test]
fn a_lane_of_100_000_is_refilled_by_one_look_up_and_one_read_in_each_group() {
    let disk = disk(1);
    let mut backlog = empty(&disk);
    let lane = LaneKey(7);
    (0..100_000).for_each(|ordinal| backlog.push(lane, ordinal, &entry(lane, ordinal)));
    seal(&mut backlog, &disk, "one");
    assert_eq!(backlog.bytes(), 0, "all of it is on disk");
    let (backlog, reads) = counted(&backlog, Arc::new(disk));
    let (mut at, mut refills, mut costs) = (0, 0, 0);
    while at < 100_000 {
        let (cost, came) = refill(&backlog, &reads, lane, at);
        assert!(cost == 2 || cost == 4, "an index block and the entries, of two groups at most");
        at += came;
        refills += 1;
        costs += cost;
    }
    assert_eq!(refills, 100_000_usize.div_ceil(192), "each is full");
    assert!(costs < refills * 5 / 2, "{costs} reads of {refills} refills: most are in one group");
}

#[test]
fn a_look_up_reads_at_most_one_block_in_each_live_segment() {
    let disk = disk(2);
    let mut backlog = empty(&disk);
    for segment in 0..7 {
        for lane in (0..2_000).map(LaneKey) {
            backlog.push(lane, segment, &entry(lane, segment));
        }
        seal(&mut backlog, &disk, &format!("{segment}"));
    }
    let (backlog, reads) = counted(&backlog, Arc::new(disk));
    for (lane, segment) in [(0, 0), (1_999, 3), (1_000, 6), (63, 1), (64, 5)] {
        let (cost, came) = refill(&backlog, &reads, LaneKey(lane), segment);
        assert_eq!(came, 7 - segment);
        let (older, holding) = (segment, 7 - segment);
        let expect = usize::try_from(older + 2 * holding).expect("it is small");
        // One block more where a group begins with the lane.
        let is_dear = !(expect..=expect + 1).contains(&cost);
        assert!(!is_dear, "a block of each, and the entries of those that hold some: {cost}");
    }
}

#[test]
fn many_lanes_with_one_entry_each_come_back() {
    let disk = disk(3);
    let mut backlog = empty(&disk);
    // Multiplication by an odd number gives each its own key, in a mixed order.
    let lanes = || (0..60_000_u64).map(|n| LaneKey(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    for (n, lane) in lanes().enumerate() {
        backlog.push(lane, 0, &entry(lane, 0));
        if n % 7_500 == 7_499 {
            seal(&mut backlog, &disk, &format!("{n}"));
        }
    }
    merge(&mut backlog, &disk, "merged", &|_| 0);
    assert_eq!(backlog.segments().len(), 1);
    let (backlog, reads) = counted(&backlog, Arc::new(disk));
    for lane in lanes().step_by(7) {
        assert_eq!(refill(&backlog, &reads, lane, 0), (2, 1));
    }
    let ends = backlog.lanes().expect("the disk is sound");
    assert_eq!(ends.filter(|lane| lane.as_ref().is_ok_and(|(_, end)| *end == 1)).count(), 60_000);
}

#[test]
fn few_segments_live_however_many_are_written() {
    let disk = disk(4);
    let mut backlog = empty(&disk);
    let (lane, other) = (LaneKey(1), LaneKey(2));
    for n in 0..200 {
        backlog.push(lane, n, &entry(lane, n));
        backlog.push(other, n, &entry(other, n));
        seal(&mut backlog, &disk, &format!("{n}"));
        while backlog.merge().is_some() {
            let name = format!("{n}.{}", backlog.segments().len());
            merge(&mut backlog, &disk, &name, &|key| if key == lane { n } else { 0 });
        }
        assert!(backlog.segments().len() <= 21, "seven of each of three levels");
    }
    let kept: u64 = backlog.segments().iter().map(|segment| segment.entries).sum();
    assert!((200..=200 + 24).contains(&kept), "{kept}: what was taken is not merged");
    let all = backlog.read(other, 0, 500).run().expect("it was pushed").into_entries();
    assert_eq!(all.len(), 200, "all segments bring what they have");
}

#[test]
fn a_merged_segment_stands_where_those_stood_from_which_it_was_made() {
    let disk = disk(8);
    let mut backlog = empty(&disk);
    for n in 0..10 {
        backlog.push(LaneKey(1), n, &entry(LaneKey(1), n));
        seal(&mut backlog, &disk, &format!("{n}"));
    }
    merge(&mut backlog, &disk, "merged", &|_| 0);
    let names: Vec<String> = backlog.segments().into_iter().map(|info| info.name).collect();
    assert_eq!(names, ["merged", "8", "9"]);
}

#[test]
fn a_lane_that_was_taken_wholly_leaves_an_empty_segment() {
    let disk = disk(5);
    let mut backlog = empty(&disk);
    let lane = LaneKey(1);
    for n in 0..8 {
        backlog.push(lane, n, &entry(lane, n));
        seal(&mut backlog, &disk, &format!("{n}"));
    }
    let replaced = merge(&mut backlog, &disk, "merged", &|_| 8);
    assert_eq!(replaced.len(), 8);
    assert_eq!(backlog.orphans().expect("the disk is sound"), replaced);
    let backlog = Backlog::open(Arc::new(disk), folder(), &backlog.segments()).expect("sound");
    assert_eq!(backlog.segments()[0].entries, 0);
    assert_eq!(backlog.lanes().expect("the disk is sound").count(), 0);
    let absent = backlog.read(lane, 7, 1).run();
    assert!(matches!(absent, Err(BacklogError::Absent { ordinal: 7, .. })), "{absent:?}");
}

#[test]
fn what_is_read_from_the_buffer_begins_anywhere() {
    let disk = disk(6);
    let mut backlog = empty(&disk);
    let lane = LaneKey(1);
    (100..400).for_each(|ordinal| backlog.push(lane, ordinal, &entry(lane, ordinal)));
    for (from, count) in [(100, 1), (163, 2), (164, 64), (228, 500), (399, 9)] {
        let read = backlog.read(lane, from, count).run().expect("it was pushed").into_entries();
        let expect: Vec<_> = (from..400).take(count).map(|at| entry(lane, at)).collect();
        assert_eq!(read, expect);
    }
    assert!(backlog.read(lane, 400, 1).run().is_err());
    assert!(backlog.read(lane, 99, 1).run().is_err());
}

#[test]
#[should_panic(expected = "without a gap")]
fn a_push_out_of_order_is_a_bug() {
    let mut backlog = empty(&disk(7));
    backlog.push(LaneKey(1), 4, &entry(LaneKey(1), 4));
    backlog.push(LaneKey(1), 6, &entry(LaneKey(1), 6));
}

#[test]
fn what_is_handed_out_can_go_to_another_thread() {
    fn check<T: Send + 'static>() {}
    check::<Backlog>();
    check::<Frozen>();
    check::<Merge>();
    check::<Reading>();
    check::<Lanes>();
}
