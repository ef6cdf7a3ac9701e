use rhumb_web::{Canon, CanonUrl};

use super::date::normal;
use super::{About, Schema};
use crate::article::article;

fn about(html: &str) -> About {
    let url = CanonUrl::parse("http://e.test/a/b").expect("a URL");
    article(html, &url, Canon::Full, None).about
}

#[test]
fn dates_have_one_form() {
    let check = |written: &str, expect: Option<&str>| {
        assert_eq!(normal(written).as_deref(), expect, "{written}");
    };
    check("2024-05-06", Some("2024-05-06"));
    check(" 2024/5/6 ", Some("2024-05-06"));
    check("20240506", Some("2024-05-06"));
    check("2024-05-06T07:08:09Z", Some("2024-05-06T07:08:09Z"));
    check("2024-05-06T07:08:09.123+02:00", Some("2024-05-06T05:08:09Z"));
    check("2024-05-06 23:30 -0100", Some("2024-05-07T00:30:00Z"));
    check("2024-01-01T00:30:00+01", Some("2023-12-31T23:30:00Z"));
    check("2024-05-06T07:08:09", Some("2024-05-06"));
    check("Mon, 06 May 2024 10:00:00 GMT", Some("2024-05-06T10:00:00Z"));
    check("May 6th, 2024", Some("2024-05-06"));
    check("6 May 2024", Some("2024-05-06"));
    check("2024-02-30", None);
    check("0000-00-00", None);
    check("9999-01-01", None);
    check("yesterday", None);
    check("99999999999999", None);
    check("12:30", None);
    check("", None);
}

#[test]
fn a_page_says_who_wrote_it_and_when() {
    let html = "<html lang=de><meta name=Description content=' What it\n is '>\
        <meta name=author content='A. Writer'>\
        <meta property=article:published_time content=2024-05-06>\
        <meta itemprop=dateModified content=2024-05-07T00:00:00Z>";
    let about = about(html);
    assert_eq!(about.description.as_deref(), Some("What it is"));
    assert_eq!(about.author.as_deref(), Some("A. Writer"));
    assert_eq!(about.published.as_deref(), Some("2024-05-06"));
    assert_eq!(about.modified.as_deref(), Some("2024-05-07T00:00:00Z"));
}

#[test]
fn the_body_tells_where_the_head_does_not() {
    let html = "<p>By <a rel=author href=/w><b>W.</b> Riter</a>, \
        <time datetime=2024-05-06>today</time></p><p>text</p>";
    assert_eq!(about(html).author.as_deref(), Some("W. Riter"));
    assert_eq!(about(html).published.as_deref(), Some("2024-05-06"));
    let html = "<time datetime=2001-01-01></time><span itemprop=datePublished content=2024-05-06>";
    assert_eq!(about(html).published.as_deref(), Some("2024-05-06"));
    assert_eq!(about("<meta name=author content='http://e.test/me'>").author, None);
}

#[test]
fn other_languages_are_listed_with_their_addresses() {
    let html = "<base href=/c/><link rel=alternate hreflang=DE-at href=de>\
        <link rel='alternate' hreflang=x-default href=//e.test/>\
        <link rel=stylesheet hreflang=fr href=no><link rel=alternate hreflang=es href='http://['>";
    let languages = about(html).hreflang;
    let languages: Vec<_> =
        languages.iter().map(|(tag, url)| (tag.as_str(), url.as_str())).collect();
    assert_eq!(languages, [("de-at", "http://e.test/c/de"), ("x-default", "http://e.test/")]);
}

#[test]
fn json_ld_is_read_whatever_its_shape() {
    let schema = |json: &str| Schema::of(&[json], &["https://schema.org/Thing"]);
    let graph = r#"<!-- {"@graph": [{"@type": ["WebPage", "FAQPage"]},
        {"@type": "BlogPosting", "headline": " A  b ", "datePublished": "2024-05-06T10:00:00+02:00",
         "dateModified": "nonsense", "author": [{"name": "A"}, "B", {"url": 7}]}]} -->"#;
    let read = schema(graph);
    assert_eq!(read.types, ["WebPage", "FAQPage", "BlogPosting", "Thing"]);
    assert_eq!(read.headline.as_deref(), Some("A b"));
    assert_eq!(read.author.as_deref(), Some("A, B"));
    assert_eq!(read.published.as_deref(), Some("2024-05-06T08:00:00Z"));
    assert_eq!(read.modified, None);
    for broken in ["", "{", "7", "[[[[", "{\"author\": {\"name\": 7}}", &"[".repeat(100_000)] {
        assert_eq!(schema(broken).headline, None, "{broken}");
    }
}

#[test]
fn a_large_script_does_not_hide_the_next() {
    let large = format!("{{\"headline\": \"{}\"}}", "a".repeat(300 * 1024));
    let scripts = [large.as_str(), r#"{"@type": "Article", "headline": "H"}"#];
    let read = Schema::of(&scripts, &[]);
    assert_eq!((read.headline.as_deref(), read.types.len()), (Some("H"), 1));
}
