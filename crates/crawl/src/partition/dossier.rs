//! What a crawl keeps on disk of a site, of its robots.txt and of a URL.

use rhumb_frontier::{RowHead, SiteState};
use rhumb_web::{Candidate, CanonUrl, Found, Site, Tick, UrlKey};
use serde::{Deserialize, Serialize};

use super::content::Told;
use super::fact::{PayloadDigest, RobotsAnswer, Settled, Settlement, late};
use super::robots::RobotsState;

/// All that is known of a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dossier {
    /// Which.
    pub site: Site,
    /// Its queues, clock and record.
    pub state: SiteState,
    /// Its robots.txt over http and https; the file itself has a row of its own, since it changes
    /// more seldom.
    pub robots: [Option<(RobotsState, Option<RobotsRow>)>; 2],
}

impl Dossier {
    /// A site of which nothing is known but its name.
    pub fn new(site: Site) -> Self {
        Self { site, state: SiteState::default(), robots: [None, None] }
    }

    /// The part that is read when a crawl is opened.
    pub fn head(&self) -> RowHead {
        RowHead::of(&self.state)
    }
}

/// The last good copy of a robots.txt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RobotsRow {
    /// Its bytes.
    File(Vec<u8>),
    /// There is none.
    Absent,
}

impl RobotsRow {
    /// What an answer brings that is worth keeping.
    pub(super) fn of(answer: &RobotsAnswer) -> Option<Self> {
        match answer {
            RobotsAnswer::File { body, .. } => Some(Self::File(body.clone())),
            RobotsAnswer::Absent => Some(Self::Absent),
            RobotsAnswer::Unchanged
            | RobotsAnswer::Unreachable(_)
            | RobotsAnswer::NoSuchHost
            | RobotsAnswer::PrivateAddress => None,
        }
    }
}

/// The capture that first had a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadRow {
    /// Of which URL.
    pub url: UrlKey,
    /// When it began, in milliseconds since 1970.
    pub kept_ms: u64,
}

/// What became of a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlRecord {
    /// When it was fetched last.
    pub fetched_at: Tick,
    /// What that came to.
    pub result: Settlement,
    /// The digest of the last payload that came whole.
    pub digest: Option<PayloadDigest>,
    /// Links from the nearest seed.
    pub depth: u16,
    /// Answers so far.
    pub answers: u32,
    /// Of those, how often the payload was another than before.
    pub changes: u32,
    /// When it was seen to have changed last.
    pub changed_at: Tick,
    /// Failures since the last answer.
    pub failures: u32,
    /// When it is to be fetched again, if it is.
    pub due: Option<Tick>,
    /// What crawls of before do not tell.
    #[serde(deserialize_with = "late")]
    pub story: Story,
}

/// Tries of a URL that are remembered: the last ones.
const TRIES_KEPT: usize = 16;

/// How a URL was met, and how it went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Story {
    /// The URL itself: the key of a record is a hash.
    pub url: Option<CanonUrl>,
    /// How it came to be known.
    pub found: Found,
    /// Redirects that led to it.
    pub hops: u8,
    /// Where it was redirected to at the last answer.
    pub moved_to: Option<CanonUrl>,
    /// The page that had the payload of the last answer before, in crawls that knew no other
    /// likeness.
    pub duplicate_of: Option<CanonUrl>,
    /// What was tried.
    pub tries: Vec<Try>,
    /// What it said at the last answer.
    #[serde(deserialize_with = "late")]
    pub told: Told,
}

/// One try of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Try {
    /// When it ended.
    pub at: Tick,
    /// What it came to.
    pub result: Settlement,
}

impl Story {
    fn new(at: Tick, candidate: &Candidate, result: Settlement) -> Self {
        let tries = vec![Try { at, result }];
        let (url, found, hops) = (Some(candidate.url.clone()), candidate.found, candidate.hops);
        Self { url, found, hops, tries, ..Self::default() }
    }

    fn follow(&mut self, later: &Self) {
        if self.url.is_none() {
            (self.url, self.found, self.hops) = (later.url.clone(), later.found, later.hops);
        }
        self.moved_to.clone_from(&later.moved_to);
        self.duplicate_of.clone_from(&later.duplicate_of);
        self.told.clone_from(&later.told);
        self.tries.extend(&later.tries);
        let old = self.tries.len().saturating_sub(TRIES_KEPT);
        self.tries.drain(..old);
    }
}

impl UrlRecord {
    /// Of a URL with which this came about, and no more is known of it.
    pub(crate) fn new(at: Tick, candidate: &Candidate, result: Settlement) -> Self {
        Self {
            fetched_at: at,
            result,
            digest: None,
            depth: candidate.depth,
            answers: u32::from(matches!(result, Settlement::Answered(_))),
            changes: 0,
            changed_at: at,
            failures: u32::from(matches!(result, Settlement::Failed(_))),
            due: None,
            story: Story::new(at, candidate, result),
        }
    }

    pub(super) fn of(at: Tick, settled: &Settled) -> Self {
        let mut record = Self::new(at, &settled.entry.candidate, settled.result);
        record.digest = settled.digest;
        record.due = settled.again.as_ref().map(|(due, _)| (*due).max(settled.manner.ready_at));
        record.story.moved_to.clone_from(&settled.more.moved_to);
        record.story.duplicate_of.clone_from(&settled.more.duplicate_of);
        record.story.told.clone_from(&settled.more.content.told);
        record
    }

    /// Adds what came later.
    pub fn follow(&mut self, later: &Self) {
        let has_changed =
            self.digest.is_some() && later.digest.is_some_and(|new| Some(new) != self.digest);
        self.fetched_at = later.fetched_at;
        self.result = later.result;
        self.digest = later.digest.or(self.digest);
        self.depth = self.depth.min(later.depth);
        self.answers += later.answers;
        self.changes += later.changes + u32::from(has_changed);
        if has_changed {
            self.changed_at = later.changed_at;
        }
        self.failures = if later.answers > 0 { 0 } else { self.failures + later.failures };
        self.due = later.due;
        self.story.follow(&later.story);
    }
}
