//! The first page: a box, and how much there is to find.

use std::sync::Arc;

use axum::extract::State;
use maud::{Markup, html};
use rhumb_web::words::{counted, printable};

use super::search_box;
use crate::House;
use crate::look::{self, Room};

/// What a query may have, with what it is for.
const OPERATORS: [(&str, &str); 9] = [
    ("\"spring tide\"", "these words in this order"),
    ("-moon", "without this word"),
    ("tide OR ebb", "either of both"),
    ("harb*", "words that begin so"),
    ("site:example.org", "on this host or domain"),
    ("intitle:tide", "in the title; inurl: in the address"),
    ("lang:en", "in this language"),
    ("type:pdf", "of this type"),
    ("after:2024-03", "dated then or later; before: as well"),
];

pub(super) async fn page(State(house): State<Arc<House>>) -> Markup {
    let documents = house.search(|searcher| Ok(searcher.documents())).await;
    look::page(
        "Rhumb",
        Room::Search,
        &html! {
            div.start {
                h1 { "Rhumb" }
                @match &documents {
                    Ok(documents) => {
                        (search_box("", true))
                        p.muted { (counted(*documents, "page")) " to find. " (ways()) }
                        (operators())
                    }
                    Err(refused) => {
                        div.notice {
                            p { "Nothing can be searched yet: " (printable(&refused.what)) "." }
                            p { "It takes " (printable(&refused.advice)) "." }
                        }
                        p.muted { a href="/crawl" { "See how the crawl stands" } ". " (ways()) }
                    }
                }
            }
        },
    )
}

fn ways() -> Markup {
    html! { "Is something missing? " a href="/submit" { "Submit its URL" } "." }
}

/// The operators of a query.
pub(super) fn operators() -> Markup {
    html! {
        details.operators {
            summary { "What a query may have" }
            dl.facts {
                @for (operator, meaning) in OPERATORS {
                    dt { code { (operator) } }
                    dd { (meaning) }
                }
            }
        }
    }
}
