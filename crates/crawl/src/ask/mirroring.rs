//! Which sites show the pages of another, by name.

use std::collections::HashMap;

use rhumb_frontier::{SiteKey, SiteState};
use rhumb_seen::Seen;
use rhumb_web::Site;

use super::status::{Mirror, Status};
use crate::partition::Partition;
use crate::store::{Mirrors, StoreError, read_site};
use crate::tables::Tables;

/// Mirrors that are named.
const NAMED_MAX: usize = 20;
/// A site is a mirror where so many tenths of what was asked of it are pages of another.
const TENTHS_MIN: u64 = 7;

/// A site by name, and how many exchanges there were with it.
type Named = (Site, u64);

impl Status {
    /// Names the mirrors that were found.
    pub(crate) fn name_mirrors<S: Seen>(
        &mut self,
        mirrors: &Mirrors,
        partitions: &[Partition<S>],
        tables: &dyn Tables,
    ) -> Result<(), StoreError> {
        let pairs = mirrors.pairs();
        // Some pairs have only a few pages in common.
        let pairs = &pairs[..pairs.len().min(2 * NAMED_MAX)];
        let mut sites: HashMap<SiteKey, Named> = HashMap::new();
        for key in pairs.iter().flat_map(|(a, b, _)| [*a, *b]) {
            if !sites.contains_key(&key)
                && let Some(site) = site_of(key, partitions, tables)?
            {
                sites.insert(key, site);
            }
        }
        for (a, b, pages) in pairs {
            let (Some(a), Some(b)) = (sites.get(a), sites.get(b)) else { continue };
            let (of, mirror) = if a.1 >= b.1 { (a, b) } else { (b, a) };
            let pages = u64::from(*pages);
            if pages * 10 >= mirror.1 * TENTHS_MIN && self.mirrors.len() < NAMED_MAX {
                let (site, of) = (mirror.0.to_string(), of.0.to_string());
                self.mirrors.push(Mirror { site, of, pages });
            }
        }
        Ok(())
    }
}

fn site_of<S: Seen>(
    key: SiteKey,
    partitions: &[Partition<S>],
    tables: &dyn Tables,
) -> Result<Option<Named>, StoreError> {
    let warm = partitions.get(key.partition().index()).and_then(|partition| {
        let frontier = partition.state().frontier();
        let mut sites = frontier.sites();
        sites.find(|(site, _)| frontier.key(site) == key).map(named)
    });
    if warm.is_some() {
        return Ok(warm);
    }
    Ok(read_site(tables, key)?.map(|dossier| named((&dossier.site, &dossier.state))))
}

fn named((site, state): (&Site, &SiteState)) -> Named {
    (site.clone(), state.visits())
}
