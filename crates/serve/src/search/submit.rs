//! New seeds: a form, and what the crawl says to them.

use std::sync::Arc;

use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Form, RequestExt};
use maud::{Markup, html};
use rhumb_crawl::ask::Activity;
use rhumb_crawl::control::{Question, Reply};
use rhumb_web::words::printable;
use serde::Deserialize;

use crate::House;
use crate::http::Refused;
use crate::look::{self, Room, link};

/// Where the form is, and where it is sent to.
pub(crate) const SUBMIT: &str = "/submit";
/// URLs of one submission.
const URLS_MAX: usize = 1_000;
/// Their bytes: with what is around them they are one question to the crawl.
const URLS_BYTES_MAX: usize = 48 << 10;

/// The URLs of a text, one a line; or why they are too many or none.
pub(crate) fn urls(text: &str) -> Result<Vec<String>, Refused> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let urls: Vec<String> = lines.map(ToOwned::to_owned).collect();
    if urls.is_empty() {
        return Err(Refused::wrong("there is no URL in it", "one URL a line"));
    }
    let bytes: usize = urls.iter().map(String::len).sum();
    if urls.len() > URLS_MAX || bytes > URLS_BYTES_MAX {
        let advice = format!("at most {URLS_MAX} URLs at once; rhumb submit takes more");
        return Err(Refused::wrong("these are too many URLs", advice));
    }
    Ok(urls)
}

/// Hands URLs to the crawl: what it says to them, a line each.
pub(crate) async fn submit(house: &House, urls: Vec<String>) -> Result<String, Refused> {
    match house.ask(Question::Submit { urls }).await? {
        Reply::Done { message } => Ok(message),
        _ => Err(Refused::busy("the crawl speaks of something else")),
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Parameters {
    #[serde(default)]
    url: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Fields {
    #[serde(default)]
    urls: String,
}

pub(super) async fn form(
    State(house): State<Arc<House>>,
    Query(wanted): Query<Parameters>,
) -> Markup {
    whole(&house, &wanted.url, &html! {}).await
}

pub(super) async fn taken(State(house): State<Arc<House>>, Form(fields): Form<Fields>) -> Response {
    let told = match urls(&fields.urls) {
        Ok(urls) => submit(&house, urls).await,
        Err(refused) => Err(refused),
    };
    match told {
        Ok(message) => whole(&house, "", &lines(&house, &message)).await.into_response(),
        Err(refused) => {
            let page = whole(&house, &fields.urls, &look::notice(&refused)).await;
            (refused.code, page).into_response()
        }
    }
}

/// The form again with what was typed, for whoever has not said the token.
pub(crate) async fn again(house: &House, request: Request, refused: &Refused) -> Response {
    let typed = request.extract::<Form<Fields>, _>().await;
    let typed = typed.map_or_else(|_| String::new(), |Form(fields)| fields.urls);
    refused.on(whole(house, &typed, &look::notice(refused)).await)
}

async fn whole(house: &House, urls: &str, above: &Markup) -> Markup {
    let runs = match house.status().await.map(|status| status.state) {
        Ok(Activity::Running) => "The crawl runs: new URLs are fetched soon.",
        Ok(_) => "The crawl does not run: new URLs are kept, and fetched when it goes on.",
        Err(_) => "The crawl cannot be asked at the moment.",
    };
    look::page(
        "Submit URLs",
        Room::Aside,
        &html! {
            h1 { "Submit URLs" }
            (above)
            form action=(SUBMIT) method="post" {
                div.field {
                    label for="urls" { "URLs, one a line" }
                    textarea id="urls" name="urls" rows="6" required spellcheck="false"
                        aria-describedby="rules" placeholder="https://example.org/" { (urls) }
                    span.hint id="rules" {
                        @if house.gate.wants_token() {
                            "This takes the token of the operator: "
                            a href=(link("/token", &[("to", SUBMIT)])) { "enter it" }
                            " before you write, if this browser does not have it yet. "
                        }
                        (runs) " They are seeds: what they link to is followed as far as the rules of the crawl allow."
                    }
                }
                button.first type="submit" { "Submit" }
            }
        },
    )
}

/// What the crawl said, with a way to the story of each URL.
fn lines(house: &House, message: &str) -> Markup {
    let lines = message.lines().map(|line| match line.split_once(": ") {
        Some((url, told)) if house.url(url).is_ok() => (Some(url), told),
        _ => (None, line),
    });
    html! {
        div.notice.good role="status" {
            ul.plain {
                @for (url, told) in lines {
                    li {
                        @if let Some(url) = url {
                            a href=(link("/why", &[("url", url)])) { (printable(url)) } ": "
                        }
                        (printable(told))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_stand_one_a_line_and_are_not_too_many() {
        assert_eq!(urls(" a \r\n\n b").expect("two"), ["a", "b"]);
        assert!(urls(" \n ").is_err());
        assert_eq!(urls(&"a\n".repeat(URLS_MAX)).expect("all").len(), URLS_MAX);
        assert!(urls(&"a\n".repeat(URLS_MAX + 1)).is_err());
        assert!(urls(&"a".repeat(URLS_BYTES_MAX + 1)).is_err());
    }
}
