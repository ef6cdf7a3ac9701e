//! What this room promises: the conformance suites, and properties against naive models.

mod conformance;
mod odd_files;
mod patience;
mod properties;

use std::path::PathBuf;

/// A file of the external test data; says so where it is absent.
#[expect(clippy::print_stdout, reason = "a test that could not run says so")]
fn conformance_file(name: &str) -> Option<Vec<u8>> {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("RHUMB_CONFORMANCE")
        .map_or_else(|| workspace.join("../shared/conformance"), PathBuf::from);
    let found = std::fs::read(folder.join(name)).ok();
    if found.is_none() {
        println!("skipped: no conformance data {name}");
    }
    found
}
