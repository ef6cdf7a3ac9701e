//! The links between domains, and the standing of each that follows from them.
//!
//! Pairs gather in bounded memory; when they have grown by a tenth the standing is computed anew
//! on another thread, and the pairs are written to a file beside the crawl. All of it is an
//! estimate that decides who goes first: a kill loses the pairs since the last count, and a file
//! that cannot be read is begun anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::{Disk, SharedDisk};
use rhumb_frontier::{Census, DomainKey};
use rhumb_web::{HashKey, Site};
use tokio::sync::mpsc;

use super::desk::{Desk, Notice};
use super::keeping::guarded;
use crate::store::StoreError;

/// The file of pairs in a crawl's folder.
const FILE: &str = "census";
const MAGIC: [u8; 8] = *b"rhcens\x00\x01";
/// Bytes of a pair, in memory and in the file.
const PAIR_BYTES: usize = 16;
/// Fewer new pairs are not worth a count.
const FRESH_MIN: usize = 1_000;
/// Pairs of late that are not noted again.
const RECENT: usize = 1 << 14;
/// The part of its trust that a domain loses which is taken for one of a link farm.
const FARM_LOSS: f32 = 0.75;
/// What is written at once.
const WRITE_BYTES: usize = 1 << 20;

type Pair = (DomainKey, DomainKey);

/// Who links to whom.
#[derive(Debug)]
pub(super) struct Ballot {
    /// As they were counted last: in order, each once.
    counted: Vec<Pair>,
    /// Since then.
    fresh: Vec<Pair>,
    /// Places for the hashes of pairs that came of late.
    recent: Vec<u64>,
    seeds: BTreeSet<DomainKey>,
    pairs_max: usize,
    /// Of all pairs those with a hash up to this are noted.
    up_to: u64,
    is_counting: bool,
    /// Whether seeds have come since the last count.
    has_new_seeds: bool,
    disk: SharedDisk,
    path: PathBuf,
}

/// What a count gives.
#[derive(Debug)]
pub(super) struct Counted {
    pairs: Vec<Pair>,
    up_to: u64,
    pub(super) census: Census,
}

impl Ballot {
    /// Reads what was noted before; so many bytes may be taken.
    pub(super) fn open(disk: SharedDisk, folder: &Path, bytes: usize) -> Self {
        let path = folder.join(FILE);
        let (up_to, fresh) = read(&*disk, &path).unwrap_or((u64::MAX, Vec::new()));
        Self {
            counted: Vec::new(),
            fresh,
            recent: vec![0; RECENT],
            seeds: BTreeSet::new(),
            pairs_max: (bytes / PAIR_BYTES).max(2 * FRESH_MIN),
            up_to,
            is_counting: false,
            has_new_seeds: false,
            disk,
            path,
        }
    }

    /// A domain from which trust flows.
    pub(super) fn trust(&mut self, hash: HashKey, site: &Site) {
        self.has_new_seeds |= self.seeds.insert(DomainKey::of(hash, site));
    }

    /// A page of a domain links to others.
    pub(super) fn note(&mut self, from: DomainKey, to: Vec<DomainKey>) {
        for to in to {
            let mark = mark((from, to));
            let place = usize::try_from(mark).unwrap_or(usize::MAX) % RECENT;
            if mark <= self.up_to && self.recent[place] != mark {
                self.recent[place] = mark;
                self.fresh.push((from, to));
            }
        }
    }

    /// Whether enough is new to count again.
    pub(super) fn is_due(&self) -> bool {
        let enough = FRESH_MIN.max(self.counted.len() / 10);
        !self.is_counting && (self.has_new_seeds || self.fresh.len() >= enough)
    }

    /// Begins to count on another thread.
    pub(super) fn count(&mut self, notices: mpsc::Sender<Notice>) {
        if self.is_counting {
            return;
        }
        (self.is_counting, self.has_new_seeds) = (true, false);
        let mut pairs = std::mem::take(&mut self.counted);
        pairs.append(&mut self.fresh);
        let (seeds, pairs_max, up_to) = (self.seeds.clone(), self.pairs_max, self.up_to);
        let (disk, path) = (Arc::clone(&self.disk), self.path.clone());
        tokio::task::spawn_blocking(move || {
            let counted = guarded(|| {
                let counted = tally(pairs, &seeds, pairs_max, up_to);
                write(&*disk, &path, counted.up_to, &counted.pairs)
                    .map_err(|source| StoreError::Io { doing: "write", path, source })?;
                Ok(Box::new(counted))
            });
            notices.blocking_send(Notice::Counted(counted)).ok();
        });
    }

    /// Takes the pairs of a count back.
    fn counted(&mut self, pairs: Vec<Pair>, up_to: u64) {
        (self.counted, self.up_to, self.is_counting) = (pairs, up_to, false);
    }
}

impl Desk {
    /// Starts a count where enough is new.
    pub(super) fn tend_ballot(&mut self) {
        if self.ballot.is_due() {
            self.ballot.count(self.keeping.notices());
        }
    }

    /// Tells the partitions what was counted.
    pub(super) fn take_census(&mut self, counted: Counted) {
        self.ballot.counted(counted.pairs, counted.up_to);
        let census = Arc::new(counted.census);
        for partition in &mut self.partitions {
            partition.state_mut().frontier_mut().set_census(Arc::clone(&census));
        }
    }
}

