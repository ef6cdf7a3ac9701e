//! Pages, sitemaps and feeds, and the charsets that they are written in.

use rhumb_page::{
    ENTRIES_MAX, Facts, Format, LINKS_MAX, Page, TEXT_BYTES_MAX, decode, main_text, mark, read,
    read_links,
};
use rhumb_web::{Canon, CanonUrl};

use crate::{first_line, somewhere};

pub(crate) const TAGS: &[&str] = &[
    "<a href=",
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
    "<p>",
    "</p>",
    "<table><tr><td>",
    "<meta http-equiv=refresh content=",
    "0;url=",
    "\0",
    "ä",
    "<plaintext>",
    "<article>",
    "<main>",
    "<ul><li>",
    "<pre>",
    "<h1>",
    "<dl><dt>",
    "<script type=application/ld+json>",
    "{\"@type\":",
    "<meta property=og:title content=",
    "<time datetime=",
    "class=robots-noindex",
    "<nav>",
    "<select><option>",
    "<textarea>",
    "<link rel=canonical href=",
    " hreflang=de",
    "<iframe src=",
];

pub(crate) const LIST_WORDS: &[&str] = &[
    "<urlset>",
    "<url>",
    "<loc>",
    "</loc>",
    "</url>",
    "<lastmod>",
    "<sitemapindex>",
    "<sitemap>",
    "<rss><channel><item><link>",
    "</link>",
    "<feed><entry><link href=",
    "<?xml version=\"1.0\"?>",
    "<!DOCTYPE x [<!ENTITY a \"b\">]>",
    "&a;",
    "&lt;",
    "<![CDATA[",
    "]]>",
    "http://h.example/",
    "\n",
    "<xhtml:link rel=alternate href=",
    "{\"version\":\"https://jsonfeed.org/version/1.1\"",
    "\"items\":[{\"url\":",
    "\u{feff}",
];

pub(crate) const CHARSETS: &[&str] = &[
    "utf-8\n",
    "utf-16\n",
    "utf-16be\n",
    "shift_jis\n",
    "euc-kr\n",
    "big5\n",
    "gb18030\n",
    "iso-2022-jp\n",
    "windows-1252\n",
    "x-user-defined\n",
    "replacement\n",
    "euc-jp\n",
    "<meta charset=",
    "\u{feff}",
    "\x1b$B",
    "\u{fffd}",
    "<?xml version='1.0' encoding='",
];

pub(crate) fn html(input: &[u8]) {
    let url = somewhere();
    let page = read(input, Some("text/html"), &url, Canon::Full, false);
    bounds(&page);
    let brackets = input.split(|byte| *byte == b'<').count() - 1;
    let is_wide = input.contains(&0);
    assert!(is_wide || page.scan.links.len() <= brackets, "a link has a tag");
    assert_eq!(page, read(input, Some("text/html"), &url, Canon::Full, false), "twice the same");
    let mut without = read_links(input, Some("text/html"), &url, Canon::Full, false);
    without.scan.text.clone_from(&page.scan.text);
    without.scan.cut = page.scan.cut;
    assert_eq!(without, page, "the links are those of the whole");
    for content_type in [None, Some("application/xhtml+xml"), Some("text/plain")] {
        bounds(&read(input, content_type, &url, Canon::KeepQuery, false));
    }
    for status in [200, 403] {
        let headers = vec![("server", "x"), ("x-robots-tag", "noindex")];
        let facts = Facts { url: &url, status, headers, body: input, redirected: true };
        assert!(mark(&page, &facts).is_none_or(|(_, signs)| signs.len() >= 2));
    }
    let html = String::from_utf8_lossy(input);
    let article = rhumb_page::article(&html, &url, Canon::Full, Some("de"));
    assert!(article.main.len() <= TEXT_BYTES_MAX && article.main == main_text(&html));
}

fn bounds(page: &Page) {
    let scan = &page.scan;
    assert!(scan.links.len() <= LINKS_MAX.max(ENTRIES_MAX) && page.sitemaps.len() <= ENTRIES_MAX);
    assert!(scan.text.len() <= TEXT_BYTES_MAX && scan.text.trim() == scan.text);
    assert!(scan.title.as_ref().is_none_or(|title| !title.is_empty() && !title.contains('\n')));
    for link in &scan.links {
        let again = CanonUrl::parse_with(link.url.as_str(), Canon::KeepQuery);
        assert_eq!(again.as_ref(), Ok(&link.url), "a link is canonical");
        assert!(!link.text.contains('\n'));
    }
}

pub(crate) fn sitemap(input: &[u8]) {
    let url = somewhere();
    for text_allowed in [false, true] {
        if let Some(found) = rhumb_page::sitemap(input, text_allowed) {
            assert!(found.entries.len() <= ENTRIES_MAX);
        }
    }
    for content_type in [None, Some("text/xml"), Some("application/rss+xml; charset=utf-8")] {
        for expected in [false, true] {
            let page = read(input, content_type, &url, Canon::Full, expected);
            bounds(&page);
            if matches!(page.format, Format::Sitemap | Format::Feed) {
                assert_eq!(page.lastmods.len(), page.scan.links.len(), "a time for each link");
            }
        }
    }
}

pub(crate) fn charset(input: &[u8]) {
    let (label, body) = first_line(input);
    let declared = format!("text/html; charset={label}");
    for content_type in [None, Some(declared.as_str())] {
        let charset = rhumb_page::charset(body, content_type);
        let text = decode(body, charset);
        // No byte stands for more than one sign of the widest kind.
        assert!(text.len() <= body.len() * 3 + 3, "{} of {}", text.len(), body.len());
        assert_eq!(charset, rhumb_page::charset(body, content_type), "twice the same");
        if let (Ok(same), "UTF-8") = (std::str::from_utf8(body), charset.encoding.name()) {
            assert_eq!(text, same.strip_prefix('\u{feff}').unwrap_or(same), "UTF-8 is kept");
        }
    }
}
