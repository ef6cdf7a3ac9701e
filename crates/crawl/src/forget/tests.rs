//! A crawl that was killed with everything under way, and a takedown of one of its hosts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rhumb_archive::About;
use rhumb_frontier::{Manners, SiteRules};
use rhumb_seen::Bucket;
use rhumb_web::{Candidate, Canon, Errand, HashKey, Scheme, Span, Tick, Ticket};

use super::*;
use crate::partition::{Answer, Fact, Finding, Return};
use crate::shell::Limits;
use crate::store::{SeenHandle, load_site};
use crate::tables::Table;

const NOW: Tick = Tick(1_000);
/// More than the head of a queue holds.
const LINKS: usize = 400;
/// Pages that were opened; the second is the last link.
const CLICKED: [&str; 2] = ["http://gone.test/p1", "http://kept.test/p399"];

fn settings(folder: &Path) -> CrawlSettings {
    CrawlSettings {
        partitions: 3,
        hash: HashKey(5, 8),
        agent: "rhumb".to_owned(),
        manners: Manners { delay: Span(1), delay_is_explicit: true, tries: 2, floor: None },
        sites: SiteRules::default(),
        policy: rhumb_frontier::Policy::default(),
        canon: Canon::Full,
        connections: 8,
        limits: Limits::default(),
        patience: Span::minutes(2),
        probe_every: Span::seconds(15),
        ticket_for: Span::minutes(2),
        born_ms: 0,
        folder: folder.to_owned(),
        memory: 64_000_000,
        durability: Duration::from_millis(200),
        checkpoint_bytes: 64_000_000,
        warc_bytes: 1_000_000,
        about: About::default(),
        cloaking_sample: 0,
        tells_refusals: false,
        formats: None,
    }
}

fn url(text: &str) -> CanonUrl {
    CanonUrl::parse(text).expect("a URL")
}

fn page(text: &str, depth: u16) -> Candidate {
    Candidate::new(url(text), Errand::Page, depth, 0)
}

/// A crawl while it runs; dropped, it was killed.
struct Live {
    settings: CrawlSettings,
    store: store::Store,
    holdings: store::Holdings,
    partitions: Vec<Partition<SeenHandle>>,
    tickets: Vec<(PartitionId, Ticket)>,
    now: Tick,
    /// Whether parcels arrive.
    delivers: bool,
}

impl Live {
    fn new(settings: &CrawlSettings) -> Self {
        let tables = open(settings).expect("tables");
        let opened = store::open(&rhumb_disk::real(), &tables, &settings.store()).expect("opened");
        let Opened { mut store, states, holdings, .. } = opened;
        store.opened(NOW).expect("logged");
        let ids = (0..settings.partitions).map(PartitionId);
        let make = |(id, state)| Partition::with_state(settings.partition(id), state);
        let partitions = ids.zip(states).map(make).collect();
        let settings = settings.clone();
        Self {
            settings,
            store,
            holdings,
            partitions,
            tickets: Vec::new(),
            now: NOW,
            delivers: true,
        }
    }

    fn tell(&mut self, id: PartitionId, event: Event) {
        let mut turn = Turn::default();
        self.partitions[id.index()].handle(self.now, event, &mut turn);
        self.carry_out(id, turn);
    }

    fn carry_out(&mut self, id: PartitionId, turn: Turn) {
        self.store.log(id, self.now, &turn.facts).expect("logged");
        for effect in turn.effects {
            match effect {
                Effect::Shelve(place, entry) => {
                    self.holdings.backlog.push(place.lane, place.ordinal, &entry);
                }
                Effect::Send(parcel) if self.delivers => {
                    self.tell(parcel.to, Event::Parcel(parcel));
                }
                Effect::Fetch(ticket, _) => self.tickets.push((id, ticket)),
                Effect::Send(_)
                | Effect::Resolve(_)
                | Effect::Vote(..)
                | Effect::Cite(..)
                | Effect::Read(_) => {}
            }
        }
    }

    fn seed(&mut self, text: &str) {
        let owner = self.settings.owner(&url(text));
        self.tell(owner, Event::Seeds(vec![page(text, 0)]));
    }

