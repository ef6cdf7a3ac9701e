//! The page around a copy: what it is, which others there are, and the frame that it is shown in.

use maud::{Markup, html};
use rhumb_web::CanonUrl;
use rhumb_web::words::{counted, printable};

use super::version::Version;
use crate::look::{self, Room, link};

/// What a copy comes to.
#[derive(Debug)]
pub(super) enum Found {
    /// It can be shown.
    Shown {
        /// Where the answer led.
        leads: Option<CanonUrl>,
        /// It is too long to be read whole.
        is_cut: bool,
    },
    /// The page asks that no copy be shown.
    Closed,
    /// Nobody can tell whether the page asks for that.
    Unknown,
    /// The archive cannot give it.
    Unreadable,
}

/// The page around a copy.
pub(super) fn around(url: &CanonUrl, versions: &[Version], chosen: usize, found: &Found) -> Markup {
    let Some(version) = versions.get(chosen) else { return absent(url) };
    let to = [("url", url.as_str())];
    let this = [("url", url.as_str()), ("at", version.at.as_str())];
    let has_file = matches!(found, Found::Shown { is_cut: false, .. });
    let body = html! {
        h1.visually-hidden { "A copy of " (printable(url.as_str())) }
        div.notice.copy {
            p {
                "A copy of "
                a href=(url.as_str()) rel="noreferrer noopener" { (printable(url.as_str())) }
                " as it was on " strong { time { (when(version)) } } ". It is not the page itself."
            }
            @if versions.len() > 1 { (others(url, versions, chosen)) }
            p.links {
                a href=(link("/page", &to)) { "About the page" }
                a href=(link("/why", &to)) { "Why it was fetched" }
                @if has_file {
                    a href=(link("/copy/file", &this)) { "The file as received" }
                }
            }
        }
        @match found {
            Found::Shown { leads, is_cut } => {
                @if *is_cut {
                    p.notice.warn {
                        "This is the beginning of the copy: the whole is too long to be shown or "
                        "saved here. The archive has more of it."
                    }
                }
                @if let Some(leads) = leads {
                    p {
                        "This answer led to "
                        a href=(link("/copy", &[("url", leads.as_str())])) {
                            (printable(leads.as_str()))
                        }
                        "."
                    }
                }
                iframe.copy sandbox="allow-top-navigation-by-user-activation"
                    referrerpolicy="no-referrer" title="The copy"
                    src=(link("/copy/frame", &this)) {}
            }
            Found::Closed => {
                p.notice.warn { "This page asks that no copy of it be shown, so none is." }
            }
            Found::Unknown => {
                p.notice.warn {
                    "The archive cannot give the last copy of this page, so nobody can tell "
                    "whether the page asks that none be shown. None is."
                }
            }
            Found::Unreadable => {
                p.notice.bad {
                    "The archive cannot give this copy: its record is not there, or damaged. "
                    "rhumb verify tells more."
                }
            }
        }
    };
    look::page(&format!("Copy: {}", printable(url.as_str())), Room::Search, &body)
}

/// A form to choose another version by.
fn others(url: &CanonUrl, versions: &[Version], chosen: usize) -> Markup {
    let count = u64::try_from(versions.len()).expect("a length fits 64 bits");
    html! {
        form.row action="/copy" method="get" {
            input type="hidden" name="url" value=(url.as_str());
            label for="at" { (counted(count, "version")) }
            select id="at" name="at" {
                @for (place, version) in versions.iter().enumerate() {
                    option value=(version.at) selected[place == chosen] { (line(version)) }
                }
            }
            button { "Show" }
        }
    }
}

/// A version in a line.
fn line(version: &Version) -> String {
    let status = version.status.filter(|status| *status != 200);
    let status = status.map(|status| format!(", status {status}")).unwrap_or_default();
    let same = if version.same_as_before { ", same as before" } else { "" };
    let number = version.at.split_once('-').map(|(_, number)| format!(", number {number}"));
    format!("{}{}{status}{same}", when(version), number.unwrap_or_default())
}

fn when(version: &Version) -> String {
    let time = version.time.as_ref().unwrap_or(&version.at);
    format!("{} UTC", time.replace('T', " ").trim_end_matches('Z'))
}

/// The page where there is no copy.
pub(super) fn absent(url: &CanonUrl) -> Markup {
    let to = [("url", url.as_str())];
    look::page(
        "No copy",
        Room::Search,
        &html! {
            h1 { "No copy" }
            p.mono { (printable(url.as_str())) }
            p { "The archive has no copy of this page from then, or none at all." }
            p.row {
                a.button.first href=(link("/why", &to)) { "What became of it" }
                a.button href=(link("/submit", &to)) { "Submit it" }
            }
        },
    )
}
