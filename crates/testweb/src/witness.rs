//! What the server saw of the crawler.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::truth::{HostId, PageId, Web};

/// Entries that a list of misdeeds keeps; more of them say nothing new.
const LISTED_MAX: usize = 10_000;

/// A snapshot of what the server saw.
#[derive(Debug, Clone, Default)]
pub struct Witness {
    /// Every host name that was asked for something.
    pub hosts: BTreeMap<String, HostWitness>,
    /// Canonical URLs of pages, and how often each was answered.
    pub pages: BTreeMap<String, u32>,
    /// Pages, sitemaps and traps that were answered once more, as asked; 5xx answers apart.
    pub repeats: Vec<String>,
    /// Pages with a 5xx answer that were asked for once more: a crawler may try again.
    pub retries: Vec<String>,
    /// Requests that robots.txt forbids.
    pub robots_violations: Vec<(String, Violation)>,
    /// Requests for URLs that were mentioned, but not linked.
    pub decoys: Vec<String>,
    /// Requests for URLs that nothing mentions.
    pub unknown: Vec<String>,
    /// Requests whose target or host was not in canonical form.
    pub not_canonical: Vec<String>,
    /// Requests on endless paths.
    pub trap_requests: usize,
}

/// What the server saw on one host name, HTTP and HTTPS together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostWitness {
    /// All requests.
    pub requests: usize,
    /// Requests for robots.txt, redirect hops of it included.
    pub robots_requests: usize,
    /// Requests for sitemaps.
    pub sitemap_requests: usize,
    /// Requests that brought a cookie.
    pub cookies: usize,
    /// The shortest time from the end of an answer to the next request, or to its connection if
    /// that was opened for it.
    pub min_gap: Option<Duration>,
    /// The same since a robots.txt was answered that asks for a crawl-delay: HTTP and HTTPS each
    /// have one, and nobody can know what the other will say.
    pub told_gap: Option<Duration>,
    /// Requests at once.
    pub max_in_flight: usize,
    /// Connections that served this host and were open when a request began.
    pub max_connections: usize,
    /// The crawl-delay that its robots.txt asks for.
    pub crawl_delay: Option<Duration>,
}

/// How a request offended against robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// The origin's robots.txt had not been answered yet.
    BeforeRobots,
    /// A rule disallows the page.
    Disallowed,
    /// Robots.txt fails, or disallows everything.
    HostClosed,
}

impl Witness {
    /// Hosts whose shortest gap was below `delay`, or below the crawl-delay that they had asked for.
    pub fn hurried(&self, delay: Duration) -> Vec<(String, Duration)> {
        let short = |h: &HostWitness| {
            let asked = h.crawl_delay.unwrap_or_default();
            let told = h.told_gap.filter(|gap| *gap < asked);
            told.or(h.min_gap.filter(|gap| *gap < delay))
        };
        self.hosts.iter().filter_map(|(name, h)| Some((name.clone(), short(h)?))).collect()
    }

    /// Hosts that had two requests in flight or two connections open.
    pub fn crowded(&self) -> Vec<String> {
        let crowded = |h: &HostWitness| h.max_in_flight > 1 || h.max_connections > 1;
        self.hosts.iter().filter(|(_, h)| crowded(h)).map(|(name, _)| name.clone()).collect()
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requests: usize = self.hosts.values().map(|h| h.requests).sum();
        let gap = self.hosts.values().filter_map(|h| h.min_gap).min();
        writeln!(f, "{requests} requests on {} hosts", self.hosts.len())?;
        writeln!(f, "{} pages, {} repeats", self.pages.len(), self.repeats.len())?;
        writeln!(f, "{} violations of robots.txt", self.robots_violations.len())?;
        writeln!(f, "{} decoys, {} trap requests", self.decoys.len(), self.trap_requests)?;
        writeln!(f, "{} unknown URLs", self.unknown.len())?;
        writeln!(f, "{} requests not in canonical form", self.not_canonical.len())?;
        writeln!(f, "{} hosts with two connections or requests at once", self.crowded().len())?;
        match gap {
            Some(gap) => write!(f, "shortest gap {} ms", gap.as_millis()),
            None => write!(f, "no host was asked twice"),
        }
    }
}

