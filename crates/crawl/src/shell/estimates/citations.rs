//! The links between pages, and the ranks of pages that wait: only where the order asks for them.
//!
//! Links gather in memory; when they have grown by a fifth they are merged into a file beside the
//! crawl on another thread, and partial `PageRank` is computed over all of them (Cho,
//! Garcia-Molina and Page, 1998). So a link is looked at some six times, however long the crawl
//! is. What a graph may take in memory is bounded: beyond that an even sample of the links stays.
//! All of it is an estimate: a kill loses the links since the last computation, and a file that
//! cannot be read is begun anew.

use std::io;
use std::path::Path;

use rhumb_disk::SharedDisk;
use rhumb_frontier::Ranks;
use rhumb_rank::Partial;
use rhumb_web::UrlKey;
use tokio::sync::mpsc;

use super::super::desk::Notice;
use super::super::keeping::guarded;
use super::is_enough;
use super::sheet::{Opened, Row, Sheet, mark};
use crate::store::StoreError;

/// The file of links, and that of ranks.
const LINKS: (&str, [u8; 8]) = ("citations", *b"rhcites\x01");
const RANKS: (&str, [u8; 8]) = ("ranks", *b"rhprank\x01");
/// Fewer new links are not worth a computation.
const FRESH_MIN: usize = 256;
/// By this part they must have grown: a fifth.
const GROWTH: usize = 5;
/// Rounds from nothing; less than 3 % of the flow is on its way then.
const ROUNDS: usize = 24;
/// Bytes of a link and of a page while ranks are computed.
const LINK_BYTES: usize = 4;
const PAGE_BYTES: usize = 40;
/// Bytes of a rank.
const RANK_BYTES: usize = 16;

/// Who links to whom.
#[derive(Debug)]
pub(super) struct Citations {
    /// Since the last computation.
    fresh: Vec<Row>,
    /// No more than so many.
    fresh_max: usize,
    /// Links at the last one.
    counted: usize,
    /// Of all links those with a mark up to this are noted.
    up_to: u64,
    is_counting: bool,
    /// For the graph while it is computed.
    graph_bytes: usize,
    ranks_max: usize,
    links: Sheet,
    ranks: Sheet,
}

/// What a computation gives.
#[derive(Debug)]
pub(in super::super) struct Ranked {
    links: usize,
    up_to: u64,
    pub(super) ranks: Ranks,
}

impl Citations {
    /// What was noted before, and the ranks that were computed from it; so many bytes may be
    /// taken: a half while ranks are computed, an eighth each for old ranks, new ranks and new
    /// links.
    pub(super) fn open(disk: SharedDisk, folder: &Path, bytes: usize) -> (Self, Ranks) {
        let links = Sheet::new(SharedDisk::clone(&disk), folder, LINKS.0, LINKS.1);
        let ranks = Sheet::new(disk, folder, RANKS.0, RANKS.1);
        let opened = links.open();
        let count = opened.as_ref().map_or(0, |opened| opened.count);
        let found = read_ranks(&ranks).unwrap_or_default();
        let this = Self {
            fresh: Vec::new(),
            fresh_max: (bytes / 8 / size_of::<Row>()).max(2 * FRESH_MIN),
            counted: usize::try_from(count).unwrap_or(usize::MAX),
            up_to: opened.map_or(u64::MAX, |opened| opened.head),
            is_counting: false,
            graph_bytes: bytes / 2,
            ranks_max: (bytes / 8 / RANK_BYTES).max(FRESH_MIN),
            links,
            ranks,
        };
        (this, found)
    }

    /// A page links to others.
    pub(super) fn note(&mut self, from: UrlKey, to: &[UrlKey]) {
        let rows = to.iter().filter(|to| **to != from).map(|to| [from.0, to.0]);
        self.fresh.extend(rows.filter(|row| mark(*row) <= self.up_to));
        // Where a computation takes long an even sample of what comes meanwhile stays.
        while self.fresh.len() > self.fresh_max {
            self.up_to /= 2;
            let up_to = self.up_to;
            self.fresh.retain(|row| mark(*row) <= up_to);
        }
    }

