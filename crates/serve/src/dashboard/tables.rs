//! Tables of the dashboard: single sites, mirrors, the last pages.

use maud::{Markup, html};
use rhumb_crawl::ask::{Mirror, RecentLine, SiteStanding, hold_words};
use rhumb_web::Span;
use rhumb_web::words::{bytes, grouped, printable};

use crate::look::link;

/// Characters of a URL that are shown; all of it is in its link.
const URL_SHOWN: usize = 120;

pub(super) fn sites(name: &str, which: &str, sites: &[SiteStanding]) -> Markup {
    html! {
        @if !sites.is_empty() {
            section {
                h2 { (name) }
                table.stack {
                    caption { "Those " (which) ", of the sites that are watched" }
                    thead { tr {
                        th scope="col" { "Site" }
                        th.number scope="col" { "Visits" }
                        th.number scope="col" { "Queued" }
                        th.number scope="col" { "Takes" }
                        th scope="col" { "Waits for" }
                    } }
                    tbody {
                        @for site in sites {
                            tr {
                                th scope="row" { (site_link(&site.site)) }
                                td.number data-label="Visits" { (grouped(site.visits)) }
                                td.number data-label="Queued" { (grouped(site.queued)) }
                                td.number data-label="Takes" { (Span(site.takes_ms)) }
                                td data-label="Waits for" { (waits_for(site)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The name of a site, which leads to all that is known of it.
pub(super) fn site_link(site: &str) -> Markup {
    html! { a href=(link("/site", &[("host", site)])) { (printable(site)) } }
}

fn waits_for(site: &SiteStanding) -> String {
    let span = Span(site.for_ms);
    match (site.state.as_str(), site.held_by.as_deref()) {
        ("fetching", _) => format!("its answer, {span}"),
        ("idle", _) => "nothing: all done".to_owned(),
        (_, Some(hold @ ("block" | "budget"))) => hold_words(hold).to_owned(),
        (_, Some(hold)) if span.0 > 0 => format!("{}, {span}", printable(hold_words(hold))),
        _ => "its turn".to_owned(),
    }
}

pub(super) fn mirrors(mirrors: &[Mirror]) -> Markup {
    html! {
        @if !mirrors.is_empty() {
            section {
                h2 { "Mirrors" }
                table.stack {
                    caption { "Sites that show the pages of another" }
                    thead { tr {
                        th scope="col" { "Site" }
                        th scope="col" { "Shows those of" }
                        th.number scope="col" { "Pages" }
                    } }
                    tbody {
                        @for mirror in mirrors {
                            tr {
                                th scope="row" { (site_link(&mirror.site)) }
                                td data-label="Shows those of" { (site_link(&mirror.of)) }
                                td.number data-label="Pages" { (grouped(mirror.pages)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The last URLs that came to an end, the newest first.
pub(super) fn recent(lines: &[RecentLine]) -> Markup {
    html! {
        @if !lines.is_empty() {
            section {
                h2 { "Recent pages" }
                table.stack {
                    caption { "The last URLs that came to an end, or are tried again" }
                    thead { tr {
                        th scope="col" { "URL" }
                        th scope="col" { "What" }
                        th.number scope="col" { "Size" }
                        th.number scope="col" { "Took" }
                        th scope="col" { "Time" }
                    } }
                    tbody { @for line in lines { (recent_line(line)) } }
                }
            }
        }
    }
}

fn recent_line(line: &RecentLine) -> Markup {
    let status = line.status.map(|status| format!(" {status}")).unwrap_or_default();
    let time = line.time.get(11..19).unwrap_or(&line.time);
    html! {
        tr {
            th scope="row" {
                a href=(link("/why", &[("url", &line.url)])) { (printable(&shortened(&line.url))) }
            }
            td data-label="What" {
                span.tag.good[line.what == "fetched"].bad[line.what == "failed"] {
                    (printable(&line.what))
                }
                " " span.small { (printable(&line.outcome)) (status) }
            }
            td.number data-label="Size" { (bytes(line.bytes)) }
            td.number data-label="Took" {
                (line.took_ms.map_or_else(|| "–".to_owned(), |ms| Span(ms).to_string()))
            }
            td data-label="Time" { time datetime=(line.time) title=(line.time) { (printable(time)) } }
        }
    }
}

fn shortened(url: &str) -> String {
    let mut shown: String = url.chars().take(URL_SHOWN).collect();
    if shown.len() < url.len() {
        shown.push('…');
    }
    shown
}
