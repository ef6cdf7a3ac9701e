//! What a crawl that does not run knows of the contents of its pages.

use std::collections::HashSet;

use rhumb_archive::Position;
use rhumb_web::{CanonUrl, HashKey, Mark, UrlKey};

use super::telling::original_of;
use crate::partition::{Settlement, State, UrlRecord};
use crate::shell::{CrawlError, CrawlSettings};
use crate::store::{View, read_record, records};

/// The contents of a crawl's pages, to be asked page by page.
#[derive(Debug)]
pub struct Contents {
    settings: CrawlSettings,
    view: View,
}

/// What is known of a page beyond what it says itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AboutPage {
    /// The page that had the same before, if it still has a name.
    pub duplicate_of: Option<CanonUrl>,
    /// How alike both are: `same`, `near`, `canonical`.
    pub likeness: Option<&'static str>,
    /// That it is not what its status says: `soft-404`, `parked`, `challenge`; or
    /// made to be found: `spam`, `doorway`, `cloaked`.
    pub mark: Option<&'static str>,
}

impl Contents {
    pub(super) fn new(settings: CrawlSettings, view: View) -> Self {
        Self { settings, view }
    }

    /// What is known of a page.
    pub fn about(&self, url: &CanonUrl) -> Result<AboutPage, CrawlError> {
        let key = url.key(self.settings.hash);
        let Some(record) = self.record(key)? else { return Ok(AboutPage::default()) };
        let told = &record.story.told;
        let Some(twin) = told.twin else {
            let duplicate_of = record.story.duplicate_of;
            let likeness = duplicate_of.as_ref().map(|_| "same");
            return Ok(AboutPage { duplicate_of, likeness, mark: told.mark.map(Mark::word) });
        };
        let original = original_of(twin, &mut |key| self.record(key))?;
        Ok(AboutPage {
            duplicate_of: original.and_then(|record| record.story.url),
            likeness: Some(twin.how.word()),
            mark: told.mark.map(Mark::word),
        })
    }

    /// The secret of the crawl's hashes.
    pub fn hash(&self) -> HashKey {
        self.settings.hash
    }

    /// How far the log knows the archive: records behind that belong to no fetch.
    pub fn archive_end(&self) -> Position {
        self.view.archive
    }

    /// What was found of a URL at its last answer, if that was a success: the page that had the
    /// same before, and what it turned out to be. That original may have one of its own.
    pub fn told_of(&self, key: UrlKey) -> Result<(Option<UrlKey>, Option<Mark>), CrawlError> {
        Ok(self.record(key)?.map(|record| self.verdict(&record)).unwrap_or_default())
    }

    /// The same of every URL with an original or a mark, in no order.
    pub fn each_told(
        &self,
        mut tell: impl FnMut(UrlKey, Option<UrlKey>, Option<Mark>),
    ) -> Result<(), CrawlError> {
        let mut told = |key, record: &UrlRecord| {
            let (original, mark) = self.verdict(record);
            if original.is_some() || mark.is_some() {
                tell(key, original, mark);
            }
        };
        let mut met = HashSet::new();
        for row in records(&*self.view.holdings.tables) {
            let (key, record) = row?;
            let recent = self.view.states.iter().find_map(|state| State::record_of(state, key));
            if recent.is_some() {
                met.insert(key);
            }
            if let Some(record) = self.completed(key, Some(record), recent) {
                told(key, &record);
            }
        }
        for state in &self.view.states {
            let recent = state.recent().filter(|(key, _)| !met.contains(key));
            for (key, record) in recent {
                told(*key, record);
            }
        }
        Ok(())
    }

    /// As a running crawl tells it to whoever follows: any other answer says nothing of a page.
    fn verdict(&self, record: &UrlRecord) -> (Option<UrlKey>, Option<Mark>) {
        if !matches!(record.result, Settlement::Answered(200..300)) {
            return (None, None);
        }
        let story = &record.story;
        let before = || story.duplicate_of.as_ref().map(|url| url.key(self.settings.hash));
        (story.told.twin.map(|twin| twin.of).or_else(before), story.told.mark)
    }

    fn record(&self, key: UrlKey) -> Result<Option<UrlRecord>, CrawlError> {
        let recent = self.view.states.iter().find_map(|state| State::record_of(state, key));
        let known = read_record(&*self.view.holdings.tables, key)?;
        Ok(self.completed(key, known, recent))
    }

    /// What the tables know of a URL, with what happened since.
    fn completed(
        &self,
        key: UrlKey,
        known: Option<UrlRecord>,
        recent: Option<&UrlRecord>,
    ) -> Option<UrlRecord> {
        let mut record = match (known, recent) {
            (Some(mut known), Some(recent)) => {
                known.follow(recent);
                Some(known)
            }
            (known, recent) => known.or_else(|| recent.cloned()),
        };
        let late = self.view.states.iter().find_map(|state| state.likened_of(key));
        if let (Some(record), Some(twin)) = (&mut record, late) {
            record.story.told.twin.get_or_insert(twin);
        }
        record
    }
}
