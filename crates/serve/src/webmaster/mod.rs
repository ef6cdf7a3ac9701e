//! For webmasters: who this is, what was fetched from their host and when, the audit of it, and
//! how to slow us or keep us out.

mod audits;
mod page;
pub mod report;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::header::REFRESH;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rhumb_crawl::ask::{SITES_MAX, SiteOrder, SiteRow, SitesWanted};
use rhumb_crawl::control::{Question, Reply};
use rhumb_web::{CanonUrl, Scheme};
use serde::Deserialize;

use crate::House;
use crate::http::Refused;

pub(crate) use audits::Audits;
use audits::Standing;

/// Seconds after which a page looks again for an audit that is being made.
const LOOK_AGAIN_S: &str = "2";

#[derive(Deserialize)]
struct Asked {
    host: Option<String>,
}

pub(crate) fn routes() -> Router<Arc<House>> {
    Router::new().route("/webmaster", get(answer))
}

async fn answer(
    State(house): State<Arc<House>>,
    Query(asked): Query<Asked>,
) -> Result<Response, Refused> {
    let text = asked.host.unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(page::general(&house.settings).into_response());
    }
    let host = host_name(text.trim()).ok_or_else(|| {
        Refused::wrong("this is no name of a host", "one such as www.example.org")
    })?;
    let sites = sites(&house, &host).await;
    if sites.as_ref().is_some_and(Vec::is_empty) {
        return Ok(page::stranger(&house.settings, &host).into_response());
    }
    let audits = Arc::clone(&house.audits);
    let asked = host.clone();
    let standing = tokio::task::spawn_blocking(move || audits.of(&asked)).await;
    let standing = standing.map_err(|_| Refused::busy("the audit failed"))?;
    let page = page::of_host(&house.settings, &host, &sites.unwrap_or_default(), &standing);
    Ok(match standing {
        Standing::InMaking { .. } => ([(REFRESH, LOOK_AGAIN_S)], page).into_response(),
        Standing::Made { .. } | Standing::TooMany => page.into_response(),
    })
}

/// The sites of a host, one for each of its ports; none if the crawl cannot tell.
async fn sites(house: &House, host: &str) -> Option<Vec<SiteRow>> {
    let wanted = SitesWanted {
        search: host.to_owned(),
        sort: SiteOrder::Site,
        count: SITES_MAX,
        ..SitesWanted::default()
    };
    let Ok(Reply::Sites(page)) = house.ask(Question::Sites(wanted)).await else { return None };
    let is_all = page.exact && page.total <= SITES_MAX;
    let is_of = |site: &str| {
        let port = site.strip_prefix(host).and_then(|rest| rest.strip_prefix(':'));
        site == host || port.is_some_and(|port| port.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let sites: Vec<_> = page.sites.into_iter().filter(|row| is_of(&row.site)).collect();
    (is_all || !sites.is_empty()).then_some(sites)
}

/// A host as the crawl calls it, also out of a URL.
fn host_name(text: &str) -> Option<String> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let name = rest.split(['/', '?', '#']).next().filter(|name| !name.contains('@'))?;
    let read = |scheme: Scheme| CanonUrl::parse(&format!("{}{name}/", scheme.prefix())).ok();
    // The port that needs no mention differs.
    let (plain, secure) = (read(Scheme::Http)?, read(Scheme::Https)?);
    let names = [plain.authority(), secure.authority()];
    names.into_iter().min_by_key(|name| name.len()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_read_as_people_write_it() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(host_name(text).as_deref(), expect, "{text}");
        };
        check("Example.org", Some("example.org"));
        check("https://example.org:8080/a?b", Some("example.org:8080"));
        check("https://example.org:443/", Some("example.org"));
        check("B\u{fc}cher.example", Some("xn--bcher-kva.example"));
        check("[::1]:81", Some("[::1]:81"));
        check("no host at all", None);
        check("", None);
        check("me@example.org", None);
    }
}