    /// Whether enough is new to compute again.
    pub(super) fn is_due(&self, is_end: bool) -> bool {
        let fresh = self.fresh.len();
        !self.is_counting && is_enough(fresh, self.counted, GROWTH, FRESH_MIN, is_end)
    }

    pub(super) fn is_counting(&self) -> bool {
        self.is_counting
    }

    /// Begins to compute on another thread.
    pub(super) fn count(&mut self, notices: mpsc::Sender<Notice>) {
        self.is_counting = true;
        let fresh = std::mem::take(&mut self.fresh);
        let (up_to, bytes, most) = (self.up_to, self.graph_bytes, self.ranks_max);
        let (links, ranks) = (self.links.clone(), self.ranks.clone());
        tokio::task::spawn_blocking(move || {
            let ranked = guarded(|| {
                let failed = |sheet: &Sheet| {
                    let path = sheet.path().to_owned();
                    |source| StoreError::Io { doing: "write", path, source }
                };
                let ranked = tally(&links, fresh, up_to, bytes, most).map_err(failed(&links))?;
                write_ranks(&ranks, &ranked.ranks).map_err(failed(&ranks))?;
                Ok(Box::new(ranked))
            });
            notices.blocking_send(Notice::Ranked(ranked)).ok();
        });
    }

    /// Takes the outcome of a computation, and gives the ranks.
    pub(super) fn counted(&mut self, ranked: Ranked) -> Ranks {
        self.up_to = self.up_to.min(ranked.up_to);
        (self.counted, self.is_counting) = (ranked.links, false);
        ranked.ranks
    }

    /// Removes all of it from a crawl's folder.
    pub(super) fn forget(disk: &SharedDisk, folder: &Path) -> io::Result<()> {
        [LINKS, RANKS].into_iter().try_for_each(|(name, magic)| {
            Sheet::new(SharedDisk::clone(disk), folder, name, magic).remove()
        })
    }
}

fn read_ranks(sheet: &Sheet) -> Option<Ranks> {
    let opened = sheet.open()?;
    let rows = opened.rows().map(|row| row.map(|[page, rank]| (UrlKey(page), float(rank))));
    Some(Ranks::new(rows.collect::<io::Result<_>>().ok()?, float(opened.head)))
}

fn write_ranks(sheet: &Sheet, ranks: &Ranks) -> io::Result<()> {
    let rows = ranks.rows().iter().map(|(page, rank)| Ok([page.0, u64::from(rank.to_bits())]));
    sheet.write(u64::from(ranks.base().to_bits()), rows)
}

fn float(bits: u64) -> f32 {
    f32::from_bits(u32::try_from(bits).unwrap_or_default())
}

/// Merges new links into the file, and ranks the pages that wait.
fn tally(
    sheet: &Sheet,
    mut fresh: Vec<Row>,
    mut up_to: u64,
    bytes: usize,
    ranks_max: usize,
) -> io::Result<Ranked> {
    fresh.sort_unstable();
    fresh.dedup();
    let old = sheet.open();
    let (links, pages) = loop {
        let (links, pages) = census(merged(old.as_ref(), &fresh, up_to))?;
        if links * LINK_BYTES + pages.len() * PAGE_BYTES <= bytes || links <= FRESH_MIN {
            break (links, pages);
        }
        // Where there are too many an even sample of them stays.
        up_to /= 2;
    };
    sheet.write(up_to, merged(old.as_ref(), &fresh, up_to))?;
    drop((old, fresh));
    let written = sheet.open().ok_or(io::ErrorKind::InvalidData)?;
    let ranks = rank(written.rows(), &pages, ranks_max)?;
    Ok(Ranked { links, up_to, ranks })
}

