//! Which captures of a URL there are, by the indexes of the files.

use std::io;
use std::path::Path;

use super::places::{LOOKS_MAX, indexes, reading};
use super::{Position, name};
use crate::cdxj::{self, Line};
use crate::surt::surt;

/// A capture of a URL, as its line in an index tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// When it was made: year to second in digits, `20260203040506`.
    pub stamp: String,
    /// The status of the answer.
    pub status: Option<u16>,
    /// Its media type, as written there; none where the payload lies elsewhere.
    pub media_type: Option<String>,
    /// The digest of its payload.
    pub digest: Option<String>,
    /// Whether the payload lies with an earlier capture: see [`payload_place()`](super::payload_place).
    pub is_revisit: bool,
    /// Where its record begins.
    pub place: Position,
}

impl Version {
    pub(super) fn told(line: &Line<'_>) -> Option<Self> {
        let (file, end) = line.place()?;
        let is_revisit = line.is_revisit();
        let media_type = line.value("mime").filter(|_| !is_revisit);
        Some(Self {
            stamp: line.stamp()?.to_owned(),
            status: line.value("status").and_then(|status| status.parse().ok()),
            media_type: media_type.map(str::to_owned),
            digest: line.value("digest").map(str::to_owned),
            is_revisit,
            place: Position { serial: name::age(&file).0?, end },
        })
    }
}

/// The captures of a URL, the newest first, at most so many of them. Of the indexes only that of
/// the file which grows is read through; it tells what was flushed.
pub fn versions(folder: &Path, url: &str, max: usize) -> io::Result<Vec<Version>> {
    let mut names = indexes(folder)?;
    for _ in 1..LOOKS_MAX {
        let found = versions_in(folder, &names, url, max);
        let now = indexes(folder)?;
        match found {
            // A list that is made while a file takes another name may lack it.
            Ok(found) if now == names => return Ok(found),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => names = now,
        }
    }
    versions_in(folder, &names, url, max)
}

fn versions_in(folder: &Path, names: &[String], url: &str, max: usize) -> io::Result<Vec<Version>> {
    let key = surt(url);
    let mut found = Vec::new();
    for name in names {
        reading(folder, name, |path, order| {
            cdxj::each_line(path, &key, order, |line| {
                found.extend(Version::told(line).filter(|_| line.is_of(url)));
                if found.len() > max.saturating_mul(2) {
                    keep_newest(&mut found, max);
                }
                false
            })
        })?;
        keep_newest(&mut found, max);
    }
    Ok(found)
}

/// By time, because that is what people choose by; two of one second by their places.
fn keep_newest(found: &mut Vec<Version>, max: usize) {
    found.sort_by(|a, b| (&b.stamp, b.place).cmp(&(&a.stamp, a.place)));
    // An index that is just sealed may have two names.
    found.dedup_by_key(|version| version.place);
    found.truncate(max);
}
