//! A worker carries one ticket: fetch, read, keep, report.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use rhumb_archive::{Capture, Compared, Earlier, Encoded, Kind as RecordKind, Lookup, Miss};
use rhumb_fetch::{BROWSER_AGENT, Conditions, Fetcher};
use rhumb_formats::{Extract, Formats, Kind};
use rhumb_rules::Rules;
use rhumb_web::{
    Candidate, CanonUrl, Copies, Errand, Exchange, Failure, Hold, Outcome, PartitionId, Site, Span,
    Tick, Ticket, TicketNumber,
};
use tokio::sync::{Semaphore, mpsc};

use super::clock::Clock;
use super::committer::Counter;
use super::desk::Notice;
use super::meter::{Meter, Stage};
use super::reading::{Reader, Reading};
use super::report::Report;
use crate::partition::{Asked, Finding, Return};

/// Bodies above this are read on a thread of their own, so that they hold up no other exchange.
const LARGE_BODY: usize = 256 * 1024;

/// What a packed file begins with.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// Large bodies that are read at once.
const LARGE_AT_ONCE: usize = 4;
/// A ticket that was held up too long comes on turn again after this.
const HELD_UP: Span = Span::seconds(1);

/// What the archive is told of a fetch beside its exchange.
pub(super) type Fields = Vec<(&'static str, String)>;

/// What all tickets of a crawl share.
pub(super) struct Worker {
    fetcher: Fetcher,
    reader: Reader,
    counter: Counter,
    clock: Clock,
    /// Documents that are no pages; they are only kept where nobody can read them.
    formats: Option<Formats>,
    /// Turns for large bodies: each may grow to many times its size while it is read.
    large: Semaphore,
    /// Turns for packed sitemaps, apart: large bodies of others must not hold them up.
    packed: Semaphore,
    notices: mpsc::Sender<Notice>,
}

/// What a worker knows of a fetch beside what came of it.
struct Carried {
    candidate: Candidate,
    number: u64,
    /// The copies of its page so far.
    copies: Option<Copies>,
    fields: Fields,
}

/// What comes back to the desk: a ticket for its partition, and refusals for whoever listens.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) partition: PartitionId,
    pub(super) returned: Box<Return>,
    pub(super) refusals: Vec<Report>,
}

impl Worker {
    pub(super) fn new(
        fetcher: Fetcher,
        formats: Option<Formats>,
        reader: Reader,
        counter: Counter,
        clock: Clock,
        notices: mpsc::Sender<Notice>,
    ) -> Self {
        let turns = || Semaphore::new(LARGE_AT_ONCE);
        let (large, packed) = (turns(), turns());
        Self { fetcher, reader, counter, clock, formats, large, packed, notices }
    }

    pub(super) fn close_idle(&self) {
        self.fetcher.close_idle();
    }

    pub(super) fn prefetch(&self, site: &Site) {
        self.fetcher.prefetch(site);
    }

    /// How long the parts of the work take.
    pub(super) fn meter(&self) -> &Meter {
        self.counter.meter()
    }

    /// Bytes of bodies that are in memory.
    pub(super) fn bodies_held(&self) -> u64 {
        self.fetcher.bodies_held()
    }

    /// Where the desk brings its facts.
    pub(super) fn counter(&self) -> &Counter {
        &self.counter
    }

    /// Fetches what a ticket is for, reads it and keeps it.
    pub(super) async fn carry(
        self: Arc<Self>,
        from: PartitionId,
        ticket: Ticket,
        asked: Asked,
        rules: Arc<Rules>,
    ) {
        let tick = self.clock.now();
        let (began, began_at) = (SystemTime::now(), Instant::now());
        let fields = fields(&ticket.candidate, ticket.number, tick, Some(&asked));
        let copies = asked.copies;
        let outcome = if tick + Span::from(self.fetcher.patience()) > ticket.expires {
            // It might still be under way when its site is visited again.
            Outcome::AddressBusy(HELD_UP.duration())
        } else if asked.is_as_browser() {
            self.fetcher.run_as_browser(&ticket).await
        } else {
            let conditions = Conditions { etag: asked.etag, ..Conditions::default() };
            self.fetcher.run(&ticket, &conditions).await
        };
        let took = Span::from(began_at.elapsed());
        let mut arrival = Arrival {
            partition: from,
            returned: Box::new(Return {
                ticket,
                took,
                finding: Finding::PrivateAddress,
                digest: None,
                kept: None,
                excused: false,
            }),
            refusals: Vec::new(),
        };
        match outcome {
            Outcome::Answered(exchange) => {
                let ticket = &arrival.returned.ticket;
                let (candidate, number) = (ticket.candidate.clone(), ticket.number.0);
                let carried = Carried { candidate, number, copies, fields };
                self.take_in(arrival, exchange, carried, rules).await;
            }
            Outcome::Failed(failure) => self.take_down(arrival, failure, began, fields),
            Outcome::AddressBusy(wait) => {
                arrival.returned.finding = Finding::AddressBusy(Span::from(wait));
                self.report(arrival).await;
            }
            Outcome::PrivateAddress => self.report(arrival).await,
        }
    }

