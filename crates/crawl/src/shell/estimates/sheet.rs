//! A file of rows of two numbers: written aside and renamed, so that it is whole or not there.
//!
//! It holds an estimate. One that is damaged or missing is no error: its owner begins anew.

use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use rhumb_disk::{DiskFile, Reading, SharedDisk, Writing};

/// What is written and read at once.
const BUFFER: usize = 1 << 18;
/// Magic and head.
const START: u64 = 16;
const ROW: u64 = 16;
const SUM: u64 = 4;

pub(super) type Row = [u64; 2];

/// Where the file is, or will be.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    disk: SharedDisk,
    path: PathBuf,
    magic: [u8; 8],
}

impl Sheet {
    /// The sheet of this name in a crawl's folder.
    pub(super) fn new(disk: SharedDisk, folder: &Path, name: &str, magic: [u8; 8]) -> Self {
        Self { disk, path: folder.join(name), magic }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts these rows in the place of the old ones, with a number for all of them.
    pub(super) fn write(
        &self,
        head: u64,
        rows: impl Iterator<Item = io::Result<Row>>,
    ) -> io::Result<()> {
        let young = self.path.with_extension("new");
        if self.disk.exists(&young)? {
            self.disk.remove(&young)?;
        }
        let mut file = Writing::new(self.disk.create(&young)?, BUFFER);
        file.write_all(&self.magic)?;
        let mut crc = crc32fast::Hasher::new();
        let mut put = |bytes: &[u8]| {
            crc.update(bytes);
            file.write_all(bytes)
        };
        put(&head.to_le_bytes())?;
        for row in rows {
            put(row?.map(u64::to_le_bytes).as_flattened())?;
        }
        file.write_all(&crc.finalize().to_le_bytes())?;
        file.sync()?;
        drop(file);
        self.disk.rename(&young, &self.path)
    }

    /// What the file says, if it is whole.
    pub(super) fn open(&self) -> Option<Opened> {
        let file = self.disk.open(&self.path).ok()?;
        let rows = file.length().ok()?.checked_sub(START + SUM)?;
        if rows % ROW > 0 {
            return None;
        }
        let mut reading = BufReader::with_capacity(BUFFER, Reading::new(&*file, 0));
        let (magic, head): ([u8; 8], [u8; 8]) = (take(&mut reading)?, take(&mut reading)?);
        let mut crc = crc32fast::Hasher::new();
        crc.update(&head);
        for _ in 0..rows / ROW {
            crc.update(&take::<16>(&mut reading)?);
        }
        let is_whole = magic == self.magic
            && take(&mut reading).map(u32::from_le_bytes) == Some(crc.finalize());
        drop(reading);
        is_whole.then(|| Opened { file, head: u64::from_le_bytes(head), count: rows / ROW })
    }

    /// Removes the file, and what a kill has left beside it.
    pub(super) fn remove(&self) -> io::Result<()> {
        for path in [self.path.with_extension("new"), self.path.clone()] {
            if self.disk.exists(&path)? {
                self.disk.remove(&path)?;
            }
        }
        Ok(())
    }
}

/// A sheet that is whole. It stays readable while a newer one takes its place.
#[derive(Debug)]
pub(super) struct Opened {
    file: Box<dyn DiskFile>,
    /// The number for all rows.
    pub(super) head: u64,
    /// How many rows there are.
    pub(super) count: u64,
}

impl Opened {
    /// All rows as they were written.
    pub(super) fn rows(&self) -> impl Iterator<Item = io::Result<Row>> + '_ {
        let mut reading = BufReader::with_capacity(BUFFER, Reading::new(&*self.file, START));
        (0..self.count).map(move |_| {
            let mut row = [[0; 8]; 2];
            reading.read_exact(row.as_flattened_mut())?;
            Ok(row.map(u64::from_le_bytes))
        })
    }
}

fn take<const N: usize>(reading: &mut impl Read) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    reading.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

/// A hash of a row of hashes: whoever cannot keep all rows keeps those up to a mark, which is an
/// even sample of them.
pub(super) fn mark([from, to]: Row) -> u64 {
    (from.rotate_left(23) ^ to).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(folder: &Path) -> Sheet {
        Sheet::new(rhumb_disk::real(), folder, "sheet", *b"rhsheet\x01")
    }

    fn read(sheet: &Sheet) -> Option<(u64, Vec<Row>)> {
        let opened = sheet.open()?;
        Some((opened.head, opened.rows().collect::<io::Result<_>>().expect("read")))
    }

    #[test]
    fn rows_are_read_as_they_were_written_and_a_damaged_file_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let sheet = sheet(folder.path());
        assert_eq!(read(&sheet), None);
        let rows: Vec<Row> = (0..70_000).map(|it| [it, it * it]).collect();
        sheet.write(77, rows.iter().copied().map(Ok)).expect("written");
        assert_eq!(read(&sheet), Some((77, rows)));
        let whole = std::fs::read(sheet.path()).expect("read");
        for (at, end) in [(1_000, whole.len()), (3, whole.len()), (0, 9), (0, whole.len() - 16)] {
            let mut bytes = whole[..end].to_vec();
            bytes[at] ^= u8::from(end == whole.len());
            std::fs::write(sheet.path(), &bytes).expect("written");
            assert_eq!(read(&sheet), None, "{at} of {end}");
        }
    }

    #[test]
    fn the_old_rows_stay_until_the_new_ones_are_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let sheet = sheet(folder.path());
        sheet.write(1, [Ok([1, 2])].into_iter()).expect("written");
        let opened = sheet.open().expect("it is whole");
        let torn = [Ok([3, 4]), Err(io::ErrorKind::Other.into())];
        assert!(sheet.write(2, torn.into_iter()).is_err());
        assert_eq!(read(&sheet), Some((1, vec![[1, 2]])));
        sheet.write(3, [Ok([5, 6])].into_iter()).expect("what is left beside it is no hindrance");
        assert_eq!(read(&sheet), Some((3, vec![[5, 6]])));
        assert_eq!(opened.rows().next().expect("a row").expect("read"), [1, 2]);
        sheet.remove().expect("removed");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
