//! Discovery: links arrive, as from pages, and go through the real partitions, seen-set, frontier,
//! backlog, log and checkpoints, with the memory that `--memory 256MB` grants. Nothing is fetched.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use rhumb_archive::{About, ArchiveSettings, CrawlId};
use rhumb_crawl::partition::{
    Answer, Effect, Event, Fact, Finding, Parcel, Partition, PartitionSettings, Read, Return, Turn,
};
use rhumb_crawl::shell::Shares;
use rhumb_crawl::store::{self, Holdings, Identity, SeenHandle, Store, StoreSettings};
use rhumb_crawl::tables::{FjallTables, Tables};
use rhumb_frontier::{Gift, Manners};
use rhumb_seen::Bucket;
use rhumb_web::{Candidate, CanonUrl, Epoch, Errand, HashKey, PartitionId, Span, Tick, Ticket};

use crate::clock;
use crate::seen::Outcome;

const MEMORY: u64 = 256_000_000;
const PARTITIONS: u16 = 64;
const HASH: HashKey = HashKey(3, 5);
const HOSTS: u64 = 100_000;
/// Links of one page.
const LINKS: u64 = 32;
/// Of so many candidates one is new, as in the benchmark of the seen-set.
const ONE_NEW_IN: u64 = 4;
/// As the crawl's default.
const CHECKPOINT_BYTES: u64 = 64_000_000;
/// Writes go out after so many pages, syncs after so many writes.
const PAGES_A_WRITE: u64 = 16;
const WRITES_A_SYNC: u64 = 64;
/// What a candidate that waits takes in memory.
const WAITING_BYTES: usize = 192;

pub struct Crawl {
    partitions: Vec<Partition<SeenHandle>>,
    holdings: Holdings,
    store: Store,
    now: Tick,
    waiting: HashMap<Bucket, usize>,
    waiting_count: usize,
    waiting_max: usize,
    backlog_bytes: usize,
    marked: u64,
    checkpoints: u64,
    admitted: u64,
    fetched: u64,
    /// What the effects of a turn have brought.
    own: VecDeque<(PartitionId, Event)>,
    returns: Vec<(PartitionId, Ticket)>,
}

/// Discovers so many distinct URLs, and tells how the rate holds.
#[expect(clippy::cast_precision_loss, reason = "means of one run")]
pub fn measure(urls: u64) -> Outcome {
    let folder = tempfile::tempdir()?;
    let mut crawl = Crawl::create(folder.path(), false)?;
    println!(
        "{:>12} {:>12} {:>15} {:>9} {:>12} {:>10}",
        "URLs", "candidates", "per CPU-second", "peak MB", "checkpoints", "disk MB"
    );
    let (mut made, mut new, mut random, mut making) = (0_u64, 0_u64, 7_u64, 0.0);
    let step = (urls / 8).max(1);
    let (mut next_line, mut since, mut since_made) = (step, clock::process(), 0);
    let mut numbers = vec![0_u64; usize::from(PARTITIONS)];
    let mut text = String::new();
    while new < urls {
        let mut parcels: HashMap<PartitionId, Vec<Candidate>> = HashMap::new();
        // What makes links is a page, not the discovery: it is not counted.
        let making_from = clock::thread();
        for _ in 0..LINKS {
            made += 1;
            let number = if made % ONE_NEW_IN == 1 {
                new += 1;
                new
            } else {
                random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
                earlier(mix(random), new)
            };
            let (owner, candidate) = link(number, &mut text)?;
            parcels.entry(owner).or_default().push(candidate);
        }
        making += clock::thread() - making_from;
        for (to, candidates) in parcels {
            let number = &mut numbers[to.index()];
            *number += 1;
            let from = PartitionId(0);
            let parcel =
                Parcel { from, to, number: *number, candidates: candidates.into(), robots: None, gift: Gift::default() };
            crawl.turn(to, Event::Parcel(parcel))?;
        }
        crawl.keep(made / LINKS)?;
        if new >= next_line {
            let cpu = clock::process() - making;
            println!(
                "{:>12} {:>12} {:>15.0} {:>9} {:>12} {:>10}",
                new,
                made,
                (made - since_made) as f64 / (cpu - since),
                clock::peak_memory() / 1_000_000,
                crawl.checkpoints,
                folder_bytes(folder.path())? / 1_000_000,
            );
            (since, since_made, next_line) = (cpu, made, next_line + step);
        }
    }
    crawl.pass_all()?;
    println!("admitted {} of {new} distinct URLs on {HOSTS} hosts", crawl.admitted);
    if crawl.admitted == new { Ok(()) } else { Err("the set is not exact".into()) }
}

