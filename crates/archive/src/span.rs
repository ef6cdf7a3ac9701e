//! The captures between two places of an archive, in their order, while its last file may still
//! grow.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use crate::archive::{Position, numbered};
use crate::encode::fields_of;
use crate::read::{Fault, Kind, RecordHead, WarcReader};

/// The longest block that is read: what a fetch keeps at most, with room for its framing.
const BLOCK_BYTES_MAX: usize = 64 << 20;
/// What is read of a file at once.
const BUFFER_BYTES: usize = 256 * 1024;
/// How often a file is looked for that takes its last name at this very moment.
const OPEN_TRIES: usize = 8;

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
        for _ in 0..OPEN_TRIES {
            let files = numbered(&self.folder)?;
            let range = self.at.serial..=self.to.serial;
            let Some((serial, path)) = files.into_iter().find(|(it, _)| range.contains(it)) else {
                return Ok(false);
            };
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
        Err(io::Error::new(io::ErrorKind::NotFound, "it takes another name again and again"))
    }

    /// Reads a record, or leaves a file that has no more.
    fn step(&mut self) -> io::Result<Option<Met>> {
        let Some((path, reader)) = &mut self.open else { return Ok(None) };
        let damage = |fault| Some(Met::Damage(Damage { file: path.clone(), fault }));
        let serial = self.at.serial;
        let mut record = match reader.next() {
            None => {
                self.open = None;
                self.at = Position { serial: serial.saturating_add(1), end: 0 };
                return Ok(self.held.take().map(Met::Kept));
            }
            Some(Err(fault)) => return Ok(damage(fault)),
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
            Err(fault) => return Ok(damage(fault)),
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
