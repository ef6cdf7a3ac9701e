//! From the tree of a query to what tantivy matches, and to the words that are scored.

use std::ops::Bound;

use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query, RangeQuery,
    TermQuery, TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{Searcher, TantivyError};

use super::excluded::Excluded;
use crate::ask::Node;
use crate::names;
use crate::schema::Fields;
use crate::spelling::Spelling;
use crate::words::{Analyser, Part, Sought, folded};

/// Ways to read a phrase whose words have several stems each.
const READINGS_MAX: usize = 16;
/// Words that a prefix stands for.
const EXPANDED_MAX: usize = 64;

type Boxed = Box<dyn Query>;

/// A word that is scored: any of its stems.
#[derive(Debug)]
pub(super) struct Unit {
    /// Stems that at least one text has.
    pub(super) stems: Vec<Term>,
    /// As typed, in the field of words.
    pub(super) raw: Option<Term>,
    /// How rare it is.
    pub(super) idf: f32,
    /// How rare it is as typed.
    pub(super) idf_raw: f32,
    /// The unit before it, and how far before it should stand.
    pub(super) follows: Option<(usize, u32)>,
    /// It is made of units that follow, so that it does not count as a word of its own.
    pub(super) is_whole: bool,
}

/// A word that a page may lack if need be.
#[derive(Debug)]
pub(super) struct Loose {
    /// Where it stands among the parts of the query.
    pub(super) place: usize,
    pub(super) text: String,
    /// Pages that have it.
    query: Boxed,
    /// Pages that have it in the title, and in the texts of links.
    in_parts: [Boxed; 2],
    /// Whether any page has it.
    pub(super) is_known: bool,
}

/// A query as it is carried out.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) units: Vec<Unit>,
    pub(super) words: Vec<Loose>,
    /// What must hold, and what must not, beside the words.
    rest: Vec<(Occur, Boxed)>,
    /// What all words are together, see [`names`].
    pub(super) names: Vec<u64>,
}

impl Plan {
    /// Pages that have all words.
    pub(super) fn all(&self) -> Boxed {
        let words = self.words.iter().map(|word| (Occur::Must, word.query.box_clone()));
        self.with_rest(words.collect())
    }

    /// Pages that have some of the words.
    pub(super) fn some(&self) -> Boxed {
        let stems = self.units.iter().flat_map(|unit| &unit.stems);
        let query = |stem: &Term| TermQuery::new(stem.clone(), IndexRecordOption::WithFreqs);
        let words = stems.map(|stem| Box::new(query(stem)) as Boxed).collect();
        self.with_rest(vec![(Occur::Must, any(words))])
    }

    /// How much all words together are worth.
    pub(super) fn worth(&self) -> f32 {
        self.units.iter().filter(|unit| !unit.is_whole).map(|unit| unit.idf).sum()
    }

    /// Pages that have all words in the title; those that have them in the texts of links.
    pub(super) fn in_parts(&self) -> Vec<Boxed> {
        let part = |part: usize| {
            let words = self.words.iter().map(|it| (Occur::Must, it.in_parts[part].box_clone()));
            self.with_rest(words.collect())
        };
        if self.words.is_empty() { Vec::new() } else { vec![part(0), part(1)] }
    }

    fn with_rest(&self, mut clauses: Vec<(Occur, Boxed)>) -> Boxed {
        clauses.extend(self.rest.iter().map(|(occur, query)| (*occur, query.box_clone())));
        one_or(clauses)
    }
}

/// A clause alone needs nothing around it, and is faster so.
fn one_or(mut clauses: Vec<(Occur, Boxed)>) -> Boxed {
    match clauses.as_slice() {
        [(Occur::Must, _)] => clauses.remove(0).1,
        _ => Box::new(BooleanQuery::new(clauses)),
    }
}

/// Makes plans.
pub(super) struct Planner<'a> {
    pub(super) searcher: &'a Searcher,
    pub(super) fields: &'a Fields,
    pub(super) languages: &'a [String],
    pub(super) analyser: &'a mut Analyser,
}

