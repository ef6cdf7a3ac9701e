//! What a crawl takes on disk, by part.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{ARCHIVE, BACKLOG, LIKENESS, LOG, SEEN, TABLES};

/// The folder of the index, which reads a crawl and is none of its business.
const INDEX: &str = "index";

/// What lies in none of the folders.
const OTHER: &str = "other";

/// Bytes of all files of a crawl, by folder: `archive`, `log`, `seen`, `backlog`, `likeness`,
/// `tables`, `index`, and `other` for the rest. What cannot be read counts as nothing.
pub fn disk_use(folder: &Path) -> BTreeMap<String, u64> {
    let parts = [ARCHIVE, LOG, SEEN, BACKLOG, LIKENESS, TABLES, INDEX];
    let mut bytes: BTreeMap<String, u64> =
        parts.into_iter().chain([OTHER]).map(|part| (part.to_owned(), 0)).collect();
    // Folders to look into, each with the part that its files belong to.
    let mut folders = vec![(folder.to_owned(), None)];
    while let Some((folder, part)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() {
                let name = entry.file_name();
                let own = parts.into_iter().find(|part| name == *part).unwrap_or(OTHER);
                folders.push((entry.path(), Some(part.unwrap_or(own))));
            } else if let Some(sum) = bytes.get_mut(part.unwrap_or(OTHER)) {
                *sum += taken(&about);
            }
        }
    }
    bytes
}

/// A file that was made large at once, as a journal is, takes only what was written into it.
fn taken(about: &Metadata) -> u64 {
    const BLOCK_BYTES: u64 = 512;
    about.len().min(about.blocks().saturating_mul(BLOCK_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_counted_once_with_its_part() {
        let crawl = tempfile::tempdir().unwrap();
        let files = [
            ("archive/a.warc.gz", 10),
            ("log/0.log", 4),
            ("tables/keyspaces/1/log/x", 7),
            ("tables/0.jnl", 1),
            ("index/log/y", 100),
            ("crawl.toml", 1_000),
        ];
        for (name, bytes) in files {
            let path = crawl.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, vec![0; bytes]).unwrap();
        }
        let expect = [
            ("archive", 10),
            ("backlog", 0),
            ("index", 100),
            ("likeness", 0),
            ("log", 4),
            ("other", 1_000),
            ("seen", 0),
            ("tables", 8),
        ];
        let expect = expect.map(|(part, bytes)| (part.to_owned(), bytes));
        assert_eq!(disk_use(crawl.path()), BTreeMap::from(expect));
    }

    #[test]
    fn a_file_takes_what_was_written_into_it() {
        let crawl = tempfile::tempdir().unwrap();
        let file = fs::File::create(crawl.path().join("0.jnl")).unwrap();
        file.set_len(1 << 30).unwrap();
        assert!(disk_use(crawl.path())[OTHER] < 1 << 20);
    }

    #[test]
    fn a_folder_that_is_not_there_takes_nothing() {
        assert!(disk_use(Path::new("no such folder")).values().all(|bytes| *bytes == 0));
    }
}
