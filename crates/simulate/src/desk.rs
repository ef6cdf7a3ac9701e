//! The second shell: it owns the partitions as the real desk does, and answers their effects from
//! the imagined web in virtual time.

use std::collections::{BTreeMap, HashMap, VecDeque};

use rhumb_crawl::partition::{
    Dossier, Effect, Event, Finding, Partition, PartitionSettings, Read, Return, Turn,
};
use rhumb_frontier::{Entry, LaneKey, Manners, Outage, SiteKey};
use rhumb_seen::MemorySeen;
use rhumb_web::{Epoch, Failure, HashKey, PartitionId, Phase, Scheme, Span, Tick, Ticket};

use crate::chance::Chance;
use crate::checker::{Checker, DELAY, Visit};
use crate::gate::Gate;
use crate::moment::Moment;
use crate::post::Post;
use crate::weather::Weather;
use crate::web::{Reply, Web};
use crate::{Plan, Report};

/// As the crawl's default.
const PARTITIONS: u16 = 64;
/// Fetches under way at once.
const CONNECTIONS: usize = 4_096;
/// Hosts that the crawl begins with: more than an outage needs to be told from the web's own.
const SEEDS: u32 = 25;
/// Longer than the longest exchange.
const TICKET_FOR: Span = Span::seconds(90);
/// Time passes for the partitions this often.
const TICK_EVERY: Moment = Moment::seconds(1);
/// While our own line is down, one fetch in this time probes it.
const PROBE_EVERY: Moment = Moment::seconds(15);
/// Bytes for the sites of one partition: so few that most of them are on disk.
const MEMORY: usize = 64 * 1024;
/// Sites leave memory this often.
const COOL_EVERY: Moment = Moment::seconds(10);
/// The crawl's creation, some time in 2023.
const BORN_MS: u64 = 1_700_000_000_000;

/// A partition, and what it said last of its needs.
struct Seat {
    partition: Partition<MemorySeen>,
    due: Tick,
    in_flight: usize,
}

pub(crate) struct Desk {
    plan: Plan,
    hash: HashKey,
    chance: Chance,
    now: Moment,
    web: Web,
    weather: Weather,
    gate: Gate,
    checker: Checker,
    seats: Vec<Seat>,
    post: Post,
    own: VecDeque<(PartitionId, Event)>,
    /// What lies on disk: entries in their order, and sites that left memory.
    shelf: HashMap<LaneKey, Vec<Entry>>,
    rows: HashMap<SiteKey, Dossier>,
    outage: Outage,
    is_down: bool,
    probe_at: Moment,
    ticked_at: Moment,
    cooled_at: Moment,
    in_flight: usize,
    visits: u64,
    pages: u64,
    links: u64,
    hardships: BTreeMap<&'static str, u64>,
}

impl Desk {
    pub(crate) fn new(plan: Plan) -> Self {
        let mut chance = Chance::new(plan.seed, 3);
        let hash = HashKey(chance.next(), chance.next());
        let web = Web::grow(plan.seed, plan.sites, plan.fetches, plan.links);
        let seat = |id| {
            let settings = settings(PartitionId(id), hash);
            let partition = Partition::new(settings, MemorySeen::default());
            Seat { partition, due: Tick::NEVER, in_flight: 0 }
        };
        let seeds = web.seeds(SEEDS, hash, PARTITIONS).into_iter();
        Self {
            own: seeds.map(|(owner, seed)| (owner, Event::Seeds(vec![seed]))).collect(),
            weather: Weather::new(plan.seed),
            plan,
            hash,
            chance,
            now: Moment::default(),
            web,
            gate: Gate::default(),
            checker: Checker::default(),
            seats: (0..PARTITIONS).map(seat).collect(),
            post: Post::default(),
            shelf: HashMap::new(),
            rows: HashMap::new(),
            outage: Outage::default(),
            is_down: false,
            probe_at: Moment::default(),
            ticked_at: Moment::default(),
            cooled_at: Moment::default(),
            in_flight: 0,
            visits: 0,
            pages: 0,
            links: 0,
            hardships: BTreeMap::new(),
        }
    }

    /// Runs until enough was fetched, or nothing is left.
    pub(crate) fn run(mut self) -> Report {
        self.step();
        while self.visits < self.plan.fetches {
            let Some(at) = self.next_moment() else { break };
            self.now = self.now.max(at);
            if let Some(wakes) = self.weather.sleeps_until(self.now) {
                self.count("slept");
                self.now = wakes;
            }
            self.step();
        }
        Report {
            fetches: self.visits,
            pages: self.pages,
            links: self.links,
            virtual_time: self.now,
            violations: self.checker.violations().clone(),
            examples: self.checker.examples().to_vec(),
            history: self.checker.history(),
            hardships: self.hardships,
            plan: self.plan,
        }
    }

    fn count(&mut self, hardship: &'static str) {
        *self.hardships.entry(hardship).or_default() += 1;
    }

