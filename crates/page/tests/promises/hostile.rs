//! Whatever bytes come, nothing panics, and every maximum holds.

use proptest::prelude::*;
use rhumb_page::{LINKS_MAX, TEXT_BYTES_MAX, charset, decode, read, scan, sitemap};
use rhumb_web::{Canon, CanonUrl};

fn url() -> CanonUrl {
    CanonUrl::parse("http://h.test/dir/").expect("a URL")
}

fn survive(body: &[u8]) {
    let text = decode(body, charset(body, None)).into_owned();
    let scanned = scan(&text, &url(), Canon::Full, encoding_rs::UTF_8);
    assert!(scanned.links.len() <= LINKS_MAX && scanned.text.len() <= TEXT_BYTES_MAX);
    sitemap(body, true);
    for content_type in [None, Some("text/html;charset=utf-16le"), Some("text/xml")] {
        for sitemap_expected in [false, true] {
            read(body, content_type, &url(), Canon::KeepQuery, sitemap_expected);
        }
    }
}

/// Pieces of markup that meet in bad ways.
const PIECES: [&str; 40] = [
    "<a href=",
    "x",
    ">",
    "</a>",
    "<",
    "&",
    "&amp",
    "&#x",
    ";",
    "'",
    "\"",
    "<!--",
    "-->",
    "<!",
    "]]>",
    "<svg>",
    "<![CDATA[",
    "<math>",
    "<noscript>",
    "</noscript>",
    "<template>",
    "</template>",
    "<title>",
    "</title>",
    "<script>",
    "</script>",
    "<base href=",
    "<meta http-equiv=refresh content=",
    "0;url=",
    "\0",
    "\u{fffd}",
    "ä",
    " ",
    "\n",
    "<urlset><url><loc>",
    "</loc>",
    "<?xml",
    "<plaintext>",
    "class=robots-noindex",
    "<select><a href=y>",
];

proptest! {
    #[test]
    fn arbitrary_bytes_are_survived(body in prop::collection::vec(any::<u8>(), 0..2000)) {
        survive(&body);
    }

    #[test]
    fn pieces_of_markup_in_any_order_are_survived(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..200),
    ) {
        survive(pieces.concat().as_bytes());
    }
}

#[test]
fn strings_that_break_parsers_are_survived_as_text_address_and_entry() {
    let Some(folder) = crate::conformance("hostile") else {
        return;
    };
    let json = std::fs::read_to_string(folder.join("blns.json")).expect("a readable file");
    let strings: Vec<String> = serde_json::from_str(&json).expect("JSON");
    for text in &strings {
        survive(text.as_bytes());
        survive(format!("<p>{text}</p><a href=\"{text}\">{text}</a>").as_bytes());
        survive(format!("<urlset><url><loc>{text}</loc></url></urlset>").as_bytes());
        let html = format!("{text}\n--><a href=/known>known</a>");
        scan(&html, &url(), Canon::Full, encoding_rs::UTF_8);
    }
    println!("conformance: hostile {} of {}", strings.len(), strings.len());
}
