//! Bodies that are small on the wire and large afterwards.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// What a bomb holds: hundreds of times what a crawler may take.
const PAYLOAD_BYTES: usize = 100 << 20;
/// A bomb is fed in steps, so that the test needs no such memory itself.
const STEP_BYTES: usize = 1 << 20;

/// `first`, then a hundred megabytes of spaces.
pub(super) fn gzip(first: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    fill(&mut out, first);
    out.finish().expect("memory takes every byte")
}

pub(super) fn brotli(first: &str) -> Vec<u8> {
    let mut out = brotli::CompressorWriter::new(Vec::new(), 4_096, 1, 18);
    fill(&mut out, first);
    out.into_inner()
}

pub(super) fn zstd(first: &str) -> Vec<u8> {
    let mut out = zstd::stream::write::Encoder::new(Vec::new(), 1).expect("level 1 exists");
    fill(&mut out, first);
    out.finish().expect("memory takes every byte")
}

/// Gzip, and that twice more in gzip.
pub(super) fn nested(first: &str) -> Vec<u8> {
    let again = |body: Vec<u8>| small_gzip(&body);
    again(again(gzip(first)))
}

/// An honest gzip.
pub(super) fn small_gzip(body: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(body).expect("memory takes every byte");
    out.finish().expect("memory takes every byte")
}

fn fill(out: &mut impl std::io::Write, first: &str) {
    let spaces = vec![b' '; STEP_BYTES];
    out.write_all(first.as_bytes()).expect("memory takes every byte");
    for _ in 0..PAYLOAD_BYTES / STEP_BYTES {
        out.write_all(&spaces).expect("memory takes every byte");
    }
}
