//! What a crawl wrote down for itself: frames of the log, and the facts in them.

use std::path::Path;
use std::sync::Arc;

use rhumb_crawl::log::{Log, LogError, Offset, Verdict};
use rhumb_crawl::partition::Fact;
use rhumb_disk::{SharedDisk, SimulatedDisk};

use crate::first_line;

const SEGMENT_BYTES: u64 = 1 << 20;

/// The first line is written to a log and synced; the rest is what a crash left behind it.
pub(crate) fn log(input: &[u8]) {
    let (payload, tail) = first_line(input);
    let folder = Path::new("/log");
    let disk: SharedDisk = Arc::new(SimulatedDisk::new(1));
    disk.create_folder(folder).expect("a folder");
    write(&disk, folder, payload.as_bytes()).expect("a disk that never fails");
    let names = disk.list(folder).expect("a folder");
    let last = names.last().expect("a segment");
    let mut segment = disk.open(&folder.join(last)).expect("a segment");
    segment.append(tail).expect("a disk that never fails");
    drop(segment);
    let mut frames = Vec::new();
    let read = Log::read(&disk, folder, Offset(0), &mut |offset, payload| {
        frames.push((offset, payload.to_vec()));
        Ok(Verdict::Take)
    });
    // A tail that looks like damage may be an error, after what stands before it.
    drop(read);
    assert!(frames.is_sorted_by_key(|(offset, _)| *offset), "frames come in their order");
    let first = frames.first().map(|(_, bytes)| bytes.as_slice());
    assert_eq!(first, Some(payload.as_bytes()), "what was synced is read back");
    let bytes: usize = frames.iter().skip(1).map(|(_, bytes)| bytes.len()).sum();
    assert!(bytes <= tail.len(), "no frame is longer than its file");
}

fn write(disk: &SharedDisk, folder: &Path, payload: &[u8]) -> Result<(), LogError> {
    let disk = Arc::clone(disk);
    let mut log = Log::open(disk, folder, Offset(0), SEGMENT_BYTES, &mut |_, _| Ok(Verdict::Take))?;
    log.append(payload)?;
    log.sync()
}

/// The bytes are a fact; one that can be read can be written and read again.
pub(crate) fn row(input: &[u8]) {
    if let Ok(fact) = postcard::from_bytes::<Fact>(input) {
        let bytes = postcard::to_stdvec(&fact).expect("it can be written");
        assert!(postcard::from_bytes::<Fact>(&bytes).is_ok(), "what was written is read back");
    }
}
