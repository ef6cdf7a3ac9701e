//! The words of a query, as pages in all languages that there are may have them.

use std::ops::Bound;

use tantivy::TantivyError;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Occur, RangeQuery, TermSetQuery};
use tantivy::schema::{Field, Term};

use super::plan::{Boxed, Planner, Unit};
use crate::spelling::{Spelling, after};
use crate::words::{Part, Sought, folded};

/// Words that a prefix stands for where words are scored.
const EXPANDED_MAX: usize = 64;

/// What finds a word or a phrase.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) sought: Sought,
    /// Where they must stand in a row: the row, once for each way of stemming.
    pub(super) rows: Vec<Vec<Part>>,
    /// It is also found as it was typed, because a stem that few pages could have by it is that of
    /// other words in many.
    pub(super) as_typed: Option<Term>,
}

impl Planner<'_> {
    /// What finds a word.
    pub(super) fn wanted(&mut self, text: &str) -> Result<Wanted, TantivyError> {
        let sought = self.analyser.sought(text, &self.languages.most);
        self.in_few(text, sought, false)
    }

    /// What finds a phrase.
    pub(super) fn wanted_phrase(&mut self, text: &str) -> Result<Wanted, TantivyError> {
        let sought = self.analyser.sought_phrase(text, &self.languages.most);
        self.in_few(text, sought, true)
    }

    /// Adds the stems of languages that few pages are in, unless more pages have them than are in
    /// the language: `Andes` has the Swedish stem `and`.
    fn in_few(
        &mut self,
        text: &str,
        mut sought: Sought,
        is_phrase: bool,
    ) -> Result<Wanted, TantivyError> {
        let mut is_typed = false;
        for (tag, pages) in &self.languages.few {
            let tag = std::slice::from_ref(tag);
            let other = if is_phrase {
                self.analyser.sought_phrase(text, tag)
            } else {
                self.analyser.sought(text, tag)
            };
            let parts = sought.row.iter_mut().zip(other.row);
            let parts = parts.map(|(part, other)| (&mut part.stems, other.stems));
            for (stems, others) in parts.chain([(&mut sought.whole, other.whole)]) {
                for stem in others {
                    if stems.contains(&stem) {
                        continue;
                    }
                    let term = Term::from_field_text(self.fields.text, &stem);
                    if self.searcher.doc_freq(&term)? <= *pages {
                        stems.push(stem);
                    } else {
                        is_typed = true;
                    }
                }
            }
        }
        let as_typed = match sought.row.as_slice() {
            [part] if is_typed => Some(Term::from_field_text(self.fields.word, &part.raw)),
            _ => None,
        };
        let rows = if sought.is_near {
            let few = self.languages.few.iter().map(|(tag, _)| tag);
            let tags: Vec<String> = self.languages.most.iter().chain(few).cloned().collect();
            self.analyser.rows(text, &tags)
        } else {
            Vec::new()
        };
        Ok(Wanted { sought, rows, as_typed })
    }

    /// Pages with a word that begins so, and whether those are all of them.
    pub(super) fn prefix(
        &mut self,
        prefix: &str,
        field: Field,
        units: Option<&mut Vec<Unit>>,
    ) -> Result<(Boxed, bool), TantivyError> {
        let prefix = folded(prefix);
        let spelling = Spelling::new(self.searcher, self.fields.word);
        let (words, are_all) = spelling.expand(&prefix, EXPANDED_MAX)?;
        let mut stems = Vec::new();
        for word in &words {
            let sought = self.analyser.sought(word, &self.languages.most);
            stems.extend(sought.whole);
            stems.extend(sought.row.into_iter().flat_map(|part| part.stems));
        }
        stems.sort_unstable();
        stems.dedup();
        let is_text = field == self.fields.text;
        let having = if is_text { self.fields.word } else { field };
        let begins: Boxed = Box::new(RangeQuery::new(
            Bound::Included(Term::from_field_text(having, &prefix)),
            after(&prefix).map_or(Bound::Unbounded, |end| {
                Bound::Excluded(Term::from_field_bytes(having, &end))
            }),
        ));
        // Words are looked for as they are written; titles and URLs have stems only.
        let query = if is_text {
            begins
        } else {
            let terms = stems.iter().map(|stem| Term::from_field_text(field, stem));
            Box::new(BooleanQuery::union(vec![begins, Box::new(TermSetQuery::new(terms))]))
        };
        let Some(units) = units else { return Ok((query, are_all || is_text)) };
        let mut clauses: Vec<(Occur, Boxed)> =
            vec![(Occur::Must, Box::new(ConstScoreQuery::new(query, 0.0)))];
        let scored = self.terms(field, &stems)?;
        clauses.extend(scored.into_iter().map(|stem| (Occur::Should, stem)));
        units.extend(self.unit(&stems, None)?);
        Ok((Box::new(BooleanQuery::new(clauses)), are_all || is_text))
    }
}