    /// Lets every site ask for what is next.
    fn issue(&mut self) {
        self.now = self.now + Span::seconds(1);
        for id in (0..self.settings.partitions).map(PartitionId) {
            let mut turn = Turn::default();
            self.partitions[id.index()].issue(self.now, 100, &mut turn);
            self.carry_out(id, turn);
        }
    }

    /// Answers what is under way.
    fn answer(&mut self, answer: impl Fn(&Self, &Candidate) -> Answer) {
        for (id, ticket) in std::mem::take(&mut self.tickets) {
            let finding = Finding::Answered(Box::new(answer(self, &ticket.candidate)));
            let (took, digest, kept) = (Span(1), None, None);
            let returned = Return { ticket, took, finding, digest, kept, excused: false };
            self.tell(id, Event::Returned(Box::new(returned)));
        }
    }

    fn links(&self, texts: impl Iterator<Item = String>) -> Answer {
        let candidates = texts.map(|text| (self.settings.owner(&url(&text)), page(&text, 1)));
        Answer { status: 200, candidates: candidates.collect(), ..Answer::default() }
    }
}

fn absent() -> Answer {
    Answer { status: 404, ..Answer::default() }
}

/// Two hosts with full queues, tickets that are out, candidates that wait for a pass, a parcel
/// under way, a redirect and a robots.txt that lead from one to the other; and no clean end.
fn killed(settings: &CrawlSettings) {
    let mut live = Live::new(settings);
    for host in ["kept", "gone"] {
        live.seed(&format!("http://{host}.test/"));
    }
    live.seed("https://gone.test/secure");
    live.issue();
    live.answer(|_, _| absent());
    live.issue();
    live.answer(|live, candidate| {
        if let Errand::Robots { .. } = candidate.errand {
            let robots_moved = Some(url("http://kept.test/robots-of-gone.txt"));
            return Answer { status: 301, robots_moved, ..Answer::default() };
        }
        let host = candidate.url.host();
        let own = (0..LINKS).map(|n| format!("http://{host}/p{n}"));
        let mut answer = live.links(own.chain(["http://gone.test/linked".to_owned()]));
        answer.root = Some(url(&format!("http://{host}/root")));
        answer
    });
    live.issue();
    live.answer(|live, candidate| match candidate.errand {
        Errand::Robots { .. } => absent(),
        _ if candidate.url.host() == "kept.test" => Answer {
            status: 301,
            moved_to: Some(url("http://gone.test/moved")),
            ..live.links(std::iter::empty())
        },
        _ => live.links(std::iter::empty()),
    });
    let foggy = |text: &str| (Bucket(3), page(text, 1));
    let unsure = vec![foggy("http://gone.test/foggy"), foggy("http://kept.test/foggy")];
    let owner = live.settings.owner(&url("http://kept.test/"));
    let (entries, shelved) = (Vec::new(), Vec::new());
    let fact = Fact::Admitted { parcel: None, entries, shelved, unsure };
    live.partitions[owner.index()].state_mut().apply(live.now, &fact);
    live.store.log(owner, live.now, &[fact]).expect("logged");
    live.issue();
    live.delivers = false;
    let (first, rest) = {
        let mut tickets = std::mem::take(&mut live.tickets).into_iter();
        let of_kept = tickets.by_ref().find(|(_, it)| it.candidate.url.host() == "kept.test");
        (of_kept.expect("kept.test is asked"), tickets.collect::<Vec<_>>())
    };
    live.tickets = vec![first];
    live.answer(|live, _| {
        let hosts = ["kept", "gone", "late"].map(|host| format!("http://{host}.test/in-a-parcel"));
        live.links(hosts.into_iter())
    });
    live.tickets = rest;
    live.issue();
    live.store.write().expect("written");
}

/// What a crawl knows of other hosts, wherever it stands.
#[derive(Debug, Default, PartialEq)]
struct Known {
    waiting: BTreeSet<String>,
    out: BTreeSet<String>,
    unsure: BTreeSet<String>,
    roots: BTreeSet<String>,
    queued: u64,
}

