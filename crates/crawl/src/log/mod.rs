//! The log: the truth of a crawl, as frames of bytes in the order in which they happened.
//!
//! What is appended is gathered; [`Log::write`] hands it to the operating system (it survives a
//! kill), [`Log::sync`] to the disk (it survives a power cut). A frame carries a checksum over its
//! own offset, so what is read back is what was written there, or it is noticed. Opening cuts a
//! torn tail off, and refuses a log that lacks something it once knew to be synced.
//!
//! The log does not know what a frame means; the archive that frames speak of must be synced
//! before the log is.

mod frame;
mod opening;
mod reading;
mod segment;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use rhumb_disk::SharedDisk;
use serde::{Deserialize, Serialize};

use frame::{Kind, encode};
use segment::Segment;

pub use frame::FRAME_BYTES_MAX;

/// Memory that the gathering buffer keeps after a turn that needed more.
const BUFFER_BYTES_KEPT: usize = 1 << 20;

/// A place in the log: bytes since the creation of the crawl, over all segments.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Offset(pub u64);

/// What a reader of the log says of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Take,
    /// It does not hold (the archive lacks what it speaks of): cut it off, and all behind it.
    CutHere,
}

/// Who is handed every frame, with its offset, when a log is opened.
pub type Take<'a> = dyn FnMut(Offset, &[u8]) -> Result<Verdict, LogError> + 'a;

/// Why the log cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The disk refused.
    #[error("cannot {doing} {path}: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the disk said.
        source: io::Error,
    },
    /// What was synced cannot be read back. Nothing was changed.
    #[error("{path} is corrupt at log offset {}: restore it from a backup", .offset.0)]
    Corrupt {
        /// The segment.
        path: PathBuf,
        /// Where its first bad byte is looked for.
        offset: Offset,
    },
    /// A segment is gone. Nothing was changed.
    #[error("{folder} lacks the segment with log offset {}: restore it from a backup", .offset.0)]
    Missing {
        /// The folder of the log.
        folder: PathBuf,
        /// What no segment holds.
        offset: Offset,
    },
    /// A newer program wrote it. Nothing was changed.
    #[error("{path} has format {number}, which this program does not know: use a newer one")]
    Format {
        /// The segment.
        path: PathBuf,
        /// Its format.
        number: u8,
    },
    /// The reader of the log could not use a frame. Nothing was changed.
    #[error("the frame at log offset {} cannot be used: {reason}", .offset.0)]
    Refused {
        /// Which.
        offset: Offset,
        /// Why, in the reader's words.
        reason: String,
    },
    /// A frame of this size is not taken; the log can go on.
    #[error("a log frame of {bytes} bytes is larger than {FRAME_BYTES_MAX}")]
    TooLarge {
        /// How large it would be.
        bytes: usize,
    },
    /// An earlier failure left the end of the file unknown.
    #[error("the log in {folder} failed earlier: open the crawl again")]
    Poisoned {
        /// The folder of the log.
        folder: PathBuf,
    },
}

/// The log of one process, open for appending.
#[derive(Debug)]
pub struct Log {
    disk: SharedDisk,
    folder: PathBuf,
    segment_bytes: u64,
    /// Starts of the segments before the current one, oldest first.
    sealed: Vec<Offset>,
    current: Segment,
    /// Where the current segment ends, as far as the operating system knows.
    written: Offset,
    buffer: Vec<u8>,
    synced: Offset,
    /// Whether something other than a mark was appended since the last sync.
    fresh: bool,
    poisoned: bool,
}

impl Log {
    /// Opens the log from an offset on (the newest checkpoint's): hands every whole frame to `take`
    /// in order, cuts a torn tail off, and goes on in a segment without frames.
    ///
    /// `from` is 0, or came from [`rotate`](Self::rotate) or [`synced`](Self::synced). Opening can
    /// be killed and repeated; it changes nothing on disk before all frames are read.
    pub fn open(
        disk: SharedDisk,
        folder: &Path,
        from: Offset,
        segment_bytes: u64,
        take: &mut Take<'_>,
    ) -> Result<Self, LogError> {
        let (sealed, current) = opening::open(&disk, folder, from, take)?;
        let written = current.frames_start();
        Ok(Self {
            disk,
            folder: folder.to_owned(),
            segment_bytes,
            sealed,
            current,
            written,
            buffer: Vec::new(),
            synced: written,
            fresh: false,
            poisoned: false,
        })
    }

