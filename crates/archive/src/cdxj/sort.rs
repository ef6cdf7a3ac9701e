//! Lines are sorted bytewise, in bounded memory: in runs, which are then merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use rhumb_disk::{Disk, DiskFile, Reading, Writing};

/// The lines that are sorted in memory at a time.
const RUN_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Files that one merge reads at once.
const MERGE_FILES_MAX: usize = 64;
/// What is gathered before it is written.
const BUFFER_BYTES: usize = 64 * 1024;
/// The longest line; a longer one is no line of ours.
const LINE_BYTES_MAX: u64 = 1024 * 1024;

/// Writes the lines of one file, sorted, to another, whole or not at all.
pub(crate) fn sort_file(disk: &dyn Disk, from: &Path, to: &Path) -> io::Result<()> {
    sort_in_runs(disk, from, to, RUN_BYTES_MAX)
}

fn sort_in_runs(disk: &dyn Disk, from: &Path, to: &Path, run_bytes: usize) -> io::Result<()> {
    let from = disk.open(from)?;
    let mut input = BufReader::new(Reading::new(&*from, 0));
    let mut runs = Vec::new();
    loop {
        let mut lines = Vec::new();
        let mut bytes = 0;
        while bytes < run_bytes {
            let Some(line) = next_line(&mut input)? else { break };
            bytes += line.len();
            lines.push(line);
        }
        if lines.is_empty() {
            break;
        }
        lines.sort_unstable();
        let run = with_suffix(to, &format!(".run{}", runs.len()));
        let mut out = create_anew(disk, &run)?;
        for line in lines {
            out.write_all(&line)?;
        }
        out.flush()?;
        runs.push(run);
    }
    merge(disk, &runs, to)?;
    runs.iter().try_for_each(|run| disk.remove(run))
}

/// Begins a file of lines, in place of one that an earlier run may have left.
pub(crate) fn create_anew(disk: &dyn Disk, path: &Path) -> io::Result<Writing> {
    if disk.exists(path)? {
        disk.remove(path)?;
    }
    Ok(Writing::new(disk.create(path)?, BUFFER_BYTES))
}

/// Merges sorted files into one sorted file, whole or not at all.
pub(crate) fn merge(disk: &dyn Disk, files: &[PathBuf], to: &Path) -> io::Result<()> {
    merge_by(disk, files, to, MERGE_FILES_MAX)
}

fn merge_by(disk: &dyn Disk, files: &[PathBuf], to: &Path, width: usize) -> io::Result<()> {
    if files.len() <= width {
        return merge_at_once(disk, files, to);
    }
    let mut parts = Vec::new();
    for group in files.chunks(width) {
        let part = with_suffix(to, &format!(".part{}", parts.len()));
        merge_at_once(disk, group, &part)?;
        parts.push(part);
    }
    // A group of parts may need parts of its own, so they get longer names.
    let whole = with_suffix(to, ".parts");
    merge_by(disk, &parts, &whole, width)?;
    disk.rename(&whole, to)?;
    parts.iter().try_for_each(|part| disk.remove(part))
}

fn merge_at_once(disk: &dyn Disk, files: &[PathBuf], to: &Path) -> io::Result<()> {
    let files = files.iter().map(|file| disk.open(file));
    let files: Vec<Box<dyn DiskFile>> = files.collect::<io::Result<_>>()?;
    let mut inputs = Vec::with_capacity(files.len());
    let mut heap = BinaryHeap::with_capacity(files.len());
    for file in &files {
        let mut input = BufReader::new(Reading::new(&**file, 0));
        if let Some(line) = next_line(&mut input)? {
            heap.push(Reverse((line, inputs.len())));
        }
        inputs.push(input);
    }
    let new = with_suffix(to, ".new");
    let mut out = create_anew(disk, &new)?;
    while let Some(Reverse((line, source))) = heap.pop() {
        out.write_all(&line)?;
        if let Some(line) = next_line(&mut inputs[source])? {
            heap.push(Reverse((line, source)));
        }
    }
    out.sync()?;
    disk.rename(&new, to)
}

/// The next line with its end; the last may come without one, and gets it.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        line.push(b'\n');
    }
    Ok(Some(line))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rhumb_disk::RealDisk;

    use super::*;

    #[test]
    fn many_runs_give_the_same_order_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let lines: Vec<String> =
            (0..1_000_u32).map(|n| format!("{}\n", n * 7_919 % 1_000)).collect();
        fs::write(&from, lines.concat()).unwrap();
        let mut expect = lines;
        expect.sort();
        for run_bytes in [1, 100, 1_000_000] {
            sort_in_runs(&RealDisk, &from, &to, run_bytes).unwrap();
            assert_eq!(fs::read_to_string(&to).unwrap(), expect.concat());
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "runs are removed");
        }
    }

    #[test]
    fn an_empty_file_sorts_to_an_empty_file() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::write(&from, "").unwrap();
        sort_file(&RealDisk, &from, &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"");
    }

    #[test]
    fn a_merge_of_more_files_than_it_may_open_goes_in_steps() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        for n in 0..10 {
            let file = folder.path().join(format!("f{n}"));
            fs::write(&file, format!("{n:02}\n{:02}\n", n + 5)).unwrap();
            files.push(file);
        }
        let to = folder.path().join("to");
        merge_by(&RealDisk, &files, &to, 2).unwrap();
        let text = fs::read_to_string(&to).unwrap();
        let mut sorted: Vec<&str> = text.lines().collect();
        sorted.sort_unstable();
        assert_eq!(text.lines().collect::<Vec<_>>(), sorted);
        assert_eq!(sorted.len(), 20);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 11, "parts are removed");
    }
}
