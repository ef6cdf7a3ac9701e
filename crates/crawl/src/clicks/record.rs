//! The file's bytes: a head of 16, then records.
//!
//! The head is a magic with the format's number in its last byte, and a number that no other file
//! of the same name has. A record is the length of a URL (2 bytes), how often it was opened (8), a
//! checksum of both and of the URL (4), the URL. Numbers are little-endian.

use std::time::{SystemTime, UNIX_EPOCH};

use rhumb_web::URL_BYTES_MAX;

const MAGIC: [u8; 7] = *b"rhclick";
const FORMAT: u8 = 1;
/// Bytes of the head.
pub(super) const HEAD_BYTES: usize = 16;
/// Bytes of a record before its URL.
const FRAME_BYTES: usize = 14;

/// Which file of this name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head(u64);

impl Head {
    /// Of a file that is written now.
    pub(super) fn now(now: SystemTime) -> Self {
        let since_1970 = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX))
    }

    pub(super) fn encode(self) -> Vec<u8> {
        [&MAGIC[..], &[FORMAT], &self.0.to_le_bytes()].concat()
    }

    /// From the first bytes of a file; none, if they are too few, or of something else or another
    /// format.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk::<8>()?;
        let [name @ .., number] = magic;
        let is_known = *name == MAGIC && *number == FORMAT;
        rest.first_chunk().filter(|_| is_known).map(|number| Self(u64::from_le_bytes(*number)))
    }
}

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Record<'a> {
    /// A URL was opened so often.
    Opened(&'a str, u64),
    /// It is not what was written.
    Damaged,
}

/// A URL was opened so often.
pub(super) fn encode(url: &str, count: u64) -> Vec<u8> {
    let length = u16::try_from(url.len()).expect("a URL is shorter than 64 KiB");
    let (length, count) = (length.to_le_bytes(), count.to_le_bytes());
    let sum = checksum(length, count, url.as_bytes());
    [&length[..], &count, &sum.to_le_bytes(), url.as_bytes()].concat()
}

/// The first record of some bytes, and what is behind it; none, if it is not whole or no URL has
/// its length.
pub(super) fn decode(bytes: &[u8]) -> Option<(Record<'_>, &[u8])> {
    let (frame, rest) = bytes.split_first_chunk::<FRAME_BYTES>()?;
    let (length, frame) = frame.split_first_chunk::<2>()?;
    let (count, sum) = frame.split_first_chunk::<8>()?;
    let url_bytes = usize::from(u16::from_le_bytes(*length));
    if !(1..=URL_BYTES_MAX).contains(&url_bytes) {
        return None;
    }
    let (url, rest) = rest.split_at_checked(url_bytes)?;
    let is_right = sum == checksum(*length, *count, url).to_le_bytes();
    let record = match str::from_utf8(url) {
        Ok(url) if is_right => Record::Opened(url, u64::from_le_bytes(*count)),
        _ => Record::Damaged,
    };
    Some((record, rest))
}

fn checksum(length: [u8; 2], count: [u8; 8], url: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in [&length[..], &count, url] {
        hasher.update(part);
    }
    hasher.finalize()
}
