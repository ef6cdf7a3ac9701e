//! From the bytes of an answer to links that are wanted.

use std::hint::black_box;

use rhumb_archive::HttpMessage;
use rhumb_likeness::Sketch;
use rhumb_page::Facts;
use rhumb_rules::{Rules, Scope, ScopeKind};
use rhumb_web::{Candidate, Canon, CanonUrl, Errand, HashKey};

use super::timing::{count, plain};
use super::{Part, Sample};

/// As crawls are split by default.
pub(super) const PARTITIONS: u16 = 64;
pub(super) const HASH: HashKey = HashKey(3, 5);

pub(super) fn parts(sample: &Sample) -> Vec<Part> {
    let exchange = sample.exchange();
    let coded = exchange.received.slice_ref(HttpMessage::split(&exchange.received).body);
    let unpack = Part {
        name: "unpack",
        what: "undo the content coding",
        micros: plain(|| {
            let codings = exchange.headers_named("content-encoding");
            black_box(rhumb_fetch::decoded(codings, coded.clone()));
        }),
        per_page: 1.0,
        within: None,
    };
    let read = || {
        let media_type = exchange.header("content-type");
        rhumb_page::read(&exchange.body, media_type, &exchange.url, Canon::Full, false)
    };
    let page = read();
    let links: Vec<CanonUrl> = page.scan.links.iter().map(|link| link.url.clone()).collect();
    let parse = Part {
        name: "parse",
        what: "charset, links, directives and text",
        micros: plain(|| drop(black_box(read()))),
        per_page: 1.0,
        within: None,
    };
    let sketch = Part {
        name: "sketch",
        what: "words, their digests, and marks",
        micros: plain(|| {
            black_box(Sketch::of(&page.scan.text));
            black_box(rhumb_page::mark(&page, &Facts::of(exchange, false)));
        }),
        per_page: 1.0,
        within: None,
    };
    let hrefs = hrefs(&exchange.body);
    let mut next = hrefs.iter().cycle();
    let canonicalise = Part {
        name: "canonicalise",
        what: "the URL of a link",
        micros: plain(|| {
            let href = next.next().map_or("", String::as_str);
            black_box(exchange.url.join(href, Canon::Full)).ok();
        }),
        per_page: count(hrefs.len()),
        within: Some("parse"),
    };
    let rules = Rules::new(Scope::new(ScopeKind::Any));
    let mut next = links.iter().cycle();
    let judge = Part {
        name: "judge",
        what: "scope, traps and owner of a link",
        micros: plain(|| {
            let Some(url) = next.next() else { return };
            let candidate = Candidate::new(url.clone(), Errand::Page, 3, 0);
            black_box(rules.judge(&candidate));
            black_box(candidate.url.pld().partition(HASH, PARTITIONS));
        }),
        per_page: count(links.len()),
        within: None,
    };
    let unpack = sample.is_coded().then_some(unpack);
    unpack.into_iter().chain([parse, canonicalise, judge, sketch]).collect()
}

/// The links of a page as they are written. A page of the test web has them all in quotes.
fn hrefs(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(body);
    let after = text.split("href=\"").skip(1);
    after.filter_map(|rest| rest.split_once('"').map(|(href, _)| href.to_owned())).collect()
}
