//! Whether a record is worth the work of compression.

use crate::http::HttpMessage;

/// Bodies below this are packed whatever they are: their headers are most of the record.
const STORED_MIN: usize = 1_024;

/// Content encodings that pack.
const PACKED_ENCODINGS: [&str; 6] = ["gzip", "x-gzip", "br", "zstd", "deflate", "compress"];
/// Families of media types that are packed by themselves, but for some.
const PACKED_FAMILIES: [&str; 4] = ["image/", "video/", "audio/", "font/"];
const UNPACKED_TYPES: [&str; 2] = ["image/svg+xml", "image/bmp"];
/// More types that are.
const PACKED_TYPES: [&str; 4] =
    ["application/zip", "application/gzip", "application/x-gzip", "application/pdf"];

/// How a member is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Packed,
    Stored,
}

impl Packing {
    /// Bodies that are compressed already only cost time when they are compressed again.
    pub(super) fn of(message: &HttpMessage<'_>) -> Self {
        if message.body.len() < STORED_MIN {
            return Self::Packed;
        }
        let encoding = message.header("content-encoding").unwrap_or_default();
        let kind = message.header("content-type").unwrap_or_default();
        let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let family = kind.split_inclusive(|byte| *byte == b'/').next().unwrap_or_default();
        let is_packed = is_one_of(encoding, &PACKED_ENCODINGS)
            || is_one_of(kind, &PACKED_TYPES)
            || is_one_of(family, &PACKED_FAMILIES) && !is_one_of(kind, &UNPACKED_TYPES);
        if is_packed { Self::Stored } else { Self::Packed }
    }
}

fn is_one_of(value: &[u8], names: &[&str]) -> bool {
    names.iter().any(|name| value.eq_ignore_ascii_case(name.as_bytes()))
}
