//! From what the documents said to a graph, by sorting what memory does not hold.
//!
//! - The last word of every document.
//! - The documents in their order: their numbers.
//! - Every key that leads to a number, through what has moved.
//! - All links by the key that they name; beside those keys, the links by number, both ways.

use std::path::Path;

use rhumb_disk::SharedDisk;

use super::footer::Footer;
use super::lists::{ListsWriter, pack};
use super::rows::{Rows, RowsWriter};
use super::{MAGIC, NAME};
use crate::RankError;
use crate::fresh::Fresh;
use crate::sorter::{Desk, Sorted, Sorter};
use crate::store::{Scan, Word};

/// The most steps from a document to the one that it is; whatever leads further leads nowhere.
const MOVES_MAX: usize = 8;
/// As many sorters hold rows at once, at most.
const SORTERS: usize = 4;
/// The most nodes: their number fits in 32 bits.
const NODES_MAX: u32 = u32::MAX;

const GONE: u64 = 0;
const MOVED: u64 = 1;
const LINKS: u64 = 2;
/// What a document said is noted in the lowest bits of its ordinal.
const KINDS: u64 = 4;

pub(super) fn build(
    disk: &SharedDisk,
    folder: &Path,
    end: u64,
    memory_bytes: usize,
) -> Result<(), RankError> {
    let desk = Desk::new(disk, folder, memory_bytes / SORTERS);
    let mut out = Fresh::create(disk, folder, NAME, MAGIC)?;

    let scan = || Scan::open(disk, folder, 0, end);
    let (documents, aliases) = last_words(&desk, scan()?)?;
    let numbered = number(&desk, &mut out, documents, folder)?;
    let names = name(&desk, numbered.names, aliases)?;
    let links = links(&desk, scan()?, numbered.places)?;
    let joined = join(&desk, &mut out, names, links)?;
    let (forward, edges) = write_lists(&mut out, joined.forward)?;
    let (backward, _) = write_lists(&mut out, joined.backward)?;

    let (nodes, names) = (numbered.nodes, joined.names);
    let footer = Footer { built_at: end, edges, nodes, names, forward, backward };
    footer.write(&mut out)?;
    out.publish()
}

/// The documents, `[domain, site, key, ordinal]`, and `[the key it is, key]` of what has moved.
fn last_words(desk: &Desk, mut scan: Scan) -> Result<(Sorted<4>, Sorted<2>), RankError> {
    let mut words = desk.sorter();
    while let Some(record) = scan.advance()? {
        let (kind, first, second) = match record.word {
            Word::Gone => (GONE, 0, 0),
            Word::Moved(to) => (MOVED, to, 0),
            Word::Links(_) => (LINKS, record.source.site, record.source.domain),
        };
        words.push([record.source.key.0, record.ordinal * KINDS + kind, first, second])?;
    }
    let mut documents = desk.sorter();
    let mut moves = Vec::new();
    let mut settle = |[key, word, first, second]: [u64; 4]| match word % KINDS {
        LINKS => documents.push([second, first, key, word / KINDS]),
        MOVED => {
            moves.push([key, first]);
            Ok(())
        }
        _ => Ok(()),
    };
    let mut last: Option<[u64; 4]> = None;
    for row in words.finish()? {
        let row = row?;
        if let Some(before) = last.replace(row)
            && before[0] != row[0]
        {
            settle(before)?;
        }
    }
    last.map_or(Ok(()), settle)?;
    let mut aliases = desk.sorter();
    for &[key, to] in &moves {
        if let Some(end) = follow(&moves, to) {
            aliases.push([end, key])?;
        }
    }
    Ok((documents.finish()?, aliases.finish()?))
}

/// Where a key leads at last, which is no key that has moved.
fn follow(moves: &[[u64; 2]], mut key: u64) -> Option<u64> {
    for _ in 0..MOVES_MAX {
        match moves.binary_search_by_key(&key, |[from, _]| *from) {
            Ok(place) => key = moves[place][1],
            Err(_) => return Some(key),
        }
    }
    None
}

