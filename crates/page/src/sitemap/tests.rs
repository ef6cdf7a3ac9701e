use std::io::Write as _;

use super::{DEPTH_MAX, ENTRIES_MAX, Sitemap, SitemapKind, sitemap};

/// Entries as `loc lastmod`.
fn entries(found: &Sitemap) -> Vec<String> {
    let shown = |entry: &super::Entry| {
        format!("{} {}", entry.loc, entry.lastmod.as_deref().unwrap_or("")).trim_end().to_owned()
    };
    found.entries.iter().map(shown).collect()
}

fn check(body: &[u8], kind: SitemapKind, expect: &[&str]) {
    let found = sitemap(body, true).expect("a list");
    assert_eq!((found.kind, entries(&found)), (kind, expect.iter().map(|&s| s.into()).collect()));
}

const PAGES: &str = "<?xml version='1.0' encoding='UTF-8'?>\n\
    <urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='i' xmlns:xhtml='h'>\
    <url><loc> http://h.test/a?x=1&amp;y=2 </loc><lastmod>2024-01-02</lastmod>\
    <changefreq>daily</changefreq><priority>0.8</priority>\
    <xhtml:link rel='alternate' hreflang='de' href='http://h.test/de?a&amp;b'/>\
    <image:image><image:loc>http://h.test/i.png</image:loc></image:image></url>\
    <url><loc><![CDATA[http://h.test/b]]></loc></url><url><lastmod>2024</lastmod></url></urlset>";

#[test]
fn a_sitemap_lists_pages_with_what_it_says_of_them() {
    let expect = ["http://h.test/a?x=1&y=2 2024-01-02", "http://h.test/b"];
    check(PAGES.as_bytes(), SitemapKind::Pages, &expect);
    let found = sitemap(PAGES.as_bytes(), false).expect("a list");
    let first = &found.entries[0];
    assert_eq!(first.changefreq.as_deref(), Some("daily"));
    assert_eq!(first.priority.as_deref(), Some("0.8"));
    assert_eq!(first.alternates, ["http://h.test/de?a&b"]);
    assert!(!found.cut);
}

#[test]
fn an_index_lists_sitemaps() {
    let body = b"  <s:sitemapindex><s:sitemap><s:loc>http://h.test/1.xml</s:loc>\
        <s:lastmod>2024</s:lastmod></s:sitemap></s:sitemapindex>";
    check(body, SitemapKind::Index, &["http://h.test/1.xml 2024"]);
}

#[test]
fn feeds_list_their_items() {
    let rss = b"<rss><channel><link>http://h.test/</link><atom:link href='/self'/>\
        <item><link>http://h.test/1</link><pubDate>Mon</pubDate></item>\
        <item><guid>http://h.test/2</guid><dc:date>Tue</dc:date></item>\
        <item><guid isPermaLink='false'>http://h.test/3</guid></item></channel></rss>";
    check(rss, SitemapKind::Rss, &["http://h.test/1 Mon", "http://h.test/2 Tue"]);
    let rdf =
        b"<rdf:RDF><channel/><item rdf:about='x'><link>http://h.test/1</link></item></rdf:RDF>";
    check(rdf, SitemapKind::Rss, &["http://h.test/1"]);
    let atom = b"<feed><link href='/feed'/><entry><link rel='edit' href='/e'/><link href='/1'/>\
        <updated>2024</updated><published>2023</published><source><link href='/no'/></source>\
        </entry></feed>";
    check(atom, SitemapKind::Atom, &["/1 2024"]);
}

#[test]
fn a_file_of_urls_is_a_list_only_where_allowed() {
    let body = b"\xef\xbb\xbfhttp://h.test/a\r\n\r\n  https://h.test/b\nnot a url\n";
    check(body, SitemapKind::Text, &["http://h.test/a", "https://h.test/b"]);
    assert_eq!(sitemap(body, false), None);
    assert_eq!(sitemap(b"Some text\nhttp://h.test/a", true), None);
    assert_eq!(sitemap(b"", true), None);
}

#[test]
fn gzip_is_inflated_and_a_broken_end_keeps_what_came_before() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(PAGES.as_bytes()).expect("memory takes all");
    let packed = encoder.finish().expect("memory takes all");
    assert_eq!(sitemap(&packed, false), sitemap(PAGES.as_bytes(), false));
    let cut = sitemap(&packed[..packed.len() - 4], false).expect("a list");
    assert!(cut.cut && cut.entries.len() == 2);
}

#[test]
fn broken_xml_keeps_what_came_before() {
    let body = b"<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></loc><url><loc>/c<!-- ";
    check(body, SitemapKind::Pages, &["/a", "/b"]);
    check(b"<urlset><url><loc>/a & b</loc><loc2></url>", SitemapKind::Pages, &["/a & b"]);
    for other in ["<html><body>x", "<!DOCTYPE html><html>", "<", "<?xml", "<svg/>", "\0\0"] {
        assert_eq!(sitemap(other.as_bytes(), true), None, "{other}");
    }
}

#[test]
fn entities_of_a_document_type_are_never_expanded() {
    let bomb = b"<!DOCTYPE urlset [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>\
        <urlset><url><loc>/x&b;&#x41;&lt;</loc></url></urlset>";
    check(bomb, SitemapKind::Pages, &["/xA<"]);
}

