//! The story of a URL in states that are hard to come by from outside.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rhumb_archive::About;
use rhumb_disk::{SharedDisk, SimulatedDisk};
use rhumb_frontier::{Manners, SiteRule, SiteRules};
use rhumb_likeness::{Late, Likeness, Twin};
use rhumb_rules::{Rules, Scope, ScopeKind};
use rhumb_seen::{Bucket, Seen};
use rhumb_web::{
    Candidate, Canon, CanonUrl, Errand, HashKey, Mark, PartitionId, Span, Tick, Ticket, UrlKey,
};

use super::contents::Contents;
use super::evidence::{Circumstances, Evidence};
use super::sites::{SitesPage, SitesWanted};
use super::status::{Activity, Status};
use super::stopped;
use super::why::{Held, UrlState, Why};
use crate::partition::{
    Answer, Effect, Event, Fact, Finding, Parcel, Partition, Read, Return, Turn,
};
use crate::shell::{CrawlSettings, Limits};
use crate::store::{Holdings, SeenHandle, Snapshot, Store, load_site, open, view};
use crate::tables::{MemoryTables, Tables};

const HASH: HashKey = HashKey(7, 8);

/// A crawl of which every step is told; parcels wait until they are delivered.
pub(super) struct Crawl {
    disk: SharedDisk,
    pub(super) tables: Arc<dyn Tables>,
    pub(super) settings: CrawlSettings,
    store: Store,
    holdings: Holdings,
    pub(super) partitions: Vec<Partition<SeenHandle>>,
    tickets: Vec<(PartitionId, Ticket)>,
    parcels: VecDeque<Parcel>,
    pub(super) now: Tick,
}

fn settings(sites: SiteRules) -> CrawlSettings {
    CrawlSettings {
        partitions: 8,
        hash: HASH,
        agent: "rhumb".to_owned(),
        manners: Manners::default(),
        sites,
        policy: rhumb_frontier::Policy::default(),
        canon: Canon::KeepQuery,
        connections: 8,
        limits: Limits::default(),
        patience: Span::minutes(2),
        probe_every: Span::seconds(1),
        ticket_for: Span::minutes(2),
        born_ms: 1_700_000_000_000,
        folder: PathBuf::from("crawl"),
        memory: 64 << 20,
        durability: Duration::ZERO,
        checkpoint_bytes: 1 << 20,
        warc_bytes: 1 << 20,
        about: About::default(),
        cloaking_sample: 0,
        tells_refusals: false,
        formats: None,
    }
}

fn url(text: &str) -> CanonUrl {
    CanonUrl::parse(text).unwrap()
}

fn rules() -> Rules {
    Rules::new(Scope::new(ScopeKind::Any))
}

impl Crawl {
    pub(super) fn new(sites: SiteRules) -> Self {
        let settings = settings(sites);
        let disk: SharedDisk = Arc::new(SimulatedDisk::new(1));
        let tables: Arc<dyn Tables> = Arc::new(MemoryTables::default());
        let opened = open(&disk, &tables, &settings.store()).unwrap();
        let mut store = opened.store;
        store.opened(Tick(1)).unwrap();
        let partition = |(id, state)| {
            let mut partition = Partition::with_state(settings.partition(id), state);
            let rules = Arc::new(settings.sites.clone());
            partition.state_mut().frontier_mut().set_rules(rules);
            partition
        };
        let partitions = (0..).map(PartitionId).zip(opened.states).map(partition).collect();
        let (holdings, now) = (opened.holdings, Tick(1));
        let (tickets, parcels) = (Vec::new(), VecDeque::new());
        Self { disk, tables, settings, store, holdings, partitions, tickets, parcels, now }
    }

    fn owner(&self, text: &str) -> PartitionId {
        self.settings.owner(&url(text))
    }

    pub(super) fn seed(&mut self, text: &str) {
        let seed = Candidate::new(url(text), Errand::Page, 0, 0);
        self.hear(self.owner(text), Event::Seeds(vec![seed]));
    }

    fn hear(&mut self, id: PartitionId, event: Event) {
        let mut turn = Turn::default();
        self.partitions[id.index()].handle(self.now, event, &mut turn);
        self.carry_out(id, turn);
    }