struct Numbered {
    nodes: Rows<3>,
    /// `[key, node]`.
    names: Sorted<2>,
    /// `[ordinal, node]`.
    places: Sorted<2>,
}

fn number(
    desk: &Desk,
    out: &mut Fresh,
    documents: Sorted<4>,
    folder: &Path,
) -> Result<Numbered, RankError> {
    let mut nodes = RowsWriter::new(out);
    let (mut names, mut places) = (desk.sorter(), desk.sorter());
    for (node, row) in (0..).zip(documents) {
        let [domain, site, key, ordinal] = row?;
        if node >= u64::from(NODES_MAX) {
            return Err(RankError::TooMany { path: folder.to_owned(), most: NODES_MAX });
        }
        nodes.push(out, [key, site, domain])?;
        names.push([key, node])?;
        places.push([ordinal, node])?;
    }
    Ok(Numbered { nodes: nodes.finish(out)?, names: names.finish()?, places: places.finish()? })
}

/// All `[key, node]`: those of the documents, and those that have moved to one.
fn name(desk: &Desk, names: Sorted<2>, mut aliases: Sorted<2>) -> Result<Sorted<2>, RankError> {
    let mut all = desk.sorter();
    let mut alias = aliases.next().transpose()?;
    for row in names {
        let [key, node] = row?;
        all.push([key, node])?;
        while let Some([end, moved]) = alias
            && end <= key
        {
            if end == key {
                all.push([moved, node])?;
            }
            alias = aliases.next().transpose()?;
        }
    }
    all.finish()
}

/// The links of all last words, `[key that is named, node]`.
fn links(desk: &Desk, mut scan: Scan, mut places: Sorted<2>) -> Result<Sorted<2>, RankError> {
    let mut links = desk.sorter();
    let mut place = places.next().transpose()?;
    while let Some([ordinal, node]) = place {
        let Some(record) = scan.advance()? else { break };
        if record.ordinal < ordinal {
            continue;
        }
        if let Word::Links(keys) = record.word {
            keys.iter().try_for_each(|key| links.push([*key, node]))?;
        }
        place = places.next().transpose()?;
    }
    links.finish()
}

struct Joined {
    names: Rows<2>,
    forward: Sorted<1>,
    backward: Sorted<1>,
}

/// Writes the names and looks up the links among them on the way.
fn join(
    desk: &Desk,
    out: &mut Fresh,
    names: Sorted<2>,
    mut links: Sorted<2>,
) -> Result<Joined, RankError> {
    let mut rows = RowsWriter::new(out);
    let mut edges = Edges::new(desk);
    let mut link = links.next().transpose()?;
    for row in names {
        let [key, node] = row?;
        rows.push(out, [key, node])?;
        while let Some([named, from]) = link
            && named <= key
        {
            if named == key {
                edges.push(from, node)?;
            }
            link = links.next().transpose()?;
        }
    }
    let (forward, backward) = edges.finish()?;
    Ok(Joined { names: rows.finish(out)?, forward, backward })
}

/// Edges on their way to be sorted both ways.
pub(super) struct Edges<'d> {
    forward: Sorter<'d, 1>,
    backward: Sorter<'d, 1>,
}

impl<'d> Edges<'d> {
    pub(super) fn new(desk: &'d Desk) -> Self {
        Self { forward: desk.sorter(), backward: desk.sorter() }
    }

    /// An edge, unless it leads to where it starts.
    pub(super) fn push(&mut self, from: u64, to: u64) -> Result<(), RankError> {
        if from != to {
            self.forward.push([pack(from, to)])?;
            self.backward.push([pack(to, from)])?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(Sorted<1>, Sorted<1>), RankError> {
        Ok((self.forward.finish()?, self.backward.finish()?))
    }
}

pub(super) fn write_lists(
    out: &mut Fresh,
    edges: Sorted<1>,
) -> Result<(Vec<super::lists::Place>, u64), RankError> {
    let mut lists = ListsWriter::new();
    for edge in edges {
        let [edge] = edge?;
        lists.push(out, edge)?;
    }
    lists.finish(out)
}
