//! A page that is put together from known links yields exactly those, in their order.

use proptest::prelude::*;
use rhumb_page::scan;
use rhumb_web::{Canon, CanonUrl};

/// A piece of a page, and the link that it holds.
type Piece = (String, Option<(String, String, bool)>);

fn anchor() -> impl Strategy<Value = Piece> {
    let quote = prop::sample::select(vec!["\"", "'", ""]);
    ("[a-z]{1,8}", "[a-z]{1,8}( [a-z]{1,8})?", any::<bool>(), quote, any::<bool>()).prop_map(
        |(path, text, nofollow, quote, closed)| {
            let rel = if nofollow { " rel='nofollow'" } else { "" };
            let end = if closed { "</a>" } else { "<a name=end></a>" };
            let html = format!("<a{rel} href={quote}/{path}{quote}>{text}{end}");
            (html, Some((format!("http://h.test/{path}"), text, nofollow)))
        },
    )
}

fn filling() -> impl Strategy<Value = Piece> {
    let pieces = vec![
        "<p>words and words</p>",
        "<div class=x>",
        "</div>",
        "<!-- <a href=/no>no</a> -->",
        "<script>var a = '<a href=/no>';</script>",
        "<style>a{}</style>",
        "<template><a href=/no>no</a></template>",
        "<textarea><a href=/no>no</a></textarea>",
        "a < b & c",
        "<br/>",
        "<ul><li>one<li>two",
        "</b></p></li>",
        "<img src=/no alt=no>",
        "<svg><path d='M0'/></svg>",
        "<td><tr>",
        "\0",
    ];
    prop::sample::select(pieces).prop_map(|piece| (piece.to_owned(), None))
}

proptest! {
    #[test]
    fn the_links_of_a_page_are_those_that_were_put_in(
        pieces in prop::collection::vec(prop_oneof![anchor(), filling()], 0..60),
    ) {
        let html: String = pieces.iter().map(|(html, _)| html.as_str()).collect();
        let expect: Vec<_> = pieces.iter().filter_map(|(_, link)| link.clone()).collect();
        let url = CanonUrl::parse("http://h.test/").expect("a URL");
        let scanned = scan(&html, &url, Canon::Full, encoding_rs::UTF_8);
        let found = scanned.links.into_iter();
        let found: Vec<_> = found.map(|link| (String::from(link.url), link.text, link.nofollow)).collect();
        prop_assert_eq!(found, expect);
    }
}
