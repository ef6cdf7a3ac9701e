//! The link graph of a crawl that has ended.

use std::collections::HashMap;
use std::path::Path;

use rhumb_study::Graph;
use rhumb_web::CanonUrl;

use crate::export::graph;
use crate::fault::Fault;
use crate::{crawl, home, seeds, word};

/// The graph that `rhumb export --to graph` prints, by pay-level domains. It begins at the seeds of
/// the crawl; where none of them is in it, at the page with the most links.
pub(super) fn graph(folder: &Path) -> Result<Graph, Fault> {
    let settings = home::settings(folder)?;
    let texts = settings.seeds.iter().map(String::as_str);
    let wanted = seeds::canonical(texts, crawl::canon(&settings))?;
    let mut domains: HashMap<String, u32> = HashMap::new();
    let mut pages: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut starts = Vec::new();
    let is_there = graph::each(folder, |row| {
        let url =
            row.url.and_then(|url| CanonUrl::parse_with(url, rhumb_web::Canon::KeepQuery).ok());
        // What has no URL any more is nobody's, and all of that is one domain.
        let domain = url.as_ref().map_or("", |url| url.pld().as_str());
        let next = u32::try_from(domains.len()).unwrap_or(u32::MAX);
        let domain = *domains.entry(domain.to_owned()).or_insert(next);
        if url.is_some_and(|url| wanted.contains(&url)) {
            starts.push(u32::try_from(pages.len()).unwrap_or(u32::MAX));
        }
        pages.push((domain, row.links.to_vec()));
        Ok(())
    })?;
    if !is_there || pages.is_empty() {
        return Err(Fault::failed(
            format!("{} has no link graph", folder.display()),
            format!("rhumb index {}", word::path(folder)),
        ));
    }
    if starts.is_empty() {
        let most = (0..).zip(&pages).max_by_key(|(page, (_, links))| (links.len(), !page));
        starts.extend(most.map(|(page, _): (u32, _)| page));
    }
    let mut graph = Graph::new(vec![false; domains.len()]);
    for (domain, mut links) in pages {
        graph.add(domain, &mut links);
    }
    graph.begin_at(starts);
    Ok(graph)
}
