//! One life of the process: the desk, which decides, and the fetches that it has under way.
//!
//! It does what the real shell does, in one thread: chance decides who is next, the desk, the
//! committer, a fetch, a disk read or the writing of a checkpoint.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use regex::RegexSet;
use rhumb_archive::{Capture, Encoded, Lookup, Miss};
use rhumb_crawl::partition::{
    Dossier, Effect, Event, Fact, Finding, Parcel, Partition, PartitionSettings, Read, Return,
    State, Turn,
};
use rhumb_crawl::store::{self, Holdings, Installed, SeenHandle, StoreError, load_site};
use rhumb_crawl::tables::Tables;
use rhumb_frontier::{Manners, Policy, Stock};
use rhumb_likeness::{Late, Passed};
use rhumb_seen::Bucket;
use rhumb_web::{Epoch, Errand, Origin, PartitionId, Span, Tick, Ticket};

use super::committer::{Committer, Job, Work};
use super::report::Count;
use super::web::{Reply, wide};
use super::witness::DELAY;
use super::{PARTITIONS, World};
use crate::chance::Chance;

/// Fetches under way at once.
const CONNECTIONS: usize = 12;
/// Longer than the longest fetch.
const TICKET_FOR: Span = Span::minutes(2);
/// Time passes for the partitions this often.
const TICK_EVERY: Span = Span::seconds(1);
/// A checkpoint that only makes room in memory comes at most this often.
const ROOM_EVERY: Span = Span::seconds(5);
/// One turn of the desk in so many begins a checkpoint without a reason.
const CHECKPOINT_ONCE_IN: u64 = 100;
/// Passes at once.
const PASSES_MAX: usize = 4;
/// Steps after which a crawl counts as stuck.
const STEPS_MAX: u64 = 200_000;

/// What reaches the desk.
#[derive(Debug)]
pub(super) enum Notice {
    Arrived(PartitionId, Box<Return>),
    Refilled(PartitionId, Origin, Stock),
    Woken(PartitionId, Box<Dossier>),
    Passed(Bucket, Vec<(PartitionId, usize)>, Vec<bool>),
    Likened(Box<Passed>),
    Checkpointed(Box<Installed>),
}

/// A request under way.
#[derive(Debug)]
struct Fetch {
    id: PartitionId,
    ticket: Ticket,
    began: u64,
    ends: u64,
    reply: Reply,
}

pub(super) struct Process<'w> {
    pub(super) world: &'w mut World,
    /// The tick at which this life began, and the moment of the world.
    from: Tick,
    from_moment: u64,
    committer: Committer,
    pub(super) holdings: Holdings,
    partitions: Vec<Partition<SeenHandle>>,
    pub(super) own: VecDeque<(PartitionId, Event)>,
    inbox: VecDeque<Notice>,
    fetches: Vec<Fetch>,
    pub(super) jobs: Vec<Job>,
    passing: Vec<Bucket>,
    pub(super) is_likening: bool,
    pub(super) is_checkpointing: bool,
    checkpointed_at: Tick,
    ticked_at: Tick,
}

