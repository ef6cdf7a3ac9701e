//! The desk: one task that owns all partitions, and decides while the workers fetch.
//!
//! It never waits for anything but events and time: parcels between partitions lie in a queue of
//! its own, whoever reports to it waits for it and not the other way round, and
//! reports for the user are dropped into a channel or kept until there is room. So there is no
//! circle of waiting, and no deadlock. What it needs of the disk is read on other threads, and
//! what it says is written by the committer: see `keeping`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rhumb_frontier::{Entry, Outage, Stock};
use rhumb_likeness::{Late, Passed};
use rhumb_rules::{Rules, Verdict};
use rhumb_seen::Bucket;
use rhumb_web::{
    Candidate, CanonUrl, Errand, Failure, Origin, PartitionId, Phase, Site, Span, Tick, Ticket,
};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::clock::Clock;
use super::committer::Written;
use super::doorways::Doorways;
use super::estimates::{Counted, Estimates, Ranked};
use super::handle::Asks;
use super::keeping::Keeping;
use super::meter::Stage;
use super::pulse::Pulse;
use super::pushing::{Links, Pushing};
use super::recent::Recent;
use super::repeats::Repeats;
use super::report::{Ended, Hosts, Progress, Report, SiteLine};
use super::roster::Roster;
use super::suspicion::Suspicion;
use super::worker::{Arrival, Worker};
use super::{CrawlSettings, Limits};
use crate::partition::{
    Asked, Dossier, Effect, Event, Fact, Finding, Parcel, Partition, Read, Tally, Turn,
};
use crate::store::{Installed, SeenHandle, StoreError};

/// Time passes for the partitions at least this often.
const TICK_EVERY: Span = Span::seconds(1);
/// How often the state is shown.
const SHOW_EVERY: Span = Span(250);
/// Reports that may wait for a slow reader before no more tickets are issued.
const REPORTS_MAX: usize = 65_536;
/// Fetches by which an outage is probed: on many sites, since some may be down for good.
const PROBES_AT_ONCE: usize = 20;
/// How long a crawl that ends waits for fetches under way.
const STOP_WITHIN: Span = Span::seconds(5);

/// What reaches the desk from the threads around it.
#[derive(Debug)]
pub(super) enum Notice {
    /// A fetch that leaves no record.
    Arrived(Arrival),
    /// Shelved entries of an origin.
    Refilled(PartitionId, Origin, Result<Stock, StoreError>),
    /// A cold site.
    Woken(PartitionId, Result<Box<Dossier>, StoreError>),
    /// A pass over a bucket of the seen-set: how many candidates of each partition were looked
    /// at, and which of all of them are new.
    Passed(Bucket, Vec<(PartitionId, usize)>, Result<Vec<bool>, StoreError>),
    /// What a pass of the sieve found.
    Likened(Result<Box<Passed>, StoreError>),
    /// The standing of all domains.
    Counted(Result<Box<Counted>, StoreError>),
    /// The ranks of pages that wait.
    Ranked(Result<Box<Ranked>, StoreError>),
    /// The cash of pages is on disk.
    CashWritten(Result<(), StoreError>),
    /// What the committer has written: fetches may go out, others have arrived.
    Written(Written),
    /// A checkpoint.
    Checkpointed(Box<Result<Installed, StoreError>>),
}

/// A ticket that is about to go out.
struct Launch {
    /// The turn whose facts speak of it.
    turn: u64,
    from: PartitionId,
    ticket: Ticket,
    asked: Asked,
    rules: Arc<Rules>,
}

pub(super) struct Desk {
    pub(super) settings: CrawlSettings,
    pub(super) clock: Clock,
    pub(super) worker: Arc<Worker>,
    pub(super) rules: Arc<Rules>,
    pub(super) partitions: Vec<Partition<SeenHandle>>,
    /// Events that the desk has for its own partitions.
    pub(super) own: VecDeque<(PartitionId, Event)>,
    /// The tickets that are out; they end with the desk.
    tasks: JoinSet<()>,
    /// Tickets that go out once the facts of their turn are written.
    launches: VecDeque<Launch>,
    pub(super) keeping: Keeping,
    /// Facts so far, in this run.
    facts: u64,
    /// Pages of earlier runs.
    before: u64,
    roster: Roster,
    /// What sites show again and again.
    pub(super) repeats: Repeats,
    /// What leads to where many lead.
    pub(super) doorways: Doorways,
    /// What leads nowhere.
    pub(super) suspicion: Suspicion,
    pub(super) pulse: Pulse,
    pub(super) recent: Recent,
    /// Links on their way from partition to partition.
    pushing: Pushing,
    pub(super) estimates: Estimates,
    /// Whether domains have a ceiling at the moment.
    pub(super) has_ceiling: bool,
    /// Since when there is room for everyone again.
    pub(super) ample_since: Option<Tick>,
    /// The user wants no fetch to be started.
    pub(super) is_paused: bool,
    outage: Outage,
    down_since: Option<Tick>,
    /// Whether any site ever answered: before that there is no line that could be down.
    has_answer: bool,
    probe_at: Tick,
    /// The partition that is first when tickets are issued.
    first: u16,
    pub(super) backlog: VecDeque<Report>,
    /// Refused links of answers that are taken in: told behind what these come to.
    refusals: Vec<Report>,
    /// Reports whose facts are with the committer.
    pub(super) unwritten: usize,
    reports: mpsc::Sender<Report>,
    shown: watch::Sender<Progress>,
}

