//! Undoing content encodings (RFC 9110 §8.4): gzip, deflate, br, zstd, and several in a row.
//!
//! A broken body keeps what could be decoded. Pure: bytes in, bytes out.

use std::io::{self, Read};

use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::Decompressor;
use memchr::memmem;
use rhumb_web::Cut;

use crate::settings::FetchSettings;

#[cfg(test)]
mod tests;

/// Encodings that are undone of one body; a longer row is an attack.
const LAYERS_MAX: usize = 3;

/// What a body may inflate to whatever its size.
const INFLATION_FREE: usize = 1024 * 1024;

/// The window of a zstd frame, as a power of two: 8 MiB, the limit of RFC 9659.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// Bytes decoded at a time.
const STEP: usize = 32 * 1024;

/// How far a body may grow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    /// The most bytes that come out.
    pub(crate) body_max: usize,
    /// The most bytes that come out for each that went in, beyond 1 MiB.
    pub(crate) ratio: usize,
}

impl Growth {
    /// The most bytes that undoing so many layers takes at a time: of two, out and in.
    pub(crate) fn space(self, layers: usize, encoded: usize) -> usize {
        match layers {
            0 => 0,
            1 => self.limit(encoded).0,
            _ => self.body_max.saturating_mul(2),
        }
    }

    /// The most that may come out, and the name of going beyond it.
    fn limit(self, encoded: usize) -> (usize, Cut) {
        let inflated = encoded.saturating_mul(self.ratio).max(INFLATION_FREE);
        if inflated < self.body_max {
            (inflated, Cut::Encoding)
        } else {
            (self.body_max, Cut::Length)
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// The codings to undo, the last applied first. A row that is too long or has an unknown name ends
/// there: what is below cannot be read.
pub(crate) fn codings<'a>(headers: impl Iterator<Item = &'a str>) -> Vec<Coding> {
    let names: Vec<_> = headers.flat_map(|header| header.split(',')).map(str::trim).collect();
    let mut row = Vec::new();
    for name in names.iter().rev().filter(|name| !name.is_empty()) {
        row.push(match name.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Coding::Gzip,
            "deflate" => Coding::Deflate,
            "br" => Coding::Brotli,
            "zstd" => Coding::Zstd,
            "identity" => continue,
            _ => break,
        });
        if row.len() == LAYERS_MAX {
            break;
        }
    }
    row
}

/// The body that these Content-Encoding headers wrap, within the limits of a fetch.
pub fn decoded<'a>(headers: impl Iterator<Item = &'a str>, body: Bytes) -> Bytes {
    let limits = FetchSettings::default();
    let growth = Growth { body_max: limits.body_max, ratio: limits.inflation_max };
    decode(&codings(headers), body, growth).0
}

/// Undoes a row of codings; says why the body is not whole, if it is not.
pub(crate) fn decode(row: &[Coding], body: Bytes, growth: Growth) -> (Bytes, Option<Cut>) {
    let (mut body, mut cut) = (body, None);
    for coding in row {
        if body.is_empty() {
            break;
        }
        let (limit, over) = growth.limit(body.len());
        let mut out = Vec::new();
        let ended = match coding {
            Coding::Gzip => gunzip(&body, limit, &mut out),
            Coding::Deflate => inflate(&body, inflate_once, limit, &mut out),
            Coding::Brotli => drain(brotli::Decompressor::new(&body[..], STEP), limit, &mut out),
            Coding::Zstd => unzstd(&body, limit, &mut out),
        };
        let stage = match ended {
            Ended::Whole => None,
            Ended::Broken => Some(Cut::Encoding),
            Ended::Over => Some(over),
        };
        cut = cut.or(stage);
        body = Bytes::from(out);
    }
    (body, cut)
}

#[derive(Debug, PartialEq, Eq)]
enum Ended {
    Whole,
    Broken,
    Over,
}

fn unzstd(body: &[u8], limit: usize, out: &mut Vec<u8>) -> Ended {
    let Ok(mut decoder) = zstd::stream::read::Decoder::with_buffer(body) else {
        return Ended::Broken;
    };
    match decoder.window_log_max(ZSTD_WINDOW_LOG_MAX) {
        Ok(()) => drain(decoder, limit, out),
        Err(_) => Ended::Broken,
    }
}

