//! Broken files: never a panic, and everything that is whole is read.

use std::io::Cursor;

use proptest::prelude::*;
use rhumb_archive::{Encoded, Fault, Flaw, WarcReader};

use crate::samples::{everything, gzip};

/// The ids of the records that can be read to their end, and the faults.
fn read(bytes: &[u8]) -> (Vec<String>, Vec<Fault>) {
    let mut reader = WarcReader::new(Cursor::new(bytes));
    let (mut ids, mut faults) = (Vec::new(), Vec::new());
    while let Some(next) = reader.next() {
        let end = next.and_then(|mut record| {
            drop(record.block(usize::MAX));
            let id = record.head.field("WARC-Record-ID").unwrap_or("none").to_owned();
            record.finish().map(|_| id)
        });
        match end {
            Ok(id) => ids.push(id),
            Err(fault) => faults.push(fault),
        }
    }
    (ids, faults)
}

/// All members in one file, and where each ends.
fn file(kept: &[Encoded]) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for encoded in kept {
        ends.extend(encoded.records.iter().map(|e| bytes.len() + e.offset + e.length));
        bytes.extend_from_slice(&encoded.bytes);
    }
    (bytes, ends)
}

/// The same records without compression.
fn plain() -> Vec<u8> {
    let mut text = Vec::new();
    let (bytes, _) = file(&everything());
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut text)
        .unwrap();
    text
}

#[test]
fn a_file_cut_at_any_byte_gives_all_its_whole_members() {
    let (bytes, ends) = file(&everything()[..5]);
    let (all, faults) = read(&bytes);
    assert_eq!((all.len(), faults.len()), (ends.len(), 0));
    for cut in 0..bytes.len() {
        let (ids, faults) = read(&bytes[..cut]);
        let whole = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(ids, all[..whole], "cut at {cut}");
        let start = ends.iter().copied().filter(|end| *end <= cut).max().unwrap_or(0);
        let is_between = cut == start;
        assert_eq!(faults.is_empty(), is_between, "cut at {cut}: {faults:?}");
        assert!(faults.iter().all(|fault| fault.offset == start as u64));
    }
}

#[test]
fn a_plain_file_cut_at_any_byte_gives_all_its_whole_records() {
    let text = plain();
    let (all, faults) = read(&text);
    assert_eq!((all.len(), faults.len()), (file(&everything()).1.len(), 0));
    let mut last = 0;
    for cut in (0..text.len()).step_by(61) {
        let (ids, _) = read(&text[..cut]);
        assert_eq!(ids, all[..ids.len()], "cut at {cut}");
        assert!(ids.len() >= last);
        last = ids.len();
    }
}

#[test]
fn a_hole_in_a_file_costs_only_the_members_that_it_touches() {
    let (bytes, ends) = file(&everything());
    let (all, _) = read(&bytes);
    let mut torn = bytes[..ends[2] - 10].to_vec();
    torn.extend_from_slice(&bytes[ends[3] + 5..]);
    let (ids, faults) = read(&torn);
    let expect: Vec<String> = [&all[..2], &all[5..]].concat();
    assert_eq!(ids, expect);
    assert!(!faults.is_empty());
}

#[test]
fn a_wrong_length_in_a_plain_file_costs_only_its_record() {
    let text = plain();
    let (all, _) = read(&text);
    let at = memchr::memmem::find(&text, b"Content-Length: 39").unwrap();
    for digit in [b'1', b'9'] {
        let mut wrong = text.clone();
        wrong[at + 16] = digit;
        let (ids, faults) = read(&wrong);
        assert_eq!(ids.len(), all.len() - 1, "{faults:?}");
        assert_eq!(faults.len(), 1);
    }
}

#[test]
fn several_records_in_one_member_are_read_and_reported_once() {
    let (ids, faults) = read(&gzip(&plain()));
    assert_eq!(ids.len(), file(&everything()).1.len() - 1);
    assert_eq!(faults, [Fault { offset: 0, flaw: Flaw::SharedMember }]);
}

#[test]
fn what_is_no_archive_is_called_so() {
    let check = |bytes: &[u8], flaw: Flaw| {
        assert_eq!(read(bytes), (vec![], vec![Fault { offset: 0, flaw }]));
    };
    check(b"<html>\n", Flaw::NotWarc);
    check(b"filedesc://x 0.0.0.0 20000101 text/plain 5\n", Flaw::Arc);
    check(&gzip(b"filedesc://x 0.0.0.0 20000101 text/plain 5\n"), Flaw::Arc);
    check(&gzip(b"hello"), Flaw::NotWarc);
    check(&gzip(b""), Flaw::EmptyMember);
    check(b"WARC/1.1\r\nWARC-Type: response\r\n\r\n", Flaw::BadLength);
    check(b"WARC/1.1\r\nno colon\r\n\r\n", Flaw::BadHead);
    let endless = [b"WARC/1.1\r\nA: ".to_vec(), vec![b'a'; 100_000]].concat();
    check(&endless, Flaw::HeadTooLong);
    check(&gzip(&endless), Flaw::HeadTooLong);
    assert_eq!(read(b""), (vec![], vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn flipped_bytes_never_panic_and_cost_only_their_members(
        places in proptest::collection::vec((0..30_000_usize, 1..=255_u8), 1..4),
    ) {
        let (mut bytes, ends) = file(&everything());
        let (all, _) = read(&bytes);
        let mut hit = std::collections::BTreeSet::new();
        for (place, change) in places {
            let place = place % bytes.len();
            bytes[place] ^= change;
            hit.insert(ends.iter().filter(|end| **end <= place).count());
        }
        let (ids, _) = read(&bytes);
        for (number, id) in all.iter().enumerate() {
            prop_assert!(hit.contains(&number) || ids.contains(id), "record {} is lost", number);
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes);
        read(&gzip(&bytes));
        read(&[b"WARC/1.1\r\n".to_vec(), bytes].concat());
    }
}