impl<'w> Process<'w> {
    /// Opens the crawl and takes it up.
    pub(super) fn begin(world: &'w mut World) -> Result<Self, StoreError> {
        let tables: Arc<dyn Tables> = Arc::new(world.tables.clone());
        let opened = store::open(&world.shared_disk(), &tables, &world.settings)?;
        world.check_opened(&opened);
        let from = opened.last.max(Tick(world.wall().saturating_sub(opened.identity.born_ms)));
        let mut committer = Committer::new(opened.store);
        committer.opened(world, from)?;
        let settings = |id| PartitionSettings {
            may_disguise: false,
            id,
            count: PARTITIONS,
            hash: opened.identity.hash,
            epoch: Epoch::default(),
            manners: Manners { delay: DELAY, ..Manners::default() },
            agent: world.settings.agent.clone(),
            ticket_for: TICKET_FOR,
            born_ms: opened.identity.born_ms,
            memory: world.partition_memory,
        };
        let policy = policy(&mut world.chance);
        let partitions = (0..PARTITIONS).map(PartitionId).zip(opened.states);
        let seat = |(id, mut state): (_, State<SeenHandle>)| {
            state.frontier_mut().set_policy(policy.clone());
            Partition::with_state(settings(id), state)
        };
        let partitions = partitions.map(seat).collect();
        let mut process = Self {
            from,
            from_moment: world.now,
            world,
            committer,
            holdings: opened.holdings,
            partitions,
            own: VecDeque::new(),
            inbox: VecDeque::new(),
            fetches: Vec::new(),
            jobs: Vec::new(),
            passing: Vec::new(),
            is_likening: false,
            is_checkpointing: false,
            checkpointed_at: from,
            ticked_at: from,
        };
        process.reopen(opened.parcels, opened.late, opened.last, opened.is_clean);
        Ok(process)
    }

    fn reopen(&mut self, parcels: Vec<Parcel>, late: Vec<Late>, last: Tick, is_clean: bool) {
        let now = self.now();
        for index in 0..self.partitions.len() {
            let mut turn = Turn::default();
            let partition = &mut self.partitions[index];
            let out = partition.in_flight();
            self.world.witness.report.add(Count::Recalled, wide(out));
            partition.reopen(now, last, is_clean, &mut turn);
            if partition.in_flight() > 0 {
                let words = || format!("partition {index} has tickets of another life");
                self.world.witness.report.violate("ticket", words);
            }
            self.carry_out(index, turn);
        }
        self.world.witness.report.add(Count::LateAgain, wide(late.len()));
        self.tell_late(late);
        self.world.witness.report.add(Count::ParcelsAgain, wide(parcels.len()));
        self.own.extend(parcels.into_iter().map(|parcel| (parcel.to, Event::Parcel(parcel))));
        let seeds = self.world.web.seeds().into_iter();
        self.own.extend(seeds.map(|(owner, seed)| (owner, Event::Seeds(vec![seed]))));
    }

    /// What the crawl's clock shows.
    fn now(&self) -> Tick {
        self.from + Span(self.world.now - self.from_moment)
    }

    /// Lives for so many steps, or until nothing is left to do; says whether that is so.
    pub(super) fn live(&mut self, steps: Option<u64>) -> Result<bool, StoreError> {
        for _ in 0..steps.unwrap_or(STEPS_MAX) {
            if self.is_over() {
                return Ok(true);
            }
            self.step()?;
        }
        if steps.is_none() {
            self.world.witness.report.violate("stuck", || "nothing moves any more".to_owned());
        }
        Ok(steps.is_none())
    }

    fn step(&mut self) -> Result<(), StoreError> {
        let now = self.world.now;
        match self.world.chance.below(8) {
            0..3 => self.desk_turn(),
            3..5 => self.commit()?,
            5 => self.finish_job()?,
            6 => {
                let ended = self.fetches.iter().position(|fetch| fetch.ends <= now);
                if let Some(index) = ended {
                    let fetch = self.fetches.swap_remove(index);
                    self.fetched(fetch);
                }
            }
            _ => self.pass_time(),
        }
        Ok(())
    }

    /// A little, while there is something to do; else until something happens.
    fn pass_time(&mut self) {
        let is_busy = !self.inbox.is_empty()
            || !self.jobs.is_empty()
            || !self.own.is_empty()
            || self.committer.has_work();
        let mut passes = self.world.chance.skewed(120);
        if !is_busy {
            let now = self.now();
            let ends = self.fetches.iter().map(|fetch| fetch.ends).min();
            let ends = ends.map(|ends| ends.saturating_sub(self.world.now));
            let due = self.partitions.iter().filter_map(Partition::earliest).min();
            let due = due.filter(|_| self.fetches.len() < CONNECTIONS);
            let due = due.map(|due| due.since(now).0);
            passes += [ends, due].into_iter().flatten().min().unwrap_or(0);
        }
        self.world.now += passes;
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let Self { committer, world, inbox, jobs, .. } = self;
        committer.turn(world, inbox, jobs)
    }

