//! Commands for a crawl that runs, or lies stopped: pause, resume, stop, submit, site.
//!
//! A crawl that runs is asked through its socket, and changes its own `crawl.toml`; in one that is
//! stopped these commands change that file themselves.

mod clerk;
mod site;
mod submission;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use rhumb_crawl::control::{Question, Reply};
use rhumb_web::CanonUrl;

use crate::fault::Fault;
use crate::home::Home;
use crate::rest::{self, Found};
use crate::screen::print_text;
use crate::settings::Settings;
use crate::word::{self, path};
use crate::{home, quantity, seeds, tell};

pub(crate) use clerk::{Clerk, ENDING};
pub(crate) use site::{SiteArgs, change_at_rest, site};
use submission::Submission;

/// Whether a crawl has ended is looked at this often.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Bytes of URLs in one question: far below what a line may have, whatever JSON makes of them.
const URLS_BYTES_MAX: usize = 16 << 10;

#[derive(Debug, Args)]
pub(crate) struct FolderArgs {
    /// The folder of a crawl
    dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// The folder of a crawl
    dir: PathBuf,
    /// Wait for its end, at most so long; 0s: not at all
    #[arg(long, value_name = "TIME", default_value = "1m")]
    wait: String,
}

#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    /// The folder of a crawl
    dir: PathBuf,
    /// What to fetch: URLs, files with one URL a line, or - for stdin
    #[arg(value_name = "URL|FILE|-", required = true)]
    seeds: Vec<String>,
}

pub(crate) fn pause(args: &FolderArgs) -> Result<ExitCode, Fault> {
    order(&args.dir, &Question::Pause, || format!("; to go on: rhumb resume {}", path(&args.dir)))
}

pub(crate) fn resume(args: &FolderArgs) -> Result<ExitCode, Fault> {
    order(&args.dir, &Question::Resume, String::new)
}

/// Tells a running crawl what to do; there must be one.
fn order(
    folder: &Path,
    question: &Question,
    more: impl FnOnce() -> String,
) -> Result<ExitCode, Fault> {
    let Some(reply) = rest::running(folder, question)? else {
        return Err(Fault::failed(
            format!("no rhumb works on {}", folder.display()),
            word::resume(folder),
        ));
    };
    tell(&(done(folder, reply)? + &more()));
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn stop(args: &StopArgs) -> Result<ExitCode, Fault> {
    let wait = quantity::duration(&args.wait).map_err(|why| Fault::usage(why, "--wait 1m"))?;
    let folder = args.dir.as_path();
    let shown = folder.display();
    home::is_there(folder)?;
    let before = rest::holder(folder)?;
    let Some(reply) = rest::running(folder, &Question::Stop)? else {
        tell(&format!("no rhumb works on {shown}: nothing to stop"));
        return Ok(ExitCode::SUCCESS);
    };
    tell(&done(folder, reply)?);
    let began = Instant::now();
    while !wait.is_zero() {
        // Another process, which took the crawl up again, is none of ours to wait for.
        if rest::holder(folder)? != before {
            tell(&format!("stopped; to go on: {}", word::resume(folder)));
            break;
        }
        if began.elapsed() >= wait {
            return Err(Fault::failed(
                format!("the crawl in {shown} has not ended within {}", quantity::elapsed(wait)),
                format!("rhumb stop {} --wait 10m", path(folder)),
            ));
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn submit(args: &SubmitArgs) -> Result<ExitCode, Fault> {
    let folder = args.dir.as_path();
    let urls = seeds::read(&args.seeds)?;
    let urls: Vec<String> = urls.iter().map(ToString::to_string).collect();
    // What would be refused is refused before any of it is sent.
    Submission::new(&home::settings(folder)?, &urls)?;
    let mut batches = batches(urls).into_iter();
    while let Some(urls) = batches.next() {
        let question = Question::Submit { urls: urls.clone() };
        let (home, settings) = match rest::find(folder, &question)? {
            Found::Running(reply) => {
                print_text(&done(folder, reply)?)?;
                continue;
            }
            Found::AtRest(home, settings) => (home, *settings),
        };
        // Nobody works on it, or not any more.
        let urls: Vec<String> = std::iter::once(urls).chain(batches).flatten().collect();
        print_text(&submit_at_rest(&home, &settings, &urls)?)?;
        tell(&format!(
            "no rhumb works on {}; to go on: {}",
            folder.display(),
            word::resume(folder)
        ));
        break;
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds seeds to a crawl that nobody works on, and tells what they are.
pub(crate) fn submit_at_rest(
    home: &Home,
    settings: &Settings,
    urls: &[String],
) -> Result<String, Fault> {
    let submission = Submission::new(settings, urls)?;
    if submission.settings != *settings {
        home.save(&submission.settings)?;
    }
    Ok(submission.told(|_| "new: it is fetched at the next start".to_owned()))
}

/// URLs by the question: as many as go into a line.
fn batches(urls: Vec<String>) -> Vec<Vec<String>> {
    let mut batches: Vec<Vec<String>> = Vec::new();
    let mut room = 0;
    for url in urls {
        match batches.last_mut() {
            Some(batch) if url.len() < room => {
                room -= url.len();
                batch.push(url);
            }
            _ => {
                room = URLS_BYTES_MAX.saturating_sub(url.len());
                batches.push(vec![url]);
            }
        }
    }
    batches
}

/// What a running crawl says to an order.
fn done(folder: &Path, reply: Reply) -> Result<String, Fault> {
    match reply {
        Reply::Done { message } => Ok(message),
        Reply::Refused { what, advice } => Err(Fault::failed(what, advice)),
        Reply::Status(_) | Reply::Why(_) | Reply::Sites(_) | Reply::Traps { .. } => {
            Err(rest::beside_the_point(folder))
        }
    }
}

/// URLs in words for one who reads them.
fn line(what: &str, url: &CanonUrl) -> String {
    format!("{url}: {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_sent_in_their_order_and_no_line_is_too_long() {
        let urls: Vec<String> =
            (0..2_000).map(|n| format!("http://a.example/{}", "x".repeat(n % 90))).collect();
        let batches = batches(urls.clone());
        assert!(batches.len() > 2);
        assert!(batches.iter().all(|batch| batch.concat().len() <= URLS_BYTES_MAX));
        assert_eq!(batches.concat(), urls);
        assert_eq!(super::batches(vec!["x".repeat(URLS_BYTES_MAX * 2)]).len(), 1);
    }
}
