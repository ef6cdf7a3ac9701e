//! `rhumb index`, and the index beside a crawl: made anew, read on, or kept in step with it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use clap::Args;
use rhumb_crawl::ask::{Contents, stopped};
use rhumb_crawl::control::Question;
use rhumb_crawl::forget::{self, Forgot};
use rhumb_crawl::shell::{CrawlError, CrawlSettings, News, Stopwatch};
use rhumb_gather::{GatherError, GatherSettings, Gatherer, Progress};
use rhumb_index::{Searcher, Searches};

use crate::crawl::Plan;
use crate::fault::Fault;
use crate::home::Home;
use crate::quantity::{bytes, counted, elapsed};
use crate::rest::{self, Found};
use crate::settings::Settings;
use crate::{tell, word};

/// The folder of the index in a crawl's folder.
pub(crate) const FOLDER: &str = "index";
/// The folder of a crawl that has begun to know something.
const TABLES: &str = "tables";
/// An index that is being made; at any other time it is of no use.
const NEW: &str = "index.new";
/// One that was replaced; at any other time it is of no use.
const OLD: &str = "index.old";
/// While much is read a line appears this often.
const LINE_EVERY: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// The folder of a crawl that does not run
    dir: PathBuf,
}

/// Makes the index of a crawl anew. The old one is searched until the new one is whole.
pub(crate) fn command(args: &IndexArgs) -> Result<ExitCode, Fault> {
    let folder = args.dir.as_path();
    let (home, settings) = match rest::find(folder, &Question::Status)? {
        Found::AtRest(home, settings) => (home, settings),
        Found::Running(_) => {
            let stop = word::path(folder);
            return Err(Fault::usage(
                format!(
                    "the crawl in {} runs: its index cannot be made anew now",
                    folder.display()
                ),
                format!("rhumb stop {stop}, then the same again"),
            ));
        }
    };
    let began = Instant::now();
    let new = folder.join(NEW);
    clear(&new)?;
    let plan = rest::plan(&home, *settings)?;
    let (gatherer, caught) = caught_up(&plan, &new)?;
    drop(gatherer);
    swap(folder)?;
    tell(&format!(
        "{} in the index of {}, {} on disk, made in {}",
        counted(caught, "page"),
        folder.display(),
        bytes(size(folder)),
        elapsed(began.elapsed()),
    ));
    Ok(ExitCode::SUCCESS)
}

/// Whether the index has read all that a crawl at rest has.
pub(crate) fn is_current(folder: &Path) -> Result<bool, Fault> {
    // What an interrupted exchange of both left is put in order by whoever reads on.
    if folder.join(OLD).exists() {
        return Ok(false);
    }
    let Ok(cursor) = Searcher::cursor_in(&folder.join(FOLDER)) else { return Ok(false) };
    rhumb_gather::is_read(folder, cursor).map_err(|error| fault(&error, folder))
}

/// Reads a crawl at rest to its end; searches of the same process go first.
pub(crate) fn catch_up(home: &Home, settings: Settings, searches: Searches) -> Result<(), Fault> {
    let plan = Plan { searches, ..rest::plan(home, settings)? };
    follower(&plan, home).map(drop)
}

/// The reader of a crawl that is about to run, behind nothing of what it has.
pub(crate) fn follower(plan: &Plan, home: &Home) -> Result<Gatherer, Fault> {
    let folder = home.folder();
    restore(folder)?;
    let (gatherer, _) = caught_up(plan, &folder.join(FOLDER))?;
    Ok(gatherer)
}

/// Keeps the index in step with a running crawl, until that has ended.
pub(crate) fn follow(
    gatherer: Gatherer,
    news: &Receiver<News>,
    took: &Stopwatch,
) -> Result<(), GatherError> {
    gatherer.follow(news, took)
}

/// Takes an index away, before what it holds is forgotten.
pub(crate) fn discard(folder: &Path) -> Result<bool, Fault> {
    let was_there = folder.join(FOLDER).exists();
    for name in [NEW, OLD, FOLDER] {
        clear(&folder.join(name))?;
    }
    Ok(was_there)
}

