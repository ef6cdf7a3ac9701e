//! Words as common as those of a language: a few everywhere, most hardly ever (Zipf's law).
//!
//! Text from a small pool compresses far better than the web does, and has far fewer terms.

use std::collections::HashSet;
use std::fmt;

use crate::chance::Chance;

/// Words of the language; a page uses some hundreds of them.
const WORDS: usize = 24_000;
/// One draw is one look into a table of this many entries, as many for a word as it is common.
const DRAW_BITS: u32 = 20;

const COMMON: &str = "the of and to in a is that for it was on are as with his they at be this from \
    have or by one had not but what all were when we there can an your which their said if do will \
    each about how up out them then she many some so these would other into has more her two like \
    him see time could no make than first been its who now people my made over did down only way";
const ONSETS: [&str; 30] = [
    "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr", "pr",
    "ch", "sh", "th", "gr", "br", "pl", "fl", "cr", "qu", "sp", "", "",
];
const VOWELS: [&str; 12] = ["a", "e", "i", "o", "u", "ea", "ou", "ai", "ee", "e", "a", "i"];
const CODAS: [&str; 20] = [
    "", "", "", "", "n", "r", "s", "t", "l", "d", "m", "ng", "nt", "st", "ck", "nd", "ss", "rt",
    "ll", "p",
];
const ENDINGS: [&str; 12] =
    ["", "", "", "s", "ed", "ing", "er", "ly", "tion", "ment", "able", "ness"];

#[derive(Clone)]
pub(crate) struct Lexicon {
    words: Vec<String>,
    draws: Vec<u16>,
}

impl fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lexicon").field("words", &self.words.len()).finish_non_exhaustive()
    }
}

impl Lexicon {
    pub(super) fn new(seed: u64) -> Self {
        let mut chance = Chance::new(seed, 0x1E81);
        let mut words: Vec<String> = COMMON.split_whitespace().map(str::to_owned).collect();
        let mut known: HashSet<String> = words.iter().cloned().collect();
        while words.len() < WORDS {
            let word = invent(&mut chance, words.len());
            if known.insert(word.clone()) {
                words.push(word);
            }
        }
        Self { words, draws: draws() }
    }

    pub(crate) fn word(&self, chance: &mut Chance) -> &str {
        let at = usize::try_from(chance.next() >> (u64::BITS - DRAW_BITS)).expect("20 bits");
        &self.words[usize::from(self.draws[at])]
    }
}

/// Rare words are longer than common ones.
fn invent(chance: &mut Chance, rank: usize) -> String {
    let syllables = match rank {
        0..600 => 1,
        600..6_000 => 1 + chance.below(2),
        _ => 2 + chance.below(2),
    };
    let mut word = String::new();
    for _ in 0..syllables {
        word.push_str(chance.pick(&ONSETS));
        word.push_str(chance.pick(&VOWELS));
        word.push_str(chance.pick(&CODAS));
    }
    word.push_str(chance.pick(&ENDINGS));
    word
}

fn draws() -> Vec<u16> {
    // Mandelbrot's shift: the first words of a language are less common than Zipf's law has them.
    let weight = |rank: usize| (1_u64 << 40) / (rank as u64 + 3);
    let total: u64 = (0..WORDS).map(weight).sum();
    let mut draws = Vec::with_capacity(1 << DRAW_BITS);
    let mut sum = 0;
    for rank in 0..WORDS {
        sum += weight(rank);
        let end = (u128::from(sum) << DRAW_BITS) / u128::from(total);
        let end = usize::try_from(end).expect("at most the size of the table");
        draws.resize(end, u16::try_from(rank).expect("fewer than 2^16 words"));
    }
    draws
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_can_be_drawn_and_common_ones_are() {
        let lexicon = Lexicon::new(1);
        assert_eq!(lexicon.draws.len(), 1 << DRAW_BITS);
        let drawn: HashSet<u16> = lexicon.draws.iter().copied().collect();
        assert_eq!((drawn.len(), lexicon.words.len()), (WORDS, WORDS));
        let mut chance = Chance::new(1, 1);
        let text: Vec<&str> = (0..10_000).map(|_| lexicon.word(&mut chance)).collect();
        let the = text.iter().filter(|w| **w == "the").count();
        assert!((200..900).contains(&the), "{the}");
        let letters: usize = text.iter().map(|w| w.len()).sum();
        assert!((40_000..75_000).contains(&letters), "{letters} letters in 10,000 words");
    }
}
