//! Earlier crawls of the same sites: their folders are found before anything is requested.

use std::path::{Path, PathBuf};

use rhumb_crawl::earlier::{self, Found};
use rhumb_crawl::shell::Hindsight;

use crate::fault::Fault;
use crate::home;
use crate::quantity::{counted, grouped};
use crate::screen::{Notices, Voice};
use crate::settings::Settings;

/// Given alone it stands for no folder, so that what was given before can be dropped.
const NONE: &str = "none";
/// What to do about a folder that is of no use.
pub(super) const ADVICE: &str = "--earlier DIR with the folder of another crawl, for all that \
                                 were given; or --earlier none, to go on without";

/// Makes what the user gave independent of where he stands: the crawl may be gone on with from
/// elsewhere.
pub(super) fn placed(mut wanted: Settings) -> Result<Settings, Fault> {
    for folder in wanted.earlier.iter_mut().filter(|folder| *folder != NONE) {
        let absolute = std::path::absolute(&*folder).ok();
        let absolute = absolute.and_then(|path| path.to_str().map(str::to_owned));
        *folder = absolute.ok_or_else(|| {
            Fault::usage(format!("--earlier {folder:?} is no path that can be kept"), ADVICE)
        })?;
    }
    Ok(wanted)
}

/// The folders to be read, each once: all hold a crawl that can be read, and is not the one that
/// is to be gone on with in `own`.
pub(super) fn folders(settings: &Settings, own: &Path) -> Result<Vec<PathBuf>, Fault> {
    if settings.earlier == [NONE] {
        return Ok(Vec::new());
    }
    let own = own.canonicalize().ok();
    let mut folders = Vec::new();
    for folder in &settings.earlier {
        if folder == NONE {
            return Err(Fault::usage("--earlier none goes alone", ADVICE));
        }
        let refused = |what: String| Fault::usage(format!("--earlier {folder}: {what}"), ADVICE);
        let path = Path::new(folder);
        if home::is_there(path).is_err() {
            let is_gone = !path.exists();
            let what = if is_gone { "there is no such folder" } else { "it holds no crawl" };
            return Err(refused(what.to_owned()));
        }
        let path = path.canonicalize().map_err(|error| refused(error.to_string()))?;
        if own.as_ref() == Some(&path) {
            return Err(refused("that is this crawl itself".to_owned()));
        }
        earlier::check(&path).map_err(|error| refused(error.to_string()))?;
        if !folders.contains(&path) {
            folders.push(path);
        }
    }
    Ok(folders)
}

/// Lets a crawl look at these folders, and tells what was found there.
pub(super) fn hindsight(
    folders: Vec<PathBuf>,
    voice: Voice,
    notices: &Notices,
) -> Option<Hindsight> {
    let notices = notices.clone();
    let told = move |found: Found| {
        if !voice.quiet {
            notices.tell(&line(found));
        }
    };
    (!folders.is_empty()).then(|| Hindsight { folders, told: Box::new(told) })
}

fn line(found: Found) -> String {
    let (pages, crawls) = (counted(found.pages, "page"), counted(found.crawls, "crawl"));
    format!("earlier: {pages} of {crawls}, {} likely changed", grouped(found.changed))
}
