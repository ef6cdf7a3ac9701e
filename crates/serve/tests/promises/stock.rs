//! The pages of the house: two sites in two languages, and what hostile sites would send.

use rhumb_index::{Document, OutLink, Place};
use rhumb_web::{CanonUrl, HashKey, UrlKey};

use crate::house::Captured;

pub(crate) const HASH: HashKey = HashKey(11, 12);

/// Titles that try to be more than text.
pub(crate) const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(2)>",
    "</title></a><svg/onload=alert(3)>",
    "' onmouseover='alert(4)",
    "\u{202e}gnp.exe\u{2066} \u{1b}[2J turned around",
    "&lt;b&gt; &amp; {{7*7}} ${7*7} javascript:alert(5)",
];

pub(crate) fn key(url: &str) -> UrlKey {
    CanonUrl::parse(url).expect("a URL").key(HASH)
}

pub(crate) fn document(url: &str, title: &str, main: &str) -> Document {
    Document {
        key: key(url),
        url: CanonUrl::parse(url).expect("a URL"),
        title: Some(title.to_owned()),
        headings: Vec::new(),
        description: None,
        main: main.to_owned(),
        language: Some("en".to_owned()),
        kind: "html".to_owned(),
        fetched_ms: 1_750_000_000_000,
        dated_ms: None,
        place: Place::default(),
        digest: Some("sha1:2VBAVQKJ4CVPNPL2BRPVPHSPV7RF6GFX".to_owned()),
        no_snippet: false,
        no_archive: false,
        original: None,
        sinks: false,
        links: Vec::new(),
    }
}

pub(crate) fn documents() -> Vec<Document> {
    let link = |to: &str, text: &str| OutLink { key: key(to), text: text.to_owned() };
    let mut documents = Vec::new();
    for n in 1..=25 {
        let (url, next) = (page(n), page(n + 1));
        let text = format!("The tide of harbour number {n} rises and falls twice a day.");
        let mut one = document(&url, &format!("Tide tables of harbour {n}"), &text);
        one.links = vec![link(&next, "the next harbour"), link("http://a.example/", "home")];
        documents.push(one);
    }
    let mut home = document("http://a.example/", "Tides of the coast", "All tides of the coast.");
    home.dated_ms = Some(1_700_000_000_000);
    home.links = (1..=5).map(|n| link(&page(n), "a harbour")).collect();
    let twin = Document {
        original: Some(home.key),
        links: Vec::new(),
        ..document("http://a.example/index", "Tides of the coast", "All tides of the coast.")
    };
    let chart = Document {
        kind: "pdf".to_owned(),
        title: None,
        ..document("http://a.example/chart.pdf", "", "A chart of the tide, on paper.")
    };
    let shy = Document {
        no_archive: true,
        no_snippet: true,
        ..document("http://a.example/shy", "A shy page", "Secret words on the tide.")
    };
    documents.extend([home, twin, chart, shy]);
    for n in 1..=4 {
        let url = format!("http://b.example/seite/{n}");
        let text = "Die Gezeiten an der Küste, und wie der Hafen bei Ebbe aussieht.";
        let mut one = document(&url, &format!("Gezeiten am Hafen {n}"), text);
        one.language = Some("de".to_owned());
        one.links = vec![link("http://a.example/", "Gezeiten der Küste")];
        documents.push(one);
    }
    let hostile = (0..).zip(HOSTILE);
    documents.extend(hostile.map(|(n, title): (u8, _)| {
        let url = format!("http://evil.example/{n}?a=%22%3E&b='c");
        let mut one = document(&url, title, &format!("hostile words: {title} and more"));
        one.headings = vec![title.to_owned()];
        one.description = Some(title.to_owned());
        one.links = vec![link("http://a.example/", title)];
        one
    }));
    let long = "endless ".repeat(12_500);
    documents.push(document("http://evil.example/long", &long, "hostile words without an end"));
    documents
}

/// The URL of a page on tides.
pub(crate) fn page(n: usize) -> String {
    format!("http://a.example/tides/{n}")
}

/// One page in two versions, and a hostile one.
pub(crate) fn captures() -> Vec<Captured> {
    let html = Captured::html;
    vec![
        html("http://a.example/", 1_749_000_000, "<title>Tides</title><p>An older text."),
        html("http://a.example/", 1_750_000_000, "<title>Tides</title><p>All tides of the coast."),
        html(
            "http://evil.example/0?a=%22%3E&b='c",
            1_750_000_000,
            "<title><script>alert(1)</script></title><script>alert(2)</script>",
        ),
    ]
}
