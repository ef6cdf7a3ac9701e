use std::path::Path;

use rhumb_disk::SimulatedDisk;

use super::*;

fn hashed(count: u64) -> Vec<u64> {
    let mut keys: Vec<u64> =
        (1..=count).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    keys.sort_unstable();
    keys
}

const FOLDER: &str = "seen";

fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new(1);
    disk.create_folder(Path::new(FOLDER)).unwrap();
    disk
}

fn written(disk: &SimulatedDisk, keys: &[u64]) -> Run {
    Run::write(disk, Path::new(FOLDER), "a", keys).unwrap()
}

#[test]
fn a_run_is_the_same_after_it_was_opened_again() {
    for count in [0, 1, 2047, 2048, 2049, 30_000] {
        let disk = disk();
        let keys = hashed(count);
        let run = written(&disk, &keys);
        let info = run.info();
        assert_eq!(info.keys, count);
        assert_eq!(run.keys().unwrap(), keys);
        disk.sync_folder(Path::new(FOLDER)).unwrap();
        disk.crash();
        assert_eq!(Run::open(&disk, Path::new(FOLDER), &info).unwrap().keys().unwrap(), keys);
    }
}

#[test]
fn candidates_in_the_run_are_struck_and_others_stay() {
    let disk = disk();
    let marked: Vec<(u64, u32)> =
        hashed(20_000).into_iter().zip([0, 1, 1].into_iter().cycle()).collect();
    let kept: Vec<u64> =
        marked.iter().filter(|(_, mark)| *mark == 0).map(|(key, _)| *key).collect();
    let run = written(&disk, &kept);
    for step in [1, 50, 5_000] {
        let mut candidates: Vec<(u64, u32)> = marked.iter().copied().step_by(step).collect();
        let expect: Vec<(u64, u32)> =
            candidates.iter().copied().filter(|(_, mark)| *mark == 1).collect();
        run.strike(&mut candidates, &mut Scratch::default()).unwrap();
        assert_eq!(candidates, expect);
    }
}

#[test]
fn a_run_contains_its_keys_and_no_others() {
    for count in [0, 1, 2_048, 2_049, 9_000] {
        let disk = disk();
        let keys = hashed(count);
        let run = written(&disk, &keys);
        let near = keys.iter().flat_map(|key| [key.wrapping_sub(1), *key, key.wrapping_add(1)]);
        for key in near.step_by(5).chain([0, u64::MAX]) {
            let expect = keys.binary_search(&key).is_ok();
            assert_eq!(run.contains(UrlKey(key)).unwrap(), expect, "{key:x} of {count}");
        }
    }
}

#[test]
fn twenty_million_keys_take_less_than_six_bytes_each() {
    // The keys of one file in a thousand of such a run: as close together, so as large.
    let disk = disk();
    let spacing = u64::MAX / 20_000_000;
    let keys: Vec<u64> = hashed(20_000).iter().map(|key| key / 1_000 + spacing).collect();
    let info = written(&disk, &keys).info();
    assert!(info.bytes * 10 < info.keys * 53, "{info:?}");
}

#[test]
fn every_flipped_byte_is_noticed_and_none_panics() {
    let disk = disk();
    let info = written(&disk, &hashed(3_000)).info();
    let path = Path::new(FOLDER).join("a");
    for at in (0..info.bytes).step_by(7).chain(info.bytes - 60..info.bytes) {
        disk.flip(&path, at).unwrap();
        let outcome = Run::open(&disk, Path::new(FOLDER), &info).and_then(|run| run.keys());
        assert!(outcome.is_err(), "byte {at}");
        disk.flip(&path, at).unwrap();
    }
    assert!(Run::open(&disk, Path::new(FOLDER), &info).is_ok());
    for length in [info.bytes - 1, info.bytes / 2, 27, 8, 7, 0] {
        disk.open(&path).unwrap().cut(length).unwrap();
        assert!(Run::open(&disk, Path::new(FOLDER), &info).is_err(), "{length}");
    }
}

#[test]
fn another_format_number_is_named() {
    let disk = disk();
    let info = written(&disk, &[1, 2, 3]).info();
    disk.flip(&Path::new(FOLDER).join("a"), 7).unwrap();
    let error = Run::open(&disk, Path::new(FOLDER), &info).unwrap_err().to_string();
    assert_eq!(error, "seen/a has format 254, which this version does not read");
}
