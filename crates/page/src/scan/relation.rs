//! Which `link` elements lead to pages.

use rhumb_web::LinkKind;

use super::tag::Tag;

/// Relations that lead to something else than a page, whatever stands beside them.
const NOT_PAGES: [&str; 10] = [
    "stylesheet",
    "icon",
    "apple-touch-icon",
    "mask-icon",
    "preload",
    "modulepreload",
    "dns-prefetch",
    "preconnect",
    "manifest",
    "pingback",
];

/// Relations that lead to a page of the reading flow.
const PAGES: [&str; 24] = [
    "alternate",
    "appendix",
    "archives",
    "author",
    "begin",
    "bookmark",
    "chapter",
    "contents",
    "copyright",
    "end",
    "first",
    "glossary",
    "help",
    "home",
    "index",
    "last",
    "next",
    "prev",
    "previous",
    "section",
    "start",
    "subsection",
    "toc",
    "up",
];

/// The kind of link that a `link` element is, if it leads to a page.
pub(super) fn kind(tag: &Tag<'_, '_>) -> Option<LinkKind> {
    let rel = tag.raw("rel")?;
    let has =
        |word: &str| rel.split_ascii_whitespace().any(|found| found.eq_ignore_ascii_case(word));
    if has("canonical") {
        return Some(LinkKind::Canonical);
    }
    if NOT_PAGES.into_iter().any(has) {
        return None;
    }
    if has("alternate") {
        if tag.raw("hreflang").is_some() {
            return Some(LinkKind::Hreflang);
        }
        // Descriptions of the page for programs: oEmbed, the JSON of a content system.
        let media = tag.raw("type").unwrap_or_default().to_ascii_lowercase();
        return (!media.contains("json") && !media.contains("oembed")).then_some(LinkKind::Link);
    }
    PAGES.into_iter().any(has).then_some(LinkKind::Link)
}
