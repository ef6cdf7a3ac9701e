//! The graph of sites or of domains: a link where any page of one links to any page of another.

use std::ops::Range;
use std::path::Path;

use rhumb_disk::SharedDisk;
use rhumb_web::UrlKey;

use super::build::{Edges, write_lists};
use super::footer::Footer;
use super::rows::RowsWriter;
use super::{Graph, MAGIC};
use crate::fresh::Fresh;
use crate::sorter::Desk;
use crate::width::place;
use crate::{RankError, Source};

/// Both directions of the edges, and the names.
const SORTERS: usize = 3;

/// What becomes one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// All pages of a host and port.
    Site,
    /// All pages of a registrable domain.
    Domain,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Site => "sites",
            Self::Domain => "domains",
        }
    }

    fn node(self, page: Source) -> Source {
        let Source { site, domain, .. } = page;
        match self {
            Self::Site => Source { key: UrlKey(site), site, domain },
            Self::Domain => Source { key: UrlKey(domain), site: domain, domain },
        }
    }
}

/// Which site or domain every node belongs to. They are numbered in the order of the nodes.
pub(crate) struct Groups {
    /// Of every node, its group.
    pub(crate) of: Vec<u32>,
    /// Of every group, its first node; and the number of nodes.
    starts: Vec<u32>,
}

impl Groups {
    /// Reads them from the table of nodes, which lie together by domain and site.
    pub(crate) fn read(graph: &Graph, level: Level) -> Result<Self, RankError> {
        let (mut of, mut starts) = (Vec::with_capacity(place(graph.nodes())), Vec::new());
        let (mut last, mut count) = (None, 0);
        graph.each_source(|source| {
            let node = level.node(source);
            if last.replace(node) != Some(node) {
                starts.push(count);
            }
            count += 1;
            let group = starts.len() - 1;
            of.push(u32::try_from(group).expect("there are no more groups than nodes"));
        })?;
        starts.push(count);
        Ok(Self { of, starts })
    }

    /// How many nodes each has.
    pub(crate) fn sizes(&self) -> impl ExactSizeIterator<Item = u32> {
        self.starts.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// All nodes of the group that this one is in.
    pub(crate) fn around(&self, node: u32) -> Range<u32> {
        let group = place(self.of[place(node)]);
        self.starts[group]..self.starts[group + 1]
    }
}

/// Builds the graph of all sites, or of all domains, beside the graph that it comes from: its
/// keys are the hashes of [`Source::site`] or [`Source::domain`]. Holds about `memory_bytes`, and
/// 4 bytes a page.
pub fn collapse(
    disk: &SharedDisk,
    folder: &Path,
    graph: &Graph,
    level: Level,
    memory_bytes: usize,
) -> Result<Graph, RankError> {
    let desk = Desk::new(disk, folder, memory_bytes / SORTERS);
    let mut out = Fresh::create(disk, folder, level.name(), MAGIC)?;

    let mut nodes = RowsWriter::new(&out);
    let mut names = desk.sorter();
    let (mut last, mut count) = (None, 0);
    graph.footer.nodes.each(&*graph.file, &graph.path, |row| {
        let node = level.node(super::source(row));
        if last.replace(node) == Some(node) {
            return Ok(());
        }
        names.push([node.key.0, count])?;
        count += 1;
        nodes.push(&mut out, [node.key.0, node.site, node.domain])
    })?;
    let nodes = nodes.finish(&mut out)?;
    let mut rows = RowsWriter::new(&out);
    for name in names.finish()? {
        rows.push(&mut out, name?)?;
    }
    let names = rows.finish(&mut out)?;

    let groups = Groups::read(graph, level)?.of;
    let group = |node: u32| groups[place(node)];
    let mut edges = Edges::new(&desk);
    let mut links = graph.links();
    let mut near = Vec::new();
    while let Some((from, to)) = links.advance()? {
        // The nodes ascend, and so do their groups.
        near.clear();
        near.extend(to.iter().map(|to| group(*to)));
        near.dedup();
        let from = u64::from(group(from));
        near.iter().try_for_each(|to| edges.push(from, u64::from(*to)))?;
    }
    let (forward, backward) = edges.finish()?;
    let (forward, edges) = write_lists(&mut out, forward)?;
    let (backward, _) = write_lists(&mut out, backward)?;
    let built_at = graph.built_at();
    Footer { built_at, edges, nodes, names, forward, backward }.write(&mut out)?;
    out.publish()?;
    Graph::found(disk, folder, level.name())
}
