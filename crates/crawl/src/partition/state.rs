//! What a partition remembers: the sum of its facts.
//!
//! `apply` holds neither policy nor clock, and is the only way to change a [`State`]: live and in
//! replay alike. That folded state equals live state is a test.

use std::collections::{BTreeMap, HashMap};

use rhumb_frontier::{Entry, Frontier, Harvest, LaneKey, Place};
use rhumb_likeness::Twin;
use rhumb_seen::{Bucket, Seen};
use rhumb_web::{
    Candidate, CanonUrl, Errand, HashKey, Mark, Origin, PartitionId, Scheme, Site, Tick,
    TicketNumber, UrlKey,
};
use serde::{Deserialize, Serialize};

use super::dossier::{Dossier, PayloadRow, RobotsRow, UrlRecord};
use super::fact::{Fact, PayloadDigest, RobotsAnswer, Settled, Settlement, late};
use super::robots::RobotsState;
use super::tally::Tally;

/// A ticket that is out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outstanding {
    /// For what.
    pub entry: Entry,
    /// When it must be back.
    pub expires: Tick,
}

/// The memory of one partition.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S> {
    hash: HashKey,
    agent: String,
    pub(super) frontier: Frontier,
    pub(super) seen: S,
    pub(super) unsure: BTreeMap<Bucket, Vec<Candidate>>,
    pub(super) robots: HashMap<Origin, RobotsState>,
    /// Bytes of the robots.txt files that are in memory.
    robots_bytes: usize,
    pub(super) out: BTreeMap<TicketNumber, Outstanding>,
    pub(super) next_ticket: TicketNumber,
    /// The number of the last parcel sent to each partition.
    pub(super) sent: BTreeMap<PartitionId, u64>,
    /// The number of the last parcel of each partition that took effect.
    pub(super) received: BTreeMap<PartitionId, u64>,
    pub(super) tally: Tally,
    /// What became of URLs since the last checkpoint.
    urls: HashMap<UrlKey, UrlRecord>,
    /// URLs whose original was found since the last checkpoint, after they were recorded.
    likened: HashMap<UrlKey, Twin>,
    /// Payloads that came to the archive since the last checkpoint.
    payloads: HashMap<PayloadDigest, PayloadRow>,
    /// Robots.txt files that came since the last checkpoint.
    files: HashMap<LaneKey, RobotsRow>,
}

/// What came to be known since a checkpoint.
#[derive(Debug, Default, PartialEq)]
pub struct Records {
    /// What became of URLs.
    pub urls: HashMap<UrlKey, UrlRecord>,
    /// Originals of URLs that were recorded before.
    pub likened: HashMap<UrlKey, Twin>,
    /// Where the archive has payloads.
    pub payloads: HashMap<PayloadDigest, PayloadRow>,
    /// Robots.txt files.
    pub files: HashMap<LaneKey, RobotsRow>,
}

/// What a partition remembers apart from its sites, in the form in which it is kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PartitionRow {
    pub(crate) unsure: BTreeMap<Bucket, Vec<Candidate>>,
    pub(crate) out: BTreeMap<TicketNumber, Outstanding>,
    next_ticket: TicketNumber,
    sent: BTreeMap<PartitionId, u64>,
    received: BTreeMap<PartitionId, u64>,
    tally: Tally,
    pub(crate) queued: u64,
    #[serde(deserialize_with = "late")]
    duplicates: u64,
    #[serde(deserialize_with = "late")]
    near: u64,
    #[serde(deserialize_with = "late")]
    marked: BTreeMap<Mark, u64>,
}

impl<S: Seen> State<S> {
    /// The state before any fact. The agent is the name to which robots.txt speaks.
    pub fn new(id: PartitionId, hash: HashKey, agent: String, seen: S) -> Self {
        Self {
            hash,
            agent,
            frontier: Frontier::new(hash, id),
            seen,
            unsure: BTreeMap::new(),
            robots: HashMap::new(),
            robots_bytes: 0,
            out: BTreeMap::new(),
            next_ticket: TicketNumber::default(),
            sent: BTreeMap::new(),
            received: BTreeMap::new(),
            tally: Tally::default(),
            urls: HashMap::new(),
            likened: HashMap::new(),
            payloads: HashMap::new(),
            files: HashMap::new(),
        }
    }

