//! Reading segments back: whole frames are handed on, and the first bad one is judged.

use std::io::{BufReader, Read};
use std::path::Path;

use rhumb_disk::SharedDisk;

use super::frame::{HEAD_BYTES, Head, Kind, MARK_BYTES, mark};
use super::segment::{Header, Segment, failed};
use super::{LogError, Offset, Take, Verdict};

/// How much of a segment is read at once.
const READ_BYTES: usize = 256 << 10;

/// Hands the frames of one segment after the other to a taker.
pub(super) struct Reader<'a, 'b> {
    disk: &'a SharedDisk,
    folder: &'a Path,
    from: Offset,
    take: &'a mut Take<'b>,
    payload: Vec<u8>,
}

impl<'a, 'b> Reader<'a, 'b> {
    /// Frames before `from` are checked and not handed on.
    pub(super) fn new(
        disk: &'a SharedDisk,
        folder: &'a Path,
        from: Offset,
        take: &'a mut Take<'b>,
    ) -> Self {
        Self { disk, folder, from, take, payload: Vec::new() }
    }

    /// Reads a segment; gives the place where the log is to be cut, if it is.
    pub(super) fn read(
        &mut self,
        start: Offset,
        is_last: bool,
    ) -> Result<Option<Offset>, LogError> {
        let segment = Segment::open(self.disk, self.folder, start)?;
        if segment.header()? == Header::Torn {
            return Err(corrupt(&segment, start));
        }
        let end = segment.end()?;
        let mut at = segment.frames_start();
        let mut input = BufReader::with_capacity(READ_BYTES, segment.reading(at));
        while at < end {
            let Some(kind) = self.next_frame(&segment, &mut input, at, end)? else {
                // Before `from` all was synced: a checkpoint speaks of it.
                let torn = is_last && at >= self.from && !was_synced(&segment, at, end)?;
                return if torn { Ok(Some(at)) } else { Err(corrupt(&segment, at)) };
            };
            let next = at.plus(HEAD_BYTES + self.payload.len());
            if at < self.from && self.from < next {
                return Err(corrupt(&segment, self.from));
            }
            let is_theirs = kind == Kind::Fact && at >= self.from;
            if is_theirs && (self.take)(at, &self.payload)? == Verdict::CutHere {
                return Ok(Some(at));
            }
            at = next;
        }
        Ok(None)
    }

    /// Reads the frame at a place into the payload; none if there is no whole one.
    fn next_frame(
        &mut self,
        segment: &Segment,
        input: &mut impl Read,
        at: Offset,
        end: Offset,
    ) -> Result<Option<Kind>, LogError> {
        let mut head = [0; HEAD_BYTES];
        let mut fill =
            |buffer: &mut [u8]| input.read_exact(buffer).map_err(failed("read", segment.path()));
        if at.plus(HEAD_BYTES) > end {
            return Ok(None);
        }
        fill(&mut head)?;
        let Some(head) = Head::parse(head) else {
            return Ok(None);
        };
        if at.plus(HEAD_BYTES + head.length) > end {
            return Ok(None);
        }
        self.payload.resize(head.length, 0);
        fill(&mut self.payload)?;
        Ok(head.fits(at, &self.payload).then_some(head.kind))
    }
}

/// Whether a mark behind a bad frame says that the frame was on disk once.
fn was_synced(segment: &Segment, bad: Offset, end: Offset) -> Result<bool, LogError> {
    let mut chunk = vec![0; READ_BYTES];
    let mut at = bad;
    while at < end {
        let count = segment.read_at(at, &mut chunk)?;
        for (index, bytes) in chunk[..count].array_windows::<MARK_BYTES>().enumerate() {
            if mark(at.plus(index), *bytes).is_some_and(|synced| synced > bad) {
                return Ok(true);
            }
        }
        // The next chunk begins where this one had no whole window.
        match count.checked_sub(MARK_BYTES - 1) {
            None | Some(0) => break,
            Some(seen) => at = at.plus(seen),
        }
    }
    Ok(false)
}

fn corrupt(segment: &Segment, offset: Offset) -> LogError {
    LogError::Corrupt { path: segment.path().to_owned(), offset }
}
