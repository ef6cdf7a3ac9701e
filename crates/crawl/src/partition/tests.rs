//! Seeded histories: several partitions on a small imagined web, in virtual time.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use rhumb_frontier::{Entry, LaneKey, Manners, Policy, SiteKey};
use rhumb_seen::{Bucket, Novelty, Seen};
use rhumb_web::{
    Candidate, CanonUrl, Copies, Epoch, Errand, Failure, HashKey, PartitionId, Phase, Scheme, Site,
    Span, Tick, Ticket, UrlKey,
};

use super::*;

const PARTITIONS: u16 = 5;
const HASH: HashKey = HashKey(11, 22);
const DELAY: Span = Span(500);
/// So little that sites must leave it.
const MEMORY: usize = 4 * 1024;
/// Events of one history.
const STEPS: usize = 3_000;

/// A chance that is the same for the same seed (splitmix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// A seen-set that cannot tell at once for every fourth key.
#[derive(Clone, Debug, Default, PartialEq)]
struct FoggySeen(HashSet<UrlKey>);

impl Seen for FoggySeen {
    fn meet(&mut self, key: UrlKey) -> Novelty {
        match key.0 % 8 {
            bucket @ 0..2 => Novelty::Unsure(Bucket(u16::try_from(bucket).expect("small"))),
            _ if self.0.contains(&key) => Novelty::Known,
            _ => Novelty::New,
        }
    }

    fn insert(&mut self, key: UrlKey) {
        self.0.insert(key);
    }
}

/// The other side of every effect, and a witness of every fetch.
struct World {
    chance: Chance,
    now: Tick,
    partitions: Vec<Partition<FoggySeen>>,
    facts: Vec<(PartitionId, Tick, Fact)>,
    events: VecDeque<(PartitionId, Event)>,
    out: Vec<(PartitionId, Ticket)>,
    /// What is on disk: entries in their order, and sites that left memory.
    shelf: HashMap<LaneKey, Vec<Entry>>,
    rows: HashMap<SiteKey, Dossier>,
    cooled: usize,
    admitted: HashSet<CanonUrl>,
    free_at: HashMap<Site, Tick>,
    fetches: BTreeMap<CanonUrl, usize>,
    /// Pages that were asked for as a browser would.
    disguised: usize,
}

impl World {
    fn new(seed: u64) -> Self {
        let manners = Manners { delay: DELAY, delay_is_explicit: true, tries: 2, floor: None };
        let settings = |id| PartitionSettings {
            may_disguise: true,
            id: PartitionId(id),
            count: PARTITIONS,
            hash: HASH,
            epoch: Epoch(1),
            manners,
            agent: "rhumb".to_owned(),
            ticket_for: Span::seconds(60),
            born_ms: 0,
            memory: MEMORY,
        };
        let partition = |id| {
            let mut partition = Partition::new(settings(id), FoggySeen::default());
            // What was found last is often behind others on its shelf.
            let order = rhumb_order::order("dfs").expect("there is one");
            let policy = Policy { order, ..Policy::default() };
            partition.state_mut().frontier_mut().set_policy(policy);
            partition
        };
        let mut world = Self {
            chance: Chance(seed),
            now: Tick(0),
            partitions: (0..PARTITIONS).map(partition).collect(),
            facts: Vec::new(),
            events: VecDeque::new(),
            out: Vec::new(),
            shelf: HashMap::new(),
            rows: HashMap::new(),
            cooled: 0,
            admitted: HashSet::new(),
            free_at: HashMap::new(),
            fetches: BTreeMap::new(),
            disguised: 0,
        };
        for _ in 0..4 {
            let (owner, seed) = world.link(0);
            world.events.push_back((owner, Event::Seeds(vec![seed])));
        }
        world
    }

    fn link(&mut self, depth: u16) -> (PartitionId, Candidate) {
        // One site has more on its shelf than comes back at once.
        let sites = if self.chance.below(2) == 0 { 1 } else { 30 };
        let (site, page) = (self.chance.below(sites), self.chance.below(400));
        let scheme = if page % 3 == 0 { "https" } else { "http" };
        let text = format!("{scheme}://s{site}.test/p{page}");
        let url = CanonUrl::parse(&text).expect("it is a URL");
        let owner = url.site().pld().partition(HASH, PARTITIONS);
        (owner, Candidate::new(url, Errand::Page, depth, 0))
    }

