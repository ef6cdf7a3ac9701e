//! Lists of neighbours in a file: for every node that has any, its neighbours, by their gaps.
//!
//! A block has whole pieces; a piece is a node (by its distance from the one before), how many
//! neighbours follow, the first by its distance from the node, and the gaps between them all.
//! A long list comes in several pieces.

use std::path::Path;

use rhumb_disk::DiskFile;

use crate::fresh::Fresh;
use crate::width::wide;
use crate::{RankError, varint};

/// A block is written once it is as long.
const BLOCK_BYTES: usize = 1 << 16;
/// The most neighbours of a piece; so a block is never far above its length.
const PIECE_MAX: usize = 1 << 14;
/// Far above what a writer makes.
const BLOCK_BYTES_MAX: usize = 1 << 20;
/// Length and checksum of a block.
const HEAD: usize = 8;

/// Writes lists from edges that come sorted.
pub(super) struct ListsWriter {
    index: Vec<Place>,
    edges: u64,
    last: Option<u64>,
    node: u32,
    neighbours: Vec<u32>,
    block: Vec<u8>,
    /// The node of the last piece in the block.
    before: u32,
}

/// Where a block begins, and with which node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) node: u32,
    pub(super) at: u64,
}

impl ListsWriter {
    pub(super) fn new() -> Self {
        Self {
            index: Vec::new(),
            edges: 0,
            last: None,
            node: 0,
            neighbours: Vec::new(),
            block: Vec::new(),
            before: 0,
        }
    }

    /// The next edge, both ends in one number; one that was just there is left out.
    pub(super) fn push(&mut self, out: &mut Fresh, edge: u64) -> Result<(), RankError> {
        if self.last == Some(edge) {
            return Ok(());
        }
        let (node, neighbour) = unpack(edge);
        if self.neighbours.len() == PIECE_MAX || self.node != node {
            self.end_piece(out)?;
        }
        self.last = Some(edge);
        self.node = node;
        self.neighbours.push(neighbour);
        self.edges += 1;
        Ok(())
    }

    fn end_piece(&mut self, out: &mut Fresh) -> Result<(), RankError> {
        let Some(&first) = self.neighbours.first() else { return Ok(()) };
        if self.block.is_empty() {
            self.block.resize(HEAD, 0);
            self.index.push(Place { node: self.node, at: out.length() });
            self.before = self.node;
        }
        varint::put(&mut self.block, u64::from(self.node - self.before));
        varint::put(&mut self.block, wide(self.neighbours.len()));
        varint::put(&mut self.block, fold(i64::from(first) - i64::from(self.node)));
        for pair in self.neighbours.windows(2) {
            varint::put(&mut self.block, u64::from(pair[1] - pair[0] - 1));
        }
        self.before = self.node;
        self.neighbours.clear();
        if self.block.len() >= BLOCK_BYTES { self.end_block(out) } else { Ok(()) }
    }

    fn end_block(&mut self, out: &mut Fresh) -> Result<(), RankError> {
        let length = u32::try_from(self.block.len() - HEAD).expect("a block is small");
        let sum = crc32fast::hash(&self.block[HEAD..]);
        self.block[..4].copy_from_slice(&length.to_le_bytes());
        self.block[4..HEAD].copy_from_slice(&sum.to_le_bytes());
        out.put(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// The index of the blocks, and how many edges they have.
    pub(super) fn finish(mut self, out: &mut Fresh) -> Result<(Vec<Place>, u64), RankError> {
        self.end_piece(out)?;
        if !self.block.is_empty() {
            self.end_block(out)?;
        }
        Ok((self.index, self.edges))
    }
}

/// All links of a graph by their node, in pieces.
#[derive(Debug)]
pub struct LinkStream<'g> {
    file: &'g dyn DiskFile,
    path: &'g Path,
    /// The blocks that are left.
    index: &'g [Place],
    nodes: u32,
    body: Vec<u8>,
    at: usize,
    node: u32,
    neighbours: Vec<u32>,
}

impl<'g> LinkStream<'g> {
    pub(super) fn new(
        file: &'g dyn DiskFile,
        path: &'g Path,
        index: &'g [Place],
        nodes: u32,
    ) -> Self {
        let (body, neighbours) = (Vec::new(), Vec::new());
        Self { file, path, index, nodes, body, at: 0, node: 0, neighbours }
    }

