//! What can go wrong between a crawl and its index.

use std::io;
use std::path::{Path, PathBuf};

use rhumb_crawl::shell::CrawlError;
use rhumb_index::IndexError;
use thiserror::Error;

/// A crawl could not be read for its index.
#[derive(Debug, Error)]
pub enum GatherError {
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The crawl's own files failed.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The archive could not be read.
    #[error("cannot read the archive in {}: {source}", folder.display())]
    Archive {
        /// Where it lies.
        folder: PathBuf,
        /// What the disk says.
        source: io::Error,
    },
    /// Documents cannot be read.
    #[error("cannot prepare the reading of documents: {0}")]
    Documents(io::Error),
    /// The index has read what the archive does not have any more.
    #[error("the index has read more than the archive in {} holds", folder.display())]
    Ahead {
        /// Where the archive lies.
        folder: PathBuf,
    },
}

impl GatherError {
    /// Whether it helps to make the index anew: all that is in it is in the archive as well.
    pub fn is_remade(&self) -> bool {
        matches!(self, Self::Ahead { .. } | Self::Index(IndexError::Other { .. }))
    }

    /// For `map_err`: the archive failed.
    pub(crate) fn archive(folder: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Archive { folder: folder.to_owned(), source }
    }
}
