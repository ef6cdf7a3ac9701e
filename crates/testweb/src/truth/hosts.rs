//! Which hosts there are: names, sizes, addresses, robots kinds and faults.

use std::net::Ipv4Addr;
use std::ops::Range;
use std::time::Duration;

use super::{HostId, PageId, Robots};
use crate::chance::Chance;
use crate::spec::{Addresses, Spec};

/// How a host is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
}

impl Scheme {
    /// The scheme as URLs write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// Why no page of a host can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// DNS says that there is no such name.
    NoSuchName,
    /// DNS fails.
    ServFail,
    /// DNS never answers.
    Silent,
    /// Nobody listens at the address.
    Refused,
    /// Every connection is closed without an answer.
    HangsUp,
    /// Every answer, robots.txt among them, has status 500.
    Broken,
}

const FAULTS: [Fault; 5] =
    [Fault::NoSuchName, Fault::Refused, Fault::ServFail, Fault::HangsUp, Fault::Broken];

/// The form of a host's sitemap, which its robots.txt names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sitemap {
    /// One XML file.
    Plain,
    /// One XML file, compressed.
    Gzip,
    /// An index of two XML files.
    Index,
    /// One URL a line.
    Text,
}

const SITEMAPS: [Sitemap; 4] = [Sitemap::Plain, Sitemap::Index, Sitemap::Gzip, Sitemap::Text];

/// One origin: a host name with a scheme.
#[derive(Debug, Clone)]
pub struct Host {
    /// Lower case, under `.test`.
    pub name: String,
    /// How it is spoken to.
    pub scheme: Scheme,
    /// Number of the host name: an origin and its twin of the other scheme share it.
    pub place: usize,
    /// Where it listens.
    pub address: Ipv4Addr,
    /// Its robots.txt.
    pub robots: Robots,
    /// What is wrong with it.
    pub fault: Option<Fault>,
    /// Its sitemap.
    pub sitemap: Option<Sitemap>,
    /// Serves the bodies of that origin.
    pub mirror_of: Option<HostId>,
    /// Another host serves this one's bodies.
    pub mirrored: bool,
    /// Its http URLs only redirect to this origin.
    pub twin_of: Option<HostId>,
    /// Has endless pages under `/trap/`.
    pub trap: bool,
    /// Sets a cookie with every page.
    pub cookie: bool,
    /// Its pages, as indices into [`super::Web::pages`].
    pub pages: Range<u32>,
    pub(super) size: usize,
}

impl Host {
    /// `scheme://name:port`.
    pub fn origin(&self, port: u16) -> String {
        format!("{}://{}:{port}", self.scheme.name(), self.name)
    }

    /// Its first page.
    pub fn home(&self) -> PageId {
        PageId(self.pages.start)
    }

    /// The crawl-delay that its robots.txt asks for.
    pub fn crawl_delay(&self) -> Option<Duration> {
        match self.robots {
            Robots::Delay(ms) => Some(Duration::from_millis(ms.into())),
            _ => None,
        }
    }

    /// A correct crawler can fetch pages here.
    pub(super) fn is_good(&self) -> bool {
        self.fault.is_none() && !self.robots.refuses_all()
    }

    /// Its stems may lead to other hosts.
    pub(super) fn is_parent(&self) -> bool {
        self.is_good() && self.mirror_of.is_none() && self.twin_of.is_none()
    }
}

/// Hosts with slow or refusing robots.txt are no larger than this: tests stay short.
const SMALL_MAX: usize = 8;
/// Smaller webs are not worth a robots.txt hub.
const HUB_FROM: usize = 8;
/// Share of pages, in percent of the wish, that robots, faults and dead ends take away at most.
const SPARE_PERCENT: usize = 30;

