//! In which order the pages of a site are fetched, and that a crawl that goes on has its signs
//! again.

use std::path::Path;

use crate::content::{crawl, page, prose};
use crate::raw::{RawServer, missing};
use crate::run::{command, finish};

const PAGES: usize = 90;
const LINKS: usize = 6;

/// The pages that a page leads to: the first one to all, the others to some, late ones mostly.
fn links_of(number: usize) -> Vec<usize> {
    if number == 0 {
        return (1..PAGES).collect();
    }
    let mut state = number as u64;
    let mut chance = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % (PAGES - 1)
    };
    let late = |a: usize, b: usize, c: usize| 1 + a.max(b).max(c);
    let mut links: Vec<usize> = (0..LINKS).map(|_| late(chance(), chance(), chance())).collect();
    links.sort_unstable();
    links.dedup();
    links.retain(|to| *to != number);
    links
}

fn path(number: usize) -> String {
    if number == 0 { "/".to_owned() } else { format!("/page-{number}") }
}

fn site() -> RawServer {
    RawServer::start(|target| {
        let Some(number) = (0..PAGES).find(|number| path(*number) == target) else {
            return missing();
        };
        let links: Vec<String> = links_of(number).into_iter().map(path).collect();
        page(&format!("Page {number}"), &prose(number as u64 + 1, 60), &links)
    })
}

fn count(things: usize) -> f64 {
    u32::try_from(things).expect("there are few").into()
}

/// Ranks by the book, where the links of these pages are known: Page et al. 1999.
fn ranks(fetched: &[usize]) -> Vec<f64> {
    let mut ranks = vec![1.0 / count(PAGES); PAGES];
    for _ in 0..60 {
        let mut next = vec![0.0; PAGES];
        for from in fetched {
            let links = links_of(*from);
            for to in &links {
                next[*to] += 0.85 * ranks[*from] / count(links.len());
            }
        }
        let rest = (1.0 - next.iter().sum::<f64>()) / count(PAGES);
        ranks = next.into_iter().map(|rank| rank + rest).collect();
    }
    ranks
}

/// Cash by the book, after these pages were fetched in this order: Abiteboul et al. 2003, with a
/// little of its own for every page.
fn cash(fetched: &[usize]) -> Vec<f64> {
    let mut cash = vec![0.0; PAGES];
    cash[0] = 1.0;
    for from in fetched {
        let links = links_of(*from);
        let part = (std::mem::take(&mut cash[*from]) + 0.000_1) / count(links.len());
        for to in links {
            cash[to] += part;
        }
    }
    cash
}

/// The pages that were asked for, in their order.
fn asked(server: &RawServer) -> Vec<usize> {
    let number = |target: &String| (0..PAGES).find(|number| path(*number) == *target);
    server.asked().iter().filter_map(number).collect()
}

fn crawl_until(folder: &Path, server: &RawServer, order: &str, pages: usize) -> Vec<usize> {
    let before = asked(server).len();
    let pages = pages.to_string();
    crawl(folder, &[server.url("/")], &["--order", order, "--max-pages", &pages]);
    asked(server).split_off(before)
}

#[test]
fn by_pagerank_the_pages_of_high_rank_are_fetched_earlier_than_breadth_first() {
    let all: Vec<usize> = (0..PAGES).collect();
    let ranks = ranks(&all);
    let mass = |order: &str| {
        let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
        let fetched = crawl_until(folder.path(), &server, order, 10 * PAGES);
        assert_eq!(fetched.len(), PAGES, "every page once");
        let quarter = &fetched[..PAGES / 4];
        println!("{order}: {quarter:?}");
        quarter.iter().map(|number| ranks[*number]).sum::<f64>()
    };
    let (by_rank, breadth_first) = (mass("pagerank"), mass("bfs"));
    println!("{by_rank:.3} of the rank in a quarter of the pages, {breadth_first:.3} by bfs");
    assert!(by_rank > 1.5 * breadth_first);
}

/// What the first page of a second run is worth, in parts of the best that waits; between the runs
/// these files are there, and removed if they are to be forgotten.
fn next_of_best(
    order: &str,
    files: &[&str],
    is_forgotten: bool,
    worth: fn(&[usize]) -> Vec<f64>,
) -> f64 {
    let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
    let fetched = crawl_until(folder.path(), &server, order, 20);
    assert_eq!(fetched.len(), 20);
    for name in files {
        let file = folder.path().join("crawl").join(name);
        assert!(file.exists(), "{name}");
        if is_forgotten {
            std::fs::remove_file(file).expect("removed");
        }
    }
    let next = crawl_until(folder.path(), &server, order, 21);
    assert_eq!(next.len(), 1);
    let worth = worth(&fetched);
    let waits = (0..PAGES).filter(|number| !fetched.contains(number));
    let best = waits.map(|number| worth[number]).fold(0.0, f64::max);
    worth[next[0]] / best
}

#[test]
fn a_crawl_that_goes_on_has_its_ranks_again_and_without_their_files_begins_anew() {
    let next =
        |is_forgotten| next_of_best("pagerank", &["citations", "ranks"], is_forgotten, ranks);
    assert!(next(false) > 0.98);
    assert!(next(true) < 0.9, "what was found first is not the best");
}

#[test]
fn a_crawl_that_goes_on_has_its_cash_again_and_without_the_file_begins_anew() {
    let next = |is_forgotten| next_of_best("opic", &["cash"], is_forgotten, cash);
    assert!(next(false) > 0.98);
    assert!(next(true) < 0.9, "what was found first is not the richest");
}

#[test]
fn a_takedown_leaves_nothing_of_what_is_known_of_single_pages() {
    let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
    crawl_until(folder.path(), &server, "pagerank", 20);
    let mut forget = command(folder.path());
    forget.args(["forget", "crawl", &server.url("/page-1"), "--json"]);
    let run = finish(forget, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for name in ["citations", "ranks", "cash"] {
        assert!(!folder.path().join("crawl").join(name).exists(), "{name}");
    }
    let next = crawl_until(folder.path(), &server, "pagerank", 25);
    assert!(!next.is_empty() && !next.contains(&1), "{next:?}");
}

#[test]
fn what_no_order_asks_for_is_not_kept() {
    let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
    crawl_until(folder.path(), &server, "trust", 20);
    for name in ["citations", "ranks"] {
        assert!(!folder.path().join("crawl").join(name).exists(), "{name}");
    }
}
