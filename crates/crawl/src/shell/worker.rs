//! A worker carries one ticket: fetch, read, keep, report.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use rhumb_archive::{Capture, Earlier, Encoded, Kind, Lookup, Miss};
use rhumb_fetch::{Conditions, Fetcher};
use rhumb_rules::Rules;
use rhumb_web::{
    Candidate, CanonUrl, Errand, Exchange, Failure, Hold, Outcome, PartitionId, Site, Span, Ticket,
};
use tokio::sync::{Semaphore, mpsc};

use super::committer::Counter;
use super::desk::Notice;
use super::reading::{Reader, Reading};
use super::report::Report;
use crate::partition::{Finding, Return};

/// Bodies above this are read on a thread of their own, so that they hold up no other exchange.
const LARGE_BODY: usize = 256 * 1024;

/// What a packed file begins with.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// Large bodies that are read at once.
const LARGE_AT_ONCE: usize = 4;

/// What all tickets of a crawl share.
pub(super) struct Worker {
    fetcher: Fetcher,
    reader: Reader,
    counter: Counter,
    duplicates: AtomicU64,
    /// Turns for large bodies: each may grow to many times its size while it is read.
    large: Semaphore,
    /// Turns for packed sitemaps, apart: large bodies of others must not hold them up.
    packed: Semaphore,
    notices: mpsc::Sender<Notice>,
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
        reader: Reader,
        counter: Counter,
        notices: mpsc::Sender<Notice>,
    ) -> Self {
        let turns = || Semaphore::new(LARGE_AT_ONCE);
        let (large, packed) = (turns(), turns());
        Self { fetcher, reader, counter, duplicates: AtomicU64::new(0), large, packed, notices }
    }

    pub(super) fn close_idle(&self) {
        self.fetcher.close_idle();
    }

    pub(super) fn prefetch(&self, site: &Site) {
        self.fetcher.prefetch(site);
    }

    /// Pages that were kept as a reference to an earlier one.
    pub(super) fn duplicates(&self) -> u64 {
        self.duplicates.load(Ordering::Relaxed)
    }

    /// Where the desk brings its facts.
    pub(super) fn counter(&self) -> &Counter {
        &self.counter
    }

    pub(super) async fn carry(
        self: Arc<Self>,
        from: PartitionId,
        ticket: Ticket,
        etag: Option<String>,
        rules: Arc<Rules>,
    ) {
        let (began, began_at) = (SystemTime::now(), Instant::now());
        let conditions = Conditions { etag, ..Conditions::default() };
        let outcome = self.fetcher.run(&ticket, &conditions).await;
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
            Outcome::Answered(exchange) => self.take_in(arrival, exchange, rules).await,
            Outcome::Failed(failure) => self.take_down(arrival, failure, began),
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
        rules: Arc<Rules>,
    ) {
        let ticket = &arrival.returned.ticket;
        let (candidate, number) = (ticket.candidate.clone(), ticket.number.0);
        let capture = Earlier { url: candidate.url.clone(), began: exchange.began };
        // Its records take as much memory until they are written.
        let hold = std::mem::take(&mut exchange.hold);
        // A sitemap may be packed: what it grows to is not seen from its size.
        let is_packed = candidate.errand == Errand::Sitemap && exchange.body.starts_with(GZIP);
        let turns = if is_packed { &self.packed } else { &self.large };
        let (reading, encoded) = if is_packed || exchange.body.len() > LARGE_BODY {
            let worker = Arc::clone(self);
            let turn = turns.acquire().await.expect("it is never closed");
            let work = move || worker.digest(&candidate, number, &exchange, &rules);
            let done = tokio::task::spawn_blocking(work).await;
            drop(turn);
            done.expect("reading a page does not panic")
        } else {
            self.digest(&candidate, number, &exchange, &rules)
        };
        // A body that was cut is nobody's original.
        let digest = encoded.payload_digest.filter(|_| reading.answer.cut.is_none());
        let mut records = vec![encoded];
        // A robots.txt is asked for once a day: as often the archive says where its name led.
        let ticket = &arrival.returned.ticket;
        if matches!(ticket.candidate.errand, Errand::Robots { .. }) {
            records.extend(self.lookup(&ticket.candidate.url, number, capture.began));
        }
        arrival.refusals = reading.refusals;
        arrival.returned.digest = digest.map(|digest| *digest.as_bytes());
        arrival.returned.finding = Finding::Answered(Box::new(reading.answer));
        let original = digest.map(|digest| (digest, capture));
        self.counter.deposit(records, arrival, original, hold);
    }

    /// The record of where the name of a URL leads, if it is a name.
    fn lookup(&self, url: &CanonUrl, number: u64, began: SystemTime) -> Option<Encoded> {
        let site = url.site();
        let (addresses, holds) = self.fetcher.lookup(&site)?;
        let host = site.host();
        let lookup = Lookup { host, number, began, server: None, addresses: &addresses, holds };
        Some(self.counter.encode(|encoder| encoder.lookup(&lookup)))
    }

    /// The work on one answer: what it says, and its records.
    fn digest(
        &self,
        candidate: &Candidate,
        number: u64,
        exchange: &Exchange,
        rules: &Rules,
    ) -> (Reading, Encoded) {
        let reading = self.reader.read(candidate, exchange, rules);
        let mut capture = Capture::of(exchange, number);
        capture.fields.extend(fields(candidate));
        if self.fetcher.has_proxy() {
            capture.address = None;
        }
        let encoded = self
            .counter
            .encode(|encoder| encoder.capture(&capture, |digest| self.counter.earlier(digest)));
        let is_page = candidate.errand == Errand::Page && (200..300).contains(&exchange.status);
        let is_repeat = encoded.records.first().is_some_and(|first| first.kind == Kind::Revisit);
        self.duplicates.fetch_add(u64::from(is_page && is_repeat), Ordering::Relaxed);
        (reading, encoded)
    }

    /// Keeps a note of a fetch without an answer.
    fn take_down(&self, mut arrival: Arrival, failure: Failure, began: SystemTime) {
        let Return { ticket, took, .. } = &*arrival.returned;
        let candidate = &ticket.candidate;
        let miss = Miss {
            url: &candidate.url,
            number: ticket.number.0,
            began,
            address: None,
            failure,
            took: took.duration(),
            fields: fields(candidate).into(),
        };
        let encoded = self.counter.encode(|encoder| encoder.miss(&miss));
        arrival.returned.finding = Finding::Failed(failure);
        self.counter.deposit(vec![encoded], arrival, None, Hold::default());
    }
}

/// What the archive is told of a candidate beside its exchange.
fn fields(candidate: &Candidate) -> [(&'static str, String); 2] {
    let errand = match candidate.errand {
        Errand::Page => "page",
        Errand::Sitemap => "sitemap",
        Errand::Robots { .. } => "robots",
    };
    [("errand", errand.to_owned()), ("depth", candidate.depth.to_string())]
}
