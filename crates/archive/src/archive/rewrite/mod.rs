//! Takes records out of an archive: its files are written anew without them, one by one.
//!
//! Two readings. The first finds what is to change, and damage, before anything is touched; the
//! second writes. Files are replaced from the last to the first: a revisit stands behind the
//! capture that it refers to, so whoever needs a payload has it before it goes, and a kill in
//! between leaves nothing that doing it again would not finish.

mod renewal;
mod survey;

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use rhumb_disk::{DiskFile, Reading, SharedDisk, Writing};

use self::survey::{Change, Edit, Heir, Survey, survey};
use super::name::{self, CDXJ, DAMAGED, INDEX, NEW, Paths, WARC};
use super::recover::{Leftovers, buffered};
use super::{ArchiveError, Position, failed, last_position, list, merge_index, sync_folder};
use crate::digest::Digest;
use crate::encode::{Encoder, payload_digest};
use crate::http::HttpMessage;
use crate::id::CrawlId;
use crate::read::{Fault, Flaw, RecordHead, WarcReader};

/// What is copied at a time.
const COPY_BYTES: usize = 256 * 1024;
/// The longest block that is held: bodies are cut at far less.
const BLOCK_BYTES_MAX: usize = 256 * 1024 * 1024;

/// The outcome of a robots.txt whose record was taken out, where it spoke for an origin that stays.
pub const FORGOTTEN: &str = "forgotten";

/// Whether a URL is to go.
type Covers<'a> = &'a dyn Fn(&str) -> bool;

/// What was taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Records that are gone.
    pub records: u64,
    /// Files that were written anew.
    pub files: u64,
    /// Revisits of others whose payload was not to be found: they refer to nothing now.
    pub orphaned: u64,
    /// How far the archive reaches now.
    pub end: Position,
}

/// Takes every record out of the archive of a stopped crawl whose target is covered, with those
/// that are concurrent to it. `covers` is handed targets as they stand in `WARC-Target-URI`.
///
/// A revisit of another target that referred to one of them gets its payload. Metadata of others
/// loses the fields that name one. Where a robots.txt goes that spoke for an origin which stays, a
/// note of that remains in the origin's own name, with the outcome [`FORGOTTEN`]: without it that
/// origin would look as if it had been visited without one. Damage is an error before anything is
/// changed. Files are replaced whole, so that a kill leaves each of them old or new; doing it again
/// finishes it. Places in a file that changes mean nothing afterwards.
pub fn remove(
    disk: &SharedDisk,
    folder: &Path,
    prefix: &str,
    crawl: CrawlId,
    covers: &dyn Fn(&str) -> bool,
) -> Result<Removed, ArchiveError> {
    let left = Leftovers { disk: &**disk, folder, prefix };
    left.drop_unfinished()?;
    left.seal_all()?;
    let names = list(&**disk, folder)?;
    let files = records_in_order(&names);
    let mut removal =
        Removal { left, covers, files, estate: Estate::default(), removed: Removed::default() };
    let changed = removal.survey_all()?;
    let orphans = orphans(&names);
    let is_new = !changed.is_empty() || !orphans.is_empty();
    let has_index = names.iter().any(|name| name == INDEX);
    if is_new {
        removal.left.drop_merged_index(&names)?;
    }
    orphans.into_iter().try_for_each(|name| removal.left.remove(name))?;
    let mut encoder = Encoder::new(crawl);
    for file in &changed {
        removal.rewrite(*file, &mut encoder)?;
    }
    if is_new || !has_index {
        merge_index(&**disk, folder)?;
    }
    removal.removed.end = last_position(&removal.left, &names)?;
    Ok(removal.removed)
}

/// The names of all files of records, those set aside too, in the order in which they were begun.
fn records_in_order(names: &[String]) -> Vec<String> {
    let holds_records = |name: &&String| name.ends_with(WARC) || name.ends_with(DAMAGED);
    let mut files: Vec<String> = names.iter().filter(holds_records).cloned().collect();
    files.sort_by(|a, b| name::age(a).cmp(&name::age(b)));
    files
}

