//! `/token`: where the token is entered once, for those who use a browser.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Form, Query, Request, State};
use axum::http::header::{HeaderValue, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{RequestExt, extract::rejection::FormRejection};
use maud::{Markup, html};
use serde::Deserialize;

use super::gate::{COOKIE_NAME, baked, is_deliberate, peer};
use crate::House;
use crate::look::{self, Room, link};

/// Pages that one can come back to: never a place that somebody else names.
const BACK: [&str; 5] = ["/crawl", "/submit", "/sites", "/", "/webmaster"];

#[derive(Deserialize)]
struct Way {
    to: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    token: String,
    to: Option<String>,
}

pub(crate) fn routes() -> Router<Arc<House>> {
    Router::new().route("/token", get(form).post(enter))
}

fn back(to: Option<&str>) -> &'static str {
    BACK.into_iter().find(|path| Some(*path) == to).unwrap_or(BACK[0])
}

/// The way to the form, for whoever was refused here, and then back.
pub(super) fn way(path: &str) -> String {
    let to = if path == "/site" { "/sites" } else { path };
    link("/token", &[("to", back(Some(to)))])
}

async fn form(State(house): State<Arc<House>>, Query(way): Query<Way>) -> Markup {
    whole(&house, way.to.as_deref(), &html! {})
}

fn whole(house: &House, to: Option<&str>, above: &Markup) -> Markup {
    let body = if house.gate.wants_token() {
        html! {
            h1 { "Token" }
            (above)
            p { "Whoever pauses the crawl, submits URLs or changes a site must know the token that "
                "its operator has. It is kept in this browser until that is closed." }
            form method="post" action="/token" {
                input type="hidden" name="to" value=(back(to));
                label for="token" { "Token" }
                " "
                input id="token" name="token" type="password" required autofocus
                    autocomplete="current-password" maxlength="1000";
                " "
                button { "Enter" }
            }
        }
    } else {
        html! {
            h1 { "No token is needed" }
            p { "Only this machine is answered, so whoever asks may also change something." }
        }
    };
    look::page("Token", Room::Aside, &body)
}

async fn enter(State(house): State<Arc<House>>, request: Request) -> Response {
    if let Err(refused) = is_deliberate(&request) {
        return refused.into_response();
    }
    let from = peer(&request);
    let read: Result<Form<Entry>, FormRejection> = request.extract().await;
    let Form(entry) = match read {
        Ok(entry) => entry,
        Err(refused) => return refused.into_response(),
    };
    let to = entry.to.as_deref();
    if let Err(refused) = house.gate.is_token(entry.token.as_bytes(), from).await {
        return refused.on(whole(&house, to, &look::notice(&refused)));
    }
    let mut headers = HeaderMap::new();
    headers.insert(LOCATION, HeaderValue::from_static(back(to)));
    if house.gate.wants_token() {
        let baked = baked(&entry.token);
        let cookie = format!("{COOKIE_NAME}={baked}; HttpOnly; SameSite=Strict; Path=/");
        let cookie = HeaderValue::try_from(cookie).expect("hexadecimal digits are a value");
        headers.insert(SET_COOKIE, cookie);
    }
    (StatusCode::SEE_OTHER, headers).into_response()
}