    /// When the real desk would wake: an event comes, a site is due, or time passes for tickets.
    fn next_moment(&mut self) -> Option<Moment> {
        let tick = (self.in_flight > 0).then(|| self.ticked_at.plus(TICK_EVERY));
        let due = self.seats.iter().map(|seat| seat.due).min().filter(|due| *due < Tick::NEVER);
        let due = due.and_then(|due| match self.room() {
            0 if self.is_down => Some(self.probe_at),
            0 => None,
            // Timers are late, never early.
            _ => Some(Moment::of(due).max(self.now).plus(Moment(self.chance.below(800)))),
        });
        [self.post.next_at(), tick, due].into_iter().flatten().min()
    }

    fn step(&mut self) {
        while let Some((id, event)) = self.post.take(self.now) {
            self.take_in(id, event);
        }
        if self.now.since(self.ticked_at) >= TICK_EVERY {
            self.ticked_at = self.now;
            for id in (0..PARTITIONS).map(PartitionId) {
                if self.seats[id.index()].in_flight > 0 {
                    self.own.push_back((id, Event::Tick));
                }
            }
        }
        self.work_off();
        if self.now.since(self.cooled_at) >= COOL_EVERY {
            self.cooled_at = self.now;
            self.cool();
        }
        self.issue();
        self.work_off();
    }

    /// As the real desk: notes what an event says of our own line.
    fn take_in(&mut self, id: PartitionId, mut event: Event) {
        if let Event::Returned(returned) = &mut event {
            let site = returned.ticket.candidate.url.site();
            let failed = is_line_failure(&returned.finding);
            self.outage.note(&site, failed);
            if self.is_down && matches!(returned.finding, Finding::Answered(_)) {
                self.is_down = false;
                self.outage.end();
            } else if !self.is_down && self.outage.is_on() {
                self.is_down = true;
                self.probe_at = self.now.plus(PROBE_EVERY);
                *self.hardships.entry("outage").or_default() += 1;
            }
            returned.excused = failed && self.is_down;
        }
        self.own.push_back((id, event));
    }

    fn work_off(&mut self) {
        while let Some((id, event)) = self.own.pop_front() {
            let mut turn = Turn::default();
            let tick = self.now.tick();
            self.seats[id.index()].partition.handle(tick, event, &mut turn);
            self.carry_out(id, turn);
        }
    }

    fn issue(&mut self) {
        let tick = self.now.tick();
        for id in (0..PARTITIONS).map(PartitionId) {
            let room = self.room();
            let seat = &mut self.seats[id.index()];
            if room == 0 || seat.due > tick {
                continue;
            }
            let mut turn = Turn::default();
            let issued = seat.partition.issue(tick, room, &mut turn);
            if issued > 0 && self.is_down {
                self.probe_at = self.now.plus(PROBE_EVERY);
            }
            self.carry_out(id, turn);
        }
    }

    fn room(&self) -> usize {
        if self.is_down {
            return usize::from(self.now >= self.probe_at);
        }
        CONNECTIONS.saturating_sub(self.in_flight)
    }

    fn carry_out(&mut self, id: PartitionId, turn: Turn) {
        let seat = &mut self.seats[id.index()];
        let in_flight = seat.partition.in_flight();
        self.in_flight = self.in_flight + in_flight - seat.in_flight;
        seat.in_flight = in_flight;
        seat.due = seat.partition.earliest().unwrap_or(Tick::NEVER);
        for effect in turn.effects {
            match effect {
                Effect::Fetch(ticket, _) => self.fetch(id, ticket),
                Effect::Resolve(_) | Effect::Vote(..) | Effect::Cite(..) => {}
                Effect::Send(parcel) => {
                    let at = self.in_a_while(300, 5_000_000);
                    if self.chance.per_myriad(200) {
                        self.count("parcel-twice");
                        let again = self.in_a_while(3_000, 20_000_000);
                        self.post.send(again, parcel.to, Event::Parcel(parcel.clone()));
                    }
                    self.post.send_parcel(at, parcel);
                }
                Effect::Shelve(place, entry) => {
                    self.shelf.entry(place.lane).or_default().push(entry);
                }
                Effect::Read(Read::Refill(origin, wish)) => {
                    let from = usize::try_from(wish.place.ordinal).expect("it fits memory");
                    let shelf = self.shelf.get(&wish.place.lane);
                    let shelf = shelf.map(Vec::as_slice).unwrap_or_default();
                    let stock = wish.of((wish.place.ordinal..).zip(shelf[from..].iter().cloned()));
                    let at = self.in_a_while(1_000, 100_000);
                    self.post.send(at, id, Event::Refilled(origin, stock));
                }
                Effect::Read(Read::Site(key)) => {
                    let dossier = self.rows.get(&key).cloned().unwrap_or_else(|| self.met(key));
                    let at = self.in_a_while(1_000, 100_000);
                    self.post.send(at, id, Event::Woken(Box::new(dossier)));
                }
            }
        }
    }

