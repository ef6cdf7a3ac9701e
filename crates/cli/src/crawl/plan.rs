//! Settings as meant: every text is read, every contradiction found, before any request.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use regex::RegexSet;
use rhumb_archive::About;
use rhumb_crawl::shell::{CrawlSettings, Limits, Shares};
use rhumb_fetch::{FetchSettings, Networks, NetworksError, ProxyUrl};
use rhumb_frontier::{Manners, Policy};
use rhumb_index::Searches;
use rhumb_rules::{Rules, Scope, ScopeKind};
use rhumb_serve::Listener;
use rhumb_web::{Canon, CanonUrl, HashKey, Span};

use crate::agent::Agent;
use crate::fault::Fault;
use crate::quantity::bytes;
use crate::screen::Voice;
use crate::settings::{PARTITIONS, Settings, TRIES};
use crate::{machine, quantity, sites};

/// Fetches under way at once, where the machine lets so many connections be open.
const CONNECTIONS: usize = 2_048;
/// Seed sites that may be visited without saying who we are.
const ANONYMOUS_SITES_MAX: usize = 10;
/// All that is left waits longer than this: the run ends.
const PATIENCE: Span = Span::minutes(2);
/// While our own connection seems to be down, one fetch in this time probes it.
const PROBE_EVERY: Span = Span::seconds(15);
/// A ticket is lost if it is not back this long after the longest fetch: what was fetched may wait
/// for its turn to be read.
const TICKET_MARGIN: Duration = Duration::from_mins(10);

/// Documents that are read at once, each in a process of its own, at least and at most.
const READERS: (usize, usize) = (2, 8);

/// No fetch may be told to take longer, nor a body to be longer: sums of them stay in range.
const FETCH_TIME_MAX: Duration = Duration::from_hours(24);
const BODY_MAX: u64 = 1 << 40;
/// With less memory a crawl would work for its files alone.
const MEMORY_MIN: u64 = 64_000_000;
/// The index has this part of a crawl's memory: a quarter.
const INDEX_SHARE: u64 = 4;
/// What a power cut may take back.
const DURABILITY_MAX: Duration = Duration::from_secs(10);
/// With less between them, checkpoints and WARC files would be most of what is written.
const FILE_MIN: u64 = 1_000;

/// Everything that a run needs.
pub(crate) struct Plan {
    /// As the user has them, on disk.
    pub(crate) settings: Settings,
    pub(crate) seeds: Vec<CanonUrl>,
    pub(crate) engine: CrawlSettings,
    /// Bytes of memory for the index.
    pub(crate) index_memory: usize,
    pub(crate) rules: Rules,
    pub(crate) fetch: FetchSettings,
    /// What politeness was lifted, to be named in the summary.
    pub(crate) lifted: Vec<&'static str>,
    /// The command that goes on with this crawl when it has ended; none if none can.
    pub(crate) again: Option<String>,
    /// Where its metrics are told; none if nowhere.
    pub(crate) metrics: Option<Listener>,
    /// Where its pages are served; none if nowhere.
    pub(crate) serve: Option<Listener>,
    /// Searches of its pages, which go before the index.
    pub(crate) searches: Searches,
    /// The folders of earlier crawls that are looked at.
    pub(crate) earlier: Vec<PathBuf>,
}

