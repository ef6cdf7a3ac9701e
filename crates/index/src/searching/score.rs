//! The full score of candidates: parts that add up.

use rhumb_rank::Ranks;
use rhumb_web::UrlKey;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{DocAddress, DocId, DocSet, Searcher, SegmentReader, TantivyError};

use super::plan::{Plan, Unit, float};
use crate::schema::{Fields, column};
use crate::{Part, Weights};

/// Candidates, the best by everything else, in which the places of words are compared.
const NEAR_MAX: usize = 200;
/// Places of a word in one candidate that are compared.
const PLACES_MAX: usize = 4_096;
/// How soon words that stand together once more say nothing more.
const NEAR_K: f32 = 1.2;
/// Ranks beyond this count as this: nothing is more than so many times its fair share worth.
const STANDING_MAX: f32 = 8.0;
/// After so many milliseconds freshness is half.
const HALF_LIFE_MS: f32 = 365.0 * 86_400_000.0;

/// The parts of a score, in the order of [`NAMES`].
const PARTS: usize = 15;
const NAMES: [&str; PARTS] = [
    "text",
    "title",
    "heading",
    "url",
    "anchor",
    "coverage",
    "exact",
    "near",
    "same_title",
    "same_anchor",
    "votes",
    "page_rank",
    "site",
    "fresh",
    "spam",
];
const COVERAGE: usize = 5;
const EXACT: usize = 6;
const NEAR: usize = 7;
const SAME_TITLE: usize = 8;
const SAME_ANCHOR: usize = 9;
const VOTE: usize = 10;
const PAGE: usize = 11;
const SITE: usize = 12;
const FRESH: usize = 13;
const SPAM: usize = 14;

/// A candidate with its score.
#[derive(Clone, Debug)]
pub(super) struct Scored {
    pub(super) address: DocAddress,
    pub(super) key: u64,
    pub(super) group: u64,
    pub(super) score: f32,
    /// The sum of idf of the words that it has.
    pub(super) covered: f32,
    /// The part of everything else that it loses.
    lost: f32,
    parts: [f32; PARTS],
}

impl Scored {
    fn new(address: DocAddress) -> Self {
        let (score, covered, lost, parts) = (0.0, 0.0, 0.0, [0.0; PARTS]);
        Self { address, key: 0, group: 0, score, covered, lost, parts }
    }

    /// The parts that add anything.
    pub(super) fn parts(&self) -> Vec<Part> {
        let parts = NAMES.iter().zip(self.parts).filter(|(_, value)| *value != 0.0);
        parts.map(|(name, value)| Part { name, value }).collect()
    }

    /// A factor on the whole is a part like others, so that the parts still add up to the score.
    fn sum(&mut self) {
        let sum: f32 = self.parts[..SPAM].iter().sum();
        self.parts[SPAM] = -self.lost * sum.max(0.0);
        self.score = sum + self.parts[SPAM];
    }
}

/// What scores are made of.
pub(super) struct Scorer<'a> {
    pub(super) searcher: &'a Searcher,
    pub(super) fields: &'a Fields,
    pub(super) weights: &'a Weights,
    pub(super) ranks: Option<&'a Ranks>,
    /// The newest fetch of all, in milliseconds since 1970.
    pub(super) newest_ms: u64,
}

