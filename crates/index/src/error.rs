//! What can go wrong with an index.

use std::io;
use std::path::{Path, PathBuf};

use rhumb_rank::RankError;
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenReadError};
use thiserror::Error;

use crate::ask::QueryError;

/// An index could not do what it was asked.
#[derive(Debug, Error)]
pub enum IndexError {
    /// There is none: nothing was indexed yet.
    #[error("no index in {}", folder.display())]
    NoIndex {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// It was made by another version or for another crawl: build it again.
    #[error("the index in {} {what}, it has to be built again", folder.display())]
    Other {
        /// Where it lies.
        folder: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Another process writes it.
    #[error("the index in {} is being written by another process", folder.display())]
    InUse {
        /// Where it lies.
        folder: PathBuf,
    },
    /// The words failed.
    #[error("cannot {doing} the words in {}: {source}", folder.display())]
    Words {
        /// What was tried.
        doing: &'static str,
        /// Where they lie.
        folder: PathBuf,
        /// What tantivy says.
        source: TantivyError,
    },
    /// The texts of links failed.
    #[error("cannot {doing} the texts of links in {}: {reason}", folder.display())]
    Anchors {
        /// What was tried.
        doing: &'static str,
        /// Where they lie.
        folder: PathBuf,
        /// What fjall says.
        reason: String,
    },
    /// The links or the ranks failed.
    #[error(transparent)]
    Links(#[from] RankError),
    /// The query cannot be understood.
    #[error(transparent)]
    Query(#[from] QueryError),
}

impl IndexError {
    /// For `map_err`: tantivy failed at something.
    pub(crate) fn words<E: Into<TantivyError>>(
        doing: &'static str,
        folder: &Path,
    ) -> impl FnOnce(E) -> Self {
        move |error| match error.into() {
            TantivyError::LockFailure(LockError::LockBusy, _) => {
                Self::InUse { folder: folder.to_owned() }
            }
            source => Self::Words { doing, folder: folder.to_owned(), source },
        }
    }

    /// What an error at opening means: where it says that the files are not what this version
    /// wrote, it helps to build the index again.
    pub(crate) fn at_opening(self, folder: &Path) -> Self {
        let is_other = match &self {
            Self::Words { source, .. } => is_other(source),
            Self::Links(error) => matches!(
                error,
                RankError::Short { .. } | RankError::Damaged { .. } | RankError::Format { .. }
            ),
            _ => false,
        };
        if !is_other {
            return self;
        }
        Self::Other { folder: folder.to_owned(), what: format!("cannot be read ({self})") }
    }
}

fn is_other(error: &TantivyError) -> bool {
    let is_cut = |error: &io::Error| {
        matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
    };
    match error {
        TantivyError::SchemaError(_)
        | TantivyError::IncompatibleIndex(_)
        | TantivyError::DataCorruption(_)
        | TantivyError::OpenReadError(
            OpenReadError::FileDoesNotExist(_) | OpenReadError::IncompatibleIndex(_),
        ) => true,
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. })
        | TantivyError::IoError(io_error) => is_cut(io_error),
        _ => false,
    }
}
