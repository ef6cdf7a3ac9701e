//! The link graph, a document a line.

use std::io::Write;
use std::path::Path;

use rhumb_rank::{Graph, LinkStream, RankError, Ranks, Standing};
use serde::Serialize;

use crate::fault::Fault;
use crate::{indexing, printable, search, tell, word};

/// A document with its links.
#[derive(Serialize)]
pub(crate) struct Row<'a> {
    id: u32,
    pub(crate) url: Option<&'a str>,
    site: Option<String>,
    pagerank: Option<f64>,
    krank: Option<f64>,
    site_krank: Option<f64>,
    /// The numbers of those that it links to.
    pub(crate) links: &'a [u32],
}

/// Writes all documents in the order of their numbers.
pub(super) fn write(folder: &Path, out: &mut impl Write) -> Result<(), Fault> {
    let is_there = each(folder, |row| {
        let line = printable::json(row).map_err(std::io::Error::from)?;
        Ok(out.write_all(line.as_bytes())?)
    })?;
    if !is_there {
        tell("note: there is no link graph yet; it is made when links are many, and at the end");
    }
    Ok(())
}

/// Shows all documents in the order of their numbers; says whether there is a graph of them.
pub(crate) fn each(
    folder: &Path,
    mut see: impl FnMut(&Row<'_>) -> Result<(), Fault>,
) -> Result<bool, Fault> {
    let fault = |error: RankError| {
        Fault::failed(error.to_string(), format!("rhumb index {}", word::path(folder)))
    };
    let searcher = search::searcher(folder)?;
    let links = folder.join(indexing::FOLDER).join("links");
    let disk = rhumb_disk::real();
    let Some(graph) = Graph::open(&disk, &links).map_err(fault)? else {
        return Ok(false);
    };
    let ranks = Ranks::open(&disk, &links).map_err(fault)?;
    let sites = sites(&graph).map_err(fault)?;
    let mut cursor = LinkCursor { stream: graph.links(), next: None };
    let mut of_node = Vec::new();
    for (id, key) in (0..).zip(graph.keys().map_err(fault)?) {
        cursor.links_of(id, &mut of_node).map_err(fault)?;
        let url = searcher.url_of(key).map_err(|error| search::refused(&error, folder))?;
        let standing = ranks.as_ref().and_then(|ranks| ranks.get(key));
        let share = |value: fn(&Standing) -> f32, among: u32| {
            standing.as_ref().map(|it| f64::from(value(it)).exp() / f64::from(among))
        };
        see(&Row {
            id,
            url: url.as_ref().map(rhumb_web::CanonUrl::as_str),
            site: url.as_ref().map(|url| url.site().to_string()),
            pagerank: share(|it| it.page, graph.nodes()),
            krank: share(|it| it.vote, graph.nodes()),
            site_krank: share(|it| it.site, sites),
            links: &of_node,
        })?;
    }
    Ok(true)
}

/// The sites of a graph; the documents of one lie together.
fn sites(graph: &Graph) -> Result<u32, RankError> {
    let (mut sites, mut last) = (0, None);
    graph.each_source(|source| {
        if last.replace(source.site) != Some(source.site) {
            sites += 1;
        }
    })?;
    Ok(sites)
}

/// A stream of links that is asked document by document.
struct LinkCursor<'g> {
    stream: LinkStream<'g>,
    /// What was read of a document that was not asked for yet.
    next: Option<(u32, Vec<u32>)>,
}

impl LinkCursor<'_> {
    fn links_of(&mut self, id: u32, links: &mut Vec<u32>) -> Result<(), RankError> {
        links.clear();
        loop {
            if self.next.is_none() {
                let read = self.stream.advance()?;
                self.next = read.map(|(node, links)| (node, links.to_vec()));
            }
            let Some((_, more)) = self.next.take_if(|(node, _)| *node == id) else { return Ok(()) };
            links.extend(more);
        }
    }
}
