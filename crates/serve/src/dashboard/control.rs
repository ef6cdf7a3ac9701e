//! The page of the crawl, and what it is told to do.

use std::sync::Arc;

use axum::Form;
use axum::extract::{Query, State};
use axum::response::Redirect;
use maud::{Markup, html};
use rhumb_crawl::ask::{Activity, Status};
use rhumb_crawl::control::Question;
use serde::Deserialize;

use super::history::Window;
use super::live::{View, live};
use crate::House;
use crate::http::Refused;
use crate::look::{self, Room, link};

/// What an address may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    span: String,
    /// What was done before: a word of ours, or nothing is said.
    done: String,
}

async fn view(house: &House, asked: &Asked) -> Result<View, Refused> {
    let window = Window::of(&asked.span);
    let status = house.status().await?;
    Ok(View::new(status, window, &house.history.points(window)))
}

/// How the crawl stands.
pub(super) async fn page(
    State(house): State<Arc<House>>,
    Query(asked): Query<Asked>,
) -> Result<Markup, Refused> {
    let view = view(&house, &asked).await?;
    let runs = view.status.state == Activity::Running;
    let span = [("span", view.window.word())];
    // Without what was done: that is said once.
    let again = format!("5; url={}", link("/crawl", &span));
    let body = html! {
        // Without script the whole page is asked for again.
        @if runs { noscript { meta http-equiv="refresh" content=(again); } }
        h1 { "Crawl" }
        @if let Some(done) = done(&asked.done, &view.status) {
            p.notice.good.done role="status" { (done) }
        }
        div id="live" data-source=(link("/crawl/live", &span)) { (live(&view)) }
    };
    Ok(look::page("Crawl – Rhumb", Room::Crawl, &body))
}

/// The part that changes, by itself.
pub(super) async fn fragment(
    State(house): State<Arc<House>>,
    Query(asked): Query<Asked>,
) -> Result<Markup, Refused> {
    Ok(live(&view(&house, &asked).await?))
}

/// The end of a crawl is asked for twice.
pub(super) async fn confirmation(State(house): State<Arc<House>>) -> Result<Markup, Refused> {
    let status = house.status().await?;
    let body = html! {
        h1 { "Stop the crawl?" }
        @if status.state == Activity::Running {
            p {
                "No fetch starts any more, and those under way get a few seconds. Nothing is lost: "
                code { "rhumb crawl -o" } " with its folder goes on from there."
            }
            p {
                "These pages may end with the crawl: " code { "rhumb serve" }
                " with its folder shows them again."
            }
            form.row method="post" action="/crawl/control" {
                button.danger id="stop" name="do" value="stop" { "Stop the crawl" }
                a.button href="/crawl" { "Let it run" }
            }
        } @else {
            p { "It does not run. " a href="/crawl" { "Back to the crawl" } }
        }
    };
    Ok(look::page("Stop? – Rhumb", Room::Crawl, &body))
}

/// What it is told to do.
#[derive(Debug, Deserialize)]
pub(super) struct Order {
    r#do: String,
}

/// Tells the crawl to pause, to go on or to end.
pub(super) async fn change(
    State(house): State<Arc<House>>,
    Form(order): Form<Order>,
) -> Result<Redirect, Refused> {
    let question = match order.r#do.as_str() {
        "pause" => Question::Pause,
        "resume" => Question::Resume,
        "stop" => Question::Stop,
        _ => return Err(Refused::wrong("a crawl cannot do this", "pause, resume or stop")),
    };
    house.ask(question).await?;
    house.look_again();
    Ok(Redirect::to(&link("/crawl", &[("done", &order.r#do)])))
}

/// What was done, in words that nobody else can choose, as long as it is so.
fn done(word: &str, status: &Status) -> Option<&'static str> {
    let runs = status.state == Activity::Running;
    match word {
        "pause" if runs && status.paused => Some("Paused: no fetch starts; those under way end."),
        "resume" if runs && !status.paused => Some("Resumed: fetches start again."),
        "stop" if runs => Some("Stopping: no fetch starts, those under way get a few seconds."),
        _ => None,
    }
}
