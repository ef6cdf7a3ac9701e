//! A crawl of a small imagined web that really keeps what it does, on a disk that forgets.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rhumb_archive::{About, ArchiveSettings, CrawlId, Encoded, Encoder, Miss};
use rhumb_disk::{SharedDisk, SimulatedDisk};
use rhumb_frontier::Manners;
use rhumb_seen::Bucket;
use rhumb_web::{
    Candidate, CanonUrl, Epoch, Errand, Failure, HashKey, PartitionId, Site, Span, Tick, Ticket,
};

use crate::partition::{
    Answer, Effect, Event, Finding, Parcel, Partition, PartitionSettings, Read, Return, Turn,
};
use crate::store::{Holdings, Identity, SeenHandle, Store, StoreSettings, load_site, open};
use crate::tables::{MemoryTables, Tables};

const PARTITIONS: u16 = 3;
const SITES: u64 = 9;
const PAGES: u64 = 40;
const HASH: HashKey = HashKey(3, 4);
const TICKET_FOR: Span = Span::minutes(2);

/// `SplitMix64`.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    pub(super) fn index(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).unwrap();
        usize::try_from(self.below(length)).unwrap()
    }
}

/// How a life ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Clean,
    Kill,
    PowerCut,
}

/// What outlives the process.
pub(super) struct World {
    pub(super) chance: Chance,
    pub(super) disk: SimulatedDisk,
    pub(super) tables: MemoryTables,
    pub(super) settings: StoreSettings,
    encoder: Encoder,
    now: Tick,
}

/// One run of the crawl.
struct Life<'w> {
    world: &'w mut World,
    store: Store,
    holdings: Holdings,
    partitions: Vec<Partition<SeenHandle>>,
    /// In the order in which it came: parcels keep theirs.
    events: VecDeque<(PartitionId, Event)>,
    fetches: Vec<(PartitionId, Ticket)>,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let crawl = CrawlId([1; 16]);
        let prefix = "rhumb".to_owned();
        let archive =
            ArchiveSettings { prefix, rotate_bytes: 4_000, crawl, about: About::default() };
        let settings = StoreSettings {
            folder: PathBuf::from("crawl"),
            archive,
            identity: Identity::new(PARTITIONS, HASH, 1_700_000_000_000),
            agent: "rhumb".to_owned(),
            seen_memory: 2_000,
            likeness_memory: 8_000,
        };
        Self {
            chance: Chance(seed),
            disk: SimulatedDisk::new(seed),
            tables: MemoryTables::default(),
            settings,
            encoder: Encoder::new(crawl),
            now: Tick(0),
        }
    }

    pub(super) fn shared_disk(&self) -> SharedDisk {
        Arc::new(self.disk.clone())
    }

    pub(super) fn shared_tables(&self) -> Arc<dyn Tables> {
        Arc::new(self.tables.clone())
    }

    /// Crawls for so many steps, and ends.
    pub(super) fn live(&mut self, steps: u64, end: End) {
        let mut life = Life::begin(self);
        for _ in 0..steps {
            life.step();
        }
        life.end(end);
        match end {
            End::PowerCut => self.disk.crash(),
            End::Clean | End::Kill => self.disk.kill(),
        }
    }

    /// Records of a request of which nothing is known.
    pub(super) fn records(&mut self, number: u64) -> Vec<Encoded> {
        let url = &page(number % SITES, number % PAGES);
        let began = SystemTime::UNIX_EPOCH + Duration::from_millis(number);
        let (took, address, fields) = (Duration::ZERO, None, Vec::new());
        let failure = Failure::Connect;
        vec![self.encoder.miss(&Miss { url, number, began, address, failure, took, fields })]
    }
}

pub(super) fn sites() -> impl Iterator<Item = Site> {
    // One that is never met as well.
    (0..=SITES).map(|site| page(site, 0).site())
}

pub(super) fn pages(site: &Site) -> impl Iterator<Item = CanonUrl> {
    let own = move |url: &CanonUrl| url.site() == *site;
    (0..=SITES).flat_map(|site| (0..PAGES).map(move |number| page(site, number))).filter(own)
}

fn page(site: u64, number: u64) -> CanonUrl {
    let scheme = if number.is_multiple_of(4) { "http" } else { "https" };
    // Every third site is a part of another's name.
    let name = if site.is_multiple_of(3) { String::new() } else { format!("s{site}.") };
    CanonUrl::parse(&format!("{scheme}://{name}d{}.test/p{number}", site / 3)).unwrap()
}

