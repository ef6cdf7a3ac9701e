//! The way of one ticket through the door.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use rhumb_web::{CanonUrl, Failure, Outcome, Phase, Phases, Scheme, Site, Ticket};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;

use crate::address::is_public;
use crate::cookies::Jar;
use crate::dns::Names;
use crate::exchange::{Limits, exchange};
use crate::gate::{Entry, Gate};
use crate::pool::{Line, Parked, Pool};
use crate::recent::Recent;
use crate::request::{Conditions, Habit};
use crate::settings::{FetchSettings, SetupError};
use crate::wire::{Http1, Stream};
use crate::{connect, locked};

/// Addresses of one name that are tried in turn.
const ADDRESSES_TRIED_MAX: usize = 4;

/// Sites whose cookies are kept.
const JARS_MAX: usize = 16_384;

/// The door. One a process: the gates of the addresses are its own.
pub struct Fetcher {
    settings: FetchSettings,
    habit: Habit,
    tls: TlsConnector,
    names: Arc<Names>,
    gate: Arc<Mutex<Gate>>,
    pool: Mutex<Pool>,
    jars: Mutex<Recent<Site, Jar>>,
}

/// The right to be under way at an address; given back when dropped.
struct Pass {
    gate: Arc<Mutex<Gate>>,
    ip: IpAddr,
}

impl Drop for Pass {
    fn drop(&mut self) {
        locked(&self.gate).leave(self.ip);
    }
}

impl Fetcher {
    /// Builds a door. Outside a tokio runtime nothing is started yet.
    pub fn new(mut settings: FetchSettings) -> Result<Self, SetupError> {
        let roots = std::mem::replace(&mut settings.roots, rustls::RootCertStore::empty());
        Ok(Self {
            habit: Habit::new(&settings)?,
            tls: connect::tls(roots)?,
            names: Arc::new(Names::new(settings.dns)?),
            gate: Arc::new(Mutex::new(Gate::new(settings.ip_gap))),
            pool: Mutex::new(Pool::new()),
            jars: Mutex::new(Recent::new(JARS_MAX)),
            settings,
        })
    }

    /// Fetches what a ticket is for. It cannot fail: it reports.
    pub async fn run(&self, ticket: &Ticket, conditions: &Conditions) -> Outcome {
        match Box::pin(self.attempt(&ticket.candidate.url, conditions)).await {
            Ok(outcome) | Err(outcome) => outcome,
        }
    }

    /// Looks a site's name up ahead of its first visit. It never waits, and does nothing when much
    /// is being looked up already. Only within a tokio runtime.
    pub fn prefetch(&self, site: &Site) {
        self.names.prefetch(site.host());
    }

    /// Closes the idle connections that were kept long enough, or that their servers closed.
    pub fn close_idle(&self) {
        locked(&self.pool).sweep(Instant::now().into_std());
    }

    /// The way, with every early end as an `Err`.
    async fn attempt(&self, url: &CanonUrl, conditions: &Conditions) -> Result<Outcome, Outcome> {
        let began = Instant::now();
        let deadline = began + self.settings.total;
        let site = url.site();
        let mut phases = Phases::default();
        let (line, pass) = match self.kept(&site, url.scheme())? {
            Some(kept) => kept,
            None => self.fresh(url, &site, deadline, &mut phases).await?,
        };
        let now = SystemTime::now();
        let cookie = locked(&self.jars).get(&site).and_then(|jar| jar.header(now, url));
        let proxy = self.settings.proxy.as_ref().filter(|_| url.scheme() == Scheme::Http);
        let request = self.habit.request(url, conditions, cookie.as_deref(), proxy);
        let request = request.ok_or(Outcome::Failed(Failure::NotHttp))?;
        let limits = Limits::new(&self.settings, deadline);
        let (mut exchange, line) = exchange(line, url, request, &limits, phases).await?;
        drop(pass);
        if proxy.is_some() && exchange.status == 407 {
            return Err(Outcome::Failed(Failure::Proxy));
        }
        if let Some(line) = line {
            let now = Instant::now().into_std();
            if let Some(parked) = Parked::new(now, line, exchange.header("keep-alive")) {
                locked(&self.pool).put(site.clone(), parked);
            }
        }
        self.take_cookies(site, url, exchange.headers_named("set-cookie"));
        exchange.phases.total = began.elapsed();
        Ok(Outcome::Answered(exchange))
    }

    /// The site's idle connection, if there is one and its address lets us pass.
    fn kept(&self, site: &Site, scheme: Scheme) -> Result<Option<(Line, Pass)>, Outcome> {
        let mut pool = locked(&self.pool);
        let Some(parked) = pool.take(Instant::now().into_std(), site, scheme) else {
            return Ok(None);
        };
        match self.enter(parked.line.ip, site) {
            Ok(pass) => Ok(Some((parked.line, pass))),
            Err(busy) => {
                pool.put(site.clone(), parked);
                Err(busy)
            }
        }
    }

