//! Results as data: the same for `rhumb search --json` and for `/api/search`; and the words that
//! go with them.

use std::collections::BTreeMap;

use rhumb_index::{Answer, Facets, Hit, Loosened};
use rhumb_web::words::counted;
use serde::Serialize;

use crate::look::moment;

/// A result.
#[derive(Clone, Debug, Serialize)]
pub struct ResultRow<'a> {
    rank: usize,
    url: &'a str,
    title: Option<&'a str>,
    snippet: &'a str,
    /// Where in the snippet the words of the query are, in characters.
    marks: Vec<Mark>,
    score: f32,
    site: &'a str,
    time: String,
    date: Option<String>,
    language: Option<&'a str>,
    #[serde(rename = "type")]
    kind: &'a str,
    folded: u64,
    parts: Option<BTreeMap<&'a str, f32>>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Mark {
    from: usize,
    to: usize,
}

/// What is said of all results together.
#[derive(Clone, Debug, Serialize)]
pub struct ResultSum<'a> {
    total: u64,
    exact: bool,
    suggestion: Option<&'a str>,
    note: Option<String>,
    facets: Option<FacetLists<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct FacetLists<'a> {
    sample: bool,
    sites: Vec<Facet<'a>>,
    languages: Vec<Facet<'a>>,
    types: Vec<Facet<'a>>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Facet<'a> {
    name: &'a str,
    count: u64,
}

/// A result, with the parts of its score if they were asked for.
pub fn row(hit: &Hit, explain: bool) -> ResultRow<'_> {
    let snippet = &hit.snippet;
    let chars = |bytes: usize| snippet.text[..bytes].chars().count();
    let marks = snippet.marks.iter();
    let parts = hit.parts.iter().map(|part| (part.name, part.value));
    ResultRow {
        rank: hit.rank,
        url: hit.url.as_str(),
        title: hit.title.as_deref(),
        snippet: &snippet.text,
        marks: marks.map(|mark| Mark { from: chars(mark.start), to: chars(mark.end) }).collect(),
        score: hit.score,
        site: &hit.site,
        time: moment(i64::try_from(hit.fetched_ms).unwrap_or(i64::MAX)),
        date: hit.dated_ms.map(moment),
        language: hit.language.as_deref(),
        kind: &hit.kind,
        folded: hit.folded,
        parts: explain.then(|| parts.collect()),
    }
}

/// What is said of all results together; facets where they were asked for.
pub fn sum(answer: &Answer) -> ResultSum<'_> {
    ResultSum {
        total: answer.total,
        exact: answer.is_exact,
        suggestion: answer.suggestion.as_deref(),
        note: answer.loosened.as_ref().map(loosened),
        facets: answer.facets.as_ref().map(lists),
    }
}

fn lists(facets: &Facets) -> FacetLists<'_> {
    FacetLists {
        sample: facets.is_sample,
        sites: list(&facets.sites),
        languages: list(&facets.languages),
        types: list(&facets.kinds),
    }
}

fn list(facets: &[(String, u64)]) -> Vec<Facet<'_>> {
    facets.iter().map(|(name, count)| Facet { name, count: *count }).collect()
}

/// What was done to a query to find anything, in a sentence.
pub fn loosened(how: &Loosened) -> String {
    let corrected = how.corrected.iter().map(|(word, found)| format!("{word} was read as {found}"));
    let dropped = how.dropped.iter().map(|word| format!("no page has {word}"));
    let partial = how.is_partial.then(|| "no page has all of the words".to_owned());
    corrected.chain(dropped).chain(partial).collect::<Vec<_>>().join("; ")
}

/// What is said of results that are not shown for another one; none if there are none.
pub fn folded(count: u64) -> Option<String> {
    let say = if count == 1 { "says" } else { "say" };
    (count > 0).then(|| format!("and {} that {say} nearly the same", counted(count, "page")))
}