    /// Hands every whole frame from an offset on to `take` as [`Log::open`] does, and leaves the
    /// disk as it is: a torn tail only ends it, and so does a verdict against a frame.
    pub fn read(
        disk: &SharedDisk,
        folder: &Path,
        from: Offset,
        take: &mut Take<'_>,
    ) -> Result<(), LogError> {
        opening::read(disk, folder, from, take)
    }

    /// How far the files of a log reach, whole frames or not: whatever is logged moves it on.
    pub fn reach(disk: &SharedDisk, folder: &Path) -> Result<Offset, LogError> {
        segment::reach(disk, folder)
    }

    /// Takes a frame into the buffer, and tells its offset.
    ///
    /// It is on disk for good once [`synced`](Self::synced) lies beyond that.
    pub fn append(&mut self, payload: &[u8]) -> Result<Offset, LogError> {
        self.healthy()?;
        if payload.len() > FRAME_BYTES_MAX {
            return Err(LogError::TooLarge { bytes: payload.len() });
        }
        let at = self.end();
        encode(at, Kind::Fact, payload, &mut self.buffer);
        self.fresh = true;
        Ok(at)
    }

    /// Everything appended reaches the operating system: it survives a kill.
    pub fn write(&mut self) -> Result<(), LogError> {
        self.healthy()?;
        let result = self.write_buffer();
        self.noting(result)
    }

    /// Everything appended reaches the disk: it survives a power cut. What the frames speak of
    /// must be there already.
    ///
    /// A segment that has reached its size is sealed here, where all of it is synced.
    pub fn sync(&mut self) -> Result<(), LogError> {
        self.healthy()?;
        if !self.fresh {
            return Ok(());
        }
        let result = self.sync_segment();
        self.noting(result)
    }

    /// Where the next frame will begin.
    pub fn end(&self) -> Offset {
        self.written.plus(self.buffer.len())
    }

    /// Frames before this place survive a power cut.
    pub fn synced(&self) -> Offset {
        self.synced
    }

    /// Seals this segment (synced) and begins a new one: the offset for a checkpoint.
    pub fn rotate(&mut self) -> Result<Offset, LogError> {
        self.healthy()?;
        let result = self.begin_segment();
        self.noting(result)
    }

    /// Removes the segments that lie wholly before a place. The caller never opens the log from
    /// before it again.
    pub fn trim(&mut self, before: Offset) -> Result<(), LogError> {
        self.healthy()?;
        let result = self.remove_before(before);
        self.noting(result)
    }

    fn healthy(&self) -> Result<(), LogError> {
        if self.poisoned {
            return Err(LogError::Poisoned { folder: self.folder.clone() });
        }
        Ok(())
    }

    fn noting<T>(&mut self, result: Result<T, LogError>) -> Result<T, LogError> {
        self.poisoned |= result.is_err();
        result
    }

    fn write_buffer(&mut self) -> Result<(), LogError> {
        if !self.buffer.is_empty() {
            self.current.append(&self.buffer)?;
            self.written = self.end();
            self.buffer.clear();
            self.buffer.shrink_to(BUFFER_BYTES_KEPT);
        }
        Ok(())
    }

    fn sync_segment(&mut self) -> Result<(), LogError> {
        if self.end().0 - self.current.start().0 >= self.segment_bytes {
            return self.begin_segment().map(drop);
        }
        self.write_buffer()?;
        self.current.sync()?;
        self.synced = self.written;
        self.fresh = false;
        encode(self.written, Kind::Mark, &self.synced.0.to_le_bytes(), &mut self.buffer);
        Ok(())
    }

    fn begin_segment(&mut self) -> Result<Offset, LogError> {
        self.write_buffer()?;
        self.current.sync()?;
        let start = self.written;
        let next = Segment::create(&self.disk, &self.folder, start)?;
        self.sealed.push(self.current.start());
        self.current = next;
        self.written = self.current.frames_start();
        self.synced = self.written;
        self.fresh = false;
        Ok(start)
    }

    fn remove_before(&mut self, before: Offset) -> Result<(), LogError> {
        let ends = self.sealed.iter().skip(1).copied().chain([self.current.start()]);
        let count = self.sealed.iter().zip(ends).take_while(|(_, end)| *end <= before).count();
        let gone: Vec<Offset> = self.sealed.drain(..count).collect();
        segment::remove(&self.disk, &self.folder, &gone)
    }
}

impl Offset {
    fn plus(self, bytes: usize) -> Self {
        Self(self.0.saturating_add(u64::try_from(bytes).expect("a length fits 64 bits")))
    }
}
