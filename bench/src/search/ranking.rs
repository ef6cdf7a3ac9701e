//! How good the order of results is: entries of a manual's own index against the pages they name.
//!
//! Queries are numbered from 0. Weights are tuned on the even ones; the odd ones only tell what
//! came of it.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};

use rhumb_index::{IndexError, Searcher, Want, Weights};
use rhumb_web::CanonUrl;

use super::judged::{DEPTH, Judged};
use super::manual::{Manual, Query};
use super::tune;
use crate::crawl::program;
use crate::seen::Outcome;

/// What follows the name of this benchmark.
pub const USAGE: &str = "ranking [--tune | --program] [--worst]";
/// The manual that weights are tuned on, and what its odd half has to reach.
const TUNED: &str = "postgres";
const GOAL: Judged = Judged { success: 0.95, reciprocal: 0.78 };
/// One that nothing was tuned on.
const OTHER: &str = "python";
/// Failures that `--worst` lists of each manual, of the even half.
const WORST: usize = 100;

/// Judges both manuals; the odd half of the first has to reach its goal.
pub fn measure(words: &[&str]) -> Outcome {
    let (mut tunes, mut runs, mut lists) = (false, false, false);
    for word in words {
        match *word {
            "--tune" => tunes = true,
            "--program" => runs = true,
            "--worst" => lists = true,
            _ => return Err(format!("usage: rhumb-bench {USAGE}").into()),
        }
    }
    let manual = Manual::open(TUNED)?;
    let crawl = manual.crawl()?;
    let searcher = Searcher::open(&crawl.join("index"))?;
    if tunes {
        return tune::climb(&searcher, &manual.queries);
    }
    let weights = Weights::default();
    let places = if runs {
        each(&manual.queries, |query| by_program(&crawl, query))?
    } else {
        each(&manual.queries, |query| place(&searcher, query, &weights))?
    };
    tell(TUNED, searcher.documents(), &places);
    let other = Manual::open(OTHER)?;
    let beside = Searcher::open(&other.crawl()?.join("index"))?;
    let elsewhere = each(&other.queries, |query| place(&beside, query, &weights))?;
    tell(OTHER, beside.documents(), &elsewhere);
    if lists {
        worst(&searcher, &manual.queries, &places);
        worst(&beside, &other.queries, &elsewhere);
    }
    let odd = half(&places, 1);
    if odd.success < GOAL.success || odd.reciprocal < GOAL.reciprocal {
        return Err(format!("the odd half of {TUNED} is below {GOAL}").into());
    }
    Ok(())
}

fn each(
    queries: &[Query],
    mut place: impl FnMut(&Query) -> Result<Option<usize>, Box<dyn Error>>,
) -> Result<Vec<Option<usize>>, Box<dyn Error>> {
    queries.iter().map(&mut place).collect()
}

fn half(places: &[Option<usize>], first: usize) -> Judged {
    Judged::of(places.iter().skip(first).step_by(2).copied())
}

fn tell(name: &str, pages: u64, places: &[Option<usize>]) {
    println!("{name}: {pages} pages, {} queries", places.len());
    println!("  even  {}", half(places, 0));
    println!("  odd   {}", half(places, 1));
}

/// Where the first right page stands in what the library finds.
pub fn place(
    searcher: &Searcher,
    query: &Query,
    weights: &Weights,
) -> Result<Option<usize>, Box<dyn Error>> {
    let want = Want { count: DEPTH, weights: Some(*weights), ..Want::default() };
    match searcher.search(&query.words, &want) {
        Ok(answer) => Ok(first_right(query, answer.hits.iter().map(|hit| path(&hit.url)))),
        // Whatever it means, it found nothing.
        Err(IndexError::Query(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The same by the program, as a user runs it.
fn by_program(crawl: &Path, query: &Query) -> Result<Option<usize>, Box<dyn Error>> {
    let mut command = Command::new(program());
    command.arg("search").arg(crawl).args(["--json", "-n"]).arg(DEPTH.to_string());
    let output = command.arg("--").arg(&query.words).stdin(Stdio::null()).output()?;
    let mut found = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let line: serde_json::Value = serde_json::from_str(line)?;
        if let Some(url) = line["url"].as_str() {
            found.push(path(&CanonUrl::parse(url)?));
        }
    }
    Ok(first_right(query, found))
}

fn first_right(query: &Query, found: impl IntoIterator<Item = String>) -> Option<usize> {
    let right: HashSet<&str> = query.right.iter().map(String::as_str).collect();
    found.into_iter().take(DEPTH).position(|page| right.contains(&page[..])).map(|at| at + 1)
}

/// The name of a page below the root of its site.
fn path(url: &CanonUrl) -> String {
    let rest = url.as_str().splitn(4, '/').nth(3).unwrap_or_default();
    if rest.is_empty() { "index.html".to_owned() } else { rest.to_owned() }
}

/// Lists queries of the even half without a right page, with what was found instead.
fn worst(searcher: &Searcher, queries: &[Query], places: &[Option<usize>]) {
    let failed = queries.iter().zip(places).step_by(2).filter(|(_, place)| place.is_none());
    // From all over the index.
    let failed: Vec<&Query> = failed.map(|(query, _)| query).collect();
    for query in failed.iter().step_by(failed.len() / WORST + 1) {
        let found = match searcher.search(&query.words, &Want::default()) {
            Ok(answer) => answer.hits.iter().take(3).map(|hit| path(&hit.url)).collect(),
            Err(error) => vec![error.to_string()],
        };
        println!("  {:<44} {:<40} not {}", query.words, query.right.join(" "), found.join(" "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_page_is_below_the_root_of_its_site() {
        let check = |url: &str, expect: &str| {
            assert_eq!(path(&CanonUrl::parse(url).unwrap()), expect);
        };
        check("http://127.0.0.1:80/library/re.html", "library/re.html");
        check("http://127.0.0.1:1234/", "index.html");
    }
}
