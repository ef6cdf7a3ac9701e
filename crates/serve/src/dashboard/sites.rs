//! The table of all sites: searched, sorted, a page at a time.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{Query, State};
use maud::{Markup, html};
use rhumb_crawl::ask::{SiteOrder, SiteRow, SitesPage, SitesWanted, hold_words};
use rhumb_crawl::control::{Question, Reply};
use rhumb_web::Span;
use rhumb_web::words::{grouped, printable};
use serde::Deserialize;

use super::meaning::explained;
use super::site::done;
use super::tables::site_link;
use crate::House;
use crate::http::Refused;
use crate::look::{self, Room, link};

/// Rows on a page.
const ROWS: u64 = 50;
/// Pages that can be turned to; whoever wants more searches.
const PAGES_MAX: u64 = 10_000;
/// Characters of a search: no name of a host is longer.
const SEARCH_MAX: usize = 260;

/// The columns that can be sorted: their order, its word in an address, whether the largest is
/// wanted first, the heading and what it means.
const COLUMNS: [(SiteOrder, &str, bool, &str, &str); 6] = [
    (
        SiteOrder::Site,
        "site",
        false,
        "Site",
        "Its host, and its port unless that is the usual one.",
    ),
    (
        SiteOrder::State,
        "state",
        false,
        "State",
        "Fetching, waiting for what is named beside it, idle without work, or asleep on disk.",
    ),
    (SiteOrder::NextVisit, "next-visit", false, "Next visit", "When its clock lets us ask again."),
    (SiteOrder::Visits, "visits", true, "Visits", "Exchanges so far, robots.txt among them."),
    (SiteOrder::Queued, "queued", true, "Queued", "URLs that wait for their turn."),
    (
        SiteOrder::Delay,
        "delay",
        true,
        "Delay",
        "The quiet time between two visits; below it what its robots.txt asks for.",
    ),
];

/// What an address may say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    q: String,
    sort: String,
    dir: String,
    page: String,
    /// What was done before: a word of ours, or nothing is said.
    done: String,
}

/// Which part of the table is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    search: String,
    sort: SiteOrder,
    descending: bool,
    page: u64,
}

impl Part {
    /// Whatever makes no sense is as if it had not been said.
    pub(super) fn of(asked: &Asked) -> Self {
        let column = COLUMNS.iter().find(|(_, word, ..)| *word == asked.sort);
        let (sort, usual) =
            column.map_or((SiteOrder::Visits, true), |(order, _, usual, ..)| (*order, *usual));
        let descending = match asked.dir.as_str() {
            "asc" => false,
            "desc" => true,
            _ => usual,
        };
        let page = asked.page.parse().unwrap_or(1).clamp(1, PAGES_MAX);
        let search = asked.q.trim().to_lowercase().chars().take(SEARCH_MAX).collect();
        Self { search, sort, descending, page }
    }

    fn wanted(&self) -> SitesWanted {
        SitesWanted {
            search: self.search.clone(),
            sort: self.sort,
            descending: self.descending,
            from: (self.page - 1) * ROWS,
            count: ROWS,
            ..SitesWanted::default()
        }
    }

