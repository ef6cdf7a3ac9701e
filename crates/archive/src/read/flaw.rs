//! What can be wrong with an archive file. A flaw is data: the reader reports it and goes on.

use std::io;

use thiserror::Error;

/// A flaw, and the record or member in which it lies.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("at byte {offset}: {flaw}")]
pub struct Fault {
    /// Where the record, or the gzip member around it, begins.
    pub offset: u64,
    /// What is wrong.
    pub flaw: Flaw,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Flaw {
    /// The file could not be read any further.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The older ARC format.
    #[error("an ARC file, which is not supported; convert it with `warcio recompress`")]
    Arc,
    /// Something that does not begin like a record.
    #[error("no WARC record")]
    NotWarc,
    /// Bytes between gzip members.
    #[error("no gzip member")]
    NotGzip,
    /// A gzip member that does not unpack, or not to what its checksum says.
    #[error("a broken gzip member: {0}")]
    BadGzip(String),
    /// A gzip member with several records: none but the first can be found by offset.
    #[error("several records in one gzip member")]
    SharedMember,
    /// A gzip member with nothing in it.
    #[error("an empty gzip member")]
    EmptyMember,
    /// A line in the head that is no field.
    #[error("a line without a colon in the record's head")]
    BadHead,
    /// A head without an end in sight.
    #[error("the record's head is too long")]
    HeadTooLong,
    /// No Content-Length, or no number in it.
    #[error("no usable Content-Length")]
    BadLength,
    /// The record ends before its block does.
    #[error("cut short")]
    CutShort,
    /// Something else than two line ends after the block.
    #[error("the block is not followed by two line ends: Content-Length may be wrong")]
    BadTail,
    /// A field that the standard wants is not there.
    #[error("no {0}")]
    NoField(&'static str),
    /// A field whose value is not of its form.
    #[error("a malformed {0}")]
    BadField(&'static str),
    /// A block that should be an HTTP answer and does not begin like one.
    #[error("the block is no HTTP answer: it does not begin with HTTP/")]
    NotHttp,
    /// A record with the id of another.
    #[error("the id of an earlier record")]
    RepeatedId,
    /// The block is not what its digest says.
    #[error("the block does not have its digest")]
    BlockDigest,
    /// The payload is not what its digest says.
    #[error("the payload does not have its digest")]
    PayloadDigest,
}

impl Flaw {
    /// What a failed read of packed data means.
    pub(super) fn of_read(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::CutShort,
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                Self::BadGzip(error.to_string())
            }
            _ => Self::Unreadable(error.to_string()),
        }
    }
}