    fn step(&mut self) {
        if self.chance.below(4) == 0 {
            self.pass();
        }
        if self.chance.below(50) == 0 {
            self.cool();
        }
        if let Some((id, event)) = self.events.pop_front() {
            let mut turn = Turn::default();
            self.partitions[id.index()].handle(self.now, event, &mut turn);
            self.carry_out(id, turn);
        } else if !self.out.is_empty() && self.chance.below(3) > 0 {
            let pick = self.chance.below(u64::try_from(self.out.len()).expect("small"));
            let (id, ticket) = self.out.swap_remove(usize::try_from(pick).expect("small"));
            self.answer(id, ticket);
        } else {
            self.now = self.now + Span(self.chance.below(400));
            if self.chance.below(20) == 0 {
                self.now = self.now + Span::seconds(self.chance.below(90));
            }
            // A fetch ends by itself before its ticket expires, even if nobody reports it.
            for (_, ticket) in self.out.iter().filter(|(_, ticket)| ticket.expires < self.now) {
                let free_at = self.free_at.get_mut(&ticket.candidate.url.site());
                *free_at.expect("it was asked") = ticket.expires + DELAY;
            }
            self.events.extend((0..PARTITIONS).map(|id| (PartitionId(id), Event::Tick)));
        }
        for id in (0..PARTITIONS).map(PartitionId) {
            let mut turn = Turn::default();
            self.partitions[id.index()].issue(self.now, 3, &mut turn);
            self.carry_out(id, turn);
        }
    }

    fn carry_out(&mut self, id: PartitionId, turn: Turn) {
        for fact in &turn.facts {
            if let Fact::Admitted { entries, shelved, .. }
            | Fact::Rescued { entries, shelved, .. } = fact
            {
                for entry in entries.iter().chain(shelved).filter(|entry| !entry.is_robots()) {
                    let is_new = self.admitted.insert(entry.url().clone());
                    assert!(is_new, "{} was admitted twice", entry.url());
                }
            }
        }
        self.facts.extend(turn.facts.into_iter().map(|fact| (id, self.now, fact)));
        for effect in turn.effects {
            match effect {
                Effect::Fetch(ticket, asked) => {
                    self.disguised += usize::from(asked.is_as_browser());
                    let url = ticket.candidate.url.clone();
                    let free_at = self.free_at.insert(url.site(), Tick::NEVER).unwrap_or(Tick(0));
                    assert!(free_at <= self.now, "{url} was asked for too early");
                    *self.fetches.entry(url).or_default() += 1;
                    self.out.push((id, ticket));
                }
                Effect::Send(parcel) => self.events.push_back((parcel.to, Event::Parcel(parcel))),
                Effect::Shelve(place, entry) => {
                    let shelf = self.shelf.entry(place.lane).or_default();
                    assert_eq!(u64::try_from(shelf.len()), Ok(place.ordinal), "no gap on a shelf");
                    shelf.push(entry);
                }
                Effect::Read(Read::Refill(origin, wish)) => {
                    let from = usize::try_from(wish.place.ordinal).expect("small");
                    let shelf = self.shelf[&wish.place.lane][from..].iter().cloned();
                    let stock = wish.of((wish.place.ordinal..).zip(shelf));
                    self.events.push_back((id, Event::Refilled(origin, stock)));
                }
                Effect::Read(Read::Site(key)) => {
                    let dossier = self.row(key);
                    self.events.push_back((id, Event::Woken(Box::new(dossier))));
                }
                Effect::Resolve(_) | Effect::Vote(..) | Effect::Cite(..) => {}
            }
        }
    }

    /// A cold site as it is on disk; one that was never in memory has only entries there.
    fn row(&self, key: SiteKey) -> Dossier {
        let lanes = [Scheme::Http, Scheme::Https].map(|scheme| self.shelf.get(&key.lane(scheme)));
        let first = lanes.into_iter().flatten().find_map(|lane| lane.first());
        let met = || Dossier::new(first.expect("entries wait for it").url().site());
        self.rows.get(&key).cloned().unwrap_or_else(met)
    }