    fn carry_out(&mut self, id: PartitionId, turn: Turn) {
        self.store.log(id, self.now, &turn.facts).unwrap();
        for effect in turn.effects {
            match effect {
                Effect::Fetch(ticket, _) => self.tickets.push((id, ticket)),
                Effect::Send(parcel) => self.parcels.push_back(parcel),
                Effect::Resolve(_) | Effect::Vote(..) | Effect::Cite(..) => {}
                Effect::Shelve(place, entry) => {
                    self.holdings.backlog.push(place.lane, place.ordinal, &entry);
                }
                Effect::Read(Read::Refill(origin, wish)) => {
                    let read = self.holdings.backlog.look(wish);
                    self.hear(id, Event::Refilled(origin, read.run().unwrap()));
                }
                Effect::Read(Read::Site(key)) => {
                    let tables = Arc::clone(&self.tables);
                    let dossier = load_site(tables, &self.holdings.backlog, key)().unwrap();
                    self.hear(id, Event::Woken(Box::new(dossier)));
                }
            }
        }
    }

    pub(super) fn deliver(&mut self) {
        while let Some(parcel) = self.parcels.pop_front() {
            self.hear(parcel.to, Event::Parcel(parcel));
        }
    }

    /// A minute later all that is due goes out.
    pub(super) fn issue(&mut self) {
        self.now = self.now + Span::minutes(1);
        for index in 0..self.partitions.len() {
            let mut turn = Turn::default();
            self.partitions[index].issue(self.now, 100, &mut turn);
            self.carry_out(self.partitions[index].id(), turn);
        }
    }

    /// Answers the ticket of a URL.
    pub(super) fn answer(&mut self, text: &str, answer: Answer) {
        let is_it = |(_, ticket): &(PartitionId, Ticket)| ticket.candidate.url == url(text);
        let at = self.tickets.iter().position(is_it).expect("it is out");
        let (id, ticket) = self.tickets.remove(at);
        let (took, digest, kept) = (Span(10), None, None);
        let finding = Finding::Answered(Box::new(answer));
        let returned = Return { ticket, took, finding, digest, kept, excused: false };
        self.hear(id, Event::Returned(Box::new(returned)));
    }

    /// Sends a URL out, with the robots.txt before it, which lists these sitemaps.
    pub(super) fn send(&mut self, text: &str, sitemaps: &[&str]) {
        let robots = url(text).origin().robots_url();
        for _ in 0..10 {
            self.issue();
            let is_out = |it: &CanonUrl, out: &[(PartitionId, Ticket)]| {
                out.iter().any(|(_, ticket)| ticket.candidate.url == *it)
            };
            if is_out(&url(text), &self.tickets) {
                return;
            }
            if is_out(&robots, &self.tickets) {
                let candidates = self.targets(sitemaps, &Errand::Sitemap, 0, 0);
                let body = Some(b"User-agent: *\nDisallow: /no".to_vec());
                let answer = Answer { status: 200, robots: body, candidates, ..Answer::default() };
                self.answer(robots.as_str(), answer);
                self.deliver();
            }
        }
        panic!("{text} never comes on turn");
    }

    fn targets(
        &self,
        urls: &[&str],
        errand: &Errand,
        depth: u16,
        hops: u8,
    ) -> Vec<(PartitionId, Candidate)> {
        let target = |text: &&str| {
            (self.owner(text), Candidate::new(url(text), errand.clone(), depth, hops))
        };
        urls.iter().map(target).collect()
    }

    /// Fetches a page with these links; they are not delivered yet.
    pub(super) fn fetch(&mut self, text: &str, links: &[&str]) {
        self.send(text, &[]);
        let candidates = self.targets(links, &Errand::Page, 1, 0);
        self.answer(text, Answer { status: 200, candidates, ..Answer::default() });
    }

    fn redirect(&mut self, text: &str, to: &str, hops: u8) {
        self.send(text, &[]);
        let candidates = self.targets(&[to], &Errand::Page, 1, hops);
        let moved_to = Some(url(to));
        self.answer(text, Answer { status: 301, candidates, moved_to, ..Answer::default() });
    }

    fn snapshot(&mut self) -> Snapshot {
        self.holdings.snapshot(self.now, &mut self.partitions, false)
    }

    pub(super) fn checkpoint(&mut self) {
        let snapshot = self.snapshot();
        self.complete(snapshot);
    }

    fn complete(&mut self, snapshot: Snapshot) {
        let installed = snapshot.write(self.store.mark().unwrap()).unwrap();
        self.holdings.install(installed);
    }