/// What a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Robots.txt; known from this answer on if it is not a hop to another file of the host.
    Robots {
        known: bool,
    },
    Sitemap,
    Page(PageId),
    /// A page that wants its cookie first.
    Wall,
    Decoy,
    Trap,
    Calendar,
    Unknown,
}

/// A request as the ledger sees it.
pub(crate) struct Entry<'a> {
    pub(crate) origin: HostId,
    pub(crate) asked: Asked,
    pub(crate) target: &'a str,
    pub(crate) canonical: bool,
    pub(crate) cookie: bool,
    /// Start of the request, or of its connection.
    pub(crate) start: Instant,
    /// The connection has not served this host before.
    pub(crate) new_connection: bool,
}

/// Writes down what happens. One lock, held for some counters.
#[derive(Debug)]
pub(crate) struct Ledger {
    web: Arc<Web>,
    port: u16,
    books: Mutex<Books>,
    /// Beside the books, so that it can be read often without holding up answers.
    pages_answered: AtomicU64,
}

#[derive(Debug, Default, Clone)]
struct Books {
    places: Vec<Place>,
    robots_known: Vec<bool>,
    answered: Vec<u32>,
    others: HashMap<String, u32>,
    seen: Witness,
}

#[derive(Debug, Default, Clone)]
struct Place {
    seen: HostWitness,
    last_end: Option<Instant>,
    in_flight: usize,
    open: usize,
    /// A robots.txt was answered that asks for a crawl-delay.
    is_told: bool,
}

impl Books {
    fn empty(web: &Web) -> Self {
        let places = web.hosts.iter().map(|h| h.place + 1).max().unwrap_or_default();
        Self {
            places: vec![Place::default(); places],
            robots_known: vec![false; web.hosts.len()],
            answered: vec![0; web.pages.len()],
            ..Self::default()
        }
    }
}

impl Ledger {
    pub(crate) fn new(web: Arc<Web>, port: u16) -> Self {
        let books = Mutex::new(Books::empty(&web));
        Self { web, port, books, pages_answered: AtomicU64::new(0) }
    }

    /// Starts anew; only what is open or under way at this moment stays in the books.
    pub(crate) fn forget(&self) {
        let mut books = self.lock();
        let before = std::mem::replace(&mut *books, Books::empty(&self.web));
        for (place, old) in books.places.iter_mut().zip(before.places) {
            place.in_flight = old.in_flight;
            place.open = old.open;
        }
        self.pages_answered.store(0, Ordering::Relaxed);
    }

