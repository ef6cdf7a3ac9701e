use std::fs;
use std::path::{Path, PathBuf};

use super::{Batch, FjallTables, KEY_BYTES_MAX, MemoryTables, Table, Tables, TablesError};
use crate::log::Offset;

const MEMORY: usize = 32 << 20;

fn rows(tables: &dyn Tables, table: Table, prefix: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    tables.range(table, prefix).collect::<Result<_, _>>().unwrap()
}

fn some_rows() -> Batch {
    let mut batch = Batch::default();
    for key in [&b"a"[..], b"a\0", b"aa", b"a\xff", b"a\xff\xff", b"b", b"\xff", b"\xff\xff"] {
        batch.put(Table::Sites, key.to_vec(), [key, b"!"].concat());
    }
    batch.put(Table::Meta, b"a".to_vec(), b"of meta".to_vec());
    batch.put(Table::Urls, b"a".to_vec(), Vec::new());
    batch
}

/// What every implementation does.
fn check(tables: &dyn Tables) {
    assert_eq!(tables.offset().unwrap(), None);
    assert_eq!(tables.get(Table::Sites, b"a").unwrap(), None);
    assert_eq!(rows(tables, Table::Sites, b""), []);
    tables.commit(some_rows(), Offset(7)).unwrap();
    assert_eq!(tables.offset().unwrap(), Some(Offset(7)));
    assert_eq!(tables.get(Table::Sites, b"aa").unwrap().unwrap(), b"aa!");
    assert_eq!(tables.get(Table::Urls, b"a").unwrap().unwrap(), b"");
    assert_eq!(tables.get(Table::Robots, b"a").unwrap(), None);

    let keys = |prefix: &[u8]| -> Vec<Vec<u8>> {
        rows(tables, Table::Sites, prefix).into_iter().map(|(key, _)| key).collect()
    };
    assert_eq!(keys(b"a"), [&b"a"[..], b"a\0", b"aa", b"a\xff", b"a\xff\xff"]);
    assert_eq!(keys(b"a\xff"), [&b"a\xff"[..], b"a\xff\xff"]);
    assert_eq!(keys(b"\xff"), [&b"\xff"[..], b"\xff\xff"]);
    assert_eq!(keys(b"").len(), 8);
    assert_eq!(keys(b"c"), [] as [Vec<u8>; 0]);
    assert_eq!(rows(tables, Table::Meta, b""), [(b"a".to_vec(), b"of meta".to_vec())]);

    let mut batch = Batch::default();
    batch.put(Table::Sites, b"a".to_vec(), b"first".to_vec());
    batch.put(Table::Sites, b"a".to_vec(), b"second".to_vec());
    batch.put(Table::Sites, b"b".to_vec(), b"gone".to_vec());
    batch.remove(Table::Sites, b"b".to_vec());
    batch.remove(Table::Sites, b"never there".to_vec());
    assert!(batch.bytes() > 30);
    tables.commit(batch, Offset(9)).unwrap();
    assert_eq!(tables.get(Table::Sites, b"a").unwrap().unwrap(), b"second");
    assert_eq!(tables.get(Table::Sites, b"b").unwrap(), None);
    assert_eq!(tables.offset().unwrap(), Some(Offset(9)));

    for bytes in [0, KEY_BYTES_MAX + 1] {
        let mut batch = some_rows();
        batch.put(Table::Urls, vec![b'k'; bytes], Vec::new());
        assert!(matches!(tables.commit(batch, Offset(10)), Err(TablesError::Key { .. })));
    }
    assert!(Batch::default().is_empty());
    tables.commit(Batch::default(), Offset(11)).unwrap();
    assert_eq!(tables.offset().unwrap(), Some(Offset(11)));
}

#[test]
fn memory_keeps_tables() {
    check(&MemoryTables::default());
}

#[test]
fn a_disk_keeps_tables() {
    let above = tempfile::tempdir().unwrap();
    check(&FjallTables::open(&above.path().join("tables"), MEMORY).unwrap());
}

#[test]
fn tables_are_there_after_reopening() {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("tables");
    fs::create_dir(&folder).unwrap();
    for life in 0..4 {
        let tables = FjallTables::open(&folder, MEMORY).unwrap();
        assert_eq!(tables.offset().unwrap(), (life > 0).then(|| Offset(life - 1)));
        assert_eq!(rows(&tables, Table::Sites, b"").len(), if life > 0 { 8 } else { 0 });
        tables.commit(some_rows(), Offset(life)).unwrap();
    }
}

#[test]
fn tables_that_are_open_are_in_use() {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("tables");
    let _tables = FjallTables::open(&folder, MEMORY).unwrap();
    let error = FjallTables::open(&folder, MEMORY).unwrap_err();
    assert!(matches!(error, TablesError::InUse { .. }), "{error}");
}

