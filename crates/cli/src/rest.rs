//! A crawl at rest: nobody works on it, and its settings say how to read it.

use std::path::Path;

use rhumb_crawl::control::{Question, Reply, ask};
use rhumb_crawl::shell::CrawlError;

use crate::control::{opened, unheard};
use crate::crawl::{self, Plan};
use crate::fault::Fault;
use crate::home::{self, Home};
use crate::screen::Voice;
use crate::settings::Settings;
use crate::{seeds, word};

/// What a running crawl answers; none if nobody works on it.
pub(crate) fn running(folder: &Path, question: &Question) -> Result<Option<Reply>, Fault> {
    home::is_there(folder)?;
    let shown = folder.display();
    let reply = ask(folder, question).map_err(|error| {
        let advice = "the same once more, in a moment";
        Fault::failed(format!("cannot ask the crawl in {shown}: {error}"), advice)
    })?;
    match reply {
        Some(Reply::Refused { what, advice }) => Err(Fault::failed(what, advice)),
        None => unheard(folder).map(|()| None),
        reply => Ok(reply),
    }
}

/// An answer to another question than ours.
pub(crate) fn beside_the_point(folder: &Path) -> Fault {
    let what = format!("the crawl in {} speaks of something else", folder.display());
    Fault::failed(what, "the rhumb that runs it, or the same version of it")
}

/// The crawl of a folder on which nobody works, ours as long as the home lives.
pub(crate) fn at_rest(folder: &Path) -> Result<(Home, Plan), Fault> {
    let (home, settings) = opened(folder)?;
    let settings = settings.over(Settings::defaults());
    let seeds = settings.seeds.iter().map(String::as_str);
    let seeds = seeds::canonical(seeds, crawl::canon(&settings))?;
    let mut plan = Plan::new(&settings, seeds, Voice::default())?;
    home.folder().clone_into(&mut plan.engine.folder);
    Ok((home, plan))
}

/// What could not be read of it, and how to go on.
pub(crate) fn unreadable(folder: &Path) -> impl FnOnce(CrawlError) -> Fault {
    let again = word::resume(folder);
    let folder = folder.to_owned();
    move |error| crawl::engine_fault(&error, &folder, Some(&again))
}