fn known_of(settings: &CrawlSettings) -> Known {
    let tables = open(settings).expect("tables");
    let opened = store::open(&rhumb_disk::real(), &tables, &settings.store()).expect("opened");
    let mut known = Known::default();
    let text = |candidate: &Candidate| format!("{} {:?}", candidate.url, candidate.errand);
    let backlog = &opened.holdings.backlog;
    for state in &opened.states {
        known.queued += state.frontier().queued();
        known.out.extend(state.out().map(|(_, out)| text(&out.entry.candidate)));
        for (bucket, _) in state.waiting_counts() {
            known.unsure.extend(state.waiting(bucket).iter().map(text));
        }
        let cold = state.frontier().stubs().map(|(key, _)| {
            let load = load_site(Arc::clone(&tables), backlog, key);
            load().expect("a cold site")
        });
        let warm = state.frontier().sites().filter_map(|(site, _)| state.dossier(site));
        for dossier in cold.chain(warm) {
            let of_site = state.out().filter(|(_, out)| out.entry.url().site() == dossier.site);
            assert_eq!(usize::from(dossier.state.in_flight()), of_site.count(), "{}", dossier.site);
            known.waiting.extend(dossier.state.entries().map(|entry| text(&entry.candidate)));
            for (scheme, shelf) in
                [Scheme::Http, Scheme::Https].into_iter().zip(dossier.state.shelves())
            {
                let lane = state.frontier().key(&dossier.site).lane(scheme);
                let count = usize::try_from(shelf.put - shelf.taken).expect("small");
                if count > 0 {
                    let read = backlog.read(lane, shelf.taken, count).run().expect("a shelf");
                    let taken = dossier.state.taken(scheme);
                    let left = read.entries.iter().filter(|(at, _)| !taken.plucked.contains(at));
                    known.waiting.extend(left.map(|(_, entry)| text(&entry.candidate)));
                }
            }
        }
    }
    known.queued +=
        opened.parcels.iter().flat_map(|parcel| parcel.candidates.iter()).count() as u64;
    known.waiting.extend(opened.parcels.iter().flat_map(|it| it.candidates.iter()).map(text));
    known.roots.extend(opened.holdings.roots().map(ToString::to_string));
    known
}

