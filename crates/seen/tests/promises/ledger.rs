//! A ledger adds up or unites what is noted for a key, through any number of files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rhumb_disk::{Disk, SimulatedDisk};
use rhumb_seen::{Ledger, Value};
use rhumb_web::UrlKey;

const FOLDER: &str = "ledger";

/// How many pages link to a page.
#[derive(Clone, Debug, PartialEq)]
struct InDegree(u32);

impl Value for InDegree {
    fn merge(&mut self, later: Self) {
        self.0 = self.0.saturating_add(later.0);
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.0.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(|bytes| Self(u32::from_le_bytes(bytes)))
    }
}

/// Which domains link to a domain.
#[derive(Clone, Debug, PartialEq)]
struct Neighbours(BTreeSet<u64>);

impl Value for Neighbours {
    fn merge(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.0.iter().flat_map(|key| key.to_le_bytes()));
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (keys, rest) = bytes.as_chunks();
        rest.is_empty().then(|| Self(keys.iter().map(|key| u64::from_le_bytes(*key)).collect()))
    }
}

fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new(5);
    disk.create_folder(Path::new(FOLDER)).unwrap();
    disk
}

/// Notes (page, linking page) pairs over several files and reopenings, and compares all values.
fn check<V: Value + Clone + PartialEq + std::fmt::Debug>(value: impl Fn(u64) -> V) {
    let (disk, folder) = (disk(), Path::new(FOLDER));
    let mut ledger = Ledger::default();
    let mut expect: BTreeMap<u64, V> = BTreeMap::new();
    for round in 0..6u64 {
        for link in 0..4_000u64 {
            let page = (link * link + round) % 1_531;
            let from = link % 97;
            ledger.add(UrlKey(page), value(from));
            match expect.get_mut(&page) {
                Some(known) => known.merge(value(from)),
                None => drop(expect.insert(page, value(from))),
            }
        }
        let name = format!("{round}");
        ledger.write(&disk, folder, &name).unwrap();
        assert_eq!(ledger.changes(), 0);
        disk.sync_folder(folder).unwrap();
        if round % 2 == 1 {
            disk.crash();
            ledger = Ledger::open(&disk, folder, &name).unwrap();
        }
        let asked: Vec<UrlKey> = (0..2_000).rev().chain([7, 7]).map(UrlKey).collect();
        let found = ledger.look_up(&asked).unwrap();
        for (key, found) in asked.iter().zip(found) {
            assert_eq!(found.as_ref(), expect.get(&key.0), "{key} in round {round}");
        }
    }
}

#[test]
fn in_degrees_add_up() {
    check(|_| InDegree(1));
}

#[test]
fn neighbours_unite() {
    check(|from| Neighbours(BTreeSet::from([from])));
}

#[test]
fn a_damaged_ledger_is_an_error() {
    let (disk, folder) = (disk(), Path::new(FOLDER));
    let mut ledger = Ledger::default();
    (0..100).for_each(|key| ledger.add(UrlKey(key), InDegree(1)));
    ledger.write(&disk, folder, "a").unwrap();
    let path = folder.join("a");
    let length = disk.open(&path).unwrap().length().unwrap();
    let read = || {
        Ledger::<InDegree>::open(&disk, folder, "a")
            .and_then(|ledger| ledger.look_up(&[UrlKey(u64::MAX)]))
    };
    for at in 0..length {
        disk.flip(&path, at).unwrap();
        assert!(read().is_err(), "byte {at}");
        disk.flip(&path, at).unwrap();
    }
    assert_eq!(read().unwrap(), [None]);
    for cut in [length - 1, 17, 9, 3] {
        disk.open(&path).unwrap().cut(cut).unwrap();
        assert!(read().is_err(), "cut to {cut}");
    }
}