/// Old and new links in their order, each once, as far as they are kept.
fn merged<'a>(
    old: Option<&'a Opened>,
    fresh: &'a [Row],
    up_to: u64,
) -> impl Iterator<Item = io::Result<Row>> + 'a {
    let mut old = old.map(Opened::rows).into_iter().flatten().peekable();
    let mut fresh = fresh.iter().copied().peekable();
    let mut last = None;
    std::iter::from_fn(move || {
        loop {
            let next = match (old.peek(), fresh.peek()) {
                (Some(Ok(a)), Some(b)) if a > b => fresh.next().map(Ok),
                (None, _) => fresh.next().map(Ok),
                _ => old.next(),
            };
            let row = match next? {
                Ok(row) => row,
                error => return Some(error),
            };
            if last.replace(row) != Some(row) && mark(row) <= up_to {
                return Some(Ok(row));
            }
        }
    })
}

/// How many links there are, and all pages that they name, in order.
fn census(links: impl Iterator<Item = io::Result<Row>>) -> io::Result<(usize, Vec<u64>)> {
    let (mut count, mut pages, mut enough) = (0, Vec::new(), 1 << 12);
    for link in links {
        count += 1;
        pages.extend(link?);
        // Most pages come more than once: they are not all held at a time.
        if pages.len() >= enough {
            pages.sort_unstable();
            pages.dedup();
            enough = enough.max(2 * pages.len());
        }
    }
    pages.sort_unstable();
    pages.dedup();
    Ok((count, pages))
}

