//! All captures of some archives, by the indexes of their files, in the order of their keys.
//!
//! Lines are merged as they are read, so that all that was kept of a URL comes together whatever
//! the archives hold. Nothing is written, and nobody is kept from writing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::vec;

use super::places::{indexes, reading};
use super::{ArchiveError, Version, failed};
use crate::cdxj::{Line, Order, next_line};
use crate::stamp;

/// Lines of a file that grows, or of one whose crawl was killed, that are read: as much as is
/// sorted in memory when such a file is sealed.
const OPEN_BYTES_MAX: usize = 32 * 1024 * 1024;

/// A capture in one of several archives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The key of the URL: its host from the end on, a bracket, its path, all in small letters.
    pub key: String,
    /// The URL.
    pub url: String,
    /// In which of the archives it is.
    pub archive: usize,
    /// When it was made, in seconds since 1970.
    pub at_s: u64,
    /// What the index says of it.
    pub version: Version,
}

impl Listed {
    fn read(line: &[u8], archive: usize) -> Option<Self> {
        let line = Line::read(line)?;
        let version = Version::told(&line)?;
        let at_s = stamp::seconds(&version.stamp)?;
        let (key, url) = (line.key().to_owned(), line.url()?.to_owned());
        Some(Self { key, url, archive, at_s, version })
    }
}

/// The captures of some archives, as they are read.
#[derive(Debug)]
pub struct Captures {
    sources: Vec<Source>,
    /// The next line of each source, with the number of that.
    heads: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
}

#[derive(Debug)]
struct Source {
    archive: usize,
    path: PathBuf,
    lines: Lines,
}

#[derive(Debug)]
enum Lines {
    Sorted(BufReader<File>),
    /// Of a file that was in no order.
    Gathered(vec::IntoIter<Vec<u8>>),
}

impl Captures {
    /// Opens the indexes of all files in these folders. They stay open, so that it does not matter
    /// which names they take meanwhile.
    pub fn open(folders: &[PathBuf]) -> Result<Self, ArchiveError> {
        let mut captures = Self { sources: Vec::new(), heads: BinaryHeap::new() };
        for (archive, folder) in folders.iter().enumerate() {
            for name in indexes(folder).map_err(failed("list", folder))? {
                let path = folder.join(&name);
                let lines = reading(folder, &name, open).map_err(failed("read", &path))?;
                captures.sources.push(Source { archive, path, lines });
                captures.advance(captures.sources.len() - 1)?;
            }
        }
        Ok(captures)
    }

    /// The next one, by its key and then by its time; lines that say nothing to us are passed over.
    #[expect(clippy::should_implement_trait, reason = "a line that cannot be read is an error")]
    pub fn next(&mut self) -> Result<Option<Listed>, ArchiveError> {
        while let Some(Reverse((line, source))) = self.heads.pop() {
            self.advance(source)?;
            if let Some(listed) = Listed::read(&line, self.sources[source].archive) {
                return Ok(Some(listed));
            }
        }
        Ok(None)
    }

    /// Brings the next line of a source to the others.
    fn advance(&mut self, at: usize) -> Result<(), ArchiveError> {
        let source = &mut self.sources[at];
        let line = source.lines.next().map_err(failed("read", &source.path))?;
        self.heads.extend(line.map(|line| Reverse((line, at))));
        Ok(())
    }
}

impl Lines {
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        match self {
            Self::Sorted(file) => {
                let mut line = Vec::new();
                Ok(next_line(file, &mut line)?.then_some(line))
            }
            Self::Gathered(lines) => Ok(lines.next()),
        }
    }
}

fn open(path: &Path, order: Order) -> io::Result<Lines> {
    let mut file = BufReader::new(File::open(path)?);
    if order == Order::Sorted {
        return Ok(Lines::Sorted(file));
    }
    let (mut lines, mut line, mut bytes) = (Vec::new(), Vec::new(), 0);
    while bytes < OPEN_BYTES_MAX && next_line(&mut file, &mut line)? {
        bytes += line.len();
        lines.push(std::mem::take(&mut line));
    }
    lines.sort_unstable();
    Ok(Lines::Gathered(lines.into_iter()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(path: &str, second: u32, digest: &str, serial: u32) -> String {
        format!(
            "test,a)/{path} 202602030405{second:02} {{\"url\": \"http://a.test/{path}\", \"mime\": \
             \"text/html\", \"status\": \"200\", \"digest\": \"sha1:{digest}\", \"length\": \"5\", \
             \"offset\": \"7\", \"filename\": \"rhumb-20260203040506-{serial:05}.warc.gz\"}}\n"
        )
    }

    #[test]
    fn captures_of_all_archives_come_together_by_key_and_time() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
        for archive in [&old, &new] {
            fs::create_dir(archive).unwrap();
        }
        let write = |path: PathBuf, lines: &[String]| fs::write(path, lines.concat()).unwrap();
        let sorted = [line("a", 1, "A", 1), line("b", 2, "B", 1), "no line of ours\n".to_owned()];
        write(old.join("rhumb-20260203040506-00001.cdxj"), &sorted);
        // It is the same again, of all files.
        write(old.join("index.cdxj"), &sorted);
        let growing = [line("b", 9, "C", 2), line("a", 8, "A", 2), line("c", 9, "D", 2)];
        let torn = growing[2].trim_end_matches("}\n").to_owned();
        let growing = [growing[0].clone(), growing[1].clone(), torn];
        write(new.join("rhumb-20260203040506-00002.cdxj.open"), &growing);
        let mut captures = Captures::open(&[old, new]).unwrap();
        let mut told = Vec::new();
        while let Some(it) = captures.next().unwrap() {
            assert_eq!(it.url, format!("http://a.test/{}", it.key.replace("test,a)/", "")));
            told.push((it.key, it.at_s, it.archive, it.version.digest.unwrap()));
        }
        let expect = [("a", 1, 0, "A"), ("a", 8, 1, "A"), ("b", 2, 0, "B"), ("b", 9, 1, "C")];
        let expect = expect.map(|(path, second, archive, digest)| {
            let at_s = 1_770_091_500 + second;
            (format!("test,a)/{path}"), at_s, archive, format!("sha1:{digest}"))
        });
        assert_eq!(told, expect);
    }

    #[test]
    fn an_archive_that_cannot_be_read_is_told_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("archive");
        fs::write(&archive, "it is no folder").unwrap();
        let error = Captures::open(std::slice::from_ref(&archive)).unwrap_err();
        assert!(error.to_string().starts_with(&format!("cannot list {}: ", archive.display())));
    }
}
