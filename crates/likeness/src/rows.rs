//! A file of rows: the magic, then each row with its CRC-32.

use std::io::Write;
use std::path::Path;

use rhumb_disk::{Disk, DiskFile, Writing};

use crate::LikenessError;
use crate::ledger::RowsInfo;
use crate::row::{ROW_BYTES, Row};

const MAGIC: [u8; 8] = *b"rhlrow\x00\x01";
const CRC_BYTES: usize = 4;
const STRIDE: usize = ROW_BYTES + CRC_BYTES;
/// Rows reach the file in pieces of this size.
const BUFFER_BYTES: usize = 64 * 1024;

impl RowsInfo {
    pub(crate) fn bytes(&self) -> u64 {
        offset(self.count)
    }
}

/// Where a row begins, by its place in the file.
fn offset(index: u32) -> u64 {
    let [magic, stride] =
        [MAGIC.len(), STRIDE].map(|it| u64::try_from(it).expect("a small length"));
    magic + u64::from(index) * stride
}

/// Writes rows and syncs the file; the caller syncs the folder before anything refers to it.
pub(crate) fn write<'a>(
    disk: &dyn Disk,
    folder: &Path,
    info: &RowsInfo,
    rows: impl IntoIterator<Item = &'a Row>,
) -> Result<(), LikenessError> {
    let path = folder.join(&info.name);
    let file = disk.create(&path).map_err(LikenessError::disk("create", &path))?;
    let failed = || LikenessError::disk("write", &path);
    let mut file = Writing::new(file, BUFFER_BYTES);
    file.write_all(&MAGIC).map_err(failed())?;
    let mut bytes = Vec::with_capacity(STRIDE);
    let mut count = 0;
    for row in rows {
        bytes.clear();
        row.encode(&mut bytes);
        let crc = crc32fast::hash(&bytes);
        bytes.extend(crc.to_le_bytes());
        file.write_all(&bytes).map_err(failed())?;
        count += 1;
    }
    debug_assert_eq!(count, info.count, "a file has as many rows as it says");
    file.sync().map_err(LikenessError::disk("sync", &path))
}

/// Opens a file that a checkpoint lists.
fn open(
    disk: &dyn Disk,
    folder: &Path,
    info: &RowsInfo,
) -> Result<Box<dyn DiskFile>, LikenessError> {
    let path = folder.join(&info.name);
    let file = disk.open(&path).map_err(LikenessError::disk("open", &path))?;
    let mut magic = [0; 8];
    file.read_at(0, &mut magic).map_err(LikenessError::disk("read", &path))?;
    LikenessError::check_magic(&path, &magic, MAGIC)?;
    if file.length().map_err(LikenessError::disk("measure", &path))? != info.bytes() {
        return Err(LikenessError::damaged(&path, "it is not as long as the checkpoint says"));
    }
    Ok(file)
}

/// Reads rows by their numbers: fastest if these rise.
pub(crate) struct Reader<'a> {
    disk: &'a dyn Disk,
    folder: &'a Path,
    files: &'a [RowsInfo],
    open: Option<(&'a RowsInfo, Box<dyn DiskFile>)>,
}

impl<'a> Reader<'a> {
    /// Of files in the order of their numbers.
    pub(crate) fn new(disk: &'a dyn Disk, folder: &'a Path, files: &'a [RowsInfo]) -> Self {
        Self { disk, folder, files, open: None }
    }

    /// Whether all files are there.
    pub(crate) fn check(&self) -> Result<(), LikenessError> {
        self.files.iter().try_for_each(|info| open(self.disk, self.folder, info).map(drop))
    }

    /// The row with this number; one that no file has is damage of what refers to it.
    pub(crate) fn read(&mut self, number: u32) -> Result<Row, LikenessError> {
        let after = self.files.partition_point(|info| info.first <= number);
        let info = after.checked_sub(1).map(|at| &self.files[at]);
        let Some(info) = info.filter(|info| number - info.first < info.count) else {
            return Err(LikenessError::damaged(self.folder, "a key leads to no row"));
        };
        let file = match &self.open {
            Some((opened, file)) if opened.first == info.first => file,
            _ => &self.open.insert((info, open(self.disk, self.folder, info)?)).1,
        };
        let path = || self.folder.join(&info.name);
        let mut bytes = [0; STRIDE];
        file.read_at(offset(number - info.first), &mut bytes)
            .map_err(|error| LikenessError::disk("read", &path())(error))?;
        let (row, crc) = bytes.split_first_chunk().expect("a row and its checksum");
        if crc32fast::hash(row).to_le_bytes() != crc {
            return Err(LikenessError::damaged(&path(), "the checksum of a row is wrong"));
        }
        Ok(Row::decode(row))
    }
}
