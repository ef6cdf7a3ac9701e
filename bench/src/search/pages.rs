//! Pages out of chance, the same in every run: words by Zipf's law, links to earlier pages.

use rhumb_index::{Document, OutLink, Place};
use rhumb_web::{CanonUrl, HashKey, UrlError};

use crate::workload::mixed;

/// Different words.
const VOCABULARY: u64 = 200_000;
const HOSTS: u64 = 500;
/// Hosts of one domain.
const HOSTS_A_DOMAIN: u64 = 2;
/// A page has at least so many words, and less than so many more.
const WORDS_MIN: u64 = 300;
const WORDS_MORE: u64 = 300;
const WORDS_A_SENTENCE: u64 = 12;
const HEADINGS: usize = 3;
const LINKS: u64 = 10;
/// Of so many links one leads to another host.
const ONE_AWAY_IN: u64 = 3;
pub const HASH: HashKey = HashKey(3, 5);

/// A stream of numbers that look like chance.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        // Streams of neighbouring seeds have nothing in common.
        Self(mixed(seed.wrapping_add(1)))
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0) % bound
    }

    /// From 0: the first is the most frequent, the n-th comes an n-th as often.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "ranks are far below 2^52"
    )]
    pub fn by_zipf(&mut self, bound: u64) -> u64 {
        let uniform = self.below(1 << 52) as f64 / (1_u64 << 52) as f64;
        let rank = (uniform * ((bound + 1) as f64).ln()).exp() as u64;
        rank.clamp(1, bound) - 1
    }
}

/// A word as text runs: frequent ones are short.
pub fn usual_word(chance: &mut Chance) -> String {
    word(chance.by_zipf(VOCABULARY))
}

/// Any word, each as likely.
pub fn any_word(chance: &mut Chance) -> String {
    word(chance.below(VOCABULARY))
}

/// The page of this number; it links to pages with smaller ones.
pub fn document(number: u64) -> Result<Document, UrlError> {
    let url = address(number)?;
    let mut chance = Chance::new(number.wrapping_mul(3));
    let mut links = Vec::new();
    for _ in 0..LINKS.min(number) {
        let is_away = chance.below(ONE_AWAY_IN) == 0;
        let popular = chance.by_zipf(number);
        // Pages of one host are so many numbers apart.
        let beside = popular / HOSTS * HOSTS + number % HOSTS;
        let target = if is_away || beside >= number { popular } else { beside };
        let words = title(target);
        let from = usize::try_from(chance.below(2)).unwrap_or(0);
        links.push(OutLink { key: address(target)?.key(HASH), text: words[from..].join(" ") });
    }
    let headings = (0..HEADINGS).map(|_| [(); 3].map(|()| usual_word(&mut chance)).join(" "));
    Ok(Document {
        key: url.key(HASH),
        url,
        title: Some(title(number).join(" ")),
        headings: headings.collect(),
        description: None,
        main: text(&mut chance),
        language: Some("en".to_owned()),
        kind: "html".to_owned(),
        fetched_ms: 1_800_000_000_000 + number,
        dated_ms: None,
        place: Place { serial: 1, offset: number },
        digest: None,
        no_snippet: false,
        no_archive: false,
        sinks: false,
        original: None,
        links,
    })
}

fn text(chance: &mut Chance) -> String {
    let mut text = String::new();
    for at in 1..=WORDS_MIN + chance.below(WORDS_MORE) {
        text.push_str(&usual_word(chance));
        text.push_str(if at % WORDS_A_SENTENCE == 0 { ". " } else { " " });
    }
    text
}

fn title(number: u64) -> Vec<String> {
    let mut chance = Chance::new(number.wrapping_mul(3) + 1);
    (0..4).map(|_| usual_word(&mut chance)).collect()
}

fn address(number: u64) -> Result<CanonUrl, UrlError> {
    let (host, words) = (number % HOSTS, title(number));
    let domain = host / HOSTS_A_DOMAIN;
    let part = host % HOSTS_A_DOMAIN;
    CanonUrl::parse(&format!("http://h{part}.site{domain}.org/{}/{number}", words[0]))
}

/// Syllables by number, in one place, then two, then three.
fn word(mut rank: u64) -> String {
    const CONSONANTS: [char; 20] = [
        'b', 'c', 'd', 'f', 'g', 'h', 'j', 'k', 'l', 'm', 'n', 'p', 'q', 'r', 's', 't', 'v', 'w',
        'x', 'z',
    ];
    const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
    let of = |letters: &[char], at: u64| letters[usize::try_from(at).unwrap_or(0)];
    let mut word = String::new();
    loop {
        let syllable = rank % 100;
        word.push(of(&CONSONANTS, syllable / 5));
        word.push(of(&VOWELS, syllable % 5));
        rank /= 100;
        if rank == 0 {
            return word;
        }
        rank -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_words_are_alike() {
        let words: HashSet<String> = (0..VOCABULARY).map(word).collect();
        assert_eq!(words.len(), 200_000);
    }

    #[test]
    fn a_page_has_its_words_and_links_to_earlier_ones() {
        let page = document(1_234).unwrap();
        assert!(page.main.split_whitespace().count() >= 300);
        let earlier: HashSet<_> =
            (0..1_234).map(|number| address(number).unwrap().key(HASH)).collect();
        assert_eq!(page.links.len(), 10);
        assert!(page.links.iter().all(|link| earlier.contains(&link.key)));
    }
}
