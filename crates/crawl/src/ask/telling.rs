//! From evidence to a story: what became of a URL, and why.

use rhumb_frontier::{Entry, Hold, Taken};
use rhumb_likeness::{Likeness, Twin};
use rhumb_rules::{Reason, Rules, ScopeKind, Trap, Verdict};
use rhumb_web::words::counted;
use rhumb_web::{
    Candidate, Canon, CanonUrl, Errand, Found, Origin, Scheme, Span, Tick, UrlError, UrlKey,
};

use super::evidence::{Circumstances, Evidence, Known, SiteView};
use super::why::{Held, RobotsLine, TryLine, UrlState, Why};
use crate::partition::{Cause, Miss, RobotsState, Settlement, Story, Try, UrlRecord};
use crate::store::StoreError;

/// Redirects that are told; more are not followed.
const REDIRECTS_MAX: usize = 8;
/// How often the original of a page may have been replaced by another.
const REPLACED_MAX: usize = 8;
/// Folders above a URL that are looked up as pages that may link to it.
const FOLDERS_MAX: usize = 4;

const DOES_NOT_RUN: &str = "the crawl does not run";
const WAITS_FOR_PASS: &str = "it waits until the seen-set was asked on disk";

/// Where a story begins.
#[derive(Debug)]
pub enum Gathered {
    /// With what is known of the URL, by these rules of spelling.
    Evidence(Box<Evidence>, Canon),
    /// It ends there: the text is no URL.
    Told(Box<Why>),
}

impl Why {
    /// The story of a text that is no URL.
    pub(crate) fn of_no_url(asked: &str, error: UrlError) -> Self {
        let reason = match error {
            UrlError::Scheme => Reason::NotHttp,
            UrlError::Syntax(_) | UrlError::TooLong | UrlError::Port => Reason::BadUrl,
        };
        Self {
            url: asked.to_owned(),
            state: UrlState::Refused,
            reason: Some(reason.word().to_owned()),
            robots: RobotsLine { state: "unknown".to_owned(), ..RobotsLine::default() },
            judged_now: true,
            advice: Some(error.to_string()),
            ..Self::default()
        }
    }

    /// Tells the story. `recent` knows what became of URLs and is not in the tables yet.
    pub(crate) fn tell(
        asked: &str,
        canon: Canon,
        mut evidence: Evidence,
        mut recent: impl FnMut(UrlKey) -> Result<Option<UrlRecord>, StoreError>,
    ) -> Result<Self, StoreError> {
        let known = evidence.read()?;
        let mut why = Self {
            url: asked.to_owned(),
            canonical: Some(evidence.url.to_string()),
            changes: CanonUrl::changes(asked, canon).unwrap_or_default(),
            ..Self::default()
        };
        let mut other = |key| match recent(key)? {
            Some(record) => Ok(Some(record)),
            None => evidence.other(key),
        };
        let candidate = why.history(&evidence, &known, &mut other)?;
        why.judged(&evidence, &known, &candidate);
        why.standing(&evidence, &known);
        why.advised(&evidence, &known, &mut other)?;
        Ok(why)
    }

    /// How it was found and what was tried; returns it as it was judged, or would be now.
    fn history(
        &mut self,
        evidence: &Evidence,
        known: &Known,
        other: &mut dyn FnMut(UrlKey) -> Result<Option<UrlRecord>, StoreError>,
    ) -> Result<Candidate, StoreError> {
        let case = &evidence.circumstances;
        let queued = known.site.as_ref().and_then(|site| site.standing.as_ref());
        let entry: Option<&Entry> =
            queued.map(|standing| &standing.entry).or(evidence.out.as_ref());
        let entry = entry.or(known.shelved.as_ref().map(|(_, entry)| entry));
        let candidate = match (entry, &known.record, &evidence.unsure) {
            (Some(entry), _, _) => entry.candidate.clone(),
            (None, Some(record), _) => Candidate {
                found: record.story.found,
                hops: record.story.hops,
                ..Candidate::new(evidence.url.clone(), Errand::Page, record.depth, 0)
            },
            (None, None, Some(candidate)) => candidate.clone(),
            (None, None, None) => Candidate::new(evidence.url.clone(), Errand::Page, 1, 0),
        };
        let is_met = entry.is_some() || evidence.unsure.is_some() || known.record.is_some();
        self.depth = is_met.then_some(candidate.depth);
        let Found { on, at } = candidate.found;
        self.seen_at = (at > Tick::default()).then(|| case.time(at));
        if let Some(record) = &known.record {
            let met = self.seen_at.take().or(record.story.tries.first().map(|it| case.time(it.at)));
            self.seen_at = met;
            self.tries = record.story.tries.iter().map(|one| try_line(case, one)).collect();
            self.content(record, other)?;
            self.redirects_to = record.story.moved_to.as_ref().map(ToString::to_string);
        }
        // Nothing is recorded of a robots.txt: a sitemap is nearly always named by that of its site.
        let is_on = |file: &CanonUrl| on == Some(file.key(case.hash)) && candidate.hops == 0;
        if let Some(file) = robots_files(&evidence.url).into_iter().find(is_on) {
            self.found_on = Some(file.to_string());
            return Ok(candidate);
        }
        let mut next = on.map(|on| (on, candidate.hops > 0));
        while let Some((key, is_redirect)) = next.take() {
            let Some(record) = other(key)? else { break };
            let Some(url) = &record.story.url else { break };
            if !is_redirect {
                self.found_on = Some(url.to_string());
                break;
            }
            self.redirected_from.insert(0, url.to_string());
            if self.redirected_from.len() < REDIRECTS_MAX {
                next = record.story.found.on.map(|on| (on, record.story.hops > 0));
            }
        }
        Ok(candidate)
    }