impl Plan {
    /// Takes the words of the user for what they mean.
    pub(crate) fn new(
        settings: &Settings,
        seeds: Vec<CanonUrl>,
        voice: Voice,
    ) -> Result<Self, Fault> {
        let mut scope = scope(settings, &seeds)?;
        let connections = settings.host_connections.unwrap_or(1);
        let (sites, scopes) = sites::rules(connections, scope.kind(), &settings.site)?;
        scope.set_sites(scopes);
        let rules = Rules::new(scope);
        within("tries", settings.tries.map(i64::from), &TRIES)?;
        within("partitions", settings.partitions.map(i64::from), &PARTITIONS)?;
        within("host-connections", settings.host_connections.map(i64::from), &sites::CONNECTIONS)?;
        check_contact(settings, &seeds)?;
        let contact = settings.contact.as_deref();
        let agent = Agent::new(settings.agent.as_deref().unwrap_or("rhumb"), contact)?;
        let token = agent.token.clone();
        let fetch = fetch(settings, agent)?;
        let manners = manners(settings)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let engine = CrawlSettings {
            partitions: settings.partitions.unwrap_or(64),
            hash: draw_key(),
            agent: token,
            manners,
            sites,
            policy: policy(settings)?,
            canon: canon(settings),
            connections: CONNECTIONS,
            limits: limits(settings)?,
            patience: PATIENCE,
            probe_every: PROBE_EVERY,
            ticket_for: Span::from(fetch.total + TICKET_MARGIN),
            born_ms: now_ms(),
            folder: PathBuf::new(),
            memory: engine_memory(settings)?,
            durability: durability(settings)?,
            checkpoint_bytes: file_size("checkpoint", settings.checkpoint.as_deref(), "64MB")?,
            warc_bytes: file_size("warc-size", settings.warc_size.as_deref(), "1GB")?,
            about: About {
                software: concat!("rhumb/", env!("CARGO_PKG_VERSION")).to_owned(),
                agent: fetch.agent.clone(),
                operator: contact.map(str::to_owned),
                robots: "obey".to_owned(),
            },
            cloaking_sample: cloaking_sample(settings)?,
            tells_refusals: voice.json || voice.verbose,
            formats: Some(crate::formats::settings(cores.clamp(READERS.0, READERS.1))?),
        };
        let lifted = [
            (fetch.ip_gap.is_zero(), "the gap between requests to one address"),
            (manners.delay == Span::ZERO, "the gap between requests to one site"),
            (!fetch.allow_private.is_empty(), "the guard of private addresses"),
            (engine.cloaking_sample > 0, "our name, in the browser's part of --cloaking-sample"),
        ];
        let lifted = lifted.into_iter().filter_map(|(is, what)| is.then_some(what)).collect();
        let index_memory = memory(settings)? / INDEX_SHARE;
        let index_memory = usize::try_from(index_memory).unwrap_or(usize::MAX);
        let settings = settings.clone();
        Ok(Self {
            settings,
            seeds,
            engine,
            index_memory,
            rules,
            fetch,
            lifted,
            again: None,
            metrics: None,
            serve: None,
            searches: Searches::default(),
            earlier: Vec::new(),
        })
    }
}

/// In which order pages are fetched, and how many a domain may have.
fn policy(settings: &Settings) -> Result<Policy, Fault> {
    let name = settings.order.as_deref().unwrap_or(rhumb_order::ORDER);
    let order = rhumb_order::order(name)
        .map_err(|error| Fault::usage(error.to_string(), "--order trust, which is the default"))?;
    let name = settings.budget.as_deref().unwrap_or(rhumb_order::BUDGET);
    let budget = rhumb_order::budget(name)
        .map_err(|error| Fault::usage(error.to_string(), "--budget trust, which is the default"))?;
    for text in &settings.first {
        pattern("first", text)?;
    }
    let first = RegexSet::new(&settings.first).map_err(|_| {
        Fault::usage("the patterns of --first are too many, or too large", "fewer of them")
    })?;
    Ok(Policy { order, budget, first: Arc::new(first) })
}

fn manners(settings: &Settings) -> Result<Manners, Fault> {
    let delay = settings.delay.as_deref().filter(|text| *text != "auto");
    let delay = time("delay", delay)?;
    let usual = Manners::default();
    Ok(Manners {
        delay: delay.map_or(usual.delay, Span::from),
        delay_is_explicit: delay.is_some(),
        tries: settings.tries.unwrap_or(usual.tries),
        floor: floor(settings)?,
    })
}

/// The least delay towards domains that are well known, if theirs may be shorter than others'.
fn floor(settings: &Settings) -> Result<Option<Span>, Fault> {
    let text = settings.delay_floor.as_deref().filter(|text| *text != "none");
    Ok(time("delay-floor", text)?.map(Span::from))
}

/// A regular expression of the user.
fn pattern(flag: &str, text: &str) -> Result<regex::Regex, Fault> {
    regex::Regex::new(text).map_err(|error| {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Fault::usage(
            format!("--{flag} {text:?} is no regular expression: {why}"),
            format!("--{flag} '/docs/.*\\.html$'"),
        )
    })
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

/// Whoever visits many sites must say who he is.
pub(crate) fn check_contact<'a>(
    settings: &Settings,
    seeds: impl IntoIterator<Item = &'a CanonUrl>,
) -> Result<(), Fault> {
    let sites: HashSet<_> = seeds.into_iter().map(CanonUrl::site).collect();
    let is_any = settings.scope.as_deref() == Some(ScopeKind::Any.word());
    let is_broad = is_any || sites.len() > ANONYMOUS_SITES_MAX;
    if is_broad && settings.contact.is_none() {
        return Err(Fault::usage(
            "a crawl of many sites must say whom webmasters can reach",
            "--contact you@example.org, or --contact https://example.org/crawler",
        ));
    }
    Ok(())
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
    for text in &settings.include {
        scope.include.push(pattern("include", text)?);
    }
    for text in &settings.exclude {
        scope.exclude.push(pattern("exclude", text)?);
    }
    scope.max_depth = settings.max_depth;
    Ok(scope)
}

