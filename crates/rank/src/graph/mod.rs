//! Documents by number, and the links between them both ways.
//!
//! The nodes lie in the order of domain, site and key, so that the pages of a domain lie together
//! and most links are short. A graph is one file, written aside and renamed:
//! magic, nodes (key, site, domain), names (every key that leads to a node, sorted), lists of
//! links, lists of links the other way, and at the end the footer that says where they lie.

mod build;
mod collapse;
mod footer;
mod lists;
mod rows;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use rhumb_disk::{DiskFile, SharedDisk};
use rhumb_web::UrlKey;

pub(crate) use self::collapse::Groups;
pub use self::collapse::{Level, collapse};
use self::footer::Footer;
pub use self::lists::LinkStream;
use crate::width::{place, wide};
use crate::{Neighbours, RankError, Source};

pub(crate) const NAME: &str = "graph";
const MAGIC: [u8; 8] = *b"rhgraph\x01";

/// A graph as it was built. It stays readable while a newer one takes its place.
#[derive(Debug)]
pub struct Graph {
    path: PathBuf,
    file: Box<dyn DiskFile>,
    footer: Footer,
    nodes: u32,
}

impl Graph {
    /// Builds the graph of a store as far as `end`, an end that was synced, and puts it in the
    /// place of the folder's old one. Sorting holds about `memory_bytes`, and 16 bytes for every
    /// document that has moved. A folder has one builder at a time; the store's writer may go on.
    pub fn build(
        disk: &SharedDisk,
        folder: &Path,
        end: u64,
        memory_bytes: usize,
    ) -> Result<Self, RankError> {
        build::build(disk, folder, end, memory_bytes)?;
        Self::found(disk, folder, NAME)
    }

    /// The graph that was built last, if there is one.
    pub fn open(disk: &SharedDisk, folder: &Path) -> Result<Option<Self>, RankError> {
        let path = folder.join(NAME);
        let exists = disk.exists(&path).map_err(RankError::disk("look for", &path))?;
        exists.then(|| Self::found(disk, folder, NAME)).transpose()
    }

    /// The graph of this name, which must be there.
    fn found(disk: &SharedDisk, folder: &Path, name: &str) -> Result<Self, RankError> {
        let path = folder.join(name);
        let file = disk.open(&path).map_err(RankError::disk("open", &path))?;
        let footer = Footer::read(&*file, &path)?;
        let nodes = u32::try_from(footer.nodes.count)
            .map_err(|_| RankError::damaged(&path, "it has more nodes than a graph can"))?;
        Ok(Self { path, file, footer, nodes })
    }

    /// How many documents it has.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// How many links it has, none twice and none from a document to itself.
    pub fn edges(&self) -> u64 {
        self.footer.edges
    }

    /// How many keys lead to a document: theirs, and those of what has moved there.
    pub fn names(&self) -> u64 {
        self.footer.names.count
    }

    /// How far it had read the store.
    pub fn built_at(&self) -> u64 {
        self.footer.built_at
    }

    /// How long its file is.
    pub fn size_bytes(&self) -> Result<u64, RankError> {
        self.file.length().map_err(RankError::disk("measure", &self.path))
    }

    /// The number of a document, or of what it has moved to.
    pub fn node(&self, key: UrlKey) -> Result<Option<u32>, RankError> {
        let found = self.footer.names.find(&*self.file, &self.path, key.0)?;
        found.map(|[_, node]| self.checked(node)).transpose()
    }

    /// The document of a number, which must be below [`Self::nodes`].
    pub fn source(&self, node: u32) -> Result<Source, RankError> {
        self.footer.nodes.row(&*self.file, &self.path, u64::from(node)).map(source)
    }

    /// The keys of all documents by number: 8 bytes each.
    pub fn keys(&self) -> Result<Vec<UrlKey>, RankError> {
        let mut keys = Vec::with_capacity(place(self.nodes));
        self.each_source(|source| keys.push(source.key))?;
        Ok(keys)
    }

    /// All documents in the order of their numbers.
    pub fn each_source(&self, mut visit: impl FnMut(Source)) -> Result<(), RankError> {
        self.footer.nodes.each(&*self.file, &self.path, |row| {
            visit(source(row));
            Ok(())
        })
    }

    /// All keys that lead to a document, ascending, with its number: those of the documents, and
    /// those that have moved there.
    pub fn each_name(
        &self,
        mut visit: impl FnMut(UrlKey, u32) -> Result<(), RankError>,
    ) -> Result<(), RankError> {
        self.footer
            .names
            .each(&*self.file, &self.path, |[key, node]| visit(UrlKey(key), self.checked(node)?))
    }

    /// All links by the documents that they start from.
    pub fn links(&self) -> LinkStream<'_> {
        LinkStream::new(&*self.file, &self.path, &self.footer.forward, self.nodes)
    }

    /// All links by the documents that they lead to.
    pub fn back_links(&self) -> LinkStream<'_> {
        LinkStream::new(&*self.file, &self.path, &self.footer.backward, self.nodes)
    }

    /// The documents that a document links to, up to a limit, and how many they are.
    pub fn out_links(&self, key: UrlKey, limit: usize) -> Result<Neighbours, RankError> {
        self.around(self.links(), key, limit)
    }

    /// The documents that link to a document, up to a limit, and how many they are.
    pub fn in_links(&self, key: UrlKey, limit: usize) -> Result<Neighbours, RankError> {
        self.around(self.back_links(), key, limit)
    }

    fn around(
        &self,
        stream: LinkStream<'_>,
        key: UrlKey,
        limit: usize,
    ) -> Result<Neighbours, RankError> {
        let Some(node) = self.node(key)? else { return Ok(Neighbours::default()) };
        let (mut nodes, mut total) = (Vec::new(), 0);
        let mut stream = stream.seek(node);
        while let Some((at, neighbours)) = stream.advance()? {
            if at > node {
                break;
            }
            if at == node {
                total += wide(neighbours.len());
                nodes.extend(neighbours.iter().take(limit - nodes.len()).copied());
            }
        }
        let key = |node| self.source(node).map(|source| source.key);
        let keys: Result<_, RankError> = nodes.into_iter().map(key).collect();
        Ok(Neighbours { keys: keys?, total })
    }

    fn checked(&self, node: u64) -> Result<u32, RankError> {
        let node = u32::try_from(node).ok().filter(|node| *node < self.nodes);
        node.ok_or_else(|| RankError::damaged(&self.path, "a name leads to no node"))
    }
}

fn source([key, site, domain]: [u64; 3]) -> Source {
    Source { key: UrlKey(key), site, domain }
}
