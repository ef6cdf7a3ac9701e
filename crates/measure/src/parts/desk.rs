//! A whole crawl without a web: real partitions, real seen-set, answers made up on the spot.

use std::path::Path;
use std::sync::Arc;

use rhumb_archive::{About, ArchiveSettings, CrawlId};
use rhumb_crawl::partition::{
    Answer, Effect, Event, Fact, Finding, Partition, PartitionSettings, Return, Turn,
};
use rhumb_crawl::store::{self, Holdings, Identity, SeenHandle, Store, StoreError, StoreSettings};
use rhumb_crawl::tables::{MemoryTables, Tables};
use rhumb_frontier::Manners;
use rhumb_web::{Candidate, CanonUrl, Epoch, Errand, PartitionId, Span, Tick, Ticket};

use super::reading::{HASH, PARTITIONS};
use super::timing::seconds;

/// Links of a page.
pub(super) const LINKS: usize = 31;
/// Sites, and pages of each that are known at the beginning. Every page brings one that is new,
/// so that as many are waiting at the end.
const SITES: u64 = 500;
const QUEUED: u64 = 8;
/// Pages under way at once.
const AT_ONCE: u32 = 64;
/// Tickets that one partition gives in one go.
const TICKETS_A_TURN: usize = 2;
/// From one look at the queues to the next: longer than any gap.
const LOOK_EVERY: Span = Span::seconds(1);
/// Memory that is never used up.
const SEEN_BYTES: usize = 64 << 20;
const PARTITION_BYTES: usize = 64 << 20;

/// What large sites have: 40 lines.
pub(super) const ROBOTS: &str = "\
User-agent: GreedyBot
User-agent: CopyBot
Disallow: /

User-agent: *
Disallow: /admin/
Disallow: /cart
Disallow: /checkout/
Disallow: /search
Disallow: /search?*q=
Disallow: /login
Disallow: /logout
Disallow: /account/
Disallow: /api/
Disallow: /cgi-bin/
Disallow: /tmp/
Disallow: /private/
Disallow: /print/
Disallow: /*/print$
Disallow: /*.pdf$
Disallow: /*?sort=
Disallow: /*?*sessionid=
Disallow: /*&replytocom=
Disallow: /comments/feed/
Disallow: /trackback/
Disallow: /xmlrpc.php
Disallow: /wp-admin/
Allow: /wp-admin/admin-ajax.php
Disallow: /wp-includes/
Disallow: /archive/*/old/
Allow: /archive/2026/
Disallow: /users/*/edit
Disallow: /tags/*/feed
Disallow: /media/raw/
Disallow: /preview/
Disallow: /beta/
Disallow: /compare/
Disallow: /basket/
Disallow: /basket?
Sitemap: https://www.example.org/sitemap.xml
";

/// Facts of one turn: whose, when, which.
pub(super) type Said = (PartitionId, Tick, Vec<Fact>);

/// Partitions that are asked for tickets and given answers.
pub(super) struct Desk {
    partitions: Vec<Partition<SeenHandle>>,
    store: Store,
    /// The partitions' seen-set is in it.
    _holdings: Holdings,
    now: Tick,
    /// Which partition is asked next.
    next: usize,
    /// URLs that were ever made.
    made: u64,
    page_bytes: u64,
    /// What was said, if it is wanted.
    said: Option<Vec<Said>>,
}

