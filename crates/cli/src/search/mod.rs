//! `rhumb search`: the pages of a crawl that answer a query, the best first.

mod json;
mod text;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rhumb_index::{Answer, IndexError, Searcher, Searches, Want};
use rhumb_serve::results;

use crate::fault::Fault;
use crate::home::{Holder, Home};
use crate::indexing;
use crate::quantity::{counted, grouped};
use crate::rest;
use crate::screen::{self, Live};
use crate::{home, tell, word};

/// How many results a page may have.
const COUNT: RangeInclusive<i64> = 1..=100;
const COUNT_USUAL: u16 = 10;
/// Which pages of results there may be: of one each, and no more results than there are.
const PAGES: RangeInclusive<i64> = 1..=1_000;

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// The folder of a crawl, which may be running
    dir: PathBuf,
    /// Words, which all must match; also "a phrase", -not, OR, ( ), begin*, site:example.org,
    /// inurl:, intitle:, lang:en, type:pdf, before:2024, after:2024-03-01
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Results to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = COUNT_USUAL,
        allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(COUNT))]
    count: u16,
    /// Which page of the results
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u16).range(PAGES))]
    page: u16,
    /// Show what each score is made of
    #[arg(long)]
    explain: bool,
    /// Count the results by site, language and type too
    #[arg(long)]
    facets: bool,
    /// One JSON object a result; with --facets one more at the end
    #[arg(long)]
    json: bool,
}

pub(crate) fn command(args: &SearchArgs) -> Result<ExitCode, Fault> {
    let folder = args.dir.as_path();
    let searcher = searcher(folder)?;
    let query = args.query.join(" ");
    let want = Want {
        from: usize::from(args.page - 1) * usize::from(args.count),
        count: usize::from(args.count),
        explain: args.explain,
        facets: args.facets,
        ..Want::default()
    };
    let answer = searcher.search(&query, &want).map_err(|error| refused(&error, folder))?;
    remark(&answer);
    if args.json {
        json::print(&answer, &want)?;
    } else {
        let live = Live::on(&std::io::stdout());
        let text = text::page(&answer, &want, screen::columns(live), live == Live::Coloured);
        screen::print_lines(&text)?;
        next(args, &query, &answer);
    }
    Ok(ExitCode::SUCCESS)
}

/// How many pages of a crawl at rest answer a query, and which is the best, in a sentence.
pub(crate) fn first(folder: &Path, query: &str) -> Result<String, Fault> {
    let want = Want { count: 1, ..Want::default() };
    let answer = searcher(folder)?.search(query, &want);
    let answer = answer.map_err(|error| refused(&error, folder))?;
    let about = if answer.is_exact { "" } else { "at least " };
    let found = counted(answer.total, "page");
    let best = answer.hits.first().map(|hit| format!(", the best of them {}", hit.url));
    Ok(format!("search for {query:?}: {about}{found}{}", best.unwrap_or_default()))
}

/// The index of a crawl, as new as it can be.
pub(crate) fn searcher(folder: &Path) -> Result<Searcher, Fault> {
    catch_up(folder)?;
    Searcher::open(&folder.join(indexing::FOLDER)).map_err(|error| refused(&error, folder))
}

/// Reads a crawl at rest to its end, so that all of it is found.
pub(crate) fn catch_up(folder: &Path) -> Result<(), Fault> {
    home::is_there(folder)?;
    if !indexing::is_current(folder)? {
        match rest::holder(folder)? {
            Holder::Nobody => {
                let (home, settings) = Home::open(folder)?.ok_or_else(|| home::no_crawl(folder))?;
                indexing::catch_up(&home, settings, Searches::default())?;
            }
            Holder::Process(_) if home::settings(folder)?.index != Some(true) => {
                let again = word::resume(folder);
                tell(&format!(
                    "note: the crawl runs without an index: what is new is not found; \
                     rhumb stop {}, then {again} --index",
                    word::path(folder)
                ));
            }
            Holder::Process(_) => {}
        }
    }
    Ok(())
}

/// What is to be said before the results.
fn remark(answer: &Answer) {
    if let Some(hint) = &answer.hint {
        tell(&format!("note: {hint}"));
    }
    if let Some(loosened) = &answer.loosened {
        tell(&format!("note: {}", results::loosened(loosened)));
    }
    if let Some(suggestion) = &answer.suggestion {
        tell(&format!("did you mean: {suggestion}"));
    }
    if answer.hits.is_empty() {
        tell(if answer.total == 0 { "nothing found" } else { "no more results" });
    }
}

/// Which results these are, and how to see more.
fn next(args: &SearchArgs, query: &str, answer: &Answer) {
    let (Some(first), Some(last)) = (answer.hits.first(), answer.hits.last()) else { return };
    let total = grouped(answer.total);
    let about = if answer.is_exact { "" } else { "at least " };
    tell(&format!("{} to {} of {about}{total}", first.rank, last.rank));
    if answer.has_more {
        let page = args.page + 1;
        let (folder, query) = (word::path(&args.dir), word::quoted(query));
        let count = match args.count {
            COUNT_USUAL => String::new(),
            count => format!(" -n {count}"),
        };
        tell(&format!("more: rhumb search {folder} {query}{count} --page {page}"));
    }
}

/// A question that cannot be answered.
pub(crate) fn refused(error: &IndexError, folder: &Path) -> Fault {
    let shown = word::path(folder);
    match error {
        IndexError::Query(wrong) => Fault::usage(wrong.to_string(), wrong.advice.clone()),
        IndexError::NoIndex { .. } => Fault::failed(
            format!("{} has no index yet", folder.display()),
            format!("rhumb index {shown}, once the crawl does not run"),
        ),
        error => {
            Fault::failed(error.to_string(), format!("rhumb index {shown}, which makes it anew"))
        }
    }
}
