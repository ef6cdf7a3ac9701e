//! What a crawl wrote down for itself: frames of the log, and the rows and facts in them.

use std::path::Path;
use std::sync::Arc;

use rhumb_crawl::log::{Log, Offset, Verdict};
use rhumb_crawl::partition::Fact;
use rhumb_disk::{Disk, SharedDisk, SimulatedDisk};

/// The name of the segment that a log begins with.
const FIRST_SEGMENT: &str = "00000000000000000000.log";

/// The bytes are a segment of a log.
pub(crate) fn log(input: &[u8]) {
    let folder = Path::new("/log");
    let disk = SimulatedDisk::new(1);
    disk.create_folder(folder).expect("a folder");
    let disk: SharedDisk = Arc::new(disk);
    let mut file = disk.create(&folder.join(FIRST_SEGMENT)).expect("a file");
    file.append(input).expect("a written file");
    drop(file);
    let mut frames = Vec::new();
    let _ = Log::read(&disk, folder, Offset(0), &mut |offset, payload| {
        frames.push((offset, payload.len()));
        Ok(Verdict::Take)
    });
    assert!(frames.is_sorted(), "frames come in their order");
    let bytes: usize = frames.iter().map(|(_, length)| *length).sum();
    assert!(bytes <= input.len(), "no frame is longer than its file");
}

/// The bytes are a fact; one that can be read is written as it was.
pub(crate) fn row(input: &[u8]) {
    if let Ok(fact) = postcard::from_bytes::<Fact>(input) {
        let bytes = postcard::to_stdvec(&fact).expect("it can be written");
        assert!(postcard::from_bytes::<Fact>(&bytes).is_ok(), "what was written is read back");
    }
}
