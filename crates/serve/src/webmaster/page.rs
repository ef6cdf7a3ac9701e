//! The pages themselves.

use maud::{Markup, html};
use rhumb_crawl::ask::SiteRow;
use rhumb_web::words::{counted, grouped, printable};

use super::audits::{Found, Standing};
use super::report::{parts, span};
use crate::HouseSettings;
use crate::look::{self, Room, link};

/// Who this is, and how to be left alone.
pub(super) fn general(settings: &HouseSettings) -> Markup {
    let body = html! {
        h1 { "For webmasters" }
        (identity(settings))
        h2 { "What was fetched from your host" }
        (form(None))
        (parts::advice(&settings.agent_token, settings.contact.as_deref()))
        (wishes(settings))
        (removal(settings))
    };
    look::page("For webmasters", Room::Webmaster, &body)
}

/// A host of which nothing was ever asked.
pub(super) fn stranger(settings: &HouseSettings, host: &str) -> Markup {
    let shown = printable(host);
    let body = html! {
        h1 { "Nothing was fetched from " (shown) }
        div.notice {
            p { "This crawl knows no host of that name: it has asked nothing of it." }
            p { "Another name of the same machine is another host: try it with or without "
                code { "www." } ", and with its port if that is unusual." }
        }
        (form(Some(host)))
        (identity(settings))
        (parts::advice(&settings.agent_token, settings.contact.as_deref()))
    };
    look::page("For webmasters", Room::Webmaster, &body)
}

/// What was done on a host.
pub(super) fn of_host(
    settings: &HouseSettings,
    host: &str,
    sites: &[SiteRow],
    standing: &Standing,
) -> Markup {
    let title = format!("What {} did on {}", settings.agent_token, printable(host));
    let body = html! {
        h1 { (title) }
        (identity(settings))
        section.audit aria-label="Audit" { (audit(standing)) }
        (as_it_stands(sites))
        (parts::advice(&settings.agent_token, settings.contact.as_deref()))
        p {
            a href="/webmaster" { "How to keep single pages out, and how to have them removed" }
        }
        @if let Standing::Made { found, .. } = standing
            && let Found::Requests(audit, gathered) = &**found
        {
            section.audit aria-label="Requests" {
                (parts::requests(gathered))
                (parts::foot(audit))
            }
        }
        h2 { "Another host" }
        (form(None))
    };
    look::page(&title, Room::Webmaster, &body)
}

fn identity(settings: &HouseSettings) -> Markup {
    html! {
        p {
            b { (settings.agent_token) } " is a web crawler (software: Rhumb "
            (env!("CARGO_PKG_VERSION")) "). It sends the header "
            code { "User-Agent: " (printable(&settings.agent)) }
            ", follows what " code { "robots.txt" } " says to " code { (settings.agent_token) }
            @match &settings.contact {
                Some(contact) => { ", and its operator can be reached at " (parts::contact(contact)) "." }
                None => { ". Its operator has not said how to be reached." }
            }
        }
        @if settings.is_disguised {
            p {
                "It looks for pages that show a browser something else than a crawler. To that end \
                 it fetches some pages three times, one of these times under the headers of a \
                 browser and without its own name; " code { "robots.txt" }
                " and the gap between requests hold for those as for all others."
            }
        }
    }
}

fn form(host: Option<&str>) -> Markup {
    html! {
        form.row action="/webmaster" role="search" {
            label for="host" { "Your host" }
            input id="host" name="host" required maxlength="300" placeholder="www.example.org"
                value=[host] autocapitalize="none" spellcheck="false";
            button.first { "Show" }
        }
    }
}

fn audit(standing: &Standing) -> Markup {
    match standing {
        Standing::InMaking { before } => html! {
            div.notice role="status" {
                p { "The audit of this host is being made from the crawl's archive. This page looks "
                    "again by itself." }
                @if let Ok(before @ 1..) = u64::try_from(*before) {
                    p { (counted(before, "other host")) " first." }
                }
            }
        },
        Standing::TooMany => html! {
            div.notice.warn role="status" {
                p { "Too many audits are asked for at the moment." }
                p { "Try: the same once more, in a minute." }
            }
        },
        Standing::Made { found, is_old } => html! {
            @match &**found {
                Found::Requests(audit, gathered) => (parts::judgement(audit, gathered)),
                Found::NoRequest => p.verdict { "The archive of this crawl has no request to this "
                    "host" },
                Found::Unreadable => div.notice.bad {
                    p { "The archive cannot be read at the moment, so nothing can be proven." }
                },
            }
            @if *is_old {
                p.muted { "More has been fetched since; a newer audit is being made." }
            }
        },
    }
}

/// What the crawl knows of a host now, which the archive does not.
fn as_it_stands(sites: &[SiteRow]) -> Markup {
    html! {
        @for row in sites {
            h2 { "How " (printable(&row.site)) " stands now" }
            dl.facts {
                dt { "State" }
                dd {
                    (printable(&row.state))
                    @if let Some(by) = &row.held_by {
                        ": held by " (printable(rhumb_crawl::ask::hold_words(by)))
                    }
                }
                @if let Some(next) = &row.next_visit {
                    dt { "Next visit" } dd { "not before " (look::read(next)) }
                }
                dt { "Requests so far" } dd { (grouped(row.visits)) }
                dt { "URLs that wait" } dd { (grouped(row.queued)) }
                dt { "Quiet time between requests" }
                dd {
                    (span(row.delay_ms)) " at least"
                    @if let Some(ms) = row.crawl_delay_ms { "; your robots.txt asks for " (span(ms)) }
                }
                dt { "robots.txt" } dd { (printable(&row.robots)) }
                @if row.blocked { dt { "Blocked" } dd { "the operator wants this host left alone" } }
            }
            p {
                a href=(link("/site", &[("host", &row.site)])) { "Settings of this site" }
                " · "
                a href=(link("/search", &[("q", &format!("site:{}", row.site))])) {
                    "Its pages in the index"
                }
            }
        }
    }
}

fn wishes(settings: &HouseSettings) -> Markup {
    let token = &settings.agent_token;
    html! {
        h2 { "To keep single pages out" }
        p {
            "These are obeyed in the head of a page and as a header of any document; with "
            code { (token) } " in the place of " code { "robots" } " they are for this crawler alone."
        }
        pre {
            "<meta name=\"robots\" content=\"noindex\">\n"
            "X-Robots-Tag: noindex\n"
            "X-Robots-Tag: " (token) ": noindex, nofollow"
        }
        dl.facts {
            dt { code { "noindex" } } dd { "the page is not found by a search" }
            dt { code { "nofollow" } } dd { "its links are not followed" }
            dt { code { "noarchive" } } dd { "no copy of it is shown" }
            dt { code { "nosnippet" } } dd { "none of its text is shown" }
        }
    }
}

fn removal(settings: &HouseSettings) -> Markup {
    html! {
        h2 { "To have something removed" }
        p {
            "What " code { "robots.txt" } " closes is not fetched again; what was fetched before "
            "goes when its operator takes it down, from the archive, the index and every other file. "
            @if let Some(contact) = &settings.contact { "Write to " (parts::contact(contact)) ". " }
            "For the operator, that is one command, for a host or for a single URL:"
        }
        pre { "rhumb forget DIR www.example.org" }
    }
}
