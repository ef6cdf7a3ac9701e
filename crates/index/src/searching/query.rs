//! One query, from its text to its answer.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use tantivy::{DocAddress, TantivyError};

use super::candidates::{Candidates, choose};
use super::matches;
use super::plan::{Plan, Planner};
use super::score::{Scored, Scorer};
use super::{Searcher, Seen, Weights};
use crate::ask::{Node, Query};
use crate::snippet::{Matcher, snippet};
use crate::spelling::Spelling;
use crate::words::{Analyser, folded};
use crate::{Answer, Hit, IndexError, Loosened, RESULTS_MAX, Snippet, Want, lookup};

/// Letters of a snippet.
const SNIPPET_CHARS: usize = 240;
/// With more results than that nobody is told what may have been meant.
const FEW_RESULTS: u64 = 3;
/// A page with some of the words must have this part of their worth.
const WORTH_MIN: f32 = 0.4;

impl Searcher {
    /// Answers a query.
    pub fn search(&self, query: &str, want: &Want) -> Result<Answer, IndexError> {
        let query = Query::parse(query)?;
        let seen = self.seen();
        self.with_analyser(|analyser| {
            Asking { searcher: self, seen: &seen, analyser, want }.answer(query)
        })
        .map_err(self.failed("search"))
    }
}

/// A query while it is answered.
struct Asking<'a> {
    searcher: &'a Searcher,
    seen: &'a Seen,
    analyser: &'a mut Analyser,
    want: &'a Want,
}