impl Scorer<'_> {
    /// Scores the candidates and sorts them, best first; equals by their keys.
    pub(super) fn score(
        &self,
        plan: &Plan,
        candidates: Vec<DocAddress>,
    ) -> Result<Vec<Scored>, TantivyError> {
        let mut scored: Vec<_> = candidates.into_iter().map(Scored::new).collect();
        let averages = self.averages()?;
        self.each_segment(&mut scored, |reader, scored| {
            for unit in &plan.units {
                self.words(reader, unit, &averages, scored)?;
            }
            self.names(reader, plan, scored)?;
            self.standing(reader, scored)
        })?;
        sort(&mut scored);
        let nearest = scored.len().min(NEAR_MAX);
        self.each_segment(&mut scored[..nearest], |reader, scored| {
            self.nearness(reader, &plan.units, scored)
        })?;
        sort(&mut scored);
        Ok(scored)
    }

    /// Hands over the candidates by segment, in the order of their numbers.
    fn each_segment(
        &self,
        scored: &mut [Scored],
        mut f: impl FnMut(&SegmentReader, &mut [Scored]) -> Result<(), TantivyError>,
    ) -> Result<(), TantivyError> {
        scored.sort_unstable_by_key(|it| (it.address.segment_ord, it.address.doc_id));
        for group in scored.chunk_by_mut(|a, b| a.address.segment_ord == b.address.segment_ord) {
            f(self.searcher.segment_reader(group[0].address.segment_ord), group)?;
        }
        for scored in scored {
            scored.sum();
        }
        Ok(())
    }

    /// Fields with the weights of their words.
    fn weighed(&self) -> [(Field, f32); 5] {
        let (fields, weights) = (self.fields, self.weights);
        [
            (fields.text, weights.text),
            (fields.title, weights.title),
            (fields.heading, weights.heading),
            (fields.url, weights.url),
            (fields.anchor, weights.anchor),
        ]
    }

    /// How many words a page has in each field.
    fn averages(&self) -> Result<[f32; 5], TantivyError> {
        let mut averages = [1.0; 5];
        for (average, (field, _)) in averages.iter_mut().zip(self.weighed()) {
            let (mut words, mut pages) = (0, 0);
            for reader in self.searcher.segment_readers() {
                words += reader.inverted_index(field)?.total_num_tokens();
                pages += u64::from(reader.max_doc());
            }
            *average = (float(words) / float(pages.max(1))).max(1.0);
        }
        Ok(averages)
    }

    fn words(
        &self,
        reader: &SegmentReader,
        unit: &Unit,
        averages: &[f32; 5],
        scored: &mut [Scored],
    ) -> Result<(), TantivyError> {
        for (part, (field, weight)) in self.weighed().into_iter().enumerate() {
            let is_text = field == self.fields.text;
            if weight == 0.0 && !is_text {
                continue;
            }
            let mut counts = vec![0; scored.len()];
            for stem in &unit.stems {
                let term = Term::from_field_bytes(field, stem.serialized_value_bytes());
                count(reader, &term, IndexRecordOption::WithFreqs, scored, &mut counts)?;
            }
            let lengths = reader.get_fieldnorms_reader(field)?;
            let b = if is_text { self.weights.length } else { self.weights.length_of_part };
            for (scored, count) in scored.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
                let length = float(u64::from(lengths.fieldnorm(scored.address.doc_id)));
                let norm = self.weights.k1 * (1.0 - b + b * length / averages[part]);
                let times = float(u64::from(count));
                let worth = times * (self.weights.k1 + 1.0) / (times + norm);
                scored.parts[part] += weight * unit.idf * worth;
                if is_text && !unit.is_whole {
                    scored.covered += unit.idf;
                    scored.parts[COVERAGE] += self.weights.coverage * unit.idf;
                }
            }
        }
        if let Some(raw) = &unit.raw {
            let mut counts = vec![0; scored.len()];
            count(reader, raw, IndexRecordOption::Basic, scored, &mut counts)?;
            for (scored, _) in scored.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
                scored.parts[EXACT] += self.weights.exact * unit.idf_raw;
            }
        }
        Ok(())
    }

    /// Titles and texts of links that are the query.
    fn names(
        &self,
        reader: &SegmentReader,
        plan: &Plan,
        scored: &mut [Scored],
    ) -> Result<(), TantivyError> {
        let worth = plan.worth();
        let fields = [
            (self.fields.titled, SAME_TITLE, self.weights.same_title),
            (self.fields.named, SAME_ANCHOR, self.weights.same_anchor),
        ];
        for (field, part, weight) in fields {
            let mut counts = vec![0; scored.len()];
            for name in &plan.names {
                let term = Term::from_field_u64(field, *name);
                count(reader, &term, IndexRecordOption::Basic, scored, &mut counts)?;
            }
            for (scored, _) in scored.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
                scored.parts[part] = weight * worth;
            }
        }
        Ok(())
    }

    /// What does not depend on the words.
    fn standing(&self, reader: &SegmentReader, scored: &mut [Scored]) -> Result<(), TantivyError> {
        let columns = reader.fast_fields();
        let (keys, groups) = (columns.u64(column::KEY)?, columns.u64(column::GROUP)?);
        let (dates, sinks) = (columns.i64(column::DATED)?, columns.u64(column::SINKS)?);
        for scored in scored {
            let doc = scored.address.doc_id;
            scored.key = keys.first(doc).unwrap_or_default();
            scored.group = groups.first(doc).unwrap_or(scored.key);
            if let Some(standing) = self.ranks.and_then(|ranks| ranks.get(UrlKey(scored.key))) {
                let held = |value: f32| value.clamp(-STANDING_MAX, STANDING_MAX);
                scored.parts[VOTE] = self.weights.vote * held(standing.vote);
                scored.parts[PAGE] = self.weights.page * held(standing.page);
                scored.parts[SITE] = self.weights.site * held(standing.site);
            }
            if sinks.first(doc).is_some() {
                scored.lost = self.weights.spam;
            }
            if let Some(date) = dates.first(doc) {
                let date = u64::try_from(date).unwrap_or(0);
                let age = float(self.newest_ms.saturating_sub(date));
                scored.parts[FRESH] = self.weights.fresh * (-age / HALF_LIFE_MS).exp2();
            }
        }
        Ok(())
    }

    /// Words that stand together as in the query.
    fn nearness(
        &self,
        reader: &SegmentReader,
        units: &[Unit],
        scored: &mut [Scored],
    ) -> Result<(), TantivyError> {
        // Mostly a unit follows the one before it: its places are held, and no others.
        let mut held: Option<(usize, Vec<Vec<u32>>)> = None;
        for (at, unit) in units.iter().enumerate() {
            let Some((before, distance)) = unit.follows else { continue };
            let earlier = match held.take() {
                Some((held, places)) if held == before => places,
                _ => positions(reader, &units[before].stems, scored)?,
            };
            let later = positions(reader, &unit.stems, scored)?;
            let worth = self.weights.near * unit.idf.min(units[before].idf);
            for (scored, (earlier, later)) in scored.iter_mut().zip(earlier.iter().zip(&later)) {
                let times = pairs(earlier, later, distance);
                scored.parts[NEAR] += worth * times / (times + NEAR_K);
            }
            held = Some((at, later));
        }
        Ok(())
    }
}