    /// What is known of what it said.
    fn content(
        &mut self,
        record: &UrlRecord,
        other: &mut dyn FnMut(UrlKey) -> Result<Option<UrlRecord>, StoreError>,
    ) -> Result<(), StoreError> {
        let Story { duplicate_of, told, .. } = &record.story;
        self.mark = told.mark.map(|mark| mark.word().to_owned());
        self.document.clone_from(&told.document);
        self.duplicate_of = duplicate_of.as_ref().map(ToString::to_string);
        if duplicate_of.is_some() {
            self.likeness = Some(Likeness::Same.word().to_owned());
        }
        if let Some(twin) = told.twin {
            self.likeness = Some(twin.how.word().to_owned());
            let original = original_of(twin, other)?.and_then(|record| record.story.url);
            self.duplicate_of = original.map(|url| url.to_string());
        }
        if told.is_repeat {
            let advice = "its site has shown the same page very often, changed in digits only: \
                          links from it to its own site are hardly followed";
            self.advice = Some(advice.to_owned());
        }
        Ok(())
    }

    /// What scope and robots.txt say of it.
    fn judged(&mut self, evidence: &Evidence, known: &Known, candidate: &Candidate) {
        let rules = &evidence.circumstances.rules;
        let verdict = rules.judge(candidate);
        self.scope = Some(scope_words(rules, candidate, verdict));
        if let Verdict::Refuse(reason) = verdict {
            self.reason = Some(reason.word().to_owned());
        }
        let robots = known.site.as_ref().and_then(|site| site.robots.as_ref());
        robots.map_or("unknown", RobotsState::word).clone_into(&mut self.robots.state);
        if let Some(robots) = robots.and_then(RobotsState::rules) {
            let path = evidence.url.path_and_query();
            let said = robots.judge(path);
            (self.robots.line, self.robots.rule) = (said.line, said.rule.map(str::to_owned));
            if !said.allowed && self.reason.is_none() {
                self.reason = Some(Reason::Robots.word().to_owned());
            }
        }
    }

    /// What became of it.
    fn standing(&mut self, evidence: &Evidence, known: &Known) {
        // What the rules say now is the reason only where they decide.
        let forbidden = self.reason.take();
        let is_blocked = evidence.rule.as_ref().is_some_and(|rule| rule.block);
        if evidence.out.is_some() {
            self.state = UrlState::Queued;
            self.queue_position = Some(0);
            self.reason = Some("it is being fetched".to_owned());
            return;
        }
        if let Some(site) = &known.site
            && let Some((position, not_before)) = place(site, known)
        {
            self.queued(evidence, site, position, not_before);
        } else if let Some(record) = &known.record {
            self.settled(record);
            return;
        } else if evidence.unsure.is_some() {
            self.state = UrlState::Queued;
            let is_running = evidence.circumstances.is_running;
            let waits = if is_running { WAITS_FOR_PASS } else { DOES_NOT_RUN };
            self.reason = Some(waits.to_owned());
        } else if evidence.url == evidence.url.origin().robots_url() && known.site.is_some() {
            self.robots_file(evidence, known);
            return;
        } else {
            self.judged_now = true;
            self.state = if forbidden.is_some() { UrlState::Refused } else { UrlState::Unknown };
            self.reason = forbidden;
            if is_blocked && self.reason.is_none() {
                (self.state, self.reason) = (UrlState::Refused, Some("blocked".to_owned()));
            }
            return;
        }
        // In the queue, but it will not come on turn: the rules have changed since.
        if is_blocked {
            (self.state, self.reason) = (UrlState::Refused, Some("blocked".to_owned()));
        } else if forbidden.as_deref() == Some(Reason::Robots.word()) {
            self.judged_now = true;
            (self.state, self.reason) = (UrlState::Refused, forbidden);
        }
        if self.state == UrlState::Refused {
            (self.held_by, self.held_until, self.next_visit) = (None, None, None);
        }
    }