    fn gather(&self, text: &str) -> Evidence {
        let circumstances = Circumstances {
            now: self.now,
            born_ms: self.settings.born_ms,
            hash: HASH,
            agent: self.settings.agent.clone(),
            rules: Arc::new(rules()),
            manners: self.settings.manners,
            is_running: true,
            is_paused: false,
        };
        let owner = &self.partitions[self.owner(text).index()];
        Evidence::gather(circumstances, owner, &self.holdings, url(text))
    }

    fn tell(&self, text: &str, evidence: Evidence) -> Why {
        let recent = |key| self.holdings.recent(&self.partitions, key);
        Why::tell(text, Canon::KeepQuery, evidence, |key| Ok(recent(key))).unwrap()
    }

    /// The story while it runs.
    fn why(&self, text: &str) -> Why {
        self.tell(text, self.gather(text))
    }

    /// How it stands after a kill.
    fn left(&mut self) -> Status {
        self.store.write().unwrap();
        let view = view(&self.disk, &self.tables, &self.settings.store(), None).unwrap();
        stopped::stand(&self.settings, view).unwrap()
    }

    /// All its sites after a kill.
    pub(super) fn surveyed(&mut self, wanted: &SitesWanted) -> SitesPage {
        self.store.write().unwrap();
        let view = view(&self.disk, &self.tables, &self.settings.store(), None).unwrap();
        stopped::survey(&self.settings, view, wanted).unwrap()
    }

    /// The story after a kill.
    fn killed(&mut self, text: &str) -> Why {
        self.store.write().unwrap();
        let site = url(text).site();
        let view = view(&self.disk, &self.tables, &self.settings.store(), Some(&site)).unwrap();
        stopped::tell(&self.settings, view, rules(), text, &url(text)).unwrap()
    }
}

const PAGE: &str = "http://one.test/page";
const LINKED: &str = "http://two.test/linked";

fn of_two_partitions() -> Crawl {
    let mut crawl = Crawl::new(SiteRules::default());
    assert_ne!(crawl.owner(PAGE), crawl.owner(LINKED), "links cross");
    crawl.seed(PAGE);
    crawl
}

#[test]
fn a_url_is_known_while_a_checkpoint_of_it_is_written() {
    let mut crawl = of_two_partitions();
    crawl.fetch(PAGE, &[LINKED]);
    crawl.deliver();
    assert_eq!(crawl.why(PAGE).state, UrlState::Fetched);
    let snapshot = crawl.snapshot();
    assert_eq!(crawl.why(PAGE).state, UrlState::Fetched);
    assert_eq!(crawl.why(LINKED).found_on.as_deref(), Some(PAGE));
    crawl.complete(snapshot);
    let told = crawl.why(PAGE);
    assert_eq!((told.state, told.tries.len()), (UrlState::Fetched, 1));
}

#[test]
fn a_try_is_told_once_whenever_a_checkpoint_comes() {
    let mut crawl = of_two_partitions();
    crawl.fetch(PAGE, &[]);
    let before = crawl.gather(PAGE);
    let snapshot = crawl.snapshot();
    let during = crawl.gather(PAGE);
    crawl.complete(snapshot);
    assert_eq!(crawl.tell(PAGE, before).tries.len(), 1);
    assert_eq!(crawl.tell(PAGE, during).tries.len(), 1);
}

#[test]
fn a_page_that_is_met_again_stays_fetched_while_the_seen_set_is_asked() {
    let mut crawl = of_two_partitions();
    crawl.fetch(PAGE, &[]);
    let link = Candidate::new(url(PAGE), Errand::Page, 9, 0);
    let bucket = Bucket::of(url(PAGE).key(HASH));
    let (entries, shelved, unsure) = (Vec::new(), Vec::new(), vec![(bucket, link)]);
    let fact = Fact::Admitted { parcel: None, entries, shelved, unsure };
    let owner = crawl.owner(PAGE).index();
    drop(crawl.partitions[owner].state_mut().apply(crawl.now, &fact));
    let told = crawl.why(PAGE);
    assert_eq!((told.state, told.depth), (UrlState::Fetched, Some(0)));
}

#[test]
fn after_a_kill_a_page_is_named_that_only_the_log_of_another_partition_knows() {
    let mut crawl = of_two_partitions();
    crawl.checkpoint();
    crawl.fetch(PAGE, &[LINKED]);
    crawl.deliver();
    let told = crawl.killed(LINKED);
    assert_eq!((told.state, told.found_on.as_deref()), (UrlState::Queued, Some(PAGE)));
    crawl.checkpoint();
    assert_eq!(crawl.killed(LINKED).found_on.as_deref(), Some(PAGE));
}

