//! Names to addresses: hickory asks, and this cache decides when.
//!
//! One question at a time is under way for a name, whoever wants to know; answers live between
//! [`TTL_MIN`] and [`TTL_MAX`]; a name that does not exist is remembered too.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::Name;
use rhumb_web::{Failure, Phase};
use tokio::sync::watch;

use crate::locked;
use crate::recent::Recent;
use crate::settings::SetupError;

/// Names that are remembered.
const NAMES_MAX: usize = 65_536;

/// Questions under way from which on a prefetch is not worth its place.
const PREFETCH_MAX: usize = 256;

/// Addresses kept of one name.
const ADDRESSES_MAX: usize = 16;

/// An answer lives at least this long: shorter times are for failover, and would ask every visit.
const TTL_MIN: Duration = Duration::from_mins(1);

/// And at most this long, whatever it says: machines move.
const TTL_MAX: Duration = Duration::from_hours(1);

/// How long a failed lookup is remembered: less than the first wait between two tries.
const FAILURE_TTL: Duration = Duration::from_secs(5);

/// The wait for one try of a question, and the tries after it.
const TRY: Duration = Duration::from_secs(5);
const TRIES_MORE: usize = 1;

/// The wait for a name in all: two tries, whatever records they ask for.
const ASK_MAX: Duration = Duration::from_secs(10);

/// Where a name leads, or why nowhere.
pub(crate) type Answer = Result<Arc<[IpAddr]>, Failure>;

enum Known {
    Asking(watch::Receiver<Option<Answer>>),
    Answered { answer: Answer, until: Instant },
}

/// The cache, and the resolver behind it.
pub(crate) struct Names {
    resolver: TokioResolver,
    known: Mutex<Recent<String, Known>>,
    under_way: AtomicUsize,
}

