//! Names of files and of places: banned names, paths of one machine, links that lead nowhere.

use std::collections::BTreeSet;

use super::Finding;

/// Names that say nothing; a file with one of them lacks a noun.
const BANNED: [&str; 7] = ["util", "common", "helper", "misc", "type", "core", "manager"];

/// Beginnings of paths that exist on one machine only; split here so as not to find themselves.
const MACHINES: [&str; 4] = [
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/main"),
    concat!("/wo", "rk/shared"),
    concat!("/Us", "ers/"),
];
/// As above, but common as a page of a site: a finding only where a user's folder follows.
const HOMES: &str = concat!("/ho", "me/");

/// The folder beside the repository, which a clone need not have.
const BESIDE: &str = concat!("../sha", "red");
/// The one way to name it: the default of `RHUMB_CONFORMANCE`.
const BESIDE_ALLOWED: &str = concat!("../sha", "red/conformance");

/// A finding where a folder or file of Rust code has a name that says nothing.
pub(super) fn name(path: &str) -> Option<Finding> {
    let mut parts = path.split('/').map(|part| part.trim_end_matches(".rs"));
    let banned = parts.find(|part| BANNED.contains(&part.trim_end_matches('s')))?;
    Some(Finding::new(path, 1, format!("`{banned}` says nothing, name it for its noun")))
}

/// Findings where a text names a place that exists on one machine only.
pub(super) fn paths(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in text.lines().enumerate() {
        let machine = MACHINES.iter().find(|start| text.contains(*start)).copied();
        let home = text.match_indices(HOMES).any(|(at, _)| {
            let user = &text[at + HOMES.len()..];
            let end = user.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
            end.is_some_and(|end| end > 0 && user[end..].starts_with('/'))
        });
        let beside = text.matches(BESIDE).count() > text.matches(BESIDE_ALLOWED).count();
        let what = match machine {
            Some(start) => format!("`{start}` exists on one machine, take the place as a setting"),
            None if home => {
                "a user's folder exists on one machine, take it as a setting".to_owned()
            }
            None if beside => {
                format!("only `{BESIDE_ALLOWED}` may be named, as a default, of what lies beside")
            }
            None => continue,
        };
        findings.push(Finding::new(path, line + 1, what));
    }
    findings
}

/// Findings where a Markdown page links to a file that is not there.
pub(super) fn links(path: &str, text: &str, files: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut fenced = false;
    for (line, text) in text.lines().enumerate() {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            for target in targets(text).filter(|target| !leads_somewhere(path, target, files)) {
                let what = format!("`{target}` is not there, correct or remove the link");
                findings.push(Finding::new(path, line + 1, what));
            }
        }
    }
    findings
}

/// What a line links to: `[text](target)` and `[name]: target`, outside of code.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let outside = |at: usize| line[..at].matches('`').count().is_multiple_of(2);
    let inline = line.match_indices("](").filter(move |(at, _)| outside(*at));
    let inline = inline.filter_map(|(at, _)| line[at + 2..].split([')', ' ']).next());
    let named = line.strip_prefix('[').and_then(|rest| Some(rest.split_once("]: ")?.1.trim()));
    inline.chain(named)
}

fn leads_somewhere(page: &str, target: &str, files: &BTreeSet<String>) -> bool {
    let target = target.split('#').next().unwrap_or_default();
    if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
        return true;
    }
    let mut place: Vec<&str> = page.split('/').collect();
    place.pop();
    for part in target.split('/') {
        match part {
            ".." if place.pop().is_none() => return false,
            "" | "." | ".." => {}
            part => place.push(part),
        }
    }
    let place = place.join("/");
    let folder = format!("{place}/");
    files.contains(&place) || place.is_empty() || files.iter().any(|f| f.starts_with(&folder))
}
