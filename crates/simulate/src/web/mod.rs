//! The imagined web: hosts by a power law, pages that need no memory, robots.txt of all kinds.
//!
//! A page's links follow from the seed and its number, so a web of any size costs only its hosts.

mod answer;
mod host;

use rhumb_web::{Candidate, CanonUrl, Errand, HashKey, PartitionId};

use crate::chance::{Chance, mix};
use crate::moment::Moment;

pub(crate) use answer::Reply;
use host::{Host, Robots, Temper};

/// Pages on the web for each that will be fetched: the crawl ends before the web does.
const PAGES_PER_FETCH: u64 = 2;
/// Pages of the smallest host.
const HOST_PAGES_MIN: u64 = 3;
/// Flattens the head of the power law: no host has more than a few per cent of all pages.
const HEAD: u64 = 10;
/// Draws for one link before the page has a link less.
const DRAWS_MAX: usize = 8;
/// After this long a robots.txt that was never in reach counts as absent (RFC 9309 §2.3.1.4).
const ROBOTS_GIVEN_UP: Moment = Moment::hours(30 * 24);

/// A page, or the robots.txt of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) host: u32,
    pub(crate) page: Option<u32>,
}

/// What a host asks of whoever comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    pub(crate) allowed: bool,
    pub(crate) crawl_delay: Moment,
}

/// All hosts, and how pages are linked.
#[derive(Debug)]
pub(crate) struct Web {
    seed: u64,
    links: usize,
    hosts: Vec<Host>,
}

impl Web {
    pub(crate) fn grow(seed: u64, sites: u32, fetches: u64, links: usize) -> Self {
        let mut chance = Chance::new(seed, 1);
        let pages = fetches.saturating_mul(PAGES_PER_FETCH);
        let weight = |rank: u32| 1_000_000 / (HEAD + u64::from(rank));
        let whole: u64 = (0..sites).map(weight).sum();
        let mut hosts: Vec<Host> = (0..sites)
            .map(|number| {
                let share = pages.saturating_mul(weight(number)) / whole;
                let share = u32::try_from(share.max(HOST_PAGES_MIN)).unwrap_or(u32::MAX);
                Host::draw(number, share, &mut chance)
            })
            .collect();
        // Only now is it known which hosts can stand in for another's robots.txt.
        for number in 0..hosts.len() {
            if let Robots::Moved(_) = hosts[number].robots {
                let to = chance.below(u64::from(sites));
                let at = usize::try_from(to).expect("a host's number is small");
                let is_plain = matches!(hosts[at].robots, Robots::Absent | Robots::File(_));
                let to = u32::try_from(to).expect("a host's number is small");
                hosts[number].robots = if is_plain { Robots::Moved(to) } else { Robots::Absent };
            }
        }
        Self { seed, links, hosts }
    }

    fn host(&self, number: u32) -> &Host {
        &self.hosts[index(number)]
    }

    /// The first pages of the largest hosts, each with its owner.
    pub(crate) fn seeds(&self, count: u32, hash: HashKey, partitions: u16) -> Vec<Found> {
        let hosts = u32::try_from(self.hosts.len()).expect("a host's number is small");
        let place = |host| Place { host, page: Some(0) };
        (0..count.min(hosts)).map(|host| self.found(place(host), 0, hash, partitions)).collect()
    }

    /// Where a URL leads.
    pub(crate) fn find(url: &CanonUrl) -> Place {
        let name = url.host().strip_prefix('h').and_then(|rest| rest.split('.').next());
        let host = name.and_then(|name| name.parse().ok()).expect("all hosts are numbered");
        Place { host, page: url.path().rsplit('/').next().and_then(|page| page.parse().ok()) }
    }

    pub(crate) fn address(&self, host: u32) -> u32 {
        self.host(host).address
    }

    pub(crate) fn exists(&self, host: u32) -> bool {
        self.host(host).temper != Temper::Missing
    }

    /// What the host wants of a visit to this place.
    pub(crate) fn wish(&self, place: Place, now: Moment) -> Wish {
        let free = Wish { allowed: true, crawl_delay: Moment::default() };
        let host = self.host(place.host);
        let speaker = match host.robots {
            Robots::Moved(to) => self.host(to),
            _ => host,
        };
        let delay = |wish: Wish| match speaker.robots {
            Robots::File(file) | Robots::Late(file, _) => {
                Wish { crawl_delay: file.crawl_delay, ..wish }
            }
            _ => wish,
        };
        let Some(page) = place.page else { return delay(free) };
        let is_heard = host.is_heard && speaker.is_heard;
        let allowed = match speaker.robots {
            Robots::File(file) | Robots::Late(file, _) => {
                is_heard && !(file.disallows && is_private(page))
            }
            Robots::Failing | Robots::Unreachable => now >= ROBOTS_GIVEN_UP,
            Robots::Absent | Robots::Moved(_) => is_heard,
        };
        delay(Wish { allowed, ..free })
    }

    /// The links of a page: its children in a tree, so that every page can be reached, then some
    /// of its host and some of others.
    fn links(&self, host: u32, page: u32) -> Vec<Place> {
        let mut chance = Chance::new(self.seed, mix(u64::from(host) << 32 | u64::from(page)));
        let pages = self.host(host).pages;
        let hosts = u64::try_from(self.hosts.len()).expect("a length fits 64 bits");
        let children = [1, 2].map(|child| page.saturating_mul(2).saturating_add(child));
        let mut found: Vec<Place> = Vec::with_capacity(self.links);
        for child in children.into_iter().filter(|child| *child < pages) {
            found.push(Place { host, page: Some(child) });
        }
        for _ in 0..self.links * DRAWS_MAX {
            if found.len() >= self.links {
                break;
            }
            let host = match chance.below(6) {
                0 => chance.below(hosts),
                1 => chance.skewed(hosts),
                _ => u64::from(host),
            };
            let host = u32::try_from(host).expect("a host's number is small");
            let page = chance.skewed(u64::from(self.host(host).pages));
            let place = Place { host, page: u32::try_from(page).ok() };
            if !found.contains(&place) {
                found.push(place);
            }
        }
        found
    }

    /// A link as the crawler's shell would read it.
    fn found(&self, place: Place, depth: u16, hash: HashKey, partitions: u16) -> Found {
        let url = self.url(place);
        let owner = url.site().pld().partition(hash, partitions);
        (owner, Candidate::new(url, Errand::Page, depth, 0))
    }

    fn url(&self, place: Place) -> CanonUrl {
        let host = self.host(place.host);
        let text = match place.page {
            None => format!("http://{}/robots.txt", host.name),
            Some(page) => {
                let scheme = if host.is_mixed && page % 3 == 0 { "https" } else { "http" };
                let folder = if is_private(page) { "private" } else { "p" };
                format!("{scheme}://{}/{folder}/{page}", host.name)
            }
        };
        CanonUrl::parse(&text).expect("the web has only good URLs")
    }
}

/// A link and the partition that owns it.
pub(crate) type Found = (PartitionId, Candidate);

/// Some pages lie in a folder that a robots.txt may forbid.
fn is_private(page: u32) -> bool {
    page % 7 == 3
}

fn index(host: u32) -> usize {
    usize::try_from(host).expect("a host's number is small")
}
