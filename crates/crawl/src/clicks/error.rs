//! Why clicks cannot be counted.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why clicks cannot be counted, or not be read: the disk.
#[derive(Debug, Error)]
#[error("cannot {doing} {}: {source}", path.display())]
pub struct ClicksError {
    /// What was tried.
    doing: &'static str,
    /// On what.
    path: PathBuf,
    /// What came of it.
    source: io::Error,
}

impl ClicksError {
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { doing, path, source }
    }
}