impl Desk {
    pub(super) fn new(
        settings: CrawlSettings,
        clock: Clock,
        partitions: Vec<Partition<SeenHandle>>,
        keeping: Keeping,
        rules: Rules,
        worker: Arc<Worker>,
        outlet: (mpsc::Sender<Report>, watch::Sender<Progress>),
    ) -> Self {
        let before = partitions.iter().map(|it| it.state().tally().pages()).sum();
        let (reports, shown) = outlet;
        let estimates = Estimates::open(&keeping.holdings.disk, &settings);
        Self {
            clock,
            worker,
            rules: Arc::new(rules),
            partitions,
            own: VecDeque::new(),
            tasks: JoinSet::new(),
            launches: VecDeque::new(),
            keeping,
            facts: 0,
            before,
            roster: Roster::default(),
            repeats: Repeats::default(),
            doorways: Doorways::default(),
            suspicion: Suspicion::new(settings.hash),
            pulse: Pulse::default(),
            recent: Recent::default(),
            pushing: Pushing::default(),
            estimates,
            has_ceiling: false,
            ample_since: None,
            is_paused: false,
            outage: Outage::default(),
            down_since: None,
            has_answer: false,
            probe_at: Tick::default(),
            first: 0,
            backlog: VecDeque::new(),
            refusals: Vec::new(),
            unwritten: 0,
            reports,
            shown,
            settings,
        }
    }

    /// Takes up a crawl where it ended: parcels that did not arrive arrive, tickets that were out
    /// are void.
    pub(super) fn reopen(
        &mut self,
        parcels: Vec<Parcel>,
        late: Vec<Late>,
        last: Tick,
        is_clean: bool,
    ) {
        let now = self.clock.now();
        for id in self.all() {
            let mut turn = Turn::default();
            self.partitions[id.index()].reopen(now, last, is_clean, &mut turn);
            self.carry_out(id, now, turn);
        }
        self.own.extend(late.into_iter().map(|it| (it.partition, Event::Likened(it))));
        self.own.extend(parcels.into_iter().map(|parcel| (parcel.to, Event::Parcel(parcel))));
    }

    /// Hands seeds to the partitions that own them.
    pub(super) fn seed(&mut self, seeds: Vec<Candidate>) {
        let mut owned: BTreeMap<PartitionId, Vec<_>> = BTreeMap::new();
        // Rules have nothing against a seed, but that it was forgotten.
        for seed in seeds.into_iter().filter(|seed| self.rules.judge(seed) == Verdict::Admit) {
            self.estimates.trust(self.settings.hash, &seed.url.site());
            owned.entry(self.settings.owner(&seed.url)).or_default().push(seed);
        }
        self.own.extend(owned.into_iter().map(|(owner, seeds)| (owner, Event::Seeds(seeds))));
    }

