//! One query, from its text to its answer.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use rhumb_web::registrable;
use tantivy::{DocAddress, TantivyError};

use super::candidates::{CANDIDATES_MAX, Candidates, choose};
use super::matches;
use super::plan::{Plan, Planner};
use super::score::{Scored, Scorer};
use super::{Searcher, Seen, Weights};
use crate::ask::{Node, Query};
use crate::snippet::{Matcher, snippet};
use crate::spelling::Spelling;
use crate::words::{Analyser, folded};
use crate::{Answer, Hit, IndexError, Loosened, RESULTS_MAX, Snippet, Want};

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
        loosened.is_partial = partial.is_some() && with_all == 0 && !scored.is_empty();
        let mut matches = if with_all < CANDIDATES_MAX {
            let pages = scored.iter().map(|it| it.address).collect();
            matches::of_pages(searcher, pages, partial.unwrap_or(true), self.want.facets)?
        } else {
            matches::count(searcher, &*plan.all(), self.want.facets)?
        };
        matches.is_exact &= !plan.is_cut;
        let hint = hint.or_else(|| {
            let mut sites = parts.iter().filter(|_| matches.total == 0);
            sites.find_map(below)
        });
        let root = Node::all(parts).unwrap_or(Node::Word(String::new()));
        let suggestion = if matches.total < FEW_RESULTS { self.suggestion(&root)? } else { None };
        let meant = Query { root, hint: None };
        let matcher = Matcher::new(self.analyser, &meant, &seen.languages.most);
        let (hits, has_more) = self.hits(scored, &matcher)?;
        Ok(Answer {
            hits,
            total: matches.total,
            is_exact: matches.is_exact,
            has_more,
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
            is_cut: false,
            last: None,
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
            } else if parts.iter().filter(|part| part.has_words()).count() > 1 {
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
        let better = spelling.correct(self.analyser, &query, &seen.languages.most)?;
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

    /// The page of hits that is wanted, of each group the best, with the others counted; and
    /// whether there are more.
    fn hits(
        &mut self,
        scored: Vec<Scored>,
        matcher: &Matcher,
    ) -> Result<(Vec<Hit>, bool), TantivyError> {
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
        shown.truncate(RESULTS_MAX);
        let has_more = shown.len() > self.want.from.saturating_add(self.want.count);
        let wanted = shown.into_iter().enumerate().skip(self.want.from).take(self.want.count);
        let hits =
            wanted.map(|(place, (scored, folded))| self.hit(place + 1, &scored, folded, matcher));
        Ok((hits.collect::<Result<_, _>>()?, has_more))
    }

    fn hit(
        &mut self,
        rank: usize,
        scored: &Scored,
        folded: u64,
        matcher: &Matcher,
    ) -> Result<Hit, TantivyError> {
        let kept = self.seen.stores.kept(scored.address)?;
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

/// What to say of a site under which other sites lie that have nothing to do with it.
fn below(part: &Node) -> Option<String> {
    let Node::Site(site) = part else { return None };
    let is_address = site.starts_with('[') || site.ends_with(|last: char| last.is_ascii_digit());
    let is_domain = is_address || registrable(site).is_some();
    (!is_domain).then(|| {
        format!("site:{site} is that host only, not those below it; write site:example.{site}")
    })
}
