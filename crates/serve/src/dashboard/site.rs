//! One site: all that is told of it, and what a user changes.

use std::sync::Arc;
use std::time::SystemTime;

use axum::Form;
use axum::extract::{Query, State};
use axum::response::Redirect;
use maud::{Markup, html};
use rhumb_crawl::ask::{Activity, SiteRow, SitesWanted};
use rhumb_crawl::control::{Question, SiteChange};
use rhumb_web::words::{grouped, printable};
use rhumb_web::{CanonUrl, Site, Span};
use serde::Deserialize;

use super::sites::{self, Part, next_visit, state};
use crate::House;
use crate::http::Refused;
use crate::look::{self, Room, link};

/// A site that is slowed down has at least this gap, in milliseconds.
const SLOW_MIN: u64 = 2_000;
/// And no more than a day.
const SLOW_MAX: u64 = 86_400_000;
/// What is written in a field is no longer.
const FIELD_MAX: usize = 32;
/// Requests that may be under way at once to one site.
const CONNECTIONS_MAX: u8 = 16;
const SCOPES: [(&str, &str); 6] = [
    ("auto", "as for the whole crawl"),
    ("page", "only the seeds"),
    ("prefix", "below the seeds"),
    ("host", "the hosts of the seeds"),
    ("domain", "the domains of the seeds"),
    ("any", "everywhere"),
];

/// What an address may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    host: String,
    /// What was done before: a word of ours, or nothing is said.
    done: String,
}

/// A name as the crawl writes it: a host, and its port unless that is the usual one.
fn name(host: &str) -> Result<String, Refused> {
    let host = host.trim();
    let url = CanonUrl::parse(&format!("http://{host}/")).ok();
    let url = url.filter(|_| !host.contains(['/', '@', '?', '#', '\\', '%']));
    url.map(|url| url.authority().to_owned()).ok_or_else(|| {
        Refused::wrong("this is no name of a site", "one such as example.org or example.org:8080")
    })
}

async fn row(house: &House, site: &str) -> Result<Option<SiteRow>, Refused> {
    let wanted =
        SitesWanted { search: site.to_owned(), whole: true, count: 1, ..SitesWanted::default() };
    let page = sites::asked(house, wanted).await?;
    Ok(page.sites.into_iter().find(|row| row.site == site))
}

/// All of one site.
pub(super) async fn page(
    State(house): State<Arc<House>>,
    Query(asked): Query<Asked>,
) -> Result<Markup, Refused> {
    let site = name(&asked.host)?;
    let row = row(&house, &site).await?;
    let whole = Site::from(site.clone());
    let host = whole.host();
    let shown = printable(&site);
    let body = html! {
        h1 { (shown) }
        (done(&house, &asked.done).await?)
        p.row {
            a href=(link("/webmaster", &[("host", host)])) { "What its webmaster sees" }
            a href=(link("/search", &[("q", &format!("site:{host}"))])) { "Its pages in the index" }
            a href="/sites" { "All sites" }
        }
        @match &row {
            Some(row) => (facts(row, SystemTime::now())),
            None => p.notice { "This crawl has not met it. What you set holds once it does." },
        }
        h2 { "Change what holds for it" }
        (quick(&site, row.as_ref()))
        (form(&site, row.as_ref()))
    };
    Ok(look::page(&format!("{shown} – Rhumb"), Room::Sites, &body))
}

fn facts(row: &SiteRow, now: SystemTime) -> Markup {
    let fact = |name: &str, value: Markup, about: &str| {
        html! { dt { (name) } dd { (value) " " span.muted.small { (about) } } }
    };
    let count = |count: u64| html! { (grouped(count)) };
    let asked = row.crawl_delay_ms.map_or_else(|| "nothing".to_owned(), |ms| Span(ms).to_string());
    let budget = row.budget.map_or_else(|| "no end".to_owned(), grouped);
    html! {
        dl.facts {
            (fact("State", state(row), ""))
            (fact("Next visit", next_visit(row, now), "when its clock lets us ask again"))
            (fact("Visits", count(row.visits), "exchanges so far, robots.txt among them"))
            (fact("Queued", count(row.queued), "URLs that wait for their turn"))
            (fact("In flight", count(row.in_flight), "fetches under way"))
            (fact("Delay", html! { (Span(row.delay_ms)) }, "the quiet time between two visits"))
            (fact("Crawl-delay", html! { (asked) }, "what its robots.txt asks for"))
            (fact("Budget", html! { (budget) }, "exchanges that it may have in all"))
            (fact("Robots", html! { (printable(&row.robots)) }, "how its robots.txt stands"))
        }
    }
}