fn without(known: &mut Known, is_gone: impl Fn(&str) -> bool) {
    let all = known.waiting.len();
    for list in [&mut known.waiting, &mut known.out, &mut known.unsure, &mut known.roots] {
        let before = list.len();
        list.retain(|text| !is_gone(text));
        assert!(list.len() <= before);
    }
    known.queued -= (all - known.waiting.len()) as u64;
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

fn has(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

#[track_caller]
fn check_no_trace(settings: &CrawlSettings, word: &str) {
    for path in files(&settings.folder) {
        let bytes = std::fs::read(&path).expect("a file");
        assert!(!has(&bytes, word), "{word} in {}", path.display());
    }
    let tables = open(settings).expect("tables");
    for table in Table::ALL {
        for row in tables.range(table, &[]) {
            let (key, row) = row.expect("a row");
            assert!(!has(&row, word), "{word} in the row {key:?} of {table:?}");
        }
    }
}

/// A crawl in a folder of its own, as it was killed.
fn crawl() -> (tempfile::TempDir, CrawlSettings) {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path());
    killed(&settings);
    let clicks = Clicks::open(folder.path()).expect("clicks");
    for clicked in CLICKED {
        clicks.count(&url(clicked)).expect("counted");
    }
    (folder, settings)
}

#[test]
fn a_killed_crawl_has_all_kinds_of_traces_before_a_takedown() {
    let (_folder, settings) = crawl();
    let known = known_of(&settings);
    for host in ["kept.test/", "gone.test/"] {
        for list in [&known.waiting, &known.out, &known.unsure, &known.roots] {
            assert!(list.iter().any(|text| text.contains(host)), "{host} in {known:?}");
        }
    }
    let shelved = known.waiting.len();
    assert!(shelved > 2 * LINKS, "{shelved}");
    let is_parcel = |text: &&String| text.contains("in-a-parcel");
    assert_eq!(known.waiting.iter().filter(is_parcel).count(), 3, "parcels are under way");
}

#[test]
fn a_forgotten_host_is_gone_and_others_are_as_they_were_whatever_stage_was_the_last() {
    let (_folder, settings) = crawl();
    let mut expect = known_of(&settings);
    without(&mut expect, |text| text.contains("gone.test"));
    for stages in 0..=3 {
        let (_folder, settings) = crawl();
        record(&settings, &Target::Site("gone.test".to_owned())).expect("recorded");
        let mut forgot = Forgot::default();
        for _ in 0..stages {
            assert!(advance(&settings, &mut forgot).expect("a stage"));
        }
        let last = finish(&settings).expect("finished");
        let forgot = if stages < 2 { last } else { forgot };
        assert!(forgot.queued > LINKS as u64 && forgot.urls > 0, "{stages}: {forgot:?}");
        check_no_trace(&settings, "gone.test");
        assert!(known_of(&settings) == expect, "after {stages} stages");
        assert_eq!(clicked(&settings), CLICKED[1..]);
        let tables = open(&settings).expect("tables");
        let forgotten = known(&*tables).expect("known");
        assert!(forgotten.covers(&url("https://gone.test:8080/x")));
        assert_eq!(finish_again(&settings, tables), Forgot::default());
    }
}

#[test]
fn clicks_that_cannot_be_read_go_with_a_takedown_and_hold_nothing_up() {
    let target = Target::Site("gone.test".to_owned());
    let (_folder, settings) = crawl();
    let path = settings.folder.join("clicks");
    std::fs::write(&path, "rhclick\x02 http://gone.test/").expect("written");
    forget(&settings, &target).expect("forgotten");
    assert!(!path.exists());
    check_no_trace(&settings, "gone.test");
    // A folder of that name cannot be removed as a file.
    let (_folder, settings) = crawl();
    let stuck = settings.folder.join("clicks.aside");
    std::fs::create_dir(&stuck).expect("a folder");
    record(&settings, &target).expect("recorded");
    finish(&settings).expect("a start does not need them");
    let told = forget(&settings, &target).expect_err("they are still there").to_string();
    assert!(told.starts_with(&format!("cannot remove {}: ", stuck.display())), "{told}");
    open_tables(&settings).expect("a start does not need them");
    std::fs::remove_dir(&stuck).expect("removed");
    forget(&settings, &target).expect("the same again");
    assert_eq!(clicked(&settings), CLICKED[1..]);
}

/// The pages that were opened.
fn clicked(settings: &CrawlSettings) -> Vec<String> {
    let most = Clicks::open(&settings.folder).and_then(|clicks| clicks.most(9));
    most.expect("clicks").into_iter().map(|(url, _)| url).collect()
}

fn finish_again(settings: &CrawlSettings, tables: Arc<dyn Tables>) -> Forgot {
    drop(tables);
    finish(settings).expect("there is nothing to finish")
}

#[test]
fn a_forgotten_url_leaves_its_site_in_order() {
    let (_folder, settings) = crawl();
    let before = known_of(&settings);
    let out = before.out.iter().find(|text| text.starts_with("http://kept.test/"));
    let out = out.and_then(|text| text.split(' ').next()).expect("one is out").to_owned();
    let last = format!("http://kept.test/p{}", LINKS - 1);
    assert_eq!(last, CLICKED[1]);
    for gone in [out, last, "http://kept.test/foggy".to_owned()] {
        let (_folder, settings) = crawl();
        let mut expect = known_of(&settings);
        without(&mut expect, |text| text.split(' ').next() == Some(&gone));
        let forgot = forget(&settings, &Target::Url(url(&gone))).expect("forgotten");
        assert_eq!(forgot.urls, 0);
        assert!(!clicked(&settings).contains(&gone), "{gone}");
        let known = known_of(&settings);
        assert!(known == expect, "{gone}");
        assert!(known.waiting.len() + 1 >= before.waiting.len());
    }
}
