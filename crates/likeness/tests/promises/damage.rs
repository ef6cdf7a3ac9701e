//! Damaged files are errors that name the file.

use std::path::Path;
use std::sync::Arc;

use rhumb_disk::{SharedDisk, SimulatedDisk};
use rhumb_likeness::{Ledger, LikenessError, Sieve};

use crate::caller::document;

const FOLDER: &str = "likeness";

/// A sieve of several files: rows, runs and young rows.
fn written(disk: &SharedDisk) -> Ledger {
    let folder = Path::new(FOLDER);
    disk.create_folder(folder).unwrap();
    let mut sieve = Sieve::open(disk, folder, 100_000, &Ledger::default()).unwrap();
    for number in 0..40 {
        sieve.meet(&document(number, 100 + number, 0, None));
        if number == 30 {
            let passed = sieve.pass().unwrap().run().unwrap();
            assert!(sieve.install(passed).is_empty());
        }
    }
    let (ledger, sealed) = sieve.freeze().write(&**disk, folder).unwrap();
    sieve.seal(sealed);
    assert_eq!(ledger.files().count(), 3);
    ledger
}

/// Opens the sieve and reads all its files.
fn read(disk: &SharedDisk, ledger: &Ledger) -> Result<usize, LikenessError> {
    let folder = Path::new(FOLDER);
    let mut sieve = Sieve::open(disk, folder, 100_000, ledger)?;
    for number in 100..140 {
        sieve.meet(&document(number, number, 0, None));
    }
    let passed = sieve.pass().unwrap().run()?;
    for name in disk.list(folder).unwrap() {
        if !ledger.files().any(|listed| listed == name) {
            disk.remove(&folder.join(name)).unwrap();
        }
    }
    Ok(sieve.install(passed).len())
}

#[test]
fn a_damaged_file_is_an_error_that_names_it() {
    let simulated = SimulatedDisk::new(4);
    let disk: SharedDisk = Arc::new(simulated.clone());
    let ledger = written(&disk);
    assert_eq!(read(&disk, &ledger).unwrap(), 31, "the others were in memory");
    for name in ledger.files() {
        let path = Path::new(FOLDER).join(name);
        let length = disk.open(&path).unwrap().length().unwrap();
        for at in (0..16).chain((16..length).step_by(97)) {
            simulated.flip(&path, at).unwrap();
            let error = read(&disk, &ledger).expect_err("a flipped byte is noticed").to_string();
            assert!(error.contains(name), "byte {at}: {error}");
            simulated.flip(&path, at).unwrap();
        }
        disk.open(&path).unwrap().append(b"x").unwrap();
        assert!(read(&disk, &ledger).is_err(), "{name} is longer");
        disk.open(&path).unwrap().cut(length).unwrap();
    }
    assert_eq!(read(&disk, &ledger).unwrap(), 31);
}

#[test]
fn another_format_is_named() {
    let simulated = SimulatedDisk::new(4);
    let disk: SharedDisk = Arc::new(simulated.clone());
    let ledger = written(&disk);
    let name = ledger.files().next().unwrap();
    simulated.flip(&Path::new(FOLDER).join(name), 7).unwrap();
    let error = read(&disk, &ledger).unwrap_err();
    assert!(matches!(error, LikenessError::Format { number: 254, .. }), "{error}");
}
