//! A crawl that does not run, asked where it lies. Nothing of it is changed.

use std::path::Path;
use std::sync::Arc;

use rhumb_frontier::Entry;
use rhumb_rules::Rules;
use rhumb_web::{Candidate, CanonUrl, Errand, PartitionId, Site, Tick, UrlKey};

use super::contents::Contents;
use super::evidence::{Circumstances, Evidence};
use super::sites::{Gathering, Setting, SitesPage, SitesWanted, glance, look};
use super::status::{Activity, Status};
use super::verdict::Strain;
use super::why::{UrlState, Why};
use crate::forget;
use crate::log::Log;
use crate::partition::{Fact, Partition, State};
use crate::shell::{CrawlError, CrawlSettings};
use crate::store::{self, SeenHandle, StoreError, Suspect, View};
use crate::tables::{FjallTables, Tables};

/// A reader's share of memory for the tables: it asks for a few rows.
const TABLES_BYTES: usize = 8 << 20;

/// What is said of a URL that was met, and of which nothing else is known.
const MET_AND_NOT_KEPT: &str =
    "it was met, and the earlier rhumb that met it kept no record of what became of it";

/// How it stands.
pub fn status(settings: &CrawlSettings) -> Result<Status, CrawlError> {
    let (settings, view) = open(settings, None)?;
    let mut status = stand(&settings, view)?;
    status.measure(&settings.folder);
    Ok(status)
}

/// How it stands, by a view of all of it.
pub(super) fn stand(settings: &CrawlSettings, mut view: View) -> Result<Status, CrawlError> {
    let mut status = Status::default();
    for state in &mut view.states {
        recall(view.last, state, |_| true);
    }
    let forgotten = forget::known(&*view.holdings.tables)?.count();
    let tables = Arc::clone(&view.holdings.tables);
    let mirrors = view.holdings.mirrors.clone();
    let partitions = partitions(settings, view);
    status.count(&partitions);
    for dossier in store::sites(&*tables) {
        let (_, dossier) = dossier?;
        let owner = &partitions[settings.owner_of(&dossier.site).index()];
        // What the log says of it is newer.
        if owner.state().frontier().is_cold(&dossier.site) {
            status.count_resting(&settings.sites, &dossier);
        }
    }
    status.name_mirrors(&mirrors, &partitions, &*tables)?;
    status.forgotten = forgotten;
    let is_done = status.queued == 0 && status.in_flight == 0;
    status.state = if is_done { Activity::Done } else { Activity::Stopped };
    status.judge(Strain::default());
    Ok(status)
}

/// Templates that were taken for traps, by its newest checkpoint: one that ended in good order
/// knows all of them, one that was killed may have lost the last.
pub fn traps(settings: &CrawlSettings) -> Result<Vec<Suspect>, CrawlError> {
    let tables = tables(settings)?;
    Ok(store::read_suspects(&*tables)?.rows())
}

/// Some of its sites.
pub fn sites(settings: &CrawlSettings, wanted: &SitesWanted) -> Result<SitesPage, CrawlError> {
    let (settings, view) = open(settings, None)?;
    survey(&settings, view, wanted)
}

/// Some of its sites, by a view of all of it.
pub(super) fn survey(
    settings: &CrawlSettings,
    mut view: View,
    wanted: &SitesWanted,
) -> Result<SitesPage, CrawlError> {
    for state in &mut view.states {
        recall(view.last, state, |_| true);
    }
    let wanted = wanted.bounded();
    let setting = Setting {
        now: settings.wall_tick().max(view.last),
        born_ms: settings.born_ms,
        agent: settings.agent.clone(),
        manners: settings.manners,
        rules: Arc::new(settings.sites.clone()),
        is_running: false,
        is_paused: false,
    };
    let tables = Arc::clone(&view.holdings.tables);
    let partitions = partitions(settings, view);
    let mut gathering = Gathering::new(wanted.clone(), setting.clone(), tables);
    for partition in &partitions {
        gathering.add(glance(&setting, partition, &wanted, gathering.room()));
    }
    let owner = |site: &Site| &partitions[settings.owner_of(site).index()];
    let chosen = gathering.choose()?;
    let found = chosen.iter().map(|site| look(&setting, owner(site), site)).collect();
    gathering.page(found)
}

/// What is known of the contents of its pages.
pub fn contents(settings: &CrawlSettings) -> Result<Contents, CrawlError> {
    let (settings, view) = open(settings, None)?;
    Ok(Contents::new(settings, view))
}

/// How far its log reaches, in bytes: as long as that stays, so does all that it knows. Nothing is
/// opened but one file.
pub fn log_reach(folder: &Path) -> Result<u64, CrawlError> {
    let reach = Log::reach(&rhumb_disk::real(), &folder.join(store::LOG));
    Ok(reach.map_err(StoreError::from)?.0)
}

