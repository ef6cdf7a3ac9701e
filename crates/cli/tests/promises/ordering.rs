//! In which order the pages of a site are fetched, and that a crawl that goes on has its signs
//! again.

use std::path::Path;

use crate::content::{crawl, page, prose};
use crate::raw::{RawServer, missing};

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

/// Ranks by the book, where the links of these pages are known: Page et al. 1999.
fn ranks(fetched: &[usize]) -> Vec<f64> {
    let mut ranks = vec![1.0 / PAGES as f64; PAGES];
    for _ in 0..60 {
        let mut next = vec![0.0; PAGES];
        for from in fetched {
            let links = links_of(*from);
            links.iter().for_each(|to| next[*to] += 0.85 * ranks[*from] / links.len() as f64);
        }
        let rest = (1.0 - next.iter().sum::<f64>()) / PAGES as f64;
        ranks = next.into_iter().map(|rank| rank + rest).collect();
    }
    ranks
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

#[test]
fn a_crawl_that_goes_on_has_its_ranks_again_and_without_their_files_begins_anew() {
    let best_of_rest = |forget: bool| {
        let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
        let mut fetched = crawl_until(folder.path(), &server, "pagerank", 20);
        assert_eq!(fetched.len(), 20);
        for name in ["citations", "ranks"] {
            let file = folder.path().join("crawl").join(name);
            assert!(file.exists(), "{name}");
            if forget {
                std::fs::remove_file(file).expect("removed");
            }
        }
        let next = crawl_until(folder.path(), &server, "pagerank", 21);
        assert_eq!(next.len(), 1);
        fetched.sort_unstable();
        let ranks = ranks(&fetched);
        let waits = (0..PAGES).filter(|number| fetched.binary_search(number).is_err());
        let best = waits.map(|number| ranks[number]).fold(0.0, f64::max);
        println!("page {}: {:.4}, and the best has {best:.4}", next[0], ranks[next[0]]);
        ranks[next[0]] / best
    };
    assert!(best_of_rest(false) > 0.98);
    assert!(best_of_rest(true) < 0.9, "what was found first is not the best");
}

#[test]
fn what_no_order_asks_for_is_not_kept() {
    let (server, folder) = (site(), tempfile::tempdir().expect("a folder"));
    crawl_until(folder.path(), &server, "trust", 20);
    for name in ["citations", "ranks"] {
        assert!(!folder.path().join("crawl").join(name).exists(), "{name}");
    }
}
