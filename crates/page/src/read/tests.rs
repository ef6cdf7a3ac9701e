use rhumb_web::{Canon, CanonUrl};

use super::{Format, Page, read, read_links};
use crate::scan::URLS_BYTES_MAX;

fn page(body: &[u8], content_type: Option<&str>, sitemap_expected: bool) -> Page {
    let url = CanonUrl::parse("http://h.test/dir/").expect("a URL");
    read(body, content_type, &url, Canon::Full, sitemap_expected)
}

fn check(body: &str, content_type: &str, expect: Format) {
    let content_type = Some(content_type).filter(|text| !text.is_empty());
    let found = page(body.as_bytes(), content_type, false);
    assert_eq!(found.format, expect, "{content_type:?} {body}");
}

#[test]
fn the_type_decides_where_it_is_clear() {
    check("plain", "text/html; charset=utf-8", Format::Html);
    check("<html>", "application/xhtml+xml", Format::Html);
    check("<html>", "image/png", Format::Other);
    check("<html>", "image/svg+xml", Format::Html);
    check("<svg/>", "image/svg+xml", Format::Other);
    check("words", "text/plain", Format::Text);
}

#[test]
fn the_body_decides_where_the_type_is_missing_or_lies() {
    check("\n <!DOCTYPE html><p>", "", Format::Html);
    check("<!-- x --><p>", "text/plain", Format::Html);
    check("<htmlx>", "", Format::Text);
    check("a\0b", "", Format::Other);
    check("words", "nonsense", Format::Text);
    check("<?xml version='1.0'?><urlset/>", "", Format::Sitemap);
    check("<?xml version='1.0'?><!DOCTYPE html><html>", "text/xml", Format::Html);
    check("<rss/>", "application/xml", Format::Feed);
    check("<feed/>", "application/atom+xml", Format::Feed);
    check("<urlset/>", "text/html", Format::Html);
    check("<html>", "application/pdf", Format::Html);
    check("%PDF-1.7", "text/html", Format::Other);
    check("\n{\\rtf1 words}", "text/plain", Format::Other);
    check("PK\x03\x04", "text/html", Format::Other);
    check("{}", "application/json", Format::Other);
    let feed = r#"{"version":"https://jsonfeed.org/version/1","items":[]}"#;
    check(feed, "application/feed+json", Format::Feed);
}

#[test]
fn a_list_becomes_links_that_resolved() {
    let body = b"<urlset><url><loc>/a</loc><lastmod>2024</lastmod></url>\
        <url><loc>ftp://x/</loc></url><url><loc>b</loc></url></urlset>";
    let found = page(body, Some("text/html"), true);
    assert_eq!(found.format, Format::Sitemap);
    let urls: Vec<_> = found.scan.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(urls, ["http://h.test/a", "http://h.test/dir/b"]);
    assert_eq!(found.lastmods, [Some("2024".to_owned()), None]);
    assert_eq!(found.scan.bad_links.len(), 1);
    let index = b"<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>";
    let found = page(index, Some("text/xml"), false);
    assert_eq!(found.sitemaps[0].as_str(), "http://h.test/1.xml");
    assert!(found.scan.links.is_empty());
}

#[test]
fn a_page_where_a_sitemap_was_expected_is_still_a_page() {
    let found = page(b"<title>Not found</title>", Some("text/html"), true);
    assert_eq!(found.format, Format::Html);
    assert_eq!(found.scan.title.as_deref(), Some("Not found"));
}

#[test]
fn plain_text_keeps_its_lines() {
    let found = page(b"a  b\r\n\r\n c\n", Some("text/plain"), false);
    assert_eq!(found.scan.text, "a b\nc");
}

#[test]
fn the_charset_that_a_page_declares_is_that_of_its_queries() {
    let check = |body: &[u8], charset: &str, expect: &str| {
        let found = page(body, Some(&format!("text/html; charset={charset}")), false);
        assert_eq!(found.scan.links[0].url.as_str(), expect, "{charset}");
    };
    check(b"<a href='/s?q=caf\xe9'>", "ISO-8859-1", "http://h.test/s?q=caf%E9");
    check("<a href='/s?q=café'>".as_bytes(), "utf-8", "http://h.test/s?q=caf%C3%A9");
}

#[test]
fn who_wants_links_gets_everything_but_the_text() {
    let url = CanonUrl::parse("http://h.test/dir/").expect("a URL");
    let html = "<html lang=en><title>t</title><meta name=robots content=none><p>a <a href=x>b</a>";
    for (body, content_type) in [(html, "text/html"), ("words", "text/plain")] {
        let mut expect = page(body.as_bytes(), Some(content_type), false);
        assert!(!expect.scan.text.is_empty());
        expect.scan.text.clear();
        let found = read_links(body.as_bytes(), Some(content_type), &url, Canon::Full, false);
        assert_eq!(found, expect);
    }
}

#[test]
fn a_list_of_addresses_that_grow_when_resolved_is_cut() {
    let url = CanonUrl::parse(&format!("http://h.test/{}/", "a".repeat(16_000))).expect("a URL");
    for (root, entry) in [("urlset", "url"), ("sitemapindex", "sitemap")] {
        let entries = format!("<{entry}><loc>x</loc></{entry}>").repeat(1_000);
        let body = format!("<{root}>{entries}</{root}>");
        let found = read(body.as_bytes(), Some("text/xml"), &url, Canon::Full, false);
        let links = found.scan.links.iter().map(|link| &link.url);
        let urls: Vec<_> = links.chain(&found.sitemaps).collect();
        assert_eq!(urls.len(), URLS_BYTES_MAX / urls[0].as_str().len(), "{root}");
        assert!(found.scan.cut, "{root}");
    }
}

#[test]
fn an_element_that_closes_itself_in_xml_loses_nothing() {
    let body = b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head>\
        <title/><script src='a.js'/><style/></head><body><a id='top'/><p>one <a href='x'>two</a>\
        </p><textarea/><p>three</p></body></html>";
    for content_type in [None, Some("application/xhtml+xml"), Some("text/xml")] {
        let found = page(body, content_type, false);
        assert_eq!(found.scan.text, "one two\nthree", "{content_type:?}");
        assert_eq!(found.scan.links.len(), 1);
    }
    let url = CanonUrl::parse("http://h.test/").expect("a URL");
    let article = super::read_article(body, None, Some("de"), &url, Canon::Full);
    let article = article.expect("a page");
    assert_eq!(article.main, "one two\nthree");
    assert_eq!(article.language.map(|language| language.tag).as_deref(), Some("de"));
    assert_eq!(page(body, Some("text/html"), false).scan.text, "", "in HTML it opens");
}
