//! Hostile strings, through every parameter, field and body of every route.

use std::path::PathBuf;

use serde_json::json;

use crate::house::{Answered, Furniture, TestHouse, encoded};

/// Every parameter of every page.
const PARAMETERS: &[&str] = &[
    "/?q=",
    "/search?q=",
    "/search?q=tide&page=",
    "/search?q=tide&explain=",
    "/page?url=",
    "/page?url=http://a.example/",
    "/why?url=",
    "/submit?url=",
    "/copy?url=",
    "/copy?url=http://a.example/&at=",
    "/copy/frame?url=",
    "/copy/frame?url=http://a.example/&at=",
    "/copy/file?url=",
    "/copy/file?url=http://a.example/&at=",
    "/crawl?span=",
    "/crawl?done=",
    "/crawl/live?span=",
    "/sites?q=",
    "/sites?sort=",
    "/sites?dir=",
    "/sites?page=",
    "/site?host=",
    "/site?host=a.example&done=",
    "/webmaster?host=",
    "/token?to=",
    "/api/search?q=",
    "/api/search?q=tide&page=",
    "/api/search?q=tide&count=",
    "/api/page?url=",
    "/api/page?url=http://a.example/",
    "/api/why?url=",
    "/api/sites?q=",
    "/api/sites?sort=",
    "/api/status?",
    "/",
    "/api/",
];

/// Every field of every form.
const FIELDS: &[(&str, &str)] = &[
    ("/submit", "urls"),
    ("/crawl/control", "do"),
    ("/site", "host"),
    ("/site", "site"),
    ("/site", "delay"),
    ("/site", "connections"),
    ("/site", "scope"),
    ("/site", "budget"),
    ("/site", "block"),
    ("/token", "token"),
    ("/token", "to"),
];

const HEADERS: [&str; 6] = [
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cache-control",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
];

/// Ours, and the big list of naughty strings if that is there.
fn strings() -> (Vec<String>, bool) {
    let root = std::env::var_os("RHUMB_CONFORMANCE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance"),
        PathBuf::from,
    );
    let mut all: Vec<String> =
        ["", "\0", "\u{202e}", "%", "%zz", "../../etc/passwd", "&x=y", "\r\nx: y"]
            .map(str::to_owned)
            .to_vec();
    all.push("9".repeat(400));
    all.push("(".repeat(4_000));
    let list = std::fs::read(root.join("hostile/blns.json")).ok();
    let is_whole = list.is_some();
    if let Some(list) = list {
        all.extend(serde_json::from_slice::<Vec<String>>(&list).expect("a list of strings"));
    }
    (all, is_whole)
}

/// No fault of ours, nothing of this machine, and all that keeps a browser safe.
#[track_caller]
fn check(house: &TestHouse, what: &str, answer: &Answered) {
    assert!(answer.code < 500, "{what}: {} {}", answer.code, String::from_utf8_lossy(&answer.body));
    for name in HEADERS {
        assert!(answer.header(name).is_some(), "{what}: {name}");
    }
    let folder = house.folder.path().to_string_lossy();
    let text = String::from_utf8_lossy(&answer.body);
    for path in [&*folder, env!("CARGO_MANIFEST_DIR"), "/src/"] {
        assert!(!text.contains(path) && !answer.head.contains(path), "{what}: {path} in {text}");
    }
    assert!(!answer.head.to_ascii_lowercase().contains("\r\nx: y"), "{what}: {}", answer.head);
}

#[test]
fn no_string_in_any_parameter_field_or_body_breaks_anything() {
    let limits = rhumb_serve::Limits {
        guesses: u32::MAX,
        guess_pause: std::time::Duration::ZERO,
        ..rhumb_serve::Limits::default()
    };
    let house = Furniture { limits, ..Furniture::default() }.start();
    let (strings, is_whole) = strings();
    if !is_whole {
        println!("skipped: the list of naughty strings, which is not there");
    }
    for text in &strings {
        for place in PARAMETERS {
            let target = format!("{place}{}", encoded(text));
            check(&house, &format!("{place} with {text:?}"), &house.get(&target));
        }
        for (path, field) in FIELDS {
            let fields = [("host", "a.example"), ("site", "a.example"), (*field, text.as_str())];
            let fields: Vec<_> = fields
                .into_iter()
                .skip_while(|(name, _)| path != &"/site" && name != field)
                .collect();
            check(&house, &format!("{path} {field} with {text:?}"), &house.post(path, &fields));
        }
        for (path, body) in [
            ("/api/submit", json!({ "urls": [text] })),
            ("/api/control", json!({ "do": text })),
            ("/api/site", json!({ "site": text, "delay": text, "scope": text, "budget": text })),
            ("/api/site", json!({ (text.as_str()): text })),
        ] {
            let headers = "content-type: application/json\r\n";
            let answer = house.ask("POST", path, headers, body.to_string().as_bytes());
            check(&house, &format!("{path} with {body}"), &answer);
        }
    }
}

#[test]
fn bytes_that_are_no_text_break_nothing() {
    let house = Furniture::default().start();
    for place in PARAMETERS {
        for bytes in ["%FF%FE", "%C0%80", "%ED%A0%80", "%F4%90%80%80", "%"] {
            let target = format!("{place}{bytes}");
            check(&house, &target, &house.get(&target));
        }
    }
}
