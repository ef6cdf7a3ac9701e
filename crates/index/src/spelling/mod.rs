//! Words that are nearly the one that was typed, out of the words that pages have.
//!
//! Distances are Levenshtein's with swapped neighbours as one change, found by an automaton over
//! the dictionaries of the segments (Schulz and Mihov, "Fast String Correction with Levenshtein
//! Automata", 2002). All of it is bounded: by segments, and by words that are looked at.

mod correct;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::HashMap;

use tantivy::query::FuzzyTermQuery;
use tantivy::schema::Field;
use tantivy::{Searcher, SegmentReader, TantivyError, Term};

/// The segments that are asked, the largest first.
const SEGMENTS_MAX: usize = 64;
/// Words near another that are looked at, of each segment.
const WORDS_MAX: usize = 4_096;
/// Words with a prefix that are looked at, of all segments.
const PREFIXED_MAX: usize = 16_384;
/// Words of a query for which others are looked up.
const SLIPS_MAX: usize = 4;
/// A shorter word is near too many others.
const LETTERS_MIN: usize = 3;
/// From so many letters on, two changes are looked for.
const LETTERS_FOR_TWO: usize = 8;
/// A longer word is no slip of another.
const LETTERS_MAX: usize = 32;
/// A word that pages have is a slip only if the other is so many times as frequent.
const TIMES_RARER: u64 = 50;
/// The shorter part of two words that were typed as one.
const SPLIT_LETTERS_MIN: usize = 3;

/// The words of an index.
pub(crate) struct Spelling<'a> {
    segments: Vec<&'a SegmentReader>,
    field: Field,
    /// How many words may still be looked up.
    slips: Cell<usize>,
}

impl<'a> Spelling<'a> {
    /// The words that this field has.
    pub(crate) fn new(searcher: &'a Searcher, field: Field) -> Self {
        let mut segments: Vec<&SegmentReader> = searcher.segment_readers().iter().collect();
        segments.sort_by_key(|segment| Reverse(segment.num_docs()));
        segments.truncate(SEGMENTS_MAX);
        Self { segments, field, slips: Cell::new(SLIPS_MAX) }
    }

    /// How many pages have a word (also those that were removed lately).
    pub(crate) fn documents(&self, word: &str) -> Result<u64, TantivyError> {
        let mut documents = 0;
        for segment in &self.segments {
            let term = Term::from_field_text(self.field, word);
            documents += u64::from(segment.inverted_index(self.field)?.doc_freq(&term)?);
        }
        Ok(documents)
    }

    /// What may have been meant by a word, if that is much more frequent: another word, or two.
    pub(crate) fn suggest(&self, word: &str) -> Result<Option<String>, TantivyError> {
        let letters = word.chars().count();
        let is_plain = word.chars().all(char::is_alphabetic);
        if !is_plain || !(LETTERS_MIN..=LETTERS_MAX).contains(&letters) {
            return Ok(None);
        }
        let documents = self.documents(word)?;
        let all: u64 = self.segments.iter().map(|it| u64::from(it.max_doc())).sum();
        let is_frequent = documents.saturating_mul(TIMES_RARER) > all;
        let Some(slips) = self.slips.get().checked_sub(1).filter(|_| !is_frequent) else {
            return Ok(None);
        };
        self.slips.set(slips);
        if let Some((other, _)) = self.nearest(word, letters, documents)? {
            return Ok(Some(other));
        }
        if documents > 0 {
            return Ok(None);
        }
        self.split(word)
    }

    /// Two words as one, if that is a word and at least one of them is none.
    pub(crate) fn joined(&self, left: &str, right: &str) -> Result<Option<String>, TantivyError> {
        let joined = format!("{left}{right}");
        let documents = self.documents(&joined)?;
        let rarer = self.documents(left)?.min(self.documents(right)?);
        Ok((documents > 0 && rarer == 0).then_some(joined))
    }

