//! `rhumb crawl`: from flags and files to a running engine.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::Args;
use rhumb_archive::About;
use rhumb_crawl::shell::{
    self, CrawlSettings, Ended, Limits, Outlet, Progress, Report, Summary, What,
};
use rhumb_fetch::{FetchSettings, Fetcher, Networks, NetworksError, ProxyUrl};
use rhumb_frontier::Manners;
use rhumb_rules::{Rules, Scope, ScopeKind};
use rhumb_web::{Canon, CanonUrl, HashKey, Span};
use rustls::RootCertStore;
use tokio::sync::{mpsc, watch};

use crate::agent::Agent;
use crate::fault::{FAILED, Fault, INTERRUPTED, NOTHING};
use crate::screen::{self, Backdrop, Live, Voice};
use crate::settings::{FILE_NAME, PARTITIONS, Settings, TRIES};
use crate::{quantity, seeds, tell};

/// The folder of WARC files in a crawl's folder.
pub(crate) const ARCHIVE_NAME: &str = "archive";
/// Fetches under way at once: well below the 1,024 files that most systems grant a process.
const CONNECTIONS: usize = 512;
/// Seed sites that may be visited without saying who we are.
const ANONYMOUS_SITES_MAX: usize = 10;
/// A progress line appears this often.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Reports that may wait to be printed.
const REPORTS_MAX: usize = 1_024;
/// All that is left waits longer than this: the run ends.
const PATIENCE: Span = Span::minutes(2);
/// While our own connection seems to be down, one fetch in this time probes it.
const PROBE_EVERY: Span = Span::seconds(15);
/// A ticket is lost if it is not back this long after the longest fetch.
const TICKET_MARGIN: Duration = Duration::from_mins(1);

/// No fetch may be told to take longer, nor a body to be longer: sums of them stay in range.
const FETCH_TIME_MAX: Duration = Duration::from_hours(24);
const BODY_MAX: u64 = 1 << 40;

