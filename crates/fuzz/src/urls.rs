//! Canonical URLs: the first line is a page, the second a link on it.

use rhumb_web::{Canon, CanonUrl, URL_BYTES_MAX, standard};

use crate::{first_line, somewhere};

pub(crate) const WORDS: &[&str] = &[
    "http://",
    "https://",
    "//",
    "/../",
    "/./",
    "%2e",
    "%2F",
    "%",
    "?",
    "#",
    "&",
    "=",
    ";",
    "utm_source=1",
    ";jsessionid=2",
    "\\",
    ":80",
    ":0",
    "@",
    "xn--",
    "[::1]",
    "0x7f.1",
    ".",
    "C|/",
    "\t",
    "ä",
    "。",
    "\u{ad}",
    "javascript:",
    "&amp;",
];

pub(crate) fn url(input: &[u8]) {
    let (page, link) = first_line(input);
    let link = String::from_utf8_lossy(link);
    let page = CanonUrl::parse(&page).unwrap_or_else(|_| somewhere());
    for canon in [Canon::Full, Canon::KeepQuery] {
        if let Ok(url) = CanonUrl::parse_with(&link, canon) {
            is_canonical(&url, canon);
            let joined = page.join(url.as_str(), canon).expect("an absolute link");
            assert_eq!(joined, url, "an absolute link is the same from everywhere");
        }
        let short = page.join(&link, canon);
        let long =
            standard(&link, Some(page.as_str())).and_then(|it| CanonUrl::parse_with(&it, canon));
        assert_eq!(short, long, "the short way leads where the long one does");
        if let Ok(url) = short {
            is_canonical(&url, canon);
        }
    }
    let changes = CanonUrl::changes(&link, Canon::Full);
    assert_eq!(changes.is_ok(), CanonUrl::parse(&link).is_ok(), "what can be read can be told");
}

fn is_canonical(url: &CanonUrl, canon: Canon) {
    let again = CanonUrl::parse_with(url.as_str(), canon).expect("it was canonical");
    assert_eq!(&again, url, "canonical is canonical");
    assert!(url.as_str().len() <= URL_BYTES_MAX && !url.as_str().contains('#'));
    assert!(url.path().starts_with('/') && url.query() != Some(""));
    let whole = format!("{}{}{}", url.scheme().prefix(), url.authority(), url.path_and_query());
    assert_eq!(whole, url.as_str(), "the parts add up to the whole");
    let bytes = postcard::to_stdvec(url).expect("it can be written");
    let back: CanonUrl = postcard::from_bytes(&bytes).expect("it can be read");
    assert_eq!(&back, url, "what was written is read back");
    assert_eq!(url.origin().robots_url().site(), url.site(), "a site has its own robots.txt");
}