    fn finish_job(&mut self) -> Result<(), StoreError> {
        if self.jobs.is_empty() {
            return Ok(());
        }
        let at = self.world.chance.below(wide(self.jobs.len()));
        let job = self.jobs.swap_remove(usize::try_from(at).expect("an index"));
        self.inbox.push_back(job.run(self.world)?);
        Ok(())
    }

    /// One round of the desk's loop.
    fn desk_turn(&mut self) {
        let count = self.world.chance.between(1, 4);
        for _ in 0..count {
            let Some(notice) = self.inbox.pop_front() else { break };
            self.hear(notice);
        }
        let now = self.now();
        if now.since(self.ticked_at) >= TICK_EVERY {
            self.ticked_at = now;
            self.own.extend((0..PARTITIONS).map(|id| (PartitionId(id), Event::Tick)));
        }
        self.work_off();
        self.tend_buckets();
        self.tend_sieve();
        if !self.is_checkpointing && self.wants_checkpoint(now) {
            self.checkpoint();
        }
        self.issue(now);
        self.work_off();
    }

    fn hear(&mut self, notice: Notice) {
        match notice {
            Notice::Arrived(id, mut returned) => {
                self.liken(id, &mut returned);
                self.own.push_back((id, Event::Returned(returned)));
            }
            Notice::Refilled(id, origin, stock) => {
                self.world.witness.report.count(Count::Refilled);
                self.own.push_back((id, Event::Refilled(origin, stock)));
            }
            Notice::Woken(id, dossier) => {
                self.world.witness.report.count(Count::Woken);
                self.own.push_back((id, Event::Woken(dossier)));
            }
            Notice::Passed(bucket, parts, new) => self.passed(bucket, parts, &new),
            Notice::Likened(passed) => self.likened(*passed),
            Notice::Checkpointed(installed) => {
                self.world.witness.report.count(Count::Checkpoints);
                let now = self.now();
                self.committer.bring(Work::Trim(installed.mark));
                self.holdings.install(*installed);
                self.is_checkpointing = false;
                for partition in &mut self.partitions {
                    partition.cool(now);
                }
            }
        }
    }

    fn work_off(&mut self) {
        while let Some((id, event)) = self.own.pop_front() {
            let mut turn = Turn::default();
            let now = self.now();
            self.partitions[id.index()].handle(now, event, &mut turn);
            self.carry_out(id.index(), turn);
        }
    }

    fn issue(&mut self, now: Tick) {
        let first = self.world.chance.below(u64::from(PARTITIONS));
        for offset in 0..u64::from(PARTITIONS) {
            let index = (first + offset) % u64::from(PARTITIONS);
            let index = usize::try_from(index).expect("an index");
            let out: usize = self.partitions.iter().map(Partition::in_flight).sum();
            let room = CONNECTIONS.saturating_sub(out);
            let is_due = |due| due <= now && !self.is_behind();
            if room > 0 && self.partitions[index].earliest().is_some_and(is_due) {
                let mut turn = Turn::default();
                self.partitions[index].issue(now, room, &mut turn);
                self.carry_out(index, turn);
            }
        }
    }

