//! What a crawl that does not run knows of the contents of its pages.

use rhumb_web::{CanonUrl, Mark, UrlKey};

use super::telling::original_of;
use crate::partition::{State, UrlRecord};
use crate::shell::{CrawlError, CrawlSettings};
use crate::store::{View, read_record};

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
    /// That it is not what its status says: `soft-404`, `parked`, `challenge`.
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

    fn record(&self, key: UrlKey) -> Result<Option<UrlRecord>, CrawlError> {
        let recent = self.view.states.iter().find_map(|state| State::record_of(state, key));
        let known = read_record(&*self.view.holdings.tables, key)?;
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
        Ok(record)
    }
}
