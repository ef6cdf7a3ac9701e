//! How every page looks: its frame, its style and script, and how moments and links are written.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::get;
use maud::{DOCTYPE, Markup, html};
use rhumb_web::words::printable;
use std::sync::Arc;

use crate::House;
use crate::http::Refused;

mod link;
mod moment;

pub(crate) use link::link;
pub use moment::moment;
pub(crate) use moment::{day, read};

/// One file of style, in the order in which rooms came to it.
const STYLE: &str = concat!(
    include_str!("look.css"),
    include_str!("../search/search.css"),
    include_str!("../copy/copy.css"),
    include_str!("../dashboard/dashboard.css"),
    include_str!("../webmaster/webmaster.css"),
);
/// Pages are whole without it.
const SCRIPT: &str = concat!(include_str!("look.js"), include_str!("../dashboard/dashboard.js"));
const ICON: &str = include_str!("icon.svg");

/// Which entry of the menu a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Search,
    Crawl,
    Sites,
    Webmaster,
    /// None of them.
    Aside,
}

pub(crate) fn routes() -> Router<Arc<House>> {
    let fixed = |kind: &'static str, text: &'static str| {
        get(move || async move {
            // They change with the program alone; a minute is no risk.
            ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "max-age=60")], text).into_response()
        })
    };
    Router::new()
        .route("/style.css", fixed("text/css; charset=utf-8", STYLE))
        .route("/script.js", fixed("text/javascript; charset=utf-8", SCRIPT))
        .route("/icon.svg", fixed("image/svg+xml", ICON))
}

/// A whole page.
pub(crate) fn page(title: &str, room: Room, body: &Markup) -> Markup {
    let entry = |at: Room, path: &str, name: &str| {
        html! { a href=(path) aria-current=[(at == room).then_some("page")] { (name) } }
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="robots" content="noindex";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="/icon.svg";
                link rel="stylesheet" href="/style.css";
                script src="/script.js" defer {}
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.name href="/" { img src="/icon.svg" alt="" width="22" height="22"; "Rhumb" }
                    nav aria-label="Main" {
                        (entry(Room::Search, "/", "Search"))
                        (entry(Room::Crawl, "/crawl", "Crawl"))
                        (entry(Room::Sites, "/sites", "Sites"))
                        (entry(Room::Webmaster, "/webmaster", "Webmasters"))
                    }
                }
                main id="main" tabindex="-1" { (body) }
            }
        }
    }
}

/// A page for what could not be answered, with a way to the form for the token where that lacks.
pub(crate) fn refusal(refused: &Refused, token: Option<&str>) -> Markup {
    let code = refused.code;
    let title = code.canonical_reason().unwrap_or("Refused");
    page(
        title,
        Room::Aside,
        &html! {
            h1 { (title) }
            (notice(refused))
            @if let Some(way) = token { p.row { a.button.first href=(way) { "Enter the token" } } }
        },
    )
}

/// What is wrong, and what would be right.
pub(crate) fn notice(refused: &Refused) -> Markup {
    html! {
        div.notice.bad role="alert" {
            p { (printable(&refused.what)) "." }
            p { "Try: " (printable(&refused.advice)) "." }
        }
    }
}
