//! Files rotate, are sealed with a sorted index, and are put in order after a crash.

use std::fs;
use std::path::Path;

use rhumb_archive::{Kind, WarcReader, verify};

use crate::samples::{everything, files, keep, open};

fn names(folder: &Path) -> Vec<String> {
    let paths = files(folder, "");
    paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// Every line of an index leads to a record with its URL.
pub(crate) fn check_index(folder: &Path) -> usize {
    let index = fs::read_to_string(folder.join("index.cdxj")).unwrap();
    let lines: Vec<&str> = index.lines().collect();
    assert!(lines.is_sorted());
    for line in &lines {
        let json = &line[line.find('{').unwrap()..];
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        let number = |name: &str| json[name].as_str().unwrap().parse::<u64>().unwrap();
        let path = folder.join(json["filename"].as_str().unwrap());
        let mut reader = WarcReader::open_at(&path, number("offset")).unwrap();
        let record = reader.next().unwrap().unwrap();
        assert_eq!(record.head.url(), json["url"].as_str());
        assert_eq!(record.head.field("WARC-Payload-Digest"), json["digest"].as_str());
        assert_eq!(record.finish().unwrap(), number("offset") + number("length"));
    }
    lines.len()
}

#[test]
fn a_full_file_is_sealed_and_the_next_begins_with_its_own_warcinfo() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), &everything(), 4_000);
    let sealed = files(folder.path(), ".warc.gz");
    assert!(sealed.len() > 3, "{sealed:?}");
    assert_eq!(files(folder.path(), ".open"), [] as [&Path; 0]);
    for path in &sealed {
        assert!(verify(path).unwrap().is_valid());
        let first = WarcReader::open(path).unwrap().next().unwrap().unwrap().head;
        assert_eq!(first.kind, Kind::Warcinfo);
        assert_eq!(first.field("WARC-Filename"), path.file_name().unwrap().to_str());
        let large = fs::metadata(path).unwrap().len() > 4_000;
        let records = verify(path).unwrap().records;
        assert!(!large || records == 4, "only one exchange that is larger alone may be");
    }
    assert_eq!(check_index(folder.path()), 16);
}

#[test]
fn names_tell_moment_and_serial_and_a_new_run_begins_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let kept = everything();
    keep(folder.path(), &kept[..1], u64::MAX);
    keep(folder.path(), &kept[1..2], u64::MAX);
    let expect = [
        "index.cdxj",
        "rhumb-20260203040506-00001.cdxj",
        "rhumb-20260203040506-00001.warc.gz",
        "rhumb-20260203040508-00002.cdxj",
        "rhumb-20260203040508-00002.warc.gz",
    ];
    assert_eq!(names(folder.path()), expect);
    assert_eq!(check_index(folder.path()), 2);
}

#[test]
fn an_archive_that_keeps_nothing_leaves_no_file_but_an_empty_index() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), &[], u64::MAX);
    assert_eq!(names(folder.path()), ["index.cdxj"]);
}

#[test]
fn what_is_placed_is_found_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = open(folder.path(), 4_000);
    let kept = everything();
    let placed: Vec<_> = kept.iter().map(|encoded| archive.append(encoded).unwrap()).collect();
    archive.seal().unwrap();
    for (encoded, placed) in kept.iter().zip(placed) {
        let bytes = fs::read(folder.path().join(&*placed.file)).unwrap();
        let start = usize::try_from(placed.offset).unwrap();
        let end = start + usize::try_from(placed.length).unwrap();
        assert_eq!(bytes[start..end], encoded.bytes);
    }
}

/// Runs until it is killed after a flush: the files stay open.
fn killed(folder: &Path) -> (String, Vec<u8>) {
    let mut archive = open(folder, u64::MAX);
    for encoded in everything() {
        archive.append(&encoded).unwrap();
    }
    archive.flush().unwrap();
    drop(archive);
    let left = &files(folder, ".warc.gz.open")[0];
    let name = left.file_name().unwrap().to_str().unwrap();
    (name.strip_suffix(".open").unwrap().to_owned(), fs::read(left).unwrap())
}

#[test]
fn a_file_that_a_kill_left_open_is_sealed_with_the_index_it_would_have_had() {
    let (clean, dirty) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    keep(clean.path(), &everything(), u64::MAX);
    let (_, bytes) = killed(dirty.path());
    assert_eq!(bytes, fs::read(&files(clean.path(), ".warc.gz")[0]).unwrap());
    open(dirty.path(), u64::MAX).close().unwrap();
    assert_eq!(names(dirty.path()), names(clean.path()));
    for name in names(clean.path()) {
        let read = |folder: &Path| fs::read(folder.join(&name)).unwrap();
        assert_eq!(read(dirty.path()), read(clean.path()), "{name}");
    }
}

