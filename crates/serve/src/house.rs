//! What all pages are made from: the crawl that is asked, its index, its archive, and the last
//! minutes of it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use rhumb_crawl::ask::Status;
use rhumb_crawl::control::{Question, Reply};
use rhumb_index::{IndexError, Searcher, Searches};
use rhumb_web::{Canon, CanonUrl};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::api::Counter;
use crate::dashboard::{History, Streams};
use crate::http::{Gate, Limits, Refused};
use crate::search::Answers;
use crate::shelf::Shelf;
use crate::webmaster::Audits;

/// Questions to the crawl at once: each blocks a thread.
const ASKS_MAX: usize = 8;
/// Searches at once: more only wait for the same cores.
const SEARCHES_MAX: usize = 8;
/// How old a status may be that is shown.
const STATUS_AGE_MAX: Duration = Duration::from_millis(900);
/// The crawl is looked at this often, for charts and live pages.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The crawl, asked where it is: by whoever works on it, or by reading what lies there.
pub trait Crawl: Send + Sync {
    /// Answers, blocking; what it says names no path of this machine.
    fn ask(&self, question: Question) -> Result<Reply, Unanswered>;
}

/// Why a crawl could not be asked at all: it begins, ends, or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unanswered {
    /// What is in the way.
    pub what: String,
    /// What helps.
    pub advice: String,
}

/// What a house is furnished with.
#[derive(Clone, Debug)]
pub struct HouseSettings {
    /// The folder of the crawl.
    pub folder: PathBuf,
    /// The folder of its WARC files.
    pub archive: PathBuf,
    /// The folder of its index.
    pub index: PathBuf,
    /// How it makes URLs canonical.
    pub canon: Canon,
    /// The `User-Agent` that it sends.
    pub agent: String,
    /// The name by which robots.txt speaks to it.
    pub agent_token: String,
    /// How its operator can be reached.
    pub contact: Option<String>,
    /// Whether some of its requests are sent under the headers of a browser.
    pub is_disguised: bool,
    /// Whoever changes something must know this; none where only this machine is answered.
    pub token: Option<String>,
    /// Counts searches, for the one who writes the index and goes after them.
    pub searches: Searches,
}

/// All that pages are made from.
pub struct House {
    pub(crate) settings: HouseSettings,
    pub(crate) gate: Gate,
    pub(crate) history: History,
    pub(crate) audits: Arc<Audits>,
    pub(crate) counter: Arc<Counter>,
    pub(crate) streams: Streams,
    pub(crate) answers: Arc<Answers>,
    crawl: Arc<dyn Crawl>,
    asks: Arc<Semaphore>,
    searches: Arc<Semaphore>,
    shelf: Arc<Shelf>,
    status: Mutex<Option<(Instant, Arc<Status>)>>,
    news: watch::Sender<u64>,
}

impl House {
    /// A house before this crawl.
    pub fn new(settings: HouseSettings, crawl: Arc<dyn Crawl>) -> Arc<Self> {
        Self::with_limits(settings, crawl, Limits::default())
    }

    /// The same, where clients may do more or less than usual.
    pub fn with_limits(
        settings: HouseSettings,
        crawl: Arc<dyn Crawl>,
        limits: Limits,
    ) -> Arc<Self> {
        Arc::new(Self {
            gate: Gate::new(settings.token.clone(), limits),
            history: History::default(),
            audits: Audits::new(settings.archive.clone()),
            counter: Counter::new(settings.folder.clone()),
            streams: Streams::default(),
            answers: Arc::default(),
            crawl,
            asks: Arc::new(Semaphore::new(ASKS_MAX)),
            searches: Arc::new(Semaphore::new(SEARCHES_MAX)),
            shelf: Arc::new(Shelf::new(settings.index.clone())),
            status: Mutex::new(None),
            news: watch::Sender::new(0),
            settings,
        })
    }

    /// Looks at the crawl every other second, for as long as it is let.
    pub async fn watch(self: Arc<Self>) {
        let mut every = tokio::time::interval(LOOK_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            if let Ok(status) = self.status().await {
                self.history.note(&status);
            }
            self.news.send_modify(|looks| *looks += 1);
        }
    }

    /// Tells that the crawl was looked at again.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// The folder of the WARC files.
    pub(crate) fn archive(&self) -> &Path {
        &self.settings.archive
    }

    /// A URL as the crawl knows it.
    pub(crate) fn url(&self, text: &str) -> Result<CanonUrl, Refused> {
        CanonUrl::parse_with(text, self.settings.canon).map_err(|error| {
            Refused::wrong(format!("this is no URL: {error}"), "one such as https://example.org/")
        })
    }

    /// Asks the crawl; a refusal is one of ours.
    pub(crate) async fn ask(&self, question: Question) -> Result<Reply, Refused> {
        let seat = seat(&self.asks).await;
        let crawl = Arc::clone(&self.crawl);
        let ask = move || {
            let _seat = seat;
            crawl.ask(question)
        };
        let reply = tokio::task::spawn_blocking(ask).await;
        match reply.map_err(|_| Refused::busy("the crawl could not be asked"))? {
            Ok(Reply::Refused { what, advice }) => Err(Refused::wrong(what, advice)),
            Ok(reply) => Ok(reply),
            Err(Unanswered { what, advice }) => {
                Err(Refused::new(StatusCode::SERVICE_UNAVAILABLE, what, advice))
            }
        }
    }

    /// How the crawl stands, a second old at most.
    pub(crate) async fn status(&self) -> Result<Arc<Status>, Refused> {
        if let Some((at, status)) = self.last_status()
            && at.elapsed() < STATUS_AGE_MAX
        {
            return Ok(status);
        }
        let Reply::Status(status) = self.ask(Question::Status).await? else {
            return Err(Refused::busy("the crawl speaks of something else"));
        };
        let status = Arc::new(*status);
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((Instant::now(), Arc::clone(&status)));
        Ok(status)
    }

    /// The next status is asked for anew: something was changed.
    pub(crate) fn look_again(&self) {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn last_status(&self) -> Option<(Instant, Arc<Status>)> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Does something with the index on a thread that may block, a few at a time.
    pub(crate) async fn search<T: Send + 'static>(
        &self,
        f: impl FnOnce(&Searcher) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, Refused> {
        let seat = seat(&self.searches).await;
        self.settings.searches.count();
        let shelf = Arc::clone(&self.shelf);
        let search = move || {
            let _seat = seat;
            f(&*shelf.searcher()?)
        };
        let done = tokio::task::spawn_blocking(search).await;
        done.map_err(|_| Refused::busy("the search failed"))?.map_err(|error| refused(&error))
    }
}

impl std::fmt::Debug for House {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("House").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A seat that is taken until the work is done, whether anybody still waits for it or not.
async fn seat(seats: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    Arc::clone(seats).acquire_owned().await.expect("it is never closed")
}

/// A question that the index cannot answer.
fn refused(error: &IndexError) -> Refused {
    match error {
        IndexError::Query(wrong) => Refused::wrong(wrong.to_string(), wrong.advice.clone()),
        IndexError::NoIndex { .. } => Refused::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "this crawl has no index yet",
            "a crawl with --index, or rhumb index once it does not run",
        ),
        // Its words may name files.
        _ => Refused::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the index cannot be read at the moment",
            "rhumb index, which makes it anew, once the crawl does not run",
        ),
    }
}