    /// Logs the facts of a turn, then starts its effects.
    fn carry_out(&mut self, index: usize, turn: Turn) {
        let id = self.partitions[index].id();
        for fact in &turn.facts {
            match fact {
                Fact::Settled(settled) => {
                    if let Some(root) = &settled.root {
                        self.holdings.add_root(root.clone());
                    }
                }
                Fact::Picked { picks, .. } => {
                    let skipped = picks.windows(2).filter(|it| it[1].0 != it[0].0 + 1).count();
                    self.world.witness.report.add(Count::Skipped, wide(skipped));
                }
                _ => {}
            }
        }
        if !turn.facts.is_empty() {
            self.committer.bring(Work::Facts(id, self.now(), turn.facts));
        }
        for effect in turn.effects {
            match effect {
                Effect::Fetch(ticket, _) => self.fetch(id, ticket),
                Effect::Resolve(_) | Effect::Vote(..) | Effect::Cite(..) => {}
                Effect::Send(parcel) => self.own.push_back((parcel.to, Event::Parcel(parcel))),
                Effect::Shelve(place, entry) => {
                    self.holdings.backlog.push(place.lane, place.ordinal, &entry);
                }
                Effect::Read(Read::Refill(origin, wish)) => {
                    let reading = self.holdings.backlog.look(wish);
                    self.jobs.push(Job::Refill(id, origin, reading));
                }
                Effect::Read(Read::Site(key)) => {
                    let tables = Arc::clone(&self.holdings.tables);
                    let load = load_site(tables, &self.holdings.backlog, key);
                    self.jobs.push(Job::Wake(id, Box::new(load)));
                }
            }
        }
    }

    fn fetch(&mut self, id: PartitionId, ticket: Ticket) {
        let World { web, chance, witness, now, .. } = &mut *self.world;
        let reply = web.answer(&ticket.candidate, chance);
        witness.asked(*now, web, &ticket, &reply);
        let ends = *now + reply.took.0;
        self.fetches.push(Fetch { id, ticket, began: *now, ends, reply });
    }

    /// A fetch ended: its records go to the committer, and with them what was found.
    fn fetched(&mut self, fetch: Fetch) {
        let Fetch { id, ticket, began, reply, .. } = fetch;
        let began = SystemTime::UNIX_EPOCH + Duration::from_millis(began);
        let records = self.encode(&ticket, began, &reply);
        let digest = records[0].payload_digest.map(|digest| *digest.as_bytes());
        let Reply { took, finding, .. } = reply;
        let returned = Return { ticket, took, finding, digest, kept: None, excused: false };
        self.committer.bring(Work::Deposit(records, id, Box::new(returned)));
    }

    fn encode(&mut self, ticket: &Ticket, began: SystemTime, reply: &Reply) -> Vec<Encoded> {
        let encoder = &mut self.world.encoder;
        let (url, number) = (&ticket.candidate.url, ticket.number.0);
        let Some(received) = &reply.received else {
            let failure = match reply.finding {
                Finding::Failed(failure) => failure,
                _ => rhumb_web::Failure::NotHttp,
            };
            let took = reply.took.duration();
            let (address, fields) = (None, Vec::new());
            let miss = Miss { url, number, began, address, failure, took, fields };
            return vec![encoder.miss(&miss)];
        };
        let capture = Capture {
            url,
            number,
            began,
            address: None,
            protocols: vec!["http/1.1"],
            sent: b"GET / HTTP/1.1\r\n\r\n",
            received,
            cut: None,
            fields: Vec::new(),
        };
        let mut records = vec![encoder.capture(&capture, |_| None)];
        if matches!(ticket.candidate.errand, Errand::Robots { .. }) {
            let (host, holds) = (url.host(), Duration::from_mins(1));
            let lookup = Lookup { host, number, began, server: None, addresses: &[], holds };
            records.push(encoder.lookup(&lookup));
        }
        records
    }

    /// Starts passes over buckets of the seen-set for which candidates wait.
    fn tend_buckets(&mut self) {
        let waiting = self.partitions.iter().flat_map(|it| it.state().waiting_counts());
        let mut due: Vec<Bucket> = waiting.map(|(bucket, _)| bucket).collect();
        due.retain(|bucket| !self.passing.contains(bucket));
        due.sort_unstable();
        due.dedup();
        for bucket in due {
            if self.passing.len() >= PASSES_MAX {
                break;
            }
            // Company is worth waiting for.
            if self.world.chance.per_myriad(3_000) {
                self.pass(bucket);
            }
        }
    }

