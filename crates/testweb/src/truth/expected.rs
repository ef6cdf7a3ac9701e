//! What a correct and polite crawler does with the web.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Kind, PageId, Web};
use crate::body::decoys;
use crate::witness::Witness;

/// A page that is to be fetched, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedPage {
    /// The status of its answer.
    pub status: u16,
    /// A word that only this body has, for pages with text.
    pub word: Option<String>,
    /// A word in the script of its charset, for pages in another charset than UTF-8.
    pub native_word: Option<&'static str>,
    /// The URL whose body this one repeats byte by byte.
    pub duplicate_of: Option<String>,
}

/// The outcome that a crawl of scope `any` from the seeds is held against.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    /// Canonical URLs to be fetched, each once: redirects, 404 and 500 among them.
    pub pages: BTreeMap<String, ExpectedPage>,
    /// Linked from fetched pages, and disallowed by robots.txt.
    pub disallowed: BTreeSet<String>,
    /// Linked from fetched pages, on hosts that cannot be reached.
    pub unreachable: BTreeSet<String>,
    /// Mentioned on fetched pages where a crawler must not take them up.
    pub decoys: BTreeSet<String>,
    /// Entrances of endless paths on fetched pages.
    pub traps: BTreeSet<String>,
    /// Host names with at least one page to be fetched.
    pub hosts: BTreeSet<String>,
}

impl Expected {
    /// Pages that the server was never asked for.
    pub fn missing(&self, witness: &Witness) -> Vec<String> {
        self.pages.keys().filter(|url| !witness.pages.contains_key(*url)).cloned().collect()
    }

    /// Pages that the server was asked for without reason.
    pub fn extra(&self, witness: &Witness) -> Vec<String> {
        witness.pages.keys().filter(|url| !self.pages.contains_key(*url)).cloned().collect()
    }
}

pub(super) fn walk(web: &Web, port: u16) -> Expected {
    let mut expected = Expected::default();
    let mut met = vec![false; web.pages.len()];
    let mut sitemap_read = vec![false; web.hosts.len()];
    let mut queue: VecDeque<PageId> = web.seeds.iter().copied().collect();
    while let Some(id) = queue.pop_front() {
        if std::mem::replace(&mut met[id.0 as usize], true) {
            continue;
        }
        let page = web.page(id);
        let host = web.host(page.host);
        let url = web.url(id, port);
        if host.fault.is_some() {
            expected.unreachable.insert(url);
            continue;
        }
        if page.closed || host.robots.refuses_all() {
            expected.disallowed.insert(url);
            continue;
        }
        expected.hosts.insert(host.name.clone());
        if host.sitemap.is_some()
            && !std::mem::replace(&mut sitemap_read[page.host.0 as usize], true)
        {
            queue.extend(host.pages.clone().map(PageId).filter(|p| web.page(*p).in_sitemap));
        }
        match page.kind {
            Kind::Redirect { to, .. } => queue.push_back(to),
            Kind::Html | Kind::Wall if !page.directive.forbids_links() => {
                queue.extend(page.links.iter().map(|l| l.to));
            }
            Kind::Html | Kind::Text | Kind::Wall | Kind::Gone(_) => {}
        }
        note_lures(web, id, port, &mut expected);
        expected.pages.insert(url, describe(web, id, port));
    }
    expected
}

/// Decoys and traps that the page shows.
fn note_lures(web: &Web, id: PageId, port: u16, expected: &mut Expected) {
    let page = web.page(id);
    let host = web.host(page.host);
    let origin = host.origin(port);
    for target in decoys::targets(web, id) {
        expected.decoys.insert(format!("{origin}{target}"));
    }
    if host.trap && id == host.home() {
        expected.traps.extend(decoys::TRAPS.map(|trap| format!("{origin}{trap}")));
        expected.disallowed.insert(format!("{origin}{}", decoys::CALENDAR));
    }
}

fn describe(web: &Web, id: PageId, port: u16) -> ExpectedPage {
    let page = web.page(id);
    let has_text = matches!(page.kind, Kind::Html | Kind::Text | Kind::Wall);
    ExpectedPage {
        status: page.status(),
        word: has_text.then(|| crate::body::word(page.body_of)),
        native_word: page.charset.native_word().filter(|_| page.kind == Kind::Html),
        duplicate_of: (page.body_of != id && has_text).then(|| web.url(page.body_of, port)),
    }
}
