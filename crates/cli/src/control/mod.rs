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
use rhumb_crawl::control::{Question, Reply, ask};
use rhumb_web::CanonUrl;

use crate::fault::Fault;
use crate::home::{self, Holder, Home};
use crate::screen::print_text;
use crate::settings::Settings;
use crate::{quantity, seeds, tell, word};

pub(crate) use clerk::Clerk;
pub(crate) use site::{SiteArgs, site};
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
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true,
        default_value = "1m", default_missing_value = "1m")]
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
    order(&args.dir, &Question::Pause)
}

pub(crate) fn resume(args: &FolderArgs) -> Result<ExitCode, Fault> {
    order(&args.dir, &Question::Resume)
}

/// Tells a running crawl what to do; there must be one.
fn order(folder: &Path, question: &Question) -> Result<ExitCode, Fault> {
    home::settings(folder)?;
    let Some(message) = told(folder, question)? else {
        return Err(Fault::failed(
            format!("no rhumb works on {}", folder.display()),
            word::resume(folder),
        ));
    };
    tell(&message);
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn stop(args: &StopArgs) -> Result<ExitCode, Fault> {
    let wait = quantity::duration(&args.wait).map_err(|why| Fault::usage(why, "--wait=1m"))?;
    let folder = args.dir.as_path();
    let shown = folder.display();
    home::settings(folder)?;
    let look = || home::holder(folder).map_err(|error| Fault::file("look into", &shown, &error));
    let before = look()?;
    let Some(message) = told(folder, &Question::Stop)? else {
        tell(&format!("no rhumb works on {shown}: nothing to stop"));
        return Ok(ExitCode::SUCCESS);
    };
    tell(&message);
    let began = Instant::now();
    while !wait.is_zero() {
        // Another process, which took the crawl up again, is none of ours to wait for.
        if look()? != before {
            tell(&format!("stopped; to go on: {}", word::resume(folder)));
            break;
        }
        if began.elapsed() >= wait {
            return Err(Fault::failed(
                format!("the crawl in {shown} has not ended within {}", quantity::elapsed(wait)),
                format!("rhumb stop {} --wait=10m", word::quoted(&folder.to_string_lossy())),
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
        if let Some(message) = told(folder, &question)? {
            print_text(&message)?;
            continue;
        }
        // Nobody works on it, or not any more.
        let urls: Vec<String> = std::iter::once(urls).chain(batches).flatten().collect();
        let (home, settings) = opened(folder)?;
        let submission = Submission::new(&settings, &urls)?;
        if submission.settings != settings {
            home.save(&submission.settings)?;
        }
        print_text(&submission.told(|_| "new: it is fetched at the next start".to_owned()))?;
        tell(&format!(
            "no rhumb works on {}; to go on: {}",
            folder.display(),
            word::resume(folder)
        ));
        break;
    }
    Ok(ExitCode::SUCCESS)
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

/// What a running crawl says to this; none if there is none.
fn told(folder: &Path, question: &Question) -> Result<Option<String>, Fault> {
    let shown = folder.display();
    let advice = "the same once more, in a moment";
    let reply = ask(folder, question).map_err(|error| {
        Fault::failed(format!("cannot ask the crawl in {shown}: {error}"), advice)
    })?;
    match reply {
        Some(Reply::Done { message }) => Ok(Some(message)),
        Some(Reply::Refused { what, advice }) => Err(Fault::failed(what, advice)),
        Some(Reply::Status(_) | Reply::Why(_)) => {
            Err(Fault::failed(format!("the crawl in {shown} speaks of something else"), advice))
        }
        None => unheard(folder).map(|()| None),
    }
}

/// Nobody listens: that is well where nobody works.
pub(crate) fn unheard(folder: &Path) -> Result<(), Fault> {
    let shown = folder.display();
    let holder = home::holder(folder).map_err(|error| Fault::file("look into", &shown, &error))?;
    let Holder::Process(pid) = holder else { return Ok(()) };
    let (who, how) = match pid {
        Some(pid) => (format!("rhumb (pid {pid})"), format!(", or kill {pid}, which ends it")),
        None => ("rhumb".to_owned(), String::new()),
    };
    Err(Fault::failed(
        format!("{who} works on {shown}, but does not listen: it begins, or ends"),
        format!("the same once more, in a moment{how}"),
    ))
}

/// A crawl on which nobody works, for as long as we do.
pub(crate) fn opened(folder: &Path) -> Result<(Home, Settings), Fault> {
    // Whoever asks for its settings first has been told if there is none.
    home::settings(folder)?;
    Ok(Home::open(folder)?.expect("it has settings"))
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