impl<'w> Life<'w> {
    fn begin(world: &'w mut World) -> Self {
        let opened = open(&world.shared_disk(), &world.shared_tables(), &world.settings).unwrap();
        let settings = |id| PartitionSettings {
            may_disguise: false,
            id,
            count: PARTITIONS,
            hash: HASH,
            epoch: Epoch(0),
            manners: Manners { delay: Span(300), ..Manners::default() },
            agent: "rhumb".to_owned(),
            ticket_for: TICKET_FOR,
            born_ms: opened.identity.born_ms,
            memory: 4_000,
        };
        let partitions = (0..PARTITIONS).map(PartitionId).zip(opened.states);
        let partitions = partitions.map(|(id, state)| Partition::with_state(settings(id), state));
        world.now = world.now.max(opened.last) + Span(world.chance.below(3_000));
        let mut life = Self {
            store: opened.store,
            holdings: opened.holdings,
            partitions: partitions.collect(),
            events: VecDeque::new(),
            fetches: Vec::new(),
            world,
        };
        life.store.opened(life.world.now).unwrap();
        if life.world.chance.below(2) == 0 {
            let records = life.world.records(life.world.now.0);
            life.store.note(&records).unwrap();
        }
        for index in 0..life.partitions.len() {
            let mut turn = Turn::default();
            life.partitions[index].reopen(life.world.now, opened.last, opened.is_clean, &mut turn);
            life.carry_out(index, turn);
        }
        life.events.extend(opened.parcels.into_iter().map(arrival));
        for site in [0, 4] {
            let seed = Candidate::new(page(site, 1), Errand::Page, 0, 0);
            life.events.push_back((owner(&seed.url), Event::Seeds(vec![seed])));
        }
        life
    }

    fn step(&mut self) {
        self.world.now = self.world.now + Span(self.world.chance.below(60));
        match self.world.chance.below(20) {
            0..8 => self.hear_next(),
            8..13 if !self.fetches.is_empty() => {
                let at = self.world.chance.index(self.fetches.len());
                let (id, ticket) = self.fetches.swap_remove(at);
                self.fetched(id, ticket);
            }
            13..17 => {
                let index = self.world.chance.index(self.partitions.len());
                let mut turn = Turn::default();
                self.partitions[index].issue(self.world.now, 2, &mut turn);
                self.carry_out(index, turn);
            }
            17 => self.pass(),
            18 => self.store.write().unwrap(),
            19 if self.world.chance.below(3) == 0 => self.store.sync().unwrap(),
            19 if self.world.chance.below(8) == 0 => self.checkpoint(),
            _ => {}
        }
    }

    fn hear_next(&mut self) {
        let Some((id, event)) = self.events.pop_front() else { return };
        let mut turn = Turn::default();
        self.partitions[id.index()].handle(self.world.now, event, &mut turn);
        self.carry_out(id.index(), turn);
    }

    fn carry_out(&mut self, index: usize, turn: Turn) {
        let id = self.partitions[index].id();
        self.store.log(id, self.world.now, &turn.facts).unwrap();
        for effect in turn.effects {
            match effect {
                Effect::Fetch(ticket, _) => self.fetches.push((id, ticket)),
                Effect::Resolve(_) | Effect::Vote(..) | Effect::Cite(..) => {}
                Effect::Send(parcel) => self.events.push_back(arrival(parcel)),
                Effect::Shelve(place, entry) => {
                    self.holdings.backlog.push(place.lane, place.ordinal, &entry);
                }
                Effect::Read(Read::Refill(origin, wish)) => {
                    let stock = self.holdings.backlog.look(wish).run().unwrap();
                    self.events.push_back((id, Event::Refilled(origin, stock)));
                }
                Effect::Read(Read::Site(key)) => {
                    let tables = Arc::clone(&self.holdings.tables);
                    let dossier = load_site(tables, &self.holdings.backlog, key)().unwrap();
                    self.events.push_back((id, Event::Woken(Box::new(dossier))));
                }
            }
        }
    }