/// The story of a URL.
pub fn why(settings: &CrawlSettings, rules: Rules, asked: &str) -> Result<Why, CrawlError> {
    let url = match CanonUrl::parse_with(asked, settings.canon) {
        Ok(url) => url,
        Err(error) => return Ok(Why::of_no_url(asked, error)),
    };
    let site = url.site();
    let (settings, view) = open(settings, Some(&site))?;
    tell(&settings, view, rules, asked, &url)
}

/// The story of a URL, from a view with its site in focus.
pub(super) fn tell(
    settings: &CrawlSettings,
    mut view: View,
    mut rules: Rules,
    asked: &str,
    url: &CanonUrl,
) -> Result<Why, CrawlError> {
    for root in view.holdings.roots() {
        rules.scope.add_root(root);
    }
    rules.forgotten = Arc::new(forget::known(&*view.holdings.tables)?);
    let circumstances = Circumstances {
        now: settings.wall_tick().max(view.last),
        born_ms: settings.born_ms,
        hash: settings.hash,
        agent: settings.agent.clone(),
        rules: Arc::new(rules),
        manners: settings.manners,
        is_running: false,
        is_paused: false,
    };
    let owner = settings.owner(url);
    let mut state = view.states.swap_remove(owner.index());
    let site = url.site();
    recall(view.last, &mut state, |entry| entry.url().site() == site);
    let mut partition = Partition::with_state(settings.partition(owner), state);
    partition.state_mut().frontier_mut().set_rules(Arc::new(settings.sites.clone()));
    let mut evidence = Evidence::gather(circumstances, &partition, &view.holdings, url.clone());
    // What was sent and did not arrive is looked at when the crawl goes on.
    let mut sent = view.parcels.iter().flat_map(|parcel| parcel.candidates.iter());
    let is_it = |candidate: &&Candidate| {
        candidate.url == *url && !matches!(candidate.errand, Errand::Robots { .. })
    };
    evidence.unsure = evidence.unsure.or_else(|| sent.find(is_it).cloned());
    let mut fetched = None;
    let recent = |key: UrlKey| {
        let own = partition.state().record_of(key);
        if own.is_some() || store::read_record(&*view.holdings.tables, key)?.is_some() {
            return Ok(own.cloned());
        }
        // The focus is on one site: what the log says of others is looked up once it is needed.
        let fetched = match &mut fetched {
            Some(fetched) => fetched,
            none => none.insert(view.fetched()?),
        };
        Ok(fetched.get(&key).cloned())
    };
    let mut why = Why::tell(asked, settings.canon, evidence, recent)?;
    // The first version kept no record of what it dropped without a fetch.
    if why.state == UrlState::Unknown && view.is_seen(url.key(settings.hash))? {
        why.advice = Some(MET_AND_NOT_KEPT.to_owned());
    }
    Ok(why)
}

/// Nobody is fetching: as the next opening does, takes tickets back that were out.
fn recall(at: Tick, state: &mut State<SeenHandle>, is_ours: impl Fn(&Entry) -> bool) {
    let out = state.out().filter(|(_, out)| is_ours(&out.entry));
    let numbers: Vec<_> = out.map(|(number, _)| number).collect();
    for number in numbers {
        drop(state.apply(at, &Fact::Recalled(number)));
    }
}

/// Opens the tables.
fn tables(settings: &CrawlSettings) -> Result<Arc<dyn Tables>, CrawlError> {
    let folder = settings.folder.join(store::TABLES);
    // Tables that are not there would be made.
    if !folder.try_exists().unwrap_or(true) {
        return Err(CrawlError::NoCrawl(settings.folder.clone()));
    }
    store::warm_tables(&settings.folder);
    Ok(Arc::new(FjallTables::open(&folder, TABLES_BYTES)?))
}

/// Opens the tables, and what is behind them.
fn open(
    settings: &CrawlSettings,
    focus: Option<&Site>,
) -> Result<(CrawlSettings, View), CrawlError> {
    let mut settings = settings.clone();
    let disk = rhumb_disk::real();
    let tables = tables(&settings)?;
    let view = store::view(&disk, &tables, &settings.store(), focus)?;
    settings.hash = view.identity.hash;
    settings.born_ms = view.identity.born_ms;
    Ok((settings, view))
}

fn partitions(settings: &CrawlSettings, view: View) -> Vec<Partition<SeenHandle>> {
    let states = (0..).map(PartitionId).zip(view.states);
    let rules = Arc::new(settings.sites.clone());
    let partition = |(id, state)| {
        let mut partition = Partition::with_state(settings.partition(id), state);
        partition.state_mut().frontier_mut().set_rules(Arc::clone(&rules));
        partition
    };
    states.map(partition).collect()
}
