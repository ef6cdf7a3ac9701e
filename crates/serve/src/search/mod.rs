//! Search: the start page and the results; what is known of one page and of one URL; and the form
//! that takes new URLs.

mod about;
mod answers;
mod asked;
mod facets;
mod hit;
mod language;
mod narrowing;
mod paging;
mod results;
mod start;
mod submit;
mod why;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use maud::{Markup, html};
use rhumb_web::words::printable;

use crate::House;

pub(crate) use about::{about, shown_max};
pub(crate) use answers::Answers;
pub(crate) use asked::{Asked, PAGE_RESULTS, ask};
pub(crate) use submit::{SUBMIT, again, submit, urls};

/// Letters of a title that are shown.
const TITLE_CHARS_MAX: usize = 120;

pub(crate) fn routes() -> Router<Arc<House>> {
    Router::new()
        .route("/", get(start::page))
        .route("/search", get(results::page))
        .route("/page", get(about::page))
        .route("/why", get(why::page))
        .route(SUBMIT, get(submit::form))
}

/// What changes something.
pub(crate) fn changes() -> Router<Arc<House>> {
    Router::new().route(SUBMIT, post(submit::taken))
}

/// The search box.
fn search_box(query: &str, is_first: bool) -> Markup {
    html! {
        form.seek role="search" action="/search" method="get" {
            label.visually-hidden for="q" { "Search the pages of this crawl" }
            input id="q" type="search" name="q" value=(query) required autofocus[is_first]
                autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="search";
            button.first type="submit" { "Search" }
        }
    }
}

/// A text of the web as one line of at most so many letters.
fn shortened(text: &str, chars_max: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // No letter has more bytes than four.
        if line.len() > 4 * chars_max {
            break;
        }
    }
    if let Some((end, _)) = line.char_indices().nth(chars_max) {
        line.truncate(end);
        line.push('…');
    }
    printable(&line).into_owned()
}

/// What a page is called: by its title, or else by its URL.
fn title_of(title: Option<&str>, url: &str) -> String {
    let title = title.filter(|title| !title.trim().is_empty()).unwrap_or(url);
    shortened(title, TITLE_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_and_a_short_one_is_not() {
        let check = |text: &str, expect: &str| assert_eq!(shortened(text, 8), expect);
        check("", "");
        check(" \t\n ", "");
        check("one\n  two", "one two");
        check("onetwothreefour", "onetwoth…");
        check("one  two", "one two");
        check("日本語の長い長い", "日本語の長い長い");
        check("日本語の長い長い題名", "日本語の長い長い…");
        check("a\u{202e}b\u{1b}", "a\u{fffd}b\u{fffd}");
        assert!(shortened(&"x ".repeat(100_000), 8).len() < 32);
    }
}