    fn fetched(&mut self, id: PartitionId, ticket: Ticket) {
        let finding = answer(&ticket.candidate, &mut self.world.chance);
        let records = self.world.records(ticket.number.0);
        let kept = self.store.keep(&records).unwrap();
        let digest = ticket.number.0.is_multiple_of(2).then_some([5; 20]);
        let took = Span(40);
        let returned = Return { ticket, took, finding, digest, kept, excused: false };
        let mut turn = Turn::default();
        let event = Event::Returned(Box::new(returned));
        self.partitions[id.index()].handle(self.world.now, event, &mut turn);
        self.carry_out(id.index(), turn);
    }

    /// Settles one bucket of the seen-set.
    fn pass(&mut self) {
        let mut counts = self.partitions.iter().flat_map(|it| it.state().waiting_counts());
        let Some((bucket, _)) = counts.next() else { return };
        drop(counts);
        let waiting = |it: &Partition<SeenHandle>| it.state().waiting(bucket).to_vec();
        let waiting: Vec<Vec<Candidate>> = self.partitions.iter().map(waiting).collect();
        for (index, candidates) in waiting.into_iter().enumerate() {
            let new = self.new_ones(bucket, &candidates);
            let event = Event::BucketSettled { bucket, read: candidates.len(), new };
            let mut turn = Turn::default();
            self.partitions[index].handle(self.world.now, event, &mut turn);
            self.carry_out(index, turn);
        }
    }

    fn new_ones(&self, bucket: Bucket, candidates: &[Candidate]) -> Vec<Candidate> {
        let keys: Vec<_> = candidates.iter().map(|it| it.url.key(HASH)).collect();
        let new = self.holdings.seen.lock().pass(bucket).find_new(&keys).unwrap();
        let new = candidates.iter().zip(new).filter(|(_, is_new)| *is_new);
        new.map(|(candidate, _)| candidate.clone()).collect()
    }

    fn checkpoint(&mut self) {
        while !self.events.is_empty() {
            self.hear_next();
        }
        let now = self.world.now;
        let snapshot = self.holdings.snapshot(now, &mut self.partitions, true);
        let installed = snapshot.write(self.store.mark().unwrap()).unwrap();
        self.store.trim(installed.mark).unwrap();
        self.holdings.install(installed);
        self.partitions.iter_mut().for_each(|partition| partition.cool(now));
    }

    fn end(mut self, end: End) {
        if end == End::Clean {
            let left = if self.world.chance.below(2) == 0 { 0 } else { self.fetches.len() };
            for (id, ticket) in self.fetches.split_off(left) {
                self.fetched(id, ticket);
            }
            self.checkpoint();
            self.store.close().unwrap();
        }
    }
}

fn owner(url: &CanonUrl) -> PartitionId {
    url.site().pld().partition(HASH, PARTITIONS)
}

fn arrival(parcel: Parcel) -> (PartitionId, Event) {
    (parcel.to, Event::Parcel(parcel))
}

fn answer(candidate: &Candidate, chance: &mut Chance) -> Finding {
    let mut answer = Answer { status: 200, bytes: 9, ..Answer::default() };
    if let Errand::Robots { .. } = candidate.errand {
        match chance.below(6) {
            0 => return Finding::Failed(Failure::Reset),
            1 => answer.status = 404,
            2 => {
                let target = page(chance.below(SITES), 0).origin().robots_url();
                (answer.status, answer.robots_moved) = (301, Some(target));
            }
            _ => answer.robots = Some(b"User-agent: *\nDisallow: /p7\n".to_vec()),
        }
        return Finding::Answered(Box::new(answer));
    }
    let mut link = |depth, hops| {
        let url = page(chance.below(SITES), chance.below(PAGES));
        (owner(&url), Candidate::new(url, Errand::Page, depth, hops))
    };
    let links: Vec<_> = (0..6).map(|_| link(candidate.depth + 1, 0)).collect();
    let target = link(candidate.depth, 1);
    match chance.below(10) {
        0 => return Finding::Failed(Failure::Connect),
        1 => answer.status = 404,
        2 => (answer.status, answer.pushback) = (503, Some(None)),
        3 => {
            answer.status = 301;
            answer.moved_to = Some(target.1.url.clone());
            answer.root = (candidate.depth == 0).then(|| target.1.url.clone());
            answer.candidates.push(target);
        }
        _ => answer.candidates = links,
    }
    Finding::Answered(Box::new(answer))
}
