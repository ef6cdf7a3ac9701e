//! Which URLs lead nowhere, by what the pages before them said.
//!
//! A page says something new, or it is barren: its site has said the same before. Pages are counted
//! by the template of their URL, and by what they say and where they link as written: an endless
//! folder has one template a level, but one such pair. Links on pages that say something new are
//! followed, whatever they look like. Links on barren pages are followed as long as now and then
//! something new comes of it, or of others like them: behind a few that led nowhere ever fewer are
//! let through, and in the end none.
//!
//! It is asked when a URL comes on turn, not when its link is found: what is refused is a fact
//! then, with its reason, and what was learnt in between counts. After a restart it begins anew: a
//! trap costs as much again, and no more.

mod aging;
mod record;
mod sessions;
#[cfg(test)]
mod tests;

use rhumb_frontier::SiteKey;
use rhumb_likeness::Twin;
use rhumb_rules::{Calendar, Reason, Template, Trap};
use rhumb_web::{Candidate, CanonUrl, Errand, HashKey, PartitionId, UrlKey};

use crate::store::{Suspect, Suspects};
use aging::Aging;
use record::{GAP_MIN, Record};
use sessions::Sessions;

/// Barren pages in a row behind which links on such pages are throttled, if they say the same and
/// link to the same. Eight traps cost
/// some fifty requests so.
const LEASH_PAGES: u32 = 5;
/// The same for a calendar that has left the years of people.
const LEASH_PAGES_FAR: u32 = 2;
/// A barren page counts so much if it says the same as another and links to the same, or says
/// itself that there is nothing, …
const POINTS_PAIR: u32 = 40;
/// … if it says the same, …
const POINTS_SAID: u32 = 15;
/// … and if it says nearly the same: of honest pages the most is a menu.
const POINTS_NEAR: u32 = 1;
/// Barren pages in a row behind which a template is throttled wherever its links stand.
const RUN_MAX: u32 = 1_000;
/// Links behind the deepest page that said something new there may be, …
const DEPTH_AHEAD_MAX: u16 = 4;
/// … if so many of the same page came in a row.
const DEEP_PAGES: u32 = 4;

/// What is remembered at least: about 10 MB if all of it is, and twice that at most.
const SAID_MAX: usize = 100_000;
const PAIRS_MAX: usize = 50_000;
const TEMPLATES_MAX: usize = 50_000;
const BARREN_MAX: usize = 50_000;
const SITES_MAX: usize = 10_000;

/// A page that came, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met<'a> {
    /// The key of its site.
    pub(super) site: u64,
    pub(super) candidate: &'a Candidate,
    /// What it says: see `saying`.
    pub(super) saying: u64,
    /// Where it links to, as written, without digits.
    pub(super) outline: u64,
    /// How much of it is known from elsewhere.
    pub(super) twin: Kinship,
    /// It is too short for an estimate.
    pub(super) is_short: bool,
    /// It says itself that there is nothing.
    pub(super) is_empty: bool,
}

/// What the sieve says of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinship {
    /// Nobody has it.
    Original,
    /// Its own site has it.
    Own,
    /// Another site has it.
    Foreign,
}

impl Kinship {
    /// Of a page of a site.
    pub(super) fn of(twin: Option<Twin>, site: u64) -> Self {
        match twin {
            None => Self::Original,
            Some(twin) if twin.site == site => Self::Own,
            Some(_) => Self::Foreign,
        }
    }
}

/// The memory of a crawl for what leads nowhere.
#[derive(Debug)]
pub(super) struct Suspicion {
    hash: HashKey,
    said: Aging<()>,
    /// Pages that say the same and link to the same.
    pairs: Aging<Record>,
    templates: Aging<Record>,
    /// The template and the pair of every barren page.
    barren: Aging<(u64, u64)>,
    /// The deepest page of a site that said something new.
    deepest: Aging<u16>,
    sessions: Sessions,
}

impl Suspicion {
    pub(super) fn new(hash: HashKey) -> Self {
        Self {
            hash,
            said: Aging::new(SAID_MAX),
            pairs: Aging::new(PAIRS_MAX),
            templates: Aging::new(TEMPLATES_MAX),
            barren: Aging::new(BARREN_MAX),
            deepest: Aging::new(SITES_MAX),
            sessions: Sessions::new(),
        }
    }

    /// Takes in a page, and says whether its site has shown it so often that hardly any link from
    /// it is followed.
    pub(super) fn learn(&mut self, met: &Met<'_>) -> bool {
        let Met { site, candidate, saying, outline, .. } = *met;
        let (template, _) = self.template(site, &candidate.url);
        let pair = site ^ saying ^ outline.rotate_left(7);
        let was_said = saying != 0 && self.said.get(saying ^ site).is_some();
        let was_pair = self.pairs.get(pair).is_some();
        let mut is_copy = false;
        if saying != 0 {
            self.said.entry(saying ^ site);
            is_copy = self.sessions.learn(self.hash, site, &candidate.url, saying);
        } else if outline != 0 && met.twin != Kinship::Own {
            // Links and no words: nothing tells a gallery from a trap.
            return false;
        }
        let is_told = was_said && (met.is_short || met.twin == Kinship::Foreign);
        let is_known = is_told || is_copy || met.twin == Kinship::Own;
        let key = candidate.url.key(self.hash);
        let record = self.templates.entry(template);
        record.note_query(candidate.url.query().map_or(0, str::len));
        if !is_known && !met.is_empty {
            record.note_new();
            self.pairs.entry(pair).note_new();
            self.credit(candidate);
            let deepest = self.deepest.entry(site);
            *deepest = candidate.depth.max(*deepest);
            return false;
        }
        let points = match (was_said, was_pair) {
            (true, true) => POINTS_PAIR,
            (true, _) if is_copy || record.is_growing() => POINTS_PAIR,
            _ if met.is_empty => POINTS_PAIR,
            (true, false) => POINTS_SAID,
            (false, _) => POINTS_NEAR,
        };
        record.note_barren(points);
        let pages = self.pairs.entry(pair);
        pages.note_barren(points);
        *self.barren.entry(key.0) = (template, pair);
        was_said && was_pair && pages.run >= LEASH_PAGES
    }

