//! What the results are, and ways to see only some of them.

use maud::{Markup, html};
use rhumb_index::{Facets, Node};
use rhumb_web::words::{grouped, printable};

use super::language::language;
use super::narrowing::Narrowing;
use crate::look::link;

/// The most frequent names of a facet.
const NAMES_SHOWN: usize = 8;

/// The filters that a query has, each to be taken off.
pub(super) fn filters(narrowing: &Narrowing) -> Markup {
    let filters = narrowing.filters();
    html! {
        @if !filters.is_empty() {
            ul.filters aria-label="Filters of this query" {
                @for (filter, without) in &filters {
                    li {
                        a.tag href=(search(without)) {
                            (printable(filter)) " ✕"
                            span.visually-hidden { " take this filter off" }
                        }
                    }
                }
            }
        }
    }
}

/// The facets twice: beside the results where there is room, else folded before them.
pub(super) fn facets(narrowing: &Narrowing, facets: &Facets) -> (Markup, Markup) {
    let lists = lists(narrowing, facets);
    let beside = html! { aside.beside aria-label="Narrow the results" { (lists) } };
    let folded = html! {
        details.folded {
            summary { "Narrow the results" }
            div.lists { (lists) }
        }
    };
    (beside, folded)
}

fn lists(narrowing: &Narrowing, facets: &Facets) -> Markup {
    let site = |name: &str| Node::Site(name.to_owned());
    let lang = |name: &str| Node::Lang(name.to_owned());
    let kind = |name: &str| Node::Kind(name.to_owned());
    html! {
        (list("Site", &facets.sites, narrowing, site, |name| name))
        (list("Language", &facets.languages, narrowing, lang, language))
        (list("Type", &facets.kinds, narrowing, kind, |name| name))
        @if facets.is_sample { p.hint { "Counted in a part of the results." } }
    }
}

fn list(
    name: &str,
    facets: &[(String, u64)],
    narrowing: &Narrowing,
    filter: impl Fn(&str) -> Node,
    shown: impl Fn(&str) -> &str,
) -> Markup {
    html! {
        @if !facets.is_empty() {
            section.facet {
                h2 { (name) }
                ul {
                    @for (name, count) in facets.iter().take(NAMES_SHOWN) {
                        @let filter = filter(name);
                        li {
                            @if narrowing.has(&filter) {
                                span aria-current="true" { (printable(shown(name))) }
                            } @else {
                                a href=(search(&narrowing.with(&filter))) {
                                    (printable(shown(name)))
                                }
                            }
                            " " span.muted { (grouped(*count)) }
                        }
                    }
                }
            }
        }
    }
}

/// The results of a query; the start page if nothing is left of it.
fn search(query: &str) -> String {
    if query.is_empty() { "/".to_owned() } else { link("/search", &[("q", query)]) }
}
