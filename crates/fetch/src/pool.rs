//! Idle connections: a site has as many as it had fetches at once, parked without a task.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use rhumb_web::{Scheme, Site, Tls};

use crate::wire::{Fault, Http, Idle};

/// How long a connection is kept. Gaps longer than this belong to sites that are slow or pushed
/// back; for them a held socket is the greater burden, and most servers have closed it by then.
const IDLE_TIME: Duration = Duration::from_secs(15);

/// Taken off what a server promises to wait: the next request needs time to arrive.
const KEEP_ALIVE_MARGIN: Duration = Duration::from_secs(1);

/// Idle connections of one site: as many as a user may set to be in use at once.
const SITE_IDLE_MAX: usize = 16;

/// Where a connection leads, and how.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    /// The checked address of the site, whose gate it passes.
    pub(crate) ip: IpAddr,
    /// Where the socket goes: there, or to the proxy.
    pub(crate) remote: SocketAddr,
    /// With TLS or without.
    pub(crate) scheme: Scheme,
    /// The version of TLS.
    pub(crate) tls: Option<Tls>,
    /// TLS was agreed on, but not what is spoken on it.
    pub(crate) is_unnamed: bool,
}

/// A connection in use.
pub(crate) struct Line {
    /// The connection.
    pub(crate) http: Http,
    /// Where it leads.
    pub(crate) route: Route,
    /// Whether it has carried an exchange before.
    pub(crate) is_kept: bool,
}

/// A connection that waits, and until when.
pub(crate) struct Parked {
    idle: Idle,
    /// Where it leads.
    pub(crate) route: Route,
    until: Instant,
}

impl Parked {
    /// Parks a connection; `keep_alive` is the header of that name. `None` if it is not worth it.
    pub(crate) fn new(now: Instant, line: Line, keep_alive: Option<&str>) -> Option<Self> {
        let promised = keep_alive.and_then(promised).unwrap_or(Duration::MAX);
        let span = promised.saturating_sub(KEEP_ALIVE_MARGIN).min(IDLE_TIME);
        if span.is_zero() {
            return None;
        }
        Some(Self { idle: line.http.rest()?, route: line.route, until: now + span })
    }

    /// Takes the connection up again.
    pub(crate) async fn wake(self, header_bytes_max: usize) -> Result<Line, Fault> {
        let http = self.idle.wake(header_bytes_max).await?;
        Ok(Line { http, route: self.route, is_kept: true })
    }

    fn is_open(&mut self, now: Instant) -> bool {
        self.until > now && self.idle.is_open()
    }
}

/// The time-out in a Keep-Alive header: `timeout=5, max=100`.
fn promised(header: &str) -> Option<Duration> {
    let pairs = header.split(',').filter_map(|pair| pair.split_once('='));
    let mut seconds = pairs.filter(|(key, _)| key.trim().eq_ignore_ascii_case("timeout"));
    let (_, value) = seconds.next()?;
    value.trim().trim_matches('"').parse().ok().map(Duration::from_secs)
}

/// The idle connections of all sites, in two generations as in [`Recent`](crate::recent::Recent),
/// but here every connection counts and not every site.
pub(crate) struct Pool {
    young: Shelf,
    old: Shelf,
    half: usize,
}

impl Pool {
    /// A pool of at most so many connections.
    pub(crate) fn new(idle_max: usize) -> Self {
        Self { young: Shelf::default(), old: Shelf::default(), half: (idle_max / 2).max(1) }
    }

    /// The site's newest idle connection that still is one. Those that are not, or are of the other
    /// scheme, are closed: whoever gets `None` may open one, and the site has no other idle.
    pub(crate) fn take(&mut self, now: Instant, site: &Site, scheme: Scheme) -> Option<Parked> {
        loop {
            let mut parked = self.young.pop(site).or_else(|| self.old.pop(site))?;
            if parked.route.scheme == scheme && parked.is_open(now) {
                return Some(parked);
            }
        }
    }

    /// Parks a connection, unless its site has enough; the oldest of all are closed for it.
    pub(crate) fn put(&mut self, site: Site, parked: Parked) {
        if self.young.count(&site) + self.old.count(&site) >= SITE_IDLE_MAX {
            return;
        }
        if self.young.total >= self.half {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.push(site, parked);
    }

    /// Closes the connections that were kept long enough.
    pub(crate) fn sweep(&mut self, now: Instant) {
        self.young.sweep(now);
        self.old.sweep(now);
    }
}

/// One generation. No site in it is without a connection.
#[derive(Default)]
struct Shelf {
    sites: HashMap<Site, Vec<Parked>>,
    total: usize,
}

impl Shelf {
    fn count(&self, site: &Site) -> usize {
        self.sites.get(site).map_or(0, Vec::len)
    }

    fn push(&mut self, site: Site, parked: Parked) {
        // Most sites have one connection, and it is large.
        self.sites.entry(site).or_insert_with(|| Vec::with_capacity(1)).push(parked);
        self.total += 1;
    }

    fn pop(&mut self, site: &Site) -> Option<Parked> {
        let row = self.sites.get_mut(site)?;
        let parked = row.pop();
        if row.is_empty() {
            self.sites.remove(site);
        }
        self.total -= usize::from(parked.is_some());
        parked
    }

    fn sweep(&mut self, now: Instant) {
        self.sites.retain(|_, row| {
            row.retain_mut(|parked| parked.is_open(now));
            !row.is_empty()
        });
        self.total = self.sites.values().map(Vec::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_promise_is_read() {
        let check = |header, seconds: Option<u64>| {
            assert_eq!(promised(header), seconds.map(Duration::from_secs), "{header}");
        };
        check("timeout=5, max=100", Some(5));
        check("max=100, Timeout = \"7\"", Some(7));
        check("max=100", None);
        check("timeout=-1", None);
        check("", None);
    }
}
