//! `rhumb`: a web crawler and search engine in one binary.
//!
//! This room knows the command line, settings files, the terminal and exit codes, and wires the
//! other rooms together. It holds no policy: what is fetched, when, and what is kept is decided
//! below. stdout is data, stderr is talk.

mod address;
mod agent;
mod audit;
mod bench;
mod control;
mod crawl;
mod demo;
mod export;
mod fault;
mod forget;
mod formats;
mod help;
mod home;
mod indexing;
mod machine;
mod oneshot;
mod plan;
mod printable;
mod quantity;
mod rest;
mod screen;
mod search;
mod seeds;
mod serving;
mod settings;
mod similar;
mod simulate;
mod sites;
mod status;
mod why;
mod word;

use std::io::Write;
use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand};

use fault::Fault;

/// A page takes some two hundred allocations, many of them as large as a body: the system's
/// allocator would spend a sixth of a crawl on them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A web crawler and search engine in one binary: polite by default, from one site to billions of
/// pages.
#[derive(Debug, Parser)]
#[command(name = "rhumb", version, disable_help_subcommand = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Crawl from seeds: fetch everything in scope, once, by the rules
    Crawl(Box<crawl::CrawlArgs>),
    /// Crawl a built-in web on loopback: no network needed
    Demo(demo::DemoArgs),
    /// Estimate the pages, time and disk of a crawl before it begins
    Plan(plan::PlanArgs),
    /// Show how a crawl stands, and what holds it back
    Status(status::StatusArgs),
    /// Tell the story of a URL: found, judged, queued, fetched, and why
    Why(why::WhyArgs),
    /// Prove what a crawl did to every host: requests, gaps, robots.txt
    Audit(audit::AuditArgs),
    /// Take a host or a URL out of a crawl, for good: this cannot be undone
    Forget(forget::ForgetArgs),
    /// Add seeds to a crawl, whether it runs or not
    Submit(control::SubmitArgs),
    /// Show or change what holds for one site of a crawl, such as its delay
    Site(control::SiteArgs),
    /// Start no more fetches in a running crawl, until it is resumed
    Pause(control::FolderArgs),
    /// Go on with a paused crawl; after a stop it is `rhumb crawl -o DIR`
    Resume(control::FolderArgs),
    /// End a running crawl in good order, and wait for its end
    Stop(control::StopArgs),
    /// Find pages of a crawl, the best first
    Search(search::SearchArgs),
    /// Serve a crawl's search page, dashboard and API to browsers
    Serve(serving::ServeArgs),
    /// Make the index of a crawl anew
    Index(indexing::IndexArgs),
    /// Print what a crawl has kept: pages as JSON, WARC, or the link graph
    Export(export::ExportArgs),
    /// Show the canonical form of URLs
    Url(oneshot::UrlArgs),
    /// Ask a robots.txt file about URLs
    Robots(oneshot::RobotsArgs),
    /// Show what is understood of a page
    Page(oneshot::PageArgs),
    /// Tell how alike two pages or texts are
    Similar(similar::SimilarArgs),
    /// Measure what this machine can do, and what holds it back
    Bench(bench::BenchArgs),
    /// Compare crawl orders and budgets on a known web, in virtual time
    Simulate(simulate::SimulateArgs),
    /// Read documents for a parent that sends them; for rhumb itself
    #[command(hide = true)]
    ReadFormat,
}

fn main() -> ExitCode {
    let words = help::command().try_get_matches();
    let cli = match words.and_then(|words| Cli::from_arg_matches(&words)) {
        Ok(cli) => cli,
        Err(error) => return fault::usage(&error),
    };
    let result = match cli.command {
        Command::Crawl(args) => crawl::command(*args),
        Command::Demo(args) => demo::command(&args),
        Command::Plan(args) => plan::command(args),
        Command::Status(args) => status::command(&args),
        Command::Why(args) => why::command(&args),
        Command::Audit(args) => audit::command(&args),
        Command::Forget(args) => forget::command(&args),
        Command::Submit(args) => control::submit(&args),
        Command::Site(args) => control::site(args),
        Command::Pause(args) => control::pause(&args),
        Command::Resume(args) => control::resume(&args),
        Command::Stop(args) => control::stop(&args),
        Command::Search(args) => search::command(&args),
        Command::Serve(args) => serving::command(&args),
        Command::Index(args) => indexing::command(&args),
        Command::Export(args) => export::command(&args),
        Command::Url(args) => oneshot::url(&args),
        Command::Robots(args) => oneshot::robots(&args),
        Command::Page(args) => oneshot::page(&args),
        Command::Similar(args) => similar::command(args),
        Command::Bench(args) => bench::command(args),
        Command::Simulate(args) => simulate::command(&args),
        Command::ReadFormat => formats::child(),
    };
    match result {
        Ok(code) | Err(Fault::Quiet(code)) => code,
        Err(fault) => fault.tell(),
    }
}

/// Writes lines to stderr, printable whatever is in them; a closed stderr is nobody's loss.
fn tell(text: &str) {
    let mut err = std::io::stderr().lock();
    for line in text.split('\n') {
        drop(writeln!(err, "{}", printable::printable(line)));
    }
}
