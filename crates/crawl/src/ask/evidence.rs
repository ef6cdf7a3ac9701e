//! What is known of a URL, gathered where it lies: in the memory of a running crawl or in the
//! files of a stopped one. What must be read from disk is read later, beside the desk.

use std::sync::Arc;

use rhumb_frontier::backlog::Seek;
use rhumb_frontier::{
    Entry, Hold, Manners, SiteKey, SiteRule, SiteState, Standing, Taken, Waiting,
};
use rhumb_likeness::Twin;
use rhumb_rules::{Rules, Template};
use rhumb_seen::Seen;
use rhumb_web::{Candidate, CanonUrl, HashKey, Origin, Scheme, Span, Tick, UrlKey};

use crate::partition::{Dossier, Partition, RobotsState, UrlRecord};
use crate::store::{Holdings, StoreError, Suspect, load_site, read_record};
use crate::tables::Tables;

/// What a crawl must tell of itself for the story of a URL.
#[derive(Clone, Debug)]
pub(crate) struct Circumstances {
    pub(crate) now: Tick,
    /// The crawl's creation, in milliseconds since 1970.
    pub(crate) born_ms: u64,
    pub(crate) hash: HashKey,
    pub(crate) agent: String,
    pub(crate) rules: Arc<Rules>,
    pub(crate) manners: Manners,
    pub(crate) is_running: bool,
    pub(crate) is_paused: bool,
}

impl Circumstances {
    /// A moment of the crawl as people write it.
    pub(super) fn time(&self, at: Tick) -> String {
        moment(self.born_ms, at)
    }
}

/// A moment of a crawl that was created then, in milliseconds since 1970, as people write it.
pub(crate) fn moment(born_ms: u64, at: Tick) -> String {
    let since_1970 = std::time::Duration::from_millis(born_ms.saturating_add(at.0));
    // The last second of the year 9999 is the last that can be written.
    let since_1970 = since_1970.min(std::time::Duration::from_secs(253_402_300_799));
    humantime::format_rfc3339_millis(std::time::UNIX_EPOCH + since_1970).to_string()
}

/// The hour of such a moment, in minutes.
pub(super) fn minute_of_day(born_ms: u64, at: Tick) -> u16 {
    let minute = (born_ms.saturating_add(at.0) / 60_000) % (24 * 60);
    u16::try_from(minute).expect("a day has fewer minutes than that")
}

/// What memory says of a URL, and how to read what the disk says.
#[derive(Debug)]
pub struct Evidence {
    pub(super) circumstances: Circumstances,
    pub(super) url: CanonUrl,
    /// What became of it, as far as the tables may not have it yet, in the order of time.
    recent: Vec<UrlRecord>,
    /// Its original, if that was found after it was recorded.
    likened: Option<Twin>,
    /// It is being fetched.
    pub(super) out: Option<Entry>,
    /// It waits for a pass over the seen-set.
    pub(super) unsure: Option<Candidate>,
    site: Whereabouts,
    pub(super) rule: Option<SiteRule>,
    /// Fetches of its site that may be under way at once.
    pub(super) connections: u8,
    /// What is known of its template, if URLs of that were refused.
    pub(super) suspect: Option<Suspect>,
    seek: Option<Seek>,
    tables: Arc<dyn Tables>,
}

/// Where the state of a site lies.
enum Whereabouts {
    Memory(Box<SiteView>),
    Disk(Box<dyn FnOnce() -> Result<Dossier, StoreError> + Send>),
    Nowhere,
}

impl std::fmt::Debug for Whereabouts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Memory(_) => "in memory",
            Self::Disk(_) => "on disk",
            Self::Nowhere => "never met",
        })
    }
}

/// A site, as far as the story of one of its URLs needs it.
#[derive(Clone, Debug)]
pub(super) struct SiteView {
    /// Where the URL stands in the head of its queue.
    pub(super) standing: Option<Standing>,
    /// What holds the URL's lane.
    pub(super) waits: Waiting,
    /// Fetches of the site that are under way.
    pub(super) in_flight: u8,
    /// What has come back from the shelf of the lane.
    pub(super) taken: Taken,
    /// Entries in the head of the lane.
    pub(super) head: u64,
    pub(super) visits: u64,
    pub(super) robots: Option<RobotsState>,
    /// The gap that its robots.txt asks for.
    pub(super) robots_gap: Option<Span>,
    /// Pages of its domain that were fetched, where others come first because of that.
    pub(super) share: Option<u32>,
}