    /// As after a checkpoint: what changed is on disk, and sites that are not needed leave.
    fn cool(&mut self) {
        for partition in &mut self.partitions {
            let state = partition.state_mut();
            for site in state.frontier_mut().take_changed() {
                let key = state.frontier().key(&site);
                // What is kept of a robots.txt is its file, as bytes.
                let row = state.dossier(&site).expect("what changed is in memory");
                self.rows.insert(key, row);
            }
            let before = state.frontier().warm_count();
            partition.cool(self.now);
            self.cooled += before - partition.state().frontier().warm_count();
        }
    }

    /// Settles one bucket of one partition, as a pass over the seen-set would.
    fn pass(&mut self) {
        let all = self.partitions.iter().flat_map(|partition| {
            let counts = partition.state().waiting_counts();
            counts.map(|(bucket, _)| (partition.id(), bucket))
        });
        let all: Vec<_> = all.collect();
        if all.is_empty() {
            return;
        }
        let pick = self.chance.below(u64::try_from(all.len()).expect("small"));
        let (id, bucket) = all[usize::try_from(pick).expect("small")];
        let is_under_way = self.events.iter().any(|(to, event)| {
            *to == id
                && matches!(event, Event::BucketSettled { bucket: other, .. } if *other == bucket)
        });
        if is_under_way {
            return;
        }
        let candidates = self.partitions[id.index()].state().waiting(bucket);
        let read = candidates.len();
        let mut met = HashSet::new();
        let is_new = |candidate: &&Candidate| {
            !self.admitted.contains(&candidate.url) && met.insert(candidate.url.clone())
        };
        let new = candidates.iter().filter(is_new).cloned().collect();
        self.events.push_back((id, Event::BucketSettled { bucket, read, new }));
    }

    fn answer(&mut self, id: PartitionId, ticket: Ticket) {
        let url = ticket.candidate.url.clone();
        if ticket.expires >= self.now {
            self.free_at.insert(url.site(), self.now + DELAY);
        }
        let finding = match (&ticket.candidate.errand, self.chance.below(20)) {
            (_, 0) => Finding::Failed(Failure::TimedOut(Phase::Headers)),
            (_, 1) => {
                // Nothing was sent.
                if ticket.expires >= self.now {
                    self.free_at.insert(url.site(), self.now);
                }
                Finding::AddressBusy(Span(self.chance.below(900)))
            }
            (Errand::Robots { .. }, roll) => Finding::Answered(Box::new(self.robots(roll))),
            (Errand::Page | Errand::Sitemap | Errand::Compared(_), roll) => {
                Finding::Answered(Box::new(self.page(roll, ticket.candidate.depth)))
            }
        };
        let took = Span(self.chance.below(300));
        let (digest, kept) = (None, None);
        let returned = Return { ticket, took, finding, digest, kept, excused: false };
        // A late answer to an expired ticket is part of life.
        self.events.push_back((id, Event::Returned(Box::new(returned))));
    }

    fn robots(&mut self, roll: u64) -> Answer {
        let file = |text: &str| Some(text.as_bytes().to_vec());
        match roll {
            2..4 => Answer { status: 503, pushback: Some(None), ..Answer::default() },
            4..6 => Answer { status: 404, ..Answer::default() },
            6..8 => {
                let site = self.chance.below(30);
                let moved = CanonUrl::parse(&format!("http://s{site}.test/robots.txt")).ok();
                Answer { status: 301, robots_moved: moved, ..Answer::default() }
            }
            8..12 => Answer {
                status: 200,
                robots: file("User-agent: *\nDisallow: /p1\nCrawl-delay: 2"),
                ..Answer::default()
            },
            _ => Answer { status: 200, robots: file(""), ..Answer::default() },
        }
    }