    /// A site that was never in memory: its name is in what waits for it.
    fn met(&self, key: SiteKey) -> Dossier {
        let lanes = [Scheme::Http, Scheme::Https].map(|scheme| self.shelf.get(&key.lane(scheme)));
        let first = lanes.into_iter().flatten().find_map(|lane| lane.first());
        Dossier::new(first.expect("it is cold because entries wait for it").url().site())
    }

    /// Sites that are not on turn soon leave memory, as after a checkpoint of the real shell.
    fn cool(&mut self) {
        let tick = self.now.tick();
        for seat in &mut self.seats {
            let state = seat.partition.state_mut();
            for site in state.frontier_mut().take_changed() {
                let key = state.frontier().key(&site);
                let row = state.dossier(&site).expect("what changed is in memory");
                self.rows.insert(key, row);
            }
            seat.partition.cool(tick);
        }
    }

    /// Within so many microseconds as a rule, and now and then within so many more.
    fn in_a_while(&mut self, often: u64, rarely: u64) -> Moment {
        let bound = if self.chance.per_myriad(500) { rarely } else { often };
        self.now.plus(Moment(self.chance.below(bound)))
    }

    fn fetch(&mut self, id: PartitionId, ticket: Ticket) {
        let place = Web::find(&ticket.candidate.url);
        if let Some((took, finding)) = self.fails_before_the_web(place.host) {
            return self.give_back(id, ticket, took, finding);
        }
        let is_lost = self.chance.per_myriad(20);
        let reply = if is_lost {
            Reply::silence(&mut self.chance)
        } else {
            let crawl = (self.hash, PARTITIONS);
            self.web.answer(self.now, &ticket.candidate, crawl, &mut self.chance)
        };
        let Reply { took, finding, quiet, is_final } = reply;
        let (wish, address) = (self.web.wish(place, self.now), self.web.address(place.host));
        let (start, end) = (self.now, self.now.plus(took));
        self.gate.ends(address, end);
        self.visits += 1;
        self.checker.see(&Visit {
            start,
            end,
            host: place.host,
            address,
            page: place.page,
            allowed: wish.allowed,
            crawl_delay: wish.crawl_delay,
            quiet,
            is_final,
        });
        self.note(&finding, quiet.is_some());
        if !is_lost {
            return self.give_back(id, ticket, took, finding);
        }
        self.count("lost");
        if self.chance.per_myriad(5_000) {
            self.count("late");
            let late = Moment::of(ticket.expires).since(start).plus(Moment::seconds(30));
            self.give_back(id, ticket, late, finding);
        }
    }

    fn note(&mut self, finding: &Finding, is_pushed: bool) {
        match finding {
            Finding::Answered(answer) => {
                if answer.status == 200 && answer.robots.is_none() {
                    self.pages += 1;
                    self.links += u64::try_from(answer.candidates.len()).expect("small");
                }
                if answer.robots_moved.is_some() {
                    self.count("robots-moved");
                }
            }
            Finding::Failed(_) => self.count("failed"),
            Finding::AddressBusy(_) | Finding::PrivateAddress => {}
        }
        if is_pushed {
            self.count("pushed-back");
        }
    }

    /// What keeps a request from being sent at all.
    fn fails_before_the_web(&mut self, host: u32) -> Option<(Moment, Finding)> {
        if self.weather.is_line_down(self.now) {
            self.count("line-down");
            let by_name = (Moment(self.chance.below(5_000_000)), Failure::Dns);
            let by_time = (Moment::seconds(10), Failure::TimedOut(Phase::Connect));
            let (took, failure) = if self.chance.per_myriad(5_000) { by_name } else { by_time };
            return Some((took, Finding::Failed(failure)));
        }
        let took = Moment(self.chance.between(100, 30_000));
        if !self.web.exists(host) {
            return Some((took, Finding::Failed(Failure::NoSuchHost)));
        }
        if self.chance.per_myriad(40) {
            self.count("dns");
            return Some((took, Finding::Failed(Failure::Dns)));
        }
        let address = self.web.address(host);
        let wait = self.gate.enter(self.now, address).err()?;
        self.count("address-busy");
        Some((Moment(took.0 / 100), Finding::AddressBusy(Span(wait.as_millis()))))
    }

    fn give_back(&mut self, id: PartitionId, ticket: Ticket, took: Moment, finding: Finding) {
        // The report takes its time from the worker to the desk.
        let at = self.now.plus(took).plus(Moment(self.chance.below(500)));
        let took = Span(took.as_millis());
        let (digest, kept) = (None, None);
        let returned = Return { ticket, took, finding, digest, kept, excused: false };
        self.post.send(at, id, Event::Returned(Box::new(returned)));
    }
}

fn settings(id: PartitionId, hash: HashKey) -> PartitionSettings {
    PartitionSettings {
        may_disguise: false,
        id,
        count: PARTITIONS,
        hash,
        epoch: Epoch(1),
        manners: Manners {
            delay: Span(DELAY.as_millis()),
            delay_is_explicit: false,
            ..Manners::default()
        },
        agent: "rhumb".to_owned(),
        ticket_for: TICKET_FOR,
        born_ms: BORN_MS,
        memory: MEMORY,
    }
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