impl Desk {
    /// A crawl of pages of this size, with its log in a folder.
    pub(super) fn open(folder: &Path, page_bytes: u64) -> Result<Self, StoreError> {
        let settings = StoreSettings {
            folder: folder.to_owned(),
            archive: ArchiveSettings {
                prefix: "bench".to_owned(),
                rotate_bytes: u64::MAX,
                crawl: CrawlId([7; 16]),
                about: About::default(),
            },
            identity: Identity::new(PARTITIONS, HASH, 0),
            agent: "rhumb".to_owned(),
            seen_memory: SEEN_BYTES,
            likeness_memory: SEEN_BYTES,
        };
        let tables: Arc<dyn Tables> = Arc::new(MemoryTables::default());
        let opened = store::open(&rhumb_disk::real(), &tables, &settings)?;
        let manners = Manners { delay: Span::ZERO, delay_is_explicit: true, ..Manners::default() };
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
                memory: PARTITION_BYTES,
            };
            Partition::with_state(settings, state)
        };
        let mut desk = Self {
            partitions: (0..PARTITIONS)
                .map(PartitionId)
                .zip(opened.states)
                .map(partition)
                .collect(),
            store: opened.store,
            _holdings: opened.holdings,
            now: Tick(1),
            next: 0,
            made: SITES * QUEUED,
            page_bytes,
            said: None,
        };
        for number in 0..desk.made {
            let (owner, candidate) = owned(number);
            desk.turn(owner, Event::Seeds(vec![candidate]));
        }
        // Every site has been asked for its robots.txt.
        desk.pages(u32::try_from(SITES).expect("few"));
        Ok(desk)
    }

    /// Fetches so many pages, and says how many seconds one of them took.
    pub(super) fn pages(&mut self, count: u32) -> f64 {
        let (mut done, mut took) = (0, 0.0);
        while done < count {
            let before = seconds();
            let tickets = self.issue(AT_ONCE.min(count - done));
            took += seconds() - before;
            done += u32::try_from(tickets.iter().filter(|(_, it)| is_page(it)).count())
                .expect("a few at once");
            let returns: Vec<_> =
                tickets.into_iter().map(|(owner, ticket)| (owner, self.answer(ticket))).collect();
            let before = seconds();
            for (owner, returned) in returns {
                self.turn(owner, Event::Returned(Box::new(returned)));
            }
            took += seconds() - before;
        }
        took / f64::from(done)
    }

    /// The facts of so many pages.
    pub(super) fn said(&mut self, pages: u32) -> Vec<Said> {
        self.said = Some(Vec::new());
        self.pages(pages);
        self.said.take().unwrap_or_default()
    }

    /// What it would write to.
    pub(super) fn close(self) -> Store {
        self.store
    }

    fn issue(&mut self, count: u32) -> Vec<(PartitionId, Ticket)> {
        let count = usize::try_from(count).expect("a usize has 32 bits");
        self.now = self.now + LOOK_EVERY;
        let mut tickets = Vec::new();
        // Whoever comes last this time comes first the next time.
        for _ in 0..self.partitions.len() {
            let room = (count - tickets.len()).min(TICKETS_A_TURN);
            if room == 0 {
                break;
            }
            let place = self.next;
            self.next = (place + 1) % self.partitions.len();
            let mut turn = Turn::default();
            self.partitions[place].issue(self.now, room, &mut turn);
            let id = self.partitions[place].id();
            for effect in turn.effects {
                if let Effect::Fetch(ticket, _) = effect {
                    tickets.push((id, ticket));
                }
            }
            self.note(id, turn.facts);
        }
        tickets
    }

    fn turn(&mut self, owner: PartitionId, event: Event) {
        let mut turn = Turn::default();
        self.partitions[owner.index()].handle(self.now, event, &mut turn);
        self.note(owner, turn.facts);
        for effect in turn.effects {
            if let Effect::Send(parcel) = effect {
                self.turn(parcel.to, Event::Parcel(parcel));
            }
        }
    }

    fn note(&mut self, owner: PartitionId, facts: Vec<Fact>) {
        if let Some(said) = &mut self.said
            && !facts.is_empty()
        {
            said.push((owner, self.now, facts));
        }
    }

    /// A robots.txt; or a page with links, one of which is new.
    fn answer(&mut self, ticket: Ticket) -> Return {
        let mut answer = Answer { status: 200, bytes: self.page_bytes, ..Answer::default() };
        if is_page(&ticket) {
            let known = self.made;
            let link = |at: usize| {
                let at = u64::try_from(at).expect("a length fits 64 bits");
                owned(if at == 0 { known } else { mix(known * 64 + at) % known })
            };
            answer.candidates = (0..LINKS).map(link).collect();
            self.made += 1;
        } else {
            answer.robots = Some(ROBOTS.as_bytes().to_vec());
        }
        Return {
            ticket,
            took: Span(1),
            finding: Finding::Answered(Box::new(answer)),
            digest: Some([7; 20]),
            kept: None,
            excused: false,
        }
    }
}

fn is_page(ticket: &Ticket) -> bool {
    ticket.candidate.errand == Errand::Page
}

/// A URL and the partition that it belongs to.
fn owned(number: u64) -> (PartitionId, Candidate) {
    let candidate = candidate(number);
    (candidate.url.pld().partition(HASH, PARTITIONS), candidate)
}

/// The n-th URL, about 70 bytes long, on one of the sites.
pub(super) fn candidate(number: u64) -> Candidate {
    let site = number % SITES;
    let text = format!("http://host-{site:03}.example/articles/2026/{number:09}/a-title-in-words");
    let url = CanonUrl::parse(&text).expect("it is a URL");
    Candidate::new(url, Errand::Page, 3, 0)
}

/// Numbers that look like chance, and are always the same.
pub(super) fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