#[test]
fn a_torn_file_is_cut_back_to_its_last_whole_record() {
    let folder = tempfile::tempdir().unwrap();
    let (name, bytes) = killed(folder.path());
    let left = folder.path().join(format!("{name}.open"));
    let sealed = folder.path().join(&name);
    let ends = member_ends(&bytes);
    for cut in (0..bytes.len()).step_by(997).chain([bytes.len() - 1]) {
        fs::write(&left, &bytes[..cut]).unwrap();
        fs::write(folder.path().join("x.cdxj.open"), "left over").unwrap();
        open(folder.path(), u64::MAX).close().unwrap();
        let whole = ends.iter().copied().filter(|end| *end <= cut).max().unwrap_or(0);
        if whole == 0 {
            assert_eq!(names(folder.path()), ["index.cdxj"]);
            continue;
        }
        assert_eq!(fs::read(&sealed).unwrap(), bytes[..whole]);
        check_index(folder.path());
        assert_eq!(names(folder.path()).len(), 3);
        fs::remove_file(&sealed).unwrap();
        fs::remove_file(&files(folder.path(), "00001.cdxj")[0]).unwrap();
    }
}

/// The lines of the one index of a folder, without those of the member at an offset.
fn lines_but(folder: &Path, offset: usize) -> Vec<String> {
    let index = fs::read_to_string(folder.join("index.cdxj")).unwrap();
    let mark = format!("\"offset\": \"{offset}\"");
    index.lines().filter(|line| !line.contains(&mark)).map(str::to_owned).collect()
}

#[test]
fn damage_in_a_file_left_open_costs_only_its_own_member() {
    let clean = tempfile::tempdir().unwrap();
    keep(clean.path(), &everything(), u64::MAX);
    let mut read_past = 0;
    let (_, bytes) = killed(tempfile::tempdir().unwrap().path());
    let ends = member_ends(&bytes);
    for (start, end) in [0].iter().chain(&ends).zip(&ends[..ends.len() - 1]) {
        let folder = tempfile::tempdir().unwrap();
        let (name, mut bytes) = killed(folder.path());
        bytes[(start + end) / 2] ^= 0xff;
        fs::write(folder.path().join(format!("{name}.open")), &bytes).unwrap();
        open(folder.path(), u64::MAX).close().unwrap();
        check_index(folder.path());
        let aside = folder.path().join(format!("{name}.damaged"));
        if aside.exists() {
            assert_eq!(fs::read(aside).unwrap(), bytes);
            continue;
        }
        read_past += 1;
        assert_eq!(fs::read(folder.path().join(&name)).unwrap(), bytes, "damage at {start}");
        let lines = lines_but(folder.path(), usize::MAX);
        assert_eq!(lines, lines_but(clean.path(), *start), "damage at {start}");
    }
    assert!(read_past * 10 > ends.len() * 9, "{read_past} of {}", ends.len());
}

#[test]
fn a_file_whose_damage_swallows_all_that_follows_is_set_aside_whole() {
    // A member with a stored block that claims to be longer than the rest of the file.
    let swallows = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\xff\xff\0\0WARC/1.1\r\n";
    let folder = tempfile::tempdir().unwrap();
    let (name, bytes) = killed(folder.path());
    let ends = member_ends(&bytes);
    for at in [0, ends[5]] {
        let damaged = [&bytes[..at], swallows, &bytes[at..ends[9]]].concat();
        assert!(ends[9] < 0xffff);
        fs::write(folder.path().join(format!("{name}.open")), &damaged).unwrap();
        open(folder.path(), u64::MAX).close().unwrap();
        assert_eq!(fs::read(folder.path().join(format!("{name}.damaged"))).unwrap(), damaged);
        let sealed = fs::read(folder.path().join(&name)).unwrap_or_default();
        assert_eq!(sealed, bytes[..at]);
        check_index(folder.path());
    }
}

fn member_ends(bytes: &[u8]) -> Vec<usize> {
    let mut reader = WarcReader::new(std::io::Cursor::new(bytes));
    let mut ends = Vec::new();
    while let Some(record) = reader.next() {
        ends.push(usize::try_from(record.unwrap().finish().unwrap()).unwrap());
    }
    ends
}

#[test]
fn a_sealed_file_that_lost_its_index_gets_it_back() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), &everything(), u64::MAX);
    let lines = &files(folder.path(), "00001.cdxj")[0];
    let before = fs::read(lines).unwrap();
    fs::remove_file(lines).unwrap();
    drop(open(folder.path(), u64::MAX));
    assert_eq!(fs::read(lines).unwrap(), before);
}

#[test]
fn an_archive_that_failed_takes_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let kept = everything();
    let mut archive = open(folder.path(), 1);
    archive.append(&kept[0]).unwrap();
    fs::remove_dir_all(folder.path()).unwrap();
    let first = archive.append(&kept[1]).unwrap_err().to_string();
    assert!(first.starts_with("cannot sort "), "{first}");
    let second = archive.append(&kept[1]).unwrap_err().to_string();
    assert_eq!(second, "the archive failed before and takes nothing more");
}