impl SiteView {
    fn new(
        circumstances: &Circumstances,
        url: &CanonUrl,
        state: &SiteState,
        mut robots: [Option<RobotsState>; 2],
    ) -> Self {
        let scheme = url.scheme();
        let lane = usize::from(scheme == Scheme::Https);
        let minute = minute_of_day(circumstances.born_ms, circumstances.now);
        let gaps = robots.iter().flatten().filter_map(|it| it.rules()?.gap(minute));
        Self {
            robots_gap: gaps.max(),
            share: None,
            standing: state.find(url),
            waits: state.waits_for(scheme),
            in_flight: state.in_flight(),
            taken: state.taken(scheme),
            head: state.head_len(scheme),
            visits: state.visits(),
            robots: robots[lane].take(),
        }
    }
}

/// All that is known of a URL.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) record: Option<UrlRecord>,
    pub(super) site: Option<SiteView>,
    /// Its place on the shelf.
    pub(super) shelved: Option<(u64, Entry)>,
}

impl Evidence {
    /// Looks into memory; quick.
    pub(crate) fn gather<S: Seen>(
        circumstances: Circumstances,
        partition: &Partition<S>,
        holdings: &Holdings,
        url: CanonUrl,
    ) -> Self {
        let state = partition.state();
        let frontier = state.frontier();
        let site = url.site();
        let key: SiteKey = frontier.key(&site);
        let origins = [Scheme::Http, Scheme::Https];
        let robots = |scheme| state.robots(&Origin { scheme, site: site.clone() }).cloned();
        let whereabouts = match frontier.site(&site) {
            Some(warm) => {
                let mut view = SiteView::new(&circumstances, &url, warm, origins.map(robots));
                view.standing = frontier.find(&url);
                if frontier.waits(&site).is_some_and(|waits| waits.hold == Hold::Share) {
                    view.share = Some(frontier.domain_count(&site).fetched);
                }
                Whereabouts::Memory(Box::new(view))
            }
            None if frontier.is_cold(&site) => {
                let load = load_site(Arc::clone(&holdings.tables), &holdings.backlog, key);
                Whereabouts::Disk(Box::new(load))
            }
            None => Whereabouts::Nowhere,
        };
        let out = state.out().find(|(_, out)| !out.entry.is_robots() && *out.entry.url() == url);
        let shelf = frontier.site(&site).map(SiteState::shelves).unwrap_or_default();
        let from = shelf[usize::from(url.scheme() == Scheme::Https)].taken;
        let url_key = url.key(circumstances.hash);
        let recent = [holdings.being_written(url_key), state.record_of(url_key)];
        let likened = state.likened_of(url_key).or_else(|| holdings.being_likened(url_key));
        Self {
            likened,
            recent: recent.into_iter().flatten().cloned().collect(),
            out: out.map(|(_, out)| out.entry.clone()),
            unsure: state.unsure(&url).cloned(),
            site: whereabouts,
            rule: frontier.rules().of(&site).cloned(),
            connections: frontier.rules().connections(&site),
            suspect: holdings.suspects.of(site.as_str(), Template::of(&url).as_str()).cloned(),
            seek: Some(holdings.backlog.seek(key.lane(url.scheme()), from, &url)),
            tables: Arc::clone(&holdings.tables),
            circumstances,
            url,
        }
    }

    /// Reads what is on disk.
    pub(super) fn read(&mut self) -> Result<Known, StoreError> {
        let key = self.url.key(self.circumstances.hash);
        let mut record = read_record(&*self.tables, key)?;
        for later in self.recent.drain(..) {
            match &mut record {
                // A checkpoint has written it down meanwhile.
                Some(known) if known.fetched_at >= later.fetched_at => {}
                Some(known) => known.follow(&later),
                none => *none = Some(later),
            }
        }
        if let (Some(record), Some(twin)) = (&mut record, self.likened) {
            record.story.told.twin.get_or_insert(twin);
        }
        let site = match std::mem::replace(&mut self.site, Whereabouts::Nowhere) {
            Whereabouts::Memory(view) => Some(*view),
            Whereabouts::Disk(load) => {
                let Dossier { state, robots, .. } = load()?;
                let agent = &self.circumstances.agent;
                let robots =
                    robots.map(|it| it.map(|(robots, row)| robots.with_file(agent, row.as_ref())));
                Some(SiteView::new(&self.circumstances, &self.url, &state, robots))
            }
            Whereabouts::Nowhere => None,
        };
        let is_queued = self.out.is_some() || site.as_ref().is_some_and(|it| it.standing.is_some());
        // What was fetched is on no shelf any more, unless it is tried again.
        let seek = self.seek.take().filter(|_| !is_queued && record.is_none());
        let shelved = seek.map(Seek::run).transpose()?.flatten();
        let taken = site.as_ref().map_or(0, |site| site.taken.below);
        let shelved = shelved.filter(|(ordinal, _)| *ordinal >= taken);
        Ok(Known { record, site, shelved })
    }

    /// What became of another URL, from the tables.
    pub(super) fn other(&self, key: UrlKey) -> Result<Option<UrlRecord>, StoreError> {
        read_record(&*self.tables, key)
    }
}