/// The indexes of files that somebody has taken away: they name what was in those.
fn orphans(names: &[String]) -> Vec<&String> {
    let is_orphan = |name: &&String| {
        let bare = name.strip_suffix(CDXJ).filter(|_| *name != INDEX);
        bare.is_some_and(|bare| !names.contains(&format!("{bare}{WARC}")))
    };
    names.iter().filter(is_orphan).collect()
}

/// What revisits of others lose and who gets it, by the digest of the payload.
#[derive(Default)]
struct Estate {
    /// The first revisit that loses its payload: it becomes the answer that has it.
    heirs: HashMap<Digest, (usize, Heir)>,
    /// The first answer that has the payload, and goes.
    sources: HashMap<Digest, (usize, u64)>,
}

struct Removal<'a> {
    left: Leftovers<'a>,
    covers: Covers<'a>,
    files: Vec<String>,
    estate: Estate,
    removed: Removed,
}

impl Removal<'_> {
    /// Reads everything, and says which files are to change, the last first.
    fn survey_all(&mut self) -> Result<Vec<usize>, ArchiveError> {
        let mut changed = Vec::new();
        for file in (0..self.files.len()).rev() {
            let found = self.survey(file)?;
            if !found.edits.is_empty() {
                changed.push(file);
            }
            let heirs = found.bereft.into_iter().map(|(digest, heir)| (digest, (file, heir)));
            self.estate.heirs.extend(heirs);
            for (digest, offset) in found.leaving {
                if self.estate.heirs.contains_key(&digest) {
                    self.estate.sources.insert(digest, (file, offset));
                }
            }
        }
        self.check_sources()?;
        Ok(changed)
    }

    /// Keeps of the sources only those that give what they promise when it is asked for.
    fn check_sources(&mut self) -> Result<(), ArchiveError> {
        for (digest, source) in std::mem::take(&mut self.estate.sources) {
            let heir = self.estate.heirs.get(&digest);
            // A file behind that of the heir is written anew before it.
            let is_in_time = heir.is_some_and(|(file, _)| source.0 <= *file);
            if is_in_time && self.payload(source, &digest)?.is_some() {
                self.estate.sources.insert(digest, source);
            }
        }
        Ok(())
    }

    fn survey(&self, file: usize) -> Result<Survey, ArchiveError> {
        let path = self.path(file);
        let found = survey(&*self.open(&path)?, self.covers);
        found.map_err(|fault| damaged(&path, fault))
    }

    /// Replaces a file by what is left of it.
    fn rewrite(&mut self, file: usize, encoder: &mut Encoder) -> Result<(), ArchiveError> {
        let edits = self.survey(file)?.edits;
        let (disk, folder, name) = (self.left.disk, self.left.folder, self.files[file].clone());
        let (path, new) = (self.path(file), folder.join(format!("{name}{NEW}")));
        let old = self.open(&path)?;
        let mut out = Writing::new(disk.create(&new).map_err(failed("create", &new))?, COPY_BYTES);
        let mut place = 0;
        for edit in edits {
            let copied = copy(&*old, place, edit.from, &mut out);
            copied.map_err(failed("copy", &path))?;
            if let Some(member) = self.renew(file, edit, encoder)? {
                out.write_all(&member).map_err(failed("write", &new))?;
            }
            place = edit.to;
        }
        let length = old.length().map_err(failed("read", &path))?;
        copy(&*old, place, length, &mut out).map_err(failed("copy", &path))?;
        out.sync().map_err(failed("write", &new))?;
        drop(old);
        // Its index goes first: one that speaks of the old file must not stand beside the new.
        let lines = Paths::new(folder, &name).lines;
        let is_indexed = name.ends_with(WARC);
        if is_indexed && disk.exists(&lines).map_err(failed("find", &lines))? {
            disk.remove(&lines).map_err(failed("remove", &lines))?;
            sync_folder(disk, folder)?;
        }
        disk.rename(&new, &path).map_err(failed("rename", &new))?;
        sync_folder(disk, folder)?;
        if is_indexed {
            self.left.index(&path, &name, u64::MAX)?;
        }
        self.removed.files += 1;
        Ok(())
    }

    /// What a record that is to change becomes, if anything.
    fn renew(
        &mut self,
        file: usize,
        edit: Edit,
        encoder: &mut Encoder,
    ) -> Result<Option<Vec<u8>>, ArchiveError> {
        if edit.change == Change::Drop {
            self.removed.records += 1;
            return Ok(None);
        }
        let (mut head, block) = self.read((file, edit.from))?;
        if edit.change == Change::Anonymise {
            self.removed.records += 1;
            let block = renewal::anonymised(&mut head, &block);
            return Ok(Some(encoder.again(&head, &block)));
        }
        if edit.change == Change::Scrub {
            let block = renewal::scrubbed(&block, self.covers);
            return Ok(Some(encoder.again(&head, &block)));
        }
        let digest = head.field("WARC-Payload-Digest").and_then(Digest::parse);
        let estate = digest.and_then(|digest| {
            let source = self.estate.sources.get(&digest)?;
            Some((digest, *source, self.estate.heirs.get(&digest)?))
        });
        let Some((digest, source, (heir_file, heir))) = estate else {
            self.removed.orphaned += 1;
            renewal::disown(&mut head, None);
            return Ok(Some(encoder.again(&head, &block)));
        };
        if (*heir_file, heir.offset) != (file, edit.from) {
            renewal::disown(&mut head, Some(heir));
            return Ok(Some(encoder.again(&head, &block)));
        }
        let payload = self.payload(source, &digest)?;
        let payload = payload.ok_or_else(|| {
            let fault = Fault { offset: source.1, flaw: Flaw::PayloadDigest };
            damaged(&self.path(source.0), fault)
        })?;
        renewal::inherit(&mut head);
        let block = renewal::refilled(block, &payload);
        drop(payload);
        Ok(Some(encoder.again(&head, &block)))
    }

    /// The payload of a record, if it has the digest that it says.
    fn payload(
        &self,
        place: (usize, u64),
        digest: &Digest,
    ) -> Result<Option<Vec<u8>>, ArchiveError> {
        let (_, block) = self.read(place)?;
        let message = HttpMessage::split(&block);
        if payload_digest(&message).0 != *digest {
            return Ok(None);
        }
        Ok(Some(message.payload().into_owned()))
    }

    /// The record at a place where one was met before.
    fn read(&self, (file, offset): (usize, u64)) -> Result<(RecordHead, Vec<u8>), ArchiveError> {
        let path = self.path(file);
        let records = self.open(&path)?;
        let reader = WarcReader::new_at(buffered(&*records), offset);
        let mut reader = reader.map_err(failed("read", &path))?;
        let gone = || Err(Fault { offset, flaw: Flaw::NotWarc });
        let read = reader.next().unwrap_or_else(gone).and_then(|mut record| {
            // The reader remembers an error and says so when the record is finished.
            let block = record.block(BLOCK_BYTES_MAX).unwrap_or_default();
            let head = record.head.clone();
            record.finish().map(|_| (head, block))
        });
        read.map_err(|fault| damaged(&path, fault))
    }

    fn path(&self, file: usize) -> PathBuf {
        self.left.folder.join(&self.files[file])
    }

    fn open(&self, path: &Path) -> Result<Box<dyn DiskFile>, ArchiveError> {
        self.left.disk.open(path).map_err(failed("open", path))
    }
}

fn damaged(path: &Path, fault: Fault) -> ArchiveError {
    match fault.flaw {
        Flaw::Unreadable(why) => failed("read", path)(io::Error::other(why)),
        _ => ArchiveError::Damaged { file: path.to_owned(), fault },
    }
}

/// Copies the bytes between two places as they are.
fn copy(file: &dyn DiskFile, from: u64, to: u64, out: &mut Writing) -> io::Result<()> {
    let count = to.saturating_sub(from);
    let mut input = BufReader::with_capacity(COPY_BYTES, Reading::new(file, from).take(count));
    let copied = io::copy(&mut input, out)?;
    if copied < count { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}
