//! What is expected of pages that were seen before, in bounded memory.
//!
//! Mercator's front queues: how often a document changed decides how soon it comes. Three classes
//! are enough for that, and a page of which nothing certain is expected is not remembered at all.

use rhumb_web::UrlKey;

/// From this chance on a page has likely changed: rather than not.
const CHANGED: f64 = 0.5;
/// Below this it likely has not.
const UNCHANGED: f64 = 0.1;
/// Bytes that a page takes while they are gathered.
const PAGE_BYTES: usize = 16;
/// Pages that are remembered in any case.
const PAGES_MIN: usize = 1_024;

/// What is expected of a page; what is worth more is greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outlook {
    /// It is likely as it was.
    Unchanged,
    /// Nothing is known of it, or nothing certain.
    #[default]
    Unknown,
    /// It likely has changed since it was seen.
    Changed,
}

impl Outlook {
    /// Of a page that has changed with this chance.
    pub fn of(chance: f64) -> Self {
        if chance >= CHANGED {
            Self::Changed
        } else if chance < UNCHANGED {
            Self::Unchanged
        } else {
            Self::Unknown
        }
    }
}

/// The outlook of pages, by their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forecast {
    /// In their order.
    changed: Vec<UrlKey>,
    /// In their order.
    unchanged: Vec<UrlKey>,
}

impl Forecast {
    /// What is expected of a page.
    pub fn of(&self, page: UrlKey) -> Outlook {
        if self.changed.binary_search(&page).is_ok() {
            Outlook::Changed
        } else if self.unchanged.binary_search(&page).is_ok() {
            Outlook::Unchanged
        } else {
            Outlook::Unknown
        }
    }
}

/// Gathers a forecast. Where there are too many pages the most certain ones stay.
#[derive(Debug)]
pub struct Forecaster {
    pages: Vec<(UrlKey, Lean)>,
    pages_max: usize,
}

/// An outlook with its certainty, from 0 to 255.
#[derive(Clone, Copy, Debug)]
struct Lean {
    has_changed: bool,
    certainty: u8,
}

impl Lean {
    fn of(chance: f64) -> Option<Self> {
        let (has_changed, certainty) = match Outlook::of(chance) {
            Outlook::Changed => (true, (chance - CHANGED) / (1.0 - CHANGED)),
            Outlook::Unchanged => (false, (UNCHANGED - chance) / UNCHANGED),
            Outlook::Unknown => return None,
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is between the ends of a byte"
        )]
        let certainty = (certainty.clamp(0.0, 1.0) * 255.0) as u8;
        Some(Self { has_changed, certainty })
    }
}

impl Forecaster {
    /// One that takes so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { pages: Vec::new(), pages_max: (bytes / PAGE_BYTES).max(PAGES_MIN) }
    }

    /// A page that has changed with this chance.
    pub fn note(&mut self, page: UrlKey, chance: f64) {
        let Some(lean) = Lean::of(chance) else { return };
        if self.pages.len() >= self.pages_max {
            let half = self.pages_max / 2;
            self.pages.select_nth_unstable_by_key(half, |(_, lean)| u8::MAX - lean.certainty);
            self.pages.truncate(half);
        }
        self.pages.push((page, lean));
    }

    /// All that stayed.
    pub fn finish(mut self) -> Forecast {
        self.pages.sort_unstable_by_key(|(page, _)| *page);
        let of = |has_changed: bool| {
            let pages = self.pages.iter().filter(|(_, lean)| lean.has_changed == has_changed);
            pages.map(|(page, _)| *page).collect()
        };
        Forecast { changed: of(true), unchanged: of(false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_expected_to_have_changed_or_not_or_nothing_is() {
        let mut forecaster = Forecaster::new(0);
        for (page, chance) in [(5, 0.5), (1, 0.99), (4, 0.499), (3, 0.1), (2, 0.099), (9, 0.0)] {
            forecaster.note(UrlKey(page), chance);
        }
        let forecast = forecaster.finish();
        let of = |page| forecast.of(UrlKey(page));
        assert_eq!([of(5), of(1)], [Outlook::Changed; 2]);
        assert_eq!([of(2), of(9)], [Outlook::Unchanged; 2]);
        assert_eq!([of(3), of(4), of(77)], [Outlook::Unknown; 3]);
        assert!(Outlook::Changed > Outlook::Unknown && Outlook::Unknown > Outlook::Unchanged);
    }

    #[test]
    fn where_there_are_too_many_pages_the_most_certain_ones_stay() {
        let mut forecaster = Forecaster::new(0);
        for page in 0..100_000_u64 {
            let chance = match page % 1_000 {
                0 => 1.0,
                1 => 0.0,
                odd if odd % 2 == 1 => 0.6,
                _ => 0.09,
            };
            forecaster.note(UrlKey(page), chance);
            assert!(forecaster.pages.len() <= PAGES_MIN);
        }
        let forecast = forecaster.finish();
        for page in (0..100_000).step_by(1_000) {
            assert_eq!(forecast.of(UrlKey(page)), Outlook::Changed);
            assert_eq!(forecast.of(UrlKey(page + 1)), Outlook::Unchanged);
        }
    }
}