impl Names {
    /// Asks this server, or those of the system and its hosts file.
    pub(crate) fn new(server: Option<SocketAddr>) -> Result<Self, SetupError> {
        let provider = TokioRuntimeProvider::default();
        let mut builder = match server {
            Some(server) => TokioResolver::builder_with_config(only(server), provider),
            // Where the system names no server, its resolver would ask this one.
            None => TokioResolver::builder_tokio().unwrap_or_else(|_| {
                let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 53));
                TokioResolver::builder_with_config(only(local), provider)
            }),
        };
        let hosts = if server.is_some() { ResolveHosts::Never } else { ResolveHosts::Always };
        set(builder.options_mut(), hosts);
        let resolver = builder.build().map_err(|error| SetupError::Dns(error.to_string()))?;
        let known = Mutex::new(Recent::new(NAMES_MAX));
        Ok(Self { resolver, known, under_way: AtomicUsize::new(0) })
    }

    /// The addresses of a host as a URL spells it, the best first.
    pub(crate) async fn resolve(self: &Arc<Self>, host: &str) -> Answer {
        if let Some(addresses) = without_question(host) {
            return Ok(addresses);
        }
        let mut asking = match self.look(host, usize::MAX) {
            Some(Known::Answered { answer, .. }) => return answer,
            Some(Known::Asking(asking)) => asking,
            None => return Err(Failure::Dns),
        };
        let answer = asking.wait_for(Option::is_some).await;
        answer.ok().and_then(|answer| answer.clone()).unwrap_or(Err(Failure::Dns))
    }

    /// Whether a host's addresses are known without a question.
    pub(crate) fn knows(&self, host: &str) -> bool {
        let is_known = |known: Option<&mut Known>| matches!(known, Some(Known::Answered { until, .. }) if *until > Instant::now());
        without_question(host).is_some() || is_known(locked(&self.known).get(host))
    }

    /// Asks for a host that will be needed, unless much is being asked already.
    pub(crate) fn prefetch(self: &Arc<Self>, host: &str) {
        if without_question(host).is_none() {
            drop(self.look(host, PREFETCH_MAX));
        }
    }

    /// The addresses of a name that was looked up, and how long that still holds.
    pub(crate) fn answer(&self, host: &str) -> Option<(Arc<[IpAddr]>, Duration)> {
        match locked(&self.known).get(host) {
            Some(Known::Answered { answer: Ok(addresses), until }) => {
                let holds = until.saturating_duration_since(Instant::now());
                Some((Arc::clone(addresses), holds))
            }
            _ => None,
        }
    }

    /// Puts an address that could not be connected to behind the others of its name.
    pub(crate) fn demote(&self, host: &str, bad: IpAddr) {
        if let Some(Known::Answered { answer: Ok(addresses), .. }) = locked(&self.known).get(host) {
            let (mut order, worst): (Vec<IpAddr>, Vec<IpAddr>) =
                addresses.iter().partition(|address| **address != bad);
            order.extend(worst);
            *addresses = order.into();
        }
    }

    /// The IPv6 addresses of a host of whose IPv4 addresses none answers: they are asked for only
    /// now, and go first from now on.
    pub(crate) async fn widen(&self, host: &str) -> Vec<IpAddr> {
        if without_question(host).is_some() {
            return Vec::new();
        }
        let Ok(name) = Name::from_ascii(format!("{host}.")) else { return Vec::new() };
        let found = tokio::time::timeout(ASK_MAX, self.resolver.ipv6_lookup(name)).await;
        let Ok(Ok(found)) = found else { return Vec::new() };
        let wide = found.answers().iter().filter_map(|record| record.data.ip_addr());
        let wide: Vec<_> = wide.take(ADDRESSES_MAX).map(|ip| ip.to_canonical()).collect();
        if let Some(Known::Answered { answer: Ok(addresses), .. }) = locked(&self.known).get(host) {
            let narrow = addresses.iter().filter(|ip| !wide.contains(ip));
            *addresses = wide.iter().chain(narrow).take(ADDRESSES_MAX).copied().collect();
        }
        wide
    }

    /// What is known now; if nothing is, asks, unless `busy` questions are under way.
    fn look(self: &Arc<Self>, host: &str, busy: usize) -> Option<Known> {
        let mut known = locked(&self.known);
        match known.get(host) {
            Some(Known::Asking(asking)) if asking.has_changed().is_ok() => {
                return Some(Known::Asking(asking.clone()));
            }
            Some(Known::Answered { answer, until }) if *until > Instant::now() => {
                return Some(Known::Answered { answer: answer.clone(), until: *until });
            }
            _ => {}
        }
        if self.under_way.load(Ordering::Relaxed) >= busy {
            return None;
        }
        let (teller, asking) = watch::channel(None);
        known.put(host.to_owned(), Known::Asking(asking.clone()));
        drop(known);
        let (names, host) = (Arc::clone(self), host.to_owned());
        self.under_way.fetch_add(1, Ordering::Relaxed);
        // A task of its own: whoever asked first may give up, and others still want to know.
        tokio::spawn(async move {
            let (answer, until) = names.ask(&host).await;
            names.under_way.fetch_sub(1, Ordering::Relaxed);
            let answered = Known::Answered { answer: answer.clone(), until };
            locked(&names.known).put(host, answered);
            teller.send_replace(Some(answer));
        });
        Some(Known::Asking(asking))
    }

    async fn ask(&self, host: &str) -> (Answer, Instant) {
        // The dot at the end keeps the system's search domains out.
        let name = Name::from_ascii(format!("{host}."));
        let Ok(name) = name else {
            return (Err(Failure::NoSuchHost), Instant::now() + TTL_MIN);
        };
        let found = tokio::time::timeout(ASK_MAX, self.resolver.lookup_ip(name)).await;
        let found = found.unwrap_or(Err(NetError::Timeout));
        let now = Instant::now();
        match found {
            Ok(found) => {
                let until = found.valid_until().clamp(now + TTL_MIN, now + TTL_MAX);
                let addresses: Arc<[IpAddr]> = found
                    .iter()
                    .take(ADDRESSES_MAX)
                    .map(|address| address.to_canonical())
                    .collect();
                let nobody = addresses.is_empty();
                (if nobody { Err(Failure::NoSuchHost) } else { Ok(addresses) }, until)
            }
            Err(error) => {
                let failure = failure(&error);
                let none = failure == Failure::NoSuchHost;
                (Err(failure), now + if none { TTL_MIN } else { FAILURE_TTL })
            }
        }
    }
}

