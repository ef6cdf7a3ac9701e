//! What the server saw of a crawl that ended many times, held against what the crawler told.

use std::collections::{BTreeMap, BTreeSet};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use rhumb_testweb::{Served, Witness};

/// A run tells a page once that is written: whatever was told before a kill is known after it.
const WRITTEN_WITHIN: Duration = Duration::ZERO;

/// A request goes through the server's thread in at most so many turns: it is accepted, looked
/// at and read.
const TURNS: usize = 8;

/// A DNS question for a name that does not exist.
const QUESTION: &[u8] =
    b"\x00\x07\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x04none\x00\x00\x01\x00\x01";

/// What the server saw, once it has taken up all that reached it before. Its one thread serves
/// DNS, too: whoever waited before such a question has had a turn when it is answered.
pub(super) fn settled(served: &Served) -> Witness {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.connect(served.dns()).expect("loopback");
    for _ in 0..TURNS {
        socket.send(QUESTION).expect("sent");
        socket.recv(&mut [0; 512]).expect("answered");
    }
    served.witness()
}

/// Judges run by run.
pub(super) struct Judge {
    /// The pages of the web.
    pages: BTreeSet<String>,
    /// Hosts whose robots.txt is asked for by one origin alone.
    plain_hosts: BTreeSet<String>,
    /// How it was when the last run ended.
    last: Ends,
    /// What was told so shortly before an end that it may not have been written; by how much.
    unsure: BTreeMap<String, Duration>,
    /// Pages, sitemaps and traps that were asked for once more.
    pub(super) again: usize,
    /// Those among them that had been told a moment before the end.
    pub(super) hasty: usize,
    /// The longest time that one of those had been told before the end.
    pub(super) hasty_by: Duration,
    /// Whether the log loses its end between the runs: then settled pages may come again.
    pub(super) is_lenient: bool,
}

/// How it was when a run ended.
#[derive(Default)]
struct Ends {
    at: Option<Instant>,
    /// Pages that were asked for.
    asked: BTreeSet<String>,
    /// Those of them whose end was not told.
    in_flight: BTreeSet<String>,
    /// Sitemaps and traps whose end was told: they are no pages of the model.
    others: BTreeSet<String>,
    /// Requests for robots.txt at hosts where it is known for sure.
    robots: BTreeMap<String, usize>,
    repeats: usize,
    retries: usize,
}

impl Judge {
    pub(super) fn new(served: &Served) -> Self {
        let web = served.web();
        let mut origins: BTreeMap<&str, usize> = BTreeMap::new();
        for host in &web.hosts {
            *origins.entry(&host.name).or_default() += 1;
        }
        // Other hosts borrow the robots.txt of the hub.
        let hub = web.hosts[web.spec.hosts - 1].name.as_str();
        let plain = origins.into_iter().filter(|(name, count)| *count == 1 && *name != hub);
        Self {
            pages: served.expected().pages.into_keys().collect(),
            plain_hosts: plain.map(|(name, _)| name.to_owned()).collect(),
            last: Ends::default(),
            unsure: BTreeMap::new(),
            again: 0,
            hasty: 0,
            hasty_by: Duration::ZERO,
            is_lenient: false,
        }
    }

    /// Pages that were in flight when the last run ended.
    pub(super) fn in_flight(&self) -> usize {
        self.last.in_flight.len()
    }

    /// Whatever this run asked for once more was in flight when the run before it ended.
    pub(super) fn run_ended(
        &mut self,
        witness: &Witness,
        told: &mut BTreeMap<String, Instant>,
        at: Instant,
    ) {
        let new = witness.repeats[self.last.repeats..].iter();
        let new: Vec<&String> = new.chain(&witness.retries[self.last.retries..]).collect();
        let mut met = BTreeSet::new();
        for url in new {
            assert!(met.insert(url), "{url} was asked for again without an end between");
            self.judge_repeat(url, told);
        }
        for (host, requests) in &self.last.robots {
            let now = witness.hosts[host].robots_requests;
            assert!(now == *requests || self.is_lenient, "robots.txt of {host} was known");
        }
        for (url, told) in &*told {
            let by = at.saturating_duration_since(*told);
            if by < WRITTEN_WITHIN {
                self.unsure.insert(url.clone(), by);
            }
        }
        let in_flight = witness.pages.keys().filter(|url| !told.contains_key(*url));
        let others = told.keys().filter(|url| !self.pages.contains(*url));
        let ends = Ends {
            at: Some(at),
            others: others.cloned().collect(),
            asked: witness.pages.keys().cloned().collect(),
            in_flight: in_flight.cloned().collect(),
            robots: self.known_robots(witness, told),
            repeats: witness.repeats.len(),
            retries: witness.retries.len(),
        };
        self.last = ends;
    }

    fn judge_repeat(&mut self, url: &str, told: &mut BTreeMap<String, Instant>) {
        self.again += 1;
        if self.last.in_flight.contains(url) {
            return;
        }
        if let Some(by) = self.unsure.remove(url) {
            self.hasty += 1;
            self.hasty_by = self.hasty_by.max(by);
            // It is in flight once more, until it is told once more.
            if told.get(url).copied() < self.last.at {
                told.remove(url);
            }
            return;
        }
        let is_settled = self.pages.contains(url) || self.last.others.contains(url);
        let was_asked = self.last.asked.contains(url);
        let ago = told.get(url).map(Instant::elapsed);
        assert!(
            !is_settled || self.is_lenient,
            "{url} was settled, and asked for again; told {ago:?} ago; asked for before the last \
            end: {was_asked}, which was {:?} ago",
            self.last.at.map(|at| at.elapsed()),
        );
    }

    /// Requests for robots.txt where it is known for sure: a page of the host was told in time.
    fn known_robots(
        &self,
        witness: &Witness,
        told: &BTreeMap<String, Instant>,
    ) -> BTreeMap<String, usize> {
        let sure =
            told.keys().filter(|url| self.pages.contains(*url) && !self.unsure.contains_key(*url));
        let hosts = sure.filter_map(|url| url.split(['/', ':']).nth(3));
        let plain = hosts.filter(|host| self.plain_hosts.contains(*host));
        plain.map(|host| (host.to_owned(), witness.hosts[host].robots_requests)).collect()
    }
}
