//! The sites that a display and the hints of a summary speak of, noted as facts pass by.
//!
//! Small lists instead of scans: a crawl may know a million sites, a display shows a dozen.

use std::collections::{HashMap, HashSet};

use rhumb_seen::Seen;
use rhumb_web::{Errand, Site, Span, Tick};

use super::report::{Hosts, SiteLine, Standing};
use crate::partition::{Fact, Partition, RobotsAnswer, Settlement};

/// Sites that are watched at once; those that come later wait for the next sample to make room.
const WATCHED_MAX: usize = 256;
/// Sites that stay watched over a sample, of each kind: half of the room is left for new ones.
const KEPT: usize = WATCHED_MAX / 4;
/// Sites of each kind that a display gets.
const SHOWN: usize = 8;
/// Sites remembered for the hints, of each kind: beyond this the count is "at least".
const NOTED_MAX: usize = 100_000;
/// A crawl-delay above this is worth a hint.
const LONG_DELAY: Span = Span::seconds(10);

/// What is noted of a site.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// How long its answers take; half of it is the last one.
    takes: Span,
    /// Since when a fetch is under way.
    since: Option<Tick>,
}

impl Record {
    /// How long one waits for this site, a fetch under way included.
    fn slowness(&self, now: Tick) -> Span {
        self.since.map_or(self.takes, |since| self.takes.max(now.since(since)))
    }
}

#[derive(Debug, Default)]
pub(super) struct Roster {
    watched: HashMap<Site, Record>,
    /// Sites that answered 429 or 503.
    pushed: HashSet<Site>,
    /// Sites whose robots.txt is out of reach.
    unreachable: HashSet<Site>,
    pub(super) busiest: Vec<SiteLine>,
    pub(super) slowest: Vec<SiteLine>,
}

impl Roster {
    /// Notes what a fact says of its site.
    pub(super) fn note(&mut self, now: Tick, fact: &Fact) {
        match fact {
            Fact::Issued { entry, .. } => {
                if let Some(record) = self.record(&entry.url().site()) {
                    record.since = Some(now);
                }
            }
            Fact::Settled(settled) => {
                let site = settled.entry.url().site();
                let took = settled.took;
                if let Some(record) = self.record(&site) {
                    record.since = None;
                    if settled.result != Settlement::AddressBusy {
                        let is_first = record.takes == Span::ZERO;
                        let before = if is_first { took } else { record.takes };
                        record.takes = Span(before.0.midpoint(took.0));
                    }
                }
                let is_robots = matches!(settled.entry.candidate.errand, Errand::Robots { .. });
                if !is_robots && matches!(settled.result, Settlement::Answered(429 | 503)) {
                    remember(&mut self.pushed, &site);
                }
            }
            Fact::Robots { origin, answer: RobotsAnswer::Unreachable(_), .. } => {
                remember(&mut self.unreachable, &origin.site);
            }
            Fact::Robots { origin, .. } => {
                self.unreachable.remove(&origin.site);
            }
            Fact::Admitted { .. }
            | Fact::Rescued { .. }
            | Fact::Refilled { .. }
            | Fact::Picked { .. }
            | Fact::Recalled(_)
            | Fact::Rested { .. }
            | Fact::Dropped { .. }
            | Fact::Held { .. }
            | Fact::Likened { .. } => {}
        }
    }

    fn record(&mut self, site: &Site) -> Option<&mut Record> {
        if self.watched.len() >= WATCHED_MAX && !self.watched.contains_key(site) {
            return None;
        }
        Some(self.watched.entry(site.clone()).or_default())
    }

    /// Looks at the watched sites, keeps the foremost of those at work and makes room for others.
    pub(super) fn sample<'a, S: Seen + 'a>(
        &mut self,
        now: Tick,
        owner: impl Fn(&Site) -> &'a Partition<S>,
    ) {
        let lines = self.watched.iter().map(|(site, record)| line(now, site, record, owner(site)));
        let at_work = lines.filter(|(_, line)| line.standing != Standing::Idle);
        let mut lines: Vec<(Span, SiteLine)> = at_work.collect();
        lines.sort_by(|(_, a), (_, b)| b.visits.cmp(&a.visits).then_with(|| a.site.cmp(&b.site)));
        self.busiest = shown(&lines);
        let mut kept: HashSet<Site> = sites(&lines);
        lines.sort_by(|(slow_a, a), (slow_b, b)| {
            slow_b.cmp(slow_a).then_with(|| a.site.cmp(&b.site))
        });
        self.slowest = shown(&lines);
        kept.extend(sites(&lines));
        self.watched.retain(|site, _| kept.contains(site));
    }

