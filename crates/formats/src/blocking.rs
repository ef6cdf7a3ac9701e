//! Documents for those who wait for each, on threads of their own.

use std::io;

use bytes::Bytes;
use tokio::runtime::Runtime;

use crate::extract::Extract;
use crate::kind::Kind;
use crate::pool::{Formats, FormatsSettings};

/// Reads documents in children, one call at a time on each thread. Not for threads of a runtime.
#[derive(Debug)]
pub struct BlockingFormats {
    formats: Formats,
    runtime: Runtime,
}

impl BlockingFormats {
    /// No child is started before the first document comes.
    pub fn new(settings: FormatsSettings) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        Ok(Self { formats: Formats::new(settings), runtime })
    }

    /// Reads a document.
    pub fn read(&self, kind: Kind, body: Bytes) -> Extract {
        self.runtime.block_on(self.formats.read(kind, body))
    }
}
