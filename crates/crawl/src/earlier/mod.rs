//! What earlier crawls say of the pages of this one: which have likely changed since.
//!
//! The archives of those crawls are read once, by the indexes of their files, in the order of
//! their keys: all captures of a page come together, and all pages of a site. Between two captures
//! a page has changed if its payload is another, and so is its text. How often that was
//! gives its rate, the other pages of its site are the prior, and the time
//! since it was seen last makes a chance of it.
//!
//! Nothing is written to an earlier crawl, and it is not asked page by page: what is kept is a
//! [`Forecast`] of bounded size. It decides who goes first, and nothing else.

#[cfg(test)]
mod tests;
mod texts;

use std::path::{Path, PathBuf};

use rhumb_archive::{ArchiveError, Captures, Listed};
use rhumb_order::{Forecast, Forecaster, Interval, Outlook, Prior, chance, rate};
use rhumb_web::{Canon, CanonUrl, HashKey, UrlKey};

use crate::store::ARCHIVE;
use texts::Texts;

/// Captures of one key that are looked at: a page that has more is known well by then.
const CAPTURES_MAX: usize = 1_024;
/// Pages of one site that are held until their prior is known; the next ones have the same.
const SITE_PAGES_MAX: usize = 50_000;

/// How earlier crawls are read.
#[derive(Clone, Copy, Debug)]
pub struct Looking {
    /// The secret of the hashes of the crawl that asks.
    pub hash: HashKey,
    /// How that writes URLs.
    pub canon: Canon,
    /// The present, in seconds since 1970.
    pub now_s: u64,
    /// Bytes that its forecast may take.
    pub bytes: usize,
}

/// What was found in earlier crawls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How many crawls there are.
    pub crawls: u64,
    /// Pages of them.
    pub pages: u64,
    /// Pages that likely have changed since.
    pub changed: u64,
    /// Pages that likely have not.
    pub unchanged: u64,
}

/// Whether the crawl in a folder can be read.
pub fn check(folder: &Path) -> Result<(), ArchiveError> {
    Captures::open(&[folder.join(ARCHIVE)]).map(drop)
}

/// Reads the crawls in these folders.
pub fn read(folders: &[PathBuf], looking: Looking) -> Result<(Forecast, Found), ArchiveError> {
    let archives: Vec<PathBuf> = folders.iter().map(|folder| folder.join(ARCHIVE)).collect();
    let mut captures = Captures::open(&archives)?;
    let mut survey = Survey::new(looking, archives);
    let mut same_key: Vec<Listed> = Vec::new();
    while let Some(listed) = captures.next()? {
        if same_key.first().is_some_and(|first| first.key != listed.key) {
            survey.take(&mut same_key);
        }
        if same_key.len() < CAPTURES_MAX {
            same_key.push(listed);
        }
    }
    survey.take(&mut same_key);
    survey.settle();
    let crawls = u64::try_from(folders.len()).expect("a length fits 64 bits");
    Ok((survey.forecaster.finish(), Found { crawls, ..survey.found }))
}

/// What is known while captures are read.
struct Survey {
    looking: Looking,
    texts: Texts,
    /// The site whose pages are read, as keys name it.
    site: String,
    pages: Vec<Page>,
    /// What the pages of the site say of any of them, once some were looked at.
    prior: Option<Prior>,
    forecaster: Forecaster,
    found: Found,
}

/// A page that was seen.
struct Page {
    key: UrlKey,
    last_s: u64,
    intervals: Vec<Interval>,
}

impl Survey {
    fn new(looking: Looking, archives: Vec<PathBuf>) -> Self {
        Self {
            looking,
            texts: Texts::new(archives, looking.canon),
            site: String::new(),
            pages: Vec::new(),
            prior: None,
            forecaster: Forecaster::new(looking.bytes),
            found: Found::default(),
        }
    }

    /// Takes in the captures of one key; several URLs may have it.
    fn take(&mut self, same_key: &mut Vec<Listed>) {
        let Some(first) = same_key.first() else { return };
        let site = first.key.split(')').next().unwrap_or_default();
        if site != self.site {
            let site = site.to_owned();
            self.settle();
            (self.site, self.prior) = (site, None);
        } else if self.pages.len() >= SITE_PAGES_MAX {
            self.settle();
        }
        let canon = self.looking.canon;
        let mut captures: Vec<(CanonUrl, Listed)> = same_key
            .drain(..)
            .filter(is_page)
            .filter_map(|it| Some((CanonUrl::parse_with(&it.url, canon).ok()?, it)))
            .collect();
        captures.sort_by(|(one, a), (other, b)| (one, a.at_s).cmp(&(other, b.at_s)));
        for captures in captures.chunk_by(|(one, _), (other, _)| one == other) {
            let page = self.page(captures);
            self.pages.push(page);
        }
    }

    /// What the captures of one page show, which are in the order of time.
    fn page(&mut self, captures: &[(CanonUrl, Listed)]) -> Page {
        let (url, first) = &captures[0];
        let mut page = Page {
            key: url.key(self.looking.hash),
            last_s: first.at_s,
            intervals: Vec::with_capacity(captures.len() - 1),
        };
        for pair in captures.windows(2) {
            let [(_, before), (_, after)] = pair else { continue };
            // Two of one second are one: an index tells no more of when they were made.
            if after.at_s == before.at_s {
                continue;
            }
            let has_changed = before.version.digest != after.version.digest
                && !self.texts.are_same(url, before, after);
            #[expect(clippy::cast_precision_loss, reason = "it is no longer than the calendar")]
            let length = (after.at_s - before.at_s) as f64;
            page.intervals.push(Interval { length, has_changed });
            page.last_s = after.at_s;
        }
        page
    }

    /// Says what is expected of the pages that are held.
    fn settle(&mut self) {
        let intervals = self.pages.iter().map(|page| page.intervals.as_slice());
        self.prior = self.prior.or_else(|| Prior::of(intervals));
        for page in self.pages.drain(..) {
            self.found.pages += 1;
            let Some(rate) = rate(&page.intervals, self.prior) else { continue };
            #[expect(clippy::cast_precision_loss, reason = "it is no longer than the calendar")]
            let age = self.looking.now_s.saturating_sub(page.last_s) as f64;
            let chance = chance(rate, age);
            match Outlook::of(chance) {
                Outlook::Changed => self.found.changed += 1,
                Outlook::Unchanged => self.found.unchanged += 1,
                Outlook::Unknown => {}
            }
            self.forecaster.note(page.key, chance);
        }
    }
}

/// Whether a capture shows a page: an answer with a payload, and no robots.txt.
fn is_page(listed: &Listed) -> bool {
    let Listed { key, version, .. } = listed;
    matches!(version.status, Some(200..300))
        && version.digest.is_some()
        && !key.ends_with(")/robots.txt")
}
