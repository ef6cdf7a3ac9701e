//! The web platform tests of MIME type parsing.

use encoding_rs::Encoding;
use rhumb_page::Mime;
use serde_json::Value;

/// Essence and charset of a serialised type, read in the simple way that its strict form allows.
fn serialised(text: &str) -> (String, Option<String>) {
    let (essence, parameters) = text.split_once(';').unwrap_or((text, ""));
    let charset = parameters.split_once("charset=").map(|(_, value)| {
        let unescaped = value.strip_prefix('"').map(|quoted| {
            let mut text = String::new();
            let mut chars = quoted.chars();
            while let Some(char) = chars.next().filter(|char| *char != '"') {
                text.push(if char == '\\' { chars.next().expect("an escaped char") } else { char });
            }
            text
        });
        unescaped.unwrap_or_else(|| value.split(';').next().unwrap_or_default().to_owned())
    });
    (essence.to_owned(), charset)
}

fn agrees(case: &Value) -> bool {
    let found = Mime::parse(case["input"].as_str().expect("an input"));
    let expect = case["output"].as_str().map(serialised);
    let label = found.as_ref().and_then(|mime| mime.charset.clone());
    let encoding = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let same_encoding = match case.get("encoding") {
        Some(name) => encoding.map(Encoding::name) == name.as_str(),
        None => true,
    };
    same_encoding && found.map(|mime| (mime.essence, mime.charset)) == expect
}

#[test]
fn types_are_parsed_as_the_platform_tests_say() {
    let Some(folder) = crate::conformance("mime") else {
        return;
    };
    let files = ["mime-types.json", "generated-mime-types.json"];
    let read = |file: &&str| std::fs::read_to_string(folder.join(file)).expect("a readable file");
    let parsed = files.iter().map(read).map(|text| serde_json::from_str(&text).expect("JSON"));
    let lists: Vec<Vec<Value>> = parsed.collect();
    let cases: Vec<&Value> = lists.iter().flatten().filter(|case| case.is_object()).collect();
    let failed: Vec<_> = cases.iter().filter(|case| !agrees(case)).collect();
    println!("conformance: mime {} of {}", cases.len() - failed.len(), cases.len());
    assert!(failed.is_empty(), "{failed:#?}");
}
