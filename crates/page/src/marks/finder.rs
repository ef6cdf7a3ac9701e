//! Finds many phrases in a text at once: every page passes here.

use std::collections::HashMap;
use std::ops::Range;

/// Bytes by which a phrase is known before it is compared.
const START: usize = 4;
/// Hashes of starts, as many as fit two bytes.
const STARTS: usize = 1 << 16;

/// Phrases, each with what it stands for.
pub(super) struct Finder<T> {
    /// A bit for the hash of each start.
    known: Vec<u64>,
    phrases: HashMap<[u8; START], Vec<(&'static [u8], T)>>,
}

impl<T: Copy> Finder<T> {
    pub(super) fn new(phrases: impl IntoIterator<Item = (&'static str, T)>) -> Self {
        let mut finder = Self { known: vec![0; STARTS / 64], phrases: HashMap::new() };
        for (phrase, what) in phrases {
            let phrase = phrase.as_bytes();
            let start = *phrase.first_chunk().expect("a phrase is longer than its start");
            let hash = hash(start);
            finder.known[hash / 64] |= 1 << (hash % 64);
            finder.phrases.entry(start).or_default().push((phrase, what));
        }
        finder
    }

    /// Tells what stands for each phrase in the text, and where the phrase is.
    pub(super) fn find(&self, text: &[u8], mut tell: impl FnMut(T, Range<usize>)) {
        for (at, start) in text.array_windows().enumerate() {
            let hash = hash(*start);
            if self.known[hash / 64] & (1 << (hash % 64)) == 0 {
                continue;
            }
            for (phrase, what) in self.phrases.get(start).into_iter().flatten() {
                if text[at..].starts_with(phrase) {
                    tell(*what, at..at + phrase.len());
                }
            }
        }
    }
}

fn hash(start: [u8; START]) -> usize {
    // Fibonacci hashing: the upper bits depend on all of the lower ones.
    let mixed = u32::from_le_bytes(start).wrapping_mul(0x9e37_79b1) >> 16;
    usize::try_from(mixed).expect("two bytes fit")
}

#[cfg(test)]
mod tests {
    use super::Finder;

    #[test]
    fn every_phrase_of_a_text_is_found_wherever_it_stands() {
        let finder = Finder::new([("human", 1), ("humane", 2), ("あい", 3), ("nothing", 4)]);
        let found = |text: &str| {
            let mut found = Vec::new();
            finder.find(text.as_bytes(), |what, _| found.push(what));
            found
        };
        assert_eq!(found("ahumanehuman"), [1, 2, 1]);
        assert_eq!(found("うあい"), [3]);
        assert!(found("hum").is_empty() && found("").is_empty() && found("huma").is_empty());
    }
}
