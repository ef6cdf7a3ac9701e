//! `rhumb similar` says how alike two texts are, whatever they come as.

use std::path::Path;

use serde_json::Value;

use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, command, finish, rhumb};

fn similar(folder: &Path, words: &[&str]) -> Run {
    let mut similar = command(folder);
    similar.arg("similar").args(words);
    finish(similar, "")
}

fn told(run: &Run) -> Value {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines = run.json();
    assert_eq!(lines.len(), 1, "{}", run.stdout);
    lines[0].clone()
}

/// A text of 400 different words, of which one in so many is another.
fn text(changed: Option<usize>) -> String {
    let word = |number: usize| match changed {
        Some(every) if number % every == 3 => format!("other{number}"),
        _ => format!("word{number}"),
    };
    (0..400).map(|number| word(number) + " ").collect()
}

#[test]
fn files_are_the_same_near_or_different() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    write("a.txt", &text(None));
    write("a.html", &format!("<title>Words</title><body><p>{}</p></body>", text(None)));
    write("near.txt", &text(Some(200)));
    write("other.txt", &text(Some(4)));
    let check = |b: &str, verdict: &str, jaccard: std::ops::RangeInclusive<f64>| {
        let line = told(&similar(folder.path(), &["a.txt", b, "--json"]));
        assert_eq!(line["verdict"], verdict, "{line}");
        assert!(jaccard.contains(&line["jaccard"].as_f64().expect("a number")), "{line}");
        line
    };
    assert_eq!(check("a.txt", "same", 1.0..=1.0)["simhash_distance"], 0);
    check("near.txt", "near", 0.9..=0.99);
    check("other.txt", "different", 0.0..=0.05);
    let page = told(&similar(folder.path(), &["a.txt", "a.html", "--json"]));
    assert!(page["jaccard"].as_f64().expect("a number") > 0.98, "markup is no text: {page}");
    let plain = similar(folder.path(), &["a.txt", "near.txt"]);
    assert!(plain.stdout.starts_with("near\n  a.txt: 400 words, 397 runs of four words\n"));
}

#[test]
fn urls_are_fetched_after_their_robots_txt_was_asked() {
    let server = RawServer::start(|target| match target {
        "/robots.txt" => ok("text/plain", "User-agent: *\nDisallow: /private\n"),
        "/a" | "/private" => ok("text/html", &format!("<p>{}", text(None))),
        _ => missing(),
    });
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), text(None)).expect("written");
    let run = |path: &str| {
        let url = server.url(path);
        similar(folder.path(), &[&url, "a.txt", "--allow-private", "--json"])
    };
    assert_eq!(told(&run("/a"))["verdict"], "same");
    assert_eq!(server.asked(), ["/robots.txt", "/a"]);
    for (path, word) in [("/private", "robots"), ("/none", "http-404")] {
        let failed = run(path);
        assert_eq!((failed.code, failed.stdout.as_str()), (Some(1), ""), "{path}");
        assert!(failed.stderr.contains(word), "{path}: {}", failed.stderr);
    }
    assert!(!server.asked().contains(&"/private".to_owned()), "robots.txt forbids it");
}

#[test]
fn stdin_is_read_once() {
    let run = rhumb(&["similar", "-", "-"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn what_has_no_text_is_compared_with_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/samples");
    std::fs::copy(samples.join("locked.pdf"), folder.path().join("a.pdf")).expect("copied");
    std::fs::write(folder.path().join("a.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").expect("written");
    std::fs::write(folder.path().join("empty.txt"), "").expect("written");
    std::fs::write(folder.path().join("a.txt"), text(None)).expect("written");
    let check = |a: &str, b: &str, what: &str| {
        let run = similar(folder.path(), &[a, b]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.stderr);
        assert!(run.stderr.starts_with(&format!("error: {what}\n")), "{}", run.stderr);
    };
    check("a.pdf", "a.pdf", "a.pdf has no text: pdf, encrypted");
    check("a.txt", "a.pdf", "a.pdf has no text: pdf, encrypted");
    check("a.png", "a.txt", "a.png has no text: it is no page, text or document");
    check("a.txt", "empty.txt", "empty.txt has no text: it is empty");
}

#[test]
fn pages_of_one_site_are_compared_as_such() {
    let calendar = |day: usize| -> String {
        let letter = |number: usize| char::from(b"abcdefghijklmnopqrst"[number % 20]);
        let word = |number: usize| match number % 16 {
            5 => format!("{} ", number + day),
            _ => format!("{}{} ", letter(number), letter(number / 20)),
        };
        (0..400).map(word).collect()
    };
    let server = RawServer::start(move |target| match target {
        "/1" => ok("text/plain", &calendar(1)),
        "/2" => ok("text/plain", &calendar(2)),
        _ => missing(),
    });
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("2.txt"), calendar(2)).expect("written");
    let (one, two) = (server.url("/1"), server.url("/2"));
    let verdict = |b: &str| {
        told(&similar(folder.path(), &[&one, b, "--allow-private", "--json"]))["verdict"].clone()
    };
    assert_eq!((verdict(&two), verdict("2.txt")), ("near".into(), "different".into()));
}