#[test]
fn after_a_kill_a_chain_of_redirects_is_told_over_all_partitions() {
    let mut crawl = of_two_partitions();
    let (third, last) = ("http://three.test/", "http://four.test/end");
    crawl.fetch(PAGE, &[LINKED]);
    crawl.deliver();
    crawl.redirect(LINKED, third, 1);
    crawl.deliver();
    crawl.redirect(third, last, 2);
    crawl.deliver();
    for _ in 0..2 {
        for told in [crawl.why(last), crawl.killed(last)] {
            assert_eq!(told.redirected_from, [LINKED, third]);
            assert_eq!(told.found_on.as_deref(), Some(PAGE));
        }
        crawl.checkpoint();
    }
}

#[test]
fn after_a_kill_nothing_is_being_fetched() {
    let mut crawl = of_two_partitions();
    crawl.send(PAGE, &[]);
    assert_eq!(crawl.why(PAGE).reason.as_deref(), Some("it is being fetched"));
    let told = crawl.killed(PAGE);
    assert_eq!((told.state, told.queue_position), (UrlState::Queued, Some(0)));
    assert_eq!(told.reason.as_deref(), Some("the crawl does not run"));
    assert_eq!((told.held_by, told.next_visit), (None, None));
}

#[test]
fn after_a_kill_what_was_under_way_is_queued() {
    let mut crawl = of_two_partitions();
    crawl.send(PAGE, &[]);
    let left = crawl.left();
    assert_eq!((left.queued, left.in_flight, left.waiting), (1, 0, 1));
    assert_eq!((left.sites_by_state["fetching"], left.sites_by_state["waiting"]), (0, 1));
    assert_eq!(left.state, Activity::Stopped);
}

#[test]
fn after_a_kill_a_link_that_did_not_arrive_is_not_unknown() {
    let mut crawl = of_two_partitions();
    crawl.fetch(PAGE, &[LINKED]);
    let told = crawl.killed(LINKED);
    assert_eq!((told.state, told.found_on.as_deref()), (UrlState::Queued, Some(PAGE)));
    assert_eq!(told.reason.as_deref(), Some("the crawl does not run"));
}

#[test]
fn a_sitemap_is_found_in_robots_txt_and_is_no_seed() {
    let mut crawl = of_two_partitions();
    let sitemap = "http://one.test/map.xml";
    crawl.send(PAGE, &[sitemap]);
    crawl.answer(PAGE, Answer { status: 200, ..Answer::default() });
    for _ in 0..2 {
        let told = crawl.why(sitemap);
        assert_eq!(told.found_on.as_deref(), Some("http://one.test/robots.txt"));
        let scope = told.scope.unwrap();
        assert!(!scope.contains("seed:"), "{scope}");
        if told.state == UrlState::Queued {
            crawl.fetch(sitemap, &[]);
        }
    }
    assert_eq!(crawl.why(PAGE).scope.as_deref(), Some("a seed: always in scope"));
}

#[test]
fn a_fetch_under_way_holds_a_url_only_if_it_is_the_last_that_may_be() {
    let held = |connections| {
        let rule = SiteRule { connections: Some(connections), ..SiteRule::default() };
        let mut crawl = Crawl::new(SiteRules::new(1, [("one.test".to_owned(), rule)]));
        crawl.seed(PAGE);
        crawl.send(PAGE, &[]);
        let next = "http://one.test/next";
        crawl.seed(next);
        let told = crawl.why(next);
        assert_eq!((told.state, told.queue_position), (UrlState::Queued, Some(0)));
        told.held_by
    };
    assert_eq!(held(1), Some(Held::Site));
    assert_eq!(held(2), None);
}

#[test]
fn what_robots_txt_closed_has_no_next_visit() {
    let mut crawl = of_two_partitions();
    crawl.fetch(PAGE, &[]);
    let closed = "http://one.test/no";
    crawl.seed(closed);
    let told = crawl.why(closed);
    assert_eq!((told.state, told.reason.as_deref()), (UrlState::Refused, Some("robots")));
    assert_eq!((told.held_by, told.held_until, told.next_visit), (None, None, None));
}