    /// Something new was found, a page or a document: whatever led to it is trusted again.
    pub(super) fn credit(&mut self, candidate: &Candidate) {
        let Some((template, pair)) = self.parent(candidate) else { return };
        self.templates.change(template, Record::forgive);
        self.pairs.change(pair, Record::forgive);
    }

    /// The trap that a URL is part of, seen from this year. Whoever is refused is among the
    /// suspects.
    pub(super) fn judge(
        &mut self,
        partition: PartitionId,
        candidate: &Candidate,
        this_year: u16,
        suspects: &mut Suspects,
    ) -> Option<Reason> {
        if candidate.errand != Errand::Page || candidate.depth == 0 {
            return None;
        }
        let url = &candidate.url;
        let SiteKey(site) = SiteKey::of(self.hash, partition, &url.site());
        let (key, template) = self.template(site, url);
        let own = self.templates.get(key).copied().unwrap_or_default();
        if self.sessions.is_known(self.hash, site, url) {
            suspects.note(suspect(url, &template, Trap::SessionId, own));
            return Some(Reason::Trap(Trap::SessionId));
        }
        let (trap, by) = match self.parent(candidate) {
            Some((_, pair)) => {
                let (trap, is_template) = self.below(site, candidate, own, pair, this_year)?;
                (trap, if is_template { (key, true) } else { (pair, false) })
            }
            // A template of which nothing ever came.
            None if own.run >= RUN_MAX => (Trap::Template, (key, true)),
            None => return None,
        };
        let records = if by.1 { &mut self.templates } else { &mut self.pairs };
        let record = records.entry(by.0);
        if record.throttle.lets_through(GAP_MIN) {
            return None;
        }
        suspects.note(suspect(url, &template, trap, *record));
        Some(Reason::Trap(trap))
    }

    /// The trap of a URL that was found on a barren page; and whether its template tells, or what
    /// that page said.
    fn below(
        &self,
        site: u64,
        candidate: &Candidate,
        own: Record,
        pair: u64,
        this_year: u16,
    ) -> Option<(Trap, bool)> {
        let calendar = Calendar::of(&candidate.url);
        let is_far = calendar.is_some_and(|it| it.is_far(this_year));
        let leash = if is_far { LEASH_PAGES_FAR } else { LEASH_PAGES };
        let run = self.pairs.get(pair).map_or(0, |it| it.run);
        let deepest = self.deepest.get(site).copied().unwrap_or_default();
        let is_template = own.points >= leash * POINTS_PAIR;
        // Its own template may have something to say that the page before it has not.
        let is_pair = run >= 2 * leash || run >= leash && own.new == 0;
        let is_deep = run >= DEEP_PAGES
            && own.new == 0
            && candidate.depth > deepest.saturating_add(DEPTH_AHEAD_MAX);
        let trap = match (is_template, is_pair) {
            // No page has its template yet: it is one level deeper than all of them.
            (false, false) if is_deep && own.pages == 0 => Trap::RelativeLink,
            (false, false) if is_deep => Trap::Deep,
            (false, false) => return None,
            _ if calendar.is_some() => Trap::Calendar,
            _ if own.is_growing() => Trap::GrowingQuery,
            (true, _) if run >= leash => Trap::RepeatedPage,
            (true, _) => Trap::Template,
            (false, true) => Trap::RelativeLink,
        };
        Some((trap, is_template))
    }

    /// The template and the pair of the page on which a URL was found, if that was barren.
    fn parent(&self, candidate: &Candidate) -> Option<(u64, u64)> {
        let UrlKey(on) = candidate.found.on?;
        self.barren.get(on).copied()
    }

    fn template(&self, site: u64, url: &CanonUrl) -> (u64, Template) {
        let template = Template::of(url);
        (self.hash.hash(template.as_str().as_bytes()) ^ site, template)
    }
}

/// A link of a page that has the shape of a trap.
pub(super) fn of_shape(trap: Trap, url: &CanonUrl) -> Suspect {
    suspect(url, &Template::of(url), trap, Record::default())
}

fn suspect(url: &CanonUrl, template: &Template, trap: Trap, record: Record) -> Suspect {
    Suspect {
        site: url.site().as_str().to_owned(),
        template: template.as_str().to_owned(),
        kind: Reason::Trap(trap),
        pages: u64::from(record.pages),
        new: u64::from(record.new),
        refused: 1,
    }
}

const _: () = assert!(LEASH_PAGES_FAR < LEASH_PAGES && DEEP_PAGES < LEASH_PAGES);
