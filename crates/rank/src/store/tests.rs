use std::sync::Arc;

use rhumb_disk::SimulatedDisk;

use super::*;

const FOLDER: &str = "links";

fn disk() -> (SimulatedDisk, SharedDisk) {
    let simulated = SimulatedDisk::new(7);
    let shared: SharedDisk = Arc::new(simulated.clone());
    (simulated, shared)
}

fn open(disk: &SharedDisk, end: u64) -> Result<LinkStore, RankError> {
    LinkStore::open(disk, Path::new(FOLDER), end)
}

fn source(number: u64) -> Source {
    Source { key: UrlKey(number), site: number % 10, domain: number % 5 }
}

/// What the store says up to here, in words.
fn told(disk: &SharedDisk, end: u64) -> Vec<String> {
    let mut scan = Scan::open(disk, Path::new(FOLDER), 0, end).unwrap();
    let mut told = Vec::new();
    while let Some(record) = scan.advance().unwrap() {
        assert_eq!(record.source, source(record.source.key.0));
        told.push(format!("{} {:?}", record.source.key.0, record.word));
    }
    told
}

#[test]
fn what_documents_say_comes_back_sorted_and_once() {
    let (_, disk) = disk();
    let mut store = open(&disk, 0).unwrap();
    assert_eq!(told(&disk, store.end()), [""; 0]);
    let links = [UrlKey(9), UrlKey(u64::MAX), UrlKey(0), UrlKey(9)];
    store.append(source(3), &Said::Links(&links)).unwrap();
    store.append(source(4), &Said::Links(&[])).unwrap();
    let first = store.sync().unwrap();
    assert_eq!(store.sync().unwrap(), first, "nothing was said in between");
    store.append(source(3), &Said::Moved(UrlKey(4))).unwrap();
    store.append(source(4), &Said::Gone).unwrap();
    assert_eq!(store.end(), first);
    let end = store.sync().unwrap();
    assert_eq!(end, store.size_bytes());
    let all = ["3 Links([0, 9, 18446744073709551615])", "4 Links([])", "3 Moved(4)", "4 Gone"];
    assert_eq!(told(&disk, end), all);
    assert_eq!(told(&disk, first), all[..2]);
}

#[test]
fn a_store_is_cut_back_to_what_was_committed() {
    let (_, disk) = disk();
    let mut store = open(&disk, 0).unwrap();
    store.append(source(1), &Said::Gone).unwrap();
    let end = store.sync().unwrap();
    store.append(source(2), &Said::Gone).unwrap();
    store.sync().unwrap();
    let mut store = open(&disk, end).unwrap();
    store.append(source(3), &Said::Gone).unwrap();
    let end = store.sync().unwrap();
    assert_eq!(told(&disk, end), ["1 Gone", "3 Gone"]);
    let mut store = open(&disk, 0).unwrap();
    assert_eq!(store.sync().unwrap(), 8);
    assert_eq!(told(&disk, 8), [""; 0]);
}

#[test]
fn a_store_shorter_than_its_commit_says_to_build_again() {
    let (_, disk) = disk();
    assert!(open(&disk, 100).unwrap_err().to_string().contains("build the index again"));
    open(&disk, 0).unwrap();
    let error = open(&disk, 100).unwrap_err().to_string();
    assert_eq!(error, "links/links has 8 bytes where 100 were committed: build the index again");
    assert!(open(&disk, 5).unwrap_err().to_string().starts_with("links/links is damaged"));
}

#[test]
fn another_format_is_named() {
    let (simulated, disk) = disk();
    open(&disk, 0).unwrap();
    simulated.flip(Path::new("links/links"), 7).unwrap();
    let error = open(&disk, 8).unwrap_err().to_string();
    assert_eq!(error, "links/links has format 254, which this version does not read");
}

#[test]
fn after_a_failed_write_the_store_is_given_up_until_it_is_opened_again() {
    let (simulated, disk) = disk();
    let mut store = open(&disk, 0).unwrap();
    store.append(source(1), &Said::Gone).unwrap();
    let end = store.sync().unwrap();
    simulated.fail_after(0);
    store.append(source(2), &Said::Gone).unwrap();
    assert!(matches!(store.sync(), Err(RankError::Disk { .. })));
    simulated.kill();
    assert!(matches!(store.sync(), Err(RankError::GivenUp { .. })));
    let mut store = open(&disk, end).unwrap();
    store.append(source(3), &Said::Gone).unwrap();
    let end = store.sync().unwrap();
    assert_eq!(told(&disk, end), ["1 Gone", "3 Gone"]);
}

#[test]
fn navigation_that_all_pages_of_a_site_share_costs_two_bytes_a_link() {
    let mixed = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (_, disk) = disk();
    let mut store = open(&disk, 0).unwrap();
    let navigation: Vec<UrlKey> = (0..60).map(|number| UrlKey(mixed(number))).collect();
    for page in 0..3_000 {
        let source = Source { key: UrlKey(mixed(page + 1_000)), site: 1, domain: 2 };
        store.append(source, &Said::Links(&navigation)).unwrap();
    }
    let bytes = store.sync().unwrap();
    assert!(bytes < 2 * 60 * 3_000, "{bytes}");
    assert_eq!(store.size_bytes(), bytes);
}

#[test]
fn a_document_with_too_many_links_keeps_the_first() {
    let (_, disk) = disk();
    let mut store = open(&disk, 0).unwrap();
    let links: Vec<UrlKey> =
        (0..wide(LINKS_MAX) + 5).map(|number| UrlKey(number * 1_000_003)).collect();
    store.append(source(1), &Said::Links(&links)).unwrap();
    let end = store.sync().unwrap();
    let mut scan = Scan::open(&disk, Path::new(FOLDER), 0, end).unwrap();
    let record = scan.advance().unwrap().unwrap();
    assert!(matches!(record.word, Word::Links(kept) if kept.len() == LINKS_MAX));
}