/// Literals, and `localhost`, which no name server may decide (RFC 6761 §6.3).
fn without_question(host: &str) -> Option<Arc<[IpAddr]>> {
    if host == "localhost" || host.ends_with(".localhost") {
        return Some(Arc::new([Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]));
    }
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let address: IpAddr = bare.parse().ok()?;
    Some(Arc::new([address.to_canonical()]))
}

fn only(server: SocketAddr) -> ResolverConfig {
    let mut config = NameServerConfig::udp_and_tcp(server.ip());
    for connection in &mut config.connections {
        connection.port = server.port();
    }
    ResolverConfig::from_name_servers(vec![config])
}

fn set(options: &mut ResolverOpts, hosts: ResolveHosts) {
    options.timeout = TRY;
    options.attempts = TRIES_MORE;
    options.cache_size = 0;
    options.use_hosts_file = hosts;
    // One question for most names: IPv6 is asked for only where there is no IPv4.
    options.ip_strategy = LookupIpStrategy::Ipv4thenIpv6;
}

fn failure(error: &NetError) -> Failure {
    match error {
        NetError::Timeout => Failure::TimedOut(Phase::Dns),
        error if error.is_nx_domain() || error.is_no_records_found() => Failure::NoSuchHost,
        _ => Failure::Dns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache whose name server never answers.
    fn unanswered() -> (std::net::UdpSocket, Arc<Names>) {
        let silent = std::net::UdpSocket::bind("127.0.0.1:0").expect("loopback");
        let address = silent.local_addr().expect("bound");
        (silent, Arc::new(Names::new(Some(address)).expect("a resolver")))
    }

    #[tokio::test]
    async fn one_question_is_under_way_for_a_name_and_prefetches_are_bounded() {
        let (_silent, names) = unanswered();
        for _ in 0..10 {
            names.prefetch("one.test");
            names.prefetch("two.test");
        }
        assert_eq!(names.under_way.load(Ordering::Relaxed), 2);
        for number in 0..1_000 {
            names.prefetch(&format!("{number}.test"));
        }
        assert_eq!(names.under_way.load(Ordering::Relaxed), PREFETCH_MAX);
    }

    #[tokio::test]
    async fn an_address_that_failed_goes_behind_the_others() {
        let (_silent, names) = unanswered();
        let addresses: [IpAddr; 3] =
            [[192, 0, 2, 1].into(), [192, 0, 2, 2].into(), [192, 0, 2, 3].into()];
        let answered =
            Known::Answered { answer: Ok(Arc::new(addresses)), until: Instant::now() + TTL_MIN };
        locked(&names.known).put("h.test".to_owned(), answered);
        names.demote("h.test", addresses[0]);
        let order = names.resolve("h.test").await.expect("it is known");
        assert_eq!(order[..], [addresses[1], addresses[2], addresses[0]]);
    }

    #[tokio::test]
    async fn literals_and_localhost_are_never_asked_for() {
        let (_silent, names) = unanswered();
        for (host, expect) in [
            ("192.0.2.1", "192.0.2.1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[::ffff:192.0.2.1]", "192.0.2.1"),
            ("localhost", "127.0.0.1"),
            ("a.b.localhost", "127.0.0.1"),
        ] {
            names.prefetch(host);
            let found = names.resolve(host).await.expect("no question is needed");
            assert_eq!(found[0].to_string(), expect, "{host}");
        }
        assert_eq!(names.under_way.load(Ordering::Relaxed), 0);
    }
}
