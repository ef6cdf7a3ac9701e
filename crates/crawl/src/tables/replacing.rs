//! Tables that take the place of others, as a whole: rows that are removed stay in the files of a
//! database for a while, those that are never copied are in none.
//!
//! The copy is made beside the tables. Then these are set aside, the copy gets their name, and
//! they are removed: whatever moment that ends at, [`mend`] finds which of both holds.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::TablesError;

/// What the name of a copy ends in.
const COPY: &str = ".copy";
/// What the name of tables ends in that were replaced.
const OLD: &str = ".old";
/// What the name of tables ends in that are being made.
const NEW: &str = ".new";

/// Where the copy of tables is made.
pub(crate) fn copy_of(folder: &Path) -> PathBuf {
    beside(folder, COPY)
}

/// Goes on with a replacing that was cut short while there were no tables under their name.
pub(super) fn mend(folder: &Path) -> io::Result<()> {
    let (copy, old) = (copy_of(folder), beside(folder, OLD));
    if folder.try_exists()? || !old.try_exists()? {
        return Ok(());
    }
    // They are set aside only once the copy is whole.
    fs::rename(if copy.try_exists()? { &copy } else { &old }, folder)?;
    sync_above(folder)
}

/// Puts the copy in the place of the tables. Nobody has either of them open.
pub(crate) fn replace(folder: &Path) -> Result<(), TablesError> {
    let old = beside(folder, OLD);
    let replaced = remove(&old)
        .and_then(|()| sync_above(folder))
        .and_then(|()| fs::rename(folder, &old))
        .and_then(|()| sync_above(folder))
        .and_then(|()| fs::rename(copy_of(folder), folder))
        .and_then(|()| sync_above(folder));
    replaced.map_err(|error| failed("replace", folder, &error))
}

/// Removes what was replaced, and copies that were never finished.
pub(crate) fn sweep(folder: &Path) -> Result<(), TablesError> {
    let copy = copy_of(folder);
    let left = [beside(folder, OLD), beside(&copy, NEW), copy];
    let swept = left.iter().try_for_each(|path| remove(path)).and_then(|()| sync_above(folder));
    swept.map_err(|error| failed("clear up beside", folder, &error))
}

fn failed(doing: &'static str, folder: &Path, error: &io::Error) -> TablesError {
    TablesError::Failed { doing, folder: folder.to_owned(), reason: error.to_string() }
}

fn beside(folder: &Path, ending: &str) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The name of a folder reaches the disk.
pub(super) fn sync_above(folder: &Path) -> io::Result<()> {
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
    File::open(above.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Offset;
    use crate::tables::{Batch, FjallTables, Table, Tables};

    fn with_row(folder: &Path, row: &[u8]) {
        let tables = FjallTables::open(folder, 1 << 20).expect("they open");
        let mut batch = Batch::default();
        batch.put(Table::Meta, b"who".to_vec(), row.to_vec());
        tables.commit(batch, Offset(9)).expect("committed");
    }

    #[track_caller]
    fn check(folder: &Path, expect: &[u8]) {
        let tables = FjallTables::open(folder, 1 << 20).expect("they open");
        let row = tables.get(Table::Meta, b"who").expect("it can be read");
        assert_eq!(row.as_deref(), Some(expect));
        assert_eq!(tables.offset().expect("it can be read"), Some(Offset(9)));
    }

    #[test]
    fn a_copy_takes_the_place_of_tables_and_nothing_of_them_is_left() {
        let above = tempfile::tempdir().expect("a folder");
        let folder = above.path().join("tables");
        with_row(&folder, b"old");
        with_row(&copy_of(&folder), b"copy");
        replace(&folder).expect("replaced");
        sweep(&folder).expect("swept");
        check(&folder, b"copy");
        assert_eq!(fs::read_dir(above.path()).expect("a folder").count(), 1);
        sweep(&folder).expect("nothing is there to sweep");
    }

    #[test]
    fn a_replacing_that_was_cut_short_is_gone_on_with_at_the_next_opening() {
        let above = tempfile::tempdir().expect("a folder");
        let folder = above.path().join("tables");
        with_row(&folder, b"old");
        with_row(&copy_of(&folder), b"copy");
        check(&folder, b"old");
        fs::rename(&folder, beside(&folder, OLD)).expect("renamed");
        check(&folder, b"copy");
        assert!(!copy_of(&folder).exists());
        check(&folder, b"copy");
        fs::remove_dir_all(&folder).expect("removed");
        check(&folder, b"old");
    }
}
