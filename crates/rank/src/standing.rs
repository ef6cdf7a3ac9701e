//! The file of ranks: how the search asks what a document is worth.
//!
//! Magic, the store's end that it was computed from, the number of rows; rows of key and three
//! values, by key; the checksum of all that. The values are logarithms: a page that has exactly
//! its fair share, 1 in as many as there are, has 0, and ten times as much has ln 10.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rhumb_disk::{DiskFile, SharedDisk};
use rhumb_web::UrlKey;

use crate::fresh::Fresh;
use crate::graph::{Graph, Groups, Level, collapse};
use crate::width::{place, wide};
use crate::{RankError, RankSettings, Ranking, krank, pagerank};

pub(crate) const NAME: &str = "ranks";
const MAGIC: [u8; 8] = *b"rhranks\x01";
/// Magic, end, number of rows.
const HEAD: usize = 24;
const ROW: usize = 20;
const SUM: usize = 4;
/// On average; so a shelf is found with one look and searched within two cache lines.
const KEYS_A_SHELF: usize = 16;
/// Rows that are read at once.
const ROWS: usize = 4_096;

/// What a document is worth, as logarithms of its fair share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Its `PageRank`.
    pub page: f32,
    /// Its rank by one vote a domain.
    pub vote: f32,
    /// The rank of its site, by one vote a domain.
    pub site: f32,
}

/// What computing the ranks took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// The generation of what was written.
    pub generation: u64,
    /// Rounds of `PageRank`.
    pub page_rounds: u32,
    /// Rounds of one vote a domain.
    pub vote_rounds: u32,
    /// Rounds of the same over sites.
    pub site_rounds: u32,
}

/// Computes all ranks of a graph and puts them in the place of the folder's old ones. Holds about
/// 40 bytes a node; the graph of sites is sorted in `memory_bytes`.
pub fn compute(
    disk: &SharedDisk,
    folder: &Path,
    graph: &Graph,
    settings: &RankSettings,
    memory_bytes: usize,
) -> Result<Figures, RankError> {
    let (pages, page_rounds) = standings(pagerank(graph, settings)?);
    let (votes, vote_rounds) = standings(krank(graph, settings)?);
    let site_graph = collapse(disk, folder, graph, Level::Site, memory_bytes)?;
    let (sites, site_rounds) = standings(krank(&site_graph, settings)?);
    let site_of = Groups::read(graph, Level::Site)?.of;

    let mut out = Fresh::create(disk, folder, NAME, MAGIC)?;
    let mut sum = crc32fast::Hasher::new();
    sum.update(&MAGIC);
    let mut put = |bytes: &[u8]| {
        sum.update(bytes);
        out.put(bytes)
    };
    put(&graph.built_at().to_le_bytes())?;
    put(&graph.names().to_le_bytes())?;
    graph.each_name(|key, node| {
        let node = place(node);
        put(&key.0.to_le_bytes())?;
        let site = sites[place(site_of[node])];
        [pages[node], votes[node], site].iter().try_for_each(|value| put(&value.to_le_bytes()))
    })?;
    let sum = sum.finalize();
    out.put(&sum.to_le_bytes())?;
    out.publish()?;
    let generation = generation(graph.built_at(), sum);
    Ok(Figures { generation, page_rounds, vote_rounds, site_rounds })
}

/// Logarithms of what is above or below the fair share.
fn standings(ranking: Ranking) -> (Vec<f32>, u32) {
    let count = u32::try_from(ranking.values.len()).expect("nodes are counted with 32 bits");
    let standing = |value: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "seven digits of a rank suffice")]
        let standing = (value * f64::from(count)).max(f64::MIN_POSITIVE).ln() as f32;
        standing
    };
    (ranking.values.into_iter().map(standing).collect(), ranking.rounds)
}

/// Another number whenever the file holds something else.
fn generation(built_at: u64, sum: u32) -> u64 {
    built_at << 32 | u64::from(sum)
}

/// The ranks of all documents in memory: 20 bytes each, and half a byte to find them.
#[derive(Debug)]
pub struct Ranks {
    generation: u64,
    built_at: u64,
    keys: Vec<u64>,
    values: Vec<[f32; 3]>,
    shelves: Shelves,
}

/// Where the keys begin that have the same first bits. Keys are hashes, so every shelf has few.
#[derive(Debug)]
struct Shelves {
    /// How many bits are not looked at.
    rest: u32,
    starts: Vec<usize>,
}

impl Shelves {
    fn new(keys: &[u64]) -> Self {
        let bits = (keys.len() / KEYS_A_SHELF).max(1).ilog2();
        let mut shelves = Self { rest: u64::BITS - bits, starts: Vec::new() };
        for (at, key) in keys.iter().enumerate() {
            let shelf = shelves.shelf(*key);
            shelves.starts.resize(shelves.starts.len().max(shelf + 1), at);
        }
        shelves.starts.resize((1 << bits) + 1, keys.len());
        shelves
    }

    fn shelf(&self, key: u64) -> usize {
        // With one shelf there are 64 bits to leave out.
        usize::try_from(key.checked_shr(self.rest).unwrap_or(0)).expect("there are few shelves")
    }

    fn range(&self, key: u64) -> Range<usize> {
        let shelf = self.shelf(key);
        self.starts[shelf]..self.starts[shelf + 1]
    }
}