    fn parameters(&self) -> [(&'static str, String); 4] {
        let word = COLUMNS.iter().find(|(order, ..)| *order == self.sort).map_or("", |it| it.1);
        let dir = if self.descending { "desc" } else { "asc" };
        [
            ("q", self.search.clone()),
            ("sort", word.to_owned()),
            ("dir", dir.to_owned()),
            ("page", self.page.to_string()),
        ]
    }

    /// Its address, with the word for what was done.
    pub(super) fn link(&self, done: Option<&str>) -> String {
        let parameters = self.parameters();
        let parameters = parameters.iter().map(|(name, value)| (*name, value.as_str()));
        let parameters: Vec<_> = parameters.chain(done.map(|word| ("done", word))).collect();
        link("/sites", &parameters)
    }
}

/// Asks the crawl for its sites.
pub(super) async fn asked(house: &House, wanted: SitesWanted) -> Result<SitesPage, Refused> {
    match house.ask(Question::Sites(wanted)).await? {
        Reply::Sites(page) => Ok(page),
        _ => Err(Refused::busy("the crawl speaks of something else")),
    }
}

/// The table.
pub(super) async fn page(
    State(house): State<Arc<House>>,
    Query(address): Query<Asked>,
) -> Result<Markup, Refused> {
    let part = Part::of(&address);
    let sites = asked(&house, part.wanted()).await?;
    let now = SystemTime::now();
    let body = html! {
        h1 { "Sites" }
        (done(&house, &address.done).await?)
        form.row role="search" method="get" action="/sites" {
            label for="site-search" { "Part of a name" }
            input id="site-search" type="search" name="q" value=(part.search) maxlength=(SEARCH_MAX)
                autocomplete="off" spellcheck="false" autocapitalize="none";
            @for (name, value) in part.parameters().iter().skip(1).take(2) {
                input type="hidden" name=(name) value=(value);
            }
            button { "Search" }
            @if !part.search.is_empty() { a href="/sites" { "All sites" } }
        }
        @if sites.sites.is_empty() {
            (nothing(&part, sites.total))
        } @else {
            p.muted.small { (counted(&part, &sites)) }
            div.scroll { (table(&part, &sites.sites, now)) }
            (pages(&part, sites.total))
        }
    };
    Ok(look::page("Sites – Rhumb", Room::Sites, &body))
}

fn counted(part: &Part, sites: &SitesPage) -> String {
    let of = if sites.exact { "" } else { "at least " };
    let total = grouped(sites.total);
    let from = (part.page - 1) * ROWS;
    let shown = u64::try_from(sites.sites.len()).unwrap_or(0);
    format!("{} to {} of {of}{total}", grouped(from + 1), grouped(from + shown))
}

/// Why there is no table, and the way back to one.
fn nothing(part: &Part, total: u64) -> Markup {
    let last = last_page(total).min(part.page - 1);
    html! {
        @if last == 0 {
            p { "No site matches." }
        } @else {
            p {
                "There is no such page. "
                a href=(Part { page: last, ..part.clone() }.link(None)) {
                    "Page " (grouped(last)) " is the last"
                }
            }
        }
    }
}

fn last_page(total: u64) -> u64 {
    total.div_ceil(ROWS).min(PAGES_MAX)
}

fn table(part: &Part, rows: &[SiteRow], now: SystemTime) -> Markup {
    let header = |(order, word, usual, name, about): &(SiteOrder, &str, bool, &str, &str)| {
        let is_it = *order == part.sort;
        let descending = if is_it { !part.descending } else { *usual };
        let next = Part { sort: *order, descending, page: 1, ..part.clone() };
        let is_number = matches!(order, SiteOrder::Visits | SiteOrder::Queued | SiteOrder::Delay);
        let sorted = if part.descending { "descending" } else { "ascending" };
        html! {
            th.number[is_number] scope="col" aria-sort=[is_it.then_some(sorted)] {
                a id={ "sort-" (word) } href=(next.link(None)) title=(about)
                    aria-describedby={ "sort-" (word) "-about" } {
                    (name)
                    @if is_it { span aria-hidden="true" { @if part.descending { " ↓" } @else { " ↑" } } }
                }
                span.visually-hidden id={ "sort-" (word) "-about" } { (about) }
            }
        }
    };
    html! {
        table.stack.sites {
            caption.visually-hidden { "Sites of this crawl; headings sort" }
            thead { tr {
                @for column in &COLUMNS { (header(column)) }
                th.number scope="col" {
                    (explained("budget", "Budget", "Exchanges that it may have in all; – is no end."))
                }
                th scope="col" {
                    (explained("robots", "Robots", "How its robots.txt stands; unknown: not asked for yet."))
                }
                th scope="col" { "Change" }
            } }
            tbody { @for row in rows { (line(part, row, now)) } }
        }
    }
}

fn line(part: &Part, row: &SiteRow, now: SystemTime) -> Markup {
    let block = if row.blocked { ("unblock", "Unblock") } else { ("block", "Block") };
    html! {
        tr {
            th scope="row" { (site_link(&row.site)) }
            td data-label="State" { div { (state(row)) } }
            td data-label="Next visit" { (next_visit(row, now)) }
            td.number data-label="Visits" { (grouped(row.visits)) }
            td.number data-label="Queued" { (grouped(row.queued)) }
            td.number data-label="Delay" {
                div {
                    (Span(row.delay_ms))
                    @if let Some(asked) = row.crawl_delay_ms {
                        " " span.muted.small { "asks for " (Span(asked)) }
                    }
                }
            }
            td.number data-label="Budget" {
                (row.budget.map_or_else(|| "–".to_owned(), grouped))
            }
            td data-label="Robots" { (printable(&row.robots)) }
            td data-label="Change" {
                form.row-form method="post" action="/site" {
                    input type="hidden" name="host" value=(row.site);
                    input type="hidden" name="list" value=(part.link(None));
                    button.slight name="do" value=(block.0) {
                        (block.1) span.visually-hidden { " " (printable(&row.site)) }
                    }
                    @if !row.blocked {
                        " " button.slight name="do" value="slow" title="Doubles its delay; at least 2 s" {
                            "Slow down" span.visually-hidden { " " (printable(&row.site)) }
                        }
                    }
                }
            }
        }
    }
}

/// What it does, and what holds it.
pub(super) fn state(row: &SiteRow) -> Markup {
    let is_odd = matches!(row.held_by.as_deref(), Some("backoff" | "robots" | "budget"));
    let is_blocked = row.blocked || row.held_by.as_deref() == Some("block");
    html! {
        @if is_blocked {
            span.tag.bad { "blocked" }
        } @else {
            span.tag.good[row.state == "fetching"].warn[is_odd] { (printable(&row.state)) }
            @if let Some(hold) = row.held_by.as_deref().filter(|_| row.state != "fetching") {
                " " span.small { (printable(hold_words(hold))) }
            }
        }
        @if row.in_flight > 1 { " " span.small { (grouped(row.in_flight)) " at once" } }
    }
}

/// When it is visited next: in how long, and exactly.
pub(super) fn next_visit(row: &SiteRow, now: SystemTime) -> Markup {
    html! {
        @if let Some(exact) = &row.next_visit {
            time datetime=(exact) title=(exact) { (relative(exact, now)) }
        } @else {
            "–"
        }
    }
}

fn relative(exact: &str, now: SystemTime) -> String {
    let Ok(then) = humantime::parse_rfc3339(exact) else { return printable(exact).into_owned() };
    match then.duration_since(now) {
        Ok(left) if left >= Duration::from_hours(48) => {
            format!("in {} days", left.as_secs() / 86_400)
        }
        Ok(left) if left >= Duration::from_millis(500) => {
            // Whole seconds: tenths are over before one has read them.
            format!(
                "in {}",
                Span::seconds(left.as_millis().div_ceil(1_000).try_into().unwrap_or(0))
            )
        }
        _ => "now".to_owned(),
    }
}

fn pages(part: &Part, total: u64) -> Markup {
    let last = last_page(total);
    let to = |page: u64| Part { page, ..part.clone() }.link(None);
    let near = part.page.saturating_sub(2).max(1)..=(part.page + 2).min(last);
    html! {
        @if last > 1 {
            nav.pages aria-label="Pages" {
                @if part.page > 1 { a rel="prev" href=(to(part.page - 1)) { "Previous" } }
                @for page in near {
                    @if page == part.page {
                        span aria-current="page" { (grouped(page)) }
                    } @else {
                        a href=(to(page)) { (grouped(page)) }
                    }
                }
                @if part.page < last { a rel="next" href=(to(part.page + 1)) { "Next" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(q: &str, sort: &str, dir: &str, page: &str) -> Part {
        let [q, sort, dir, page] = [q, sort, dir, page].map(str::to_owned);
        Part::of(&Asked { q, sort, dir, page, done: String::new() })
    }

    #[test]
    fn what_makes_no_sense_is_as_if_it_had_not_been_said() {
        let usual = part("", "", "", "");
        assert_eq!(usual.wanted().sort, SiteOrder::Visits);
        assert!(usual.descending && usual.page == 1);
        assert_eq!(part("", "<b>", "sideways", "-1"), usual);
        assert_eq!(part("", "", "", "99999999999999999999999"), usual);
        assert_eq!(part("", "", "", "18446744073709551615").page, PAGES_MAX);
        assert_eq!(part(&"x".repeat(9_999), "", "", "").search.len(), SEARCH_MAX);
    }

    #[test]
    fn an_address_says_what_it_was_made_from() {
        let check = |part: &Part, expect: &str| assert_eq!(part.link(None), expect);
        check(&part(" A.Ex ", "site", "", "3"), "/sites?q=a.ex&sort=site&dir=asc&page=3");
        check(
            &part("&page=9", "queued", "asc", ""),
            "/sites?q=%26page%3D9&sort=queued&dir=asc&page=1",
        );
        let third = part("x", "delay", "desc", "3").wanted();
        assert_eq!((third.from, third.count, third.descending), (100, 50, true));
    }

    #[test]
    fn the_next_visit_is_told_from_now() {
        let now = humantime::parse_rfc3339("2026-11-16T12:00:00Z").expect("a time");
        let check = |exact: &str, expect: &str| assert_eq!(relative(exact, now), expect);
        check("2026-11-16T11:00:00Z", "now");
        check("2026-11-16T12:00:00.100Z", "now");
        check("2026-11-16T12:00:01.200Z", "in 2 s");
        check("2026-11-16T12:10:00Z", "in 10 min");
        check("2026-11-16T17:00:00Z", "in 5 h");
        check("2026-11-26T12:00:00Z", "in 10 days");
        check("soon\u{202e}", "soon\u{fffd}");
    }

    #[test]
    fn hostile_names_are_text() {
        let row = SiteRow {
            site: "\"><script>alert(1)</script>\u{202e}".to_owned(),
            state: "<b>".to_owned(),
            held_by: Some("<i>".to_owned()),
            next_visit: Some("\"onmouseover=".to_owned()),
            robots: "<u>".to_owned(),
            ..SiteRow::default()
        };
        let drawn = line(&part("", "", "", ""), &row, SystemTime::UNIX_EPOCH).into_string();
        for wrong in ["<script", "<b>", "<i>", "<u>", "\"onmouseover", "\"\">"] {
            assert!(!drawn.contains(wrong), "{wrong}: {drawn}");
        }
    }
}
