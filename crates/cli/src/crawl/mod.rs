//! `rhumb crawl`: from flags and files to a running engine, and on from where it ended.

mod earlier;
mod plan;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use rhumb_crawl::control::{self, Question};
use rhumb_crawl::shell::{
    self, CrawlError, Ended, Follower, Outlet, Progress, Report, Stopwatch, Summary, What,
};
use rhumb_fetch::Fetcher;
use rhumb_gather::Gatherer;
use rhumb_serve::Listener;
use rhumb_web::CanonUrl;
use rustls::RootCertStore;
use tokio::sync::{mpsc, watch};

use crate::control::Clerk;
use crate::fault::{FAILED, Fault, INTERRUPTED, NOTHING};
use crate::home::{Holder, Home};
use crate::quantity::{bytes, counted};
use crate::screen::{self, Backdrop, Live, Notices, Voice};
use crate::serving::Serving;
use crate::settings::Settings;
use crate::{address, indexing, machine, rest, seeds, serving, status, tell, word};

pub(crate) use plan::{Plan, canon, check_contact, cloaking_sample};

/// The folder of WARC files in a crawl's folder.
pub(crate) const ARCHIVE_NAME: &str = "archive";
/// A progress line appears this often.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Who only reads a crawl is waited for so long.
const READERS_PATIENCE: Duration = Duration::from_secs(3);
/// And looked for this often.
const READERS_LOOK_EVERY: Duration = Duration::from_millis(20);
/// Reports that may wait to be printed.
const REPORTS_MAX: usize = 1_024;

#[derive(Debug, Args)]
pub(crate) struct CrawlArgs {
    /// Where to begin: URLs, files with one URL a line, or - for stdin; none to go on with the
    /// crawl in DIR
    #[arg(value_name = "URL|FILE|-")]
    seeds: Vec<String>,
    /// The folder of the crawl [default: the first seed's host]; one that holds a crawl is gone
    /// on with, and what is given here is added or changed
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
    /// Read settings from this file; flags go before it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Tell every event as a JSON object a line on stdout
    #[arg(long)]
    json: bool,
    /// No progress lines
    #[arg(short, long)]
    quiet: bool,
    /// A line for every URL
    #[arg(short, long)]
    verbose: bool,
}

pub(crate) fn command(args: CrawlArgs) -> Result<ExitCode, Fault> {
    let voice = Voice::new(args.json, args.quiet, args.verbose);
    let file = args.config.as_deref().map(Settings::read).transpose()?.unwrap_or_default();
    let mut wanted = earlier::placed(args.settings.over(file))?;
    if !args.seeds.is_empty() {
        let named = seeds::read(&args.seeds)?;
        wanted.seeds = named.iter().map(ToString::to_string).collect();
    }
    let folder = match (args.output, wanted.seeds.first()) {
        (Some(folder), _) => folder,
        (None, Some(seed)) => folder_of(&CanonUrl::parse(seed).expect("a seed is a URL")),
        (None, None) => {
            return Err(Fault::usage(
                "there is no seed, and no folder of a crawl to go on with",
                "rhumb crawl https://example.org, or rhumb crawl -o DIR",
            ));
        }
    };
    let is_served_now = wanted.serve.is_some();
    let found = open(&folder)?;
    let stored = found.as_ref().map(|(_, stored)| stored);
    let (settings, seeds) = merged(wanted, stored, &folder)?;
    let new_seeds = stored.map(|stored| seeds.len().saturating_sub(stored.seeds.len()));
    let mut plan = Plan::new(&settings, seeds, voice)?;
    plan.fetch.roots = system_roots();
    plan.again = Some(word::resume(&folder));
    plan.earlier = earlier::folders(&settings, &folder)?;
    plan.metrics = status::bind(&settings)?;
    plan.serve = pages(&settings, is_served_now)?;
    let home = match found {
        None => Home::create(&folder, &settings)?,
        Some((home, stored)) => {
            if settings != stored {
                home.save(&settings)?;
            }
            home
        }
    };
    if let Some(new_seeds) = new_seeds.filter(|_| !voice.quiet) {
        let new_seeds = u64::try_from(new_seeds).expect("a length fits 64 bits");
        let also = match new_seeds {
            0 => String::new(),
            n => format!(", with {}", counted(n, "new seed")),
        };
        tell(&format!("going on with {}{also}", folder.display()));
        if settings.seeds.is_empty() {
            let folder = word::quoted(&folder.to_string_lossy());
            let add = format!("rhumb crawl https://example.org -o {folder}");
            tell(&format!("no seed of it is left; to add one: {add}"));
        }
    }
    run(plan, voice, &Arc::new(home))
}

