//! The end of a graph's file: where its parts lie.

use std::path::Path;

use rhumb_disk::DiskFile;

use super::MAGIC;
use super::lists::Place;
use super::rows::Rows;
use crate::RankError;
use crate::fresh::Fresh;
use crate::width::wide;

/// Where the footer begins, and its checksum: the last bytes of the file.
const TAIL: usize = 12;
/// Far above the index of the largest graph.
const FOOTER_BYTES_MAX: u64 = 1 << 30;

#[derive(Debug)]
pub(super) struct Footer {
    pub(super) built_at: u64,
    pub(super) edges: u64,
    pub(super) nodes: Rows<3>,
    pub(super) names: Rows<2>,
    pub(super) forward: Vec<Place>,
    pub(super) backward: Vec<Place>,
}

impl Footer {
    /// Ends the file with it.
    pub(super) fn write(&self, out: &mut Fresh) -> Result<(), RankError> {
        let mut words = vec![self.built_at, self.edges];
        words.extend([self.nodes.at, self.nodes.count, self.names.at, self.names.count]);
        for index in [&self.forward, &self.backward] {
            words.push(wide(index.len()));
            words.extend(index.iter().flat_map(|place| [u64::from(place.node), place.at]));
        }
        let at = out.length();
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let sum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&at.to_le_bytes());
        bytes.extend_from_slice(&sum.to_le_bytes());
        out.put(&bytes)
    }

    pub(super) fn read(file: &dyn DiskFile, path: &Path) -> Result<Self, RankError> {
        let damaged = |what| RankError::damaged(path, what);
        let mut magic = [0; 8];
        let count = file.read_at(0, &mut magic).map_err(RankError::disk("read", path))?;
        RankError::check_magic(path, &magic[..count], MAGIC)?;

        let length = file.length().map_err(RankError::disk("measure", path))?;
        let tail_at = length.saturating_sub(wide(TAIL));
        let mut tail = [0; TAIL];
        let count = file.read_at(tail_at, &mut tail).map_err(RankError::disk("read", path))?;
        if count < TAIL {
            return Err(damaged("it has no end"));
        }
        let (at, sum) = tail.split_at(8);
        let at = u64::from_le_bytes(at.try_into().expect("a word has eight bytes"));
        let length = tail_at.checked_sub(at).filter(|length| *length <= FOOTER_BYTES_MAX);
        let length = length.and_then(|length| usize::try_from(length).ok());
        let mut bytes = vec![0; length.ok_or_else(|| damaged("its end leads nowhere"))?];
        let count = file.read_at(at, &mut bytes).map_err(RankError::disk("read", path))?;
        if count < bytes.len() || crc32fast::hash(&bytes).to_le_bytes() != sum {
            return Err(damaged("the checksum of its end is wrong"));
        }
        Self::parse(&bytes).ok_or_else(|| damaged("its end makes no sense"))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut words = bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("a chunk is as long as a word")));
        let mut next = || words.next();
        let (built_at, edges) = (next()?, next()?);
        let nodes = Rows { at: next()?, count: next()? };
        let names = Rows { at: next()?, count: next()? };
        let mut index = || {
            let count = next()?;
            (0..count)
                .map(|_| Some(Place { node: u32::try_from(next()?).ok()?, at: next()? }))
                .collect::<Option<Vec<Place>>>()
        };
        let (forward, backward) = (index()?, index()?);
        Some(Self { built_at, edges, nodes, names, forward, backward })
    }
}