    /// Answers that were pages.
    pub(crate) fn pages_answered(&self) -> u64 {
        self.pages_answered.load(Ordering::Relaxed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request came in. Says whether more connections than ever seem to serve its host now.
    pub(crate) fn begin(&self, entry: &Entry<'_>) -> bool {
        let host = self.web.host(entry.origin);
        let books = &mut *self.lock();
        let place = &mut books.places[host.place];
        place.begin(entry);
        let crowd = place.open > place.seen.max_connections;
        let url = || format!("{}{}", host.origin(self.port), entry.target);
        if !entry.canonical {
            list(&mut books.seen.not_canonical, url());
        }
        let violation = self.violation(entry, books.robots_known[entry.origin.0 as usize]);
        if let Some(violation) = violation {
            list(&mut books.seen.robots_violations, (url(), violation));
        }
        match entry.asked {
            Asked::Robots { .. } | Asked::Wall | Asked::Calendar => {}
            Asked::Page(id) => {
                let count = &mut books.answered[id.0 as usize];
                *count += 1;
                if *count > 1 && self.web.page(id).status() >= 500 {
                    list(&mut books.seen.retries, url());
                } else if *count > 1 {
                    list(&mut books.seen.repeats, url());
                }
            }
            Asked::Decoy => list(&mut books.seen.decoys, url()),
            Asked::Unknown => list(&mut books.seen.unknown, url()),
            Asked::Sitemap | Asked::Trap => {
                books.seen.trap_requests += usize::from(entry.asked == Asked::Trap);
                let again = books.others.entry(url()).or_default();
                *again += 1;
                if *again > 1 {
                    list(&mut books.seen.repeats, url());
                }
            }
        }
        crowd
    }

    fn violation(&self, entry: &Entry<'_>, robots_known: bool) -> Option<Violation> {
        let host = self.web.host(entry.origin);
        match entry.asked {
            Asked::Robots { .. } => None,
            _ if host.robots.refuses_all() || host.fault.is_some() => Some(Violation::HostClosed),
            Asked::Calendar => Some(Violation::Disallowed),
            Asked::Page(id) if self.web.page(id).closed => Some(Violation::Disallowed),
            _ if !robots_known => Some(Violation::BeforeRobots),
            _ => None,
        }
    }

    /// A request that belongs to no origin of the web.
    pub(crate) fn stray(&self, url: String) {
        list(&mut self.lock().seen.unknown, url);
    }

    /// Writes down how many connections serve the host of `origin` now.
    pub(crate) fn count_connections(&self, origin: HostId) {
        let place = &mut self.lock().places[self.web.host(origin).place];
        place.seen.max_connections = place.seen.max_connections.max(place.open);
    }

    /// How many connections serve the host of `origin` now.
    pub(crate) fn open_connections(&self, origin: HostId) -> usize {
        self.lock().places[self.web.host(origin).place].open
    }

    /// An answer is about to be complete.
    pub(crate) fn end(&self, origin: HostId, asked: Asked, now: Instant) {
        let books = &mut *self.lock();
        let place = &mut books.places[self.web.host(origin).place];
        place.in_flight -= 1;
        place.last_end = Some(now);
        let asks = self.web.host(origin).crawl_delay().is_some();
        place.is_told |= asks && matches!(asked, Asked::Robots { known: true });
        match asked {
            Asked::Robots { known: true } => books.robots_known[origin.0 as usize] = true,
            Asked::Page(_) => _ = self.pages_answered.fetch_add(1, Ordering::Relaxed),
            _ => {}
        }
    }

    /// A connection that served the host of `origin` is closed.
    pub(crate) fn close(&self, origin: HostId) {
        self.lock().places[self.web.host(origin).place].open -= 1;
    }

    pub(crate) fn snapshot(&self) -> Witness {
        let Books { places, answered, seen, .. } = self.lock().clone();
        let mut witness = seen;
        for host in &self.web.hosts {
            let place = &places[host.place].seen;
            if place.requests > 0 && host.twin_of.is_none() {
                let crawl_delay = host.crawl_delay();
                let seen = HostWitness { crawl_delay, ..place.clone() };
                witness.hosts.insert(host.name.clone(), seen);
            }
        }
        for (at, count) in answered.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            let id = PageId(u32::try_from(at).expect("page ids have 32 bits"));
            witness.pages.insert(self.web.url(id, self.port), count);
        }
        witness
    }
}

impl Place {
    fn begin(&mut self, entry: &Entry<'_>) {
        let seen = &mut self.seen;
        seen.requests += 1;
        seen.cookies += usize::from(entry.cookie);
        match entry.asked {
            Asked::Robots { .. } => seen.robots_requests += 1,
            Asked::Sitemap => seen.sitemap_requests += 1,
            _ => {}
        }
        if let Some(end) = self.last_end {
            let idle = entry.start.saturating_duration_since(end);
            let gap = if self.in_flight > 0 { Duration::ZERO } else { idle };
            let least = |before: Option<Duration>| Some(before.map_or(gap, |it| it.min(gap)));
            seen.min_gap = least(seen.min_gap);
            if self.is_told {
                seen.told_gap = least(seen.told_gap);
            }
        }
        self.in_flight += 1;
        seen.max_in_flight = seen.max_in_flight.max(self.in_flight);
        self.open += usize::from(entry.new_connection);
        seen.max_connections = seen.max_connections.max(1);
    }
}

fn list<T>(all: &mut Vec<T>, one: T) {
    if all.len() < LISTED_MAX {
        all.push(one);
    }
}
