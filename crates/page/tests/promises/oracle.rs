//! Our tokeniser finds the anchors that another parser finds, in whatever markup.
//! Foreign content is left out: there we follow the standard further than the other does.

use lol_html::{RewriteStrSettings, element, rewrite_str};
use proptest::prelude::*;
use rhumb_page::scan;
use rhumb_web::{Canon, CanonUrl, LinkKind};

/// Pieces of markup that meet in bad ways.
const PIECES: [&str; 48] = [
    "<a href=",
    "<a href='/1'>",
    "<A HREF=\"/2\" >",
    "<a\nhref = /3>",
    "<a x href=/4 href=/no/>",
    "<a name=none>",
    "</a>",
    "</a x='>'>",
    "x",
    "y/z",
    " ",
    "=",
    "/",
    ">",
    "<",
    "</",
    "'",
    "\"",
    "\0",
    "ä",
    "\n",
    "<!--",
    "<!-->",
    "-->",
    "--!>",
    "-",
    "!",
    "<!",
    "<!doctype html '>'>",
    "<?",
    "]]>",
    "<![CDATA[",
    "<script>",
    "<script",
    "</script>",
    "</SCRIPT ",
    "<style>",
    "</style>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea/>",
    "<iframe>",
    "</iframe>",
    "<xmp>",
    "</xmp>",
    "<plaintext>",
    "<p class='>'>",
];

fn other(html: &str, url: &CanonUrl) -> Vec<CanonUrl> {
    let mut found = Vec::new();
    let handler = element!("a[href]", |anchor| {
        let href = anchor.get_attribute("href").unwrap_or_default();
        found.extend(url.join(&href, Canon::Full).ok());
        Ok(())
    });
    let settings =
        RewriteStrSettings::new().with_strict(false).append_element_content_handler(handler);
    rewrite_str(html, settings).expect("nothing to rewrite");
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn anchors_are_those_that_another_parser_finds(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40),
    ) {
        let html = pieces.concat();
        let url = CanonUrl::parse("http://h.test/dir/").expect("a URL");
        let links = scan(&html, &url, Canon::Full, encoding_rs::UTF_8).links;
        let anchors = links.into_iter().filter(|link| link.kind == LinkKind::A);
        let found: Vec<_> = anchors.map(|link| link.url).collect();
        prop_assert_eq!(found, other(&html, &url), "{}", html);
    }
}