    /// Runs until nothing is left to do, a limit is reached or the user stops it.
    pub(super) async fn run(
        &mut self,
        inbox: &mut mpsc::Receiver<Notice>,
        mut stop: watch::Receiver<bool>,
        mut asks: Asks,
    ) -> Result<(Ended, Progress, u64), StoreError> {
        let reports = self.reports.clone();
        let mut ticked_at = Tick::default();
        let mut shown_at = Tick::default();
        let mut stopping: Option<(Ended, Tick)> = None;
        loop {
            let now = self.clock.now();
            if now.since(ticked_at) >= TICK_EVERY {
                ticked_at = now;
                self.own.extend(self.all().map(|id| (id, Event::Tick)));
                self.worker.close_idle();
                self.sample(now);
                self.pulse.beat(self.pages(), self.bytes());
                self.tend();
            }
            // A crawl at full speed has always something else to hear.
            while let Ok(ask) = asks.0.try_recv() {
                self.answer(ask);
            }
            self.work_off(now);
            self.tend_buckets(now);
            self.tend_sieve(now);
            self.tend_estimates(now, false);
            self.checkpoint_if_due(now);
            if stopping.is_none() {
                self.issue(now);
                self.work_off(now);
                self.tend_shares(now);
            }
            while self.tasks.try_join_next().is_some() {}
            self.worker.counter().expect(self.in_flight());
            self.hand_out_reports();
            if now.since(shown_at) >= SHOW_EVERY {
                shown_at = now;
                self.shown.send_replace(self.progress());
            }
            stopping = match stopping {
                Some((_, by)) if *stop.borrow() => Some((Ended::Stopped, by)),
                None if *stop.borrow() => Some((Ended::Stopped, now + STOP_WITHIN)),
                None => self.is_over(now).map(|ended| (ended, now + STOP_WITHIN)),
                already => already,
            };
            if let Some((ended, by)) = stopping
                && (self.in_flight() == 0 || now >= by)
                // What happened is told to the end, unless the user does not want to wait.
                && (self.has_told_all() || (ended == Ended::Stopped && now >= by))
            {
                return Ok((ended, self.progress(), self.facts));
            }
            let wake = match stopping {
                Some((_, by)) if by > now => by.min(now + SHOW_EVERY),
                Some(_) => now + SHOW_EVERY,
                None => self.wake_at(now, ticked_at),
            };
            tokio::select! {
                biased;
                notice = inbox.recv() => {
                    self.hear(notice.expect("the desk holds a sender itself"))?;
                    // What has come by now is worked off in one go.
                    while let Ok(notice) = inbox.try_recv() {
                        self.hear(notice)?;
                    }
                }
                Ok(()) = stop.changed() => {}
                // Once nobody can ask any more this branch is out.
                Some(ask) = asks.0.recv() => self.answer(ask),
                // As fast as the reader takes them, and no faster.
                Ok(permit) = reports.reserve(), if !self.backlog.is_empty() => {
                    permit.send(self.backlog.pop_front().expect("it is not empty"));
                }
                () = tokio::time::sleep_until(self.clock.instant(wake).into()) => {}
            }
        }
    }

    fn sample(&mut self, now: Tick) {
        let (settings, partitions) = (&self.settings, &self.partitions);
        let owner = |site: &Site| {
            let id = site.pld().partition(settings.hash, settings.partitions);
            &partitions[id.index()]
        };
        self.roster.sample(now, owner);
    }

    /// The hosts that made themselves noticed, from one look at all sites.
    pub(super) fn hosts(&self) -> Hosts {
        self.roster.hosts(self.clock.now(), self.partitions.iter())
    }

    /// Whether our own connection seems to be down.
    pub(super) fn is_down(&self) -> bool {
        self.down_since.is_some()
    }

    /// The busiest and the slowest of the sites that are watched.
    pub(super) fn foremost(&self) -> (&[SiteLine], &[SiteLine]) {
        (&self.roster.busiest, &self.roster.slowest)
    }

    fn all(&self) -> impl Iterator<Item = PartitionId> + use<> {
        (0..self.settings.partitions).map(PartitionId)
    }

    fn wake_at(&self, now: Tick, ticked_at: Tick) -> Tick {
        let tick = ticked_at + TICK_EVERY;
        if self.room(now) == 0 || !self.backlog.is_empty() {
            return tick.min(now + SHOW_EVERY);
        }
        let due = self.partitions.iter().filter_map(Partition::wants_turn_at).min();
        due.map_or(tick, |due| due.min(tick))
    }

    /// Notes what a fetch says of our own connection.
    pub(super) fn take_in(&mut self, arrival: Arrival) {
        let Arrival { partition, mut returned, refusals } = arrival;
        self.refusals.extend(refusals);
        let site = returned.ticket.candidate.url.site();
        let failed = is_line_failure(&returned.finding);
        self.outage.note(&site, failed);
        let now = self.clock.now();
        let is_answer = matches!(returned.finding, Finding::Answered(_));
        self.has_answer |= is_answer;
        if self.down_since.is_some() && is_answer {
            self.down_since = None;
            self.outage.end();
        } else if self.down_since.is_none() && self.has_answer && self.outage.is_on() {
            self.down_since = Some(now);
            self.probe_at = now + self.settings.probe_every;
        }
        returned.excused = failed && self.down_since.is_some();
        self.liken(partition, &mut returned);
        self.own.push_back((partition, Event::Returned(returned)));
    }

