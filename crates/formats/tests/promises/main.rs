//! What is promised of documents, tried on samples of many makers and on hostile ones.

mod bad;
mod bounds;
mod dates;
mod good;
mod kinds;
mod made;

use std::path::PathBuf;

use rhumb_formats::{Extract, Kind, read_here};
use rhumb_web::CanonUrl;

/// A sample by its name.
fn sample(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name);
    std::fs::read(path).expect("a sample")
}

/// An address that ends in this name.
fn url(name: &str) -> CanonUrl {
    CanonUrl::parse(&format!("http://h.test/{name}")).expect("a URL")
}

/// What is read of a sample.
fn read(name: &str) -> Extract {
    let body = sample(name);
    let kind = Kind::of(&body, None, &url(name)).expect("a kind");
    read_here(kind, &body)
}
