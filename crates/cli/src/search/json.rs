//! Results as data.

use std::collections::BTreeMap;

use rhumb_index::{Answer, Hit, Want};
use serde::Serialize;

use crate::screen;

#[derive(Serialize)]
struct Row<'a> {
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

#[derive(Serialize)]
struct Mark {
    from: usize,
    to: usize,
}

#[derive(Serialize)]
struct Sum<'a> {
    total: u64,
    exact: bool,
    suggestion: Option<&'a str>,
    note: Option<String>,
    facets: Facets<'a>,
}

#[derive(Serialize)]
struct Facets<'a> {
    sample: bool,
    sites: Vec<Facet<'a>>,
    languages: Vec<Facet<'a>>,
    types: Vec<Facet<'a>>,
}

#[derive(Serialize)]
struct Facet<'a> {
    name: &'a str,
    count: u64,
}

pub(super) fn print(answer: &Answer, want: &Want) -> std::io::Result<()> {
    for hit in &answer.hits {
        screen::print(&row(hit, want.explain))?;
    }
    let Some(facets) = &answer.facets else { return Ok(()) };
    let facets = Facets {
        sample: facets.is_sample,
        sites: list(&facets.sites),
        languages: list(&facets.languages),
        types: list(&facets.kinds),
    };
    screen::print(&Sum {
        total: answer.total,
        exact: answer.is_exact,
        suggestion: answer.suggestion.as_deref(),
        note: answer.loosened.as_ref().map(super::text::loosened),
        facets,
    })
}

fn list(facets: &[(String, u64)]) -> Vec<Facet<'_>> {
    facets.iter().map(|(name, count)| Facet { name, count: *count }).collect()
}

fn row(hit: &Hit, explain: bool) -> Row<'_> {
    let snippet = &hit.snippet;
    let chars = |bytes: usize| snippet.text[..bytes].chars().count();
    let marks = snippet.marks.iter();
    let parts = hit.parts.iter().map(|part| (part.name, part.value));
    Row {
        rank: hit.rank,
        url: hit.url.as_str(),
        title: hit.title.as_deref(),
        snippet: &snippet.text,
        marks: marks.map(|mark| Mark { from: chars(mark.start), to: chars(mark.end) }).collect(),
        score: hit.score,
        site: &hit.site,
        time: super::text::time(i64::try_from(hit.fetched_ms).unwrap_or(i64::MAX)),
        date: hit.dated_ms.map(super::text::time),
        language: hit.language.as_deref(),
        kind: &hit.kind,
        folded: hit.folded,
        parts: explain.then(|| parts.collect()),
    }
}
