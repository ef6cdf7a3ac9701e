//! The links between domains, and the standing of each that follows from them.
//!
//! Pairs gather in bounded memory; when they have grown by a tenth the standing is computed anew
//! on another thread, and the pairs are written to a file beside the crawl. All of it is an
//! estimate that decides who goes first: a kill loses the pairs since the last count, and a file
//! that cannot be read is begun anew.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use rhumb_disk::SharedDisk;
use rhumb_frontier::{Census, DomainKey};
use rhumb_web::{HashKey, Site};
use tokio::sync::mpsc;

use super::super::desk::Notice;
use super::super::keeping::guarded;
use super::is_enough;
use super::sheet::{Row, Sheet, mark};
use crate::store::StoreError;

/// The file of pairs in a crawl's folder.
const FILE: &str = "census";
const MAGIC: [u8; 8] = *b"rhcens\x00\x01";
/// Bytes of a pair, in memory and in the file.
const PAIR_BYTES: usize = 16;
/// Fewer new pairs are not worth a count.
const FRESH_MIN: usize = 64;
/// Pairs that are kept in any case.
const PAIRS_MIN: usize = 2_000;
/// By this part they must have grown: a tenth.
const GROWTH: usize = 10;
/// Pairs of late that are not noted again.
const RECENT: usize = 1 << 14;
/// The part of its trust that a domain loses which is taken for one of a link farm.
const FARM_LOSS: f32 = 0.75;

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
    sheet: Sheet,
}

/// What a count gives.
#[derive(Debug)]
pub(in super::super) struct Counted {
    pairs: Vec<Pair>,
    up_to: u64,
    census: Census,
}

impl Ballot {
    /// Reads what was noted before; so many bytes may be taken.
    pub(super) fn open(disk: SharedDisk, folder: &Path, bytes: usize) -> Self {
        let sheet = Sheet::new(disk, folder, FILE, MAGIC);
        let (up_to, fresh) = read(&sheet).unwrap_or((u64::MAX, Vec::new()));
        Self {
            counted: Vec::new(),
            fresh,
            recent: vec![0; RECENT],
            seeds: BTreeSet::new(),
            pairs_max: (bytes / PAIR_BYTES).max(PAIRS_MIN),
            up_to,
            is_counting: false,
            has_new_seeds: false,
            sheet,
        }
    }

    /// A domain from which trust flows.
    pub(super) fn trust(&mut self, hash: HashKey, site: &Site) {
        self.has_new_seeds |= self.seeds.insert(DomainKey::of(hash, site));
    }

    /// A page of a domain links to others.
    pub(super) fn note(&mut self, from: DomainKey, to: Vec<DomainKey>) {
        for to in to {
            let mark = mark([from.0, to.0]);
            let place = usize::try_from(mark).unwrap_or(usize::MAX) % RECENT;
            if mark <= self.up_to && self.recent[place] != mark {
                self.recent[place] = mark;
                self.fresh.push((from, to));
            }
        }
    }

    pub(super) fn is_counting(&self) -> bool {
        self.is_counting
    }

    /// Whether enough is new to count again.
    pub(super) fn is_due(&self, is_end: bool) -> bool {
        let (fresh, counted) = (self.fresh.len(), self.counted.len());
        let is_enough = is_enough(fresh, counted, GROWTH, FRESH_MIN, is_end);
        !self.is_counting && (self.has_new_seeds || is_enough)
    }

    /// Begins to count on another thread.
    pub(super) fn count(&mut self, notices: mpsc::Sender<Notice>) {
        (self.is_counting, self.has_new_seeds) = (true, false);
        let mut pairs = std::mem::take(&mut self.counted);
        pairs.append(&mut self.fresh);
        let (seeds, pairs_max, up_to) = (self.seeds.clone(), self.pairs_max, self.up_to);
        let sheet = self.sheet.clone();
        tokio::task::spawn_blocking(move || {
            let counted = guarded(|| {
                let counted = tally(pairs, &seeds, pairs_max, up_to);
                let rows = counted.pairs.iter().map(|pair| Ok(row(*pair)));
                sheet.write(counted.up_to, rows).map_err(|source| {
                    let path = sheet.path().to_owned();
                    StoreError::Io { doing: "write", path, source }
                })?;
                Ok(Box::new(counted))
            });
            notices.blocking_send(Notice::Counted(counted)).ok();
        });
    }

    /// Takes the pairs of a count back, and gives the standings.
    pub(super) fn counted(&mut self, counted: Counted) -> Census {
        (self.counted, self.up_to, self.is_counting) = (counted.pairs, counted.up_to, false);
        counted.census
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
        pairs.retain(|pair| mark(row(*pair)) <= up_to);
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

fn row((from, to): Pair) -> Row {
    [from.0, to.0]
}

/// What was noted before, if it is whole.
fn read(sheet: &Sheet) -> Option<(u64, Vec<Pair>)> {
    let opened = sheet.open()?;
    let pair = |row: io::Result<Row>| row.map(|[from, to]| (DomainKey(from), DomainKey(to)));
    let pairs: io::Result<Vec<Pair>> = opened.rows().map(pair).collect();
    Some((opened.head, pairs.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(count: u64) -> Vec<Pair> {
        let key = |number: u64| DomainKey(number.wrapping_mul(0x1234_5678_9abc_def1));
        (0..count).map(|number| (key(number), key(number / 3 + 1_000_000))).collect()
    }

    #[test]
    fn pairs_are_there_again_after_a_restart_and_begin_anew_where_the_file_is_damaged() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || Ballot::open(rhumb_disk::real(), folder.path(), 1 << 20);
        let (noted, sheet) = (pairs(5_000), open().sheet);
        sheet.write(77, noted.iter().map(|pair| Ok(row(*pair)))).expect("written");
        assert_eq!((open().up_to, open().fresh), (77, noted));
        let mut bytes = std::fs::read(sheet.path()).expect("read");
        bytes[1_000] ^= 1;
        std::fs::write(sheet.path(), &bytes).expect("written");
        assert_eq!((open().up_to, open().fresh), (u64::MAX, Vec::new()));
    }

    #[test]
    fn where_there_are_too_many_pairs_an_even_sample_stays() {
        let seeds: BTreeSet<DomainKey> = [DomainKey(1)].into();
        let Counted { pairs: kept, up_to, census } = tally(pairs(10_000), &seeds, 3_000, u64::MAX);
        assert!((1_500..=3_000).contains(&kept.len()), "{}", kept.len());
        assert!(kept.iter().all(|pair| mark(row(*pair)) <= up_to));
        assert!(census.crowd.domains > 3_000);
    }
}