/// The crawl in a folder, if there is one. A command that reads it, or the pages that are served
/// of it, may have it for a moment: they are waited for, and a crawl that runs is not.
fn open(folder: &Path) -> Result<Option<(Home, Settings)>, Fault> {
    let began = Instant::now();
    loop {
        let opened = Home::open(folder);
        let is_held = || rest::holder(folder).is_ok_and(|holder| holder != Holder::Nobody);
        let is_taken = opened.is_err() && is_held();
        let is_deaf = || matches!(control::ask(folder, &Question::Status), Ok(None));
        if !is_taken || began.elapsed() >= READERS_PATIENCE || !is_deaf() {
            return opened;
        }
        std::thread::sleep(READERS_LOOK_EVERY);
    }
}

/// Takes the address for its pages. One that an earlier start was given may be taken by now, by
/// `rhumb serve` perhaps: that is no reason not to crawl.
fn pages(settings: &Settings, is_asked_for: bool) -> Result<Option<Listener>, Fault> {
    match serving::bind(settings) {
        Err(Fault::Loud { what, .. }) if !is_asked_for => {
            tell(&format!("note: {what}: it crawls without pages of its own"));
            Ok(None)
        }
        bound => bound,
    }
}

/// What the user wants now, over what the crawl was told before; seeds are added.
fn merged(
    wanted: Settings,
    stored: Option<&Settings>,
    folder: &Path,
) -> Result<(Settings, Vec<CanonUrl>), Fault> {
    let shown = folder.display();
    let is_new = stored.is_none();
    let stored = stored.cloned().unwrap_or_default();
    if let (Some(wanted), Some(stored)) = (wanted.partitions, stored.partitions)
        && wanted != stored
    {
        return Err(Fault::usage(
            format!("the crawl in {shown} has {stored} partitions, and keeps them"),
            format!("the same without --partitions {wanted}, or a new folder with -o DIR"),
        ));
    }
    let texts = [stored.seeds.clone(), wanted.seeds.clone()].concat();
    // Whoever asks for a search page wants something to find there.
    let is_to_be_served = wanted.serve.as_deref().is_some_and(|at| at != address::NONE);
    let index = wanted.index.or(is_to_be_served.then_some(true));
    let mut settings = Settings { index, ..wanted }.over(stored).over(Settings::defaults());
    let seeds = seeds::canonical(texts.iter().map(String::as_str), canon(&settings))?;
    // A crawl whose seeds were all forgotten has other work, or says that it has none.
    if seeds.is_empty() && is_new {
        return Err(Fault::usage(
            format!("there is no seed, and {shown} holds no crawl to go on with"),
            format!("rhumb crawl https://example.org -o {}", word::quoted(&shown.to_string())),
        ));
    }
    settings.seeds = seeds.iter().map(ToString::to_string).collect();
    Ok((settings, seeds))
}

