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

use std::io;
use std::path::Path;

use rhumb_archive::Position;
use rhumb_index::Cursor;

pub use error::GatherError;
pub use gatherer::{Caught, Gatherer, Progress};
pub use settings::GatherSettings;

/// Whether an index that has read so far has read all of an archive, with all that the crawl has
/// found out of its pages.
pub fn is_read(archive: &Path, cursor: Cursor) -> io::Result<bool> {
    Ok(cursor.is_settled && position(cursor) == rhumb_archive::reach(archive)?)
}

/// Where a cursor stands in the archive.
fn position(cursor: Cursor) -> Position {
    Position { serial: cursor.serial, end: cursor.end }
}
