//! One request at a time, by the manners of a crawl.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use rhumb_fetch::{Conditions, Fetcher};
use rhumb_frontier::Manners;
use rhumb_rules::{HOPS_MAX, ROBOTS_BYTES_MAX, Robots, RobotsFor};
use rhumb_web::{
    Candidate, Canon, CanonUrl, Epoch, Errand, Exchange, Failure, Origin, Outcome, Scheme, Site,
    Span, Tick, Ticket, TicketNumber, Visit,
};
use tokio::time::Instant;

/// How often an address may be busy, or a kept connection closed, before we give up.
const TURNED_AWAY_MAX: usize = 16;

/// Why something could not be had: the word of an outcome or reason.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Why {
    pub(crate) word: String,
    /// Where.
    pub(crate) url: CanonUrl,
}

impl Why {
    pub(super) fn new(word: impl Into<String>, url: &CanonUrl) -> Self {
        Self { word: word.into(), url: url.clone() }
    }

    /// What the user may do.
    pub(crate) fn advice(&self) -> &'static str {
        match self.word.as_str() {
            "private-address" => "--allow-private, if that network is yours",
            "robots" => "ask the site's owner: its robots.txt keeps us out",
            "robots-hours" => "come back later: its robots.txt names the hours",
            _ => "check the URL in a browser, and that this machine is on line",
        }
    }
}

/// What the robots.txt of an origin says.
pub(super) struct Known {
    pub(super) rules: RobotsFor,
    pub(super) sitemaps: Vec<CanonUrl>,
    /// There is a file.
    pub(super) is_found: bool,
}

/// Asks for one thing after the other, and leaves every site its gap.
pub(crate) struct Visitor {
    fetcher: Fetcher,
    pub(super) manners: Manners,
    pub(super) agent: String,
    robots: HashMap<Origin, Known>,
    /// The end of the last exchange with a site, and how long that took.
    last: HashMap<Site, (Instant, Span)>,
}

impl Visitor {
    pub(crate) fn new(fetcher: Fetcher, manners: Manners, agent: String) -> Self {
        Self { fetcher, manners, agent, robots: HashMap::new(), last: HashMap::new() }
    }

    /// What is known of an origin's robots.txt without asking.
    pub(super) fn known(&self, origin: &Origin) -> Option<&Known> {
        self.robots.get(origin)
    }

    /// Fetches a page or sitemap that robots.txt allows; asks for that first.
    pub(crate) async fn visit(&mut self, url: &CanonUrl) -> Result<Box<Exchange>, Why> {
        let origin = url.origin();
        if !self.robots.contains_key(&origin) {
            let known = self.ask_robots(&origin).await?;
            self.robots.insert(origin.clone(), known);
        }
        let rules = &self.robots[&origin].rules;
        if !rules.judge(url.path_and_query()).allowed {
            return Err(Why::new("robots", url));
        }
        if rules.closed_until(minute_of_day()).is_some() {
            return Err(Why::new("robots-hours", url));
        }
        self.get(url, Errand::Page).await
    }

    /// RFC 9309 §2.3.1: what is not there allows all, what cannot be had forbids all.
    async fn ask_robots(&mut self, origin: &Origin) -> Result<Known, Why> {
        let mut url = origin.robots_url();
        for hops in 0..=HOPS_MAX {
            let errand = Errand::Robots { origin: origin.clone(), hops };
            let exchange = self.get(&url, errand).await?;
            let moved = exchange.header("location").filter(|_| exchange.status / 100 == 3);
            match exchange.status {
                200..300 => {
                    let length = exchange.body.len().min(ROBOTS_BYTES_MAX);
                    let robots = Robots::parse(&exchange.body[..length]);
                    let rules = robots.for_agent(&self.agent);
                    let sitemaps = robots.sitemap_urls(&url);
                    return Ok(Known { rules, sitemaps, is_found: true });
                }
                429 | 500.. => return Err(Why::new(format!("http-{}", exchange.status), &url)),
                _ => {}
            }
            match moved.and_then(|place| url.join(place, Canon::KeepQuery).ok()) {
                Some(next) => url = next,
                None => break,
            }
        }
        let rules = Robots::allow_all().for_agent(&self.agent);
        Ok(Known { rules, sitemaps: Vec::new(), is_found: false })
    }

    async fn get(&mut self, url: &CanonUrl, errand: Errand) -> Result<Box<Exchange>, Why> {
        let site = url.site();
        let candidate = Candidate::new(url.clone(), errand, 0, 0);
        for number in 0..TURNED_AWAY_MAX {
            if let Some((ended, took)) = self.last.get(&site) {
                let gap = self.manners.gap(*took, self.robots_gap(&site));
                tokio::time::sleep_until(*ended + gap.duration()).await;
            }
            let ticket = Ticket {
                number: TicketNumber(number as u64),
                candidate: candidate.clone(),
                visit: Visit::default(),
                epoch: Epoch::default(),
                tries: 0,
                expires: Tick::NEVER,
            };
            let began = Instant::now();
            let outcome = self.fetcher.run(&ticket, &Conditions::default()).await;
            if let Outcome::AddressBusy(wait) = outcome {
                tokio::time::sleep(wait + Duration::from_millis(1)).await;
                continue;
            }
            self.last.insert(site.clone(), (Instant::now(), Span::from(began.elapsed())));
            match outcome {
                Outcome::Answered(exchange) => return Ok(exchange),
                Outcome::Failed(Failure::Stale) => {}
                Outcome::Failed(failure) => return Err(Why::new(failure.word(), url)),
                Outcome::PrivateAddress => return Err(Why::new("private-address", url)),
                Outcome::AddressBusy(_) => break,
            }
        }
        Err(Why::new("address-busy", url))
    }

    /// The gap that the site's robots.txt asks for, over both schemes.
    pub(super) fn robots_gap(&self, site: &Site) -> Option<Span> {
        let minute = minute_of_day();
        let gaps = [Scheme::Http, Scheme::Https].into_iter().filter_map(|scheme| {
            let known = self.known(&Origin { scheme, site: site.clone() })?;
            known.rules.gap(minute)
        });
        gaps.max()
    }
}

/// In UTC: robots.txt may speak of hours.
fn minute_of_day() -> u16 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u16::try_from(now.as_secs() / 60 % (24 * 60)).expect("a day has fewer minutes than that")
}