/// What takes one press.
fn quick(site: &str, row: Option<&SiteRow>) -> Markup {
    let is_blocked = row.is_some_and(|row| row.blocked);
    let (word, text) = if is_blocked { ("unblock", "Unblock it") } else { ("block", "Block it") };
    html! {
        form.row method="post" action="/site" {
            input type="hidden" name="host" value=(site);
            button.danger[!is_blocked] name="do" value=(word) { (text) }
            @if row.is_some() && !is_blocked {
                button name="do" value="slow" { "Slow down: twice its delay, at least 2 s" }
            }
        }
    }
}

fn form(site: &str, row: Option<&SiteRow>) -> Markup {
    let delay = row.map(|row| Span(row.delay_ms).to_string());
    let budget = row.and_then(|row| row.budget);
    html! {
        form.card.site-form method="post" action="/site" {
            input type="hidden" name="host" value=(site);
            p.hint { "What is left empty stays as it is. What robots.txt asks for always holds." }
            div.field {
                label for="delay" { "Delay" }
                input id="delay" name="delay" maxlength=(FIELD_MAX) placeholder=[delay]
                    aria-describedby="delay-hint";
                span.hint id="delay-hint" { "Such as 5s or 500ms; auto: that of the crawl" }
            }
            div.field {
                label for="connections" { "Requests at once" }
                select id="connections" name="connections" {
                    option value="" { "as it is" }
                    option value="auto" { "as for the whole crawl" }
                    @for count in 1..=CONNECTIONS_MAX { option value=(count) { (count) } }
                }
            }
            div.field {
                label for="budget" { "Budget" }
                input id="budget" name="budget" maxlength=(FIELD_MAX) placeholder=[budget]
                    aria-describedby="budget-hint";
                span.hint id="budget-hint" { "Requests in all, such as 1000; none: without an end" }
            }
            div.field {
                label for="scope" { "Scope" }
                select id="scope" name="scope" aria-describedby="scope-hint" {
                    option value="" { "as it is" }
                    @for (word, about) in SCOPES { option value=(word) { (word) ": " (about) } }
                }
                span.hint id="scope-hint" { "Holds for links that are found from then on" }
            }
            div.field {
                label for="block" { "Left alone" }
                select id="block" name="block" {
                    option value="" { "as it is" }
                    option value="yes" { "yes: nothing is asked of it" }
                    option value="no" { "no" }
                }
            }
            button.first name="do" value="set" { "Change" }
        }
    }
}

/// What a form says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Wish {
    host: String,
    r#do: String,
    delay: String,
    connections: String,
    budget: String,
    scope: String,
    block: String,
    /// The part of the table in which it was pressed.
    list: Option<String>,
}

/// Changes what holds for a site.
pub(super) async fn change(
    State(house): State<Arc<House>>,
    Form(wish): Form<Wish>,
) -> Result<Redirect, Refused> {
    let site = name(&wish.host)?;
    let (change, word) = match wish.r#do.as_str() {
        "block" => (SiteChange { block: Some(true), ..SiteChange::default() }, "block"),
        "unblock" => (SiteChange { block: Some(false), ..SiteChange::default() }, "unblock"),
        "slow" => (slower(&house, &site).await?, "slow"),
        "set" => (wish.change()?, "set"),
        _ => {
            let advice = "block, unblock, slow or set";
            return Err(Refused::wrong("a site cannot be changed that way", advice));
        }
    };
    house.ask(Question::Site { site: site.clone(), change }).await.map_err(without_flags)?;
    house.look_again();
    let back = wish.list.as_deref().and_then(|list| list.parse().ok());
    let back = back.and_then(|list| Query::<sites::Asked>::try_from_uri(&list).ok());
    Ok(Redirect::to(&match back {
        // Made anew from what it means: no redirect leads elsewhere.
        Some(Query(asked)) => Part::of(&asked).link(Some(word)),
        None => link("/site", &[("host", &site), ("done", word)]),
    }))
}