    /// Takes a fact in, and returns the entries that go to disk, with their places.
    pub fn apply(&mut self, at: Tick, fact: &Fact) -> Vec<(Place, Entry)> {
        match fact {
            Fact::Admitted { parcel, entries, shelved, unsure } => {
                self.note_parcel(*parcel);
                for (bucket, candidate) in unsure {
                    self.unsure.entry(*bucket).or_default().push(candidate.clone());
                }
                return self.admit(entries, shelved);
            }
            Fact::Rescued { bucket, read, entries, shelved } => {
                let waiting = self.unsure.entry(*bucket).or_default();
                waiting.drain(..waiting.len().min(*read));
                if waiting.is_empty() {
                    self.unsure.remove(bucket);
                }
                return self.admit(entries, shelved);
            }
            Fact::Refilled { origin, entries } => self.frontier.refill(origin, entries.clone()),
            Fact::Picked { origin, picks } => self.frontier.pick(origin, picks.clone()),
            Fact::Issued { number, entry, expires } => self.issued(at, *number, entry, *expires),
            Fact::Settled(settled) => self.settled(at, settled),
            Fact::Recalled(number) => self.recalled(*number),
            Fact::Rested { site, until } => {
                let manner = self.frontier.site(site).map(rhumb_frontier::SiteState::manner);
                self.frontier.hold(site, manner.unwrap_or_default().not_before(*until));
            }
            Fact::Dropped { entry, cause } => {
                self.frontier.refuse(entry);
                self.tally.dropped(*cause);
                let result = Settlement::Dropped(*cause);
                self.record(entry.url(), UrlRecord::new(at, &entry.candidate, result));
            }
            Fact::Robots { origin, answer, refresh_at, manner, pages_at, is_given_up } => {
                let robots = self.robots.entry(origin.clone()).or_default();
                let before = robots.bytes();
                robots.answered(at, &self.agent, answer, *refresh_at);
                self.robots_bytes = self.robots_bytes + robots.bytes() - before;
                if let Some(row) = RobotsRow::of(answer) {
                    let lane = self.frontier.key(&origin.site).lane(origin.scheme);
                    self.files.insert(lane, row);
                }
                self.frontier.hold(&origin.site, *manner);
                self.frontier.hold_pages(origin, *pages_at);
                if let (RobotsAnswer::Unreachable(miss), true) = (answer, is_given_up) {
                    self.tally.miss(*miss);
                }
            }
            Fact::Held { origin, until } => self.frontier.hold_pages(origin, *until),
            Fact::Likened { url, twin, .. } => self.likened(*url, *twin),
        }
        Vec::new()
    }

    fn admit(&mut self, entries: &[Entry], shelved: &[Entry]) -> Vec<(Place, Entry)> {
        for entry in entries.iter().chain(shelved).filter(|entry| !entry.is_robots()) {
            self.seen.insert(entry.url().key(self.hash));
        }
        for entry in entries {
            self.frontier.admit(entry.clone());
        }
        shelved.iter().map(|entry| (self.frontier.shelve(entry), entry.clone())).collect()
    }

    fn issued(&mut self, at: Tick, number: TicketNumber, entry: &Entry, expires: Tick) {
        self.next_ticket = TicketNumber(number.0 + 1);
        self.frontier.issue(entry);
        if let Errand::Robots { origin, hops: 0 } = &entry.candidate.errand {
            self.robots.entry(origin.clone()).or_default().asked(at);
        }
        self.out.insert(number, Outstanding { entry: entry.clone(), expires });
    }

    fn settled(&mut self, at: Tick, settled: &Settled) {
        self.out.remove(&settled.number);
        for parcel in &settled.parcels {
            self.sent.insert(parcel.to, parcel.number);
        }
        let site = settled.entry.url().site();
        self.tally.settled(settled);
        // That an address was busy is neither a visit nor a try, and happens often.
        if settled.result == Settlement::AddressBusy {
            self.frontier.recall(&site, settled.again.clone().map(|(_, entry)| entry));
            self.frontier.hold(&site, settled.manner);
            return;
        }
        if settled.again.is_none()
            && !settled.entry.is_robots()
            && matches!(settled.result, Settlement::Answered(_))
        {
            self.frontier.reap(&site, harvest(settled));
        }
        self.frontier.settle(&site, settled.manner, settled.again.clone());
        if !settled.entry.is_robots() {
            if let (Some(digest), Some(kept_ms)) = (settled.digest, settled.more.content.kept_ms) {
                let url = settled.entry.url().key(self.hash);
                self.payloads.entry(digest).or_insert(PayloadRow { url, kept_ms });
            }
            self.record(settled.entry.url(), UrlRecord::of(at, settled));
        }
    }

