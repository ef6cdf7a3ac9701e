//! Why clicks cannot be counted.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why clicks cannot be counted, or not be read.
#[derive(Debug, Error)]
pub enum ClicksError {
    /// The disk.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What came of it.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} does not hold clicks", .0.display())]
    NotClicks(PathBuf),
    /// A later version wrote it.
    #[error("{} was written in format {number}, which this version does not know", path.display())]
    Format {
        /// Which file.
        path: PathBuf,
        /// Its format.
        number: u8,
    },
}

impl ClicksError {
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}
