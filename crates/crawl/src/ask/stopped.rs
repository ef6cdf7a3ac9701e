//! A crawl that does not run, asked where it lies. Nothing of it is changed.

use std::sync::Arc;

use rhumb_rules::Rules;
use rhumb_web::{CanonUrl, PartitionId, UrlKey};

use super::evidence::{Circumstances, Evidence};
use super::status::{Activity, Status};
use super::verdict::Strain;
use super::why::Why;
use crate::forget;
use crate::partition::Partition;
use crate::shell::{CrawlError, CrawlSettings};
use crate::store::{self, SeenHandle, View};
use crate::tables::{FjallTables, Tables};

/// A reader's share of memory for the tables: it asks for a few rows.
const TABLES_BYTES: usize = 8 << 20;

/// How it stands.
pub fn status(settings: &CrawlSettings) -> Result<Status, CrawlError> {
    let (settings, view) = open(settings, None)?;
    let mut status = Status::default();
    let forgotten = forget::known(&*view.holdings.tables)?.count();
    let tables = Arc::clone(&view.holdings.tables);
    let partitions = partitions(&settings, view);
    status.count(&partitions);
    for dossier in store::sites(&*tables) {
        let dossier = dossier?;
        let owner = &partitions[settings.owner_of(&dossier.site).index()];
        // What the log says of it is newer.
        if owner.state().frontier().is_cold(&dossier.site) {
            status.count_resting(&settings.sites, &dossier);
        }
    }
    status.forgotten = forgotten;
    let is_done = status.queued == 0 && status.in_flight == 0;
    status.state = if is_done { Activity::Done } else { Activity::Stopped };
    status.measure(&settings.folder);
    status.judge(Strain::default());
    Ok(status)
}

/// The story of a URL.
pub fn why(settings: &CrawlSettings, mut rules: Rules, asked: &str) -> Result<Why, CrawlError> {
    let url = match CanonUrl::parse_with(asked, settings.canon) {
        Ok(url) => url,
        Err(error) => return Ok(Why::of_no_url(asked, error)),
    };
    let site = url.site();
    let (settings, mut view) = open(settings, Some(&site))?;
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
    let owner = settings.owner(&url);
    let state = view.states.swap_remove(owner.index());
    let mut partition = Partition::with_state(settings.partition(owner), state);
    partition.state_mut().frontier_mut().set_rules(Arc::new(settings.sites.clone()));
    let evidence = Evidence::gather(circumstances, &partition, &view.holdings, url);
    let recent = |key: UrlKey| partition.state().record_of(key).cloned();
    Why::tell(asked, settings.canon, evidence, recent)
}

/// Opens the tables, and what is behind them.
fn open(
    settings: &CrawlSettings,
    focus: Option<&rhumb_web::Site>,
) -> Result<(CrawlSettings, View), CrawlError> {
    let mut settings = settings.clone();
    let disk = rhumb_disk::real();
    let folder = settings.folder.join(store::TABLES);
    // Tables that are not there would be made.
    if !folder.try_exists().unwrap_or(true) {
        return Err(CrawlError::NoCrawl(settings.folder));
    }
    store::warm_tables(&settings.folder);
    let tables = FjallTables::open(&folder, TABLES_BYTES)?;
    let tables: Arc<dyn Tables> = Arc::new(tables);
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
