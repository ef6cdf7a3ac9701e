//! Places in the files of a folder, while the last of them may take another name.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use rhumb_disk::{Disk, RealDisk};

use super::name::{self, CDXJ, INDEX, OPEN};
use super::{Position, files};
use crate::cdxj::{self, Order};
use crate::read::WarcReader;
use crate::surt::surt;

/// How often a file is looked for that takes its last name at this very moment.
pub(crate) const LOOKS_MAX: usize = 8;

/// The files of records in a folder, each with its serial number; those of others have none and
/// are left out.
pub(crate) fn numbered(folder: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let with_serial = |path: PathBuf| Some((name::age(path.file_name()?.to_str()?).0?, path));
    Ok(files(folder)?.into_iter().filter_map(with_serial).collect())
}

/// How far the files of a folder reach: the last one and its length, whole records or not.
pub fn reach(folder: &Path) -> io::Result<Position> {
    looking(|| {
        let Some((serial, path)) = numbered(folder)?.pop() else { return Ok(Position::default()) };
        Ok(Position { serial, end: path.metadata()?.len() })
    })
}

/// The file of a position, unless there is none so long.
pub fn file_of(folder: &Path, position: Position) -> io::Result<Option<PathBuf>> {
    looking(|| {
        let found = numbered(folder)?.into_iter().find(|(serial, _)| *serial == position.serial);
        let Some((_, path)) = found else { return Ok(None) };
        Ok((path.metadata()?.len() >= position.end).then_some(path))
    })
}

/// A reader that stands at the record of a position, unless there is no file so long.
pub fn record_at(
    folder: &Path,
    position: Position,
) -> io::Result<Option<WarcReader<BufReader<File>>>> {
    looking(|| {
        let file = file_of(folder, position)?;
        file.map(|file| WarcReader::open_at(&file, position.end)).transpose()
    })
}

/// Bytes of the files of a folder between two positions.
pub fn distance(folder: &Path, from: Position, to: Position) -> io::Result<u64> {
    looking(|| {
        let mut bytes = 0;
        for (serial, path) in numbered(folder)? {
            if (from.serial..=to.serial).contains(&serial) {
                let begin = if serial == from.serial { from.end } else { 0 };
                let end = if serial == to.serial { to.end } else { path.metadata()?.len() };
                bytes += end.saturating_sub(begin);
            }
        }
        Ok(bytes)
    })
}

/// Where a record of this URL with this payload begins, by the indexes of the files. Only that of
/// the file which grows is read through.
pub fn payload_place(folder: &Path, url: &str, digest: &str) -> io::Result<Option<Position>> {
    let key = surt(url);
    for name in indexes(folder)? {
        let found =
            reading(folder, &name, |path, order| cdxj::payload_in(path, &key, order, digest));
        if let Some((file, end)) = found?
            && let (Some(serial), _) = name::age(&file)
        {
            return Ok(Some(Position { serial, end }));
        }
    }
    Ok(None)
}

/// The names of the indexes beside the files of a folder, sealed or growing.
pub(super) fn indexes(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = RealDisk.list(folder)?;
    names.retain(|name| {
        let sealed = name.strip_suffix(OPEN).unwrap_or(name);
        sealed.ends_with(CDXJ) && sealed != INDEX
    });
    Ok(names)
}

/// Reads an index, also where it takes its last name at this very moment.
pub(super) fn reading<T>(
    folder: &Path,
    name: &str,
    mut read: impl FnMut(&Path, Order) -> io::Result<T>,
) -> io::Result<T> {
    let Some(sealed) = name.strip_suffix(OPEN) else {
        return read(&folder.join(name), Order::Sorted);
    };
    match read(&folder.join(name), Order::Open) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            read(&folder.join(sealed), Order::Sorted)
        }
        done => done,
    }
}

/// Does it again while a file was not there any more by the name that it had.
fn looking<T>(mut look: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 1..LOOKS_MAX {
        match look() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => return done,
        }
    }
    look()
}
