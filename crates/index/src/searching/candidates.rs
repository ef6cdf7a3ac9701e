//! Which pages are scored in full.

use std::collections::HashSet;

use rhumb_rank::Ranks;
use rhumb_web::UrlKey;
use tantivy::collector::TopDocs;
use tantivy::query::Query;
use tantivy::{DocAddress, Searcher, TantivyError};

use super::matches::each_match;
use super::plan::Plan;
use crate::RESULTS_MAX;
use crate::schema::column;

/// Candidates by all that a page is found by.
pub(super) const CANDIDATES_MAX: usize = RESULTS_MAX;
/// Candidates by the title alone, and by the texts of links alone.
const BY_PART_MAX: usize = 200;
/// If fewer pages have all words, those that have some are candidates too.
const FEW: usize = 100;
/// Pages that are looked at to find the highest ranks where no word chooses.
const UNCHOSEN_MAX: usize = 20_000;

/// The candidates.
#[derive(Debug)]
pub(super) struct Candidates {
    pub(super) pages: Vec<DocAddress>,
    /// How many of them, the first ones, have all words.
    pub(super) with_all: usize,
    /// Whether pages with only some of the words were looked for, and whether those are all.
    pub(super) partial: Option<bool>,
}

/// Chooses candidates.
pub(super) fn choose(
    searcher: &Searcher,
    plan: &Plan,
    ranks: Option<&Ranks>,
) -> Result<Candidates, TantivyError> {
    let all = plan.all();
    if plan.units.is_empty() {
        let pages = unchosen(searcher, &*all, ranks)?;
        return Ok(Candidates { with_all: pages.len(), pages, partial: None });
    }
    let mut pages = best(searcher, &*all, CANDIDATES_MAX)?;
    let with_all = pages.len();
    if with_all == CANDIDATES_MAX {
        for query in plan.in_parts() {
            pages.extend(best(searcher, &*query, BY_PART_MAX)?);
        }
    }
    let mut partial = None;
    if with_all < FEW && plan.units.len() > 1 && !plan.words.is_empty() {
        let some = best(searcher, &*plan.some(), CANDIDATES_MAX)?;
        partial = Some(some.len() < CANDIDATES_MAX);
        pages.extend(some);
    }
    let mut met = HashSet::with_capacity(pages.len());
    pages.retain(|page| met.insert(*page));
    Ok(Candidates { pages, with_all, partial })
}

fn best(
    searcher: &Searcher,
    query: &dyn Query,
    most: usize,
) -> Result<Vec<DocAddress>, TantivyError> {
    let found = searcher.search(query, &TopDocs::with_limit(most).order_by_score())?;
    Ok(found.into_iter().map(|(_, address)| address).collect())
}

/// The pages with the highest ranks among the first matches.
fn unchosen(
    searcher: &Searcher,
    query: &dyn Query,
    ranks: Option<&Ranks>,
) -> Result<Vec<DocAddress>, TantivyError> {
    let segments = searcher.segment_readers();
    let mut pages: Vec<(f32, DocAddress)> = Vec::new();
    each_match(searcher, query, |reader, docs| {
        let keys = reader.fast_fields().u64(column::KEY)?;
        let segment = segments.iter().position(|it| it.segment_id() == reader.segment_id());
        let segment = segment.and_then(|it| u32::try_from(it).ok()).unwrap_or_default();
        for doc in docs {
            let key = keys.first(*doc).map(UrlKey);
            let standing = ranks.zip(key).and_then(|(ranks, key)| ranks.get(key));
            let vote = standing.map_or(0.0, |standing| standing.vote);
            pages.push((vote, DocAddress::new(segment, *doc)));
        }
        Ok(pages.len() < UNCHOSEN_MAX)
    })?;
    pages.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    pages.truncate(CANDIDATES_MAX);
    Ok(pages.into_iter().map(|(_, page)| page).collect())
}
