//! One question to the index, and who answers it: the index, or somebody who asked before.

use std::sync::Arc;

use rhumb_index::{Answer, Want};

use crate::House;
use crate::http::Refused;

/// Results on a page.
pub(crate) const PAGE_RESULTS: usize = 10;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    /// In the words of whoever asks.
    pub(crate) query: String,
    /// Results to pass over.
    pub(crate) from: usize,
    /// Results to give.
    pub(crate) count: usize,
    /// Whether the parts of scores are told.
    pub(crate) explain: bool,
    /// Whether matches are counted by what they are.
    pub(crate) facets: bool,
}

/// Asks the index, or remembers what it said; whether it is still the same is looked at each time.
pub(crate) async fn ask(house: &House, asked: Asked) -> Result<Arc<Answer>, Refused> {
    let answers = Arc::clone(&house.answers);
    house
        .search(move |searcher| {
            let stamp = (searcher.cursor(), searcher.documents());
            if let Some(answer) = answers.of(&asked, stamp) {
                return Ok(answer);
            }
            let want = Want {
                from: asked.from,
                count: asked.count,
                explain: asked.explain,
                facets: asked.facets,
                ..Want::default()
            };
            let answer = Arc::new(searcher.search(&asked.query, &want)?);
            answers.keep(asked, stamp, Arc::clone(&answer));
            Ok(answer)
        })
        .await
}
