//! The captures between two places of an archive, in their order, while its last file may still
//! grow.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use crate::archive::{LOOKS_MAX, Position, numbered};
use crate::encode::fields_of;
use crate::read::{Fault, Flaw, Kind, RecordHead, WarcReader};

/// The longest block that is read: what a fetch keeps at most, with room for its framing.
const BLOCK_BYTES_MAX: usize = 64 << 20;
/// What is read of a file at once.
const BUFFER_BYTES: usize = 256 * 1024;

/// An answer as it was kept, with what was noted beside it.
#[derive(Debug)]
pub struct Kept {
    /// The head of its record, a response or a revisit.
    pub head: RecordHead,
    /// The block of it: the answer, or the head of one.
    pub block: Vec<u8>,
    /// What its metadata record says, if it has one.
    pub fields: Vec<(String, String)>,
    /// Where its record begins.
    pub place: Position,
    /// Where the last of its records ends.
    pub end: Position,
}

impl Kept {
    /// The first field of that name in its metadata record.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Reads captures from one place to another. Nothing that lies behind that is looked at, so it may
/// be written meanwhile.
#[derive(Debug)]
pub struct Span {
    folder: PathBuf,
    to: Position,
    /// How far records were read.
    at: Position,
    open: Option<(PathBuf, WarcReader<BufReader<File>>)>,
    /// An answer whose other records may follow.
    held: Option<Box<Kept>>,
}

/// What cannot be read of an archive; reading goes on behind it.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", file.display())]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it, and where.
    pub fault: Fault,
}

/// What a [`Span`] comes to next.
#[derive(Debug)]
pub enum Met {
    /// A capture.
    Kept(Box<Kept>),
    /// Something that cannot be read.
    Damage(Damage),
}

/// What comes next, in its order; an error is one of the disk.
impl Iterator for Span {
    type Item = io::Result<Met>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}

impl Span {
    /// From one place to another, in the files of a folder that are numbered.
    pub fn new(folder: &Path, from: Position, to: Position) -> Self {
        Self { folder: folder.to_owned(), to, at: from, open: None, held: None }
    }

    fn advance(&mut self) -> io::Result<Option<Met>> {
        loop {
            if self.at >= self.to || (self.open.is_none() && !self.open_next()?) {
                self.at = self.at.max(self.to);
                return Ok(self.held.take().map(Met::Kept));
            }
            match self.step()? {
                None => {}
                met => return Ok(met),
            }
        }
    }

    /// Opens the file of the place that was reached, or the next one there is.
    fn open_next(&mut self) -> io::Result<bool> {
        for look in 1..=LOOKS_MAX {
            let files = numbered(&self.folder)?;
            let range = self.at.serial..=self.to.serial;
            let found = files.into_iter().find(|(it, _)| range.contains(it));
            let is_missed = found.as_ref().is_none_or(|(serial, _)| *serial != self.at.serial);
            // A list that is made while a file takes another name may lack it.
            if is_missed && self.at.serial > 0 && look < LOOKS_MAX {
                continue;
            }
            if is_missed && self.at.end > 0 {
                break;
            }
            let Some((serial, path)) = found else { return Ok(false) };
            if serial > self.at.serial {
                self.at = Position { serial, end: 0 };
            }
            let opened = File::open(&path).and_then(|file| {
                WarcReader::new_at(BufReader::with_capacity(BUFFER_BYTES, file), self.at.end)
            });
            match opened {
                Ok(reader) => {
                    self.open = Some((path, reader));
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let what = format!("file {} is not there, or takes another name again", self.at.serial);
        Err(io::Error::new(io::ErrorKind::NotFound, what))
    }

    /// Reads a record, or leaves a file that has no more.
    fn step(&mut self) -> io::Result<Option<Met>> {
        let Some((path, reader)) = &mut self.open else { return Ok(None) };
        let damage = |fault: Fault| match fault.flaw {
            // What could not be read now may be read another time: nothing is passed over.
            Flaw::Unreadable(_) => Err(io::Error::other(format!("{}: {fault}", path.display()))),
            _ => Ok(Some(Met::Damage(Damage { file: path.clone(), fault }))),
        };
        let serial = self.at.serial;
        let mut record = match reader.next() {
            None => {
                self.open = None;
                self.at = Position { serial: serial.saturating_add(1), end: 0 };
                return Ok(self.held.take().map(Met::Kept));
            }
            Some(Err(fault)) => return damage(fault),
            Some(Ok(record)) => record,
        };
        let place = Position { serial, end: record.offset };
        // Damage may reach so far that the next whole record lies behind the end.
        if place >= self.to {
            self.at = self.to;
            return Ok(None);
        }
        let concurrent = record.head.field("WARC-Concurrent-To");
        let is_held = self.held.as_ref().is_some_and(|held| {
            concurrent.is_some() && held.head.field("WARC-Record-ID") == concurrent
        });
        let kind = record.head.kind;
        let is_answer = matches!(kind, Kind::Response | Kind::Revisit);
        let is_wanted = is_answer || (is_held && kind == Kind::Metadata);
        // A block that cannot be read is a fault that its end tells.
        let block = if is_wanted { record.block(BLOCK_BYTES_MAX) } else { Ok(Vec::new()) };
        let head = record.head.clone();
        let end = match record.finish() {
            Ok(end) => Position { serial, end },
            Err(fault) => return damage(fault),
        };
        self.at = end;
        if is_answer {
            let (block, fields) = (block?, Vec::new());
            let kept = Box::new(Kept { head, block, fields, place, end });
            return Ok(self.held.replace(kept).map(Met::Kept));
        }
        let Some(mut held) = self.held.take() else { return Ok(None) };
        if !is_held {
            return Ok(Some(Met::Kept(held)));
        }
        held.end = end;
        if kind != Kind::Metadata {
            self.held = Some(held);
            return Ok(None);
        }
        held.fields = fields_of(&block?);
        Ok(Some(Met::Kept(held)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_fails_is_an_error_and_not_the_end_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let to = Position { serial: 1, end: 100 };
        let mut span = Span::new(folder.path(), Position { serial: 1, end: 0 }, to);
        // A folder can be opened, and no byte of it can be read.
        let file = BufReader::new(File::open(folder.path()).unwrap());
        span.open = Some((folder.path().to_owned(), WarcReader::new(file)));
        assert!(span.next().unwrap().is_err());
    }

    #[test]
    fn a_file_of_which_a_part_was_read_cannot_be_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("rhumb-20260203040506-00002.warc.gz"), "").unwrap();
        let to = Position { serial: 2, end: 0 };
        let mut behind = Span::new(folder.path(), Position { serial: 1, end: 7 }, to);
        assert_eq!(behind.next().unwrap().unwrap_err().kind(), io::ErrorKind::NotFound);
        let mut before = Span::new(folder.path(), Position { serial: 1, end: 0 }, to);
        assert!(before.next().is_none());
    }
}
