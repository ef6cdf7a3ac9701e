//! Whether a record is worth the work of compression.

use crate::http::HttpMessage;

/// Bodies below this are packed whatever they are: their headers are most of the record.
const STORED_MIN: usize = 1_024;

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
        let encoding = message.header("content-encoding").unwrap_or_default().to_ascii_lowercase();
        let encodings: [&[u8]; 6] = [b"gzip", b"x-gzip", b"br", b"zstd", b"deflate", b"compress"];
        let kind = message.header("content-type").unwrap_or_default().to_ascii_lowercase();
        let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let is_media = [&b"image/"[..], b"video/", b"audio/", b"font/"];
        let is_media = is_media.iter().any(|prefix| kind.starts_with(prefix));
        let is_text = matches!(kind, b"image/svg+xml" | b"image/bmp");
        let is_packed_type = matches!(
            kind,
            b"application/zip" | b"application/gzip" | b"application/x-gzip" | b"application/pdf"
        );
        if encodings.contains(&encoding.as_slice()) || is_packed_type || is_media && !is_text {
            Self::Stored
        } else {
            Self::Packed
        }
    }
}