    pub(super) fn work_off(&mut self, now: Tick) {
        while let Some((id, event)) = self.own.pop_front() {
            let mut turn = Turn::default();
            let links = Links::of(&event);
            self.partitions[id.index()].handle(now, event, &mut turn);
            if let Some(took) = self.pushing.handled(links, &turn) {
                self.worker.meter().note(Stage::Links, took);
            }
            self.carry_out(id, now, turn);
        }
        let refusals = std::mem::take(&mut self.refusals);
        self.unwritten += refusals.len();
        self.worker.counter().tell(refusals);
    }

    fn issue(&mut self, now: Tick) {
        let mut room = self.room(now);
        // Each time another partition is first: none waits for ever where room is short.
        self.first = (self.first + 1) % self.settings.partitions;
        let (first, count) = (self.first, self.settings.partitions);
        // And each has its part of the room before one has more.
        let part = room / usize::from(count) + 1;
        let twice = [part, usize::MAX]
            .into_iter()
            .flat_map(|most| (first..count).chain(0..first).map(move |id| (PartitionId(id), most)));
        let this_year = year_of(self.settings.born_ms.saturating_add(now.0));
        for (id, most) in twice {
            let partition = &mut self.partitions[id.index()];
            if room == 0 || partition.wants_turn_at().is_none_or(|due| due > now) {
                continue;
            }
            let mut turn = Turn::default();
            let (suspicion, suspects) = (&mut self.suspicion, &mut self.keeping.holdings.suspects);
            let mut refuse =
                |entry: &Entry| suspicion.judge(id, &entry.candidate, this_year, suspects);
            let issued = partition.issue_unless(now, room.min(most), &mut turn, &mut refuse);
            room -= issued;
            if issued > 0 && self.down_since.is_some() {
                self.probe_at = now + self.settings.probe_every;
            }
            self.carry_out(id, now, turn);
        }
    }

    /// How many tickets may be issued now.
    fn room(&self, now: Tick) -> usize {
        if self.backlog.len() + self.unwritten >= REPORTS_MAX || self.is_behind() || self.is_paused
        {
            return 0;
        }
        if self.down_since.is_some() {
            return if now >= self.probe_at { PROBES_AT_ONCE } else { 0 };
        }
        let in_flight = self.in_flight();
        let by_connections = self.settings.connections.saturating_sub(in_flight);
        let by_pages = match self.settings.limits.pages {
            Some(pages) => {
                let left = pages.saturating_sub(self.pages());
                usize::try_from(left).unwrap_or(usize::MAX).saturating_sub(in_flight)
            }
            None => usize::MAX,
        };
        by_connections.min(by_pages)
    }

    /// Logs the facts of a turn, then starts its effects.
    pub(super) fn carry_out(&mut self, id: PartitionId, now: Tick, turn: Turn) {
        let mut reports = Vec::new();
        for fact in &turn.facts {
            self.facts += 1;
            reports.extend(Report::of(fact));
            self.roster.note(now, fact);
            self.keeping.note(now, fact);
            if let Fact::Settled(settled) = fact
                && let Some(root) = &settled.root
                && self.keeping.holdings.add_root(root.clone())
            {
                Arc::make_mut(&mut self.rules).scope.add_root(root);
            }
        }
        self.unwritten += reports.len();
        let fetches = turn.effects.iter().any(|it| matches!(it, Effect::Fetch(..)));
        let number = self.worker.counter().log(id, now, turn.facts, fetches, reports);
        for effect in turn.effects {
            match effect {
                Effect::Fetch(ticket, asked) => {
                    let rules = Arc::clone(&self.rules);
                    let launch = Launch { turn: number, from: id, ticket, asked, rules };
                    self.launches.push_back(launch);
                }
                Effect::Resolve(site) => self.worker.prefetch(&site),
                Effect::Send(parcel) => self.own.push_back((parcel.to, Event::Parcel(parcel))),
                Effect::Shelve(place, entry) => {
                    self.keeping.holdings.backlog.push(place.lane, place.ordinal, &entry);
                }
                Effect::Read(Read::Refill(origin, wish)) => self.keeping.refill(id, origin, wish),
                Effect::Read(Read::Site(key)) => self.keeping.wake(id, key),
                Effect::Vote(from, to) => self.estimates.vote(from, to),
                Effect::Cite(from, to) => self.estimates.cite(from, &to),
            }
        }
    }

