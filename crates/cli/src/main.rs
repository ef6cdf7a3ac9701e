//! `rhumb`: a web crawler and search engine in one binary.
//!
//! This room knows the command line, settings files, the terminal and exit codes, and wires the
//! other rooms together. It holds no policy: what is fetched, when, and what is kept is decided
//! below. stdout is data, stderr is talk.

mod agent;
mod crawl;
mod demo;
mod export;
mod fault;
mod home;
mod machine;
mod oneshot;
mod plan;
mod printable;
mod quantity;
mod screen;
mod seeds;
mod settings;
mod word;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use fault::Fault;

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
    /// Print what a crawl has kept
    Export(export::ExportArgs),
    /// Show the canonical form of URLs
    Url(oneshot::UrlArgs),
    /// Ask a robots.txt file about URLs
    Robots(oneshot::RobotsArgs),
    /// Show what is understood of a page
    Page(oneshot::PageArgs),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return fault::usage(&error),
    };
    let result = match cli.command {
        Command::Crawl(args) => crawl::command(*args),
        Command::Demo(args) => demo::command(&args),
        Command::Plan(args) => plan::command(args),
        Command::Export(args) => export::command(&args),
        Command::Url(args) => oneshot::url(&args),
        Command::Robots(args) => oneshot::robots(&args),
        Command::Page(args) => oneshot::page(&args),
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