impl Planner<'_> {
    /// The parts of the query must all hold.
    pub(super) fn plan(&mut self, parts: &[Node]) -> Result<Plan, TantivyError> {
        let mut plan =
            Plan { units: Vec::new(), words: Vec::new(), rest: Vec::new(), names: Vec::new() };
        let mut typed = Vec::new();
        for (place, node) in parts.iter().enumerate() {
            match node {
                Node::Word(text) => {
                    typed.push(text.as_str());
                    let sought = self.analyser.sought(text, self.languages);
                    let is_known = self.is_known(&sought)?;
                    if sought.whole.is_empty() && sought.row.is_empty() {
                        continue;
                    }
                    self.score(&sought, &mut plan.units)?;
                    plan.words.push(Loose {
                        place,
                        text: text.clone(),
                        query: self.word(self.fields.text, &sought)?,
                        in_parts: [
                            self.apart(self.fields.title, &sought)?,
                            self.apart(self.fields.anchor, &sought)?,
                        ],
                        is_known,
                    });
                }
                Node::Not(node) => {
                    let query = self.excluded(node, self.fields.text)?;
                    plan.rest.push((Occur::MustNot, query));
                }
                other => {
                    if let Node::Phrase(text) = other {
                        typed.push(text.as_str());
                    }
                    let query = self.node(other, self.fields.text, Some(&mut plan.units))?;
                    plan.rest.push((Occur::Must, Box::new(ConstScoreQuery::new(query, 0.0))));
                }
            }
        }
        plan.names = self.names(&typed.join(" "));
        Ok(plan)
    }

    /// What the typed words are together, in each way of stemming.
    fn names(&mut self, typed: &str) -> Vec<u64> {
        let languages = self.languages.iter().map(|it| Some(it.as_str())).chain([None]);
        let names = languages.filter_map(|it| names::of_text(self.analyser, typed, it));
        let mut names: Vec<u64> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Pages for which a node holds. Its words are scored unless it is excluded.
    fn node(
        &mut self,
        node: &Node,
        field: Field,
        mut units: Option<&mut Vec<Unit>>,
    ) -> Result<Boxed, TantivyError> {
        let term = |field, text: &str| -> Boxed {
            Box::new(TermQuery::new(Term::from_field_text(field, text), IndexRecordOption::Basic))
        };
        Ok(match node {
            Node::Word(text) => {
                let sought = self.analyser.sought(text, self.languages);
                self.scored(&sought, units)?;
                self.word(field, &sought)?
            }
            Node::Phrase(text) => {
                let sought = self.analyser.sought_phrase(text, self.languages);
                self.scored(&sought, units)?;
                self.word(field, &sought)?
            }
            Node::Prefix(prefix) => self.prefix(prefix, field, units)?,
            Node::InTitle(node) => self.node(node, self.fields.title, units)?,
            Node::InUrl(node) => self.node(node, self.fields.url, units)?,
            Node::Any(nodes) => {
                let queries = nodes.iter().map(|it| self.node(it, field, units.as_deref_mut()));
                Box::new(BooleanQuery::union(queries.collect::<Result<_, _>>()?))
            }
            Node::All(nodes) => {
                let mut clauses = Vec::new();
                for node in nodes {
                    clauses.push(match node {
                        Node::Not(node) => (Occur::MustNot, self.excluded(node, field)?),
                        node => (Occur::Must, self.node(node, field, units.as_deref_mut())?),
                    });
                }
                Box::new(BooleanQuery::new(clauses))
            }
            Node::Not(node) => Box::new(BooleanQuery::new(vec![
                (Occur::Must, Box::new(AllQuery)),
                (Occur::MustNot, self.excluded(node, field)?),
            ])),
            Node::Site(site) => term(self.fields.site, site),
            Node::Lang(tag) => term(self.fields.language, tag),
            Node::Kind(kind) => term(self.fields.kind, kind),
            Node::Before(moment) => self.dated(Bound::Unbounded, Bound::Excluded(*moment)),
            Node::After(moment) => self.dated(Bound::Included(*moment), Bound::Unbounded),
        })
    }

    fn excluded(&mut self, node: &Node, field: Field) -> Result<Boxed, TantivyError> {
        Ok(Box::new(Excluded(self.node(node, field, None)?)))
    }

    fn dated(&self, from: Bound<i64>, to: Bound<i64>) -> Boxed {
        let term = |moment| Term::from_field_i64(self.fields.dated, moment);
        Box::new(RangeQuery::new(from.map(term), to.map(term)))
    }

    fn prefix(
        &mut self,
        prefix: &str,
        field: Field,
        units: Option<&mut Vec<Unit>>,
    ) -> Result<Boxed, TantivyError> {
        let spelling = Spelling::new(self.searcher, self.fields.word);
        let words = spelling.expand(&folded(prefix), EXPANDED_MAX)?;
        let mut stems = Vec::new();
        for word in &words {
            let sought = self.analyser.sought(word, self.languages);
            stems.extend(sought.whole);
            stems.extend(sought.row.into_iter().flat_map(|part| part.stems));
        }
        stems.sort_unstable();
        stems.dedup();
        if let Some(units) = units {
            units.extend(self.unit(&stems, None)?);
        }
        let terms = |field, words: &[String]| {
            TermSetQuery::new(words.iter().map(move |word| Term::from_field_text(field, word)))
        };
        let is_text = field == self.fields.text;
        Ok(Box::new(if is_text { terms(self.fields.word, &words) } else { terms(field, &stems) }))
    }

    /// Pages that have a word: as one, or all that it is made of.
    fn word(&self, field: Field, sought: &Sought) -> Result<Boxed, TantivyError> {
        let mut ways = self.terms(field, &sought.whole)?;
        if let [part] = sought.row.as_slice() {
            ways.extend(self.terms(field, &part.stems)?);
        } else if sought.is_near {
            ways.extend(self.phrases(field, &sought.row)?);
        } else if !sought.row.is_empty() {
            ways.push(self.parts(field, &sought.row)?);
        }
        Ok(any(ways))
    }

    /// Pages that have all that a word is made of, wherever.
    fn apart(&self, field: Field, sought: &Sought) -> Result<Boxed, TantivyError> {
        if sought.row.is_empty() {
            return Ok(any(self.terms(field, &sought.whole)?));
        }
        self.parts(field, &sought.row)
    }

    fn parts(&self, field: Field, row: &[Part]) -> Result<Boxed, TantivyError> {
        let part = |part: &Part| Ok((Occur::Must, any(self.terms(field, &part.stems)?)));
        let clauses = row.iter().map(part).collect::<Result<Vec<_>, TantivyError>>()?;
        Ok(one_or(clauses))
    }

    fn terms(&self, field: Field, stems: &[String]) -> Result<Vec<Boxed>, TantivyError> {
        let known = self.known(field, stems)?;
        let query = |term| Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)) as Boxed;
        Ok(known.into_iter().map(|(term, _)| query(term)).collect())
    }

    fn phrases(&self, field: Field, row: &[Part]) -> Result<Vec<Boxed>, TantivyError> {
        let mut readings: Vec<Vec<(usize, Term)>> = vec![Vec::new()];
        for part in row {
            let known = self.known(field, &part.stems)?;
            let longer = readings.iter().flat_map(|reading| {
                known.iter().map(|(term, _)| {
                    let mut reading = reading.clone();
                    reading.push((part.position, term.clone()));
                    reading
                })
            });
            readings = longer.take(READINGS_MAX).collect();
        }
        Ok(readings
            .into_iter()
            .map(|it| Box::new(PhraseQuery::new_with_offset(it)) as Boxed)
            .collect())
    }

    /// Those of the stems that a page has in this field, and how many have it.
    fn known(&self, field: Field, stems: &[String]) -> Result<Vec<(Term, u64)>, TantivyError> {
        let mut known = Vec::new();
        for stem in stems {
            let term = Term::from_field_text(field, stem);
            let count = self.searcher.doc_freq(&term)?;
            if count > 0 {
                known.push((term, count));
            }
        }
        Ok(known)
    }

    fn is_known(&self, sought: &Sought) -> Result<bool, TantivyError> {
        let field = self.fields.text;
        if !self.known(field, &sought.whole)?.is_empty() {
            return Ok(true);
        }
        for part in &sought.row {
            if self.known(field, &part.stems)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(!sought.row.is_empty())
    }

    fn scored(&self, sought: &Sought, units: Option<&mut Vec<Unit>>) -> Result<(), TantivyError> {
        units.map_or(Ok(()), |units| self.score(sought, units))
    }

    /// Adds the units of a word: it as one, and what it is made of, one after the other.
    fn score(&self, sought: &Sought, units: &mut Vec<Unit>) -> Result<(), TantivyError> {
        let last = units.iter().rposition(|unit| unit.raw.is_some());
        let mut before = last.map(|last| (last, 1));
        let is_whole = !sought.row.is_empty();
        units.extend(self.unit(&sought.whole, None)?.map(|unit| Unit { is_whole, ..unit }));
        let mut position = 0;
        for part in &sought.row {
            let step = u32::try_from(part.position.saturating_sub(position)).unwrap_or(u32::MAX);
            let follows = before.map(|(at, distance)| (at, distance + step));
            position = part.position;
            match self.unit(&part.stems, Some(&part.raw))? {
                Some(unit) => {
                    units.push(Unit { follows, ..unit });
                    before = Some((units.len() - 1, 0));
                }
                None => before = None,
            }
        }
        Ok(())
    }

    /// None if no page has it.
    fn unit(&self, stems: &[String], raw: Option<&str>) -> Result<Option<Unit>, TantivyError> {
        let known = self.known(self.fields.text, stems)?;
        let Some(most) = known.iter().map(|(_, count)| *count).max() else { return Ok(None) };
        let raw = raw.map(|raw| Term::from_field_text(self.fields.word, raw));
        let raw_count = raw.as_ref().map(|raw| self.searcher.doc_freq(raw)).transpose()?;
        Ok(Some(Unit {
            stems: known.into_iter().map(|(term, _)| term).collect(),
            idf: self.idf(most),
            idf_raw: self.idf(raw_count.unwrap_or(most)),
            raw,
            follows: None,
            is_whole: false,
        }))
    }

    /// The logarithm of how rare a word is.
    fn idf(&self, having: u64) -> f32 {
        let all: u64 =
            self.searcher.segment_readers().iter().map(|it| u64::from(it.max_doc())).sum();
        let rare = (float(all.saturating_sub(having)) + 0.5) / (float(having) + 0.5);
        (1.0 + rare).ln()
    }
}

fn any(mut ways: Vec<Boxed>) -> Boxed {
    match ways.len() {
        0 => Box::new(EmptyQuery),
        1 => ways.remove(0),
        _ => Box::new(BooleanQuery::union(ways)),
    }
}

/// A count as a number to reckon with.
#[expect(clippy::cast_precision_loss, reason = "seven digits of a count suffice for a score")]
pub(super) fn float(count: u64) -> f32 {
    count as f32
}
