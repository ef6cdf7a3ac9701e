//! The WARC files of an archive, in the order in which they were written.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use rhumb_archive::WarcReader;

use super::AuditError;

const SEALED: &str = ".warc.gz";
const OPEN: &str = ".open";

/// All of them; one that grows still, too.
pub(super) fn list(folder: &Path) -> Result<Vec<PathBuf>, AuditError> {
    let listed = rhumb_disk::real().list(folder);
    let names = listed.map_err(|source| AuditError::List { path: folder.to_owned(), source })?;
    let is_warc = |name: &String| name.strip_suffix(OPEN).unwrap_or(name).ends_with(SEALED);
    let mut names: Vec<String> = names.into_iter().filter(is_warc).collect();
    if names.is_empty() {
        return Err(AuditError::Empty { path: folder.to_owned() });
    }
    // Names carry the moment, but only the number tells the order where a clock went back.
    names.sort_by_cached_key(|name| (serial(name), name.clone()));
    Ok(names.iter().map(|name| folder.join(name)).collect())
}

/// The number in a name like `rhumb-20260203040506-00017.warc.gz`.
fn serial(name: &str) -> Option<u64> {
    let bare = name.strip_suffix(OPEN).unwrap_or(name).strip_suffix(SEALED)?;
    bare.rsplit('-').next()?.parse().ok()
}

pub(super) fn is_open(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "open")
}

/// A reader, and the name that the file has now: it may have been sealed since it was listed.
pub(super) type Opened = (WarcReader<BufReader<File>>, PathBuf);

/// None if it is gone under both names, as one that was cut off at the opening of its crawl.
pub(super) fn open(path: &Path) -> Result<Option<Opened>, AuditError> {
    open_at(path, 0)
}

/// The same, from a record on.
pub(super) fn open_at(path: &Path, offset: u64) -> Result<Option<Opened>, AuditError> {
    let sealed = path.with_extension("");
    let names = if is_open(path) { vec![path.to_owned(), sealed] } else { vec![path.to_owned()] };
    for path in names {
        match WarcReader::open_at(&path, offset) {
            Ok(reader) => return Ok(Some((reader, path))),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => return Err(AuditError::Open { path, source }),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_by_their_number_whatever_the_clock_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = [
            "rhumb-20250101000000-00002.warc.gz",
            "rhumb-20260203040506-00001.warc.gz",
            "rhumb-20260203040506-00010.warc.gz.open",
            "rhumb-20260203040506-00001.cdxj",
            "index.cdxj",
        ];
        for name in names {
            std::fs::write(folder.path().join(name), "").expect("written");
        }
        let listed = list(folder.path()).expect("listed");
        let listed: Vec<_> = listed.iter().filter_map(|path| path.file_name()).collect();
        assert_eq!(listed, [names[1], names[0], names[2]]);
    }

    #[test]
    fn a_file_that_was_sealed_meanwhile_is_found_under_its_new_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let open_name = folder.path().join("rhumb-20260203040506-00010.warc.gz.open");
        assert!(open(&open_name).expect("no error").is_none());
        std::fs::write(open_name.with_extension(""), "").expect("written");
        let (_, path) = open(&open_name).expect("no error").expect("found");
        assert!(!is_open(&path));
    }
}