    /// The nearest word that is frequent enough, and how many pages have it.
    fn nearest(
        &self,
        word: &str,
        letters: usize,
        documents: u64,
    ) -> Result<Option<(String, u64)>, TantivyError> {
        let distances = if letters >= LETTERS_FOR_TWO { 1..=2_u8 } else { 1..=1 };
        let least = documents.saturating_mul(TIMES_RARER).max(1);
        for distance in distances {
            let near = self.within(word, distance)?;
            let near = near.into_iter().filter(|(other, others)| other != word && *others >= least);
            // What nobody writes is a slip itself.
            let best = near.max_by_key(|(other, others)| {
                let is_same_start = other.chars().next() == word.chars().next();
                (is_same_start, *others, Reverse(other.clone()))
            });
            if best.is_some() {
                return Ok(best);
            }
        }
        Ok(None)
    }

    /// The words within so many changes, and how many pages have each.
    fn within(&self, word: &str, distance: u8) -> Result<HashMap<String, u64>, TantivyError> {
        let term = Term::from_field_text(self.field, word);
        let automaton = FuzzyTermQuery::new(term, distance, true).automaton()?;
        let mut near = HashMap::new();
        for segment in &self.segments {
            let index = segment.inverted_index(self.field)?;
            let mut search = index.terms().search(&automaton);
            if distance > 1 {
                // Two changes leave the first letter alone: that keeps the search small.
                let first = &word[..word.chars().next().map_or(0, char::len_utf8)];
                search = search.ge(first);
                if let Some(end) = after(first) {
                    search = search.lt(end);
                }
            }
            let mut stream = search.into_stream()?;
            let mut left = WORDS_MAX;
            while left > 0 && stream.advance() {
                left -= 1;
                add(&mut near, stream.key(), stream.value().doc_freq);
            }
        }
        Ok(near)
    }

    /// The two words that a word may be, if pages have both.
    fn split(&self, word: &str) -> Result<Option<String>, TantivyError> {
        let mut best: Option<(u64, String)> = None;
        for (at, _) in word.char_indices() {
            let (left, right) = word.split_at(at);
            let shorter = left.chars().count().min(right.chars().count());
            if shorter < SPLIT_LETTERS_MIN {
                continue;
            }
            let rarer = self.documents(left)?.min(self.documents(right)?);
            if rarer > best.as_ref().map_or(0, |(most, _)| *most) {
                best = Some((rarer, format!("{left} {right}")));
            }
        }
        Ok(best.map(|(_, words)| words))
    }

    /// The most frequent words that begin so, and whether those are all.
    pub(crate) fn expand(
        &self,
        prefix: &str,
        max: usize,
    ) -> Result<(Vec<String>, bool), TantivyError> {
        let mut words = HashMap::new();
        let (mut left, mut are_all) = (PREFIXED_MAX, true);
        // What the small ones leave of their share is for the large ones.
        for (others, segment) in self.segments.iter().enumerate().rev() {
            let mut share = left / (others + 1);
            left -= share;
            let index = segment.inverted_index(self.field)?;
            let mut range = index.terms().range().ge(prefix);
            if let Some(end) = after(prefix) {
                range = range.lt(end);
            }
            let mut stream = range.into_stream()?;
            while stream.advance() {
                if share == 0 {
                    are_all = false;
                    break;
                }
                share -= 1;
                add(&mut words, stream.key(), stream.value().doc_freq);
            }
            left += share;
        }
        let mut words: Vec<(String, u64)> = words.into_iter().collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        are_all &= words.len() <= max;
        words.truncate(max);
        Ok((words.into_iter().map(|(word, _)| word).collect(), are_all))
    }
}

fn add(words: &mut HashMap<String, u64>, key: &[u8], documents: u32) {
    if let Ok(word) = str::from_utf8(key) {
        *words.entry(word.to_owned()).or_default() += u64::from(documents);
    }
}

/// The first bytes that do not begin so.
pub(crate) fn after(prefix: &str) -> Option<Vec<u8>> {
    let mut bytes = prefix.as_bytes().to_vec();
    let last = bytes.last_mut()?;
    // The bytes of UTF-8 end at 0xf4.
    *last = last.saturating_add(1);
    Some(bytes)
}
