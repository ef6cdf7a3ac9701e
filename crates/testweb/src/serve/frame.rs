//! An answer as bytes: content coding and framing.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;

use super::answer::Reply;
use crate::truth::{Coding, Framing};

/// A whole answer as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Framed {
    bytes: Vec<u8>,
    /// Length of status line and fields, the empty line included.
    head: usize,
    /// The connection is closed behind it, and says so.
    pub(super) closes: bool,
}

const CLOSE: &str = "Connection: close\r\n";
const END_OF_HEAD: &str = "\r\n";

impl Framed {
    /// Frames a reply, in its content coding if the client takes that.
    pub(super) fn new(mut reply: Reply, coded: bool) -> Self {
        if coded {
            encode(&mut reply);
        }
        let Reply { status, content_type, fields, body, framing, .. } = reply;
        let mut head = format!(
            "HTTP/1.1 {status} {}\r\nServer: testweb\r\nContent-Type: {content_type}\r\n{fields}",
            reason(status)
        );
        match framing {
            Framing::Length | Framing::LengthAndClose => {
                let _ = write!(head, "Content-Length: {}\r\n", body.len());
            }
            Framing::Chunked => head.push_str("Transfer-Encoding: chunked\r\n"),
            Framing::UntilClose => {}
        }
        let closes = matches!(framing, Framing::LengthAndClose | Framing::UntilClose);
        if closes {
            head.push_str(CLOSE);
        }
        head.push_str(END_OF_HEAD);
        let body = if framing == Framing::Chunked { chunked(&body) } else { body };
        let mut bytes = Vec::with_capacity(head.len() + body.len());
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(&body);
        Self { bytes, head: head.len(), closes }
    }

    /// What is sent to a client that may want the connection closed, or no body.
    pub(super) fn bytes(&self, close: bool, with_body: bool) -> Cow<'_, [u8]> {
        let end = if with_body { self.bytes.len() } else { self.head };
        if self.closes || !close {
            return Cow::Borrowed(&self.bytes[..end]);
        }
        let at = self.head - END_OF_HEAD.len();
        Cow::Owned([&self.bytes[..at], CLOSE.as_bytes(), &self.bytes[at..end]].concat())
    }
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len() + 64);
    for chunk in body.chunks((body.len() / 3).max(1)) {
        bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

/// The name of a coding in header fields.
pub(super) fn coding_name(coding: Coding) -> Option<&'static str> {
    match coding {
        Coding::Identity => None,
        Coding::Gzip => Some("gzip"),
        Coding::Brotli => Some("br"),
        Coding::Zstd => Some("zstd"),
    }
}

fn encode(reply: &mut Reply) {
    let Some(name) = coding_name(reply.coding) else { return };
    let body = std::mem::take(&mut reply.body);
    let coded = match reply.coding {
        Coding::Identity => Ok(body),
        Coding::Gzip => {
            // The level that servers come with.
            let level = flate2::Compression::new(6);
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), level);
            gzip.write_all(&body).and_then(|()| gzip.finish())
        }
        Coding::Brotli => {
            let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4_096, 1, 18);
            brotli.write_all(&body).map(|()| brotli.into_inner())
        }
        Coding::Zstd => zstd::bulk::compress(&body, 1),
    };
    reply.body = coded.expect("memory takes every byte");
    let _ = write!(reply.fields, "Content-Encoding: {name}\r\nVary: Accept-Encoding\r\n");
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Unknown",
    }
}
