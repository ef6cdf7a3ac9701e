//! Soft errors: a good status, and a page that says that nothing is there.

use super::look::{Look, contains, is_error_heading};
use super::phrases::{List, Lists};
use super::sign::{Kind, Signs};

/// The most text of its own that such a page has.
const OWN_BYTES_MAX: usize = 1_200;
/// So little is hardly more than the news itself.
const BARE_BYTES: usize = 240;
/// How far down the heading may stand.
const LINES_MAX: usize = 24;
/// How long a heading is at most.
const HEADING_BYTES_MAX: usize = 120;

/// The signs of a soft error, if there are enough of them.
pub(super) fn signs(look: &Look<'_>) -> Option<Vec<&'static str>> {
    if look.text.len() > OWN_BYTES_MAX {
        return None;
    }
    let mut signs = Signs::default();
    if look.titled.has(List::Name) {
        signs.add(Kind::Title, 2, "title of an error");
    }
    if has_heading(&look.text, look.told) {
        signs.add(Kind::Title, if signs.is_empty() { 2 } else { 1 }, "heading of an error");
    }
    if signs.is_empty() || look.told.has(List::Lesson) || is_search(look) || is_dated(look) {
        return None;
    }
    signs.add_if(look.told.has(List::Excuse), Kind::Text, 2, "speaks of what was asked for");
    signs.add_if(look.text.len() < BARE_BYTES, Kind::Make, 1, "hardly any text");
    signs.add_if(look.is_noindex(), Kind::Make, 1, "noindex");
    signs.add_if(look.facts.redirected, Kind::Answer, 1, "redirected");
    signs.add_if(is_error_path(look), Kind::Make, 1, "address of an error");
    signs.enough()
}

/// Whether one of the first lines is a heading that says so.
fn has_heading(text: &str, told: Lists) -> bool {
    let lines = text.lines().take(LINES_MAX).filter(|line| line.len() <= HEADING_BYTES_MAX);
    (told.has(List::Name) || contains(text, "404")) && lines.into_iter().any(is_error_heading)
}

/// Whether it is the answer to a search: to find nothing is an answer.
fn is_search(look: &Look<'_>) -> bool {
    let url = look.facts.url;
    let mut names =
        url.query().unwrap_or_default().split('&').filter_map(|it| it.split('=').next());
    contains(url.path(), "search")
        || names.any(|name| matches!(name, "q" | "s" | "query" | "search" | "keyword" | "k"))
}

/// Whether it says when it was written, as articles do and errors do not.
fn is_dated(look: &Look<'_>) -> bool {
    let mut names = look.page.scan.metas.iter().map(|(name, _)| name.as_str());
    names.any(|name| matches!(name, "article:published_time" | "date" | "dc.date" | "pubdate"))
}

/// Whether its last segment is a name by which servers keep their errors.
fn is_error_path(look: &Look<'_>) -> bool {
    let last = look.facts.url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = last.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let name = name.replace(['-', '_'], "");
    matches!(name.as_str(), "404" | "notfound" | "pagenotfound" | "error404" | "404error" | "error")
}