impl Ranks {
    /// The ranks that were computed last, if there are any.
    pub fn open(disk: &SharedDisk, folder: &Path) -> Result<Option<Self>, RankError> {
        let Some(source) = RankFile::open(disk, folder)? else { return Ok(None) };
        source.read().map(Some)
    }

    /// The generation that [`Self::open`] would find, without reading it all.
    pub fn newest(disk: &SharedDisk, folder: &Path) -> Result<Option<u64>, RankError> {
        let Some(source) = RankFile::open(disk, folder)? else { return Ok(None) };
        Ok(Some(generation(source.built_at, source.sum()?)))
    }

    /// How far the graph below them had read the store, without reading it all.
    pub fn newest_built_at(disk: &SharedDisk, folder: &Path) -> Result<Option<u64>, RankError> {
        Ok(RankFile::open(disk, folder)?.map(|found| found.built_at))
    }

    /// What a document is worth, or what it has moved to; none if it is not in the graph.
    pub fn get(&self, key: UrlKey) -> Option<Standing> {
        let shelf = self.shelves.range(key.0);
        let place = self.keys[shelf.clone()].binary_search(&key.0).ok()?;
        let [page, vote, site] = self.values[shelf.start + place];
        Some(Standing { page, vote, site })
    }

    /// Another number whenever the ranks are others.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How far the graph below had read the store.
    pub fn built_at(&self) -> u64 {
        self.built_at
    }

    /// How many keys have a standing.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether no key has one.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

struct RankFile {
    path: PathBuf,
    file: Box<dyn DiskFile>,
    built_at: u64,
    head: [u8; HEAD],
    rows: usize,
}

impl RankFile {
    fn open(disk: &SharedDisk, folder: &Path) -> Result<Option<Self>, RankError> {
        let path = folder.join(NAME);
        if !disk.exists(&path).map_err(RankError::disk("look for", &path))? {
            return Ok(None);
        }
        let file = disk.open(&path).map_err(RankError::disk("open", &path))?;
        let mut head = [0; HEAD];
        let read = file.read_at(0, &mut head).map_err(RankError::disk("read", &path))?;
        RankError::check_magic(&path, &head[..read.min(MAGIC.len())], MAGIC)?;
        let word = |at: usize| {
            u64::from_le_bytes(head[at..at + 8].try_into().expect("a word has eight bytes"))
        };
        let length = file.length().map_err(RankError::disk("measure", &path))?;
        let (built_at, count) = (word(8), word(16));
        let rows = usize::try_from(count).ok().filter(|_| {
            count.checked_mul(wide(ROW)).and_then(|bytes| bytes.checked_add(wide(HEAD + SUM)))
                == Some(length)
        });
        let rows = rows.ok_or_else(|| RankError::damaged(&path, "it has not its length"))?;
        Ok(Some(Self { path, file, built_at, head, rows }))
    }

    fn sum(&self) -> Result<u32, RankError> {
        let mut sum = [0; SUM];
        self.fill(wide(HEAD) + wide(ROW) * wide(self.rows), &mut sum)?;
        Ok(u32::from_le_bytes(sum))
    }

    fn read(&self) -> Result<Ranks, RankError> {
        let (mut keys, mut values) = (Vec::with_capacity(self.rows), Vec::with_capacity(self.rows));
        let mut sum = crc32fast::Hasher::new();
        sum.update(&self.head);
        let mut bytes = vec![0; ROWS * ROW];
        let mut at = wide(HEAD);
        while keys.len() < self.rows {
            bytes.truncate((self.rows - keys.len()).min(ROWS) * ROW);
            self.fill(at, &mut bytes)?;
            sum.update(&bytes);
            at += wide(bytes.len());
            for row in bytes.chunks_exact(ROW) {
                let (key, value) = row.split_at(8);
                keys.push(u64::from_le_bytes(key.try_into().expect("a key has eight bytes")));
                values.push(std::array::from_fn(|at| {
                    let value = value[at * 4..][..4].try_into().expect("a value has four bytes");
                    f32::from_le_bytes(value)
                }));
            }
        }
        let sum = sum.finalize();
        if sum != self.sum()? {
            return Err(RankError::damaged(&self.path, "its checksum is wrong"));
        }
        let generation = generation(self.built_at, sum);
        let shelves = Shelves::new(&keys);
        Ok(Ranks { generation, built_at: self.built_at, keys, values, shelves })
    }

    fn fill(&self, at: u64, buffer: &mut [u8]) -> Result<(), RankError> {
        let read = self.file.read_at(at, buffer).map_err(RankError::disk("read", &self.path))?;
        let damaged = || RankError::damaged(&self.path, "it ends within a row");
        if read == buffer.len() { Ok(()) } else { Err(damaged()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(keys: &[u64], asked: u64) {
        let range = Shelves::new(keys).range(asked);
        assert_eq!(keys[range].contains(&asked), keys.contains(&asked), "{asked}");
    }

    #[test]
    fn every_key_is_on_its_shelf_however_many_there_are() {
        for count in [0, 1, 15, 16, 31, 32, 1_000, 5_000] {
            let spread = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut keys: Vec<u64> = (1..=count).map(spread).collect();
            keys.sort_unstable();
            for number in 0..count + 20 {
                check(&keys, spread(number));
            }
            check(&keys, u64::MAX);
            let low: Vec<u64> = (0..count).collect();
            check(&low, count / 2);
            check(&low, u64::MAX);
        }
    }
}