/// The crawl advises one who gives flags; here they are fields of the same names.
fn without_flags(mut refused: Refused) -> Refused {
    if refused.advice.starts_with("--") {
        refused.advice = refused.advice.replace("--", "");
    }
    refused
}

async fn slower(house: &House, site: &str) -> Result<SiteChange, Refused> {
    let row = row(house, site).await?;
    let row =
        row.ok_or_else(|| Refused::absent("this crawl has not met it", "a site of /sites"))?;
    let ms = row.delay_ms.saturating_mul(2).clamp(SLOW_MIN, SLOW_MAX);
    Ok(SiteChange { delay: Some(format!("{ms}ms")), ..SiteChange::default() })
}

impl Wish {
    fn change(&self) -> Result<SiteChange, Refused> {
        let fields = [&self.delay, &self.connections, &self.budget, &self.scope];
        if fields.iter().any(|field| field.len() > FIELD_MAX) {
            return Err(Refused::wrong("a field is too long", "a word or a number in each"));
        }
        let [delay, connections, budget, scope] = fields.map(|field| {
            let field = field.trim();
            (!field.is_empty()).then(|| field.to_owned())
        });
        // Thousands may be set apart, as we do it ourselves.
        let budget = budget.map(|budget| budget.replace([',', ' ', '\u{a0}'], ""));
        let block = match self.block.as_str() {
            "" => None,
            "yes" => Some(true),
            "no" => Some(false),
            _ => return Err(Refused::wrong("block is yes or no", "one of them, or neither")),
        };
        let change = SiteChange { delay, connections, scope, budget, block };
        if change == SiteChange::default() {
            return Err(Refused::wrong("the form says nothing", "a value in one of its fields"));
        }
        Ok(change)
    }
}

/// What was done, in words that nobody else can choose, and from when on it holds.
pub(super) async fn done(house: &House, word: &str) -> Result<Markup, Refused> {
    let what = match word {
        "block" => "Blocked: nothing is asked of the site; its queue is kept.",
        "unblock" => "Unblocked: the site comes on turn again.",
        "slow" => "Slowed down: its delay is twice what it was, and at least 2 s.",
        "set" => "Changed.",
        _ => return Ok(html! {}),
    };
    let when = match house.status().await?.state {
        Activity::Running => "It holds from now on.",
        _ => "The crawl does not run: it holds from the next start.",
    };
    Ok(html! { p.notice.good.done role="status" { (what) " " (when) } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_host_or_a_host_and_a_port() {
        let check = |host: &str, expect: Option<&str>| {
            assert_eq!(name(host).ok().as_deref(), expect, "{host}");
        };
        check("example.org", Some("example.org"));
        check(" Example.ORG:8080 ", Some("example.org:8080"));
        check("[::1]:81", Some("[::1]:81"));
        check("bücher.example", Some("xn--bcher-kva.example"));
        for wrong in
            ["", "a/b", "a@b", "a?b", "a#b", "a\\b", "a b", "<script>", "a%2Fb", "\u{202e}"]
        {
            check(wrong, None);
        }
    }

    #[test]
    fn what_is_left_empty_stays_as_it_is() {
        let delay = " 5s ".to_owned();
        let change = Wish { delay, block: "no".to_owned(), ..Wish::default() }.change();
        let expect = SiteChange {
            delay: Some("5s".to_owned()),
            block: Some(false),
            ..SiteChange::default()
        };
        assert_eq!(change, Ok(expect));
        let budget = " 12,345 678 ".to_owned();
        let change = Wish { budget, ..Wish::default() }.change().expect("a change");
        assert_eq!(change.budget.as_deref(), Some("12345678"));
        assert!(Wish::default().change().is_err());
        assert!(Wish { scope: "x".repeat(99), ..Wish::default() }.change().is_err());
        assert!(Wish { block: "maybe".to_owned(), ..Wish::default() }.change().is_err());
    }
}
