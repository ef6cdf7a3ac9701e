//! What we keep for ever: WARC files, and the CDXJ index that finds a page in them again.
//!
//! An [`Encoder`] turns a [`Capture`] into finished bytes on whichever thread fetched it; an
//! [`Archive`] only appends them, rotates its files and seals them. A [`WarcReader`] streams
//! records back, ours or others', a [`Span`] the captures between two places, and [`verify()`]
//! says what is wrong with a file and where.
//!
//! This room never fetches, never decodes a content encoding and never changes a byte of what
//! the wire brought; [`remove()`] takes out whole records. Times come with what is kept: a clock is
//! read only to measure its own work.
//! It follows ISO 28500:2017 (WARC 1.1), and `cdxj-indexer` for the lines of the index.

mod archive;
mod capture;
mod cdxj;
mod digest;
mod encode;
mod http;
mod id;
mod read;
mod span;
mod stamp;
mod surt;
mod verify;

pub use archive::{
    About, Archive, ArchiveError, ArchiveSettings, Captures, FORGOTTEN, Keep, Listed, Placed,
    Position, Removed, Version, distance, ensure_reaches, file_of, files, is_whole, payload_place,
    reach, record_at, remove, versions,
};
pub use capture::{Capture, Compared, Earlier, Interrupted, Lookup, Miss};
pub use digest::Digest;
pub use encode::{Encoded, Encoder, Extent, fields_of};
pub use http::HttpMessage;
pub use id::{CrawlId, RecordId};
pub use read::{Fault, Flaw, Kind, Record, RecordHead, WarcReader};
pub use span::{Damage, Kept, Met, Span};
pub use surt::surt;
pub use verify::{Report, verify};
