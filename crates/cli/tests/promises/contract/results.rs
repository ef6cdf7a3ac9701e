//! The contract of what finds pages: `search`, the link graph of `export`, and `simulate`.

use super::table::Shape::{By, Count, Flag, List, Number, Object, OrNull, Signed, Text, Time, Url};
use super::table::{Output, Shape, Words, key, named, ours};

/// What a score is made of.
pub(super) const PART: Words = named(
    "part",
    &[
        "text",
        "title",
        "heading",
        "url",
        "anchor",
        "coverage",
        "exact",
        "near",
        "same_title",
        "same_anchor",
        "votes",
        "page_rank",
        "site",
        "fresh",
        "spam",
    ],
);

const MARK_KEYS: Shape = Object(&[ours("from", Count), ours("to", Count)]);

const FACET: Shape = Object(&[ours("name", Text), ours("count", Count)]);

const FACETS: Shape = Object(&[
    ours("sample", Flag),
    ours("sites", List(&FACET)),
    ours("languages", List(&FACET)),
    ours("types", List(&FACET)),
]);

pub(super) const SEARCH: Output = Output {
    name: "search",
    keys: &[&[
        key("rank", Count),
        key("url", Url),
        key("title", OrNull(&Text)),
        key("snippet", Text),
        ours("marks", List(&MARK_KEYS)),
        key("score", Number),
        key("site", Text),
        key("time", Time),
        ours("date", OrNull(&Time)),
        key("language", OrNull(&Text)),
        ours("type", Text),
        ours("folded", Count),
        ours("parts", OrNull(&By(&PART, &Signed))),
    ]],
};

pub(super) const FOUND: Output = Output {
    name: "search --facets: the last line",
    keys: &[&[
        ours("total", Count),
        ours("exact", Flag),
        ours("suggestion", OrNull(&Text)),
        ours("note", OrNull(&Text)),
        ours("facets", FACETS),
    ]],
};

pub(super) const GRAPH: Output = Output {
    name: "export --to graph",
    keys: &[&[
        ours("id", Count),
        ours("url", OrNull(&Url)),
        ours("site", OrNull(&Text)),
        ours("pagerank", OrNull(&Number)),
        ours("krank", OrNull(&Number)),
        ours("site_krank", OrNull(&Number)),
        ours("links", List(&Count)),
    ]],
};

const SIMULATE_AT: Shape = Object(&[
    ours("percent", Number),
    ours("fetched", Count),
    ours("mass", Number),
    ours("of_omniscient", Number),
    ours("of_best", Number),
    ours("spam", Number),
    ours("level", Count),
]);

const SIMULATE_FARM: Shape = Object(&[
    ours("percent", Count),
    ours("fetched", OrNull(&Count)),
    ours("share", OrNull(&Number)),
]);

pub(super) const SIMULATE: Output = Output {
    name: "simulate",
    keys: &[&[
        ours("order", Text),
        ours("budget", Text),
        ours("seed", Count),
        ours("pages", Count),
        ours("fetched", Count),
        ours("seconds", Number),
        ours("level", Count),
        ours("at", List(&SIMULATE_AT)),
        ours("farm", List(&SIMULATE_FARM)),
    ]],
};
