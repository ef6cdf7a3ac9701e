//! The content-encoding resources of the web-platform-tests, over the wire.

use std::path::PathBuf;

use rhumb_fetch::FetchSettings;
use rhumb_web::Cut;

use crate::door::{answered, door, fetch, settings};
use crate::server::{Server, ok};

fn folder() -> PathBuf {
    let named = std::env::var_os("RHUMB_CONFORMANCE").map(PathBuf::from);
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    named.unwrap_or_else(beside).join("content-encoding")
}

/// What a resource says when it is unpacked; `None` where a reader must refuse it.
fn expected(name: &str) -> Option<Vec<u8>> {
    match name.split('.').next().unwrap_or_default() {
        "big" if name.starts_with("big.window") => None,
        "big" => Some(b"abcdefghijklmnopqrstuvwxyz\n".repeat(1_000_000)),
        "foo" => Some(b"foo".repeat(3_500)),
        "hello" => Some(b"Hello world".to_vec()),
        _ => Some(b"a resource that this test does not know".to_vec()),
    }
}

#[tokio::test]
async fn content_encodings_are_read_as_browsers_read_them() {
    if !folder().is_dir() {
        println!("skipped: no conformance data at {}", folder().display());
        return;
    }
    let (mut right, mut all) = (0, 0);
    // The large ones inflate beyond what we take from strangers.
    let roomy = FetchSettings { body_max: 64 << 20, inflation_max: 1_000_000, ..settings() };
    let door = door(roomy);
    for coding in ["gzip", "br", "zstd"] {
        let resources = folder().join(coding).join("resources");
        for entry in std::fs::read_dir(resources).expect("a folder of resources") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".headers") {
                continue;
            }
            let headers = std::fs::read_to_string(format!("{}.headers", path.display()));
            let headers = headers.expect("headers beside it").replace('\n', "\r\n");
            let server = Server::answering(ok(&headers, &std::fs::read(&path).unwrap())).await;
            let exchange = answered(fetch(&door, &server.url("/")).await);
            let is_right = match expected(&name) {
                Some(text) => exchange.body == text && exchange.cut.is_none(),
                None => exchange.body.is_empty() && exchange.cut == Some(Cut::Encoding),
            };
            all += 1;
            right += usize::from(is_right);
            if !is_right {
                println!("wrong: {name}: {} bytes, {:?}", exchange.body.len(), exchange.cut);
            }
        }
    }
    println!("conformance: content-encoding {right} of {all}");
    assert_eq!((right, all), (13, 13));
}