#[derive(Debug, Args)]
pub(crate) struct CrawlArgs {
    /// Where to begin: URLs, files with one URL a line, or - for stdin
    #[arg(required = true, value_name = "URL|FILE|-")]
    seeds: Vec<String>,
    /// The folder of the crawl [default: the first seed's host]
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

/// Everything that a run needs.
pub(crate) struct Plan {
    pub(crate) seeds: Vec<CanonUrl>,
    pub(crate) engine: CrawlSettings,
    pub(crate) rules: Rules,
    pub(crate) fetch: FetchSettings,
    /// What politeness was lifted, to be named in the summary.
    pub(crate) lifted: Vec<&'static str>,
}

pub(crate) fn command(args: CrawlArgs) -> Result<ExitCode, Fault> {
    let file = args.config.as_deref().map(Settings::read).transpose()?.unwrap_or_default();
    let settings = args.settings.over(file).over(Settings::defaults());
    let canon = canon(&settings);
    let seeds = seeds::read(&args.seeds, canon)?;
    let voice = Voice::new(args.json, args.quiet, args.verbose);
    let mut plan = Plan::new(&settings, seeds, voice)?;
    plan.fetch.roots = system_roots();
    let folder = args.output.unwrap_or_else(|| folder_of(&plan.seeds[0]));
    plan.engine.archive = create(&folder, &settings, &plan.seeds)?;
    run(plan, voice, &folder)
}

impl Plan {
    /// Settings as meant: every text is read, every contradiction found, before any request.
    pub(crate) fn new(
        settings: &Settings,
        seeds: Vec<CanonUrl>,
        voice: Voice,
    ) -> Result<Self, Fault> {
        let rules = Rules { scope: scope(settings, &seeds)? };
        within("tries", settings.tries.map(i64::from), &TRIES)?;
        within("partitions", settings.partitions.map(i64::from), &PARTITIONS)?;
        let contact = settings.contact.as_deref();
        let sites: HashSet<_> = seeds.iter().map(CanonUrl::site).collect();
        let is_broad = rules.scope.kind() == ScopeKind::Any || sites.len() > ANONYMOUS_SITES_MAX;
        if is_broad && contact.is_none() {
            return Err(Fault::usage(
                "a crawl of many sites must say whom webmasters can reach",
                "--contact you@example.org, or --contact https://example.org/crawler",
            ));
        }
        let agent = Agent::new(settings.agent.as_deref().unwrap_or("rhumb"), contact)?;
        let ip_gap = time("ip-delay", settings.ip_delay.as_deref())?.unwrap_or_default();
        let delay = settings.delay.as_deref().filter(|text| *text != "auto");
        let delay = time("delay", delay)?;
        let allow_private = networks(settings)?;
        let is_private_allowed = !allow_private.is_empty();
        let usual = FetchSettings::default();
        let fetch = FetchSettings {
            agent: agent.header,
            from: agent.from,
            ip_gap,
            allow_private,
            proxy: settings.proxy.as_deref().map(proxy).transpose()?,
            dns: settings.dns.as_deref().map(dns).transpose()?,
            connect: wait("connect-timeout", settings.connect_timeout.as_deref(), usual.connect)?,
            headers: wait("headers-timeout", settings.headers_timeout.as_deref(), usual.headers)?,
            total: wait("total-timeout", settings.total_timeout.as_deref(), usual.total)?,
            body_max: body_max(settings, usual.body_max)?,
            ..usual
        };
        let manners = Manners {
            delay: delay.map_or(Manners::default().delay, Span::from),
            delay_is_explicit: delay.is_some(),
            tries: settings.tries.unwrap_or(Manners::default().tries),
        };
        let born = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let engine = CrawlSettings {
            partitions: settings.partitions.unwrap_or(64),
            hash: draw_key(),
            agent: agent.token,
            manners,
            canon: canon(settings),
            connections: CONNECTIONS,
            limits: limits(settings)?,
            patience: PATIENCE,
            probe_every: PROBE_EVERY,
            ticket_for: Span::from(fetch.total + TICKET_MARGIN),
            born_ms: u64::try_from(born.as_millis()).unwrap_or(u64::MAX),
            archive: PathBuf::new(),
            about: About {
                software: concat!("rhumb/", env!("CARGO_PKG_VERSION")).to_owned(),
                agent: fetch.agent.clone(),
                operator: contact.map(str::to_owned),
                robots: "obey".to_owned(),
            },
            tells_refusals: voice.json || voice.verbose,
        };
        let lifted = [
            (ip_gap.is_zero(), "the gap between requests to one address"),
            (delay.is_some_and(|delay| delay.is_zero()), "the gap between requests to one site"),
            (is_private_allowed, "the guard of private addresses"),
        ];
        let lifted = lifted.into_iter().filter_map(|(is, what)| is.then_some(what)).collect();
        Ok(Self { seeds, engine, rules, fetch, lifted })
    }
}

/// Flags are checked where they are read; this holds for keys of a file too.
fn within(key: &str, value: Option<i64>, range: &RangeInclusive<i64>) -> Result<(), Fault> {
    let Some(value) = value.filter(|value| !range.contains(value)) else { return Ok(()) };
    let (from, to) = (range.start(), range.end());
    Err(Fault::usage(
        format!("{key} = {value} is out of range"),
        format!("--{key} N, with N from {from} to {to}"),
    ))
}

pub(crate) fn canon(settings: &Settings) -> Canon {
    if settings.keep_query == Some(true) { Canon::KeepQuery } else { Canon::Full }
}

fn scope(settings: &Settings, seeds: &[CanonUrl]) -> Result<Scope, Fault> {
    let word = settings.scope.as_deref().unwrap_or("host");
    let kind: ScopeKind = word.parse().map_err(|_| {
        Fault::usage(
            format!("there is no scope {word:?}"),
            "--scope page, prefix, host, domain or any",
        )
    })?;
    let mut scope = Scope::new(kind);
    for seed in seeds {
        scope.add_root(seed);
    }
    let pattern = |flag: &str, text: &String| {
        regex::Regex::new(text).map_err(|error| {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            Fault::usage(
                format!("--{flag} {text:?} is no regular expression: {why}"),
                format!("--{flag} '/docs/.*\\.html$'"),
            )
        })
    };
    for text in &settings.include {
        scope.include.push(pattern("include", text)?);
    }
    for text in &settings.exclude {
        scope.exclude.push(pattern("exclude", text)?);
    }
    scope.max_depth = settings.max_depth;
    Ok(scope)
}

fn limits(settings: &Settings) -> Result<Limits, Fault> {
    let bytes = settings.max_size.as_deref().map(quantity::size).transpose();
    let bytes =
        bytes.map_err(|why| Fault::usage(format!("--max-size: {why}"), "--max-size 10GB"))?;
    Ok(Limits {
        pages: settings.max_pages,
        time: time("max-time", settings.max_time.as_deref())?.map(Span::from),
        bytes,
    })
}

fn time(flag: &str, text: Option<&str>) -> Result<Option<Duration>, Fault> {
    let read = text.map(quantity::duration).transpose();
    read.map_err(|why| Fault::usage(format!("--{flag}: {why}"), format!("--{flag} 500ms")))
}

/// A wait that is not nothing.
fn wait(flag: &str, text: Option<&str>, usual: Duration) -> Result<Duration, Fault> {
    let read = time(flag, text)?.unwrap_or(usual);
    if read.is_zero() {
        return Err(Fault::usage(format!("--{flag} 0s leaves no time"), format!("--{flag} 10s")));
    }
    Ok(read.min(FETCH_TIME_MAX))
}

fn body_max(settings: &Settings, usual: usize) -> Result<usize, Fault> {
    let size = settings.max_body.as_deref().map(quantity::size).transpose();
    let size = size.map_err(|why| Fault::usage(format!("--max-body: {why}"), "--max-body 10MB"))?;
    Ok(size.map_or(usual, |size| usize::try_from(size.min(BODY_MAX)).unwrap_or(usual)))
}

fn networks(settings: &Settings) -> Result<Networks, Fault> {
    settings.allow_private.as_deref().unwrap_or("none").parse().map_err(|error: NetworksError| {
        Fault::usage(
            format!("--allow-private: {error}"),
            "--allow-private, or --allow-private=10.0.0.0/8,fd00::/8",
        )
    })
}

fn proxy(text: &str) -> Result<ProxyUrl, Fault> {
    ProxyUrl::parse(text).map_err(|error| {
        Fault::usage(format!("--proxy: {error}"), "--proxy http://user:password@host:port")
    })
}

fn dns(text: &str) -> Result<SocketAddr, Fault> {
    let bare = |text: &str| text.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, 53));
    text.parse().ok().or_else(|| bare(text)).ok_or_else(|| {
        Fault::usage(
            format!("--dns: {text:?} is no address of a name server"),
            "--dns 9.9.9.9, or --dns 127.0.0.1:5353",
        )
    })
}