/// An index that has read all that a crawl has, and how many pages are in it.
fn caught_up(plan: &Plan, index: &Path) -> Result<(Gatherer, u64), Fault> {
    let folder = &plan.engine.folder;
    // A takedown that was cut short comes first: the index holds nothing of what is forgotten.
    if folder.join(TABLES).exists()
        && forget::finish(&plan.engine).map_err(rest::unreadable(folder))? != Forgot::default()
    {
        clear(index)?;
    }
    let contents = contents(&plan.engine)?;
    let settings = GatherSettings {
        folder: folder.clone(),
        index: index.to_owned(),
        memory: plan.index_memory,
        searches: plan.searches.clone(),
        hash: contents.as_ref().map_or(plan.engine.hash, Contents::hash),
        canon: plan.engine.canon,
        agent: plan.engine.agent.clone(),
        formats: plan.engine.formats.clone(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        ..GatherSettings::default()
    };
    let read = || -> Result<(Gatherer, u64), GatherError> {
        let mut gatherer = Gatherer::open(settings.clone())?;
        // A crawl that has not begun has nothing to read.
        let documents = match &contents {
            Some(contents) => read(&mut gatherer, contents, folder)?,
            None => 0,
        };
        Ok((gatherer, documents))
    };
    let done = match read() {
        // Of another version, of another crawl, or broken: all of it is in the archive.
        Err(error) if error.is_remade() => {
            tell(&format!("note: {error}: it is made anew"));
            clear(index)?;
            read()
        }
        done => done,
    };
    done.map_err(|error| fault(&error, folder))
}

/// What a crawl knows of its pages; none of one that has not begun.
fn contents(engine: &CrawlSettings) -> Result<Option<Contents>, Fault> {
    match stopped::contents(engine) {
        Ok(contents) => Ok(Some(contents)),
        Err(CrawlError::NoCrawl(_)) => Ok(None),
        Err(error) => Err(rest::unreadable(&engine.folder)(error)),
    }
}

/// Reads to the end, and says how many pages there are then.
fn read(gatherer: &mut Gatherer, contents: &Contents, folder: &Path) -> Result<u64, GatherError> {
    let mut told = Instant::now();
    let mut tell_progress = |progress: &Progress| {
        if told.elapsed() >= LINE_EVERY {
            told = Instant::now();
            let pages = counted(progress.pages, "page");
            let (read, all) = (bytes(progress.bytes_read), bytes(progress.bytes_all));
            tell(&format!("indexing {}: {pages}, {read} of {all}", folder.display()));
        }
    };
    let caught = gatherer.catch_up(Some(contents), &mut tell_progress)?;
    if caught.missing > 0 {
        let pages = counted(caught.missing, "copy");
        tell(&format!("note: the first text of {pages} of pages is not in the archive"));
    }
    for flaw in &caught.flaws {
        tell(&format!("warning: {flaw}"));
    }
    Ok(caught.documents)
}

fn fault(error: &GatherError, folder: &Path) -> Fault {
    let shown = word::path(folder);
    Fault::failed(
        error.to_string(),
        format!(
            "check the disk and the rights of {shown}, then rhumb index {shown}: nothing is lost"
        ),
    )
}

/// Puts the new index in the place of the old one.
fn swap(folder: &Path) -> Result<(), Fault> {
    let (index, new, old) = (folder.join(FOLDER), folder.join(NEW), folder.join(OLD));
    clear(&old)?;
    let moved = match fs::rename(&index, &old) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        moved => moved,
    };
    moved
        .and_then(|()| fs::rename(&new, &index))
        .map_err(|error| Fault::file("replace", index.display(), &error))?;
    clear(&old)
}

/// After a kill between the two steps of a swap the old index is put back.
fn restore(folder: &Path) -> Result<(), Fault> {
    let (index, old) = (folder.join(FOLDER), folder.join(OLD));
    if old.exists() && !index.exists() {
        fs::rename(&old, &index)
            .map_err(|error| Fault::file("put back", index.display(), &error))?;
    }
    clear(&folder.join(NEW))?;
    clear(&old)
}

fn clear(folder: &Path) -> Result<(), Fault> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Fault::file("remove", folder.display(), &error))
        }
        _ => Ok(()),
    }
}

/// Bytes of the index on disk.
fn size(folder: &Path) -> u64 {
    rhumb_crawl::ask::disk_use(folder).get(FOLDER).copied().unwrap_or_default()
}