    /// What the hints need, from one look at all sites: for the end of a crawl.
    pub(super) fn hosts<'a, S: Seen + 'a>(
        &self,
        now: Tick,
        partitions: impl Iterator<Item = &'a Partition<S>>,
    ) -> Hosts {
        let count = |set: &HashSet<Site>| u64::try_from(set.len()).expect("a length fits 64 bits");
        let mut hosts = Hosts { pushed: count(&self.pushed), ..Hosts::default() };
        for partition in partitions {
            for (site, state) in partition.state().frontier().sites() {
                if self.unreachable.contains(site) && state.queued() > 0 {
                    hosts.unreachable += 1;
                    hosts.unreachable_urls += state.queued();
                }
                let gap = partition.robots_gap(now, site).filter(|gap| *gap > LONG_DELAY);
                if let Some(gap) = gap {
                    hosts.slow += 1;
                    let needs = gap.times(state.visits() + state.queued());
                    hosts.slow_needs = hosts.slow_needs.max(needs);
                }
            }
        }
        hosts
    }
}

fn remember(set: &mut HashSet<Site>, site: &Site) {
    if set.len() < NOTED_MAX && !set.contains(site) {
        set.insert(site.clone());
    }
}

fn line<S: Seen>(
    now: Tick,
    site: &Site,
    record: &Record,
    owner: &Partition<S>,
) -> (Span, SiteLine) {
    let state = owner.state().frontier().site(site);
    let is_busy = state.is_some_and(|state| state.in_flight() > 0);
    let standing = match (record.since, owner.state().frontier().waits(site)) {
        (Some(since), _) => Standing::UnderWay(now.since(since)),
        // The last to go out is back, and another is not.
        (None, _) if is_busy => Standing::UnderWay(record.takes),
        (None, Some(waiting)) => Standing::Waits(waiting.hold, waiting.until.since(now)),
        (None, None) => Standing::Idle,
    };
    let line = SiteLine {
        site: site.clone(),
        visits: state.map_or(0, rhumb_frontier::SiteState::visits),
        queued: state.map_or(0, rhumb_frontier::SiteState::queued),
        takes: record.takes,
        standing,
    };
    (record.slowness(now), line)
}

fn shown(lines: &[(Span, SiteLine)]) -> Vec<SiteLine> {
    lines.iter().take(SHOWN).map(|(_, line)| line.clone()).collect()
}

fn sites(lines: &[(Span, SiteLine)]) -> HashSet<Site> {
    lines.iter().take(KEPT).map(|(_, line)| line.site.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(number: usize) -> Site {
        Site::from(format!("s{number}.test"))
    }

    #[test]
    fn however_many_sites_pass_by_few_are_watched_and_the_slowest_stay() {
        let settings = crate::partition::PartitionSettings {
            may_disguise: false,
            id: rhumb_web::PartitionId(0),
            count: 1,
            hash: rhumb_web::HashKey(1, 2),
            epoch: rhumb_web::Epoch::default(),
            manners: rhumb_frontier::Manners::default(),
            agent: "rhumb".to_owned(),
            ticket_for: Span::minutes(2),
            born_ms: 0,
            memory: usize::MAX,
        };
        let partition = Partition::new(settings, rhumb_seen::MemorySeen::default());
        let mut roster = Roster::default();
        for round in 0..10 {
            for number in 0..1_000 {
                if let Some(record) = roster.record(&site(round * 1_000 + number)) {
                    *record = Record { takes: Span(10), since: Some(Tick(0)) };
                }
            }
            if round == 3 {
                roster.sample(Tick(0), |_| &partition);
                let record = roster.record(&site(77_777)).expect("there is room");
                *record = Record { takes: Span::seconds(9), since: Some(Tick(0)) };
            }
            assert!(roster.watched.len() <= WATCHED_MAX);
            roster.sample(Tick(0), |_| &partition);
            assert!(roster.watched.len() <= WATCHED_MAX / 2, "there is room for new ones");
        }
        assert_eq!(roster.slowest[0].site, site(77_777));
        assert_eq!(roster.slowest.len(), SHOWN);
    }
}
