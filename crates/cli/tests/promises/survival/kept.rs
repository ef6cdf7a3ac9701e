//! What the archive of a crawl holds, read back record by record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rhumb_archive::{Kind, WarcReader, verify};
use rhumb_testweb::Expected;
use serde_json::Value;

/// The sealed WARC files of a crawl, in their order.
pub(super) fn sealed(dir: &Path) -> Vec<PathBuf> {
    let archive = dir.join("archive");
    let names = super::names(&archive).into_iter().filter(|name| name.ends_with(".warc.gz"));
    names.map(|name| archive.join(name)).collect()
}

/// Checks these files in every detail.
pub(super) fn check_valid(files: &[PathBuf]) {
    for path in files {
        let report = verify(path).expect("it can be read");
        assert!(report.is_valid(), "{}: {:?}", path.display(), report.faults.first());
    }
}

/// Every page is in the archive exactly once, nothing else is there twice, and the index names
/// just what is there.
pub(super) fn check(dir: &Path, expected: &Expected) {
    let files = sealed(dir);
    check_valid(&files);
    let left: Vec<String> = super::names(&dir.join("archive"))
        .into_iter()
        .filter(|name| name.contains(".open") || name.contains(".new") || name.contains(".damaged"))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "all is sealed");
    let mut captures: BTreeMap<String, u32> = BTreeMap::new();
    let mut places = BTreeSet::new();
    for path in &files {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut reader = WarcReader::open(path).expect("it opens");
        while let Some(record) = reader.next() {
            let record = record.expect("a whole record");
            if matches!(record.head.kind, Kind::Response | Kind::Revisit) {
                let url = record.head.url().expect("a URL").to_owned();
                places.insert((name.clone(), record.offset, url.clone()));
                *captures.entry(url).or_default() += 1;
            }
        }
    }
    for url in expected.pages.keys() {
        assert_eq!(captures.get(url), Some(&1), "times that {url} was archived");
    }
    // One robots.txt may serve many sites, and is asked for by each of them.
    let is_robots = |url: &str| url.contains("/robots");
    let twice = captures.iter().find(|(url, times)| **times > 1 && !is_robots(url));
    assert_eq!(twice, None, "archived twice");
    check_index(dir, &places);
}

fn check_index(dir: &Path, places: &BTreeSet<(String, u64, String)>) {
    let index = std::fs::read_to_string(dir.join("archive/index.cdxj")).expect("an index");
    let place = |line: &str| {
        let fields = line.splitn(3, ' ').nth(2).expect("fields");
        let fields: Value = serde_json::from_str(fields).expect("JSON");
        let text = |key: &str| fields[key].as_str().expect("text").to_owned();
        let place = (text("filename"), text("offset").parse().expect("an offset"), text("url"));
        (!text("url").starts_with("dns:")).then_some(place)
    };
    let named: Vec<_> = index.lines().filter_map(place).collect();
    let distinct: BTreeSet<_> = named.iter().cloned().collect();
    assert_eq!(distinct.len(), named.len(), "no line is there twice");
    assert!(distinct == *places, "the index names what is there, and nothing else");
}