    /// Tells the desk of a fetch that leaves nothing in the archive.
    async fn report(&self, arrival: Arrival) {
        // The desk is gone only when the crawl has ended.
        self.notices.send(Notice::Arrived(arrival)).await.ok();
    }

    /// Reads and keeps an answer.
    async fn take_in(
        self: &Arc<Self>,
        mut arrival: Arrival,
        mut exchange: Box<Exchange>,
        carried: Carried,
        rules: Arc<Rules>,
    ) {
        self.meter().note_exchange(&exchange.phases);
        let (candidate, number) = (&carried.candidate, carried.number);
        let capture = Earlier { url: candidate.url.clone(), began: exchange.began };
        let document = self.document(candidate, &exchange).await;
        // Its records take as much memory until they are written.
        let hold = std::mem::take(&mut exchange.hold);
        // A sitemap may be packed: what it grows to is not seen from its size.
        let is_packed = candidate.errand == Errand::Sitemap && exchange.body.starts_with(GZIP);
        let turns = if is_packed { &self.packed } else { &self.large };
        let (reading, encoded, mut took) = if is_packed || exchange.body.len() > LARGE_BODY {
            let worker = Arc::clone(self);
            let turn = turns.acquire().await.expect("it is never closed");
            let work = move || worker.digest(carried, &exchange, document, &rules);
            let done = tokio::task::spawn_blocking(work).await;
            drop(turn);
            done.expect("reading a page does not panic")
        } else {
            self.digest(carried, &exchange, document, &rules)
        };
        // A body that was cut is nobody's original.
        let digest = encoded.payload_digest.filter(|_| reading.answer.cut.is_none());
        let is_repeat =
            encoded.records.first().is_some_and(|first| first.kind == RecordKind::Revisit);
        let mut records = vec![encoded];
        // A robots.txt is asked for once a day: as often the archive says where its name led.
        let ticket = &arrival.returned.ticket;
        if matches!(ticket.candidate.errand, Errand::Robots { .. }) {
            let began = Instant::now();
            records.extend(self.lookup(&ticket.candidate.url, number, capture.began));
            took += began.elapsed();
        }
        arrival.refusals = reading.refusals;
        arrival.returned.digest = digest.map(|digest| *digest.as_bytes());
        let mut answer = reading.answer;
        answer.content.kept_ms =
            Some(milliseconds(capture.began)).filter(|_| digest.is_some() && !is_repeat);
        arrival.returned.finding = Finding::Answered(Box::new(answer));
        // What is itself a reference is nobody's original.
        let original = digest.filter(|_| !is_repeat).map(|digest| (digest, capture));
        self.counter.deposit(records, arrival, original, hold, took);
    }

    /// What a document says that is no page, read in a process of its own.
    async fn document(
        &self,
        candidate: &Candidate,
        exchange: &Exchange,
    ) -> Option<(Kind, Extract)> {
        let formats = self.formats.as_ref()?;
        if candidate.errand != Errand::Page || !(200..300).contains(&exchange.status) {
            return None;
        }
        let media_type = exchange.header("content-type");
        let kind = Kind::of(&exchange.body, media_type, &candidate.url)?;
        let extract = formats.read(kind, exchange.body.clone()).await;
        Some((kind, extract))
    }

    /// The record of where the name of a URL leads, if it is a name.
    fn lookup(&self, url: &CanonUrl, number: u64, began: SystemTime) -> Option<Encoded> {
        let site = url.site();
        let (addresses, holds) = self.fetcher.lookup(&site)?;
        let host = site.host();
        let lookup = Lookup { host, number, began, server: None, addresses: &addresses, holds };
        Some(self.counter.encode(|encoder| encoder.lookup(&lookup)))
    }

