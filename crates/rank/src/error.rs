//! What can go wrong with links and ranks.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file of links or ranks could not be written or read.
#[derive(Debug, Error)]
pub enum RankError {
    /// The disk refused.
    #[error("cannot {doing} {path}: {source}")]
    Disk {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the disk said.
        source: io::Error,
    },
    /// The file is not what was written.
    #[error("{path} is damaged: {what}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The file is of another format.
    #[error("{path} has format {number}, which this version does not read")]
    Format {
        /// Which file.
        path: PathBuf,
        /// Its format number.
        number: u8,
    },
    /// The store has less than was committed: the index has to be built again.
    #[error("{path} has {length} bytes where {end} were committed: build the index again")]
    Short {
        /// Which file.
        path: PathBuf,
        /// How long it is.
        length: u64,
        /// How long it should be at least.
        end: u64,
    },
    /// A write failed before, so that the end of the file is unknown: it has to be opened again.
    #[error("{path} was given up after a failed write: open it again")]
    GivenUp {
        /// Which file.
        path: PathBuf,
    },
    /// There are more documents than a graph can number.
    #[error("{path} has more documents than the {most} of a graph")]
    TooMany {
        /// Which store.
        path: PathBuf,
        /// How many a graph can have.
        most: u32,
    },
}

impl RankError {
    pub(crate) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Disk { doing, path: path.to_owned(), source }
    }

    pub(crate) fn damaged(path: &Path, what: &'static str) -> Self {
        Self::Damaged { path: path.to_owned(), what }
    }

    /// Whether a file begins with this magic, whose last byte is the format number.
    pub(crate) fn check_magic(path: &Path, found: &[u8], magic: [u8; 8]) -> Result<(), Self> {
        match found {
            [name @ .., number] if name == &magic[..7] && *number != magic[7] => {
                Err(Self::Format { path: path.to_owned(), number: *number })
            }
            _ if found == magic => Ok(()),
            _ => Err(Self::damaged(path, "it does not begin as such a file does")),
        }
    }
}