pub(super) fn generate(spec: &Spec) -> Vec<Host> {
    let count = spec.hosts.max(1);
    let mut chance = Chance::new(spec.seed, 0x4057);
    let mut names = Names::default();
    let mut dealt = Dealt::default();
    let mut hosts: Vec<Host> = Vec::with_capacity(count + count / 12);
    for (place, size) in sizes(count, spec.pages).into_iter().enumerate() {
        // One seed speaks TLS for certain; the draw is made in any case, so that names stay.
        let tls = chance.percent(33) && place > 2 || place == 2;
        let mut host = Host {
            name: names.next(&mut chance),
            scheme: if tls && spec.https { Scheme::Https } else { Scheme::Http },
            place,
            address: address(spec.addresses, place),
            robots: Robots::AllowAll,
            fault: None,
            sitemap: None,
            mirror_of: None,
            mirrored: false,
            twin_of: None,
            trap: false,
            cookie: place % 11 == 3,
            pages: 0..0,
            size,
        };
        dealt.shape(spec, &mut host, &mut hosts);
        hosts.push(host);
    }
    if spec.only_https {
        for host in &mut hosts {
            host.scheme = Scheme::Https;
        }
    } else if spec.https {
        add_twins(&mut hosts);
    }
    hosts
}

/// Hosts without quirks: each a domain of its own, all of them about as large.
pub(super) fn generate_even(spec: &Spec) -> Vec<Host> {
    let count = spec.hosts.max(1);
    let pages = spec.pages.max(count);
    let size = |place: usize| pages / count + usize::from(place < pages % count);
    let host = |place: usize| Host {
        name: format!("{}{place}.test", STEMS[place % STEMS.len()]),
        scheme: if spec.only_https { Scheme::Https } else { Scheme::Http },
        place,
        address: address(spec.addresses, place),
        robots: Robots::Prefix,
        fault: None,
        sitemap: None,
        mirror_of: None,
        mirrored: false,
        twin_of: None,
        trap: false,
        cookie: false,
        pages: 0..0,
        size: size(place),
    };
    (0..count).map(host).collect()
}

/// Zipf's law with a flattened top, so that no site takes all the time of a polite crawl.
fn sizes(count: usize, pages: usize) -> Vec<usize> {
    let weight = |rank: usize| 1_000_000 / (rank + 5);
    let total: usize = (0..count).map(weight).sum();
    let wish = pages + pages * SPARE_PERCENT / 100 + 12;
    (0..count).map(|rank| (wish * weight(rank)).div_ceil(total)).collect()
}

fn address(addresses: Addresses, place: usize) -> Ipv4Addr {
    let slot = match addresses {
        Addresses::OnePerHost => place,
        Addresses::Shared(n) => place % n.max(1),
    };
    loopback(20, slot)
}

fn loopback(net: u8, slot: usize) -> Ipv4Addr {
    let octet = |n: usize| u8::try_from(n % 250).expect("below 250");
    Ipv4Addr::new(127, net + octet(slot / 62_500), octet(slot / 250), octet(slot) + 1)
}

/// What was given out so far: kinds go round in turn, so that a web of a few dozen hosts has all.
#[derive(Default)]
struct Dealt {
    ordinary: usize,
    small: usize,
    faults: usize,
    sitemaps: usize,
    mirrors: usize,
}

impl Dealt {
    fn shape(&mut self, spec: &Spec, host: &mut Host, earlier: &mut [Host]) {
        let place = host.place;
        if place == 0 {
            self.add_sitemap(host);
        } else if place + 1 == spec.hosts && spec.hosts >= HUB_FROM {
            host.robots = Robots::Prefix;
            host.scheme = Scheme::Http;
        } else if spec.bad_hosts && place % 17 == 9 {
            self.break_down(spec, host);
        } else if place % 83 == 20 {
            self.mirror(host, earlier);
        } else if spec.traps && (place == 1 || place % 61 == 30) {
            host.robots = Robots::Prefix;
            host.trap = true;
        } else if place >= 12 && place % 7 == 5 {
            host.robots = Robots::SMALL[self.small % Robots::SMALL.len()];
            host.size = host.size.min(SMALL_MAX);
            self.small += 1;
        } else {
            host.robots = Robots::ORDINARY[self.ordinary % Robots::ORDINARY.len()];
            self.ordinary += 1;
            if host.robots.takes_sitemap() && !self.ordinary.is_multiple_of(3) {
                self.add_sitemap(host);
            }
        }
    }

    fn add_sitemap(&mut self, host: &mut Host) {
        host.sitemap = Some(SITEMAPS[self.sitemaps % SITEMAPS.len()]);
        self.sitemaps += 1;
    }

