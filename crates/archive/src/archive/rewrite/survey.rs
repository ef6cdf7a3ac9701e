//! What is to change in one file.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io;

use rhumb_disk::DiskFile;

use super::super::recover::buffered;
use super::{BLOCK_BYTES_MAX, Covers, renewal};
use crate::digest::Digest;
use crate::encode::WARC_FIELDS;
use crate::read::{Fault, Kind, Record, RecordHead, WarcReader};

/// Named values beyond this are not of ours, and not looked into.
const FIELDS_BYTES_MAX: u64 = 1024 * 1024;

/// What happens to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It goes.
    Drop,
    /// It is a revisit that loses what it refers to.
    Refill,
    /// It loses the named values that are covered.
    Scrub,
    /// It tells of a robots.txt that goes, and that spoke for an origin which stays.
    Anonymise,
}

/// A record that changes, and where it lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edit {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) change: Change,
}

/// A revisit to which others may refer, once it has its payload.
#[derive(Debug)]
pub(super) struct Heir {
    pub(super) offset: u64,
    pub(super) url: String,
    pub(super) date: String,
}

/// What is to change in a file, in its order.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) edits: Vec<Edit>,
    /// Answers that go, by payload: the first of each.
    pub(super) leaving: HashMap<Digest, u64>,
    /// Revisits that lose their payload: the first of each.
    pub(super) bereft: HashMap<Digest, Heir>,
}

impl Survey {
    fn note(&mut self, head: &RecordHead, offset: u64, change: Change) {
        let digest = head.field("WARC-Payload-Digest").and_then(Digest::parse);
        let Some(digest) = digest else { return };
        let fits = usize::try_from(head.length).is_ok_and(|length| length <= BLOCK_BYTES_MAX);
        let fits = fits && head.length > 0 && head.is_http();
        if change == Change::Drop && head.kind == Kind::Response && fits {
            self.leaving.entry(digest).or_insert(offset);
        }
        if change == Change::Refill && fits {
            let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
            let (url, date) = (text(head.url()), text(head.field("WARC-Date")));
            self.bereft.entry(digest).or_insert(Heir { offset, url, date });
        }
    }
}

/// Reads a file to its end.
pub(super) fn survey(file: &dyn DiskFile, covers: Covers<'_>) -> Result<Survey, Fault> {
    let mut reader = WarcReader::new(buffered(file));
    let mut survey = Survey::default();
    // Eight bytes for an id: a file can hold millions.
    let (hasher, mut gone) = (RandomState::new(), HashSet::new());
    while let Some(next) = reader.next() {
        let mut record = next?;
        let (head, from) = (record.head.clone(), record.offset);
        let follows = head.field("WARC-Concurrent-To").map(|id| hasher.hash_one(id));
        let is_covered =
            head.url().is_some_and(covers) || follows.is_some_and(|id| gone.contains(&id));
        let change = if is_covered {
            gone.extend(head.field("WARC-Record-ID").map(|id| hasher.hash_one(id)));
            let is_lent = speaks_for_another(&mut record, covers);
            Some(if is_lent { Change::Anonymise } else { Change::Drop })
        } else {
            change_of(&mut record, covers)
        };
        let to = record.finish()?;
        if let Some(change) = change {
            survey.edits.push(Edit { from, to, change });
            survey.note(&head, from, change);
        }
    }
    Ok(survey)
}

/// Whether a record that goes tells of a robots.txt of an origin that stays.
fn speaks_for_another<R: io::BufRead + io::Seek>(
    record: &mut Record<'_, R>,
    covers: Covers<'_>,
) -> bool {
    fields(record).is_some_and(|block| renewal::speaks_for_another(&block, covers))
}

/// The block of a record that holds named values about a fetch.
fn fields<R: io::BufRead + io::Seek>(record: &mut Record<'_, R>) -> Option<Vec<u8>> {
    let head = &record.head;
    let is_it = head.kind == Kind::Metadata
        && head.field("Content-Type") == Some(WARC_FIELDS)
        && head.length <= FIELDS_BYTES_MAX;
    // The reader remembers an error and says so when the record is finished.
    if is_it { record.block(usize::MAX).ok() } else { None }
}

/// What happens to a record that itself stays.
fn change_of<R: io::BufRead + io::Seek>(
    record: &mut Record<'_, R>,
    covers: Covers<'_>,
) -> Option<Change> {
    if record.head.kind == Kind::Revisit {
        let earlier = record.head.field("WARC-Refers-To-Target-URI");
        return earlier.is_some_and(covers).then_some(Change::Refill);
    }
    let block = fields(record)?;
    renewal::names_covered(&block, covers).then_some(Change::Scrub)
}
