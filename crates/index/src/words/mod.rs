//! The words of a text, each as written and as its stem, in one pass.
//!
//! A word is a run of letters and digits; its case, width and accents do not count. What holds
//! words together is told by where they stand: `pg_dump` is the word `pg_dump` and, at the same
//! place, `pg` and `dump` one after the other, so that it is found by either. Scripts without
//! spaces (and Korean) give each letter and each pair of letters. No word is left out for being
//! common: phrases need them all. Stems follow Snowball, by the language of the text.

mod address;
mod compound;
mod letters;
mod simple;
mod sought;
mod stems;
#[cfg(test)]
mod tests;

use self::compound::Compound;
use self::letters::Kind;
use self::simple::Simple;
pub(crate) use self::sought::{Part, Sought, folded, pieces};
use self::stems::{Snowball, Stems};

/// A word with more letters is no word: a key, a picture in base64.
pub(crate) const WORD_CHARS_MAX: usize = 64;

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// It in lower case and without accents.
    pub raw: &'a str,
    /// What it has in common with its other forms.
    pub stem: &'a str,
    /// Its place among the words; several may share one.
    pub position: usize,
    /// Where it begins in the text, in bytes.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// It is made of words that follow, from the same place on.
    pub is_whole: bool,
}

/// Takes texts apart. It remembers stems: keep one a thread.
pub struct Analyser {
    stems: Stems,
    small: String,
    compound: Compound,
}

impl Default for Analyser {
    fn default() -> Self {
        Self::new()
    }
}

impl Analyser {
    /// One that remembers nothing yet.
    pub fn new() -> Self {
        Self { stems: Stems::new(), small: String::new(), compound: Compound::default() }
    }

    /// Hands over the words of a text and gives back the position after the last. The language is
    /// a primary tag; a text without one is stemmed as English.
    pub fn each(
        &mut self,
        text: &str,
        language: Option<&str>,
        take: impl FnMut(Word<'_>),
    ) -> usize {
        self.each_with(text, Snowball::of(language), 0, Initials::ALL, take)
    }

    /// The same, where words that begin otherwise may be left out: most of a text is passed over.
    pub(crate) fn each_beginning(
        &mut self,
        text: &str,
        language: Option<&str>,
        initials: Initials,
        take: impl FnMut(Word<'_>),
    ) -> usize {
        let snowball = Snowball::of(language);
        let keeps = snowball.is_none_or(Snowball::keeps_initials);
        let initials = if keeps { initials } else { Initials::ALL };
        self.each_with(text, snowball, 0, initials, take)
    }

    fn each_with(
        &mut self,
        text: &str,
        snowball: Option<Snowball>,
        mut position: usize,
        initials: Initials,
        mut take: impl FnMut(Word<'_>),
    ) -> usize {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if byte.is_ascii() && !byte.is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            let Some(simple) = Simple::at(bytes, at) else {
                at = self.compound.read(text, at);
                position = self.compound.hand_over(&mut self.stems, snowball, position, &mut take);
                continue;
            };
            let (from, to) = (at, at + simple.length);
            if !initials.has(*byte) {
                position += 1;
                at = to;
                continue;
            }
            let raw = if simple.has_capital {
                self.small.clear();
                self.small.push_str(&text[from..to]);
                self.small.make_ascii_lowercase();
                &self.small
            } else {
                &text[from..to]
            };
            let stem = match snowball {
                Some(snowball) if !simple.has_digit => {
                    self.stems.of_key(snowball, raw, simple.small)
                }
                _ => raw,
            };
            take(Word { raw, stem, position, from, to, is_whole: false });
            position += 1;
            at = to;
        }
        position
    }
}

/// The letters and digits of ASCII that words begin with, capitals as small letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Initials(u128);

impl Initials {
    /// Every one.
    pub(crate) const ALL: Self = Self(u128::MAX);

    /// Adds that of a word in lower case; words of other letters are never passed over.
    pub(crate) fn add(&mut self, word: &str) {
        if let Some(byte) = word.bytes().next().filter(u8::is_ascii) {
            self.0 |= 1 << byte;
        }
    }

    fn has(self, byte: u8) -> bool {
        self.0 >> byte.to_ascii_lowercase() & 1 == 1
    }
}

/// Whether a text has a letter or a digit.
pub(crate) fn has_letters(text: &str) -> bool {
    text.chars().any(|letter| matches!(letters::kind(letter), Kind::Letter | Kind::Unspaced))
}
