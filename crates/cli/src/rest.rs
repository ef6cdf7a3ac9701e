//! A crawl as another command finds it: at work, and asked; or at rest, and read where it lies.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use rhumb_crawl::control::{Question, Reply, ask};
use rhumb_crawl::shell::CrawlError;

use crate::control::ENDING;
use crate::crawl::{self, Plan};
use crate::fault::Fault;
use crate::home::{self, Holder, Home};
use crate::screen::Voice;
use crate::settings::Settings;
use crate::{seeds, word};

/// Whoever works on a folder and does not listen is waited for so long: a crawl that begins or
/// ends, or another command that reads it.
const PATIENCE: Duration = Duration::from_secs(10);
/// And looked for this often.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What is found of a crawl.
#[derive(Debug)]
pub(crate) enum Found {
    /// It runs, and answers.
    Running(Reply),
    /// Nobody works on it, and it is ours as long as the home lives.
    AtRest(Home, Box<Settings>),
}

/// Asks a crawl if it runs, and takes it if it does not.
pub(crate) fn find(folder: &Path, question: &Question) -> Result<Found, Fault> {
    let began = Instant::now();
    loop {
        if let Some(reply) = running(folder, question)? {
            return Ok(Found::Running(reply));
        }
        match Home::open(folder) {
            Ok(Some((home, settings))) => return Ok(Found::AtRest(home, Box::new(settings))),
            Ok(None) => return Err(home::no_crawl(folder)),
            // Somebody was faster.
            Err(_) if began.elapsed() < PATIENCE && holder(folder)? != Holder::Nobody => {}
            Err(fault) => return Err(fault),
        }
    }
}

/// What a running crawl answers; none if nobody works on it.
pub(crate) fn running(folder: &Path, question: &Question) -> Result<Option<Reply>, Fault> {
    home::is_there(folder)?;
    let began = Instant::now();
    loop {
        let reply = ask(folder, question).map_err(|error| unasked(folder, &error))?;
        match reply {
            Some(Reply::Refused { what, .. }) if what == ENDING => {}
            Some(Reply::Refused { what, advice }) => return Err(Fault::failed(what, advice)),
            Some(reply) => return Ok(Some(reply)),
            None => {}
        }
        match holder(folder)? {
            Holder::Nobody => return Ok(None),
            Holder::Process(pid) if began.elapsed() >= PATIENCE => return Err(deaf(folder, pid)),
            Holder::Process(_) => std::thread::sleep(LOOK_EVERY),
        }
    }
}

/// Who works on it.
pub(crate) fn holder(folder: &Path) -> Result<Holder, Fault> {
    home::holder(folder).map_err(|error| Fault::file("look into", folder.display(), &error))
}

fn unasked(folder: &Path, error: &std::io::Error) -> Fault {
    let shown = folder.display();
    if error.kind() == ErrorKind::PermissionDenied {
        let what = format!("the crawl in {shown} answers another user only: {error}");
        return Fault::failed(what, "the same as the user who runs it, with sudo -u USER");
    }
    let what = format!("cannot ask the crawl in {shown}: {error}");
    Fault::failed(what, "the same once more, in a moment")
}

/// Somebody works on it, and does not listen.
fn deaf(folder: &Path, pid: Option<u32>) -> Fault {
    let (who, how) = match pid {
        Some(pid) => (format!("rhumb (pid {pid})"), format!(", or kill {pid}, which ends it")),
        None => ("rhumb".to_owned(), String::new()),
    };
    let shown = folder.display();
    Fault::failed(
        format!("{who} works on {shown} and does not listen: it begins, ends, or is no crawl"),
        format!("the same once more, in a moment{how}"),
    )
}

/// An answer to another question than ours.
pub(crate) fn beside_the_point(folder: &Path) -> Fault {
    let what = format!("the crawl in {} speaks of something else", folder.display());
    Fault::failed(what, "the rhumb that runs it, or the same version of it")
}

/// How a crawl at rest is read.
pub(crate) fn plan(home: &Home, settings: Settings) -> Result<Plan, Fault> {
    let settings = settings.over(Settings::defaults());
    let seeds = settings.seeds.iter().map(String::as_str);
    let seeds = seeds::canonical(seeds, crawl::canon(&settings))?;
    let mut plan = Plan::new(&settings, seeds, Voice::default())?;
    home.folder().clone_into(&mut plan.engine.folder);
    Ok(plan)
}

/// What could not be read of it, and how to go on.
pub(crate) fn unreadable(folder: &Path) -> impl FnOnce(CrawlError) -> Fault {
    let again = word::resume(folder);
    let folder = folder.to_owned();
    move |error| crawl::engine_fault(&error, &folder, Some(&again))
}