    /// The work on one answer: what it says, its records, and how long those took without their
    /// digests.
    fn digest(
        &self,
        carried: Carried,
        exchange: &Exchange,
        document: Option<(Kind, Extract)>,
        rules: &Rules,
    ) -> (Reading, Encoded, Duration) {
        let Carried { candidate, number, copies, fields } = carried;
        let began = Instant::now();
        let mut reading = self.reader.read(&candidate, exchange, document, rules);
        self.reader.sample.compare(&candidate.url, &candidate.errand, copies, &mut reading);
        self.meter().note(Stage::Parse, began.elapsed());
        let mut capture = Capture::of(exchange, number);
        capture.fields.extend(fields);
        if self.fetcher.has_proxy() {
            capture.address = None;
        }
        let began = Instant::now();
        // A robots.txt is kept in full each time: an audit need not look for it elsewhere.
        let may_repeat = !matches!(candidate.errand, Errand::Robots { .. });
        let earlier = |digest: &_| self.counter.earlier(digest).filter(|_| may_repeat);
        let encoded = if reading.answer.is_copy {
            let compared = Compared { capture, status: exchange.status };
            self.counter.encode(|encoder| encoder.compared(&compared))
        } else {
            self.counter.encode(|encoder| encoder.capture(&capture, earlier))
        };
        let took = began.elapsed();
        let digesting = encoded.digest_took;
        self.meter().note(Stage::Digest, digesting);
        (reading, encoded, took.saturating_sub(digesting))
    }

    /// Keeps a note of a fetch without an answer.
    fn take_down(&self, mut arrival: Arrival, failure: Failure, began: SystemTime, fields: Fields) {
        self.meter().note_failure(failure);
        let Return { ticket, took, .. } = &*arrival.returned;
        let miss = Miss {
            url: &ticket.candidate.url,
            number: ticket.number.0,
            began,
            address: None,
            failure,
            took: took.duration(),
            fields,
        };
        let began = Instant::now();
        let encoded = self.counter.encode(|encoder| encoder.miss(&miss));
        let took = began.elapsed();
        arrival.returned.finding = Finding::Failed(failure);
        self.counter.deposit(vec![encoded], arrival, None, Hold::default(), took);
    }
}

fn milliseconds(time: SystemTime) -> u64 {
    Span::from(time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()).0
}

/// What the archive is told of a fetch that began then; by which manners, where that is known.
pub(super) fn fields(
    candidate: &Candidate,
    number: TicketNumber,
    began: Tick,
    asked: Option<&Asked>,
) -> Fields {
    let errand = match candidate.errand {
        Errand::Page | Errand::Compared(_) => "page",
        Errand::Sitemap => "sitemap",
        Errand::Robots { .. } => "robots",
    };
    let mut fields = vec![
        ("errand", errand.to_owned()),
        ("depth", candidate.depth.to_string()),
        ("tick", began.0.to_string()),
        ("ticket", number.0.to_string()),
    ];
    if let Some(asked) = asked {
        fields.push(("delayMs", asked.delay.0.to_string()));
        if asked.connections > 1 {
            fields.push(("connections", asked.connections.to_string()));
        }
    }
    // A ticket is for the page itself, and an entry that was cut off may be for a copy.
    let is_cut_off = matches!(candidate.errand, Errand::Compared(Copies::Own(_)));
    if is_cut_off || asked.is_some_and(Asked::is_as_browser) {
        fields.push(("guise", "browser".to_owned()));
        fields.push(("userAgent", BROWSER_AGENT.to_owned()));
    }
    if let Errand::Robots { origin, .. } = &candidate.errand {
        fields.push(("robotsFor", origin.to_string()));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(errand: Errand, asked: Option<&Asked>, expect: &str) {
        let url = CanonUrl::parse("http://a.test/robots.txt").unwrap();
        let candidate = Candidate::new(url, errand, 3, 0);
        let told = fields(&candidate, TicketNumber(7), Tick(1_500), asked);
        let lines: Vec<String> =
            told.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(lines.join(" "), expect);
    }

    #[test]
    fn the_archive_is_told_by_which_manners_was_asked() {
        let asked = |connections| Asked { delay: Span(250), connections, ..Asked::default() };
        let page = "errand=page depth=3 tick=1500 ticket=7";
        check(Errand::Page, None, page);
        check(Errand::Page, Some(&asked(1)), &format!("{page} delayMs=250"));
        check(Errand::Page, Some(&asked(4)), &format!("{page} delayMs=250 connections=4"));
        let disguised = format!("guise=browser userAgent={BROWSER_AGENT}");
        let browser = Asked { copies: Some(Copies::Own(7)), ..asked(1) };
        check(Errand::Page, Some(&browser), &format!("{page} delayMs=250 {disguised}"));
        check(Errand::Compared(Copies::Own(7)), None, &format!("{page} {disguised}"));
        check(Errand::Compared(Copies::Both { own: 7, browser: None }), None, page);
        let origin = CanonUrl::parse("https://b.test/x").unwrap().origin();
        check(
            Errand::Robots { origin, hops: 1 },
            Some(&asked(1)),
            "errand=robots depth=3 tick=1500 ticket=7 delayMs=250 robotsFor=https://b.test",
        );
    }
}