#[test]
fn other_charsets_are_decoded() {
    let latin =
        b"<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>/\xe4</loc></url></urlset>";
    check(latin, SitemapKind::Pages, &["/ä"]);
    let text = "\u{feff}<urlset><url><loc>/ä</loc></url></urlset>";
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(&wide, SitemapKind::Pages, &["/ä"]);
}

#[test]
fn maxima_cut_a_list_and_say_so() {
    let body = format!("<urlset>{}</urlset>", "<url><loc>/a</loc></url>".repeat(ENTRIES_MAX + 1));
    let found = sitemap(body.as_bytes(), false).expect("a list");
    assert_eq!((found.entries.len(), found.cut), (ENTRIES_MAX, true));
    let long = format!("<urlset><url><loc>/{}</loc></url></urlset>", "a".repeat(20_000));
    assert!(sitemap(long.as_bytes(), false).expect("a list").entries.is_empty());
}

#[test]
fn elements_too_deep_inside_one_another_end_a_list() {
    let nested = |depth: usize| {
        let (open, close) = ("<x>".repeat(depth), "</x>".repeat(depth));
        let body = format!(
            "<urlset><url><loc>/a</loc></url>{open}{close}<url><loc>/b</loc></url></urlset>"
        );
        let found = sitemap(body.as_bytes(), false).expect("a list");
        (entries(&found), found.cut)
    };
    assert_eq!(nested(DEPTH_MAX), (vec!["/a".to_owned(), "/b".to_owned()], false));
    assert_eq!(nested(DEPTH_MAX + 1), (vec!["/a".to_owned()], true));
    assert_eq!(nested(1_000_000), (vec!["/a".to_owned()], true));
}

#[test]
fn a_json_feed_lists_its_items_and_its_next_page() {
    let feed = br#"{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[
        {"id":"1","url":"/a","date_published":"2024-01-01T00:00:00Z"},
        {"id":2,"url":"/b","external_url":"http://e.test/","date_modified":"2024-02-02"},
        {"id":"http://h.test/c"},{"id":"d"}],"next_url":"/feed?page=2"}"#;
    let expect = [
        "/a 2024-01-01T00:00:00Z",
        "/b 2024-02-02",
        "http://e.test/ 2024-02-02",
        "http://h.test/c",
    ];
    check(feed, SitemapKind::Json, &[&expect[..], &["/feed?page=2"]].concat());
    assert_eq!(sitemap(br#"{"items":[{"url":"/a"}]}"#, true), None);
    let many = format!(
        r#"{{"version":"https://jsonfeed.org/version/1","items":[{}{{}}]}}"#,
        r#"{"url":"/a"},"#.repeat(ENTRIES_MAX)
    );
    let found = sitemap(many.as_bytes(), false).expect("a list");
    assert_eq!((found.entries.len(), found.cut), (ENTRIES_MAX, true));
}

#[test]
fn a_json_feed_is_known_however_its_slashes_are_written_and_odd_fields_do_not_lose_it() {
    let php = br#"{"version":"https:\/\/jsonfeed.org\/version\/1","items":[{"url":"\/a"}]}"#;
    check(php, SitemapKind::Json, &["/a"]);
    let odd = br#"{"items":[{"url":"/old"}],"title":7,"items":[
        {"url":false,"id":"http://h.test/a","date_published":1700000000},"x",null,7,[],
        {"url":"/b","url":"/c","date_modified":{},"date_published":"2024"}],
        "next_url":["/no"],"version":"https://jsonfeed.org/version/1"} "#;
    check(odd, SitemapKind::Json, &["/old", "http://h.test/a", "/c 2024"]);
    for items in ["null", "false", "7", "0.5", "-7", "\"\"", "{}"] {
        let feed = format!(
            r#"{{"version":"jsonfeed.org","version":"http://jsonfeed.org/","items":{items},"next_url":"/n"}}"#
        );
        check(feed.as_bytes(), SitemapKind::Json, &["/n"]);
    }
    // A list of PHP that lost its first item.
    let keyed = br#"{"version":"jsonfeed.org","items":{"1":{"url":"/a"},"2":{"url":"/b"}}}"#;
    check(keyed, SitemapKind::Json, &["/a", "/b"]);
    let other = br#"{"version":"1.0.0","homepage":"https://jsonfeed.org","items":[{"url":"/a"}]}"#;
    assert_eq!(sitemap(other, true), None);
}

#[test]
fn a_json_feed_that_was_cut_keeps_the_items_before() {
    let whole = r#"{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"},
        {"url":"/b"}],"next_url":"/n"}"#;
    let check_cut = |end: &str, expect: &[&str]| {
        let at = whole.find(end).expect("it is there");
        check(&whole.as_bytes()[..at], SitemapKind::Json, expect);
        assert!(sitemap(&whole.as_bytes()[..at], false).expect("a list").cut, "{end}");
    };
    check_cut("{\"url\":\"/a", &[]);
    check_cut("a\"}", &[]);
    check_cut("b\"}", &["/a"]);
    check_cut("],", &["/a", "/b"]);
    check_cut("/n\"", &["/a", "/b"]);
}
