//! The journals of a database, as they were before it was opened.
//!
//! fjall takes a wrong byte in a journal for a torn end, and cuts off all that follows. Whether it
//! was one, the log knows, and is asked later: until rows are committed nothing is lost.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The journals of a folder; what was cut off of them is put back when this is dropped.
#[derive(Debug)]
pub(super) struct Journals(Vec<Journal>);

#[derive(Debug)]
struct Journal {
    path: PathBuf,
    length: u64,
    /// Where `bytes` began.
    from: u64,
    /// Up to the zeros that a journal is made with.
    bytes: Vec<u8>,
}

impl Journals {
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let mut journals = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == "jnl") {
                let mut bytes = Vec::new();
                let length = File::open(&path)?.read_to_end(&mut bytes)?;
                let written = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
                bytes.truncate(written);
                bytes.shrink_to_fit();
                journals.push(Journal { path, length: length as u64, from: 0, bytes });
            }
        }
        Ok(Self(journals))
    }

    /// The database is open: only what it cut off is kept.
    pub(super) fn opened(&mut self) -> io::Result<()> {
        for journal in &mut self.0 {
            let now = fs::metadata(&journal.path)?.len();
            let kept = usize::try_from(now).unwrap_or(usize::MAX).min(journal.bytes.len());
            journal.bytes = journal.bytes.split_off(kept);
            journal.from = now;
        }
        self.0.retain(|journal| !journal.bytes.is_empty());
        Ok(())
    }

    /// Rows are about to be written: what was cut off has no place any more.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

impl Journal {
    fn put_back(&self) -> io::Result<()> {
        let file = File::options().write(true).open(&self.path)?;
        if file.metadata()?.len() < self.length {
            file.write_all_at(&self.bytes, self.from)?;
            file.set_len(self.length)?;
            file.sync_all()?;
        }
        Ok(())
    }
}

impl Drop for Journals {
    fn drop(&mut self) {
        for journal in &self.0 {
            // A journal that cannot be written now could not be cut off either.
            drop(journal.put_back());
        }
    }
}