    fn queued(
        &mut self,
        evidence: &Evidence,
        site: &SiteView,
        position: u64,
        not_before: Option<Tick>,
    ) {
        let case = &evidence.circumstances;
        self.state = UrlState::Queued;
        self.queue_position = Some(position);
        let clock = (site.waits.until, held(site.waits.hold));
        let retry = not_before.map(|at| (at, Some(Held::Backoff)));
        let (until, by) = retry.filter(|(at, _)| *at > clock.0).unwrap_or(clock);
        let budget = evidence.rule.as_ref().and_then(|rule| rule.budget);
        if budget.is_some_and(|budget| site.visits >= budget) {
            self.held_by = Some(Held::Budget);
            self.reason =
                Some(format!("its site has had the {} requests of its budget", site.visits));
            return;
        }
        if let Some(fetched) = site.share {
            self.held_by = Some(Held::Budget);
            let reason = format!(
                "its domain has had {fetched} pages, its share for now: other domains come first"
            );
            self.reason = Some(reason);
            return;
        }
        let gap = case.manners.gap_for(evidence.rule.as_ref(), Span::ZERO, site.robots_gap);
        // Whoever asks for a gap is asked for one page at a time.
        let at_once = if site.robots_gap.is_some() { 1 } else { evidence.connections };
        let turn = until.max(case.now) + gap.times(position / u64::from(at_once));
        if site.in_flight >= at_once {
            self.held_by = Some(Held::Site);
            self.reason = Some("another URL of its site is being fetched".to_owned());
        } else if until > case.now {
            self.held_by = by;
            self.held_until = Some(case.time(until));
        }
        if case.is_running && !case.is_paused {
            self.next_visit = Some(case.time(turn));
        }
        if case.is_paused {
            self.reason = Some("the crawl is paused".to_owned());
        } else if !case.is_running {
            self.reason = Some(DOES_NOT_RUN.to_owned());
        } else if self.reason.is_none() && position > 0 {
            self.reason = Some(match position {
                1 => "1 URL of its site goes before it".to_owned(),
                more => format!("{more} URLs of its site go before it"),
            });
        }
    }

    /// It is a robots.txt, which is asked for by itself.
    fn robots_file(&mut self, evidence: &Evidence, known: &Known) {
        let case = &evidence.circumstances;
        let robots = known.site.as_ref().and_then(|site| site.robots.as_ref());
        self.state = match robots.map(RobotsState::word) {
            None | Some("unknown") => UrlState::Queued,
            Some("known") => UrlState::Fetched,
            Some(_) => UrlState::Failed,
        };
        let is_failed = self.state == UrlState::Failed;
        self.reason = robots.filter(|_| is_failed).map(|robots| robots.word().to_owned());
        self.advice = Some("a robots.txt is asked for before the pages of its site".to_owned());
        let robots = robots.filter(|_| case.is_running);
        self.next_visit = robots.map(|robots| case.time(robots.asked_again_at().max(case.now)));
    }

    fn settled(&mut self, record: &UrlRecord) {
        (self.state, self.reason) = match record.result {
            Settlement::Answered(status) if status < 400 => {
                let story = &record.story;
                let has_twin = story.duplicate_of.is_some() || story.told.twin.is_some();
                let state = if has_twin { UrlState::Duplicate } else { UrlState::Fetched };
                let is_redirect = (300..400).contains(&status) && status != 304;
                (state, is_redirect.then(|| "redirect".to_owned()))
            }
            Settlement::Answered(status) => (UrlState::Failed, Some(Miss::Status(status).word())),
            Settlement::Failed(failure) | Settlement::Dropped(Cause::Failed(failure)) => {
                (UrlState::Failed, Some(failure.word().to_owned()))
            }
            Settlement::Dropped(Cause::Refused(reason)) => {
                (UrlState::Refused, Some(reason.word().to_owned()))
            }
            Settlement::PrivateAddress => {
                (UrlState::Refused, Some(Reason::PrivateAddress.word().to_owned()))
            }
            Settlement::AddressBusy => (UrlState::Queued, None),
        };
    }

