//! Benchmarks. `rhumb-bench seen [--candidates N]` compares the seen-set with other stores;
//! `rhumb-bench backlog [--part N]` measures the backlog, or a part in N of the same;
//! `rhumb-bench discover [--urls N]` meets so many URLs through seen-set, frontier and log;
//! `rhumb-bench why [--urls N]` asks `rhumb why` for a hundred of them, the caches cold;
//! `rhumb-bench asked [--pages N]` crawls a web alone and while it is asked;
//! `rhumb-bench likeness [--documents N | --pairs FOLDER]` measures sketches and the sieve;
//! `rhumb-bench marks FOLDER` lists the pages of a folder that get a mark;
//! `rhumb-bench text` scores the main text of pages whose source is known;
//! `rhumb-bench rank [--nodes N] [--edges N] [--seed S]` stores, builds and ranks a graph;
//! `rhumb-bench ranking` judges results by the index of a manual;
//! `rhumb-bench search [--documents N]` asks an index of so many pages while it grows;
//! `rhumb-bench index [--pages N]` makes one of a crawl at rest, and of one that runs;
//! `rhumb-bench served [--pages N]` searches a crawl at full speed through its pages;
//! `rhumb-bench growth [--urls N]` crawls an endless web until so many URLs are known;
//! `rhumb-bench parts` measures what one page costs by part;
//! `rhumb-bench crawl` measures whole crawls beside those of others, on one core;
//! `rhumb-bench scaling` measures them as the web grows, slows down, or speaks TLS.

mod asked;
mod backlog;
mod clock;
mod contenders;
mod crawl;
mod discover;
mod growth;
mod likeness;
mod marks;
mod ours;
mod parts;
mod peers;
mod rank;
mod search;
mod seen;
mod served;
mod text;
mod why;
mod workload;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["seen"] => seen::compare(seen::CANDIDATES),
        ["seen", "--candidates", count] => seen::count(count).and_then(seen::compare),
        ["seen", "--candidates", count, "--alone", name] => {
            seen::count(count).and_then(|count| seen::measure(name, count))
        }
        ["backlog"] => backlog::measure(1),
        ["backlog", "--part", part] => seen::count(part).and_then(backlog::measure),
        ["discover"] => discover::measure(20_000_000),
        ["discover", "--urls", urls] => seen::count(urls).and_then(discover::measure),
        ["crawl", ref rest @ ..] => crawl::measure(rest),
        ["scaling", ref rest @ ..] => crawl::measure_scaling(rest),
        ["likeness"] => likeness::measure(likeness::DOCUMENTS, likeness::PAIRS),
        ["likeness", "--documents", documents] => {
            seen::count(documents).and_then(likeness::measure_sieve)
        }
        ["likeness", "--pairs", folder] => likeness::measure_pairs(folder),
        ["marks", folder] => marks::measure(folder),
        ["parts"] => parts::measure(),
        ["rank", ref rest @ ..] => rank::measure(rest),
        ["ranking", ref rest @ ..] => search::measure_ranking(rest),
        ["search", ref rest @ ..] => search::measure_load(rest),
        ["index", ref rest @ ..] => search::measure_rate(rest),
        ["served", ref rest @ ..] => served::measure(rest),
        ["growth", ref rest @ ..] => growth::measure(rest),
        ["text", ref rest @ ..] => text::measure(rest),
        ["asked"] => asked::measure(30_000),
        ["asked", "--pages", pages] => seen::count(pages).and_then(asked::measure),
        ["why"] => why::measure(20_000_000, None),
        ["why", "--urls", urls] => seen::count(urls).and_then(|urls| why::measure(urls, None)),
        ["why", "--urls", urls, "--folder", folder] => {
            seen::count(urls).and_then(|urls| why::measure(urls, Some(folder)))
        }
        _ => {
            let [crawl, scaling] = crawl::USAGES;
            let others = "parts | marks FOLDER | likeness [--documents N | --pairs FOLDER] | seen [--candidates N] | backlog [--part N] | discover [--urls N] | \
                          why [--urls N [--folder DIR]] | asked [--pages N]";
            let (text, [ranking, load, rate]) = (text::USAGE, search::USAGES);
            let served = format!("{} | {}", served::USAGE, growth::USAGE);
            let search = format!("{} | {ranking} | {load} | {rate} | {served}", rank::USAGE);
            Err(format!("usage: rhumb-bench {crawl} | {scaling} | {text} | {search} | {others}")
                .into())
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