    fn pass(&mut self, bucket: Bucket) {
        let (mut keys, mut parts) = (Vec::new(), Vec::new());
        let hash = self.world.settings.identity.hash;
        for partition in &self.partitions {
            let waiting = partition.state().waiting(bucket);
            if !waiting.is_empty() {
                keys.extend(waiting.iter().map(|it| it.url.key(hash)));
                parts.push((partition.id(), waiting.len()));
            }
        }
        let pass = self.holdings.seen.lock().pass(bucket);
        self.passing.push(bucket);
        self.jobs.push(Job::Pass { bucket, parts, keys, pass });
    }

    fn passed(&mut self, bucket: Bucket, parts: Vec<(PartitionId, usize)>, new: &[bool]) {
        self.world.witness.report.count(Count::Passed);
        self.passing.retain(|other| *other != bucket);
        let mut flags = new.iter();
        for (id, read) in parts {
            let waiting = self.partitions[id.index()].state().waiting(bucket).iter();
            let found = waiting.zip(flags.by_ref().take(read)).filter(|(_, is_new)| **is_new);
            let new = found.map(|(candidate, _)| candidate.clone()).collect();
            self.own.push_back((id, Event::BucketSettled { bucket, read, new }));
        }
    }

    fn wants_checkpoint(&mut self, now: Tick) -> bool {
        let is_rested = now.since(self.checkpointed_at) >= ROOM_EVERY;
        let wants_room = is_rested
            && (self.holdings.seen.lock().wants_flush()
                || self.partitions.iter().any(Partition::is_crowded));
        wants_room || self.world.chance.below(CHECKPOINT_ONCE_IN) == 0
    }

    /// Begins a checkpoint: no parcel is under way.
    fn checkpoint(&mut self) {
        let now = self.now();
        let merges = self.world.chance.per_myriad(8_000);
        let snapshot = self.holdings.snapshot(now, &mut self.partitions, merges);
        self.is_checkpointing = true;
        self.checkpointed_at = now;
        self.committer.bring(Work::Checkpoint(Box::new(snapshot)));
    }

    fn is_over(&self) -> bool {
        self.is_idle()
            && self.jobs.is_empty()
            && !self.committer.has_work()
            && !self.holdings.needs_pass()
    }

    /// Whether nothing is left to fetch.
    pub(super) fn is_idle(&self) -> bool {
        self.fetches.is_empty()
            && self.own.is_empty()
            && self.inbox.is_empty()
            && self.partitions.iter().all(|partition| {
                partition.in_flight() == 0
                    && partition.earliest().is_none()
                    && !partition.is_reading()
                    && partition.state().waiting_counts().next().is_none()
            })
    }

    /// Ends as a user wishes: with a checkpoint. Fetches under way are given up; says whether
    /// there were none.
    pub(super) fn finish(mut self) -> Result<bool, StoreError> {
        for is_last in [false, true] {
            while self.is_checkpointing || self.committer.has_work() {
                self.commit()?;
                self.finish_job()?;
                while let Some(notice) = self.inbox.pop_front() {
                    self.hear(notice);
                }
            }
            self.work_off();
            if !is_last {
                self.checkpoint();
            }
        }
        let is_clean = self.partitions.iter().all(|partition| partition.in_flight() == 0);
        let Self { mut committer, world, mut inbox, mut jobs, .. } = self;
        while committer.has_work() {
            committer.turn(world, &mut inbox, &mut jobs)?;
        }
        committer.close(world)?;
        Ok(is_clean)
    }
}

/// What the user wants first in this life of the process: each time something else.
fn policy(chance: &mut Chance) -> Policy {
    let orders = ["bfs", "dfs", "opic", "indegree"];
    let order = orders[usize::try_from(chance.below(4)).expect("small")];
    let digit = chance.below(20);
    let first = (digit < 10).then(|| format!("{digit}$"));
    Policy {
        order: rhumb_order::order(order).expect("it is one of them"),
        first: Arc::new(RegexSet::new(first).expect("a pattern")),
        ..Policy::default()
    }
}