/// The authorities that ship with us, and those that the system trusts besides.
pub(crate) fn system_roots() -> RootCertStore {
    let mut roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

fn folder_of(seed: &CanonUrl) -> PathBuf {
    let name = seed.authority().replace(['[', ']'], "").replace(':', "-");
    // A name that begins with a dash is a flag to every command that is given it.
    PathBuf::from(if name.starts_with('-') { format!("host{name}") } else { name })
}

/// Runs a plan to its end in the folder of its crawl, and tells it.
pub(crate) fn run(mut plan: Plan, voice: Voice, home: &Arc<Home>) -> Result<ExitCode, Fault> {
    home.folder().clone_into(&mut plan.engine.folder);
    let open_files = machine::raise_open_files();
    let (busy, idle) = machine::connections(plan.engine.connections, open_files)?;
    plan.engine.connections = busy;
    plan.fetch.idle_max = plan.fetch.idle_max.min(idle);
    if voice.verbose {
        let connections = plan.engine.connections;
        let memory = bytes(plan.engine.memory);
        tell(&format!("{open_files} open files, {connections} connections, {memory} of memory"));
    }
    let fetcher = Fetcher::new(plan.fetch.clone())
        .map_err(|error| Fault::failed(error.to_string(), "other --agent, --contact or --dns"))?;
    let is_indexed = plan.settings.index == Some(true);
    let gatherer = is_indexed.then(|| indexing::follower(&plan, home)).transpose()?;
    let listener = plan.serve.take();
    let searches = plan.searches.clone();
    let serve = |it| Serving::start(it, home.folder(), &plan.settings, searches);
    let serving = listener.map(serve).transpose()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Fault::failed(format!("cannot start threads: {error}"), "a system with room for them")
    })?;
    let backdrop = Backdrop {
        scope: plan.rules.scope.kind(),
        seeds: plan.seeds.len(),
        lifted: plan.lifted.clone(),
        again: plan.again.clone(),
    };
    // On a thread of the runtime: where there is one core, deciding and fetching share it.
    let driving = runtime.spawn(drive(plan, fetcher, gatherer, voice, Arc::clone(home)));
    let driven = runtime.block_on(driving).expect("a crawl does not panic");
    let was_served = serving.is_some();
    drop(serving);
    let (summary, misses) = driven?;
    // Fetches that were under way when the user stopped it are not waited for.
    runtime.shutdown_background();
    let exit = exit_of(&summary);
    voice.summary(&summary, &backdrop, exit)?;
    if was_served && !voice.quiet {
        tell(&format!("its pages from now on: rhumb serve {}", word::path(home.folder())));
    }
    match summary.ended {
        Ended::DiskLow { free_bytes, needs_bytes } => {
            let (free, needs) = (bytes(free_bytes), bytes(needs_bytes));
            let shown = home.folder().display();
            let again = backdrop.again.map_or_else(String::new, |again| format!(", then {again}"));
            Err(Fault::failed(
                format!(
                    "the disk of {shown} has {free} left: too little to go on, nothing is lost"
                ),
                format!("make room until {needs} are free{again}"),
            ))
        }
        _ if exit == NOTHING => Err(nothing(&misses, &summary)),
        _ => Ok(ExitCode::from(exit)),
    }
}

fn exit_of(summary: &Summary) -> u8 {
    match summary.ended {
        Ended::Stopped => INTERRUPTED,
        Ended::DiskLow { .. } => FAILED,
        Ended::Done if summary.progress.tally.pages() == 0 => NOTHING,
        Ended::Done | Ended::Limit => 0,
    }
}

fn nothing(misses: &[Report], summary: &Summary) -> Fault {
    let Some(miss) = misses.last() else {
        let (what, advice) = if summary.progress.queued > 0 {
            ("nothing can be crawled now: all that is left waits", "the same command, later")
        } else {
            ("nothing could be crawled", "rhumb crawl -v into a new folder, to see every URL")
        };
        return Fault::nothing(what, advice);
    };
    let (why, advice) = match miss.what {
        What::Refused(reason) => {
            let advice = match reason.word() {
                "private-address" => "--allow-private, if that network is yours",
                "robots" => "ask the site's owner: its robots.txt keeps us out",
                _ => "another scope, include or exclude",
            };
            (reason.word().to_owned(), advice)
        }
        What::Missed(miss) | What::Retried(miss) => {
            (miss.word(), "check the URL in a browser, and that this machine is on line")
        }
        What::Fetched(..) => ("fetched".to_owned(), "rhumb crawl -v"),
    };
    Fault::nothing(format!("nothing could be crawled: {}: {why}", miss.url), advice)
}