    /// What is known of the trap for which it was dropped.
    fn trapped(&mut self, evidence: &Evidence, known: &Known) {
        let Some(record) = &known.record else { return };
        let Settlement::Dropped(Cause::Refused(Reason::Trap(trap))) = record.result else { return };
        let word = Reason::Trap(trap).word();
        self.advice = Some(match (&evidence.suspect, trap) {
            (Some(it), Trap::SessionId) => format!(
                "{word}: {} of {} came with the same page under other ids; it is not fetched",
                counted(it.pages, "URL"),
                it.template
            ),
            (Some(it), _) if it.pages > 0 => {
                let barren = counted(it.pages - it.new.min(it.pages), "page");
                format!("{word}: {barren} of {} said nothing new; it is not fetched", it.template)
            }
            _ => format!("{word}: {}; it is not fetched", trap_words(trap)),
        });
    }

    /// What would have to happen.
    fn advised(
        &mut self,
        evidence: &Evidence,
        known: &Known,
        other: &mut dyn FnMut(UrlKey) -> Result<Option<UrlRecord>, StoreError>,
    ) -> Result<(), StoreError> {
        if !self.judged_now {
            self.trapped(evidence, known);
            return Ok(());
        }
        let url = &evidence.url;
        if self.state == UrlState::Refused {
            self.advice = Some(match self.reason.as_deref() {
                Some("forgotten") => "it was forgotten, and is never fetched again".to_owned(),
                Some("blocked") => format!("rhumb site DIR {} --unblock", url.site()),
                Some("robots") => "its robots.txt keeps us out".to_owned(),
                _ => "no link to it is followed; rhumb submit DIR URL adds it as a seed".to_owned(),
            });
            return Ok(());
        }
        let case = &evidence.circumstances;
        let nearest = nearest_page(url, case, other)?;
        let depth = case.rules.scope.max_depth;
        let within = depth.map_or_else(String::new, |max| format!(" within {max} links of a seed"));
        let robots = match known.site.as_ref().and_then(|site| site.robots.as_ref()?.rules()) {
            Some(_) => "it would be allowed",
            None => "scope would allow it; its robots.txt is not known yet",
        };
        self.advice = Some(match nearest {
            Some((page, at)) => format!(
                "{robots}; a fetched page must link to it{within}: the nearest, {page}, was \
                 fetched {at} and has no link to it that may be followed"
            ),
            None => format!(
                "{robots}; a fetched page must link to it{within}, and none of its site above it \
                 was fetched"
            ),
        });
        Ok(())
    }
}

/// The record of the original behind a twin. Another may have taken its place since.
pub(super) fn original_of(
    twin: Twin,
    other: &mut dyn FnMut(UrlKey) -> Result<Option<UrlRecord>, StoreError>,
) -> Result<Option<UrlRecord>, StoreError> {
    let mut found = other(twin.of)?;
    for _ in 0..REPLACED_MAX {
        let next = found.as_ref().and_then(|record| record.story.told.twin);
        let Some(next) = next else { break };
        let Some(record) = other(next.of)? else { break };
        found = Some(record);
    }
    Ok(found)
}

/// The robots.txt files of the site of a URL.
fn robots_files(url: &CanonUrl) -> [CanonUrl; 2] {
    [Scheme::Http, Scheme::Https].map(|scheme| Origin { scheme, site: url.site() }.robots_url())
}

/// The nearest folder above a URL that was fetched as a page, and when.
fn nearest_page(
    url: &CanonUrl,
    case: &Circumstances,
    other: &mut dyn FnMut(UrlKey) -> Result<Option<UrlRecord>, StoreError>,
) -> Result<Option<(CanonUrl, String)>, StoreError> {
    let mut folder = url.clone();
    for _ in 0..FOLDERS_MAX {
        let up = if folder.path().ends_with('/') && folder.query().is_none() { ".." } else { "." };
        let Ok(above) = folder.join(up, Canon::KeepQuery) else { break };
        if above == folder {
            break;
        }
        folder = above;
        if let Some(record) = other(folder.key(case.hash))?
            && matches!(record.result, Settlement::Answered(200..300))
        {
            return Ok(Some((folder, case.time(record.fetched_at))));
        }
    }
    Ok(None)
}

/// How many go before it, and when it may be tried again.
fn place(site: &SiteView, known: &Known) -> Option<(u64, Option<Tick>)> {
    if let Some(standing) = &site.standing {
        return Some((standing.position, standing.not_before));
    }
    let (ordinal, _) = known.shelved.as_ref()?;
    let Taken { below, plucked } = &site.taken;
    let gone = plucked.range(..*ordinal).count();
    let gone = below + u64::try_from(gone).expect("a length fits 64 bits");
    Some((site.head + ordinal.saturating_sub(gone), None))
}

