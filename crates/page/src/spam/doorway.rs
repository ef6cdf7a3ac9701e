//! Doorways: pages that lead to another domain by themselves and say hardly anything.

use std::borrow::Cow;

use memchr::memmem;
use rhumb_web::{Canon, CanonUrl, LinkKind};

use crate::Page;
use crate::marks::Facts;
use crate::read::Format;
use crate::scan::refresh_seconds;

/// A page with fewer words says hardly anything.
const WORDS: usize = 50;
/// The bytes that so many words have, where words cannot be counted.
const WORDS_BYTES: usize = 6 * WORDS;
/// After so many seconds at most nobody has read a page.
const SECONDS_MAX: u32 = 5;
/// How far a script is looked for.
const BODY_BYTES_MAX: usize = 32 * 1024;
/// The longest script that does nothing but lead away.
const SCRIPT_BYTES_MAX: usize = 512;

/// The signs of a doorway, if it is one.
pub(super) fn signs(page: &Page, facts: &Facts<'_>) -> Option<Vec<&'static str>> {
    if !is_bare(page) {
        return None;
    }
    let (target, sign) = target(page, facts)?;
    // A site that moves things about within itself is no doorway.
    if target.pld() == facts.url.pld() || is_told(page, &target) {
        return None;
    }
    Some(vec![sign, "to another domain", "fewer than 50 words"])
}

/// Where a page leads at once, whatever it says. A script is believed only where there is hardly
/// anything else: it may do so for a reason.
pub fn leads_to(page: &Page, facts: &Facts<'_>) -> Option<CanonUrl> {
    if page.format != Format::Html {
        return None;
    }
    let by_script = || if is_bare(page) { by_script(facts) } else { None };
    by_refresh(page, facts).or_else(by_script).map(Cow::into_owned)
}

/// Whether it says hardly anything that can be seen.
fn is_bare(page: &Page) -> bool {
    let seen = page.scan.text.len().saturating_sub(page.scan.concealed.bytes);
    seen < WORDS_BYTES
        || (seen < 2 * WORDS_BYTES && page.scan.text.split_whitespace().nth(WORDS - 1).is_none())
}

/// Whether a page says itself where it leads, and is not made to be found: it has moved.
fn is_told(page: &Page, target: &CanonUrl) -> bool {
    let is_it = |kind: LinkKind| matches!(kind, LinkKind::A | LinkKind::Canonical);
    let mut links = page.scan.links.iter().filter(|link| is_it(link.kind));
    let bait = |(name, content): &(String, String)| name == "keywords" && !content.is_empty();
    links.any(|link| link.url == *target) && !page.scan.metas.iter().any(bait)
}

/// Where a page leads at once, and by what.
fn target<'a>(page: &'a Page, facts: &Facts<'_>) -> Option<(Cow<'a, CanonUrl>, &'static str)> {
    let refresh = by_refresh(page, facts).map(|target| (target, "refresh"));
    refresh.or_else(|| Some((by_script(facts)?, "script that leads away")))
}

/// Where a page leads by a refresh of its own or of its header.
fn by_refresh<'a>(page: &'a Page, facts: &Facts<'_>) -> Option<Cow<'a, CanonUrl>> {
    if page.scan.refresh_after.is_some_and(|seconds| seconds <= SECONDS_MAX)
        && let Some(target) = &page.scan.refresh
    {
        return Some(Cow::Borrowed(target));
    }
    let header = facts.headers.iter().find(|(name, _)| *name == "refresh").map(|(_, it)| *it);
    let header = header.filter(|it| refresh_seconds(it).is_some_and(|it| it <= SECONDS_MAX))?;
    facts.url.join(crate::refresh_target(header)?, Canon::Full).ok().map(Cow::Owned)
}

/// Where a page leads by a script.
fn by_script(facts: &Facts<'_>) -> Option<Cow<'static, CanonUrl>> {
    facts.url.join(script_target(facts.body)?, Canon::Full).ok().map(Cow::Owned)
}

/// Where a short script leads, if it says so in one piece.
fn script_target(body: &[u8]) -> Option<&str> {
    let body = &body[..body.len().min(BODY_BYTES_MAX)];
    let scripts = memmem::find_iter(body, b"<script").map(|at| &body[at..]);
    scripts.filter_map(short_script).find_map(location)
}

/// A script that is short and whole, without its tags.
fn short_script(from: &[u8]) -> Option<&str> {
    let script = &from[..from.len().min(SCRIPT_BYTES_MAX)];
    let script = &script[..memmem::find(script, b"</script")?];
    std::str::from_utf8(script).ok()?.split_once('>').map(|(_, script)| script)
}

/// The address that a script sets as its window's.
fn location(script: &str) -> Option<&str> {
    let places = memmem::find_iter(script.as_bytes(), b"location");
    places.map(|at| &script[at + "location".len()..]).find_map(|rest| {
        let rest = rest.strip_prefix(".href").unwrap_or(rest).trim_ascii_start();
        let rest = [".replace(", ".assign(", "="].iter().find_map(|it| rest.strip_prefix(it))?;
        let rest = rest.trim_ascii_start();
        let quote = rest.chars().next().filter(|char| matches!(char, '"' | '\''))?;
        let (target, after) = rest[1..].split_once(quote)?;
        // What is put together of pieces is not known.
        let is_whole = !after.trim_ascii_start().starts_with('+');
        let is_far = target.starts_with("http") || target.starts_with("//");
        (is_whole && is_far).then_some(target)
    })
}
