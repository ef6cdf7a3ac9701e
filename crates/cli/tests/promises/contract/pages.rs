//! The contract of what tells pages: `page` and `export`.

use super::table::Shape::{Count, Flag, List, Number, Object, OrNull, Text, Time, Url, Word};
use super::table::{LIKENESS, MARK, Output, Shape, Words, key, of, ours};

const LANGUAGE_FROM: Words = of(&["html", "header", "text"]);
const CHARSET_FROM: Words = of(&["bom", "header", "meta", "detected", "default"]);
const DIRECTIVE: Words = of(&[
    "noindex",
    "nofollow",
    "noarchive",
    "nosnippet",
    "notranslate",
    "noimageindex",
    "noai",
    "noimageai",
]);
const LINK: Words = of(&[
    "a",
    "area",
    "frame",
    "iframe",
    "link",
    "canonical",
    "hreflang",
    "refresh",
    "sitemap",
    "feed",
]);

const LINK_KEYS: Shape = Object(&[
    key("url", Url),
    key("kind", Word(&[&LINK])),
    key("text", Text),
    key("nofollow", Flag),
]);

pub(super) const PAGE: Output = Output {
    name: "page",
    keys: &[&[
        key("url", Url),
        key("charset", OrNull(&Text)),
        key("charset_from", OrNull(&Word(&[&CHARSET_FROM]))),
        key("title", OrNull(&Text)),
        key("canonical", OrNull(&Url)),
        key("base", OrNull(&Url)),
        key("language", OrNull(&Text)),
        ours("language_from", OrNull(&Word(&[&LANGUAGE_FROM]))),
        ours("language_confidence", OrNull(&Number)),
        ours("description", OrNull(&Text)),
        ours("author", OrNull(&Text)),
        ours("published", OrNull(&Text)),
        ours("modified", OrNull(&Text)),
        ours("hreflang", List(&TRANSLATION)),
        ours("open_graph", OPEN_GRAPH),
        ours("schema", SCHEMA),
        key("directives", List(&Word(&[&DIRECTIVE]))),
        key("links", List(&LINK_KEYS)),
        key("text", Text),
        key("main", OrNull(&Text)),
        ours("mark", OrNull(&Word(&[&MARK]))),
        ours("spam", SPAM),
        ours("document", OrNull(&Text)),
    ]],
};

const SPAM: Shape = Object(&[ours("score", Number), ours("signs", List(&Text))]);

const TRANSLATION: Shape = Object(&[ours("language", Text), ours("url", Url)]);

const OPEN_GRAPH: Shape = Object(&[
    ours("title", OrNull(&Text)),
    ours("type", OrNull(&Text)),
    ours("url", OrNull(&Text)),
    ours("image", OrNull(&Text)),
    ours("description", OrNull(&Text)),
    ours("site_name", OrNull(&Text)),
    ours("locale", OrNull(&Text)),
]);

const SCHEMA: Shape = Object(&[
    ours("types", List(&Text)),
    ours("headline", OrNull(&Text)),
    ours("author", OrNull(&Text)),
    ours("published", OrNull(&Text)),
    ours("modified", OrNull(&Text)),
]);

pub(super) const EXPORT: Output = Output {
    name: "export --to jsonl",
    keys: &[&[
        key("url", Url),
        key("status", OrNull(&Count)),
        key("time", OrNull(&Time)),
        key("type", OrNull(&Text)),
        key("charset", OrNull(&Text)),
        key("language", OrNull(&Text)),
        key("title", OrNull(&Text)),
        ours("description", OrNull(&Text)),
        ours("author", OrNull(&Text)),
        ours("published", OrNull(&Text)),
        ours("modified", OrNull(&Text)),
        key("text", OrNull(&Text)),
        ours("main", OrNull(&Text)),
        key("links", List(&LINK_KEYS)),
        key("digest", OrNull(&Text)),
        key("duplicate_of", OrNull(&Url)),
        ours("likeness", OrNull(&Word(&[&LIKENESS]))),
        ours("mark", OrNull(&Word(&[&MARK]))),
        ours("document", OrNull(&Text)),
    ]],
};
