//! Undoing content encodings (RFC 9110 §8.4): gzip, deflate, br, zstd, and several in a row.
//!
//! A broken body keeps what could be decoded. Pure: bytes in, bytes out.

use std::io::{self, Read};

use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};
use rhumb_web::Cut;

use crate::settings::FetchSettings;

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
            Coding::Gzip => inflate(&body, gunzip_member, limit, &mut out),
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    const GROWTH: Growth = Growth { body_max: 10 * 1024 * 1024, ratio: 20 };

    fn text() -> Vec<u8> {
        (0..20_000_u32).flat_map(|number| format!("{} ", number * 7_919).into_bytes()).collect()
    }

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).expect("memory");
        encoder.finish().expect("memory")
    }

    #[track_caller]
    fn check(header: &str, body: Vec<u8>, expect: &[u8], cut: Option<Cut>) {
        let row = codings([header].into_iter());
        let (out, got) = decode(&row, Bytes::from(body), GROWTH);
        assert!(out == expect, "{header}: {} bytes, not {}", out.len(), expect.len());
        assert_eq!(got, cut, "{header}");
    }

    #[test]
    fn every_coding_is_undone() {
        let text = text();
        check("gzip", gzip(&text), &text, None);
        check("X-GZip", gzip(&text), &text, None);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&text).expect("memory");
        check("deflate", zlib.finish().expect("memory"), &text, None);
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
        bare.write_all(&text).expect("memory");
        check("deflate", bare.finish().expect("memory"), &text, None);
        check("zstd", zstd::encode_all(&text[..], 1).expect("memory"), &text, None);
        let mut brotli = Vec::new();
        brotli::CompressorReader::new(&text[..], 4_096, 3, 20).read_to_end(&mut brotli).unwrap();
        check("br", brotli, &text, None);
    }

    #[test]
    fn codings_are_undone_in_turn_up_to_three() {
        let text = text();
        let twice = zstd::encode_all(&gzip(&text)[..], 1).expect("memory");
        check("gzip, identity , zstd", twice, &text, None);
        let four = gzip(&gzip(&gzip(&gzip(&text))));
        check("gzip, gzip, gzip, gzip", four, &gzip(&text), None);
    }

    #[test]
    fn an_unknown_coding_leaves_the_body_as_it_is() {
        check("rot13", b"uryyb".to_vec(), b"uryyb", None);
        check("", b"plain".to_vec(), b"plain", None);
        check("gzip, rot13", b"uryyb".to_vec(), b"uryyb", None);
        check("rot13, gzip", gzip(b"uryyb"), b"uryyb", None);
    }

    #[test]
    fn members_follow_each_other_and_junk_behind_them_is_ignored() {
        let two = [gzip(b"one "), gzip(b"two")].concat();
        check("gzip", two, b"one two", None);
        check("gzip", [gzip(b"one"), b"junk".to_vec()].concat(), b"one", None);
    }

    #[test]
    fn a_broken_body_keeps_what_could_be_decoded() {
        let text = text();
        for header in ["gzip", "zstd"] {
            let whole = match header {
                "gzip" => gzip(&text),
                _ => zstd::encode_all(&text[..], 1).expect("memory"),
            };
            let half = whole[..whole.len() * 3 / 4].to_vec();
            let row = codings([header].into_iter());
            let (out, cut) = decode(&row, Bytes::from(half), GROWTH);
            assert_eq!(cut, Some(Cut::Encoding), "{header}");
            assert!(!out.is_empty() && text.starts_with(&out), "{header}: {} bytes", out.len());
        }
        let mut wrong = gzip(&text);
        let middle = wrong.len() / 2;
        wrong[middle..].fill(0xff);
        let (out, cut) = decode(&[Coding::Gzip], Bytes::from(wrong), GROWTH);
        assert_eq!(cut, Some(Cut::Encoding));
        assert!(out.len() > text.len() / 4, "{} bytes", out.len());
        for header in ["gzip", "deflate", "br", "zstd"] {
            let row = codings([header].into_iter());
            let (_, cut) = decode(&row, Bytes::from_static(b"\xff\xffno such thing"), GROWTH);
            assert_eq!(cut, Some(Cut::Encoding), "{header}");
        }
    }

    #[test]
    fn a_bomb_is_cut() {
        let zeros = vec![0; 9 * 1024 * 1024];
        check("gzip", gzip(&zeros), &zeros[..INFLATION_FREE.max(20 * gzip(&zeros).len())], {
            Some(Cut::Encoding)
        });
        check(
            "zstd",
            zstd::encode_all(&zeros[..], 1).expect("memory"),
            &zeros[..INFLATION_FREE],
            Some(Cut::Encoding),
        );
        check("gzip", gzip(&zeros[..INFLATION_FREE]), &zeros[..INFLATION_FREE], None);
        let small = Growth { body_max: 1_000, ratio: 20 };
        let (out, cut) = decode(&[Coding::Gzip], Bytes::from(gzip(&zeros)), small);
        assert_eq!((out.len(), cut), (1_000, Some(Cut::Length)));
    }
}