fn held(hold: Hold) -> Option<Held> {
    match hold {
        Hold::Site => Some(Held::Site),
        Hold::Address => Some(Held::Address),
        Hold::Backoff => Some(Held::Backoff),
        Hold::Robots => Some(Held::Robots),
        Hold::Budget | Hold::Share => Some(Held::Budget),
        Hold::Block => None,
    }
}

fn try_line(case: &Circumstances, one: &Try) -> TryLine {
    let (outcome, status) = match one.result {
        Settlement::Answered(status @ (300..304 | 305..400)) => {
            ("redirect".to_owned(), Some(status))
        }
        Settlement::Answered(status @ 0..400) => ("fetched".to_owned(), Some(status)),
        Settlement::Answered(status) => (Miss::Status(status).word(), Some(status)),
        Settlement::Failed(failure) | Settlement::Dropped(Cause::Failed(failure)) => {
            (failure.word().to_owned(), None)
        }
        Settlement::Dropped(Cause::Refused(reason)) => (reason.word().to_owned(), None),
        Settlement::PrivateAddress => (Reason::PrivateAddress.word().to_owned(), None),
        Settlement::AddressBusy => ("address-busy".to_owned(), None),
    };
    TryLine { time: case.time(one.at), outcome, status }
}

/// The rule that decides, in words.
fn scope_words(rules: &Rules, candidate: &Candidate, verdict: Verdict) -> String {
    let scope = &rules.scope;
    let (url, kind) = (&candidate.url, scope.kind_for(&candidate.url));
    let reason = match verdict {
        Verdict::Refuse(reason) => reason,
        Verdict::Admit if candidate.depth == 0 && candidate.hops == 0 => {
            let is_seed = candidate.found.on.is_none();
            let words =
                if is_seed { "a seed: always in scope" } else { "a sitemap of a site in scope" };
            return words.to_owned();
        }
        Verdict::Admit => {
            return match kind {
                ScopeKind::Page => "page: a seed, or where one leads".to_owned(),
                ScopeKind::Prefix => "prefix: below the folder of a seed".to_owned(),
                ScopeKind::Host => format!("host: a seed is on {}", url.site()),
                ScopeKind::Domain => format!("domain: a seed is in {}", url.site().pld().as_str()),
                ScopeKind::Any => "any: every site is in scope".to_owned(),
            };
        }
    };
    match reason {
        Reason::OutOfScope => {
            format!("out of scope: --scope {kind}, and no seed opens {}", url.site())
        }
        Reason::Excluded => {
            let found = scope.exclude.iter().find(|pattern| pattern.is_match(url.as_str()));
            format!("excluded by {}", found.map_or("a pattern", |pattern| pattern.as_str()))
        }
        Reason::NotIncluded => "no --include pattern matches it".to_owned(),
        Reason::TooDeep => {
            format!("deeper than --max-depth {}", scope.max_depth.unwrap_or_default())
        }
        Reason::Trap(trap) => format!("looks like a trap: {}", trap_words(trap)),
        reason => reason.word().to_owned(),
    }
}

fn trap_words(trap: Trap) -> String {
    use rhumb_rules::{SEGMENT_REPEATS_MAX, SEGMENTS_MAX, TANDEM_REPEATS_MAX, TRAP_BYTES_MAX};
    match trap {
        Trap::LongUrl => format!("longer than {TRAP_BYTES_MAX} bytes"),
        Trap::ManySegments => format!("more than {SEGMENTS_MAX} path segments"),
        Trap::TandemSegments => {
            format!("a run of path segments more than {TANDEM_REPEATS_MAX} times in a row")
        }
        Trap::RepeatedPage => "links of a page that its site shows very often".to_owned(),
        Trap::Calendar => "pages of a calendar in which nothing is written".to_owned(),
        Trap::GrowingQuery => "a query that grows from link to link".to_owned(),
        Trap::SessionId => "a known page under another session id".to_owned(),
        Trap::Template => "pages of its template said nothing new".to_owned(),
        Trap::RelativeLink => {
            "a relative link that leads from the same page to itself, one folder deeper".to_owned()
        }
        Trap::Deep => "much deeper than anything that its site has to say".to_owned(),
        Trap::RepeatedSegment => {
            format!("a path segment more than {SEGMENT_REPEATS_MAX} times")
        }
    }
}