/// An engine that could not go on: what it could not keep is told, and how to go on.
pub(crate) fn engine_fault(error: &CrawlError, folder: &Path, again: Option<&str>) -> Fault {
    let what = error.to_string();
    let shown = folder.display();
    let then = again.map_or_else(String::new, |again| format!(", then {again}"));
    if let CrawlError::Earlier(_) = error {
        Fault::usage(format!("--earlier: {what}"), earlier::ADVICE)
    } else if error.is_usage() {
        let advice = "the settings and the version that it was made with, or another -o DIR";
        Fault::usage(what, advice)
    } else if error.is_newer() {
        Fault::failed(what, "the newer rhumb that wrote it, or another folder with -o DIR")
    } else if let CrawlError::Orphaned(place) = error
        && place.ends_with("archive")
    {
        let advice = "another folder with -o DIR: an older rhumb made this one";
        Fault::failed(what, format!("{advice}; its archive can still be exported"))
    } else if error.is_full() {
        Fault::failed(what, format!("make room on the disk of {shown}{then}: nothing is lost"))
    } else if error.is_damage() {
        let advice = format!("put {shown} back from a copy{then}; or begin anew, with -o DIR");
        Fault::failed(what, advice)
    } else {
        Fault::failed(what, format!("check the disk and the rights of {shown}{then}"))
    }
}

async fn drive(
    plan: Plan,
    fetcher: Fetcher,
    gatherer: Option<Gatherer>,
    voice: Voice,
    home: Arc<Home>,
) -> Result<(Summary, Vec<Report>), Fault> {
    let Plan { settings, seeds, engine, rules, again, metrics, earlier, .. } = plan;
    let folder = engine.folder.clone();
    let (reports_to, reports) = mpsc::channel(REPORTS_MAX);
    let (progress_to, progress) = watch::channel(Progress::default());
    let (stop_sender, stop) = watch::channel(false);
    let (handle, asks) = shell::handle();
    let (news_sender, news) = std::sync::mpsc::channel();
    let took = Stopwatch::default();
    let follower = Follower { news: news_sender, took: took.clone() };
    let follower = gatherer.is_some().then_some(follower);
    let notices = Notices::new(voice.live);
    let earlier = earlier::hindsight(earlier, voice, &notices);
    let outlet =
        Outlet { reports: reports_to, progress: progress_to, stop, asks, follower, earlier };
    let indexing = gatherer.map(|gatherer| {
        let (folder, notices) = (folder.clone(), notices.clone());
        // The crawl is whole without it, and whoever searches reads on.
        tokio::task::spawn_blocking(move || {
            if let Err(why) = indexing::follow(gatherer, &news, &took) {
                let index = word::path(&folder);
                notices.tell(&format!("no more is indexed: {why}; rhumb search {index} reads on"));
            }
        })
    });
    let metrics = metrics.map(|listener| {
        tell(&format!("metrics: http://{}/metrics", listener.address()));
        status::serve(listener, &handle)
    });
    let clerk = Clerk::new(
        home,
        settings,
        rules.scope.kind(),
        handle,
        stop_sender.clone(),
        notices.clone(),
    );
    let listener = listener(&clerk, &folder, &notices);
    let watching = tokio::spawn(clerk.watch());
    // A thread of its own: whoever reads our output slowly holds up nothing else.
    let teller_stop = stop_sender.clone();
    let teller = tokio::task::spawn_blocking(move || tell_reports(voice, reports, &teller_stop));
    let title = title(&seeds);
    let display = match voice.live {
        Live::No => tokio::spawn(tell_progress(voice, progress)),
        live => tokio::spawn(screen::show(
            title,
            live == Live::Coloured,
            progress,
            stop_sender.subscribe(),
            notices.shown(),
        )),
    };
    let signals = tokio::spawn(listen(voice, stop_sender));
    let summary = shell::run(engine, rules, fetcher, &seeds, outlet).await;
    watching.abort();
    if let Some(indexing) = indexing
        && indexing.await.is_err()
    {
        notices.tell("no more is indexed: a page could not be read");
    }
    drop(listener);
    if let Some(metrics) = metrics {
        metrics.abort();
    }
    display.abort();
    // Its last act is to clear what it drew: before anything else is told.
    drop(display.await);
    let misses = teller.await.map_err(std::io::Error::other)??;
    signals.abort();
    let summary = summary.map_err(|error| engine_fault(&error, &folder, again.as_deref()))?;
    Ok((summary, misses))
}

