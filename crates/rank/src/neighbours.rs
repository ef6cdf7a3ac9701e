//! The links of one document as of now: what the graph has, and what was said since.

use std::collections::HashMap;
use std::path::Path;

use rhumb_disk::SharedDisk;
use rhumb_web::UrlKey;

use crate::store::{Scan, Word};
use crate::width::wide;
use crate::{Graph, RankError};

/// The most bytes of the store that are read for what was said since the graph was built.
pub const NEIGHBOURS_BYTES_MAX: u64 = 64 << 20;

/// Documents beside a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// Some of them, up to the limit.
    pub keys: Vec<UrlKey>,
    /// How many there are.
    pub total: u64,
}

/// The documents that link to a document, as far as the store was synced to `end`. Where the graph
/// has more than the limit, one that was read again since may be counted twice.
pub fn links_to(
    disk: &SharedDisk,
    folder: &Path,
    graph: Option<&Graph>,
    end: u64,
    key: UrlKey,
    limit: usize,
) -> Result<Neighbours, RankError> {
    let Neighbours { mut keys, total } =
        graph.map(|graph| graph.in_links(key, limit)).transpose()?.unwrap_or_default();
    let mut since = HashMap::new();
    each_since(disk, folder, graph, end, |source, word| {
        let links = matches!(word, Word::Links(links) if links.binary_search(&key.0).is_ok());
        since.insert(source, links && source != key);
    })?;
    let before = keys.len();
    keys.retain(|key| since.remove(key) != Some(false));
    let gone = wide(before - keys.len());
    let mut new: Vec<UrlKey> =
        since.into_iter().filter_map(|(source, links)| links.then_some(source)).collect();
    new.sort_unstable();
    let total = total - gone + wide(new.len());
    keys.extend(new);
    keys.truncate(limit);
    Ok(Neighbours { keys, total })
}

/// The documents that a document links to: those of the graph, or, if it was read since, all that
/// it names, known or not.
pub fn links_from(
    disk: &SharedDisk,
    folder: &Path,
    graph: Option<&Graph>,
    end: u64,
    key: UrlKey,
    limit: usize,
) -> Result<Neighbours, RankError> {
    let mut last = None;
    each_since(disk, folder, graph, end, |source, word| {
        if source == key {
            last = Some(match word {
                Word::Links(links) => Neighbours {
                    keys: links.iter().take(limit).map(|key| UrlKey(*key)).collect(),
                    total: wide(links.len()),
                },
                Word::Gone | Word::Moved(_) => Neighbours::default(),
            });
        }
    })?;
    match (last, graph) {
        (Some(last), _) => Ok(last),
        (None, Some(graph)) => graph.out_links(key, limit),
        (None, None) => Ok(Neighbours::default()),
    }
}

/// What was said since the graph was built.
fn each_since(
    disk: &SharedDisk,
    folder: &Path,
    graph: Option<&Graph>,
    end: u64,
    mut visit: impl FnMut(UrlKey, Word<'_>),
) -> Result<(), RankError> {
    let from = graph.map_or(0, Graph::built_at);
    if end <= from {
        return Ok(());
    }
    let mut scan = Scan::open(disk, folder, from, end)?;
    while scan.at() <= from + NEIGHBOURS_BYTES_MAX
        && let Some(record) = scan.advance()?
    {
        visit(record.source.key, record.word);
    }
    Ok(())
}
