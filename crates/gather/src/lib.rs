//! What the index learns from a crawl: its archive is read behind a cursor, with the verdicts of
//! the crawl on each page.
//!
//! A [`Gatherer`] reads a crawl at rest to its end ([`Gatherer::catch_up`]) or follows one that
//! runs ([`Gatherer::follow`]). How far it has read is part of each commit of the index, so after a
//! kill it reads on from the last commit, and nothing is missing or doubled.
//!
//! This room never fetches and never writes to the crawl: whatever it makes can be made again. What
//! pages ask of robots is obeyed as Google documents it.

mod document;
mod error;
mod following;
mod gatherer;
mod moment;
mod pipeline;
mod reading;
mod settings;
mod taking;
mod verdicts;

use std::path::Path;

use rhumb_archive::Position;
use rhumb_crawl::ask::stopped;
use rhumb_index::{Cursor, Place};

pub use error::GatherError;
pub use gatherer::{Caught, Gatherer, Progress};
pub use settings::GatherSettings;

/// The folder of the archive in a crawl's folder.
const ARCHIVE: &str = "archive";

/// Whether an index that has read so far has read all of the crawl in a folder, with all that it
/// has found out of its pages: neither its archive nor its log has changed since.
pub fn is_read(folder: &Path, cursor: Cursor) -> Result<bool, GatherError> {
    Ok(cursor.is_settled && (cursor.reach, cursor.log_end) == standing(folder)?)
}

/// How far the files of a crawl reach, of its archive and of its log. Those of a crawl that was
/// killed reach further than it knows.
fn standing(folder: &Path) -> Result<(Place, u64), GatherError> {
    let archive = folder.join(ARCHIVE);
    let reach = rhumb_archive::reach(&archive).map_err(GatherError::archive(&archive))?;
    let reach = Place { serial: reach.serial, offset: reach.end };
    Ok((reach, stopped::log_reach(folder)?))
}

/// Where a cursor stands in the archive.
fn position(cursor: Cursor) -> Position {
    Position { serial: cursor.serial, end: cursor.end }
}
