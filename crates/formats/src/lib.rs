//! Documents that are no pages: PDF, Office files and RTF, their text, their links and what they
//! say of themselves.
//!
//! [`Kind::of`] tells by content what a body is, [`Formats::read`] reads it in a child process
//! that is bounded in time and memory, and [`read_here`] is what the child does. Whatever bytes
//! come, an [`Extract`] comes out, and its [`End`] says how the reading ended.
//!
//! This room never fetches, never opens a file and never runs what a document carries: no script,
//! no macro, no PostScript. It follows ISO 32000 (PDF), ECMA-376 (OOXML), ODF 1.3 and the Rich
//! Text Format 1.9.1.

mod blocking;
mod child;
mod date;
mod draft;
mod extract;
mod kind;
mod odf;
mod office;
mod pdf;
mod pool;
mod rtf;
mod xml;
mod zip;

pub use blocking::BlockingFormats;
pub use child::{child, read_here};
pub use extract::{End, Extract, RawLink};
pub use kind::Kind;
pub use pool::{Formats, FormatsSettings, MEMORY_BYTES, TIME, WAIT};
pub use zip::UNPACKED_BYTES_MAX;