fn drain(mut decoder: impl Read, limit: usize, out: &mut Vec<u8>) -> Ended {
    let mut step = vec![0; STEP];
    loop {
        match decoder.read(&mut step) {
            Ok(0) => return Ended::Whole,
            Ok(count) => {
                let room = limit - out.len();
                out.extend_from_slice(&step[..count.min(room)]);
                if count > room {
                    return Ended::Over;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Ended::Broken,
        }
    }
}

/// A gzip body at once if it can be, and else step by step.
fn gunzip(body: &[u8], limit: usize, out: &mut Vec<u8>) -> Ended {
    if let Some(whole) = gunzip_whole(body, limit) {
        *out = whole;
        return Ended::Whole;
    }
    inflate(body, gunzip_member, limit, out)
}

/// A gzip body of one good member, as nearly all are: half the instructions of the other way.
fn gunzip_whole(body: &[u8], limit: usize) -> Option<Vec<u8>> {
    // A header with more in it is left to zlib, which looks closer.
    let is_bare = body.starts_with(&BARE_GZIP);
    // The trailer says how much comes out; a lie costs no more than the limit, and not for long.
    let size = usize::try_from(u32::from_le_bytes(*body.last_chunk()?)).ok()?;
    if !is_bare || size > limit {
        return None;
    }
    let mut out = vec![0; size];
    let count = Decompressor::new().gzip_decompress(body, &mut out).ok()?;
    if count != size {
        return None;
    }
    // Only the first member was undone. If another follows, it does so on the first one's size.
    let [a, b, c, d] = u32::try_from(size).ok()?.to_le_bytes();
    let seam = [a, b, c, d, GZIP_MAGIC[0], GZIP_MAGIC[1]];
    memmem::find(body, &seam).is_none().then_some(out)
}

/// Undoes one or more members with `one`, which says how many bytes it used.
fn inflate(
    body: &[u8],
    one: impl Fn(&[u8], usize, &mut Vec<u8>) -> (usize, Ended),
    limit: usize,
    out: &mut Vec<u8>,
) -> Ended {
    let mut rest = body;
    loop {
        let (used, ended) = one(rest, limit, out);
        rest = &rest[used..];
        match ended {
            // What follows a whole body and is no further gzip member is ignored, as browsers do.
            Ended::Whole if rest.starts_with(&GZIP_MAGIC) && used > 0 => {}
            ended => return ended,
        }
    }
}

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The magic, deflate, and no flags.
const BARE_GZIP: [u8; 4] = [GZIP_MAGIC[0], GZIP_MAGIC[1], 8, 0];

fn gunzip_member(body: &[u8], limit: usize, out: &mut Vec<u8>) -> (usize, Ended) {
    run(Decompress::new_gzip(15), body, limit, out)
}

/// `deflate` is zlib by the standard and bare deflate by many servers.
fn inflate_once(body: &[u8], limit: usize, out: &mut Vec<u8>) -> (usize, Ended) {
    let is_zlib = match body {
        [method, flags, ..] => {
            method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0
        }
        _ => false,
    };
    run(Decompress::new(is_zlib), body, limit, out)
}

fn run(mut inflater: Decompress, body: &[u8], limit: usize, out: &mut Vec<u8>) -> (usize, Ended) {
    loop {
        let used = usize::try_from(inflater.total_in()).expect("no more than the body");
        let before = out.len();
        out.reserve(STEP);
        let status = inflater.decompress_vec(&body[used..], out, FlushDecompress::None);
        let now_used = usize::try_from(inflater.total_in()).expect("no more than the body");
        if out.len() > limit {
            out.truncate(limit);
            return (now_used, Ended::Over);
        }
        match status {
            Ok(Status::StreamEnd) => return (now_used, Ended::Whole),
            Ok(_) if out.len() > before || now_used > used => {}
            // Nothing came and nothing went: the body ended too early.
            Ok(_) | Err(_) => return (now_used, Ended::Broken),
        }
    }
}
