//! Words on their way to tantivy: analysed once, packed into one string, unpacked by a tokeniser.
//!
//! tantivy's own form for words that were analysed before allocates twice per word.
//! Each word has a sign before it that tells its place, and its length as a character.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The name by which the schema knows [`Unpacker`].
pub(crate) const UNPACKER: &str = "packed";

/// Before a word that follows the last one.
const NEXT: char = '\u{1}';
/// Before a word at the same position as the last one.
const SAME: char = '\u{2}';
/// Before a word further on; a character follows that says how far.
const JUMP: char = '\u{3}';

/// The longest word, in bytes, that can be packed: as a character, below the surrogates.
const WORD_BYTES_MAX: usize = 0xD7FF;
/// Characters of a private plane stand for distances.
const JUMPS: u32 = 0x10_0000;
/// The longest distance; longer ones are cut to it.
const JUMP_MAX: usize = 0xFFFD;

/// Words with their positions, in one string.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    text: String,
    last: Option<usize>,
}

impl Packed {
    pub(crate) const fn new() -> Self {
        Self { text: String::new(), last: None }
    }

    /// With room for this many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), last: None }
    }

    /// Adds a word; positions never go back. A word that is too long is left out.
    pub(crate) fn push(&mut self, word: &str, position: usize) {
        if word.is_empty() || word.len() > WORD_BYTES_MAX {
            return;
        }
        let last = self.last;
        let distance = position.saturating_sub(last.unwrap_or(0)).min(JUMP_MAX);
        match (last, distance) {
            (None, 0) | (Some(_), 1) => self.text.push(NEXT),
            (Some(_), 0) => self.text.push(SAME),
            (_, distance) => {
                let distance = u32::try_from(distance).expect("it was cut to 16 bits");
                self.text.push(JUMP);
                self.text.push(char::from_u32(JUMPS + distance).expect("it is in plane 16"));
            }
        }
        let length = u32::try_from(word.len()).ok().and_then(char::from_u32);
        self.text.push(length.expect("the length was checked"));
        self.text.push_str(word);
        self.last = Some(last.unwrap_or(0) + distance);
    }

    /// The position of the last word.
    pub(crate) fn last(&self) -> Option<usize> {
        self.last
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// Takes [`Packed`] apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unpacker;

impl Tokenizer for Unpacker {
    type TokenStream<'a> = Unpacking<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Unpacking<'a> {
        Unpacking { rest: text, token: Token { position: 0, ..Token::default() }, is_first: true }
    }
}

/// The words of one packed string.
#[derive(Debug)]
pub(crate) struct Unpacking<'a> {
    rest: &'a str,
    token: Token,
    is_first: bool,
}

impl TokenStream for Unpacking<'_> {
    fn advance(&mut self) -> bool {
        let mut rest = self.rest.chars();
        let step = match rest.next() {
            Some(NEXT) => usize::from(!self.is_first),
            Some(SAME) => 0,
            Some(JUMP) => {
                let code = rest.next().map_or(JUMPS, u32::from);
                usize::try_from(code.saturating_sub(JUMPS)).expect("32 bits fit")
            }
            _ => return false,
        };
        let length = rest.next().map_or(0, u32::from);
        let length = usize::try_from(length).expect("32 bits fit");
        let Some((word, rest)) = rest.as_str().split_at_checked(length) else { return false };
        self.token.position += step;
        self.token.text.clear();
        self.token.text.push_str(word);
        self.rest = rest;
        self.is_first = false;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[(&str, usize)], expect: &[(&str, usize)]) {
        let mut packed = Packed::default();
        for (word, position) in words {
            packed.push(word, *position);
        }
        let text = packed.into_text();
        let mut unpacker = Unpacker;
        let mut stream = unpacker.token_stream(&text);
        let mut found = Vec::new();
        while let Some(token) = stream.next() {
            found.push((token.text.clone(), token.position));
        }
        let expect: Vec<_> = expect.iter().map(|(word, at)| ((*word).to_owned(), *at)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn words_come_out_as_they_went_in() {
        check(&[], &[]);
        let words = [("one", 0), ("zwei", 1), ("drei", 1), ("四", 2), ("fünf", 300), ("six", 301)];
        check(&words, &words);
        check(&[("late", 7), ("later", 9)], &[("late", 7), ("later", 9)]);
    }

    #[test]
    fn what_cannot_be_packed_is_left_out_or_cut() {
        let (long, too_long) = ("ä".repeat(0x6BFF), "a".repeat(0xD800));
        check(&[("", 0), (&too_long, 1), (&long, 2)], &[(&long, 2)]);
        check(&[("a\u{1}b", 1), ("\u{2}", 2)], &[("a\u{1}b", 1), ("\u{2}", 2)]);
        check(&[("a", 5), ("b", 2)], &[("a", 5), ("b", 5)]);
        check(&[("a", 0), ("b", 1 << 40)], &[("a", 0), ("b", JUMP_MAX)]);
    }
}
