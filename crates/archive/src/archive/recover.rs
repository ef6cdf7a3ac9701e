//! What an earlier run left behind is put in order: the torn end of its open file is cut off, and
//! the file is sealed. Damage before that end stays where it is, and the index passes over it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use super::file::Paths;
use super::{ArchiveError, CDXJ, DAMAGED, OPEN, WARC, failed, names, sync_folder};
use crate::cdxj::{self, LineHead};
use crate::http::HttpMessage;
use crate::read::{Fault, Flaw, Record, WarcReader, has_member_after};

/// The beginning of a block in which the head of an answer is looked for.
const HTTP_HEAD_MAX: usize = 1024 * 1024;

/// Seals every file that is still open, and gives each sealed file its index if it has none.
pub(super) fn close_orphans(folder: &Path) -> Result<(), ArchiveError> {
    let found = names(folder)?;
    for name in &found {
        if let Some(name) = name.strip_suffix(OPEN).filter(|name| name.ends_with(WARC)) {
            seal_orphan(folder, name)?;
        }
    }
    for name in found.iter().filter(|name| name.ends_with(WARC)) {
        let paths = Paths::new(folder, name);
        if !paths.lines.exists() {
            index(&paths.sealed, name, &paths)?;
        }
    }
    for name in found.iter().filter(|name| is_leftover(name)) {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("remove", &path)(error));
            }
            _ => {}
        }
    }
    sync_folder(folder)
}

/// Lines of an index that was not finished: `x.cdxj.open`, `x.cdxj.new`, `x.cdxj.run0.new`.
fn is_leftover(name: &str) -> bool {
    let Some((_, rest)) = name.split_once(&format!("{CDXJ}.")) else { return false };
    rest.split('.').all(|part| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        matches!(word, "open" | "new" | "run" | "part" | "parts")
    })
}

fn seal_orphan(folder: &Path, name: &str) -> Result<(), ArchiveError> {
    let paths = Paths::new(folder, name);
    let end = index(&paths.open, name, &paths)?;
    let hides_more = has_member_after(&paths.open, end).map_err(failed("read", &paths.open))?;
    if hides_more {
        set_aside(&paths.open, &folder.join(format!("{name}{DAMAGED}")))?;
    }
    if end == 0 {
        fs::remove_file(&paths.lines).map_err(failed("remove", &paths.lines))?;
        return fs::remove_file(&paths.open).map_err(failed("remove", &paths.open));
    }
    let file = File::options().write(true).open(&paths.open);
    let cut = file.and_then(|file| {
        file.set_len(end)?;
        file.sync_all()
    });
    cut.map_err(failed("cut back", &paths.open))?;
    fs::rename(&paths.open, &paths.sealed).map_err(failed("rename", &paths.open))
}

/// Keeps a copy of a file whose end is not just torn: damage can look as if it reached to the end,
/// and records may lie behind it.
fn set_aside(open: &Path, aside: &Path) -> Result<(), ArchiveError> {
    let copied = fs::copy(open, aside).and_then(|_| File::open(aside)?.sync_all());
    copied.map_err(failed("copy", open))
}

/// Writes the index of a file anew, and says where its last whole record ends.
fn index(warc: &Path, name: &str, paths: &Paths) -> Result<u64, ArchiveError> {
    let end = write_lines(warc, name, &paths.open_lines).map_err(failed("index", warc))?;
    let sorted = cdxj::sort_file(&paths.open_lines, &paths.lines);
    sorted.map_err(failed("sort", &paths.open_lines))?;
    fs::remove_file(&paths.open_lines).map_err(failed("remove", &paths.open_lines))?;
    Ok(end)
}

fn write_lines(warc: &Path, name: &str, lines: &Path) -> io::Result<u64> {
    let mut out = BufWriter::new(File::create(lines)?);
    let mut reader = WarcReader::open(warc)?;
    let mut whole = 0;
    // Only the first record of a member can be found by its offset.
    let mut shared = None;
    while let Some(next) = reader.next() {
        let read = next.and_then(|mut record| {
            let (offset, line) = (record.offset, line_of(&mut record));
            record.finish().map(|end| (offset, line, end))
        });
        match read {
            Ok((offset, line, end)) => {
                if let Some(line) = line?.filter(|_| shared != Some(offset)) {
                    out.write_all(line.place(name, offset, end - offset).as_bytes())?;
                }
                whole = whole.max(end);
            }
            // What the disk does not give out today is not to be cut off.
            Err(Fault { flaw: Flaw::Unreadable(why), .. }) => return Err(io::Error::other(why)),
            Err(Fault { flaw: Flaw::SharedMember, offset }) => shared = Some(offset),
            Err(_) => {}
        }
    }
    out.flush()?;
    Ok(whole)
}

fn line_of<R: io::BufRead + io::Seek>(record: &mut Record<'_, R>) -> io::Result<Option<LineHead>> {
    let head = record.head.clone();
    let (Some(url), Some(date)) = (head.url(), head.field("WARC-Date")) else { return Ok(None) };
    let mut start = Vec::new();
    if head.is_http() {
        let max = u64::try_from(HTTP_HEAD_MAX).expect("a length fits 64 bits");
        record.take(max).read_to_end(&mut start)?;
    }
    let message = head.is_http().then(|| HttpMessage::split(&start));
    let media_type = head.field("Content-Type");
    let digest = head.field("WARC-Payload-Digest");
    Ok(LineHead::new(head.kind, url, date, message.as_ref(), media_type, digest))
}
