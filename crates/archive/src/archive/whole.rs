//! Whether what was written behind the last sync survived a power cut.

use std::path::Path;

use rhumb_disk::Disk;

use super::recover::{buffered, records_path};
use super::{ArchiveError, Position, failed, list, name};
use crate::read::{Flaw, Record, WarcReader};

/// Whether all records between two positions of the files with this prefix can be read whole,
/// checksums included. Nothing lies between a position and an earlier one.
pub fn is_whole(
    disk: &dyn Disk,
    folder: &Path,
    prefix: &str,
    from: Position,
    to: Position,
) -> Result<bool, ArchiveError> {
    let names = list(disk, folder)?;
    let mut place = from;
    while place < to {
        // Nothing was written before the first file.
        if place.serial > 0 {
            let is_it = |name: &&String| name::serial(name, prefix) == Some(place.serial);
            let found = names.iter().filter(is_it).find_map(|name| name::records(name));
            let Some(file) = found else { return Ok(false) };
            let until = (place.serial == to.serial).then_some(to.end);
            if !reads_whole(disk, &records_path(disk, folder, file)?, place.end, until)? {
                return Ok(false);
            }
        }
        place = Position { serial: place.serial.saturating_add(1), end: 0 };
    }
    Ok(true)
}

/// Fails if the file of a position is gone, or shorter than it: for a position that is known to have
/// reached the disk. Nothing is changed.
pub fn ensure_reaches(
    disk: &dyn Disk,
    folder: &Path,
    prefix: &str,
    position: Position,
) -> Result<(), ArchiveError> {
    if position.serial == 0 {
        return Ok(());
    }
    let names = list(disk, folder)?;
    let is_it = |name: &&String| name::serial(name, prefix) == Some(position.serial);
    let found = names.iter().filter(is_it).find_map(|name| name::records(name));
    let wants = position.end;
    let Some(file) = found else {
        let file = folder.join(format!("{prefix}-*-{:05}.warc.gz", position.serial));
        return Err(ArchiveError::Behind { file, has: 0, wants });
    };
    let path = records_path(disk, folder, file)?;
    let length = disk.open(&path).and_then(|file| file.length());
    let has = length.map_err(failed("read", &path))?;
    if has < wants {
        return Err(ArchiveError::Behind { file: path, has, wants });
    }
    Ok(())
}

/// Whether a file is whole from one place to another, or to its end.
fn reads_whole(
    disk: &dyn Disk,
    path: &Path,
    from: u64,
    until: Option<u64>,
) -> Result<bool, ArchiveError> {
    let file = disk.open(path).map_err(failed("open", path))?;
    let length = file.length().map_err(failed("read", path))?;
    let until = until.unwrap_or(length);
    let reader = WarcReader::new_at(buffered(&*file), from);
    let mut reader = reader.map_err(failed("read", path))?;
    let mut reached = from;
    while reached < until {
        let Some(next) = reader.next() else { return Ok(false) };
        match next.and_then(Record::finish) {
            Ok(end) => reached = end,
            Err(fault) => {
                return match fault.flaw {
                    Flaw::Unreadable(why) => Err(failed("read", path)(std::io::Error::other(why))),
                    _ => Ok(false),
                };
            }
        }
    }
    // A file that is there and empty has lost its first record.
    Ok(reached == until && until > 0)
}
