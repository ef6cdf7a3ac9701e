//! Reading the tables' files ahead, for a reader that cannot wait.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;

use super::TABLES;

/// Reads at once: a disk answers many about as fast as one.
const THREADS: usize = 16;
/// The end of a file says where its parts are.
const TAIL_BYTES: usize = 16 * 1024;

/// Brings what opening the tables of a crawl reads into the memory of the operating system. The
/// database reads a little of each of its files, one after the other, and a large crawl has
/// hundreds of them. What cannot be read is left to whoever opens them.
pub fn warm_tables(folder: &Path) {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.join(TABLES)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => files.push(entry.path()),
                Err(_) => {}
            }
        }
    }
    thread::scope(|scope| {
        for share in files.chunks(files.len().div_ceil(THREADS).max(1)) {
            scope.spawn(move || share.iter().for_each(|path| read_tail(path)));
        }
    });
}

fn read_tail(path: &Path) {
    let mut tail = [0; TAIL_BYTES];
    let read = File::open(path).and_then(|file| {
        let tail_bytes = u64::try_from(TAIL_BYTES).expect("a length fits 64 bits");
        file.read_at(&mut tail, file.metadata()?.len().saturating_sub(tail_bytes))
    });
    // Whether it worked shows when the tables are opened.
    drop(read);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_any_size_can_be_warmed_and_a_folder_that_is_not_there_too() {
        let crawl = tempfile::tempdir().unwrap();
        warm_tables(crawl.path());
        let folder = crawl.path().join(TABLES).join("keyspaces");
        fs::create_dir_all(&folder).unwrap();
        for bytes in [0, 1, TAIL_BYTES, 3 * TAIL_BYTES] {
            fs::write(folder.join(bytes.to_string()), vec![7; bytes]).unwrap();
        }
        warm_tables(crawl.path());
        assert_eq!(fs::read_dir(folder).unwrap().count(), 4);
    }
}
