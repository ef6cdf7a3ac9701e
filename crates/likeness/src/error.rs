//! What can go wrong with the files of the sieve.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file of the sieve could not be written or read.
#[derive(Debug, Error)]
pub enum LikenessError {
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
}

impl LikenessError {
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