    fn record(&mut self, url: &CanonUrl, record: UrlRecord) {
        let known = self.urls.entry(url.key(self.hash));
        known.and_modify(|it| it.follow(&record)).or_insert(record);
    }

    fn likened(&mut self, url: UrlKey, twin: Twin) {
        self.tally.likened(twin);
        match self.urls.get_mut(&url) {
            Some(record) => record.story.told.twin = Some(twin),
            None => drop(self.likened.insert(url, twin)),
        }
    }

    /// The original of a URL that was found since the last checkpoint, after it was recorded.
    pub fn likened_of(&self, key: UrlKey) -> Option<Twin> {
        self.likened.get(&key).copied()
    }

    /// What became of URLs since the last checkpoint.
    pub(crate) fn recent(&self) -> impl Iterator<Item = (&UrlKey, &UrlRecord)> {
        self.urls.iter()
    }

    /// What became of a URL since the last checkpoint.
    pub fn record_of(&self, key: UrlKey) -> Option<&UrlRecord> {
        self.urls.get(&key)
    }

    /// Whether a ticket is out.
    pub fn is_out(&self, number: TicketNumber) -> bool {
        self.out.contains_key(&number)
    }

    /// The tickets that are out.
    pub fn out(&self) -> impl Iterator<Item = (TicketNumber, &Outstanding)> {
        self.out.iter().map(|(number, out)| (*number, out))
    }

    /// What is known of the robots.txt of warm sites, in no promised order.
    pub fn robots_of_all(&self) -> impl Iterator<Item = (&Origin, &RobotsState)> {
        self.robots.iter()
    }

    /// What is known of an origin's robots.txt, if its site is warm.
    pub fn robots(&self, origin: &Origin) -> Option<&RobotsState> {
        self.robots.get(origin)
    }

    fn recalled(&mut self, number: TicketNumber) {
        let Some(Outstanding { entry, .. }) = self.out.remove(&number) else { return };
        let site = entry.url().site();
        if let Errand::Robots { origin, hops: 0 } = &entry.candidate.errand {
            // It is asked for again as soon as a page needs it; none waits for its answer any more.
            self.robots.entry(origin.clone()).or_default().unasked();
            self.frontier.hold_pages(origin, Tick::default());
            self.frontier.recall(&site, None);
        } else {
            self.frontier.recall(&site, Some(entry));
        }
    }

    fn note_parcel(&mut self, parcel: Option<(PartitionId, u64)>) {
        if let Some((from, number)) = parcel {
            self.received.insert(from, number);
        }
    }

    /// The sites whose state a fact needs in memory.
    pub fn sites_of(&self, fact: &Fact) -> Vec<Site> {
        let of = |entry: &Entry| vec![entry.url().site()];
        match fact {
            Fact::Admitted { entries, .. } | Fact::Rescued { entries, .. } => {
                let mut sites: Vec<Site> = entries.iter().map(|it| it.url().site()).collect();
                sites.dedup();
                sites
            }
            Fact::Refilled { origin, .. }
            | Fact::Picked { origin, .. }
            | Fact::Robots { origin, .. }
            | Fact::Held { origin, .. } => vec![origin.site.clone()],
            Fact::Issued { entry, .. } | Fact::Dropped { entry, .. } => of(entry),
            Fact::Settled(settled) => of(&settled.entry),
            Fact::Recalled(number) => {
                self.out.get(number).map(|it| of(&it.entry)).unwrap_or_default()
            }
            Fact::Rested { site, .. } => vec![site.clone()],
            Fact::Likened { .. } => Vec::new(),
        }
    }

    /// A cold site is in memory again.
    pub fn wake(&mut self, dossier: Dossier) {
        if !self.frontier.is_cold(&dossier.site) {
            return;
        }
        for (scheme, robots) in [Scheme::Http, Scheme::Https].into_iter().zip(dossier.robots) {
            if let Some((robots, row)) = robots {
                let origin = Origin { scheme, site: dossier.site.clone() };
                let robots = robots.with_file(&self.agent, row.as_ref());
                self.robots_bytes += robots.bytes();
                self.robots.insert(origin, robots);
            }
        }
        self.frontier.wake(&dossier.site, dossier.state);
    }

    /// All that is known of a warm site.
    pub fn dossier(&self, site: &Site) -> Option<Dossier> {
        let state = self.frontier.site(site)?.clone();
        let robots = [Scheme::Http, Scheme::Https].map(|scheme| {
            let origin = Origin { scheme, site: site.clone() };
            self.robots.get(&origin).map(|robots| (robots.clone(), None))
        });
        Some(Dossier { site: site.clone(), state, robots })
    }

