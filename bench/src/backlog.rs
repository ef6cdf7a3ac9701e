//! The backlog: pushes per CPU-second with writing and merging included, and what a refill costs.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rhumb_disk::{Disk, DiskFile, Room, SharedDisk};
use rhumb_frontier::Entry;
use rhumb_frontier::backlog::{Backlog, LaneKey};
use rhumb_web::{Candidate, CanonUrl, Errand};

use crate::clock;
use crate::seen::Outcome;

/// The buffer is frozen and written when it has this many bytes.
const BUFFER_BYTES: usize = 16 * 1024 * 1024;
/// Entries are made before the clock runs, and pushed again and again.
const POOL: usize = 1 << 16;
/// What a site asks for when its head runs low.
const REFILL: usize = 192;
const REFILLS: u64 = 20_000;

/// Measures the three workloads, or a part in so many of each.
pub fn measure(part: u64) -> Outcome {
    let part = part.max(1);
    println!(
        "{:<18} {:>10} {:>13} {:>11} {:>9} {:>8} {:>13} {:>10}",
        "workload",
        "pushes",
        "pushes/CPU-s",
        "bytes each",
        "segments",
        "peak MB",
        "reads/refill",
        "us/refill"
    );
    run("one lane", 10_000_000 / part, 1)?;
    run("one entry a lane", 1_000_000 / part, 1_000_000 / part)?;
    run("100,000 lanes", 20_000_000 / part, 100_000)
}

#[expect(clippy::cast_precision_loss, reason = "means of one run")]
fn run(name: &str, pushes: u64, lanes: u64) -> Outcome {
    let pool: Vec<Entry> = (0..POOL).map(entry).collect();
    let folder = tempfile::tempdir()?;
    let reads = Arc::new(AtomicU64::new(0));
    let disk = Arc::new(Counting { disk: rhumb_disk::real(), reads: Arc::clone(&reads) });
    let mut load = Load::new(disk, folder.path());
    let mut ordinals = vec![0; usize::try_from(lanes)?];
    let before = clock::process();
    for (n, entry) in (0..pushes).zip(pool.iter().cycle()) {
        // With as many pushes as lanes each is met once, else at random.
        let lane = if pushes == lanes { n } else { mix(n) % lanes };
        let ordinal = &mut ordinals[usize::try_from(lane)?];
        load.backlog.push(LaneKey(mix(lane)), *ordinal, entry);
        *ordinal += 1;
        if load.backlog.bytes() >= BUFFER_BYTES {
            load.write()?;
        }
    }
    load.write()?;
    let cpu = clock::process() - before;

    let segments = load.backlog.segments();
    let bytes: u64 = segments.iter().map(|segment| segment.bytes).sum();
    reads.store(0, Ordering::Relaxed);
    let before = clock::process();
    for n in 0..REFILLS {
        let lane = mix(n) % lanes;
        let ordinal = mix(n + 1) % ordinals[usize::try_from(lane)?].max(1);
        let read = load.backlog.read(LaneKey(mix(lane)), ordinal, REFILL).run()?;
        assert!(!read.entries.is_empty(), "what was pushed can be read");
    }
    let refills = REFILLS as f64;
    println!(
        "{name:<18} {pushes:>10} {:>13.0} {:>11.1} {:>9} {:>8} {:>13.2} {:>10.1}",
        pushes as f64 / cpu,
        bytes as f64 / pushes as f64,
        segments.len(),
        clock::peak_memory() >> 20,
        reads.load(Ordering::Relaxed) as f64 / refills,
        (clock::process() - before) * 1e6 / refills,
    );
    Ok(())
}

struct Load {
    backlog: Backlog,
    disk: SharedDisk,
    folder: PathBuf,
    files: u64,
}

impl Load {
    fn new(disk: SharedDisk, folder: &Path) -> Self {
        let backlog = Backlog::new(Arc::clone(&disk), folder.to_owned());
        Self { backlog, disk, folder: folder.to_owned(), files: 0 }
    }

    /// Writes the buffer, and merges what is due.
    fn write(&mut self) -> Outcome {
        if let Some(frozen) = self.backlog.freeze() {
            let name = self.name();
            let segment = frozen.write(&*self.disk, &self.folder, &name)?;
            drop(frozen);
            self.backlog.install(segment);
        }
        while let Some(merge) = self.backlog.merge() {
            let name = self.name();
            let (merged, replaced) = merge.write(&*self.disk, &self.folder, &name, &|_| 0)?;
            self.backlog.replace(merged, &replaced);
            for name in replaced {
                self.disk.remove(&self.folder.join(name))?;
            }
        }
        Ok(())
    }

    fn name(&mut self) -> String {
        self.files += 1;
        format!("{:08}", self.files)
    }
}

/// A URL of about 70 bytes.
fn entry(n: usize) -> Entry {
    let text = format!(
        "https://www.site-{:05}.example/section-{:03}/page-{n:08}-of-this-site.html",
        n % 99_991,
        n % 997
    );
    let url = CanonUrl::parse(&text).expect("it is a URL");
    Entry::new(Candidate::new(url, Errand::Page, 5, 0))
}

/// The finisher of splitmix64: every number has its own image.
fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// Counts the reads of another disk.
#[derive(Debug)]
struct Counting {
    disk: SharedDisk,
    reads: Arc<AtomicU64>,
}

#[derive(Debug)]
struct CountingFile {
    file: Box<dyn DiskFile>,
    reads: Arc<AtomicU64>,
}

impl Counting {
    fn counted(&self, file: Box<dyn DiskFile>) -> Box<dyn DiskFile> {
        Box::new(CountingFile { file, reads: Arc::clone(&self.reads) })
    }
}

impl Disk for Counting {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.disk.create(path).map(|file| self.counted(file))
    }
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.disk.open(path).map(|file| self.counted(file))
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
