//! Keeping in step with a crawl that runs.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rhumb_archive::Position;
use rhumb_crawl::shell::{News, Stopwatch};
use rhumb_web::UrlKey;

use crate::error::GatherError;
use crate::gatherer::Gatherer;
use crate::verdicts::Verdict;

/// News of this time are taken in together: to open the archive for each page costs more than to
/// read it.
const GATHER_FOR: Duration = Duration::from_millis(250);
/// A crawl that brings fewer pages between two commits leaves time to add others again that have
/// more texts of links now, this many at most.
const CALM_PAGES: u64 = 200;
const REFRESHED_MAX: usize = 64;
/// How long nothing need be done while nothing comes.
const IDLE: Duration = Duration::from_hours(1);

/// What came of waiting for news.
#[derive(Debug, Default)]
struct Heard {
    /// How far the archive is known.
    kept: Option<Position>,
    /// Pages that were taken for originals, and their originals.
    likened: Vec<(UrlKey, UrlKey)>,
    has_ended: bool,
}

impl Gatherer {
    /// Reads behind a running crawl, and commits every few moments, until the crawl has ended. How
    /// long each page took is noted.
    pub fn follow(mut self, news: &Receiver<News>, took: &Stopwatch) -> Result<(), GatherError> {
        self.took = took.clone();
        let mut committed = Instant::now();
        let (mut is_dirty, mut pages) = (false, 0);
        loop {
            let every = self.settings.commit_every;
            let wait = if is_dirty { every.saturating_sub(committed.elapsed()) } else { IDLE };
            let heard = self.hear(news, wait);
            if let Some(kept) = heard.kept.filter(|kept| *kept > self.at) {
                if heard.has_ended {
                    self.note_links(kept, None)?;
                }
                self.read_to(kept, None, &mut |_| {})?;
                is_dirty = true;
            }
            for (key, original) in heard.likened {
                self.correct(key, Verdict { original: Some(original), mark: None })?;
                is_dirty = true;
            }
            if heard.has_ended {
                return self.finish(self.is_settled);
            }
            if is_dirty && committed.elapsed() >= every {
                let is_calm = self.caught.pages - pages < CALM_PAGES;
                let refreshed = if is_calm { self.index.refresh(REFRESHED_MAX)? } else { 0 };
                self.commit()?;
                // The ranks that there are serve until those of the end, which tells what failed.
                self.index.rank().ok();
                pages = self.caught.pages;
                (committed, is_dirty) = (Instant::now(), refreshed == REFRESHED_MAX);
            }
        }
    }

    /// Waits for news at most so long, and then a moment for more of them.
    fn hear(&mut self, news: &Receiver<News>, wait: Duration) -> Heard {
        let mut heard = Heard::default();
        let mut until = Instant::now() + wait;
        let mut is_first = true;
        loop {
            match news.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(one) => self.note(one, &mut heard),
                Err(RecvTimeoutError::Timeout) => return heard,
                Err(RecvTimeoutError::Disconnected) => {
                    heard.has_ended = true;
                    return heard;
                }
            }
            if std::mem::take(&mut is_first) {
                until = until.min(Instant::now() + GATHER_FOR);
            }
        }
    }

    fn note(&mut self, news: News, heard: &mut Heard) {
        match news {
            News::Told { end, original, mark, .. } => {
                self.verdicts.add(end, Verdict { original, mark });
            }
            News::Kept(position) => heard.kept = heard.kept.max(Some(position)),
            News::Likened { key, original } => heard.likened.push((key, original)),
        }
    }
}