#[test]
fn a_database_that_was_half_made_is_made_again() {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("tables");
    let beside = above.path().join("tables.new");
    fs::create_dir(&beside).unwrap();
    fs::write(beside.join("0.jnl"), b"").unwrap();
    FjallTables::open(&folder, MEMORY).unwrap().commit(some_rows(), Offset(1)).unwrap();
    assert!(!beside.exists());
}

#[test]
fn a_small_database_takes_little_room() {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("tables");
    FjallTables::open(&folder, MEMORY).unwrap().commit(some_rows(), Offset(1)).unwrap();
    let bytes: u64 = files(&folder).iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(bytes < 64 << 10, "{bytes} bytes");
}

#[test]
fn a_missing_or_damaged_file_is_an_error_with_the_folder_or_costs_nothing() {
    let above = tempfile::tempdir().unwrap();
    let (whole, folder) = (above.path().join("whole"), above.path().join("tables"));
    FjallTables::open(&whole, MEMORY).unwrap().commit(some_rows(), Offset(1)).unwrap();
    for file in files(&whole) {
        let name = file.strip_prefix(&whole).unwrap();
        for damage in [remove, cut, flip] {
            copy(&whole, &folder);
            damage(&folder.join(name));
            let journal = fs::read(folder.join("0.jnl")).ok();
            let read = || {
                let tables = FjallTables::open(&folder, MEMORY)?;
                let rows = tables.range(Table::Sites, b"").collect::<Result<Vec<_>, _>>()?;
                Ok::<_, TablesError>((tables.offset()?, rows.len()))
            };
            match read() {
                Err(error) => {
                    assert!(matches!(error, TablesError::Failed { .. }), "{name:?}: {error}");
                    assert!(error.to_string().contains(folder.to_str().unwrap()), "{error}");
                }
                // The journal has a torn tail, as after a power cut: the log knows better.
                Ok((None, 0)) => assert_eq!(name, Path::new("0.jnl")),
                Ok(found) => assert_eq!(found, (Some(Offset(1)), 8), "{name:?}"),
            }
            assert!(fs::read(folder.join("0.jnl")).ok() == journal, "{name:?}: nothing is cut");
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}

fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(file, target).unwrap();
    }
    for number in 0..6 {
        fs::create_dir_all(to.join(format!("keyspaces/{number}/tables"))).unwrap();
    }
}

fn remove(path: &Path) {
    fs::remove_file(path).unwrap();
}

fn cut(path: &Path) {
    let length = fs::metadata(path).unwrap().len();
    fs::File::options().write(true).open(path).unwrap().set_len(length / 2).unwrap();
}

fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    if let Some(byte) = bytes.get_mut(middle) {
        *byte ^= 0xff;
    }
    fs::write(path, bytes).unwrap();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

#[test]
fn a_commit_can_be_made_to_fail() {
    let tables = MemoryTables::default();
    tables.fail_next();
    assert!(tables.commit(some_rows(), Offset(1)).is_err());
    assert_eq!(tables.offset().unwrap(), None);
    tables.kill_in_commit(true);
    assert!(tables.clone().commit(some_rows(), Offset(2)).is_err());
    assert_eq!(tables.offset().unwrap(), Some(Offset(2)));
    assert_eq!(rows(&tables, Table::Sites, b"a").len(), 5);
    tables.kill_in_commit(false);
    assert!(tables.commit(Batch::default(), Offset(3)).is_err());
    tables.commit(Batch::default(), Offset(4)).unwrap();
    assert_eq!(tables.offset().unwrap(), Some(Offset(4)));
}

#[test]
fn settled_tables_have_a_short_journal_and_every_row() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("tables");
    let tables = FjallTables::open(&folder, MEMORY).unwrap();
    let mut batch = Batch::default();
    for number in 0..20_000_u32 {
        batch.put(Table::Urls, number.to_be_bytes().to_vec(), vec![7; 300]);
    }
    tables.commit(batch, Offset(9)).unwrap();
    assert!(super::fjalled::journal_bytes(&folder) > 5_000_000);
    tables.settle().unwrap();
    drop(tables);
    assert!(super::fjalled::journal_bytes(&folder) < 100_000, "a reader has little to read");
    let tables = FjallTables::open(&folder, MEMORY).unwrap();
    assert_eq!(tables.offset().unwrap(), Some(Offset(9)));
    assert_eq!(rows(&tables, Table::Urls, b"").len(), 20_000);
    // What is short already is left alone.
    tables.settle().unwrap();
    tables.commit(some_rows(), Offset(10)).unwrap();
    assert_eq!(tables.offset().unwrap(), Some(Offset(10)));
}