impl Asking<'_> {
    fn answer(&mut self, query: Query) -> Result<Answer, TantivyError> {
        let hint = query.hint;
        let mut parts = match query.root {
            Node::All(nodes) => nodes,
            node => vec![node],
        };
        let mut plan = self.plan(&parts)?;
        let mut loosened = Loosened::default();
        if plan.words.iter().any(|word| !word.is_known) {
            self.mend(&plan, &mut parts, &mut loosened)?;
            plan = self.plan(&parts)?;
        }
        let seen = self.seen;
        let (searcher, ranks) = (&seen.searcher, seen.ranks.as_deref());
        let chosen = choose(searcher, &plan, ranks)?;
        let weights = self.want.weights.unwrap_or_default();
        let partial = chosen.partial;
        let with_all = chosen.with_all;
        let scored = self.scored(&plan, chosen, &weights)?;
        let mut matches = matches::count(searcher, &*plan.all(), self.want.facets)?;
        if let Some(are_all) = partial {
            loosened.is_partial = with_all == 0 && !scored.is_empty();
            matches.total = matches.total.max(count_of(&scored));
            matches.is_exact = are_all;
        }
        let root = Node::all(parts).unwrap_or(Node::Word(String::new()));
        let suggestion = if matches.total < FEW_RESULTS { self.suggestion(&root)? } else { None };
        let meant = Query { root, hint: None };
        let matcher = Matcher::new(self.analyser, &meant, &self.seen.languages);
        let hits = self.hits(scored, &matcher)?;
        Ok(Answer {
            hits,
            total: matches.total,
            is_exact: matches.is_exact,
            suggestion,
            hint,
            loosened: (loosened != Loosened::default()).then_some(loosened),
            facets: matches.facets,
        })
    }

    fn plan(&mut self, parts: &[Node]) -> Result<Plan, TantivyError> {
        Planner {
            searcher: &self.seen.searcher,
            fields: &self.searcher.fields,
            languages: &self.seen.languages,
            analyser: self.analyser,
        }
        .plan(parts)
    }

    /// Words that no page has are corrected, or left out if others remain.
    fn mend(
        &self,
        plan: &Plan,
        parts: &mut Vec<Node>,
        loosened: &mut Loosened,
    ) -> Result<(), TantivyError> {
        let spelling = Spelling::new(&self.seen.searcher, self.searcher.fields.word);
        for word in plan.words.iter().rev().filter(|word| !word.is_known) {
            let place = word.place..=word.place;
            if let Some(better) = spelling.suggest(&folded(&word.text))? {
                let nodes = better.split(' ').map(|word| Node::Word(word.to_owned()));
                drop(parts.splice(place, nodes));
                loosened.corrected.insert(0, (word.text.clone(), better));
            } else if parts.iter().filter(|part| !matches!(part, Node::Not(_))).count() > 1 {
                drop(parts.drain(place));
                loosened.dropped.insert(0, word.text.clone());
            }
        }
        Ok(())
    }

    /// The query as it may have been meant.
    fn suggestion(&mut self, root: &Node) -> Result<Option<String>, TantivyError> {
        let query = Query { root: root.clone(), hint: None };
        let (seen, field) = (self.seen, self.searcher.fields.word);
        let spelling = Spelling::new(&seen.searcher, field);
        let better = spelling.correct(self.analyser, &query, &seen.languages)?;
        Ok(better.map(|query| query.to_string()))
    }

    fn scored(
        &self,
        plan: &Plan,
        chosen: Candidates,
        weights: &Weights,
    ) -> Result<Vec<Scored>, TantivyError> {
        let scorer = Scorer {
            searcher: &self.seen.searcher,
            fields: &self.searcher.fields,
            weights,
            ranks: self.seen.ranks.as_deref(),
            newest_ms: self.seen.newest_ms,
        };
        let with_all: HashSet<DocAddress> =
            chosen.pages[..chosen.with_all].iter().copied().collect();
        let mut scored = scorer.score(plan, chosen.pages)?;
        if chosen.partial.is_some() {
            let least = plan.worth() * WORTH_MIN;
            scored.retain(|it| it.covered >= least || with_all.contains(&it.address));
        }
        Ok(scored)
    }

    /// The page of hits that is wanted: of each group the best, with the others counted.
    fn hits(&mut self, scored: Vec<Scored>, matcher: &Matcher) -> Result<Vec<Hit>, TantivyError> {
        let mut groups: HashMap<u64, usize> = HashMap::new();
        let mut shown: Vec<(Scored, u64)> = Vec::new();
        for scored in scored {
            match groups.entry(scored.group) {
                Entry::Occupied(first) => shown[*first.get()].1 += 1,
                Entry::Vacant(place) => {
                    place.insert(shown.len());
                    shown.push((scored, 0));
                }
            }
        }
        let wanted = shown.into_iter().enumerate().take(RESULTS_MAX).skip(self.want.from);
        wanted
            .take(self.want.count)
            .map(|(place, (scored, folded))| self.hit(place + 1, &scored, folded, matcher))
            .collect()
    }

    fn hit(
        &mut self,
        rank: usize,
        scored: &Scored,
        folded: u64,
        matcher: &Matcher,
    ) -> Result<Hit, TantivyError> {
        let field = self.searcher.fields.kept;
        let kept = lookup::kept(&self.seen.searcher, field, scored.address)?;
        let (about, language) = (kept.description.as_deref(), kept.language.as_deref());
        let snippet = if kept.no_snippet {
            Snippet::default()
        } else {
            snippet(self.analyser, &kept.main, about, language, matcher, SNIPPET_CHARS)
        };
        Ok(Hit {
            rank,
            key: kept.key,
            site: kept.url.authority().to_owned(),
            url: kept.url,
            title: kept.title,
            snippet,
            score: scored.score,
            parts: if self.want.explain { scored.parts() } else { Vec::new() },
            fetched_ms: kept.fetched_ms,
            dated_ms: kept.dated_ms,
            language: kept.language,
            kind: kept.kind,
            folded,
            place: kept.place,
            no_archive: kept.no_archive,
        })
    }
}

fn count_of(scored: &[Scored]) -> u64 {
    u64::try_from(scored.len()).expect("a length fits 64 bits")
}