impl Crawl {
    /// Where it fetches, it waits between no two requests.
    pub fn create(
        folder: &std::path::Path,
        fetches: bool,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let shares = Shares::of(MEMORY);
        let settings = StoreSettings {
            folder: folder.to_owned(),
            archive: ArchiveSettings {
                prefix: "rhumb".to_owned(),
                rotate_bytes: 1 << 30,
                crawl: CrawlId([0; 16]),
                about: About::default(),
            },
            identity: Identity::new(PARTITIONS, HASH, 0),
            agent: "rhumb".to_owned(),
            seen_memory: shares.seen,
            likeness_memory: shares.likeness,
        };
        let tables = FjallTables::open(&folder.join(store::TABLES), shares.tables)?;
        let tables: Arc<dyn Tables> = Arc::new(tables);
        let opened = store::open(&rhumb_disk::real(), &tables, &settings)?;
        let mut manners = Manners::default();
        if fetches {
            (manners.delay, manners.delay_is_explicit) = (Span::ZERO, true);
        }
        let memory = shares.frontier / usize::from(PARTITIONS);
        let partition = |(id, state)| {
            let settings = PartitionSettings {
                may_disguise: false,
                id,
                count: PARTITIONS,
                hash: HASH,
                epoch: Epoch(1),
                manners,
                agent: "rhumb".to_owned(),
                ticket_for: Span::minutes(2),
                born_ms: 0,
                memory,
            };
            Partition::with_state(settings, state)
        };
        let ids = (0..PARTITIONS).map(PartitionId);
        Ok(Self {
            partitions: ids.zip(opened.states).map(partition).collect(),
            holdings: opened.holdings,
            store: opened.store,
            now: Tick(1),
            waiting: HashMap::new(),
            waiting_count: 0,
            waiting_max: shares.changed / 4 / WAITING_BYTES,
            backlog_bytes: shares.changed / 2,
            marked: 0,
            checkpoints: 0,
            admitted: 0,
            fetched: 0,
            own: VecDeque::new(),
            returns: Vec::new(),
        })
    }

    /// Links arrive.
    pub fn receive(&mut self, to: PartitionId, number: u64, candidates: Vec<Candidate>) -> Outcome {
        let from = PartitionId(0);
        self.turn(
            to,
            Event::Parcel(Parcel { from, to, number, candidates: candidates.into(), robots: None, gift: Gift::default() }),
        )
    }

    /// Pages that were fetched.
    pub fn fetched(&self) -> u64 {
        self.fetched
    }

    /// Fetches a page of the next partition that has one, and its robots.txt before it.
    pub fn fetch_one(&mut self, page: u64) -> Outcome {
        let count = usize::from(PARTITIONS);
        let first = usize::try_from(page % u64::from(PARTITIONS))?;
        let before = self.fetched;
        for index in (first..count).chain(0..first) {
            // A robots.txt comes first.
            for _ in 0..2 {
                let mut turn = Turn::default();
                let id = self.partitions[index].id();
                self.partitions[index].issue(self.now, 1, &mut turn);
                self.carry_out(id, turn)?;
                self.work_off()?;
            }
            if self.fetched > before {
                return Ok(());
            }
        }
        Ok(())
    }

    fn work_off(&mut self) -> Outcome {
        loop {
            for (id, ticket) in std::mem::take(&mut self.returns) {
                let is_page = ticket.candidate.errand == Errand::Page;
                self.fetched += u64::from(is_page);
                let status = if is_page { 200 } else { 404 };
                let answer = Answer { status, bytes: 21_000, ..Answer::default() };
                let returned = Return {
                    took: Span(1),
                    finding: Finding::Answered(Box::new(answer)),
                    digest: is_page.then_some([7; 20]),
                    kept: None,
                    excused: false,
                    ticket,
                };
                self.own.push_back((id, Event::Returned(Box::new(returned))));
            }
            let Some((id, event)) = self.own.pop_front() else { return Ok(()) };
            self.turn(id, event)?;
        }
    }

    /// The last checkpoint, and the end.
    pub fn end(mut self) -> Outcome {
        self.pass_all()?;
        self.work_off()?;
        self.checkpoint()?;
        Ok(self.store.close()?)
    }

    fn turn(&mut self, id: PartitionId, event: Event) -> Outcome {
        let mut turn = Turn::default();
        self.partitions[id.index()].handle(self.now, event, &mut turn);
        self.carry_out(id, turn)
    }

    fn carry_out(&mut self, id: PartitionId, turn: Turn) -> Outcome {
        for fact in &turn.facts {
            match fact {
                Fact::Admitted { entries, shelved, unsure, .. } => {
                    self.admitted += u64::try_from(entries.len() + shelved.len())?;
                    self.waiting_count += unsure.len();
                    for (bucket, _) in unsure {
                        *self.waiting.entry(*bucket).or_default() += 1;
                    }
                }
                Fact::Rescued { entries, shelved, .. } => {
                    self.admitted += u64::try_from(entries.len() + shelved.len())?;
                }
                _ => {}
            }
        }
        self.store.log(id, self.now, &turn.facts)?;
        for effect in turn.effects {
            let backlog = &mut self.holdings.backlog;
            match effect {
                Effect::Shelve(place, entry) => backlog.push(place.lane, place.ordinal, &entry),
                Effect::Fetch(ticket, _) => self.returns.push((id, ticket)),
                Effect::Read(Read::Refill(origin, wish)) => {
                    let stock = backlog.look(wish).run()?;
                    self.own.push_back((id, Event::Refilled(origin, stock)));
                }
                Effect::Read(Read::Site(key)) => {
                    let tables = Arc::clone(&self.holdings.tables);
                    let dossier = store::load_site(tables, backlog, key)()?;
                    self.own.push_back((id, Event::Woken(Box::new(dossier))));
                }
                Effect::Send(parcel) => self.own.push_back((parcel.to, Event::Parcel(parcel))),
                Effect::Resolve(_) | Effect::Vote(..) | Effect::Cite(..) => {}
            }
        }
        Ok(())
    }

