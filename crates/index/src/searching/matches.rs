//! Matches of a query: how many there are, and what they are.

use std::collections::HashMap;

use tantivy::columnar::StrColumn;
use tantivy::query::{EnableScoring, Query};
use tantivy::{DocAddress, DocId, DocSet, Searcher, SegmentReader, TERMINATED, TantivyError};

use crate::Facets;
use crate::schema::column;

/// Matches that are counted one by one; of more it is said that they are at least so many.
const COUNTED_MAX: u64 = 10_000;
/// Matches whose kinds are counted.
const SAMPLE_MAX: u64 = 100_000;
/// Entries of each facet.
const FACET_MAX: usize = 20;

/// What was counted.
#[derive(Debug)]
pub(super) struct Matches {
    pub(super) total: u64,
    pub(super) is_exact: bool,
    pub(super) facets: Option<Facets>,
}

/// Counts the matches of a query, and on demand what they are.
pub(super) fn count(
    searcher: &Searcher,
    query: &dyn Query,
    with_facets: bool,
) -> Result<Matches, TantivyError> {
    let most = if with_facets { SAMPLE_MAX } else { COUNTED_MAX };
    let mut total = 0;
    let mut counted = Counts::default();
    each_match(searcher, query, |reader, docs| {
        let docs = &docs[..docs.len().min(usize::try_from(most - total).unwrap_or(usize::MAX))];
        total += u64::try_from(docs.len()).expect("a length fits 64 bits");
        if with_facets {
            counted.add(reader, docs)?;
        }
        Ok(total < most)
    })?;
    let is_exact = total < most;
    let facets = with_facets.then(|| counted.facets(!is_exact));
    Ok(Matches { total, is_exact, facets })
}

/// The same of pages that are known already.
pub(super) fn of_pages(
    searcher: &Searcher,
    mut pages: Vec<DocAddress>,
    are_all: bool,
    with_facets: bool,
) -> Result<Matches, TantivyError> {
    let total = u64::try_from(pages.len()).expect("a length fits 64 bits");
    let mut counted = Counts::default();
    if with_facets {
        pages.sort_unstable();
        for pages in pages.chunk_by(|a, b| a.segment_ord == b.segment_ord) {
            let docs: Vec<DocId> = pages.iter().map(|page| page.doc_id).collect();
            counted.add(searcher.segment_reader(pages[0].segment_ord), &docs)?;
        }
    }
    let facets = with_facets.then(|| counted.facets(!are_all));
    Ok(Matches { total, is_exact: are_all, facets })
}

/// Hands over live matches segment by segment, as long as more are wanted.
pub(super) fn each_match(
    searcher: &Searcher,
    query: &dyn Query,
    mut f: impl FnMut(&SegmentReader, &[DocId]) -> Result<bool, TantivyError>,
) -> Result<(), TantivyError> {
    let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
    let mut block = Vec::with_capacity(BLOCK);
    for reader in searcher.segment_readers() {
        let mut matches = weight.scorer(reader, 1.0)?;
        let mut doc = matches.doc();
        while doc != TERMINATED {
            if !reader.is_deleted(doc) {
                block.push(doc);
            }
            doc = matches.advance();
            let is_full = block.len() == BLOCK || doc == TERMINATED;
            if is_full && !f(reader, &std::mem::take(&mut block))? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Matches that are handed over at once.
const BLOCK: usize = 1_024;

/// What is counted for the facets.
#[derive(Debug, Default)]
struct Counts([Counted; 3]);

impl Counts {
    fn add(&mut self, reader: &SegmentReader, docs: &[DocId]) -> Result<(), TantivyError> {
        let names = [column::HOST, column::LANGUAGE, column::KIND];
        self.0.iter_mut().zip(names).try_for_each(|(counted, name)| counted.add(reader, name, docs))
    }

    fn facets(self, is_sample: bool) -> Facets {
        let [sites, languages, kinds] = self.0.map(Counted::most);
        Facets { sites, languages, kinds, is_sample }
    }
}

/// How often each value of a column was met.
#[derive(Debug, Default)]
struct Counted(HashMap<String, u64>);

impl Counted {
    fn add(
        &mut self,
        reader: &SegmentReader,
        name: &str,
        docs: &[DocId],
    ) -> Result<(), TantivyError> {
        let Some(column) = reader.fast_fields().str(name)? else { return Ok(()) };
        let mut counts: HashMap<u64, u64> = HashMap::new();
        for doc in docs {
            for number in column.term_ords(*doc) {
                *counts.entry(number).or_default() += 1;
            }
        }
        for (number, count) in counts {
            *self.0.entry(text(&column, number)?).or_default() += count;
        }
        Ok(())
    }

    /// The most frequent first, equals by name.
    fn most(self) -> Vec<(String, u64)> {
        let mut counts: Vec<_> = self.0.into_iter().collect();
        counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts.truncate(FACET_MAX);
        counts
    }
}

fn text(column: &StrColumn, number: u64) -> Result<String, TantivyError> {
    let mut text = String::new();
    column.ord_to_str(number, &mut text)?;
    Ok(text)
}
