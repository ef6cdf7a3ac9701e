//! Simulates crawls from seeds and says what hosts may complain of.

use std::process::ExitCode;
use std::time::Instant;

use rhumb_simulate::Plan;

const USAGE: &str =
    "usage: sim [--crashes] [--seed N] [--seeds N] [--fetches N] [--sites N] [--links N] [--json]";

/// Fetches where nothing is said.
const FETCHES: u64 = 1_000_000;

#[derive(Debug)]
struct Wanted {
    seed: u64,
    /// How many seeds, counted from the first.
    seeds: u64,
    fetches: u64,
    sites: Option<u32>,
    links: Option<usize>,
    json: bool,
    /// Crashes of the process and its machine, instead of a long crawl.
    crashes: bool,
}

#[expect(clippy::print_stdout, reason = "the reports are this program's data")]
#[expect(clippy::print_stderr, reason = "what a person reads goes to stderr")]
fn main() -> ExitCode {
    let wanted = match wanted(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(wrong) => {
            eprintln!("error: {wrong}\n  try: {USAGE}");
            return ExitCode::from(2);
        }
    };
    if wanted.crashes {
        return crashes(&wanted);
    }
    let mut violations = 0;
    for seed in wanted.seed..wanted.seed.saturating_add(wanted.seeds) {
        let mut plan = Plan::new(seed, wanted.fetches);
        plan.sites = wanted.sites.unwrap_or(plan.sites);
        plan.links = wanted.links.unwrap_or(plan.links);
        let start = Instant::now();
        let report = rhumb_simulate::run(plan);
        let wall = start.elapsed();
        eprintln!("{}", report.tell(wall));
        if wanted.json {
            println!("{}", report.json(wall));
        }
        violations += report.violation_count();
    }
    eprintln!("{} seeds, {violations} violations", wanted.seeds);
    if violations == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Crashes, history by history; only what went wrong is told one by one.
#[expect(clippy::print_stderr, reason = "what a person reads goes to stderr")]
fn crashes(wanted: &Wanted) -> ExitCode {
    let (start, mut ends, mut violations) = (Instant::now(), 0, 0);
    for seed in wanted.seed..wanted.seed.saturating_add(wanted.seeds) {
        let report = rhumb_simulate::crash::run(seed);
        ends += report.ends;
        violations += report.violation_count();
        if report.violation_count() > 0 || wanted.seeds == 1 {
            eprintln!("{}", report.tell());
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let seeds = wanted.seeds;
    eprintln!("{seeds} seeds, {ends} ends, {violations} violations, {seconds:.1} s");
    if violations == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn wanted(mut arguments: impl Iterator<Item = String>) -> Result<Wanted, String> {
    let mut wanted = Wanted {
        seed: 1,
        seeds: 1,
        fetches: FETCHES,
        sites: None,
        links: None,
        json: false,
        crashes: false,
    };
    while let Some(flag) = arguments.next() {
        match flag.as_str() {
            "--json" => {
                wanted.json = true;
                continue;
            }
            "--crashes" => {
                wanted.crashes = true;
                continue;
            }
            _ => {}
        }
        let value = arguments.next().ok_or(format!("{flag} needs a number"))?;
        let wrong = |_| format!("{value} is no number that {flag} can take");
        match flag.as_str() {
            "--seed" => wanted.seed = value.parse().map_err(wrong)?,
            "--seeds" => wanted.seeds = value.parse().map_err(wrong)?,
            "--fetches" => wanted.fetches = value.parse().map_err(wrong)?,
            "--sites" => wanted.sites = Some(value.parse().map_err(wrong)?),
            "--links" => wanted.links = Some(value.parse().map_err(wrong)?),
            _ => return Err(format!("unknown flag {flag}")),
        }
    }
    if wanted.sites == Some(0) || wanted.links == Some(0) {
        return Err("a web has a site and a link at least".to_owned());
    }
    Ok(wanted)
}
