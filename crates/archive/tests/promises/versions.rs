//! Every capture of a URL is found again, the newest first, while the archive goes on growing.

use rhumb_archive::{
    Archive, Capture, Earlier, Encoded, Encoder, Kind, Position, Version, record_at, versions,
};
use rhumb_web::CanonUrl;

use crate::samples::{CRAWL, Sample, moment, open};

const URL: &str = "http://a.test/Page?x=1";

fn answer(url: &str, status: u16, body: &str) -> Sample {
    let head = format!("HTTP/1.1 {status} Some\nContent-Type: text/html; charset=utf-8\n");
    Sample::new(url, &head, body.as_bytes(), None)
}

/// The same at the moment of that number, as new or as known.
fn encoded(sample: &Sample, number: u64, earlier: Option<u64>) -> Encoded {
    let capture: Capture<'_> = sample.capture(number);
    let url = sample.url.clone();
    let earlier = earlier.map(|number| Earlier { url, began: moment(number) });
    Encoder::new(CRAWL).capture(&capture, |_| earlier)
}

fn put(archive: &mut Archive, encoded: &Encoded) -> Position {
    let placed = archive.append(encoded).unwrap();
    Position { serial: placed.end.serial, end: placed.offset }
}

#[test]
fn captures_of_a_url_are_told_the_newest_first_whichever_file_has_them() {
    for rotate_bytes in [1, 3_000, u64::MAX] {
        let folder = tempfile::tempdir().unwrap();
        let mut archive = open(folder.path(), rotate_bytes);
        let mut expect = Vec::new();
        for number in 0..24 {
            // The same key, and another URL.
            let other = answer("http://www.a.test/page?x=1", 200, "other");
            put(&mut archive, &encoded(&other, number * 10 + 1, None));
            let is_new = number % 3 == 0;
            let sample = answer(URL, 200, &format!("text {}", number / 3));
            let earlier = (!is_new).then_some(number / 3 * 30);
            let place = put(&mut archive, &encoded(&sample, number * 10, earlier));
            archive.flush().unwrap();
            expect.insert(0, (place, !is_new));
            let found = versions(folder.path(), URL, 100).unwrap();
            let told: Vec<_> = found.iter().map(|it| (it.place, it.is_revisit)).collect();
            assert_eq!(told, expect, "{rotate_bytes}");
        }
        let found = versions(folder.path(), URL, 100).unwrap();
        assert!(found.is_sorted_by(|a, b| a.stamp > b.stamp));
        for group in found.chunks(3) {
            assert!(group.iter().all(|it| it.digest.is_some() && it.digest == group[0].digest));
        }
        for Version { stamp, status, media_type, is_revisit, place, .. } in &found {
            assert_eq!((stamp.len(), *status), (14, Some(200)));
            assert_eq!(media_type.as_deref(), (!is_revisit).then_some("text/html"));
            let mut reader = record_at(folder.path(), *place).unwrap().unwrap();
            let head = reader.next().unwrap().unwrap().head;
            assert_eq!(head.url(), Some(URL));
            assert_eq!(head.kind == Kind::Revisit, *is_revisit);
        }
        archive.close().unwrap();
        assert_eq!(versions(folder.path(), URL, 100).unwrap(), found, "closed");
        assert_eq!(versions(folder.path(), URL, 5).unwrap(), found[..5], "only so many");
    }
}

#[test]
fn an_archive_without_a_capture_of_a_url_has_no_version() {
    let folder = tempfile::tempdir().unwrap();
    let none = |url: &str| assert_eq!(versions(folder.path(), url, 9).unwrap(), []);
    none(URL);
    let mut archive = open(folder.path(), u64::MAX);
    none(URL);
    put(&mut archive, &encoded(&answer(URL, 404, ""), 1, None));
    archive.flush().unwrap();
    none("http://a.test/");
    none("http://a.test/page?x=1");
    assert_eq!(versions(folder.path(), URL, 9).unwrap()[0].status, Some(404));
    assert_eq!(versions(&folder.path().join("absent"), URL, 9).unwrap(), []);
}

#[test]
fn two_captures_of_one_second_are_two_versions() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = open(folder.path(), u64::MAX);
    let first = put(&mut archive, &encoded(&answer(URL, 200, "a"), 3, None));
    let second = put(&mut archive, &encoded(&answer(URL, 200, "b"), 3, None));
    archive.flush().unwrap();
    let found = versions(folder.path(), URL, 9).unwrap();
    assert_eq!(found.iter().map(|it| it.place).collect::<Vec<_>>(), [second, first]);
}

#[test]
fn a_url_with_marks_of_json_in_it_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = open(folder.path(), u64::MAX);
    for url in ["http://a.test/?q=a\\b", "http://a.test/?q=%22,%20%22digest%22:%20%22x"] {
        let url = CanonUrl::parse(url).unwrap();
        let place = put(&mut archive, &encoded(&answer(url.as_str(), 200, "a"), 3, None));
        archive.flush().unwrap();
        let found = versions(folder.path(), url.as_str(), 9).unwrap();
        assert_eq!(found.iter().map(|it| it.place).collect::<Vec<_>>(), [place], "{url:?}");
    }
}
