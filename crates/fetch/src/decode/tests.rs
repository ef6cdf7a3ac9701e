use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::collection::vec;
use proptest::prelude::*;

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
    check("gzip", gzip(b"same ").repeat(3), b"same same same ", None);
    check("gzip", gzip(b"").repeat(2), b"", None);
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

/// What becomes of a good gzip body on its way.
#[derive(Clone, Debug)]
enum Fate {
    Arrives,
    IsCutShort(prop::sample::Index),
    HasATail(Vec<u8>),
    HasMembers(usize),
    IsFlipped(prop::sample::Index, u8),
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        Just(Fate::Arrives),
        any::<prop::sample::Index>().prop_map(Fate::IsCutShort),
        vec(any::<u8>(), 0..20).prop_map(Fate::HasATail),
        (2_usize..4).prop_map(Fate::HasMembers),
        (any::<prop::sample::Index>(), 1_u8..).prop_map(|(at, bits)| Fate::IsFlipped(at, bits)),
    ]
}

fn met(fate: &Fate, mut body: Vec<u8>) -> Vec<u8> {
    match fate {
        Fate::Arrives => {}
        Fate::IsCutShort(at) => body.truncate(at.index(body.len())),
        Fate::HasATail(tail) => body.extend_from_slice(tail),
        Fate::HasMembers(count) => body = body.repeat(*count),
        Fate::IsFlipped(at, bits) => *at.get_mut(&mut body) ^= bits,
    }
    body
}

proptest! {
    #[test]
    fn a_body_undone_at_once_is_the_same_as_step_by_step(
        text in vec(prop_oneof![Just(b'a'), any::<u8>()], 0..4_000),
        limit in 0_usize..5_000,
        fate in fate(),
    ) {
        let body = met(&fate, gzip(&text));
        let (mut at_once, mut in_steps) = (Vec::new(), Vec::new());
        let ended = gunzip(&body, limit, &mut at_once);
        prop_assert_eq!(ended, inflate(&body, gunzip_member, limit, &mut in_steps));
        prop_assert!(at_once == in_steps, "{} and {} bytes", at_once.len(), in_steps.len());
    }
}

#[test]
fn a_usual_body_is_undone_at_once_and_an_odd_one_is_not() {
    let (text, limit) = (text(), INFLATION_FREE);
    let body = gzip(&text);
    assert_eq!(gunzip_whole(&body, limit), Some(text.clone()));
    assert_eq!(gunzip_whole(&body, text.len() - 1), None, "over the limit");
    assert_eq!(gunzip_whole(&body.repeat(2), limit), None, "two members");
    assert_eq!(gunzip_whole(&body[..body.len() - 1], limit), None, "cut short");
}

#[test]
fn a_trailer_that_lies_leaves_no_large_memory_behind() {
    let lie = u32::try_from(INFLATION_FREE).expect("small").to_le_bytes();
    let body = [gzip(b"short"), lie.to_vec()].concat();
    assert_eq!(gunzip_whole(&body, INFLATION_FREE), None, "more was promised than came");
    let mut out = Vec::new();
    assert_eq!(gunzip(&body, INFLATION_FREE, &mut out), Ended::Whole);
    assert_eq!(out, b"short");
    assert!(out.capacity() <= STEP, "{} bytes are held", out.capacity());
}