/// A secret for the crawl's hashes, from the system's own source of randomness.
fn draw_key() -> HashKey {
    use std::hash::{BuildHasher, Hasher};
    let draw = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    HashKey(draw(), draw())
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

/// Makes the folder of a new crawl, with its settings in it.
pub(crate) fn create(
    folder: &Path,
    settings: &Settings,
    seeds: &[CanonUrl],
) -> Result<PathBuf, Fault> {
    let shown = folder.display();
    if folder.join(FILE_NAME).exists() {
        return Err(Fault::usage(
            format!("{shown} holds a crawl already"),
            format!("rhumb export {shown} --to jsonl, or another folder with -o DIR"),
        ));
    }
    let fault = |error| Fault::file("create the crawl's folder", &shown, &error);
    let is_taken = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => return Err(fault(error)),
    };
    if is_taken {
        return Err(Fault::usage(
            format!("{shown} holds something else"),
            "an empty or new folder with -o DIR",
        ));
    }
    let new: Vec<&Path> = folder.ancestors().take_while(|path| !path.exists()).collect();
    let seeds: Vec<String> = seeds.iter().map(ToString::to_string).collect();
    let made = std::fs::create_dir_all(folder).and_then(|()| settings.write(folder, &seeds));
    if let Err(error) = made {
        // Half a crawl would be in the way of the next try.
        drop(std::fs::remove_file(folder.join(FILE_NAME)));
        for path in new {
            drop(std::fs::remove_dir(path));
        }
        return Err(fault(error));
    }
    Ok(folder.join(ARCHIVE_NAME))
}

/// Runs a plan to its end, and tells it.
pub(crate) fn run(plan: Plan, voice: Voice, folder: &Path) -> Result<ExitCode, Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Fault::failed(format!("cannot start threads: {error}"), "a system with room for them")
    })?;
    let backdrop = Backdrop {
        scope: plan.rules.scope.kind(),
        seeds: plan.seeds.len(),
        lifted: plan.lifted.clone(),
    };
    let (summary, misses) = runtime.block_on(drive(plan, voice, folder))?;
    // Fetches that were under way when the user stopped it are not waited for.
    runtime.shutdown_background();
    let exit = exit_of(&summary);
    voice.summary(&summary, &backdrop, exit)?;
    if exit == NOTHING {
        return Err(nothing(&misses));
    }
    Ok(ExitCode::from(exit))
}

fn exit_of(summary: &Summary) -> u8 {
    match summary.ended {
        Ended::Stopped => INTERRUPTED,
        Ended::Done if summary.progress.tally.pages() == 0 => NOTHING,
        Ended::Done | Ended::Limit => 0,
    }
}

fn nothing(misses: &[Report]) -> Fault {
    let Some(miss) = misses.last() else {
        return Fault::nothing("nothing could be crawled", "rhumb crawl -v, to see every URL");
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

async fn drive(plan: Plan, voice: Voice, folder: &Path) -> Result<(Summary, Vec<Report>), Fault> {
    let Plan { seeds, engine, rules, fetch, .. } = plan;
    let fetcher = Fetcher::new(fetch)
        .map_err(|error| Fault::failed(error.to_string(), "other --agent, --contact or --dns"))?;
    let (report_sender, reports) = mpsc::channel(REPORTS_MAX);
    let (progress_sender, progress) = watch::channel(Progress::default());
    let (stop_sender, stop) = watch::channel(false);
    let outlet = Outlet { reports: report_sender, progress: progress_sender, stop };
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
        )),
    };
    let signals = tokio::spawn(listen(voice, stop_sender));
    let summary = shell::run(engine, rules, fetcher, &seeds, outlet).await;
    display.abort();
    // Its last act is to clear what it drew: before anything else is told.
    drop(display.await);
    let misses = teller.await.map_err(std::io::Error::other)??;
    signals.abort();
    let summary = summary.map_err(|error| {
        let advice = format!("more room or rights for {}", folder.display());
        Fault::failed(error.to_string(), advice)
    })?;
    Ok((summary, misses))
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
