//! A document as the fields of tantivy: every text is analysed once.

use std::collections::HashSet;
use std::sync::Arc;

use rhumb_web::{CanonUrl, UrlKey, registrable};
use tantivy::schema::Field;

use crate::anchors::Said;
use crate::entry::{Cell, Kept};
use crate::names;
use crate::packed::Packed;
use crate::schema::Fields;
use crate::words::{Analyser, Word};

/// Positions between two parts of a page, so that no phrase reaches from one into the next.
const GAP: usize = 64;

/// The fields of a document, with what links say of it.
pub(super) fn cells(
    analyser: &mut Analyser,
    fields: &Fields,
    kept: &Kept,
    said: &Said,
    group: UrlKey,
    bytes: Arc<[u8]>,
) -> Vec<(Field, Cell)> {
    let language = kept.language.as_deref();
    let mut all = Everything::default();
    let [mut title, mut heading, mut anchor, mut url] = [const { Section::new() }; 4];
    if let Some(text) = &kept.title {
        analyser.each(text, language, |word| all.take(word, Some((&mut title, 1))));
        all.end(&mut title);
    }
    for text in &kept.headings {
        analyser.each(text, language, |word| all.take(word, Some((&mut heading, 1))));
        all.end(&mut heading);
    }
    for text in kept.description.iter().chain([&kept.main]) {
        analyser.each(text, language, |word| all.take(word, None));
        all.gap();
    }
    for said in &said.anchors {
        analyser.each(&said.text, language, |word| all.take(word, Some((&mut anchor, said.times))));
        all.end(&mut anchor);
    }
    analyser.each_of_url(&kept.url, language, |word| all.take(word, Some((&mut url, 1))));
    let title_names = kept.title.iter().flat_map(|it| names::of_title(analyser, it, language));
    let titled: Vec<u64> = title_names.collect();
    let link_names = said.anchors.iter().map(|it| names::of_text(analyser, &it.text, language));
    let named: Vec<u64> = link_names.flatten().collect();
    let mut cells = vec![
        (fields.key, Cell::Unsigned(kept.key.0)),
        (fields.group, Cell::Unsigned(group.0)),
        (fields.anchored, Cell::Unsigned(said.fingerprint)),
        (fields.text, Cell::Text(all.text.packed.into_text())),
        (fields.word, Cell::Text(all.words.into_text())),
        (fields.host, Cell::Text(kept.url.authority().to_owned())),
        (fields.kind, Cell::Text(kept.kind.clone())),
        (fields.fetched, Cell::Unsigned(kept.fetched_ms)),
        (fields.kept, Cell::Bytes(bytes)),
    ];
    let sections = [
        (fields.title, title),
        (fields.heading, heading),
        (fields.anchor, anchor),
        (fields.url, url),
    ];
    cells.extend(sections.map(|(field, section)| (field, Cell::Text(section.packed.into_text()))));
    cells.extend(titled.into_iter().map(|name| (fields.titled, Cell::Unsigned(name))));
    cells.extend(named.into_iter().map(|name| (fields.named, Cell::Unsigned(name))));
    cells.extend(sites(&kept.url).map(|site| (fields.site, Cell::Text(site.to_owned()))));
    cells.extend(language.map(|language| (fields.language, Cell::Text(language.to_owned()))));
    cells.extend(kept.dated_ms.map(|dated| (fields.dated, Cell::Signed(dated))));
    cells.extend(kept.original.map(|key| (fields.original, Cell::Unsigned(key.0))));
    cells
}

/// What `site:` may name: host and port, the host, and the domains above it that somebody owns.
fn sites(url: &CanonUrl) -> impl Iterator<Item = &str> {
    let (authority, host) = (url.authority(), url.host());
    let shortest = registrable(host).map_or(host.len(), str::len);
    let above = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
    let with_port = (authority != host).then_some(authority);
    let above = above.filter(move |domain| domain.len() >= shortest);
    with_port.into_iter().chain([host]).chain(above)
}

/// One field while it is filled: where its current text begins, and its words.
struct Section {
    packed: Packed,
    begin: usize,
}

impl Section {
    const fn new() -> Self {
        Self { packed: Packed::new(), begin: 0 }
    }

    fn gap(&mut self) {
        self.begin = self.packed.last().map_or(0, |last| last + GAP);
    }
}

impl Default for Section {
    fn default() -> Self {
        Self::new()
    }
}

/// What a page is found by.
#[derive(Default)]
struct Everything {
    text: Section,
    words: Packed,
    met: HashSet<u64>,
}

impl Everything {
    /// Takes a word, also for a field of its own, in which it counts several times.
    fn take(&mut self, word: Word<'_>, own: Option<(&mut Section, u32)>) {
        self.text.packed.push(word.stem, self.text.begin + word.position);
        if let Some((own, times)) = own {
            for _ in 0..times {
                own.packed.push(word.stem, own.begin + word.position);
            }
        }
        if self.met.insert(fnv(word.raw)) {
            self.words.push(word.raw, self.met.len());
        }
    }

    /// A text of a field is at its end.
    fn end(&mut self, own: &mut Section) {
        own.gap();
        self.gap();
    }

    fn gap(&mut self) {
        self.text.gap();
    }
}

/// Fowler, Noll and Vo's hash: two words of a page that share it are one in a million million.
fn fnv(word: &str) -> u64 {
    word.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_known_by_its_port_its_host_and_every_domain_above() {
        let check = |url: &str, expect: &[&str]| {
            let url = CanonUrl::parse(url).unwrap();
            assert_eq!(sites(&url).collect::<Vec<_>>(), expect);
        };
        check("http://example.org/", &["example.org"]);
        check("http://a.b.co.uk:8080/", &["a.b.co.uk:8080", "a.b.co.uk", "b.co.uk"]);
        check("http://a.b.example.org/x", &["a.b.example.org", "b.example.org", "example.org"]);
        check("http://127.0.0.1:81/", &["127.0.0.1:81", "127.0.0.1"]);
    }
}