    fn page(&mut self, roll: u64, depth: u16) -> Answer {
        match roll {
            2 => Answer { status: 500, ..Answer::default() },
            3 => Answer { status: 404, ..Answer::default() },
            4 => {
                let asked = Span::seconds(self.chance.below(20));
                Answer { status: 429, pushback: Some(Some(asked)), ..Answer::default() }
            }
            5 => Answer { status: 302, self_redirect: true, ..Answer::default() },
            6 => {
                let copied = Some(self.chance.below(u64::MAX));
                Answer { status: 200, is_copy: true, copied, ..Answer::default() }
            }
            _ => {
                let count = self.chance.below(12);
                let candidates = (0..count).map(|_| self.link(depth + 1)).collect();
                Answer { status: 200, bytes: 10, candidates, ..Answer::default() }
            }
        }
    }

    fn run(seed: u64) -> Self {
        let mut world = Self::new(seed);
        for _ in 0..STEPS {
            world.step();
        }
        world
    }
}

/// All that a state knows of its sites, wherever it is: which sites are in memory is no fact.
fn thaw(mut state: State<FoggySeen>, world: &World) -> State<FoggySeen> {
    let cold: Vec<SiteKey> = state.frontier().stubs().map(|(key, _)| key).collect();
    for key in cold {
        state.wake(world.row(key));
    }
    drop(state.take_records());
    state.frontier_mut().take_changed();
    state
}

/// The state that facts fold to. Sites that a fact needs are woken as a replay does it.
fn fold(world: &World, leave_out: Option<usize>) -> Vec<State<FoggySeen>> {
    let new = |id| State::new(id, HASH, "rhumb".to_owned(), FoggySeen::default());
    let mut folded: Vec<_> = (0..PARTITIONS).map(PartitionId).map(new).collect();
    for (place, (id, at, fact)) in world.facts.iter().enumerate() {
        if Some(place) == leave_out {
            continue;
        }
        let state = &mut folded[id.index()];
        for site in state.sites_of(fact) {
            if state.frontier().is_cold(&site) {
                // Nothing left memory in this replay: what is cold was never in it.
                state.wake(Dossier::new(site));
            }
        }
        drop(state.apply(*at, fact));
    }
    for state in &mut folded {
        let cold: Vec<SiteKey> = state.frontier().stubs().map(|(key, _)| key).collect();
        for key in cold {
            state.wake(Dossier::new(world.row(key).site));
        }
        drop(state.take_records());
        state.frontier_mut().take_changed();
    }
    folded
}

#[test]
fn state_folded_from_facts_equals_the_live_state_over_100_seeds() {
    let (mut fetched, mut crossed, mut cooled) = (0, 0, 0);
    for seed in 0..100 {
        let world = World::run(seed);
        let folded = fold(&world, None);
        for (live, folded) in world.partitions.iter().zip(&folded) {
            let live = thaw(live.state().clone(), &world);
            assert!(&live == folded, "seed {seed}: folded state differs from live state");
            fetched += folded.tally().fetched;
            crossed += folded.tally().crossed;
        }
        cooled += world.cooled;
    }
    assert!(fetched > 10_000, "the histories fetch something: {fetched}");
    assert!(crossed > 10_000, "links cross partitions: {crossed}");
    assert!(cooled > 1_000, "sites leave memory: {cooled}");
}

#[test]
fn the_same_seed_gives_the_same_facts() {
    for seed in 0..10 {
        assert_eq!(World::run(seed).facts, World::run(seed).facts, "seed {seed}");
    }
}

#[test]
fn no_candidate_is_lost_in_a_bucket_that_is_being_read() {
    for seed in 0..20 {
        let world = World::run(seed);
        let mut offered = HashSet::new();
        for (_, _, fact) in &world.facts {
            if let Fact::Settled(settled) = fact {
                let parcels = settled.parcels.iter().flat_map(|parcel| parcel.candidates.iter());
                let pages = parcels.filter(|candidate| candidate.errand == Errand::Page);
                offered.extend(pages.map(|candidate| candidate.url.clone()));
            }
        }
        let states = world.partitions.iter().map(Partition::state);
        let waiting = states.flat_map(|state| state.unsure.values().flatten());
        let waiting: HashSet<CanonUrl> = waiting.map(|candidate| candidate.url.clone()).collect();
        let under_way = world.events.iter().filter_map(|(_, event)| match event {
            Event::Parcel(parcel) => Some(&*parcel.candidates),
            _ => None,
        });
        let under_way: HashSet<CanonUrl> =
            under_way.flatten().map(|candidate| candidate.url.clone()).collect();
        let lost = offered.iter().filter(|url| {
            !world.admitted.contains(*url) && !waiting.contains(*url) && !under_way.contains(*url)
        });
        assert_eq!(lost.count(), 0, "seed {seed}");
    }
}

