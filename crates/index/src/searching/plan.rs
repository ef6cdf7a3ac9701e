//! From the tree of a query to what tantivy matches, and to the words that are scored.

use std::ops::Bound;

use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query, RangeQuery,
    TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{Searcher, TantivyError};

use super::Languages;
use super::excluded::Excluded;
use super::wanted::Wanted;
use crate::ask::Node;
use crate::names;
use crate::schema::Fields;
use crate::words::{Analyser, Part, Sought};

pub(super) type Boxed = Box<dyn Query>;

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
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) units: Vec<Unit>,
    pub(super) words: Vec<Loose>,
    /// What must hold, and what must not, beside the words.
    rest: Vec<(Occur, Boxed)>,
    /// What all words are together, see [`names`].
    pub(super) names: Vec<u64>,
    /// Whether a page may be missed that has what a prefix stands for.
    pub(super) is_cut: bool,
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
    pub(super) languages: &'a Languages,
    pub(super) analyser: &'a mut Analyser,
    /// Whether a prefix stands for more words than are looked at.
    pub(super) is_cut: bool,
    /// The unit of the word before.
    pub(super) last: Option<usize>,
}

impl Planner<'_> {
    /// The parts of the query must all hold.
    pub(super) fn plan(&mut self, parts: &[Node]) -> Result<Plan, TantivyError> {
        let mut plan = Plan::default();
        let mut typed = Vec::new();
        for (place, node) in parts.iter().enumerate() {
            match node {
                Node::Word(text) => {
                    typed.push(text.as_str());
                    let wanted = self.wanted(text)?;
                    let is_known = self.is_known(&wanted)?;
                    self.score(&wanted.sought, &mut plan.units)?;
                    plan.words.push(Loose {
                        place,
                        text: text.clone(),
                        query: self.word(self.fields.text, &wanted)?,
                        in_parts: [
                            self.apart(self.fields.title, &wanted.sought)?,
                            self.apart(self.fields.anchor, &wanted.sought)?,
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
                    plan.rest.push((Occur::Must, query));
                }
            }
        }
        plan.names = self.names(&typed.join(" "));
        plan.is_cut = self.is_cut;
        Ok(plan)
    }

    /// What the typed words are together, in each way of stemming.
    fn names(&mut self, typed: &str) -> Vec<u64> {
        let languages = self.languages.most.iter().map(|it| Some(it.as_str())).chain([None]);
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
        let term = |field, text: &str| {
            let term = Term::from_field_text(field, text);
            filter(Box::new(TermQuery::new(term, IndexRecordOption::Basic)))
        };
        Ok(match node {
            Node::Word(text) => {
                let wanted = self.wanted(text)?;
                self.scored(&wanted.sought, units)?;
                self.word(field, &wanted)?
            }
            Node::Phrase(text) => {
                let wanted = self.wanted_phrase(text)?;
                self.scored(&wanted.sought, units)?;
                self.word(field, &wanted)?
            }
            Node::Prefix(prefix) => {
                let (query, are_all) = self.prefix(prefix, field, units)?;
                self.is_cut |= !are_all;
                query
            }
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
            Node::Not(node) => filter(Box::new(BooleanQuery::new(vec![
                (Occur::Must, Box::new(AllQuery)),
                (Occur::MustNot, self.excluded(node, field)?),
            ]))),
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
        filter(Box::new(RangeQuery::new(from.map(term), to.map(term))))
    }

    /// Pages that have a word: as one, or all that it is made of.
    fn word(&self, field: Field, wanted: &Wanted) -> Result<Boxed, TantivyError> {
        let sought = &wanted.sought;
        let mut ways = self.terms(field, &sought.whole)?;
        if let [part] = sought.row.as_slice() {
            ways.extend(self.terms(field, &part.stems)?);
        } else if sought.is_near {
            ways.extend(self.phrases(field, &wanted.rows)?);
        } else if !sought.row.is_empty() {
            ways.push(self.parts(field, &sought.row)?);
        }
        if let Some(raw) = wanted.as_typed.as_ref().filter(|_| field == self.fields.text) {
            ways.push(Box::new(TermQuery::new(raw.clone(), IndexRecordOption::Basic)));
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

    pub(super) fn terms(&self, field: Field, stems: &[String]) -> Result<Vec<Boxed>, TantivyError> {
        let known = self.known(field, stems)?;
        let query = |term| Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)) as Boxed;
        Ok(known.into_iter().map(|(term, _)| query(term)).collect())
    }

    fn phrases(&self, field: Field, rows: &[Vec<Part>]) -> Result<Vec<Boxed>, TantivyError> {
        let mut readings: Vec<Vec<(usize, Term)>> = Vec::new();
        for row in rows {
            let mut reading = Vec::with_capacity(row.len());
            for part in row {
                let known = self.known(field, &part.stems)?;
                reading.extend(known.into_iter().map(|(term, _)| (part.position, term)));
            }
            if reading.len() == row.len() && !readings.contains(&reading) {
                readings.push(reading);
            }
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

    fn is_known(&self, wanted: &Wanted) -> Result<bool, TantivyError> {
        let (field, sought) = (self.fields.text, &wanted.sought);
        if let Some(raw) = &wanted.as_typed
            && self.searcher.doc_freq(raw)? > 0
        {
            return Ok(true);
        }
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

    fn scored(
        &mut self,
        sought: &Sought,
        units: Option<&mut Vec<Unit>>,
    ) -> Result<(), TantivyError> {
        units.map_or(Ok(()), |units| self.score(sought, units))
    }

    /// Adds the units of a word: it as one, and what it is made of, one after the other.
    fn score(&mut self, sought: &Sought, units: &mut Vec<Unit>) -> Result<(), TantivyError> {
        let mut before = self.last.map(|last| (last, 1));
        let is_whole = !sought.row.is_empty();
        units.extend(self.unit(&sought.whole, None)?.map(|unit| Unit { is_whole, ..unit }));
        let mut position = 0;
        for part in &sought.row {
            let step = u32::try_from(part.position.saturating_sub(position)).unwrap_or(u32::MAX);
            let follows = before.map(|(at, distance)| (at, distance + step));
            position = part.position;
            let Some(unit) = self.unit(&part.stems, Some(&part.raw))? else {
                before = None;
                continue;
            };
            let is_same = |it: &Unit| it.raw == unit.raw && it.stems == unit.stems;
            let at = units.iter().position(is_same).unwrap_or(units.len());
            if at == units.len() {
                units.push(unit);
            }
            // A word that is there once more counts once, and stands beside one other.
            let follows = follows.filter(|(before, _)| *before != at);
            units[at].follows = units[at].follows.or(follows);
            before = Some((at, 0));
            self.last = Some(at);
        }
        Ok(())
    }

    /// None if no page has it.
    pub(super) fn unit(
        &self,
        stems: &[String],
        raw: Option<&str>,
    ) -> Result<Option<Unit>, TantivyError> {
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

/// Pages are chosen by it, and are no better for it.
fn filter(query: Boxed) -> Boxed {
    Box::new(ConstScoreQuery::new(query, 0.0))
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