    /// Writes, syncs, passes and checkpoints, as the shell does.
    pub fn keep(&mut self, pages: u64) -> Outcome {
        if !pages.is_multiple_of(PAGES_A_WRITE) {
            return Ok(());
        }
        self.now = Tick(pages);
        self.store.write()?;
        if (pages / PAGES_A_WRITE).is_multiple_of(WRITES_A_SYNC) {
            self.store.sync()?;
        }
        let pays = self.holdings.seen.lock().pass_pays();
        let is_pressed = self.waiting_count > self.waiting_max;
        let due = self.waiting.iter().filter(|(_, count)| **count >= pays || is_pressed);
        let fullest = due.max_by_key(|(_, count)| **count).map(|(bucket, _)| *bucket);
        if let Some(bucket) = fullest {
            self.pass(bucket)?;
        }
        let logged = self.store.log_end().0 - self.marked;
        let wants_room = self.holdings.backlog.bytes() >= self.backlog_bytes
            || self.holdings.seen.lock().wants_flush();
        if logged >= CHECKPOINT_BYTES || wants_room {
            self.checkpoint()?;
        }
        Ok(())
    }

    fn pass(&mut self, bucket: Bucket) -> Outcome {
        let mut keys = Vec::new();
        for partition in &self.partitions {
            let waiting = partition.state().waiting(bucket).iter();
            keys.extend(waiting.map(|candidate| candidate.url.key(HASH)));
        }
        let is_new = self.holdings.seen.lock().pass(bucket).find_new(&keys)?;
        let mut flags = keys.iter().zip(is_new);
        for id in (0..PARTITIONS).map(PartitionId) {
            let waiting = self.partitions[id.index()].state().waiting(bucket);
            let read = waiting.len();
            if read == 0 {
                continue;
            }
            let mut new = Vec::new();
            for (candidate, (key, is_new)) in waiting.iter().zip(&mut flags) {
                if is_new {
                    new.push(candidate.clone());
                } else {
                    self.holdings.seen.lock().note_known(*key);
                }
            }
            self.waiting_count -= read;
            self.turn(id, Event::BucketSettled { bucket, read, new })?;
        }
        self.waiting.remove(&bucket);
        Ok(())
    }

    fn pass_all(&mut self) -> Outcome {
        let buckets: Vec<Bucket> = self.waiting.keys().copied().collect();
        buckets.into_iter().try_for_each(|bucket| self.pass(bucket))
    }

    fn checkpoint(&mut self) -> Outcome {
        let snapshot = self.holdings.snapshot(self.now, &mut self.partitions, true);
        let mark = self.store.mark()?;
        let installed = snapshot.write(mark)?;
        self.holdings.install(installed);
        self.store.trim(mark)?;
        for partition in &mut self.partitions {
            partition.cool(self.now);
        }
        self.marked = self.store.log_end().0;
        self.checkpoints += 1;
        Ok(())
    }
}

/// The n-th URL, about 70 bytes long, on one of the hosts.
pub fn link(number: u64, text: &mut String) -> Result<(PartitionId, Candidate), std::fmt::Error> {
    use std::fmt::Write;
    let host = mix(number) % HOSTS;
    text.clear();
    write!(
        text,
        "https://host-{host:06}.example/articles/2026/{number:09}/some-title-in-words.html"
    )?;
    let url = CanonUrl::parse(text).expect("it is a URL");
    let owner = url.site().pld().partition(HASH, PARTITIONS);
    Ok((owner, Candidate::new(url, Errand::Page, 3, 0)))
}

/// Zipf with exponent 1 over all that came so far: the logarithm of the rank is uniform.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "ranks are far below 2^52"
)]
fn earlier(random: u64, new: u64) -> u64 {
    let uniform = (random >> 11) as f64 / (1_u64 << 53) as f64;
    let rank = (uniform * ((new + 1) as f64).ln()).exp() as u64;
    rank.clamp(1, new)
}

pub fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

pub fn folder_bytes(folder: &std::path::Path) -> std::io::Result<u64> {
    let mut sum = 0;
    // What goes meanwhile does not count.
    for entry in std::fs::read_dir(folder)?.flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        sum += if meta.is_dir() { folder_bytes(&entry.path())? } else { meta.len() };
    }
    Ok(sum)
}
