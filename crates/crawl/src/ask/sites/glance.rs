//! What the owner of the partitions says of their sites: little of all, everything of a few.

use std::collections::HashMap;

use rhumb_frontier::{SiteKey, Stub};
use rhumb_seen::Seen;
use rhumb_web::{Origin, Scheme, Site, Span};

use super::row::{Setting, Sight};
use super::{SiteOrder, SiteRow, SitesWanted};
use crate::partition::Partition;

/// The sites of one partition.
#[derive(Debug, Default)]
pub(crate) struct Glance {
    /// Those in memory, each with what it is sorted by.
    pub(super) warm: Vec<(u64, Site)>,
    /// Those on disk.
    pub(super) cold: Vec<(SiteKey, Stub)>,
    /// Those on disk that there was no room for.
    pub(super) left_out: usize,
}

/// Where one site was found.
#[derive(Debug)]
pub(crate) enum Found {
    /// In memory.
    Here(Box<SiteRow>),
    /// On disk.
    OnDisk(SiteKey, Stub),
}

/// Looks at all sites of a partition that may be wanted; quick. What is not wanted of them is
/// found out elsewhere.
pub(crate) fn glance<S: Seen>(
    setting: &Setting,
    partition: &Partition<S>,
    wanted: &SitesWanted,
    room: usize,
) -> Glance {
    let state = partition.state();
    let frontier = state.frontier();
    if wanted.whole {
        let site = Site::from(wanted.search.clone());
        let stub = frontier.stub(frontier.key(&site)).map(|stub| (frontier.key(&site), stub));
        let warm = frontier.site(&site).map(|_| (0, site));
        let (warm, cold) = (warm.into_iter().collect(), stub.into_iter().collect());
        return Glance { warm, cold, left_out: 0 };
    }
    let mut gaps: HashMap<&Site, Span> = HashMap::new();
    if wanted.sort == SiteOrder::Delay {
        let minute = setting.minute();
        for (origin, robots) in state.robots_of_all() {
            if let Some(gap) = robots.rules().and_then(|rules| rules.gap(minute)) {
                let longest = gaps.entry(&origin.site).or_default();
                *longest = gap.max(*longest);
            }
        }
    }
    let warm = frontier.sites().map(|(site, state)| {
        let sight = Sight { site, state, on_disk: None };
        (sight.key(setting, wanted.sort, gaps.get(site).copied()), site.clone())
    });
    let mut stubs = frontier.stubs();
    let cold = stubs.by_ref().take(room).collect();
    Glance { warm: warm.collect(), cold, left_out: stubs.count() }
}

/// Looks at one site; none, if it was never met.
pub(crate) fn look<S: Seen>(
    setting: &Setting,
    partition: &Partition<S>,
    site: &Site,
) -> Option<Found> {
    let state = partition.state();
    let frontier = state.frontier();
    let Some(warm) = frontier.site(site) else {
        let key = frontier.key(site);
        return frontier.stub(key).map(|stub| Found::OnDisk(key, stub));
    };
    let robots = [Scheme::Http, Scheme::Https]
        .map(|scheme| state.robots(&Origin { scheme, site: site.clone() }));
    let row = Sight { site, state: warm, on_disk: None }.row(setting, robots);
    Some(Found::Here(Box::new(row)))
}
