//! What this room promises, held against outside data and naive models.

mod article;
mod encoding;
mod hostile;
mod mime;
mod model;
mod oracle;

use std::path::PathBuf;

/// A folder of the external test data, or nothing where there is none on this machine.
#[expect(clippy::print_stdout, reason = "a promise that was not checked says so")]
fn conformance(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("RHUMB_CONFORMANCE").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance")),
        PathBuf::from,
    );
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no conformance data for {folder}");
    None
}