#[test]
fn a_page_whose_copies_are_compared_is_settled_once_after_both() {
    let (mut compared, mut ended) = (0, 0);
    for seed in 0..20 {
        let world = World::run(seed);
        let mut stages: BTreeMap<&CanonUrl, Option<Copies>> = BTreeMap::new();
        for (_, _, fact) in &world.facts {
            let Fact::Settled(settled) = fact else { continue };
            assert!(!matches!(settled.entry.candidate.errand, Errand::Compared(_)));
            let before = stages.remove(settled.entry.url()).flatten();
            let next = settled.again.as_ref();
            let next = next.and_then(|(_, entry)| entry.candidate.clone().parted().1);
            match (before, next) {
                (None, Some(Copies::Own(_))) => compared += 1,
                (Some(Copies::Own(one)), Some(Copies::Own(other))) => assert_eq!(one, other),
                (Some(Copies::Own(one)), Some(Copies::Both { own, .. })) => assert_eq!(one, own),
                (Some(Copies::Both { .. }), Some(both)) => assert_eq!(Some(both), before),
                (Some(Copies::Both { .. }), None) => ended += 1,
                (None, None) => {}
                odd => panic!("seed {seed}: {odd:?}"),
            }
            stages.insert(settled.entry.url(), next);
        }
    }
    assert!(compared > 20 && ended > 20, "{compared} {ended}");
}

#[test]
fn who_takes_the_disguise_back_is_obeyed_at_once() {
    let (mut waiting, mut before) = (0, 0);
    for seed in 0..20 {
        let mut world = World::run(seed);
        for partition in &mut world.partitions {
            partition.settings.may_disguise = false;
            let sites = partition.state.frontier().sites();
            let errands = sites.flat_map(|(_, site)| site.entries().map(|it| &it.candidate.errand));
            let is_next = |errand: &&Errand| matches!(errand, Errand::Compared(Copies::Own(_)));
            waiting += errands.filter(is_next).count();
        }
        before += world.disguised;
        world.disguised = 0;
        (0..STEPS).for_each(|_| world.step());
        assert_eq!(world.disguised, 0, "seed {seed}");
    }
    assert!(waiting > 5 && before > 20, "{waiting} were next, {before} were asked for");
}

#[test]
fn what_came_back_before_its_turn_is_among_the_facts() {
    let world = World::run(1);
    let picks = world.facts.iter().filter_map(|(.., fact)| match fact {
        Fact::Picked { picks, .. } => Some(picks),
        _ => None,
    });
    let skips = picks.flat_map(|it| it.windows(2)).filter(|two| two[1].0 != two[0].0 + 1);
    assert!(skips.count() > 5, "else the histories say nothing of shelves that are chosen from");
}

#[test]
fn a_fact_left_out_is_noticed() {
    let world = World::run(7);
    let is_settled = |fact: &Fact| matches!(fact, Fact::Settled(_));
    let left_out = world.facts.iter().position(|(.., fact)| is_settled(fact));
    let folded = fold(&world, Some(left_out.expect("one settles")));
    let live = world.partitions.iter().map(|live| thaw(live.state().clone(), &world));
    assert!(live.zip(&folded).any(|(live, folded)| &live != folded));
}

#[test]
fn facts_survive_being_written_down() {
    let world = World::run(3);
    for (_, _, fact) in &world.facts {
        let text = serde_json::to_string(fact).expect("a fact can be written");
        let back: Fact = serde_json::from_str(&text).expect("a fact can be read");
        assert_eq!(&back, fact);
    }
}
