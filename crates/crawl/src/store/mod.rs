//! What a crawl keeps, and the order in which it keeps it.
//!
//! The archive goes before the log, the log before the tables. A record is written before the
//! fact that speaks of it, and synced before it; a checkpoint's files are synced before the one
//! batch that lists them. So whatever moment a crawl ends at, [`open`] finds a past that
//! happened: the newest checkpoint, and the log behind it.
//!
//! Nothing here decides anything, and nothing here knows threads: the shell and the simulator
//! drive it, on a real disk or on one that forgets.

mod checkpoint;
mod focus;
mod footprint;
mod line;
mod mirrors;
mod opening;
mod originals;
mod replay;
mod rows;
mod suspects;
mod takedown;
#[cfg(test)]
mod tests;
mod view;
mod warming;

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use rhumb_archive::{Archive, ArchiveError, ArchiveSettings, Encoded, Position};
use rhumb_frontier::backlog::BacklogError;
use rhumb_likeness::LikenessError;
use rhumb_seen::SeenError;
use rhumb_web::{HashKey, PartitionId, Span, Tick};
use thiserror::Error;

use crate::clicks::ClicksError;
use crate::log::{Log, LogError, Offset};
use crate::partition::Fact;
use crate::tables::TablesError;
use line::Line;

pub use checkpoint::{Holdings, Installed, Snapshot};
pub use footprint::disk_use;
pub use mirrors::Mirrors;
pub use opening::{Opened, open};
pub use rows::{Identity, SeenHandle, load_site};
pub(crate) use rows::{read_payload, read_record, read_site, read_suspects, records, sites};
pub use suspects::{Suspect, Suspects};
pub(crate) use takedown::{copy_without, identity_of, remove_unlisted};
pub use view::{View, view};
pub use warming::warm_tables;

/// The folders in a crawl's folder.
pub(crate) const LOG: &str = "log";
pub(crate) const SEEN: &str = "seen";
pub(crate) const BACKLOG: &str = "backlog";
pub(crate) const LIKENESS: &str = "likeness";
pub(crate) const ARCHIVE: &str = "archive";
/// The folder of the tables.
pub const TABLES: &str = "tables";

/// A segment of the log that would grow beyond this is sealed first.
const LOG_SEGMENT_BYTES: u64 = 64 * 1024 * 1024;
/// After an end that was not clean, every site is left alone for its gap: none is longer.
const GAP_MAX: Span = Span::hours(24);

/// What could not be kept, or not be found again.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The tables.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// The seen-set.
    #[error(transparent)]
    Seen(#[from] SeenError),
    /// The backlog.
    #[error(transparent)]
    Backlog(#[from] BacklogError),
    /// The sieve.
    #[error(transparent)]
    Likeness(#[from] LikenessError),
    /// The clicks.
    #[error(transparent)]
    Clicks(#[from] ClicksError),
    /// The archive of an earlier crawl.
    #[error(transparent)]
    Earlier(ArchiveError),
    /// A file or folder.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What came of it.
        source: io::Error,
    },
    /// A line of the log is whole, and yet cannot be read.
    #[error("a line of the log cannot be read: it was written by another version")]
    Line,
    /// A row of the tables cannot be read.
    #[error("the row {0} of the tables cannot be read")]
    Row(String),
    /// Files are there that nothing speaks of.
    #[error("{} holds files, but the tables of the crawl are gone", .0.display())]
    Orphaned(PathBuf),
    /// A shelf does not hold what was put there.
    #[error("the backlog has lost entries of {0}")]
    ShelfLost(String),
    /// A part of the program failed.
    #[error("a thread of the crawl panicked")]
    Panicked,
    /// The tables were written by a later version.
    #[error("this crawl was written in format {0}, which this version does not know")]
    Format(u32),
    /// The number of partitions cannot change.
    #[error("this crawl has {has} partitions, and keeps them; {asked} were asked for")]
    Partitions {
        /// As it was created.
        has: u16,
        /// As the settings have it.
        asked: u16,
    },
    /// There is nothing to read.
    #[error("there is no crawl in {} yet", .0.display())]
    NoCrawl(PathBuf),
}

impl StoreError {
    /// Whether the disk is full.
    pub fn is_full(&self) -> bool {
        let by_kind = self.io_kind().is_some_and(|kind| {
            matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        });
        // The tables' database says it in words only.
        let by_words = |reason: &str| {
            ["StorageFull", "QuotaExceeded", "os error 28", "os error 122"]
                .iter()
                .any(|word| reason.contains(word))
        };
        let Self::Tables(TablesError::Failed { reason, .. }) = self else { return by_kind };
        by_kind || by_words(reason)
    }

    /// Whether it is for the user to change a setting.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Partitions { .. } | Self::NoCrawl(_) | Self::Tables(TablesError::InUse { .. })
        )
    }

    /// Whether a later version wrote the crawl.
    pub fn is_newer(&self) -> bool {
        matches!(
            self,
            Self::Format(_)
                | Self::Log(LogError::Format { .. })
                | Self::Seen(SeenError::Format { .. })
                | Self::Backlog(BacklogError::Format { .. })
                | Self::Likeness(LikenessError::Format { .. })
        )
    }

    /// Whether a file of the crawl is gone, or is not what was written.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Archive(error) => matches!(error, ArchiveError::Behind { .. }),
            Self::Log(error) => matches!(
                error,
                LogError::Corrupt { .. } | LogError::Missing { .. } | LogError::Refused { .. }
            ),
            Self::Seen(_) | Self::Backlog(_) | Self::Likeness(_) => {
                !self.is_full() && self.io_kind().is_none_or(|kind| kind == io::ErrorKind::NotFound)
            }
            Self::Tables(TablesError::Failed { reason, .. }) => {
                !self.is_full() && !reason.contains("PermissionDenied")
            }
            Self::Line | Self::Row(_) | Self::Orphaned(_) | Self::ShelfLost(_) => true,
            Self::Tables(_)
            | Self::Clicks(_)
            | Self::Earlier(_)
            | Self::Io { .. }
            | Self::Format(_)
            | Self::Partitions { .. }
            | Self::NoCrawl(_)
            | Self::Panicked => false,
        }
    }

    fn io_kind(&self) -> Option<io::ErrorKind> {
        let mut error: Option<&(dyn std::error::Error + 'static)> = Some(self);
        while let Some(inner) = error {
            if let Some(io) = inner.downcast_ref::<io::Error>() {
                return Some(io.kind());
            }
            error = inner.source();
        }
        None
    }
}

