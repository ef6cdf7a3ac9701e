//! Which sites show the pages of another, by name.

use std::collections::{HashMap, HashSet};

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
        let wanted: HashSet<SiteKey> = pairs.iter().flat_map(|(a, b, _)| [*a, *b]).collect();
        let mut sites: HashMap<SiteKey, Named> = HashMap::new();
        if !wanted.is_empty() {
            for frontier in partitions.iter().map(|partition| partition.state().frontier()) {
                let keyed = frontier.sites().map(|(site, state)| (frontier.key(site), site, state));
                let warm = keyed.filter(|(key, _, _)| wanted.contains(key));
                sites.extend(warm.map(|(key, site, state)| (key, named(site, state))));
            }
        }
        for key in wanted {
            if !sites.contains_key(&key)
                && let Some(dossier) = read_site(tables, key)?
            {
                sites.insert(key, named(&dossier.site, &dossier.state));
            }
        }
        // Of several mirrors the original of a page may be any.
        let mut shared: HashMap<SiteKey, u64> = HashMap::new();
        for (a, b, pages) in pairs {
            for key in [a, b] {
                *shared.entry(*key).or_default() += u64::from(*pages);
            }
        }
        for (a, b, pages) in pairs {
            let (Some(first), Some(second)) = (sites.get(a), sites.get(b)) else { continue };
            // The one that has more in common with others is what they mirror.
            let is_first = (shared[a], first.1) >= (shared[b], second.1);
            let (of, mirror, key) = if is_first { (first, second, b) } else { (second, first, a) };
            let is_mirror = shared[key] * 10 >= mirror.1 * TENTHS_MIN;
            let is_named = self.mirrors.iter().any(|it| it.site == mirror.0.as_str());
            if is_mirror && !is_named && self.mirrors.len() < NAMED_MAX {
                let (site, of) = (mirror.0.to_string(), of.0.to_string());
                self.mirrors.push(Mirror { site, of, pages: u64::from(*pages) });
            }
        }
        Ok(())
    }
}

fn named(site: &Site, state: &SiteState) -> Named {
    (site.clone(), state.visits())
}