    /// Takes in what the committer has written. No request goes out before it is written that it
    /// does: after a kill every request is known.
    pub(super) fn written(&mut self, written: Written) {
        self.unwritten -= written.told.len();
        for (at, report) in written.told {
            if let Some(at) = at {
                self.recent.note(at, &report);
            }
            self.backlog.push_back(report);
        }
        while let Some(launch) = self.launches.pop_front_if(|it| it.turn <= written.turns) {
            let Launch { from, ticket, asked, rules, .. } = launch;
            self.tasks.spawn(Arc::clone(&self.worker).carry(from, ticket, asked, rules));
        }
        for arrival in written.arrivals {
            self.take_in(arrival);
        }
    }

    fn has_told_all(&self) -> bool {
        self.backlog.is_empty() && self.unwritten == 0
    }

    fn hand_out_reports(&mut self) {
        while let Some(report) = self.backlog.pop_front() {
            match self.reports.try_send(report) {
                Ok(()) => {}
                Err(mpsc::error::TrySendError::Full(report)) => {
                    self.backlog.push_front(report);
                    return;
                }
                // Nobody listens any more.
                Err(mpsc::error::TrySendError::Closed(_)) => self.backlog.clear(),
            }
        }
    }

    fn is_over(&self, now: Tick) -> Option<Ended> {
        let Limits { pages, time, bytes } = self.settings.limits;
        let is_reached = pages.is_some_and(|pages| self.pages() >= pages)
            || time.is_some_and(|time| now.since(self.clock.from()) >= time)
            || bytes.is_some_and(|bytes| self.bytes() >= bytes);
        if is_reached {
            return Some(Ended::Limit);
        }
        if let Some((free_bytes, needs_bytes)) = self.keeping.is_low() {
            return Some(Ended::DiskLow { free_bytes, needs_bytes });
        }
        let is_told = self.keeping.is_settled() && !self.keeping.holdings.needs_pass();
        (is_told && self.is_idle(now) && !self.is_paused).then_some(Ended::Done)
    }

    /// Whether nothing is under way, nor will be for a while.
    pub(super) fn is_idle(&self, now: Tick) -> bool {
        let due = self.partitions.iter().filter_map(Partition::earliest).min();
        self.in_flight() == 0
            && self.own.is_empty()
            && !self.partitions.iter().any(Partition::is_reading)
            && !self.has_ceiling
            && due.is_none_or(|due| due > now + self.settings.patience)
    }

    pub(super) fn in_flight(&self) -> usize {
        self.partitions.iter().map(Partition::in_flight).sum()
    }

    fn pages(&self) -> u64 {
        self.partitions.iter().map(|partition| partition.state().tally().pages()).sum()
    }

    fn bytes(&self) -> u64 {
        self.partitions.iter().map(|partition| partition.state().tally().bytes).sum()
    }

    fn tally(&self) -> Tally {
        let mut sum = Tally::default();
        for partition in &self.partitions {
            sum.add(partition.state().tally());
        }
        sum
    }

    fn progress(&self) -> Progress {
        let now = self.clock.now();
        let mut progress = Progress {
            tally: self.tally(),
            in_flight: self.in_flight(),
            outage: self.down_since.is_some(),
            paused: self.is_paused,
            elapsed: now.since(self.clock.from()).duration(),
            before: self.before,
            clock_jump: self.keeping.clock_jump,
            busiest: self.roster.busiest.clone(),
            slowest: self.roster.slowest.clone(),
            ..Progress::default()
        };
        for partition in &self.partitions {
            let frontier = partition.state().frontier();
            progress.sites += frontier.site_count();
            progress.queued += frontier.queued();
            for (hold, sites) in frontier.held() {
                *progress.waiting.entry(hold).or_default() += sites;
            }
        }
        progress
    }
}

/// The year of a moment in milliseconds since 1970; around New Year it may be off by one.
fn year_of(since_1970: u64) -> u16 {
    /// The mean of the calendar.
    const YEAR_MS: u64 = 31_556_952_000;
    u16::try_from(1_970 + since_1970 / YEAR_MS).unwrap_or(u16::MAX)
}

/// Whether a finding speaks of the line rather than of the site.
fn is_line_failure(finding: &Finding) -> bool {
    matches!(
        finding,
        Finding::Failed(
            Failure::Dns | Failure::Connect | Failure::TimedOut(Phase::Dns | Phase::Connect)
        )
    )
}

/// Seeds as candidates.
pub(super) fn seeds(urls: &[CanonUrl]) -> Vec<Candidate> {
    let seed = |url: &CanonUrl| Candidate::new(url.clone(), Errand::Page, 0, 0);
    urls.iter().map(seed).collect()
}