fn fetch(settings: &Settings, agent: Agent) -> Result<FetchSettings, Fault> {
    let usual = FetchSettings::default();
    Ok(FetchSettings {
        agent: agent.header,
        from: agent.from,
        ip_gap: time("ip-delay", settings.ip_delay.as_deref())?.unwrap_or_default(),
        allow_private: networks(settings)?,
        proxy: settings.proxy.as_deref().map(proxy).transpose()?,
        dns: settings.dns.as_deref().map(dns).transpose()?,
        connect: wait("connect-timeout", settings.connect_timeout.as_deref(), usual.connect)?,
        headers: wait("headers-timeout", settings.headers_timeout.as_deref(), usual.headers)?,
        total: wait("total-timeout", settings.total_timeout.as_deref(), usual.total)?,
        body_max: body_max(settings, usual.body_max)?,
        bodies: u64::try_from(Shares::of(engine_memory(settings)?).bodies)
            .expect("a size fits 64 bits"),
        ..usual
    })
}

fn limits(settings: &Settings) -> Result<Limits, Fault> {
    let bytes = settings.max_size.as_deref();
    Ok(Limits {
        pages: settings.max_pages,
        time: time("max-time", settings.max_time.as_deref())?.map(Span::from),
        bytes: bytes.map(|text| size("max-size", text, "10GB")).transpose()?,
    })
}

fn memory(settings: &Settings) -> Result<u64, Fault> {
    let text = settings.memory.as_deref().filter(|text| *text != "auto");
    let Some(text) = text else { return Ok(machine::memory_share().max(MEMORY_MIN)) };
    let read = size("memory", text, "1GB")?;
    if read < MEMORY_MIN {
        let least = bytes(MEMORY_MIN);
        let what = format!("--memory {text} is too little: a crawl needs {least}");
        return Err(Fault::usage(what, "--memory 64MB, or more"));
    }
    Ok(read)
}

/// What an index leaves of it.
fn engine_memory(settings: &Settings) -> Result<u64, Fault> {
    let memory = memory(settings)?;
    let index = if settings.index == Some(true) { memory / INDEX_SHARE } else { 0 };
    Ok(memory - index)
}

fn durability(settings: &Settings) -> Result<Duration, Fault> {
    let text = settings.durability.as_deref().unwrap_or("200ms");
    let read = time("durability", Some(text))?.unwrap_or_default();
    if read > DURABILITY_MAX {
        return Err(Fault::usage(
            format!("--durability {text} is too long: a power cut would take all of it back"),
            "--durability 200ms, from 0s to 10s",
        ));
    }
    Ok(read)
}

/// The size at which a file is ended.
fn file_size(flag: &str, text: Option<&str>, usual: &str) -> Result<u64, Fault> {
    let text = text.unwrap_or(usual);
    let read = size(flag, text, usual)?;
    if read < FILE_MIN {
        let what = format!("--{flag} {text} is too small: the least is {}", bytes(FILE_MIN));
        return Err(Fault::usage(what, format!("--{flag} {usual}")));
    }
    Ok(read)
}

fn size(flag: &str, text: &str, usual: &str) -> Result<u64, Fault> {
    quantity::size(text)
        .map_err(|why| Fault::usage(format!("--{flag}: {why}"), format!("--{flag} {usual}")))
}

/// Of a million pages so many are compared with what a browser is shown.
pub(crate) fn cloaking_sample(settings: &Settings) -> Result<u32, Fault> {
    let text = settings.cloaking_sample.as_deref().unwrap_or("0%");
    quantity::part(text).map_err(|why| {
        Fault::usage(format!("--cloaking-sample: {why}"), "--cloaking-sample 1%, or 0% for none")
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
    let Some(text) = settings.max_body.as_deref() else { return Ok(usual) };
    let read = size("max-body", text, "10MB")?;
    Ok(usize::try_from(read.min(BODY_MAX)).unwrap_or(usual))
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

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// A secret for the crawl's hashes, from the system's own source of randomness.
fn draw_key() -> HashKey {
    use std::hash::{BuildHasher, Hasher};
    let draw = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    HashKey(draw(), draw())
}