/// The standing of all domains that a pair or a seed names.
fn tally(
    mut pairs: Vec<Pair>,
    seeds: &BTreeSet<DomainKey>,
    pairs_max: usize,
    mut up_to: u64,
) -> Counted {
    pairs.sort_unstable();
    pairs.dedup();
    // Where there are too many an even sample of them stays.
    while pairs.len() > pairs_max {
        up_to /= 2;
        pairs.retain(|pair| mark(*pair) <= up_to);
    }
    let mut domains: Vec<DomainKey> = pairs.iter().flat_map(|(from, to)| [*from, *to]).collect();
    domains.extend(seeds);
    domains.sort_unstable();
    domains.dedup();
    let number = |domain: &DomainKey| {
        let at = domains.binary_search(domain).expect("all of them are listed");
        u32::try_from(at).expect("there are fewer pairs than that")
    };
    let links: Vec<_> = pairs.iter().map(|(from, to)| (number(from), number(to))).collect();
    let seeds: Vec<u32> = seeds.iter().map(number).collect();
    let count = u32::try_from(domains.len()).expect("there are fewer pairs than that");
    let farms = rhumb_order::farms(count, &links);
    let mut trust = rhumb_order::trust(count, links, &seeds);
    for (standing, suspicion) in trust.standings.iter_mut().zip(farms) {
        standing.trust *= 1.0 - FARM_LOSS * suspicion;
    }
    let census = Census::new(domains.into_iter().zip(trust.standings).collect(), trust.crowd);
    Counted { pairs, up_to, census }
}

/// A hash of a pair; the keys are hashes already.
fn mark((from, to): Pair) -> u64 {
    (from.0.rotate_left(23) ^ to.0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn write(disk: &dyn Disk, path: &Path, up_to: u64, pairs: &[Pair]) -> std::io::Result<()> {
    let young = path.with_extension("new");
    if disk.exists(&young)? {
        disk.remove(&young)?;
    }
    let mut file = disk.create(&young)?;
    let mut crc = crc32fast::Hasher::new();
    let mut bytes = up_to.to_le_bytes().to_vec();
    file.append(&MAGIC)?;
    for (from, to) in pairs {
        bytes.extend(from.0.to_le_bytes());
        bytes.extend(to.0.to_le_bytes());
        if bytes.len() >= WRITE_BYTES {
            crc.update(&bytes);
            file.append(&bytes)?;
            bytes.clear();
        }
    }
    crc.update(&bytes);
    file.append(&bytes)?;
    file.append(&crc.finalize().to_le_bytes())?;
    file.sync()?;
    drop(file);
    disk.rename(&young, path)
}

/// What a file says, if it is whole.
fn read(disk: &dyn Disk, path: &Path) -> Option<(u64, Vec<Pair>)> {
    let file = disk.open(path).ok()?;
    let mut bytes = vec![0; usize::try_from(file.length().ok()?).ok()?];
    let mut at = 0;
    while at < bytes.len() {
        let offset = u64::try_from(at).expect("a length fits 64 bits");
        match file.read_at(offset, &mut bytes[at..]).ok()? {
            0 => return None,
            read => at += read,
        }
    }
    let (body, crc) = bytes.strip_prefix(&MAGIC)?.split_last_chunk()?;
    if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
        return None;
    }
    let (up_to, pairs) = body.split_first_chunk()?;
    let (pairs, rest) = pairs.as_chunks::<8>();
    let (pairs, odd) = pairs.as_chunks::<2>();
    let pair = |[from, to]: &[[u8; 8]; 2]| {
        (DomainKey(u64::from_le_bytes(*from)), DomainKey(u64::from_le_bytes(*to)))
    };
    let is_whole = rest.is_empty() && odd.is_empty();
    is_whole.then(|| (u64::from_le_bytes(*up_to), pairs.iter().map(pair).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(count: u64) -> Vec<Pair> {
        let key = |number: u64| DomainKey(number.wrapping_mul(0x1234_5678_9abc_def1));
        (0..count).map(|number| (key(number), key(number / 3 + 1_000_000))).collect()
    }

    #[test]
    fn pairs_are_read_as_they_were_written_and_a_damaged_file_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let (disk, path) = (rhumb_disk::real(), folder.path().join(FILE));
        let noted = pairs(70_000);
        write(&*disk, &path, 77, &noted).expect("written");
        assert_eq!(read(&*disk, &path), Some((77, noted)));
        let mut bytes = std::fs::read(&path).expect("read");
        bytes[1_000] ^= 1;
        std::fs::write(&path, &bytes).expect("written");
        assert_eq!(read(&*disk, &path), None);
        std::fs::write(&path, &bytes[..9]).expect("written");
        assert_eq!(read(&*disk, &path), None);
    }

    #[test]
    fn where_there_are_too_many_pairs_an_even_sample_stays() {
        let seeds: BTreeSet<DomainKey> = [DomainKey(1)].into();
        let Counted { pairs: kept, up_to, census } = tally(pairs(10_000), &seeds, 3_000, u64::MAX);
        assert!((1_500..=3_000).contains(&kept.len()), "{}", kept.len());
        assert!(kept.iter().all(|pair| mark(*pair) <= up_to));
        assert!(census.crowd.domains > 3_000);
    }
}
