//! Which robots.txt was in force when: every answer to the question for one, in its order
//! (RFC 9309 §2.3).

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use rhumb_archive::HttpMessage;
use rhumb_rules::{HOPS_MAX, RobotsFor};
use rhumb_web::{Canon, CanonUrl, Origin, Scheme, Site, Span};

use super::moment::Moment;
use super::records::{Answer, Outcome, Spot, Trace, originals};
use super::texts::{Says, Texts, Voices};

/// A file is believed for a day; a request that was decided on in time may begin a little later.
const BELIEVED_FOR: Span = Span::minutes(24 * 60 + 5);
/// After this long without an answer a robots.txt counts as absent.
const GIVEN_UP_AFTER: Span = Span::hours(30 * 24);
/// A file that was fetched from another site is not known here at once: the gap that it asks for
/// holds after this.
const TOLD_WITHIN: Span = Span::seconds(2);
/// How often the whole archive is searched for payloads that no robots.txt had first. One search
/// finds them all; a crawl that runs may bring more meanwhile.
const SEARCHES_MAX: usize = 2;

/// The robots.txt files of all origins.
pub(super) struct Origins<'a> {
    texts: Texts<'a>,
    /// The name by which the crawl goes.
    agent: usize,
    files: HashMap<Origin, File>,
    /// Files by the digest of their payload: many sites have the same, and later captures of a
    /// payload only refer to it.
    by_digest: HashMap<String, Spot>,
    /// Redirects to follow for whom, in records that do not say for whom they are.
    moved: HashMap<String, VecDeque<Origin>>,
    searches: usize,
}

/// What is known of one origin's robots.txt.
#[derive(Debug)]
struct File {
    /// The last good one.
    rules: Option<Says>,
    /// The one that held before it.
    before: Option<Says>,
    /// Whether the good one was taken out of the archive.
    is_forgotten: bool,
    /// When the good one came.
    since: Moment,
    /// When the last answer came that did not lead elsewhere.
    answered: Option<Moment>,
    /// Whether it was fetched from another site.
    is_from_elsewhere: bool,
    /// Since when there are only failures.
    failing_since: Option<Moment>,
    /// The redirect that is under way: to where, and how many there were before.
    moving: Option<(String, u8)>,
    /// Why there is none.
    why_none: &'static str,
}

/// What holds for an origin at a moment.
pub(super) enum Standing {
    /// Its file speaks.
    Known { rules: Voices, fetched_ms: u64 },
    /// It spoke, and was taken out of the archive since.
    Forgotten,
    /// Nothing may be fetched: the reason.
    Unknown(String),
}

/// What an answer to the question for a robots.txt means.
enum Heard {
    File(Spot),
    Absent,
    Forgotten,
    Unchanged,
    Unreachable,
    Moved(String),
    /// Its payload is not in the archive.
    Lost,
}

impl<'a> Origins<'a> {
    pub(super) fn new(archive: &'a [PathBuf], agents: Vec<String>) -> Self {
        Self {
            texts: Texts::new(archive, agents),
            agent: 0,
            files: HashMap::new(),
            by_digest: HashMap::new(),
            moved: HashMap::new(),
            searches: 0,
        }
    }

    /// From here on the crawl goes by this name.
    pub(super) fn go_by(&mut self, agent: &str) {
        self.agent = self.texts.place_of(agent).unwrap_or(self.agent);
    }