    /// Lets warm sites go whose rows are on disk, until at most `bytes` are used.
    pub(super) fn cool(&mut self, now: Tick, bytes: usize, may: impl Fn(&Site) -> bool) {
        let robots = &self.robots;
        let waits = |site: &Site| {
            [Scheme::Http, Scheme::Https].into_iter().any(|scheme| {
                let origin = Origin { scheme, site: site.clone() };
                robots.get(&origin).is_some_and(|robots| robots.is_asked(now))
            })
        };
        let bytes = bytes.saturating_sub(self.robots_bytes);
        let cooled = self.frontier.cool(bytes, |site, _| may(site) && !waits(site));
        for site in cooled {
            for scheme in [Scheme::Http, Scheme::Https] {
                let gone = self.robots.remove(&Origin { scheme, site: site.clone() });
                self.robots_bytes -= gone.map_or(0, |robots| robots.bytes());
            }
        }
    }

    /// What is kept apart from sites.
    pub fn row(&self) -> PartitionRow {
        PartitionRow {
            unsure: self.unsure.clone(),
            out: self.out.clone(),
            next_ticket: self.next_ticket,
            sent: self.sent.clone(),
            received: self.received.clone(),
            tally: self.tally.clone(),
            queued: self.frontier.queued(),
            duplicates: self.tally.duplicates,
            near: self.tally.near,
            marked: self.tally.marked.clone(),
        }
    }

    /// Takes up what was kept apart from sites.
    pub fn restore(&mut self, row: PartitionRow) {
        self.unsure = row.unsure;
        self.out = row.out;
        self.next_ticket = row.next_ticket;
        self.sent = row.sent;
        self.received = row.received;
        let (duplicates, near, marked) = (row.duplicates, row.near, row.marked);
        self.tally = Tally { duplicates, near, marked, ..row.tally };
        self.frontier.set_queued(row.queued);
    }

    /// What came since it was last asked.
    pub fn take_records(&mut self) -> Records {
        Records {
            urls: std::mem::take(&mut self.urls),
            likened: std::mem::take(&mut self.likened),
            payloads: std::mem::take(&mut self.payloads),
            files: std::mem::take(&mut self.files),
        }
    }

    /// The candidates that wait for a bucket of the seen-set.
    pub fn waiting(&self, bucket: Bucket) -> &[Candidate] {
        self.unsure.get(&bucket).map(Vec::as_slice).unwrap_or_default()
    }

    /// The candidate of this URL that waits for a bucket, if one does.
    pub fn unsure(&self, url: &CanonUrl) -> Option<&Candidate> {
        let waiting = self.waiting(Bucket::of(url.key(self.hash)));
        waiting.iter().find(|candidate| candidate.url == *url)
    }

    /// How many candidates wait, by bucket.
    pub fn waiting_counts(&self) -> impl Iterator<Item = (Bucket, usize)> {
        self.unsure.iter().map(|(bucket, candidates)| (*bucket, candidates.len()))
    }

    /// Bytes that sites take in memory, about.
    pub fn bytes(&self) -> usize {
        self.frontier.bytes() + self.robots_bytes
    }

    /// Whether tickets are out.
    pub fn has_tickets(&self) -> bool {
        !self.out.is_empty()
    }

    /// The sites that tickets are out for.
    pub fn ticketed_sites(&self) -> Vec<Site> {
        self.out.values().map(|out| out.entry.url().site()).collect()
    }

    /// The queues and clocks, to note what lies on disk: for the opening of a crawl.
    pub fn frontier_mut(&mut self) -> &mut Frontier {
        &mut self.frontier
    }

    /// The counts so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The queues and clocks.
    pub fn frontier(&self) -> &Frontier {
        &self.frontier
    }
}

/// What an answer adds to what its domain has had.
fn harvest(settled: &Settled) -> Harvest {
    let told = &settled.more.content.told;
    let is_page = matches!(settled.result, Settlement::Answered(200..300));
    let is_known = told.twin.is_some() || told.is_repeat || settled.more.duplicate_of.is_some();
    let links = settled.parcels.iter().map(|parcel| parcel.candidates.len()).sum::<usize>();
    Harvest {
        is_novel: is_page && !is_known && told.mark.is_none(),
        links: u32::try_from(links).unwrap_or(u32::MAX),
    }
}