    fn break_down(&mut self, spec: &Spec, host: &mut Host) {
        let silent = spec.slow_hosts && self.faults == 0;
        let fault = if silent { Fault::Silent } else { FAULTS[self.faults % FAULTS.len()] };
        if fault == Fault::Refused {
            host.address = loopback(250, host.place);
        }
        host.fault = Some(fault);
        host.scheme = Scheme::Http;
        host.size = host.size.min(3);
        self.faults += 1;
    }

    /// Takes a middling host as its original; its own robots.txt stays an empty one.
    fn mirror(&mut self, host: &mut Host, earlier: &mut [Host]) {
        let fit = |h: &&mut Host| h.is_good() && h.sitemap.is_none() && !h.trap && !h.mirrored;
        let Some(original) = earlier.iter_mut().skip(5 + self.mirrors).find(fit) else { return };
        original.mirrored = true;
        host.mirror_of = Some(HostId(u32::try_from(original.place).expect("few hosts")));
        host.scheme = original.scheme;
        host.size = 0;
        self.mirrors += 1;
    }
}

/// Some https hosts still answer on plain HTTP, with redirects.
fn add_twins(hosts: &mut Vec<Host>) {
    let twins: Vec<Host> = hosts
        .iter()
        .filter(|h| h.scheme == Scheme::Https && h.place % 4 == 2 && h.mirror_of.is_none())
        .map(|h| Host {
            scheme: Scheme::Http,
            robots: Robots::Absent,
            sitemap: None,
            mirrored: false,
            twin_of: Some(HostId(u32::try_from(h.place).expect("few hosts"))),
            trap: false,
            cookie: false,
            size: 2,
            ..h.clone()
        })
        .collect();
    hosts.extend(twins);
}

const STEMS: [&str; 24] = [
    "acme",
    "borealis",
    "cormorant",
    "delta",
    "ember",
    "fjord",
    "granite",
    "harbor",
    "indigo",
    "juniper",
    "kestrel",
    "lumen",
    "meadow",
    "nimbus",
    "orchard",
    "pelican",
    "quarry",
    "rivet",
    "sable",
    "tundra",
    "umbra",
    "violet",
    "willow",
    "zephyr",
];
const SUBDOMAINS: [&str; 6] = ["www", "blog", "shop", "docs", "news", "wiki"];

/// Host names; about one in four joins the pay-level domain of the host before it.
#[derive(Default)]
struct Names {
    domains: usize,
    domain: String,
    hosts_here: usize,
}

impl Names {
    fn next(&mut self, chance: &mut Chance) -> String {
        if self.hosts_here == 0 || self.hosts_here > SUBDOMAINS.len() || !chance.percent(25) {
            self.domain = format!("{}{}.test", chance.pick(&STEMS), self.domains);
            self.domains += 1;
            self.hosts_here = 1;
            return self.domain.clone();
        }
        self.hosts_here += 1;
        format!("{}.{}", SUBDOMAINS[self.hosts_here - 2], self.domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_of_a_hundred_hosts_has_every_kind_of_robots() {
        let hosts = generate(&Spec::sized(1, 100, 1_000));
        for kind in Robots::ORDINARY.iter().chain(&Robots::SMALL) {
            assert!(hosts.iter().any(|h| h.robots == *kind), "{kind:?}");
        }
    }

    #[test]
    fn every_host_has_an_address_of_its_own_unless_shared() {
        let mut spec = Spec::sized(1, 600, 600);
        let count = |spec: &Spec| {
            let mut all: Vec<_> = generate(spec).iter().map(|h| (h.address, h.place)).collect();
            all.sort_unstable();
            all.dedup();
            all.dedup_by_key(|(address, _)| *address);
            all.len()
        };
        assert_eq!(count(&spec), 600);
        spec.bad_hosts = false;
        spec.addresses = Addresses::Shared(7);
        assert_eq!(count(&spec), 7);
    }

    #[test]
    fn names_are_unique_and_some_share_a_domain() {
        let hosts = generate(&Spec { https: false, ..Spec::sized(3, 300, 600) });
        let mut names: Vec<_> = hosts.iter().map(|h| h.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 300);
        assert!(names.iter().filter(|n| n.matches('.').count() == 2).count() > 30);
    }
}
