//! A document as the fields of tantivy: every text is analysed once.

use std::hash::{BuildHasher, BuildHasherDefault, RandomState};
use std::sync::{Arc, LazyLock};

use rhumb_web::{CanonUrl, UrlKey, registrable};
use tantivy::schema::Field;

use crate::anchors::{KeyedSet, Said};
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
    let mut all = Everything::of_length(kept.main.len());
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
    cells.extend(kept.sinks.then_some((fields.sinks, Cell::Unsigned(1))));
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

/// What a page is found by.
struct Everything {
    text: Section,
    words: Packed,
    met: KeyedSet<u64>,
}

impl Everything {
    /// With room for a text of so many bytes.
    fn of_length(bytes: usize) -> Self {
        Self {
            text: Section { packed: Packed::with_capacity(bytes + bytes / 4), begin: 0 },
            words: Packed::with_capacity(bytes / 2),
            met: KeyedSet::with_capacity_and_hasher(bytes / 16, BuildHasherDefault::default()),
        }
    }

    /// Takes a word, also for a field of its own, in which it counts several times.
    fn take(&mut self, word: Word<'_>, own: Option<(&mut Section, u32)>) {
        self.text.packed.push(word.stem, self.text.begin + word.position);
        if let Some((own, times)) = own {
            for _ in 0..times {
                own.packed.push(word.stem, own.begin + word.position);
            }
        }
        if self.met.insert(print(word.raw)) {
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

/// Two words of a page that share it are one in a million million. Nobody can know which ones do:
/// it differs with every process.
fn print(word: &str) -> u64 {
    static SEEDS: LazyLock<[u64; 2]> =
        LazyLock::new(|| [0, 1].map(|number| RandomState::new().hash_one(number)));
    let [seed, factor] = *SEEDS;
    let factor = u128::from(factor | 1);
    let mix = |print: u64, eight: u64| {
        let wide = u128::from(print ^ eight) * factor;
        let folded = (wide ^ (wide >> 64)) & u128::from(u64::MAX);
        u64::try_from(folded).expect("it was cut to 64 bits")
    };
    let (eights, rest) = word.as_bytes().as_chunks();
    let print = eights.iter().fold(seed, |print, eight| mix(print, u64::from_le_bytes(*eight)));
    // Seven bytes at most, so that there is one for their number.
    let number = u64::try_from(rest.len()).expect("at most seven");
    mix(print, rest.iter().fold(number, |eight, byte| eight << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_prints_of_their_own() {
        let letters: String = (0..40).map(|_| 'a').collect();
        let mut prints: Vec<u64> = (0..=40).map(|end| print(&letters[..end])).collect();
        prints.extend(["b", "ab", "ba", "aaaaaaab", "baaaaaaa", "aaaaaaaab"].map(print));
        let all: KeyedSet<u64> = prints.iter().copied().collect();
        assert_eq!(all.len(), prints.len());
        assert_eq!(print("word"), print("word"));
    }

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