    /// Only from the block on that may have this node first.
    pub(super) fn seek(mut self, node: u32) -> Self {
        let after = self.index.partition_point(|place| place.node < node);
        self.index = &self.index[after.saturating_sub(1)..];
        self
    }

    /// The next node and neighbours of it, both ascending. A node that has many comes more than
    /// once, one that has none does not come.
    pub fn advance(&mut self) -> Result<Option<(u32, &[u32])>, RankError> {
        if self.at == self.body.len() && !self.next_block()? {
            return Ok(None);
        }
        match self.piece() {
            Some(()) => Ok(Some((self.node, &self.neighbours))),
            None => Err(RankError::damaged(self.path, "a list of links makes no sense")),
        }
    }

    fn piece(&mut self) -> Option<()> {
        let mut rest = &self.body[self.at..];
        let step = u32::try_from(varint::take(&mut rest)?).ok()?;
        let node = self.node.checked_add(step).filter(|node| *node < self.nodes)?;
        let count = varint::take(&mut rest)?;
        let first = i64::from(node).checked_add(unfold(varint::take(&mut rest)?))?;
        let mut neighbour = u32::try_from(first).ok().filter(|first| *first < self.nodes)?;
        self.neighbours.clear();
        self.neighbours.push(neighbour);
        for _ in 1..count {
            let gap = u32::try_from(varint::take(&mut rest)?).ok()?;
            neighbour = neighbour.checked_add(gap)?.checked_add(1)?;
            self.neighbours.push(neighbour);
        }
        self.node = node;
        self.at = self.body.len() - rest.len();
        (neighbour < self.nodes).then_some(())
    }

    fn next_block(&mut self) -> Result<bool, RankError> {
        let Some((place, rest)) = self.index.split_first() else { return Ok(false) };
        let damaged = |what| RankError::damaged(self.path, what);
        let mut head = [0; HEAD];
        self.read(place.at, &mut head, HEAD)?;
        let [a, b, c, d, sum @ ..] = head;
        let length = usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(usize::MAX);
        if length == 0 || length > BLOCK_BYTES_MAX {
            return Err(damaged("a block is longer than it can be"));
        }
        let mut body = std::mem::take(&mut self.body);
        body.resize(length, 0);
        self.read(place.at + wide(HEAD), &mut body, length)?;
        if crc32fast::hash(&body) != u32::from_le_bytes(sum) {
            return Err(damaged("the checksum of a block is wrong"));
        }
        self.body = body;
        self.at = 0;
        self.node = place.node;
        self.index = rest;
        Ok(true)
    }

    fn read(&self, at: u64, buffer: &mut [u8], length: usize) -> Result<(), RankError> {
        let count = self.file.read_at(at, buffer).map_err(RankError::disk("read", self.path))?;
        let damaged = || RankError::damaged(self.path, "it ends within a block");
        if count == length { Ok(()) } else { Err(damaged()) }
    }
}

/// An edge in one number, that sorts by its first end.
pub(super) fn pack(node: u64, neighbour: u64) -> u64 {
    node << 32 | neighbour
}

fn unpack(edge: u64) -> (u32, u32) {
    let half = |edge: u64| u32::try_from(edge & u64::from(u32::MAX)).expect("32 bits are left");
    (half(edge >> 32), half(edge))
}

/// Small numbers of either sign become small numbers.
fn fold(distance: i64) -> u64 {
    (distance << 1 ^ distance >> 63).cast_unsigned()
}

fn unfold(folded: u64) -> i64 {
    (folded >> 1).cast_signed() ^ -(folded & 1).cast_signed()
}