    /// What a file says to the crawl as it is called now.
    pub(super) fn to_us<'r>(&self, rules: &'r Voices) -> &'r RobotsFor {
        &rules[self.agent]
    }

    /// Takes in an answer.
    pub(super) fn hear(&mut self, trace: &Trace) {
        let Some(origin) = self.speaks_for(trace) else { return };
        let hops = self.files.get(&origin).map_or(0, |file| file.hops(trace, &origin));
        let heard = match (&trace.outcome, &trace.answer) {
            (Outcome::Interrupted, _) => return,
            (Outcome::Forgotten, _) => Heard::Forgotten,
            (Outcome::Status(status), Some(answer)) => self.read(trace, *status, answer, hops),
            _ => Heard::Unreachable,
        };
        if let (Heard::Moved(target), None) = (&heard, &trace.robots_for) {
            self.moved.entry(target.clone()).or_default().push_back(origin.clone());
        }
        let at = trace.ended();
        let file = self.files.entry(origin.clone()).or_insert_with(|| File::new(at));
        file.is_from_elsewhere = trace.url.site() != origin.site;
        file.take(heard, at, hops);
    }

    /// For whom this is the robots.txt. Earlier versions did not write that down; later ones do,
    /// so if it is missing then whoever it spoke for was taken out of the archive.
    fn speaks_for(&mut self, trace: &Trace) -> Option<Origin> {
        if trace.robots_for.is_some() {
            return trace.robots_for.clone();
        }
        let own = trace.url.origin();
        if trace.began.tick.is_some() {
            return Some(own).filter(|own| trace.url == own.robots_url());
        }
        let waiting = self.moved.get_mut(trace.url.as_str());
        Some(waiting.and_then(VecDeque::pop_front).unwrap_or(own))
    }

    fn read(&mut self, trace: &Trace, status: u16, answer: &Answer, hops: u8) -> Heard {
        match status {
            429 | 500.. => Heard::Unreachable,
            200..300 => self.file(answer),
            304 => Heard::Unchanged,
            300..400 if hops < HOPS_MAX => {
                target(trace, answer).map_or(Heard::Absent, Heard::Moved)
            }
            _ => Heard::Absent,
        }
    }

    fn file(&mut self, answer: &Answer) -> Heard {
        if !answer.is_revisit {
            return self.remember(answer);
        }
        let Some(digest) = &answer.digest else { return Heard::Lost };
        let is_known = self.by_digest.contains_key(digest);
        if !is_known && answer.payload_at.is_some() && self.searches < SEARCHES_MAX {
            self.searches += 1;
            originals(self.texts.archive, |original| drop(self.remember(original)));
        }
        self.by_digest.get(digest).map_or(Heard::Lost, |spot| Heard::File(*spot))
    }

    fn remember(&mut self, answer: &Answer) -> Heard {
        // Half a file may lack the very line that closes the site.
        if answer.is_torn() {
            return Heard::Unreachable;
        }
        let digest = answer.digest.clone();
        let first = digest.map(|digest| *self.by_digest.entry(digest).or_insert(answer.spot));
        let spot = first.unwrap_or(answer.spot);
        if spot == answer.spot {
            self.texts.learn(answer);
        }
        Heard::File(spot)
    }

    /// What holds for pages of the origin at this moment.
    pub(super) fn standing(&self, origin: &Origin, at: Moment) -> Standing {
        let Some(file) = self.files.get(origin) else {
            return Standing::Unknown("its robots.txt was not asked for before".to_owned());
        };
        if file.is_forgotten {
            return Standing::Forgotten;
        }
        let Some(rules) = file.rules_at(at) else {
            return Standing::Unknown(file.why_none.to_owned());
        };
        let Some(answered) = file.answered else {
            return Standing::Unknown(file.why_none.to_owned());
        };
        let age = u64::try_from(at.since(answered)).unwrap_or(0);
        if age > BELIEVED_FOR.0 {
            let hours = age / Span::hours(1).0;
            return Standing::Unknown(format!("its robots.txt was {hours} hours old"));
        }
        let Some(rules) = self.texts.get(rules) else {
            return Standing::Unknown("its robots.txt cannot be read any more".to_owned());
        };
        Standing::Known { rules, fetched_ms: file.since.wall_ms }
    }

    /// The gap that the files of a site ask for at a moment, over both schemes; of two minutes of
    /// the day the lesser one.
    pub(super) fn gap(&self, site: &Site, at: Moment, minutes: [u16; 2]) -> Option<u64> {
        let gap = |says: Says| {
            let Some(rules) = self.texts.get(says) else { return 0 };
            let rules = self.to_us(&rules);
            let gaps = minutes.map(|minute| rules.gap(minute).map_or(0, |gap| gap.0));
            gaps[0].min(gaps[1])
        };
        let schemes = [Scheme::Http, Scheme::Https];
        let gaps = schemes.into_iter().filter_map(|scheme| {
            let origin = Origin { scheme, site: site.clone() };
            let file = self.files.get(&origin)?;
            let now = file.rules_at(at).map_or(0, gap);
            let is_told = at.since(file.since) > i64::try_from(TOLD_WITHIN.0).unwrap_or(0);
            if file.is_from_elsewhere && !is_told {
                let before = file.before.map_or(0, gap);
                return Some(now.min(before));
            }
            Some(now)
        });
        gaps.max().filter(|gap| *gap > 0)
    }
}

/// Where an answer leads.
fn target(trace: &Trace, answer: &Answer) -> Option<String> {
    let location = HttpMessage::split(&answer.block).header("location")?;
    let location = std::str::from_utf8(location).ok()?.trim();
    let url: CanonUrl = trace.url.join(location, Canon::KeepQuery).ok()?;
    Some(url.as_str().to_owned())
}

impl File {
    fn new(at: Moment) -> Self {
        Self {
            rules: None,
            before: None,
            is_forgotten: false,
            since: at,
            answered: None,
            is_from_elsewhere: false,
            failing_since: None,
            moving: None,
            why_none: "its robots.txt was not answered before",
        }
    }

    /// Redirects before this request. One that begins anew asks at the usual place.
    fn hops(&self, trace: &Trace, origin: &Origin) -> u8 {
        let Some((target, hops)) = &self.moving else { return 0 };
        let is_anew = trace.url == origin.robots_url() && trace.url.as_str() != target;
        if is_anew { 0 } else { hops.saturating_add(1) }
    }

    fn take(&mut self, heard: Heard, at: Moment, hops: u8) {
        self.moving = None;
        if !matches!(heard, Heard::Unreachable | Heard::Moved(_)) {
            self.failing_since = None;
        }
        if !matches!(heard, Heard::Unreachable | Heard::Moved(_) | Heard::Unchanged) {
            self.is_forgotten = matches!(heard, Heard::Forgotten);
        }
        let rules = match heard {
            Heard::Moved(target) => {
                self.moving = Some((target, hops));
                self.why_none = "its robots.txt had moved, and was not asked for at its new place";
                return;
            }
            Heard::Unreachable => {
                let since = *self.failing_since.get_or_insert(at);
                self.answered = Some(at);
                self.why_none = "its robots.txt could not be reached, and no earlier one is known";
                if at.since(since) < i64::try_from(GIVEN_UP_AFTER.0).unwrap_or(i64::MAX) {
                    return;
                }
                Some(Says::All)
            }
            Heard::Forgotten => None,
            Heard::Lost => {
                self.why_none = "its robots.txt refers to a record that is not in the archive";
                None
            }
            Heard::Unchanged => self.rules.or(Some(Says::All)),
            Heard::Absent => Some(Says::All),
            Heard::File(spot) => Some(Says::At(spot)),
        };
        self.before = std::mem::replace(&mut self.rules, rules);
        self.since = at;
        self.answered = Some(at);
    }

    /// The rules that held at a moment.
    fn rules_at(&self, at: Moment) -> Option<Says> {
        if at.since(self.since) >= -1 { self.rules } else { self.before }
    }
}