/// Listens to questions and orders. A file system without sockets is no reason not to crawl.
fn listener(clerk: &Clerk, folder: &Path, notices: &Notices) -> Option<control::Listener> {
    let clerk = clerk.clone();
    match control::listen(folder, move |question| clerk.clone().answer(question)) {
        Ok(listener) => Some(listener),
        Err(error) => {
            let path = folder.join(control::SOCKET_NAME);
            notices.tell(&format!("cannot listen on {}: {error}", path.display()));
            None
        }
    }
}

/// What a crawl is of, for its display.
fn title(seeds: &[CanonUrl]) -> String {
    let first = seeds.first().map(CanonUrl::as_str).unwrap_or_default();
    match seeds.len() {
        0 | 1 => first.to_owned(),
        2 => format!("{first} and another seed"),
        more => format!("{first} and {} more seeds", more - 1),
    }
}

/// Prints reports; returns the last misses, for the case that there was nothing else.
fn tell_reports(
    voice: Voice,
    mut reports: mpsc::Receiver<Report>,
    stop: &watch::Sender<bool>,
) -> std::io::Result<Vec<Report>> {
    let mut misses = Vec::new();
    while let Some(report) = reports.blocking_recv() {
        if let Err(error) = voice.report(&report) {
            // Whoever read our output has gone.
            stop.send_replace(true);
            return Err(error);
        }
        if misses.len() < 16 && !matches!(report.what, What::Fetched(..)) {
            misses.push(report);
        }
    }
    Ok(misses)
}

async fn tell_progress(voice: Voice, progress: watch::Receiver<Progress>) {
    let mut every = tokio::time::interval(LINE_EVERY);
    every.tick().await;
    loop {
        every.tick().await;
        voice.progress(&progress.borrow());
    }
}

/// The first SIGINT or SIGTERM ends the crawl cleanly, the second at once.
async fn listen(voice: Voice, stop: watch::Sender<bool>) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    for is_first in [true, false] {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if is_first {
            // A display says so itself.
            if voice.live == Live::No {
                tell("stopping: waiting for fetches under way; once more to end at once");
            }
            stop.send_replace(true);
        } else {
            end_at_once();
        }
    }
}

#[expect(clippy::exit, reason = "the user asked twice")]
fn end_at_once() {
    std::process::exit(i32::from(INTERRUPTED));
}

const _: () = assert!(FAILED == 1 && NOTHING == 3, "exit codes are a public contract");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_folder_is_the_host_and_never_looks_like_a_flag() {
        let check = |url: &str, expect: &str| {
            let url = CanonUrl::parse(url).expect("a URL");
            assert_eq!(folder_of(&url), Path::new(expect));
        };
        check("https://example.org/a/b", "example.org");
        check("http://127.0.0.1:8802/", "127.0.0.1-8802");
        check("http://[::1]:8802/", "host--1-8802");
        check("http://[2001:db8::1]/", "2001-db8--1");
    }
}
