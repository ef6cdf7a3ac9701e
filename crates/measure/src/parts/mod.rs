//! The parts of the work on one page, each measured alone.
//!
//! Times are processor time of one thread, the kernel's work for it included: waiting for a disk
//! or for other programs does not count. Parts that are [`Part::within`] another are in its time
//! already, so [`sum`] leaves them out.

mod deciding;
mod desk;
mod keeping;
mod reading;
mod sample;
#[cfg(test)]
mod tests;
mod timing;

use std::path::Path;

use rhumb_archive::ArchiveError;
use rhumb_crawl::store::StoreError;

use crate::Spread;

pub use sample::{Sample, SampleError};

/// A part of the work on a page.
#[derive(Clone, Debug)]
pub struct Part {
    /// One word.
    pub name: &'static str,
    /// What is done.
    pub what: &'static str,
    /// Microseconds that one takes: a page, or a link where a page has many of them.
    pub micros: Spread,
    /// How many of these a page has.
    pub per_page: f64,
    /// The part that has it in its own time.
    pub within: Option<&'static str>,
}

impl Part {
    /// Microseconds that a page takes of it: the middle of all rounds.
    pub fn per_page_micros(&self) -> f64 {
        self.micros.middle * self.per_page
    }
}

/// Why a part could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum PartsError {
    /// The archive refused.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The log refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Measures all parts, in the order in which a page meets them. What is written goes into this
/// folder, which is the caller's to remove.
pub fn all(sample: &Sample, folder: &Path) -> Result<Vec<Part>, PartsError> {
    let mut parts = reading::parts(sample);
    parts.extend(keeping::parts(sample, &folder.join("archive"))?);
    parts.extend(deciding::parts(sample, &folder.join("crawl"))?);
    Ok(parts)
}

/// Microseconds that all parts of a page take together.
pub fn sum(parts: &[Part]) -> f64 {
    parts.iter().filter(|part| part.within.is_none()).map(Part::per_page_micros).sum()
}
