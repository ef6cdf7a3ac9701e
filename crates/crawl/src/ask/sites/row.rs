//! What is told of one site, wherever its state lies.

use std::sync::Arc;

use rhumb_frontier::{Hold, Manners, RowHead, SiteRules, SiteState};
use rhumb_web::{Site, Span, Tick};

use super::{SiteOrder, SiteRow};
use crate::ask::evidence::{minute_of_day, moment};
use crate::partition::RobotsState;

/// What a crawl must tell of itself for a table of its sites.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) now: Tick,
    /// The crawl's creation, in milliseconds since 1970.
    pub(crate) born_ms: u64,
    /// The name to which robots.txt speaks.
    pub(crate) agent: String,
    pub(crate) manners: Manners,
    pub(crate) rules: Arc<SiteRules>,
    pub(crate) is_running: bool,
    pub(crate) is_paused: bool,
}

/// What a site does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Fetching,
    Waiting,
    Idle,
    Asleep,
}

impl Standing {
    fn word(self) -> &'static str {
        match self {
            Self::Fetching => "fetching",
            Self::Waiting => "waiting",
            Self::Idle => "idle",
            Self::Asleep => "asleep",
        }
    }
}

/// A site as it was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight<'a> {
    pub(super) site: &'a Site,
    pub(super) state: &'a SiteState,
    /// When it is due, and how many entries were put on its shelves since its row was written, if
    /// it lies on disk.
    pub(super) on_disk: Option<(Tick, u64)>,
}

impl Sight<'_> {
    fn queued(&self) -> u64 {
        self.state.queued() + self.on_disk.map_or(0, |(_, since)| since)
    }

    fn standing(&self, setting: &Setting) -> Standing {
        match (self.state.in_flight(), self.queued()) {
            _ if self.on_disk.is_some() && setting.is_running => Standing::Asleep,
            (1.., _) => Standing::Fetching,
            (0, 1..) => Standing::Waiting,
            (0, 0) => Standing::Idle,
        }
    }

    /// When it may be visited next, if it is to be at all.
    fn next(&self, setting: &Setting) -> Option<Tick> {
        let is_at_work = setting.is_running && !setting.is_paused;
        if !is_at_work || self.state.in_flight() > 0 || self.queued() == 0 {
            return None;
        }
        let by_clock = setting.rules.waits(self.site, self.state).map(|waiting| waiting.until);
        let on_disk = self.on_disk.map(|(due, _)| due);
        // One whose queue lies on its shelf is read first.
        let next = by_clock.or(on_disk).unwrap_or_else(|| RowHead::of(self.state).due);
        (next < Tick::NEVER).then_some(next)
    }

    /// What holds it at this moment.
    fn hold(&self, setting: &Setting) -> Option<Hold> {
        if self.state.in_flight() > 0 || self.queued() == 0 {
            return None;
        }
        let barred = setting.rules.bars(self.site, self.state);
        let waiting = self.state.waits().filter(|waiting| waiting.until > setting.now);
        barred.or(waiting.map(|waiting| waiting.hold))
    }

    fn delay(&self, setting: &Setting, robots_gap: Option<Span>) -> Span {
        setting.manners.gap_for(setting.rules.of(self.site), Span::ZERO, robots_gap)
    }

    /// By what it is sorted.
    pub(super) fn key(&self, setting: &Setting, sort: SiteOrder, robots_gap: Option<Span>) -> u64 {
        match sort {
            SiteOrder::Site => 0,
            SiteOrder::State => {
                let hold = self.hold(setting).map_or(0, |hold| hold as u64 + 1);
                (self.standing(setting) as u64) << 8 | hold
            }
            SiteOrder::NextVisit => self.next(setting).unwrap_or(Tick::NEVER).0,
            SiteOrder::Visits => self.state.visits(),
            SiteOrder::Queued => self.queued(),
            SiteOrder::Delay => self.delay(setting, robots_gap).0,
        }
    }

    /// All that is told of it.
    pub(super) fn row(&self, setting: &Setting, robots: [Option<&RobotsState>; 2]) -> SiteRow {
        let rule = setting.rules.of(self.site);
        let robots_gap = setting.gap(robots);
        let time = |at: Tick| moment(setting.born_ms, at.max(setting.now));
        // Both lanes have one; the one that is used has been asked for.
        let words = robots.into_iter().flatten().map(RobotsState::word);
        SiteRow {
            site: self.site.to_string(),
            state: self.standing(setting).word().to_owned(),
            held_by: self.hold(setting).map(|hold| hold.word().to_owned()),
            next_visit: self.next(setting).map(time),
            visits: self.state.visits(),
            queued: self.queued(),
            in_flight: u64::from(self.state.in_flight()),
            delay_ms: self.delay(setting, robots_gap).0,
            crawl_delay_ms: robots_gap.map(|gap| gap.0),
            budget: rule.and_then(|rule| rule.budget),
            blocked: rule.is_some_and(|rule| rule.block),
            robots: words.max_by_key(|word| *word != "unknown").unwrap_or("unknown").to_owned(),
        }
    }
}

impl Setting {
    pub(super) fn minute(&self) -> u16 {
        minute_of_day(self.born_ms, self.now)
    }

    /// The gap that the robots.txt files of a site ask for at this hour.
    pub(super) fn gap(&self, robots: [Option<&RobotsState>; 2]) -> Option<Span> {
        let minute = self.minute();
        robots.into_iter().flatten().filter_map(|it| it.rules()?.gap(minute)).max()
    }
}
