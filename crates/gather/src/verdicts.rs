//! What the crawl has found out of pages beside what they say: originals and marks.

use std::collections::HashMap;

use rhumb_archive::Position;
use rhumb_crawl::ask::Contents;
use rhumb_crawl::shell::CrawlError;
use rhumb_web::{Mark, UrlKey};

/// Verdicts that are held at once while a crawl at rest is read. Those behind them come to effect
/// at its end, by which pages are taken in twice.
const HELD_MAX: usize = 1 << 21;

/// What was found out of one page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The page that had the same before.
    pub(crate) original: Option<UrlKey>,
    /// That it is not what its status says, or made to be found.
    pub(crate) mark: Option<Mark>,
}

impl Verdict {
    /// Whether there is no page to be found: whoever looks for spam finds it.
    pub(crate) fn is_no_page(&self) -> bool {
        self.mark.is_some_and(Mark::is_no_page)
    }

    /// Whether the page is to be found behind others.
    pub(crate) fn sinks(&self) -> bool {
        self.mark.is_some_and(Mark::sinks)
    }
}

/// The verdicts that are known before their pages are read.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    /// Of a crawl at rest: as things stand at its end.
    by_key: HashMap<UrlKey, Verdict>,
    /// Of a crawl that runs: on the very capture whose records end there.
    by_end: HashMap<Position, Verdict>,
}

impl Verdicts {
    /// Those of a crawl at rest.
    pub(crate) fn of(contents: &Contents) -> Result<Self, CrawlError> {
        let mut by_key = HashMap::new();
        contents.each_told(|key, original, mark| {
            if by_key.len() < HELD_MAX {
                by_key.insert(key, Verdict { original, mark });
            }
        })?;
        Ok(Self { by_key, by_end: HashMap::new() })
    }

    /// Takes one in that a running crawl tells.
    pub(crate) fn add(&mut self, end: Position, verdict: Verdict) {
        self.by_end.insert(end, verdict);
    }

    /// The verdict on a page whose records end there.
    pub(crate) fn on(&self, key: UrlKey, end: Position) -> Verdict {
        let found = self.by_end.get(&end).or_else(|| self.by_key.get(&key));
        found.copied().unwrap_or_default()
    }

    /// Everything up to there was read.
    pub(crate) fn passed(&mut self, at: Position) {
        self.by_end.retain(|end, _| *end > at);
    }
}