/// Names what failed and where.
fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { doing, path, source }
}

/// What the store must know of its crawl.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// The crawl's folder.
    pub folder: PathBuf,
    /// How the archive is kept.
    pub archive: ArchiveSettings,
    /// The number of partitions, the secret of the hashes and the moment of creation, for a
    /// crawl that does not exist yet.
    pub identity: Identity,
    /// The name to which robots.txt speaks.
    pub agent: String,
    /// Bytes of memory for the seen-set.
    pub seen_memory: usize,
    /// Bytes of memory for the sieve of originals.
    pub likeness_memory: usize,
}

/// The side that writes all the time: the archive, and the log behind it. It has one owner.
#[derive(Debug)]
pub struct Store {
    log: Log,
    archive: Archive,
    buffer: Vec<u8>,
    /// What the log says of the archive: it is on the disk up to here.
    kept: Position,
    /// The end of the last records that a fact in the log speaks of.
    known: Position,
    /// Whether it was opened after a clean end.
    was_clean: bool,
    opened_at: Tick,
    /// The last moment that the log speaks of.
    last: Tick,
}

/// Up to where a checkpoint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// In the log.
    pub offset: Offset,
    /// In the archive: the end of what the log before it speaks of.
    pub archive: Position,
}

impl Store {
    /// Adds records to the archive, and says where they end. They are safe from a kill after
    /// [`Store::write`], from a power cut after [`Store::sync`].
    pub fn keep(&mut self, records: &[Encoded]) -> Result<Option<Position>, StoreError> {
        let mut end = None;
        for record in records {
            end = Some(self.archive.append(record)?.end);
        }
        Ok(end)
    }

    /// Adds facts to the log; the records that they speak of were kept before.
    pub fn log(
        &mut self,
        partition: PartitionId,
        at: Tick,
        facts: &[Fact],
    ) -> Result<(), StoreError> {
        self.last = self.last.max(at);
        for fact in facts {
            if let Fact::Settled(settled) = fact {
                self.known = self.known.max(settled.kept.unwrap_or_default());
            }
            self.line(&Line::Fact(partition, at, Cow::Borrowed(fact)))?;
        }
        Ok(())
    }

    /// Keeps records of which no fact speaks, and says in the log that the archive has them: for
    /// what is learned at an opening. Safe as those of [`Store::keep`] and their facts are.
    pub fn note(&mut self, records: &[Encoded]) -> Result<(), StoreError> {
        if let Some(end) = self.keep(records)? {
            self.known = self.known.max(end);
            self.line(&Line::Noted(end))?;
        }
        Ok(())
    }

    fn line(&mut self, line: &Line<'_>) -> Result<(), StoreError> {
        line.encode(&mut self.buffer);
        self.log.append(&self.buffer)?;
        Ok(())
    }

    /// Everything is handed to the operating system: records, then facts.
    pub fn write(&mut self) -> Result<(), StoreError> {
        self.archive.flush()?;
        self.log.write()?;
        Ok(())
    }

    /// Everything reaches the disk: records, then facts.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        self.archive.sync()?;
        let position = self.archive.position();
        if position != self.kept {
            self.line(&Line::Kept(position))?;
            self.kept = position;
        }
        self.log.sync()?;
        Ok(())
    }

    /// Bytes of log so far, over all segments.
    pub fn log_end(&self) -> Offset {
        self.log.end()
    }

    /// Syncs, and begins a new segment of the log: a checkpoint of what was said so far holds
    /// up to there.
    pub fn mark(&mut self) -> Result<Mark, StoreError> {
        self.sync()?;
        Ok(Mark { offset: self.log.rotate()?, archive: self.known })
    }

    /// Removes what lies before a checkpoint that is on the disk.
    pub fn trim(&mut self, mark: Mark) -> Result<(), StoreError> {
        Ok(self.log.trim(mark.offset)?)
    }

    /// Seals the archive, and puts its index together.
    pub fn close(mut self) -> Result<(), StoreError> {
        // Until then a site may be on disk that was not left alone since an end that was not.
        if self.was_clean || self.last.since(self.opened_at) >= GAP_MAX {
            self.line(&Line::Closed)?;
        }
        self.sync()?;
        Ok(self.archive.close()?)
    }
}

/// The secret of a crawl's hashes as the name of its archive's records.
pub(crate) fn crawl_id(hash: HashKey) -> rhumb_archive::CrawlId {
    let name = |word: &str| hash.hash(word.as_bytes()).to_be_bytes();
    let mut id = [0; 16];
    id[..8].copy_from_slice(&name("archive"));
    id[8..].copy_from_slice(&name("record"));
    rhumb_archive::CrawlId(id)
}
