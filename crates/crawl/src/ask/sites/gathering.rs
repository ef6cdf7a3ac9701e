//! The side of who asks: matches, sorts, and reads what lies on disk.

use std::collections::HashMap;
use std::sync::Arc;

use rhumb_frontier::{SiteKey, Stub};
use rhumb_web::Site;

use super::glance::{Found, Glance};
use super::row::{Setting, Sight};
use super::{SITES_READ_MAX, SiteOrder, SiteRow, SitesPage, SitesWanted};
use crate::partition::{Dossier, RobotsState};
use crate::store::{self, StoreError};
use crate::tables::Tables;

/// Below so many sites on disk each is read by itself, and not all rows that there are.
const FEW: usize = 1_000;

/// Sites as they come together.
#[derive(Debug)]
pub(crate) struct Gathering {
    wanted: SitesWanted,
    setting: Setting,
    tables: Arc<dyn Tables>,
    /// Those that match, each with what it is sorted by.
    matching: Vec<(u64, Site)>,
    /// Those on disk, of which nothing else is known yet.
    cold: HashMap<SiteKey, Stub>,
    is_exact: bool,
}

impl Gathering {
    /// With nothing in it; what is wanted is within its bounds.
    pub(crate) fn new(wanted: SitesWanted, setting: Setting, tables: Arc<dyn Tables>) -> Self {
        let (matching, cold) = (Vec::new(), HashMap::new());
        Self { wanted, setting, tables, matching, cold, is_exact: true }
    }

    /// How many more sites on disk it takes.
    pub(crate) fn room(&self) -> usize {
        SITES_READ_MAX.saturating_sub(self.cold.len())
    }

    /// Takes the sites of a partition in.
    pub(crate) fn add(&mut self, glance: Glance) {
        let Glance { warm, cold, left_out } = glance;
        let wanted = warm.into_iter().filter(|(_, site)| self.wanted.is_of(site.as_str()));
        self.matching.extend(wanted);
        self.cold.extend(cold);
        self.is_exact &= left_out == 0;
    }

    /// Reads what lies on disk, and says which sites are on the page.
    pub(crate) fn choose(&mut self) -> Result<Vec<Site>, StoreError> {
        self.read_cold()?;
        let wanted = &self.wanted;
        let order = |one: &(u64, Site), other: &(u64, Site)| {
            wanted.order((one.0, one.1.as_str()), (other.0, other.1.as_str()))
        };
        let all = self.matching.len();
        let from = usize::try_from(wanted.from).map_or(all, |from| from.min(all));
        let count = usize::try_from(wanted.count).unwrap_or(usize::MAX);
        let to = from.saturating_add(count).min(all);
        if to < all {
            self.matching.select_nth_unstable_by(to, order);
        }
        self.matching[..to].sort_unstable_by(order);
        Ok(self.matching[from..to].iter().map(|(_, site)| site.clone()).collect())
    }

    /// The page, with what was found of its sites.
    pub(crate) fn page(self, found: Vec<Option<Found>>) -> Result<SitesPage, StoreError> {
        let mut sites = Vec::with_capacity(found.len());
        for one in found.into_iter().flatten() {
            match one {
                Found::Here(row) => sites.push(*row),
                Found::OnDisk(key, stub) => {
                    let dossier = store::read_site(&*self.tables, key)?;
                    sites.extend(dossier.map(|dossier| self.row(dossier, stub)));
                }
            }
        }
        let total = u64::try_from(self.matching.len()).expect("a length fits 64 bits");
        Ok(SitesPage { sites, total, exact: self.is_exact })
    }

    fn read_cold(&mut self) -> Result<(), StoreError> {
        let cold = std::mem::take(&mut self.cold);
        let tables = Arc::clone(&self.tables);
        let mut named = 0;
        if cold.len() < FEW {
            for (key, stub) in &cold {
                if let Some(dossier) = store::read_site(&*tables, *key)? {
                    named += 1;
                    self.add_cold(dossier, *stub);
                }
            }
        } else {
            for row in store::sites(&*tables) {
                let (key, mut dossier) = row?;
                let Some(stub) = cold.get(&key) else { continue };
                named += 1;
                // Only by their delays are they sorted by what is in another table.
                if self.wanted.sort == SiteOrder::Delay && self.wanted.is_of(dossier.site.as_str())
                {
                    dossier = store::read_site(&*tables, key)?.unwrap_or(dossier);
                }
                self.add_cold(dossier, *stub);
            }
        }
        self.is_exact &= named == cold.len();
        Ok(())
    }

    fn add_cold(&mut self, dossier: Dossier, stub: Stub) {
        if self.wanted.is_of(dossier.site.as_str()) {
            let sort = self.wanted.sort;
            let (dossier, robots) = self.opened(dossier);
            let gap = self.setting.gap(robots.each_ref().map(Option::as_ref));
            let key = sight(&dossier, stub).key(&self.setting, sort, gap);
            self.matching.push((key, dossier.site));
        }
    }

    fn row(&self, dossier: Dossier, stub: Stub) -> SiteRow {
        let (dossier, robots) = self.opened(dossier);
        sight(&dossier, stub).row(&self.setting, robots.each_ref().map(Option::as_ref))
    }

    /// A site with its robots.txt files as they speak to us.
    fn opened(&self, mut dossier: Dossier) -> (Dossier, [Option<RobotsState>; 2]) {
        let robots = std::mem::take(&mut dossier.robots);
        let agent = &self.setting.agent;
        let open = |(robots, row): (RobotsState, Option<_>)| robots.with_file(agent, row.as_ref());
        (dossier, robots.map(|it| it.map(open)))
    }
}

/// A site that lies on disk, whose shelves may have grown since its row was written.
fn sight(dossier: &Dossier, stub: Stub) -> Sight<'_> {
    let shelves = dossier.state.shelves().into_iter().zip(stub.put);
    let since = shelves.map(|(shelf, put)| put.saturating_sub(shelf.put)).sum();
    Sight { site: &dossier.site, state: &dossier.state, on_disk: Some((stub.due, since)) }
}
