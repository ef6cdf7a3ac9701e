//! The story of one URL.

use std::sync::Arc;
use std::time::SystemTime;

use axum::extract::{Query, State};
use maud::{Markup, html};
use rhumb_crawl::ask::{UrlState, Why};
use rhumb_crawl::control::{Question, Reply};
use rhumb_web::URL_BYTES_MAX;
use rhumb_web::words::printable;
use serde::Deserialize;

use crate::House;
use crate::http::Refused;
use crate::look::{self, Room, link};
use crate::story::{self, StoryLine};

#[derive(Debug, Deserialize)]
pub(super) struct Parameters {
    #[serde(default)]
    url: String,
}

pub(super) async fn page(
    State(house): State<Arc<House>>,
    Query(wanted): Query<Parameters>,
) -> Result<Markup, Refused> {
    let asked = wanted.url.trim();
    // What is longer is no URL, and is told so without all of it.
    let asked = &asked[..asked.floor_char_boundary(URL_BYTES_MAX + 1)];
    if asked.is_empty() {
        return Ok(whole(asked, &html! {}));
    }
    let reply = house.ask(Question::Why { url: asked.to_owned() }).await?;
    let Reply::Why(why) = reply else {
        return Err(Refused::busy("the crawl speaks of something else"));
    };
    Ok(whole(asked, &told(&why, SystemTime::now())))
}

fn whole(asked: &str, below: &Markup) -> Markup {
    look::page(
        "What became of a URL",
        Room::Aside,
        &html! {
            h1 { "What became of a URL" }
            form.seek action="/why" method="get" {
                label.visually-hidden for="url" { "A URL" }
                input id="url" type="text" inputmode="url" name="url" value=(asked) required
                    placeholder="https://example.org/" autocomplete="off" spellcheck="false";
                button type="submit" { "Ask" }
            }
            (below)
        },
    )
}

/// What became of it first, then why.
fn told(why: &Why, now: SystemTime) -> Markup {
    let tone = match why.state {
        UrlState::Fetched => "notice good",
        UrlState::Queued | UrlState::Duplicate | UrlState::Unknown => "notice",
        UrlState::Refused | UrlState::Failed => "notice warn",
    };
    let url = why.canonical.as_deref();
    html! {
        p class=(tone) {
            strong { (why.state.word()) } ": " (printable(&story::headline(why, now)))
        }
        dl.facts {
            @for line in story::lines(why, now) {
                dt { (line.name) }
                dd { (linked(&line)) }
            }
            @if let Some(advice) = &why.advice {
                dt { (if url.is_some() { "to get it" } else { "because" }) }
                dd { (printable(advice)) }
            }
        }
        @if let Some(url) = url {
            p.row {
                @if matches!(why.state, UrlState::Fetched | UrlState::Duplicate) {
                    a.button href=(link("/page", &[("url", url)])) { "About the page" }
                    a.button href=(link("/copy", &[("url", url)])) { "Cached copy" }
                } @else if why.state != UrlState::Queued {
                    a.button href=(link("/submit", &[("url", url)])) { "Submit it" }
                }
            }
        }
    }
}

/// A line, with a way to the URL that it names.
fn linked(line: &StoryLine) -> Markup {
    let parts = line.url.as_deref().and_then(|url| Some((line.text.split_once(url)?, url)));
    html! {
        @match parts {
            Some(((before, after), url)) => {
                (printable(before))
                a href=(link("/why", &[("url", url)])) { (printable(url)) }
                (printable(after))
            }
            None => { (printable(&line.text)) }
        }
    }
}
