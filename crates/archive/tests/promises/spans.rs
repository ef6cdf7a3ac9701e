//! Captures are read between any two places, while the archive goes on growing.

use std::fs;
use std::path::Path;

use rhumb_archive::{
    Encoded, Kind, Met, Position, Span, distance, payload_place, reach, record_at,
};

use crate::samples::{everything, files, open};

/// The captures between two places: URL, kind, where they begin and where they end.
fn captures(folder: &Path, from: Position, to: Position) -> (Vec<(String, Kind, u64)>, usize) {
    let (mut found, mut damages) = (Vec::new(), 0);
    for met in Span::new(folder, from, to) {
        match met.unwrap() {
            Met::Kept(kept) => {
                assert!(kept.place < kept.end && kept.place >= from && kept.end <= to);
                assert_eq!(kept.field("fetchTimeMs"), Some("12"));
                let url = kept.head.url().unwrap().to_owned();
                found.push((url, kept.head.kind, kept.end.end));
            }
            Met::Damage(_) => damages += 1,
        }
    }
    (found, damages)
}

fn is_capture(encoded: &Encoded) -> bool {
    matches!(encoded.records[0].kind, Kind::Response | Kind::Revisit)
}

#[test]
fn what_lies_between_two_places_is_what_was_written_between_them() {
    for rotate_bytes in [4_000, u64::MAX] {
        let folder = tempfile::tempdir().unwrap();
        let mut archive = open(folder.path(), rotate_bytes);
        let mut places = vec![Position::default()];
        let all = everything();
        for encoded in &all {
            places.push(archive.append(encoded).unwrap().end);
        }
        archive.flush().unwrap();
        for from in 0..places.len() {
            for to in from..places.len() {
                let (found, damages) = captures(folder.path(), places[from], places[to]);
                let expect = (from..to).filter(|place| is_capture(&all[*place]));
                let expect: Vec<u64> = expect.map(|place| places[place + 1].end).collect();
                let ends: Vec<u64> = found.iter().map(|(.., end)| *end).collect();
                assert_eq!((ends, damages), (expect, 0), "{from} to {to}");
            }
        }
        let bytes = distance(folder.path(), places[0], places[places.len() - 1]).unwrap();
        let lengths = files(folder.path(), "").into_iter().filter(|path| {
            let path = path.to_str().unwrap();
            path.contains(".warc.gz")
        });
        assert_eq!(bytes, lengths.map(|path| fs::metadata(path).unwrap().len()).sum::<u64>());
        assert_eq!(reach(folder.path()).unwrap(), archive.position());
    }
}

#[test]
fn a_file_that_is_sealed_while_it_is_read_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = open(folder.path(), u64::MAX);
    let all = everything();
    let mut reached = Position::default();
    let mut seen = 0;
    for encoded in &all {
        let end = archive.append(encoded).unwrap().end;
        archive.flush().unwrap();
        let span = Span::new(folder.path(), reached, end);
        archive.seal().unwrap();
        seen += span.map(Result::unwrap).count();
        reached = end;
    }
    assert_eq!(seen, all.iter().filter(|encoded| is_capture(encoded)).count());
}

#[test]
fn damage_is_told_and_what_follows_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = open(folder.path(), u64::MAX);
    let all = everything();
    let places: Vec<_> = all.iter().map(|encoded| archive.append(encoded).unwrap()).collect();
    let to = archive.position();
    archive.flush().unwrap();
    let whole = captures(folder.path(), Position::default(), to).0;
    let path = &files(folder.path(), ".open")
        .into_iter()
        .find(|path| path.to_str().unwrap().contains(".warc.gz"));
    let path = path.as_ref().unwrap();
    let mut bytes = fs::read(path).unwrap();
    let at = usize::try_from(places[3].offset).unwrap();
    bytes[at + 40..at + 60].fill(0xff);
    fs::write(path, bytes).unwrap();
    let (mut found, mut damages) = (Vec::new(), 0);
    for met in Span::new(folder.path(), Position::default(), to) {
        match met.unwrap() {
            Met::Kept(kept) => found.push(kept.end.end),
            Met::Damage(damage) => {
                assert_eq!(&damage.file, path);
                damages += 1;
            }
        }
    }
    assert!(damages > 0);
    let expect: Vec<u64> = whole.iter().map(|(.., end)| *end).collect();
    assert!(found.len() >= expect.len() - 1, "{found:?} of {expect:?}");
    assert!(found.iter().all(|end| expect.contains(end)));
}

#[test]
fn a_payload_is_found_where_it_was_first_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = open(folder.path(), 4_000);
    let place = |url: &str, digest: &str| payload_place(folder.path(), url, digest).unwrap();
    let head_at = |at: Position| {
        let mut reader = record_at(folder.path(), at).unwrap().unwrap();
        reader.next().unwrap().unwrap().head
    };
    for encoded in &everything() {
        let placed = archive.append(encoded).unwrap();
        archive.flush().unwrap();
        let Some(digest) = encoded.payload_digest.filter(|_| is_capture(encoded)) else { continue };
        let digest = digest.to_string();
        let own = Position { serial: placed.end.serial, end: placed.offset };
        let head = head_at(own);
        let url = head.field("WARC-Refers-To-Target-URI").or_else(|| head.url()).unwrap();
        let found = place(url, &digest).unwrap();
        assert!(found <= own);
        let head = head_at(found);
        assert_eq!(head.kind, Kind::Response);
        assert_eq!(head.field("WARC-Payload-Digest"), Some(digest.as_str()));
    }
    assert_eq!(place("http://a.test/", "sha1:NONE"), None);
}
