//! The way of one ticket through the door.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use rhumb_web::{CanonUrl, Failure, Outcome, Phase, Phases, Scheme, Site, Ticket};
use tokio::time::{Instant, timeout_at};

use crate::bodies::{Bodies, Claim};
use crate::connect::{Tls, Unshaken};
use crate::cookies::Jar;
use crate::dns::Names;
use crate::exchange::{Limits, exchange};
use crate::gate::{Entry, Gate};
use crate::pool::{Line, Parked, Pool, Route};
use crate::recent::Recent;
use crate::request::{Conditions, Habit};
use crate::settings::{FetchSettings, SetupError};
use crate::wire::{Http, Stream};
use crate::{connect, locked};

/// Addresses of one name that are tried in turn.
const ADDRESSES_TRIED_MAX: usize = 4;

/// Sites that are remembered to insist on HTTP/2.
const H2_SITES_MAX: usize = 16_384;

/// Sites whose cookies are kept.
const JARS_MAX: usize = 16_384;

/// The door. One a process: the gates of the addresses are its own.
pub struct Fetcher {
    settings: FetchSettings,
    habit: Habit,
    browser: Habit,
    tls: Tls,
    /// Sites that were seen to speak nothing but HTTP/2.
    h2_sites: Mutex<Recent<Site, ()>>,
    bodies: Arc<Bodies>,
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
            browser: Habit::of_browser(),
            tls: Tls::new(roots)?,
            h2_sites: Mutex::new(Recent::new(H2_SITES_MAX)),
            bodies: Arc::new(Bodies::new(settings.bodies, settings.body_max)),
            names: Arc::new(Names::new(settings.dns)?),
            gate: Arc::new(Mutex::new(Gate::new(settings.ip_gap))),
            pool: Mutex::new(Pool::new(settings.idle_max)),
            jars: Mutex::new(Recent::new(JARS_MAX)),
            settings,
        })
    }

    /// Fetches what a ticket is for. It cannot fail: it reports.
    pub async fn run(&self, ticket: &Ticket, conditions: &Conditions) -> Outcome {
        match Box::pin(self.attempt(&ticket.candidate.url, Some(conditions))).await {
            Ok(outcome) | Err(outcome) => outcome,
        }
    }

    /// The same under the headers of a usual browser, without the cookies that we were given. It
    /// hides who asks: only for whom the operator has agreed to that.
    pub async fn run_as_browser(&self, ticket: &Ticket) -> Outcome {
        match Box::pin(self.attempt(&ticket.candidate.url, None)).await {
            Ok(outcome) | Err(outcome) => outcome,
        }
    }

    /// Looks a site's name up ahead of its first visit. It never waits, and does nothing when much
    /// is being looked up already. Only within a tokio runtime.
    pub fn prefetch(&self, site: &Site) {
        self.names.prefetch(site.host());
    }

    /// The addresses that a site's name leads to and how long that holds, if it was looked up.
    pub fn lookup(&self, site: &Site) -> Option<(Arc<[IpAddr]>, Duration)> {
        self.names.answer(site.host())
    }

    /// Whether everything goes through a proxy: then no address seen here is a site's own.
    pub fn has_proxy(&self) -> bool {
        self.settings.proxy.is_some()
    }

    /// Closes the idle connections that were kept long enough, or that their servers closed.
    pub fn close_idle(&self) {
        locked(&self.pool).sweep(Instant::now().into_std());
    }

    /// Bytes that bodies in flight hold now.
    pub fn bodies_held(&self) -> u64 {
        self.bodies.held()
    }

    /// The most bytes that bodies in flight ever held.
    pub fn bodies_peak(&self) -> u64 {
        self.bodies.peak()
    }

    /// How long a fetch may take.
    pub fn patience(&self) -> Duration {
        self.settings.total
    }

    /// The way, with every early end as an `Err`. Without conditions it is that of a browser.
    async fn attempt(&self, url: &CanonUrl, own: Option<&Conditions>) -> Result<Outcome, Outcome> {
        let began = Instant::now();
        let deadline = began + self.settings.total;
        let claim = self.claim(began).await?;
        let site = url.site();
        let mut phases = Phases::default();
        let (line, pass) = match self.kept(&site, url.scheme()).await? {
            Some(kept) => kept,
            None => self.fresh(url, &site, deadline, &mut phases).await?,
        };
        let proxy = self.settings.proxy.as_ref().filter(|_| url.scheme() == Scheme::Http);
        let request = match own {
            Some(conditions) => {
                let now = SystemTime::now();
                let cookie = locked(&self.jars).get(&site).and_then(|jar| jar.header(now, url));
                self.habit.request(url, conditions, cookie.as_deref(), proxy)
            }
            None => self.browser.request(url, &Conditions::default(), None, proxy),
        };
        let request = request.ok_or(Outcome::Failed(Failure::NotHttp))?;
        let limits = Limits::new(&self.settings, deadline);
        let is_unnamed = line.route.is_unnamed && !line.is_kept;
        let met = exchange(line, url, request, &limits, claim, phases).await;
        let (mut exchange, line) = met.map_err(|outcome| match outcome {
            // A server may hang up on HTTP/1.1 without a word: next time it is offered HTTP/2.
            Outcome::Failed(Failure::Reset | Failure::NotHttp)
                if is_unnamed && self.insists_on_h2(&site) =>
            {
                Outcome::Failed(Failure::Stale)
            }
            outcome => outcome,
        })?;
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
        if own.is_some() {
            self.take_cookies(site, url, exchange.headers_named("set-cookie"));
        }
        exchange.phases.total = began.elapsed();
        Ok(Outcome::Answered(exchange))
    }

    /// Memory to begin with. Without any nothing is asked: that is no failure of the server.
    async fn claim(&self, began: Instant) -> Result<Claim, Outcome> {
        let patience = self.settings.connect;
        let claim = timeout_at(began + patience, self.bodies.enter()).await;
        claim.map_err(|_| Outcome::AddressBusy(patience))
    }

    /// An idle connection of the site, if there is one and its address lets us pass.
    async fn kept(&self, site: &Site, scheme: Scheme) -> Result<Option<(Line, Pass)>, Outcome> {
        let Some((parked, pass)) = self.unpark(site, scheme)? else { return Ok(None) };
        let line = parked.wake(self.settings.header_bytes_max).await;
        Ok(line.ok().map(|line| (line, pass)))
    }

    fn unpark(&self, site: &Site, scheme: Scheme) -> Result<Option<(Parked, Pass)>, Outcome> {
        let mut pool = locked(&self.pool);
        let Some(parked) = pool.take(Instant::now().into_std(), site, scheme) else {
            return Ok(None);
        };
        match self.enter(parked.route.ip, site) {
            Ok(pass) => Ok(Some((parked, pass))),
            Err(busy) => {
                pool.put(site.clone(), parked);
                Err(busy)
            }
        }
    }

    /// A new connection, over IPv6 where the host has none but deaf IPv4 addresses.
    async fn fresh(
        &self,
        url: &CanonUrl,
        site: &Site,
        deadline: Instant,
        phases: &mut Phases,
    ) -> Result<(Line, Pass), Outcome> {
        let began = Instant::now();
        let is_known = self.names.knows(url.host());
        let addresses = self.addresses(url.host(), deadline).await?;
        phases.dns = if is_known { Duration::ZERO } else { began.elapsed() };
        let reached = self.reach(&addresses, url, site, deadline, phases).await;
        match reached {
            Err(Outcome::Failed(Failure::Connect | Failure::TimedOut(Phase::Connect)))
                if addresses.iter().all(IpAddr::is_ipv4) =>
            {
                let wide = timeout_at(deadline, self.names.widen(url.host())).await;
                let wide = self.permitted(&wide.unwrap_or_default());
                if wide.is_empty() {
                    return reached;
                }
                self.reach(&wide, url, site, deadline, phases).await
            }
            reached => reached,
        }
    }

    /// A connection to the first of these addresses that takes it.
    async fn reach(
        &self,
        addresses: &[IpAddr],
        url: &CanonUrl,
        site: &Site,
        deadline: Instant,
        phases: &mut Phases,
    ) -> Result<(Line, Pass), Outcome> {
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
                    let Some(stream) = self.dress(stream, url, until, phases).await? else {
                        return self.knock_again(*ip, pass, url, until, phases).await;
                    };
                    return self.line(stream, *ip, remote, url.scheme(), pass).await;
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
        let allowed = self.permitted(&all);
        if allowed.is_empty() { Err(Outcome::PrivateAddress) } else { Ok(allowed) }
    }

    fn permitted(&self, all: &[IpAddr]) -> Vec<IpAddr> {
        let allowed = all.iter().copied().filter(|ip| self.settings.allow_private.permit(*ip));
        allowed.take(ADDRESSES_TRIED_MAX).collect()
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

    /// TLS, where the URL wants it; none if the server wants another protocol on it.
    async fn dress(
        &self,
        stream: tokio::net::TcpStream,
        url: &CanonUrl,
        until: Instant,
        phases: &mut Phases,
    ) -> Result<Option<Stream>, Outcome> {
        if url.scheme() == Scheme::Http {
            return Ok(Some(Stream::Plain(stream)));
        }
        let began = Instant::now();
        let site = url.site();
        let h2 = locked(&self.h2_sites).get(&site).is_some();
        let dressed = self.tls.encrypt(stream, url, h2, until).await;
        phases.tls = began.elapsed();
        match dressed {
            Ok(stream) => Ok(Some(stream)),
            Err(Unshaken::WantsAnother) if self.insists_on_h2(&site) => Ok(None),
            Err(Unshaken::WantsAnother) => Err(Outcome::Failed(Failure::Tls)),
            Err(Unshaken::Failed(failure)) => Err(Outcome::Failed(failure)),
        }
    }

    /// Connects once more where the server hung up in the handshake: nothing was asked yet.
    async fn knock_again(
        &self,
        ip: IpAddr,
        pass: Pass,
        url: &CanonUrl,
        until: Instant,
        phases: &mut Phases,
    ) -> Result<(Line, Pass), Outcome> {
        let target = SocketAddr::new(ip, url.port());
        let dialled = self.dial(target, url.scheme(), until).await;
        let (stream, remote) = dialled.map_err(Outcome::Failed)?;
        let dressed = self.dress(stream, url, until, phases).await?;
        let stream = dressed.ok_or(Outcome::Failed(Failure::Tls))?;
        self.line(stream, ip, remote, url.scheme(), pass).await
    }

    /// A connection on which requests can be made.
    async fn line(
        &self,
        stream: Stream,
        ip: IpAddr,
        remote: SocketAddr,
        scheme: Scheme,
        pass: Pass,
    ) -> Result<(Line, Pass), Outcome> {
        let (tls, is_unnamed) = (stream.tls(), stream.is_unnamed());
        let route = Route { ip, remote, scheme, tls, is_unnamed };
        let opened = Http::open(stream, self.settings.header_bytes_max).await;
        let http = opened.map_err(|_| Outcome::Failed(Failure::Connect))?;
        Ok((Line { http, route, is_kept: false }, pass))
    }

    /// Remembers that a site speaks nothing but HTTP/2, and says whether that is new.
    fn insists_on_h2(&self, site: &Site) -> bool {
        let mut sites = locked(&self.h2_sites);
        let is_new = sites.get(site).is_none();
        sites.put(site.clone(), ());
        is_new
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
