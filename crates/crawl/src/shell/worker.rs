//! A worker carries one ticket: fetch, read, keep, report.

use std::path::Path;
use std::sync::Arc;

use rhumb_fetch::{Conditions, Fetcher};
use rhumb_rules::Rules;
use rhumb_web::{Exchange, Outcome, PartitionId, Site, Span, Ticket};
use tokio::sync::mpsc;

use super::keep::{Keeper, PageRecord};
use super::reading::Reader;
use super::report::Report;
use crate::partition::{Event, Finding, Return};

/// Bodies above this are read on a thread of their own, so that they hold up no other exchange.
const LARGE_BODY: usize = 256 * 1024;
/// Pages that may wait to be written.
const PAGES_MAX: usize = 256;

/// What all tickets of a crawl share.
pub(super) struct Worker {
    fetcher: Fetcher,
    reader: Reader,
    events: mpsc::Sender<(PartitionId, Event)>,
    pages: mpsc::Sender<PageRecord>,
    /// Where refused links are told one by one, if anyone wants to know.
    refusals: Option<mpsc::Sender<Report>>,
}

impl Worker {
    pub(super) fn new(
        fetcher: Fetcher,
        reader: Reader,
        events: mpsc::Sender<(PartitionId, Event)>,
        pages: mpsc::Sender<PageRecord>,
        refusals: Option<mpsc::Sender<Report>>,
    ) -> Self {
        Self { fetcher, reader, events, pages, refusals }
    }

    pub(super) fn prefetch(&self, site: &Site) {
        self.fetcher.prefetch(site);
    }

    pub(super) async fn carry(
        self: Arc<Self>,
        from: PartitionId,
        ticket: Ticket,
        rules: Arc<Rules>,
    ) {
        let began = std::time::Instant::now();
        let outcome = self.fetcher.run(&ticket, &Conditions::default()).await;
        let took = Span::from(began.elapsed());
        let finding = match outcome {
            Outcome::Answered(exchange) => self.read(&ticket, exchange, rules).await,
            Outcome::Failed(failure) => Finding::Failed(failure),
            Outcome::AddressBusy(wait) => Finding::AddressBusy(Span::from(wait)),
            Outcome::PrivateAddress => Finding::PrivateAddress,
        };
        let returned = Return { ticket, took, finding, excused: false };
        // The desk is gone only when the crawl has ended.
        drop(self.events.send((from, Event::Returned(Box::new(returned)))).await);
    }

    async fn read(
        self: &Arc<Self>,
        ticket: &Ticket,
        exchange: Box<Exchange>,
        rules: Arc<Rules>,
    ) -> Finding {
        let candidate = ticket.candidate.clone();
        let reading = if exchange.body.len() > LARGE_BODY {
            let worker = Arc::clone(self);
            let read = move || worker.reader.read(&candidate, &exchange, &rules);
            tokio::task::spawn_blocking(read).await.expect("reading a page does not panic")
        } else {
            self.reader.read(&candidate, &exchange, &rules)
        };
        if let Some(page) = reading.page {
            // The page is handed over before the partition hears of it. The keeper is gone only
            // after a failed write, which ends the crawl.
            drop(self.pages.send(page).await);
        }
        if let Some(refusals) = &self.refusals {
            for report in reading.refusals {
                drop(refusals.send(report).await);
            }
        }
        Finding::Answered(Box::new(reading.answer))
    }
}

/// Starts the thread that writes pages; it ends, with the count of duplicates, once all senders
/// are gone.
pub(super) fn start_keeper(
    path: &Path,
) -> std::io::Result<(mpsc::Sender<PageRecord>, tokio::task::JoinHandle<std::io::Result<u64>>)> {
    let mut keeper = Keeper::open(path)?;
    let (sender, mut pages) = mpsc::channel(PAGES_MAX);
    let write = move || {
        while let Some(page) = pages.blocking_recv() {
            keeper.keep(page)?;
            if pages.is_empty() {
                keeper.flush()?;
            }
        }
        keeper.flush()?;
        Ok(keeper.duplicates)
    };
    Ok((sender, tokio::task::spawn_blocking(write)))
}