#[test]
fn a_robots_txt_is_not_asked_for_in_the_past_nor_by_a_crawl_that_does_not_run() {
    let mut crawl = of_two_partitions();
    crawl.fetch(PAGE, &[]);
    let robots = "http://one.test/robots.txt";
    let told = crawl.why(robots);
    assert_eq!((told.state, told.next_visit.is_some()), (UrlState::Fetched, true));
    assert_eq!(crawl.killed(robots).next_visit, None);
}

#[test]
fn a_url_that_was_met_and_not_recorded_is_told_from_one_that_was_never_met() {
    let mut crawl = of_two_partitions();
    let (met, never) = ("http://a.test/met", "http://a.test/never");
    crawl.holdings.seen.lock().insert(url(met).key(HASH));
    crawl.checkpoint();
    let is_met = |why: Why| why.advice.is_some_and(|advice| advice.starts_with("it was met"));
    assert!(is_met(crawl.killed(met)));
    assert!(!is_met(crawl.killed(never)));
}

/// What is told of all pages after a kill, by URL.
fn told(crawl: &mut Crawl) -> Vec<(String, Option<String>, Option<Mark>)> {
    crawl.store.write().unwrap();
    let view = view(&crawl.disk, &crawl.tables, &crawl.settings.store(), None).unwrap();
    let contents = Contents::new(crawl.settings.clone(), view);
    let name = |key: UrlKey| {
        let known = [PAGE, LINKED, THIRD].into_iter().find(|text| url(text).key(HASH) == key);
        known.expect("a page of the test").to_owned()
    };
    let mut told = Vec::new();
    let tell = |key, original: Option<UrlKey>, mark| {
        told.push((name(key), original.map(name), mark));
    };
    contents.each_told(tell).unwrap();
    for (page, original, mark) in &told {
        let found = contents.told_of(url(page).key(HASH)).unwrap();
        assert_eq!((found.0.map(name), found.1), (original.clone(), *mark));
        let about = contents.about(&url(page)).unwrap();
        assert_eq!(about.duplicate_of.map(|url| url.to_string()), *original);
        assert_eq!(about.mark, mark.map(Mark::word));
    }
    told.sort();
    told
}

const THIRD: &str = "http://three.test/third";

#[test]
fn what_an_answer_without_success_turned_out_to_be_says_nothing_of_the_page() {
    for (status, expect) in [(200, Some(Mark::Challenge)), (403, None), (503, None)] {
        let mut crawl = of_two_partitions();
        crawl.fetch(PAGE, &[THIRD]);
        crawl.deliver();
        let mut answer = Answer { status, ..Answer::default() };
        answer.content.told.mark = Some(Mark::Challenge);
        crawl.send(THIRD, &[]);
        crawl.answer(THIRD, answer);
        let expect: Vec<_> =
            expect.map(|mark| (THIRD.to_owned(), None, Some(mark))).into_iter().collect();
        assert_eq!(told(&mut crawl), expect, "{status}");
    }
}

#[test]
fn every_verdict_on_a_page_is_told_whenever_a_checkpoint_came() {
    for checkpoints in 0..8_u8 {
        let mut crawl = of_two_partitions();
        let at = |crawl: &mut Crawl, step: u8| {
            if checkpoints >> step & 1 == 1 {
                crawl.checkpoint();
            }
        };
        crawl.fetch(PAGE, &[LINKED, THIRD]);
        crawl.deliver();
        at(&mut crawl, 0);
        let mut answer = Answer { status: 200, ..Answer::default() };
        answer.content.told.mark = Some(Mark::Parked);
        crawl.send(THIRD, &[]);
        crawl.answer(THIRD, answer);
        crawl.fetch(LINKED, &[]);
        at(&mut crawl, 1);
        let third = (THIRD.to_owned(), None, Some(Mark::Parked));
        assert_eq!(told(&mut crawl), std::slice::from_ref(&third));
        let (key, site) = (url(PAGE).key(HASH), 0);
        let how = Likeness::Near;
        let twin = Twin { of: url(LINKED).key(HASH), site, how, same_path: false };
        let partition = crawl.owner(PAGE);
        crawl.hear(partition, Event::Likened(Late { url: key, partition, site, twin }));
        at(&mut crawl, 2);
        let page = (PAGE.to_owned(), Some(LINKED.to_owned()), None);
        assert_eq!(told(&mut crawl), [page, third], "{checkpoints}");
    }
}
