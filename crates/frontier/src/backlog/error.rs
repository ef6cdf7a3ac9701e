//! What can go wrong with the backlog's files.

use std::io;
use std::path::{Path, PathBuf};

use super::LaneKey;

/// Why the backlog could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum BacklogError {
    /// The disk refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Disk {
        /// What was tried.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the disk said.
        source: io::Error,
    },
    /// A file is not what was written.
    #[error("the backlog file {} is corrupt: {what}", path.display())]
    Corrupt {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A file of another program version.
    #[error("the backlog file {} has format {found}, this program reads {known}", path.display())]
    Format {
        /// Which file.
        path: PathBuf,
        /// The number that it has.
        found: u8,
        /// The number that we know.
        known: u8,
    },
    /// An entry that was pushed is nowhere.
    #[error("the backlog in {} lacks entry {ordinal} of lane {:016x}", folder.display(), lane.0)]
    Absent {
        /// Where the segments lie.
        folder: PathBuf,
        /// Whose entry.
        lane: LaneKey,
        /// Which one.
        ordinal: u64,
    },
}

impl BacklogError {
    /// For `map_err` of what the disk answers.
    pub(super) fn disk(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Disk { action, path: path.to_owned(), source }
    }

    pub(super) fn corrupt(path: &Path, what: &'static str) -> Self {
        Self::Corrupt { path: path.to_owned(), what }
    }
}
