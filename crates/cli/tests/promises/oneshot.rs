//! `url`, `robots` and `page` print what we understood, by the contract.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::run::{command, finish, rhumb};

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().expect("an object").keys().cloned().collect()
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn url_shows_the_canonical_form_or_why_there_is_none() {
    let run =
        rhumb(&["url", "--json", "HTTP://WWW.Example.co.uk:80/%7ea?utm_source=x#y", "mailto:x"]);
    assert_eq!(run.code, Some(0));
    let lines = run.json();
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!(keys(line), set(&["input", "canonical", "site", "pld", "key", "error"]));
    }
    assert_eq!(lines[0]["canonical"], "http://www.example.co.uk/~a");
    assert_eq!(lines[0]["site"], "www.example.co.uk");
    assert_eq!(lines[0]["pld"], "example.co.uk");
    assert_eq!(lines[0]["error"], Value::Null);
    assert_eq!(lines[1]["canonical"], Value::Null);
    assert_eq!(lines[1]["error"], "only http and https are crawled");
    let plain = rhumb(&["url", "http://example.org"]);
    assert!(plain.stdout.starts_with("http://example.org/\n"), "{}", plain.stdout);
    assert_eq!(rhumb(&["url", "nonsense"]).code, Some(1));
}

#[test]
fn robots_names_the_line_and_the_rule() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "# hello\nUser-agent: *\nDisallow: /private/\nCrawl-delay: 2.5\n";
    std::fs::write(folder.path().join("robots.txt"), file).expect("written");
    let run = |words: &[&str]| {
        let mut robots = command(folder.path());
        robots.args(["robots", "robots.txt", "--agent", "rhumb"]).args(words);
        finish(robots, "")
    };
    let both = run(&["--json", "http://e.test/private/x", "http://e.test/public"]);
    assert_eq!(both.code, Some(0));
    let lines = both.json();
    let expect = json!({
        "url": "http://e.test/private/x", "allowed": false, "line": 3,
        "rule": "Disallow: /private/", "group": "*", "agent": "rhumb", "crawl_delay_ms": 2500,
    });
    assert_eq!(lines[0], expect);
    assert_eq!((&lines[1]["allowed"], &lines[1]["line"]), (&json!(true), &Value::Null));
    let plain = run(&["http://e.test/private/x"]);
    assert!(plain.stdout.starts_with("disallowed http://e.test/private/x  line 3: Disallow"));
}

#[test]
fn page_shows_what_was_understood() {
    let html = "<html lang=fr><base href=/b/><title>T\u{e9}&amp;</title>\
        <meta name=robots content=noindex><link rel=canonical href=/c>\
        <a href=x rel=nofollow>one <b>two</b></a><p>caf\u{e9}</p><script>no</script>";
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["page", "-", "--url", "http://e.test/a", "--type", "text/html; charset=utf-8"];
    let mut page = command(folder.path());
    page.args(words).arg("--json");
    let run = finish(page, html);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let shown = run.json().pop().expect("one object");
    let contract = [
        "url",
        "charset",
        "charset_from",
        "title",
        "canonical",
        "base",
        "language",
        "language_from",
        "language_confidence",
        "description",
        "author",
        "published",
        "modified",
        "hreflang",
        "open_graph",
        "schema",
        "directives",
        "links",
        "text",
        "main",
        "mark",
        "spam",
        "document",
    ];
    assert_eq!(keys(&shown), set(&contract));
    assert_eq!(shown["title"], "T\u{e9}&");
    assert_eq!(shown["charset_from"], "header");
    assert_eq!(shown["base"], "http://e.test/b/");
    assert_eq!(shown["canonical"], "http://e.test/c");
    assert_eq!(shown["language"], "fr");
    assert_eq!(shown["directives"], json!(["noindex"]));
    let link =
        json!({"url": "http://e.test/b/x", "kind": "a", "text": "one two", "nofollow": true});
    assert!(shown["links"].as_array().expect("a list").contains(&link), "{}", shown["links"]);
    assert_eq!(shown["text"], "one two\ncaf\u{e9}");
    assert_eq!(shown["main"], "one two\ncaf\u{e9}");
    assert_eq!(shown["language_from"], "html");
    assert_eq!(shown["language_confidence"], json!(null));
    assert_eq!(shown["published"], json!(null));
    assert_eq!(shown["open_graph"]["title"], json!(null));
    let mut plain = command(folder.path());
    plain.args(words);
    let plain = finish(plain, "<title>\u{1b}[31mred</title>").stdout;
    assert!(!plain.contains('\u{1b}'), "no control character reaches the terminal");
}
