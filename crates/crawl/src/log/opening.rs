//! Opening a log: first everything is read and judged, then the disk is changed.

use std::path::Path;

use rhumb_disk::SharedDisk;

use super::reading::Reader;
use super::segment::{self, Header, Segment, failed};
use super::{LogError, Offset, Take};

/// A segment that was found, and where it ends.
#[derive(Clone, Copy, Debug)]
struct Found {
    start: Offset,
    end: Offset,
}

/// What reading a log has found out.
struct Scan {
    /// Segments that a killed checkpoint left untrimmed.
    stale: Vec<Offset>,
    /// Segments that were read.
    live: Vec<Offset>,
    /// A last segment whose header was never whole.
    newborn: Option<Offset>,
    /// Where the log ends, or is to be cut.
    end: Offset,
}

/// Reads the log from an offset on and changes nothing; see [`Log::read`](super::Log::read).
pub(super) fn read(
    disk: &SharedDisk,
    folder: &Path,
    from: Offset,
    take: &mut Take<'_>,
) -> Result<(), LogError> {
    scan(disk, folder, from, take).map(drop)
}

/// Reads the log from an offset on; see [`Log::open`](super::Log::open). Gives the starts of the
/// sealed segments that stay, and a segment without frames.
pub(super) fn open(
    disk: &SharedDisk,
    folder: &Path,
    from: Offset,
    take: &mut Take<'_>,
) -> Result<(Vec<Offset>, Segment), LogError> {
    let Scan { stale, live: mut kept, newborn, end } = scan(disk, folder, from, take)?;
    let empty = cut_back(disk, folder, &mut kept, end)?.filter(|_| newborn.is_none());
    let current = match empty {
        Some(mut segment) => {
            kept.pop();
            segment.settle(disk, folder)?;
            segment
        }
        None => begin(disk, folder, newborn, end)?,
    };
    segment::remove(disk, folder, &stale)?;
    Ok((kept, current))
}

fn scan(
    disk: &SharedDisk,
    folder: &Path,
    from: Offset,
    take: &mut Take<'_>,
) -> Result<Scan, LogError> {
    let mut found = find(disk, folder)?;
    let newborn = pop_newborn(disk, folder, &mut found)?;
    let Some(last) = found.last().copied() else {
        return if newborn.unwrap_or_default() == from {
            Ok(Scan { stale: Vec::new(), live: Vec::new(), newborn, end: from })
        } else {
            Err(missing(folder, from))
        };
    };
    if newborn.is_some_and(|start| start != last.end) {
        return Err(missing(folder, last.end));
    }
    let (stale, live) = split(folder, &found, from)?;
    let mut reader = Reader::new(disk, folder, from, take);
    let mut torn = None;
    for (index, segment) in live.iter().enumerate() {
        let is_last = index + 1 == live.len() && newborn.is_none();
        torn = reader.read(segment.start, is_last)?;
        if torn.is_some() {
            break;
        }
    }
    let starts = |found: &[Found]| found.iter().map(|segment| segment.start).collect();
    Ok(Scan {
        stale: starts(stale),
        live: starts(live),
        newborn: newborn.filter(|_| torn.is_none()),
        end: torn.unwrap_or(last.end),
    })
}

fn find(disk: &SharedDisk, folder: &Path) -> Result<Vec<Found>, LogError> {
    let starts = segment::list(disk, folder)?;
    let find = |start| Ok(Found { start, end: Segment::open(disk, folder, start)?.end()? });
    starts.into_iter().map(find).collect()
}

/// Sets a last segment aside whose header was never whole: it never had a frame.
fn pop_newborn(
    disk: &SharedDisk,
    folder: &Path,
    found: &mut Vec<Found>,
) -> Result<Option<Offset>, LogError> {
    let Some(last) = found.last() else {
        return Ok(None);
    };
    let segment = Segment::open(disk, folder, last.start)?;
    // A header is synced before the first frame, so a longer file had a whole one.
    if last.end <= segment.frames_start() && segment.header()? == Header::Torn {
        found.pop();
        return Ok(Some(segment.start()));
    }
    Ok(None)
}

/// The segments that a killed checkpoint left untrimmed, and those to read: without a gap, from
/// the one that holds `from`. There are none to read if the last one ends there.
fn split<'a>(
    folder: &Path,
    found: &'a [Found],
    from: Offset,
) -> Result<(&'a [Found], &'a [Found]), LogError> {
    let (stale, live) = found.split_at(found.partition_point(|segment| segment.end <= from));
    let holds = match live.first() {
        Some(first) => first.start <= from,
        None => stale.last().is_some_and(|last| last.end == from),
    };
    if !holds {
        return Err(missing(folder, from));
    }
    match live.windows(2).find(|pair| pair[0].end != pair[1].start) {
        Some(pair) => Err(missing(folder, pair[0].end)),
        None => Ok((stale, live)),
    }
}

/// Ends the log at a place, on disk too: a segment that is followed by another is synced. Gives
/// the last segment if it has no frame.
fn cut_back(
    disk: &SharedDisk,
    folder: &Path,
    kept: &mut Vec<Offset>,
    end: Offset,
) -> Result<Option<Segment>, LogError> {
    // From the list and not from `kept`: a newborn segment goes too.
    let mut beyond = segment::list(disk, folder)?;
    beyond.retain(|start| *start > end);
    // The newest first: a power cut leaves no gap.
    beyond.reverse();
    segment::remove(disk, folder, &beyond)?;
    kept.retain(|start| *start < end);
    let Some(last) = kept.last() else {
        return Ok(None);
    };
    let mut last = Segment::open(disk, folder, *last)?;
    if last.end()? > end {
        last.cut(end)?;
    }
    last.sync()?;
    Ok((last.frames_start() == end).then_some(last))
}

/// A new segment, or the newborn one once more: its name must never be missing, for a checkpoint
/// may speak of it.
fn begin(
    disk: &SharedDisk,
    folder: &Path,
    newborn: Option<Offset>,
    start: Offset,
) -> Result<Segment, LogError> {
    if let Some(start) = newborn {
        let mut segment = Segment::open(disk, folder, start)?;
        segment.begin_again()?;
        segment.settle(disk, folder)?;
        return Ok(segment);
    }
    if start == Offset::default() {
        disk.create_folder(folder).map_err(failed("create", folder))?;
        let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
        let above = above.unwrap_or(Path::new("."));
        disk.sync_folder(above).map_err(failed("sync", above))?;
    }
    Segment::create(disk, folder, start)
}

fn missing(folder: &Path, offset: Offset) -> LogError {
    LogError::Missing { folder: folder.to_owned(), offset }
}
