//! `rhumb bench`: what this machine can do, and which part of the work is the bottleneck.
//!
//! This process serves a web on one core; the crawl is a process of its own on the others, as a
//! user would start it.

mod crawled;
mod ground;
mod json;
mod looks;
mod steps;
mod text;
mod verdict;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use rhumb_measure::parts::{self, Part, Sample};
use rhumb_measure::run::Cores;
use rhumb_testweb::{Coding, Served, Spec};

use crate::fault::Fault;
use crate::machine;
use crate::quantity::counted;
use crate::screen::{self, Live};
use crawled::Crawled;
use ground::Ground;
use steps::{Steps, Stop};

/// Text that goes to no terminal is as wide as most of them are.
const COLUMNS: usize = 80;
/// A wider table is harder to read, not easier.
const COLUMNS_MAX: usize = 100;
/// Pages that may be asked for: all of them are in memory while they are served.
const PAGES_MAX: i64 = 100_000;
const HOSTS_MAX: i64 = 5_000;

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// How many pages the web has that is crawled
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(1..=PAGES_MAX))]
    pages: u32,
    /// How many sites it has
    #[arg(long, value_name = "N", default_value_t = 500,
        value_parser = clap::value_parser!(u32).range(1..=HOSTS_MAX))]
    hosts: u32,
    /// Pages are sent as they are; otherwise as gzip, as most servers do
    #[arg(long)]
    plain: bool,
    /// Measure the disk of this folder; nothing stays in it
    /// [default: the folder for temporary files]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// The web that was crawled.
struct Web {
    hosts: u32,
    pages: u32,
    /// A usual page, as it is and as it came.
    page_bytes: u64,
    received_bytes: u64,
    is_plain: bool,
}

/// All that was measured.
struct Report {
    ground: Ground,
    web: Web,
    parts: Vec<Part>,
    crawled: Crawled,
}

pub(crate) fn command(args: BenchArgs) -> Result<ExitCode, Fault> {
    if args.hosts > args.pages {
        let (hosts, pages) =
            (counted(args.hosts.into(), "site"), counted(args.pages.into(), "page"));
        return Err(Fault::usage(
            format!("{hosts} and only {pages}: every site has one at least"),
            format!("--pages {}, or --hosts {}", args.hosts, args.pages),
        ));
    }
    machine::raise_open_files();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Fault::failed(format!("cannot start: {error}"), "a system with room for it")
    })?;
    let json = args.json;
    let stop = Arc::new(Stop::default());
    let report = runtime.block_on(async {
        let signals = tokio::spawn(listen(Arc::clone(&stop)));
        let work = tokio::task::spawn_blocking(move || measure(&args, &stop));
        let report = work.await.map_err(std::io::Error::other)?;
        signals.abort();
        report
    })?;
    if json {
        screen::print(&json::shown(&report))?;
    } else {
        print(&report)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the report as a page of text.
fn print(report: &Report) -> std::io::Result<()> {
    let live = Live::on(&std::io::stdout());
    let columns = if live == Live::No { COLUMNS } else { screen::size().0.min(COLUMNS_MAX) };
    let mut text = String::new();
    for line in text::render(report, columns) {
        text.push_str(&line.paint(columns, live == Live::Coloured));
        text.push('\n');
    }
    std::io::stdout().lock().write_all(text.as_bytes())
}

/// The first signal that asks for an end is obeyed at the next step, a few seconds later at most,
/// in good order; the second at once. Nothing stays behind by either.
async fn listen(stop: Arc<Stop>) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    ) else {
        return;
    };
    for is_first in [true, false] {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
        if is_first {
            stop.ask();
        } else {
            stop.end_at_once();
        }
    }
}

/// Measures everything, step by step.
fn measure(args: &BenchArgs, stop: &Stop) -> Result<Report, Fault> {
    let mut steps = Steps::new(stop);
    let folder = workplace(args.output.as_deref())?;
    stop.hold_folder(folder.path());
    let cores = Cores::allowed().map_err(|error| pinning(&error))?;
    let (serving, crawling) = cores.split(1);
    let (hosts, pages) = (args.hosts, args.pages);
    steps.next(&format!("making a web of {} and {}", sites(hosts), pages_of(pages)))?;
    // Pages are made on all cores.
    let served = serve(args)?;
    serving.pin().map_err(|error| pinning(&error))?;
    steps.next("measuring the disk")?;
    let ground = Ground::of(folder.path(), cores.numbers().len())?;
    steps.next("measuring the parts of a page")?;
    let urls: Vec<String> = served.expected().pages.into_keys().collect();
    let sample = Sample::fetch(&urls, served.dns()).map_err(|error| {
        Fault::failed(format!("the web of the test cannot be fetched: {error}"), "rhumb demo")
    })?;
    let work = || parts::all(&sample, &folder.path().join("parts"));
    let parts = crawling.first(1).on(work).map_err(|error| pinning(&error))?;
    let parts = parts
        .map_err(|error| Fault::failed(error.to_string(), "-o DIR, with a folder that has room"))?;
    served.forget();
    let is_shared = serving == crawling;
    let crawled = crawled::run(&served, folder.path(), &crawling, is_shared, &mut steps)?;
    let web = Web {
        hosts,
        pages,
        page_bytes: sample.plain_bytes(),
        received_bytes: sample.received_bytes(),
        is_plain: args.plain,
    };
    Ok(Report { ground, web, parts, crawled })
}

/// A folder of our own, which is gone at the end.
fn workplace(within: Option<&Path>) -> Result<tempfile::TempDir, Fault> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("rhumb-bench-");
    let made = match within {
        Some(folder) => builder.tempdir_in(folder),
        None => builder.tempdir(),
    };
    let shown =
        || within.map_or_else(|| "a temporary folder".to_owned(), |it| it.display().to_string());
    made.map_err(|error| Fault::file("make a folder in", shown(), &error))
}

fn serve(args: &BenchArgs) -> Result<Served, Fault> {
    let number = |count: u32| usize::try_from(count).expect("a usize has 32 bits");
    let mut spec = Spec::bench(number(args.hosts), number(args.pages));
    spec.coding = Some(if args.plain { Coding::Identity } else { Coding::Gzip });
    Served::start_on_thread(&spec).map_err(|error| {
        Fault::failed(
            format!("cannot serve a web on 127.0.0.0/8: {error}"),
            "more open files (ulimit -n 8192), or fewer sites (--hosts 100)",
        )
    })
}

fn pinning(error: &std::io::Error) -> Fault {
    Fault::failed(
        format!("cannot choose the cores to run on: {error}"),
        "a system that lets a process choose its cores",
    )
}

fn sites(count: u32) -> String {
    counted(count.into(), "site")
}

fn pages_of(count: u32) -> String {
    counted(count.into(), "page")
}

#[expect(clippy::cast_precision_loss, reason = "figures are shown with a few digits")]
fn number(count: u64) -> f64 {
    count as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "nothing measured is negative, and a cast ends at the largest number"
)]
fn whole(number: f64) -> u64 {
    number.round() as u64
}
