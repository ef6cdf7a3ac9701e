//! The link graph and its ranks: a web of so many pages and links, stored, built and ranked.

use std::path::Path;
use std::time::Instant;

use rhumb_disk::SharedDisk;
use rhumb_rank::{Figures, Graph, LinkStore, RankSettings, Ranks, Said, Source, compute};
use rhumb_web::UrlKey;

use crate::clock;
use crate::seen::{Outcome, count};

pub const USAGE: &str = "rank [--nodes N] [--edges N] [--seed S]";

/// What sorting may hold.
const MEMORY_BYTES: usize = 256 << 20;
/// Documents between two syncs of the store.
const SYNC_EVERY: u64 = 10_000;
const LOOKUPS: u64 = 1_000_000;

pub fn measure(arguments: &[&str]) -> Outcome {
    let (mut nodes, mut edges, mut seed) = (1_000_000, 10_000_000, 1);
    for pair in arguments.chunks(2) {
        match *pair {
            ["--nodes", number] => nodes = count(number)?.max(1),
            ["--edges", number] => edges = count(number)?,
            ["--seed", number] => seed = count(number)?,
            _ => return Err(format!("usage: rhumb-bench {USAGE}").into()),
        }
    }
    let folder = tempfile::tempdir_in(".")?;
    run(folder.path(), &Web::new(nodes, seed), edges)
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn run(folder: &Path, web: &Web, edges: u64) -> Outcome {
    let disk = rhumb_disk::real();
    println!("{} pages on {} sites, seed {}", web.nodes, web.starts.len(), web.seed);
    println!("stage           seconds     CPU s   bytes/edge      rounds   peak MB");
    let mut begun = (Instant::now(), clock::process());
    let mut tell = |stage: &str, bytes: Option<f64>, rounds: &str| {
        let (seconds, used) = (begun.0.elapsed().as_secs_f64(), clock::process() - begun.1);
        let bytes = bytes.map_or(String::new(), |bytes| format!("{bytes:.2}"));
        let peak = clock::peak_memory() as f64 / 1e6;
        println!("{stage:<14} {seconds:>8.1} {used:>9.1} {bytes:>12} {rounds:>11} {peak:>9.0}");
        begun = (Instant::now(), clock::process());
    };
    let (end, named) = store(&disk, folder, web, edges)?;
    tell("append", Some(end as f64 / named as f64), "");
    let graph = Graph::build(&disk, folder, end, MEMORY_BYTES)?;
    let tables = graph.names() * 16 + u64::from(graph.nodes()) * 24;
    let lists = (graph.size_bytes()? - tables) as f64 / graph.edges() as f64;
    tell("build", Some(lists), "");
    let figures = compute(&disk, folder, &graph, &RankSettings::default(), MEMORY_BYTES)?;
    let Figures { page_rounds, vote_rounds, site_rounds, .. } = figures;
    tell("rank", None, &format!("{page_rounds}+{vote_rounds}+{site_rounds}"));
    println!("{} links between {} pages, both ways", graph.edges(), graph.nodes());

    let begun = Instant::now();
    let ranks = Ranks::open(&disk, folder)?.ok_or("no ranks")?;
    println!("ranks are opened in {:.2} s", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    let asked = (0..LOOKUPS).map(|number| mixed(number ^ web.seed << 32) % web.nodes);
    let known = asked.filter(|page| ranks.get(key(*page)).is_some()).count();
    let each = begun.elapsed().as_secs_f64() / LOOKUPS as f64;
    println!("a page is asked for in {:.0} ns, {known} of {LOOKUPS} are known", each * 1e9);
    Ok(())
}

/// Tells all pages to a store, in no order; its end, and how many links it was told.
fn store(
    disk: &SharedDisk,
    folder: &Path,
    web: &Web,
    edges: u64,
) -> Result<(u64, u64), Box<dyn std::error::Error>> {
    let mut store = LinkStore::open(disk, folder, 0)?;
    let mut chance = Chance(web.seed);
    let mut named = 0;
    let mut links = Vec::new();
    for at in 0..web.nodes {
        // A step that has no factor in common with the pages leads to each of them once.
        let page = web.step.wrapping_mul(at) % web.nodes;
        let mean = edges.saturating_sub(named) / (web.nodes - at);
        web.links(page, chance.below(2 * mean + 1), &mut chance, &mut links);
        named += u64::try_from(links.len())?;
        store.append(web.source(page), &Said::Links(&links))?;
        if at % SYNC_EVERY == 0 {
            store.sync()?;
        }
    }
    Ok((store.sync()?, named))
}

/// A web by a seed: sites of all sizes, most links within the site, few pages that most link to.
struct Web {
    nodes: u64,
    seed: u64,
    step: u64,
    /// The first page of every site.
    starts: Vec<u64>,
}

impl Web {
    fn new(nodes: u64, seed: u64) -> Self {
        let mut chance = Chance(!seed);
        let mut starts = Vec::new();
        let mut at = 0;
        while at < nodes {
            starts.push(at);
            // Sizes by a power law, from 5 pages to a hundredth of all.
            let size = 5.0 / chance.uniform().max(1e-9);
            at += whole(size).clamp(5, (nodes / 100).max(5));
        }
        let step = (nodes * 618 / 1_000..).find(|step| gcd(*step, nodes) == 1).unwrap_or(1);
        Self { nodes, seed, step, starts }
    }

    fn site(&self, page: u64) -> usize {
        self.starts.partition_point(|start| *start <= page) - 1
    }

    /// A domain has one site in three cases of four, else some share it.
    fn source(&self, page: u64) -> Source {
        let site = u64::try_from(self.site(page)).unwrap_or(0);
        let domain = if site % 4 == 0 { site / 16 * 16 } else { site };
        Source { key: key(page), site: mixed(site << 8 | 1), domain: mixed(domain << 8 | 2) }
    }

    /// So many distinct links of a page, if it finds them within twice as many tries.
    fn links(&self, page: u64, count: u64, chance: &mut Chance, links: &mut Vec<UrlKey>) {
        links.clear();
        let site = self.site(page);
        let start = self.starts[site];
        let size = self.starts.get(site + 1).copied().unwrap_or(self.nodes).min(self.nodes) - start;
        for _ in 0..2 * count {
            let uniform = chance.uniform();
            let target = if chance.below(10) < 6 {
                start + scaled(uniform.powi(3), size)
            } else {
                // The pages that the whole web links to are strewn over it.
                let rank = scaled(uniform.powi(4), self.nodes);
                self.step.wrapping_mul(rank) % self.nodes
            };
            let target = key(target);
            if target != key(page) && !links.contains(&target) {
                links.push(target);
            }
            if links.len() as u64 == count {
                break;
            }
        }
    }
}

struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[expect(clippy::cast_precision_loss, reason = "pages are far below 2^52")]
fn scaled(uniform: f64, size: u64) -> u64 {
    whole(uniform * size as f64).min(size - 1)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and small")]
fn whole(value: f64) -> u64 {
    value as u64
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn key(page: u64) -> UrlKey {
    UrlKey(mixed(page << 8))
}

/// `SplitMix64`: no two numbers become the same.
fn mixed(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