fn sort(scored: &mut [Scored]) {
    scored.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
}

/// Adds how often each candidate has a term.
fn count(
    reader: &SegmentReader,
    term: &Term,
    option: IndexRecordOption,
    scored: &[Scored],
    counts: &mut [u32],
) -> Result<(), TantivyError> {
    each_having(reader, term, option, scored, |which, postings| {
        counts[which] += postings.term_freq();
    })
}

/// The first places of any of the terms in each candidate, sorted.
fn positions(
    reader: &SegmentReader,
    terms: &[Term],
    scored: &[Scored],
) -> Result<Vec<Vec<u32>>, TantivyError> {
    let mut places = vec![Vec::new(); scored.len()];
    let mut found = Vec::new();
    for term in terms {
        let option = IndexRecordOption::WithFreqsAndPositions;
        each_having(reader, term, option, scored, |which, postings| {
            postings.positions(&mut found);
            places[which].extend(found.iter().take(PLACES_MAX));
        })?;
    }
    if terms.len() > 1 {
        for places in &mut places {
            places.sort_unstable();
            places.truncate(PLACES_MAX);
        }
    }
    Ok(places)
}

fn each_having(
    reader: &SegmentReader,
    term: &Term,
    option: IndexRecordOption,
    scored: &[Scored],
    mut f: impl FnMut(usize, &mut dyn Postings),
) -> Result<(), TantivyError> {
    let Some(mut postings) = reader.inverted_index(term.field())?.read_postings(term, option)?
    else {
        return Ok(());
    };
    for (which, scored) in scored.iter().enumerate() {
        let doc: DocId = scored.address.doc_id;
        if postings.doc() < doc {
            postings.seek(doc);
        }
        if postings.doc() == doc {
            f(which, &mut postings);
        }
    }
    Ok(())
}

/// How often a place of `after` is so far behind one of `before`.
fn pairs(before: &[u32], after: &[u32], distance: u32) -> f32 {
    let (mut at, mut times) = (0, 0_u16);
    for place in before {
        let wanted = place + distance;
        while after.get(at).is_some_and(|place| *place < wanted) {
            at += 1;
        }
        times = times.saturating_add(u16::from(after.get(at) == Some(&wanted)));
    }
    f32::from(times)
}
