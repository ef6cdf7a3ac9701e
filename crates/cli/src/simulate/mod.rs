//! `rhumb simulate`: which order and which budget is best, on a web that is known in whole.

mod choice;
mod crawled;
mod files;
mod json;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use rhumb_study::{FarmSpec, Graph, Known, Plan, Point, Trial, generate, trials};

use crate::fault::Fault;
use crate::quantity::{self, counted, elapsed, grouped};
use crate::{screen, tell};
use choice::Seeds;

/// Pages that a generated web may have: the graph and two crawls of it take a few GB.
const PAGES_MAX: i64 = 20_000_000;
const PAGES_MIN: i64 = 1_000;
/// Without a rate politeness bites: a twentieth of the domains could be asked at once.
const DOMAINS_A_SECOND: u32 = 20;

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// The folder of a crawl that has ended, whose link graph is crawled
    /// [default: a web is generated]
    dir: Option<PathBuf>,
    /// Pages of the web that is generated
    #[arg(long, value_name = "N", default_value_t = 1_000_000, conflicts_with = "dir",
        value_parser = clap::value_parser!(u32).range(PAGES_MIN..=PAGES_MAX))]
    pages: u32,
    /// Orders to compare, of those below, besides omniscient and random [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    orders: Vec<String>,
    /// Budgets to run each of them with
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = rhumb_order::BUDGET)]
    budgets: Vec<String>,
    /// What the web is generated from: the same seed gives the same web and the same figures
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "seeds")]
    seed: u64,
    /// Several webs, one after the other, as 1-5
    #[arg(long, value_name = "A-B", conflicts_with = "dir", value_parser = choice::seeds)]
    seeds: Option<Seeds>,
    /// The time from one fetch of a domain to the next
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = quantity::duration)]
    delay: Duration,
    /// Fetches a second in all [default: a twentieth of the domains]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: Option<u32>,
    /// Parts of all pages, in per cent, at which to look
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "5,10,25,50",
        value_parser = choice::percent)]
    at: Vec<f64>,
    /// An endless link farm of so many domains around the web
    #[arg(long, value_name = "DOMAINS", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    farm: Option<u32>,
    /// With --farm: links from normal pages into it
    #[arg(long, value_name = "N", default_value_t = 200, requires = "farm")]
    strays: u32,
    /// With --farm: domains of the top hundred that link to it from all of their pages
    #[arg(long, value_name = "N", default_value_t = 0, requires = "farm",
        value_parser = clap::value_parser!(u32).range(0..=100))]
    hijacked: u32,
    /// Keep the cash of pages in so many bytes, as a crawl does [default: exactly]
    #[arg(long, value_name = "SIZE", value_parser = quantity::size)]
    purse: Option<u64>,
    /// Write some 200 points of each run to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the runs of the first seed into this file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// One JSON object a run on stdout
    #[arg(long)]
    json: bool,
}

/// A run, with what it is measured by.
struct Row {
    seed: u64,
    trial: Trial,
    at: Vec<Mark>,
}

/// How a run stood at a part of the pages.
struct Mark {
    percent: f64,
    point: Point,
    of_omniscient: f64,
    /// Of the best of the runs that a crawl could be.
    of_best: f64,
}

pub(crate) fn command(args: &SimulateArgs) -> Result<ExitCode, Fault> {
    let pairs = choice::pairs(&args.orders, &args.budgets)?;
    let mut rows = Vec::new();
    let seeds = args.seeds.unwrap_or(Seeds { first: args.seed, last: args.seed });
    for seed in seeds.first..=seeds.last {
        let graph = match &args.dir {
            Some(folder) => crawled::graph(folder)?,
            None => generate(args.pages, seed),
        };
        let plans: Vec<Plan> = pairs.iter().map(|pair| plan(args, *pair, &graph, seed)).collect();
        let size = size(&graph);
        let what = if args.dir.is_some() { size } else { format!("seed {seed}: {size}") };
        tell(&format!("{what}; {}", counted(u64::try_from(plans.len()).unwrap_or(0), "crawl")));
        let known = Known::new(graph);
        let ended = |trial: &Trial| {
            let time = trial.points.last().map_or(0.0, |point| point.seconds);
            let time = elapsed(Duration::try_from_secs_f64(time).unwrap_or_default());
            tell(&format!("  {} / {}: a crawl of {time}", trial.order, trial.budget));
        };
        rows.extend(measured(seed, trials(&known, &plans, &args.at, ended), &args.at));
    }
    if let Some(path) = &args.csv {
        files::write(path, &files::csv(&rows))?;
    }
    if let Some(path) = &args.plot {
        files::write(path, &files::drawing(&rows))?;
    }
    if args.json {
        rows.iter().try_for_each(|row| screen::print(&json::shown(row)))?;
    } else {
        screen::print_text(&table::render(&rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How one pair crawls a graph.
fn plan(args: &SimulateArgs, pair: choice::Pair, graph: &Graph, seed: u64) -> Plan {
    let rate = args.rate.unwrap_or(graph.domains() / DOMAINS_A_SECOND).max(1);
    Plan {
        contender: pair.contender,
        budget: pair.budget,
        delay_us: u64::try_from(args.delay.as_micros()).unwrap_or(u64::MAX),
        pace_us: 1_000_000 / u64::from(rate),
        purse: args.purse.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
        farm: args.farm.map(|domains| FarmSpec {
            domains,
            strays: args.strays,
            hijacked: args.hijacked,
            seed,
        }),
    }
}

/// `1,000 pages, 9,000 links, 20 domains`.
fn size(graph: &Graph) -> String {
    let links = grouped(u64::try_from(graph.edges()).unwrap_or(u64::MAX));
    let pages = counted(graph.pages().into(), "page");
    format!("{pages}, {links} links, {}", counted(graph.domains().into(), "domain"))
}

/// Holds the runs of a graph against each other.
fn measured(seed: u64, trials: Vec<Trial>, at: &[f64]) -> Vec<Row> {
    let most = |percent: f64, wanted: &dyn Fn(&Trial) -> bool| {
        let masses = trials.iter().filter(|trial| wanted(trial)).map(|it| it.at(percent).mass);
        masses.fold(f64::MIN_POSITIVE, f64::max)
    };
    let yardsticks = rhumb_study::YARDSTICKS;
    let marks: Vec<(f64, f64, f64)> = at
        .iter()
        .map(|percent| {
            let omniscient = most(*percent, &|trial| trial.order == yardsticks[0]);
            let best = most(*percent, &|trial| !yardsticks.contains(&trial.order));
            (*percent, omniscient, best)
        })
        .collect();
    let row = |trial: Trial| {
        let mark = |(percent, omniscient, best): &(f64, f64, f64)| {
            let point = trial.at(*percent);
            Mark {
                percent: *percent,
                point,
                of_omniscient: point.mass / omniscient,
                of_best: point.mass / best,
            }
        };
        Row { seed, at: marks.iter().map(mark).collect(), trial }
    };
    trials.into_iter().map(row).collect()
}
