//! The html5lib tests of the encoding prescan.

use std::path::Path;

use encoding_rs::Encoding;
use rhumb_page::{CharsetFrom, charset};

struct Case {
    name: String,
    data: Vec<u8>,
    encoding: String,
}

fn cases(path: &Path) -> Vec<Case> {
    let bytes = std::fs::read(path).expect("a readable file");
    let file = path.file_stem().expect("a file name").to_string_lossy().into_owned();
    let mut cases: Vec<Case> = Vec::new();
    let mut in_data = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line == b"#data\n" {
            let name = format!("{file} {}", cases.len() + 1);
            cases.push(Case { name, data: Vec::new(), encoding: String::new() });
            in_data = true;
        } else if line == b"#encoding\n" {
            in_data = false;
        } else if let Some(case) = cases.last_mut() {
            if in_data {
                case.data.extend_from_slice(line);
            } else {
                case.encoding.push_str(String::from_utf8_lossy(line).trim());
            }
        }
    }
    cases
}

/// What the document declares, or windows-1252: the suite knows no detection.
fn declared(body: &[u8]) -> &'static Encoding {
    let found = charset(body, None);
    match found.from {
        CharsetFrom::Bom | CharsetFrom::Meta => found.encoding,
        _ => encoding_rs::WINDOWS_1252,
    }
}

#[test]
fn the_prescan_agrees_with_html5lib() {
    let Some(folder) = crate::conformance("encoding") else {
        return;
    };
    let files = ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"];
    let cases: Vec<Case> = files.iter().flat_map(|file| cases(&folder.join(file))).collect();
    assert_eq!(cases.len(), 82);
    let differs = |case: &&Case| {
        let expect = Encoding::for_label(case.encoding.as_bytes()).expect("a known label");
        declared(&case.data) != expect
    };
    let failed: Vec<&str> = cases.iter().filter(differs).map(|case| case.name.as_str()).collect();
    println!("conformance: encoding {} of {}", cases.len() - failed.len(), cases.len());
    assert!(failed.is_empty(), "{failed:?}");
}