/// The ranks of the best pages that wait: those of which no link is known.
fn rank(
    links: impl Iterator<Item = io::Result<Row>>,
    pages: &[u64],
    ranks_max: usize,
) -> io::Result<Ranks> {
    let number = |page: u64| {
        let at = pages.binary_search(&page).expect("all of them are listed");
        u32::try_from(at).expect("memory holds fewer pages than that")
    };
    let (mut partial, mut waits) = (Partial::default(), vec![true; pages.len()]);
    let mut links = links.peekable();
    while let Some(link) = links.next() {
        let [from, to] = link?;
        let is_same = |link: &io::Result<Row>| link.as_ref().is_ok_and(|[other, _]| *other == from);
        let more = std::iter::from_fn(|| links.next_if(is_same)?.ok().map(|[_, to]| number(to)));
        let from = number(from);
        partial.add(from, std::iter::once(number(to)).chain(more));
        waits[usize::try_from(from).expect("32 bits fit a place")] = false;
    }
    let ranks = partial.compute(&vec![true; pages.len()], ROUNDS);
    #[expect(clippy::cast_precision_loss, reason = "memory holds fewer pages than that")]
    let count = pages.len() as f64;
    #[expect(clippy::cast_possible_truncation, reason = "seven digits of a rank suffice")]
    let part = |rank: f64| (rank * count) as f32;
    let least = ranks.iter().copied().fold(f64::INFINITY, f64::min);
    let base = if pages.is_empty() { 1.0 } else { part(least) };
    let all = pages.iter().zip(ranks).zip(&waits).filter(|(_, waits)| **waits);
    let mut rows: Vec<_> = all.map(|((page, rank), _)| (UrlKey(*page), part(*rank))).collect();
    if rows.len() > ranks_max {
        rows.select_nth_unstable_by(ranks_max, |a, b| b.1.total_cmp(&a.1));
        rows.truncate(ranks_max);
    }
    Ok(Ranks::new(rows, base))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Sheet) {
        let folder = tempfile::tempdir().expect("a folder");
        let sheet = Sheet::new(rhumb_disk::real(), folder.path(), LINKS.0, LINKS.1);
        (folder, sheet)
    }

    /// Each page links to the next three, and to page 7.
    fn web(pages: u64) -> Vec<Row> {
        let key = |page: u64| (page + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let links = |page: u64| [page + 1, page + 2, page + 3, 7].map(|to| [key(page), key(to)]);
        (0..pages).flat_map(links).collect()
    }

    fn check_same(a: &Ranks, b: &Ranks) {
        assert_eq!(a.rows().len(), b.rows().len());
        for ((page, a), (other, b)) in a.rows().iter().zip(b.rows()) {
            assert!(page == other && (a - b).abs() < 1e-3, "{page:?}: {a} and {b}");
        }
    }

    #[test]
    fn links_that_come_in_parts_give_the_ranks_of_all_of_them() {
        let (_folder, sheet) = folder();
        let (_other, whole) = folder();
        let links = web(2_000);
        let at_once = tally(&whole, links.clone(), u64::MAX, 1 << 20, 1_000).expect("ranked");
        let mut in_parts = None;
        for part in links.chunks(3_000) {
            let ranked = tally(&sheet, part.to_vec(), u64::MAX, 1 << 20, 1_000);
            in_parts = Some(ranked.expect("ranked"));
        }
        let in_parts = in_parts.expect("there were some");
        assert_eq!((in_parts.links, in_parts.up_to), (at_once.links, u64::MAX));
        assert_eq!(in_parts.ranks.rows().len(), 3, "three pages wait");
        check_same(&in_parts.ranks, &at_once.ranks);
    }

    #[test]
    fn where_there_are_too_many_links_an_even_sample_stays() {
        let (_folder, sheet) = folder();
        let bytes = 1_000 * (PAGE_BYTES + 4 * LINK_BYTES);
        let Ranked { links, up_to, .. } =
            tally(&sheet, web(10_000), u64::MAX, bytes, 1_000).expect("ranked");
        assert!((400..5_000).contains(&links), "{links}");
        let opened = sheet.open().expect("it is whole");
        assert_eq!((opened.head, opened.count), (up_to, u64::try_from(links).expect("few")));
        let is_kept = |row: io::Result<Row>| mark(row.expect("read")) <= up_to;
        assert!(opened.rows().all(is_kept));
    }

    #[test]
    fn of_the_pages_that_wait_the_best_have_ranks_and_the_others_the_base() {
        // One page links to all; some of those are linked to by a second one, too.
        let links = (10..110).map(|to| [1, to]).chain((100..110).map(|to| [2, to]));
        let (_folder, sheet) = folder();
        let ranked = tally(&sheet, links.collect(), u64::MAX, 1 << 20, 10).expect("ranked");
        let ranks = ranked.ranks;
        let pages: Vec<u64> = ranks.rows().iter().map(|(page, _)| page.0).collect();
        assert_eq!(pages, (100..110).collect::<Vec<_>>());
        assert!(ranks.rows().iter().all(|(_, rank)| *rank > ranks.base()));
        assert!((0.5..1.0).contains(&ranks.base()), "{}", ranks.base());
    }

    #[test]
    fn ranks_are_there_again_after_a_restart_and_begin_anew_where_the_file_is_damaged() {
        let (folder, sheet) = folder();
        let open = || Citations::open(rhumb_disk::real(), folder.path(), 1 << 20);
        let (citations, none) = open();
        assert_eq!((none, citations.counted), (Ranks::default(), 0));
        let ranked = tally(&sheet, web(100), u64::MAX, 1 << 20, 1_000).expect("ranked");
        write_ranks(&citations.ranks, &ranked.ranks).expect("written");
        let (citations, ranks) = open();
        assert_eq!((ranks, citations.counted), (ranked.ranks, ranked.links));
        for name in [LINKS.0, RANKS.0] {
            let path = folder.path().join(name);
            let mut bytes = std::fs::read(&path).expect("read");
            bytes[20] ^= 1;
            std::fs::write(&path, bytes).expect("written");
        }
        let (citations, none) = open();
        assert_eq!((none, citations.counted), (Ranks::default(), 0));
        let ranked = tally(&sheet, web(50), u64::MAX, 1 << 20, 1_000).expect("ranked");
        assert_eq!(ranked.links, 197, "three pages link twice to page 7, which counts once");
    }
}