    /// A new connection to the first address that takes it.
    async fn fresh(
        &self,
        url: &CanonUrl,
        site: &Site,
        deadline: Instant,
        phases: &mut Phases,
    ) -> Result<(Line, Pass), Outcome> {
        let began = Instant::now();
        let addresses = self.addresses(url.host(), deadline).await?;
        phases.dns = began.elapsed();
        let until = deadline.min(Instant::now() + self.settings.connect);
        let mut failure = Failure::Connect;
        for (tried, ip) in addresses.iter().enumerate() {
            let pass = self.enter(*ip, site)?;
            // Each address gets its share of what is left, so that a silent one leaves some.
            let shares = u32::try_from(addresses.len() - tried).expect("few addresses");
            let now = Instant::now();
            let share = now + until.saturating_duration_since(now) / shares;
            match self.dial(SocketAddr::new(*ip, url.port()), url.scheme(), share).await {
                Ok((stream, remote)) => {
                    phases.connect = now.elapsed();
                    let stream = self.dress(stream, url, until, phases).await?;
                    let opened = Http1::open(stream, self.settings.header_bytes_max).await;
                    let http = opened.map_err(|_| Outcome::Failed(Failure::Connect))?;
                    let scheme = url.scheme();
                    return Ok((Line { http, ip: *ip, remote, scheme, is_kept: false }, pass));
                }
                // The proxy's own failing says nothing about the address.
                Err(Failure::Proxy) => return Err(Outcome::Failed(Failure::Proxy)),
                Err(other) => {
                    failure = other;
                    self.names.demote(url.host(), *ip);
                }
            }
        }
        Err(Outcome::Failed(failure))
    }

    /// The addresses of a host that may be visited, a few.
    async fn addresses(&self, host: &str, deadline: Instant) -> Result<Vec<IpAddr>, Outcome> {
        let answer = timeout_at(deadline, self.names.resolve(host)).await;
        let answer = answer.unwrap_or(Err(Failure::TimedOut(Phase::Dns)));
        let all = answer.map_err(Outcome::Failed)?;
        let allowed =
            all.iter().copied().filter(|ip| self.settings.allow_private || is_public(*ip));
        let allowed: Vec<_> = allowed.take(ADDRESSES_TRIED_MAX).collect();
        if allowed.is_empty() { Err(Outcome::PrivateAddress) } else { Ok(allowed) }
    }

    fn enter(&self, ip: IpAddr, site: &Site) -> Result<Pass, Outcome> {
        match locked(&self.gate).enter(Instant::now().into_std(), ip, site) {
            Entry::Pass => Ok(Pass { gate: Arc::clone(&self.gate), ip }),
            Entry::Wait(span) => Err(Outcome::AddressBusy(span)),
        }
    }

    /// A TCP connection to a checked address, or to the proxy; and where it goes.
    async fn dial(
        &self,
        target: SocketAddr,
        scheme: Scheme,
        until: Instant,
    ) -> Result<(tokio::net::TcpStream, SocketAddr), Failure> {
        let Some(proxy) = &self.settings.proxy else {
            return Ok((connect::dial(target, until).await?, target));
        };
        let found = timeout_at(until, self.names.resolve(proxy.host())).await;
        let found = found.ok().and_then(Result::ok).and_then(|all| all.first().copied());
        let remote = SocketAddr::new(found.ok_or(Failure::Proxy)?, proxy.port());
        let dialled = connect::dial(remote, until).await;
        let mut stream = dialled.map_err(|_| Failure::Proxy)?;
        if scheme == Scheme::Https {
            connect::tunnel(&mut stream, proxy, target, until).await?;
        }
        Ok((stream, remote))
    }

    /// TLS, where the URL wants it.
    async fn dress(
        &self,
        stream: tokio::net::TcpStream,
        url: &CanonUrl,
        until: Instant,
        phases: &mut Phases,
    ) -> Result<Stream, Outcome> {
        if url.scheme() == Scheme::Http {
            return Ok(Stream::Plain(stream));
        }
        let began = Instant::now();
        let dressed = connect::encrypt(&self.tls, stream, url, until).await;
        phases.tls = began.elapsed();
        dressed.map_err(Outcome::Failed)
    }

    fn take_cookies<'a>(&self, site: Site, url: &CanonUrl, lines: impl Iterator<Item = &'a str>) {
        let mut lines = lines.peekable();
        if lines.peek().is_none() {
            return;
        }
        let now = SystemTime::now();
        let mut jars = locked(&self.jars);
        let mut jar = jars.take(&site).unwrap_or_default();
        for line in lines {
            jar.set(now, url, line);
        }
        if !jar.is_empty() {
            jars.put(site, jar);
        }
    }
}
