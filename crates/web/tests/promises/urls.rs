//! The URL tests of web-platform-tests, and crawler-commons' list of weird URLs.

use std::collections::BTreeSet;

use rhumb_web::{Canon, CanonUrl, standard};
use serde_json::Value;

use crate::conformance_file;

/// What the `url` crate gets wrong, by name. The list may only shrink.
const KNOWN_FAILURES: &str = include_str!("url-failing.txt");

fn text<'a>(case: &'a Value, key: &str) -> Option<&'a str> {
    case.get(key).and_then(Value::as_str)
}

#[test]
fn conformance_urls_parse_by_the_standard() {
    let Some(data) = conformance_file("url/urltestdata.json") else { return };
    let cases: Vec<Value> = serde_json::from_str(&data).expect("the data is JSON");
    let known: BTreeSet<&str> = KNOWN_FAILURES.lines().collect();
    let (mut right, mut total) = (0, 0);
    let mut failing = BTreeSet::new();
    for case in cases.iter().filter(|case| case.is_object()) {
        total += 1;
        let input = text(case, "input").expect("a case has an input");
        let base = text(case, "base");
        let parsed = standard(input, base).ok();
        if parsed.as_deref() == text(case, "href") {
            right += 1;
        } else {
            failing.insert(format!("{input:?} on {base:?}"));
        }
    }
    println!("conformance: url {right} of {total}");
    let failing: BTreeSet<&str> = failing.iter().map(String::as_str).collect();
    let new: Vec<&&str> = failing.difference(&known).collect();
    let mended: Vec<&&str> = known.difference(&failing).collect();
    assert!(new.is_empty(), "these were right before: {new:#?}");
    assert!(mended.is_empty(), "right now; take them off url-failing.txt: {mended:#?}");
    assert!(right >= 826, "{right} of {total}");
}

#[test]
fn conformance_every_http_url_of_the_standard_has_a_fixed_canonical_form() {
    let Some(data) = conformance_file("url/urltestdata.json") else { return };
    let cases: Vec<Value> = serde_json::from_str(&data).expect("the data is JSON");
    let mut seen = 0;
    for href in cases.iter().filter_map(|case| text(case, "href")) {
        for canon in [Canon::Full, Canon::KeepQuery] {
            let Ok(once) = CanonUrl::parse_with(href, canon) else { continue };
            let twice = CanonUrl::parse_with(once.as_str(), canon);
            assert_eq!(twice.as_ref(), Ok(&once), "of {href}");
            seen += 1;
        }
    }
    assert!(seen > 400, "the data has http URLs: {seen}");
}

/// Where our rules differ from crawler-commons', and why.
fn differs_by_rule(weird: &str, theirs: &str, ours: Option<&str>) -> Option<&'static str> {
    let Some(ours) = ours else {
        return (!weird.starts_with("http") || theirs == "http:/")
            .then_some("only absolute http URLs are crawled");
    };
    let parameters = |url: &str| {
        let query = url.split_once('?').map_or("", |(_, query)| query).to_owned();
        let pairs = query.split('&').map(|pair| pair.trim_end_matches('='));
        let named = pairs.filter(|pair| !pair.is_empty() && !pair.starts_with('='));
        let mut named: Vec<String> = named.map(str::to_owned).collect();
        named.sort();
        named
    };
    let path = |url: &str| url.split('?').next().map(str::to_owned);
    if theirs.replace("%25", "%") == ours {
        return Some("a stray percent sign stays as it is, as in the WHATWG standard");
    }
    if path(theirs) == path(ours) && parameters(theirs) == parameters(ours) {
        return Some("the order of parameters, and empty ones, are kept");
    }
    if weird.matches("//").count() > 1 {
        return Some("empty path segments are kept: they are other pages by RFC 3986");
    }
    let escapes = ["%22", "%3C", "%5C", "%5B", "%5D", "%7C", "%5E", "%60", "%7B"];
    let escaped = |text: &str| escapes.iter().any(|e| text.to_ascii_uppercase().contains(e));
    let by_escapes = escaped(theirs) || escaped(weird);
    by_escapes.then_some("the WHATWG standard escapes fewer or other characters")
}

#[test]
fn conformance_weird_urls_are_normalised_or_differ_by_a_stated_rule() {
    let Some(data) = conformance_file("normalise/weirdToNormalizedUrls.csv") else { return };
    let (mut same, mut differ, mut total) = (0, 0, 0);
    for line in data.lines().filter(|line| !line.starts_with('#')) {
        let Some((weird, theirs)) = line.split_once(", ") else { continue };
        let theirs = theirs.trim();
        total += 1;
        let ours = CanonUrl::parse(weird).ok().map(String::from);
        if ours.as_deref() == Some(theirs) {
            same += 1;
        } else {
            let reason = differs_by_rule(weird, theirs, ours.as_deref());
            assert!(reason.is_some(), "{weird}: theirs {theirs}, ours {ours:?}");
            differ += 1;
        }
    }
    println!("conformance: normalise {same} of {total} as crawler-commons, {differ} by our rules");
    assert!(total > 100 && differ * 2 < same, "{same} the same, {differ} differ");
}
