//! One site of a crawl: what concerns others is passed over unread where it can be.

use std::collections::BTreeMap;

use rhumb_web::{CanonUrl, PartitionId, Scheme, Site, TicketNumber};

use super::checkpoint::Holdings;
use super::line::{Line, Stamp};
use super::opening::{begin, state};
use super::replay::{Replay, unknown_partition, wake};
use super::rows::{Identity, SeenHandle, decode_site_head, row_key};
use super::view::View;
use super::{StoreError, StoreSettings};
use crate::log::Offset;
use crate::partition::{Fact, State};
use crate::tables::Table;

/// A replay that looks at one site only.
pub(super) struct Focus<'a> {
    site: &'a Site,
    /// To which it belongs.
    partition: PartitionId,
    replay: Replay,
    /// The tickets of the partition that are out, and whether they are for the site.
    out: BTreeMap<TicketNumber, bool>,
}

impl<'a> Focus<'a> {
    /// The site as the checkpoint has it.
    pub(super) fn new(
        settings: &StoreSettings,
        identity: Identity,
        holdings: Holdings,
        from: Offset,
        site: &'a Site,
    ) -> Result<Self, StoreError> {
        let partition = site.pld().partition(identity.hash, identity.partitions);
        let mut states: Vec<State<SeenHandle>> = Vec::new();
        for id in (0..identity.partitions).map(PartitionId) {
            states.push(if id == partition {
                let mut state = state(settings, identity, &holdings, id)?;
                lay_down(&mut state, &holdings, site)?;
                state
            } else {
                let (agent, seen) = (settings.agent.clone(), holdings.seen.clone());
                State::new(id, identity.hash, agent, seen)
            });
        }
        let own = states.get(partition.index()).ok_or_else(unknown_partition)?;
        let out = own.out().map(|(number, out)| (number, is_on(site, out.entry.url()))).collect();
        Ok(Self { site, partition, replay: begin(holdings, states, from, identity.hash), out })
    }

    /// Takes in what a line says of the site.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if let Some(stamp) = Stamp::of(bytes)
            && stamp.id != self.partition
            && !stamp.may_send(self.site)
        {
            self.replay.pass(stamp.at);
            return Ok(());
        }
        let (id, at, fact) = match Line::decode(bytes)? {
            Line::Fact(id, at, fact) => (id, at, fact.into_owned()),
            line => return self.replay.take(line),
        };
        self.replay.pass(at);
        self.replay.note_sent(id, &fact);
        if id != self.partition {
            return Ok(());
        }
        let is_ours = |number| self.out.get(&number).copied().unwrap_or(false);
        let ticket = change_of_tickets(&fact, self.site);
        if let Some(fact) = only(fact, self.site, is_ours) {
            self.replay.apply(id, at, &fact)?;
        }
        match ticket {
            Some((number, Some(is_ours))) => self.out.insert(number, is_ours),
            Some((number, None)) => self.out.remove(&number),
            None => None,
        };
        Ok(())
    }

    /// What was found, with the site in memory if anything is known of it.
    pub(super) fn finish(mut self, identity: Identity) -> Result<View, StoreError> {
        let own = self.replay.states.get_mut(self.partition.index());
        let own = own.ok_or_else(unknown_partition)?;
        wake(&*self.replay.holdings.tables, own, self.site.clone())?;
        let mut parcels: Vec<_> = self.replay.under_way.into_values().collect();
        parcels.retain_mut(|parcel| {
            let here = parcel.candidates.iter().filter(|it| is_on(self.site, &it.url));
            parcel.candidates = here.cloned().collect();
            parcel.robots.take_if(|(origin, _)| origin.site != *self.site);
            parcel.to == self.partition
                && (!parcel.candidates.is_empty() || parcel.robots.is_some())
        });
        Ok(View {
            identity,
            is_clean: self.replay.is_closed && self.out.is_empty(),
            last: self.replay.last,
            archive: self.replay.archive,
            parcels,
            states: self.replay.states,
            holdings: self.replay.holdings,
        })
    }
}

/// Notes what lies on disk of a site, by its row and the ends of its lanes alone.
fn lay_down(
    state: &mut State<SeenHandle>,
    holdings: &Holdings,
    site: &Site,
) -> Result<(), StoreError> {
    let frontier = state.frontier_mut();
    let key = frontier.key(site);
    if let Some(row) = holdings.tables.get(Table::Sites, &row_key(key.0))? {
        frontier.sleep(key, decode_site_head(&row)?.stub());
    }
    for lane in [Scheme::Http, Scheme::Https].map(|scheme| key.lane(scheme)) {
        if let Some(end) = holdings.backlog.end_of(lane)? {
            frontier.note_shelf(lane, end);
        }
    }
    Ok(())
}

/// The part of a fact that concerns a site, if there is any. What waits for a bucket of the
/// seen-set stays, whoever it is for: a later fact counts it.
fn only(mut fact: Fact, site: &Site, is_ours: impl Fn(TicketNumber) -> bool) -> Option<Fact> {
    let concerns = match &mut fact {
        Fact::Admitted { entries, shelved, .. } | Fact::Rescued { entries, shelved, .. } => {
            entries.retain(|entry| is_on(site, entry.url()));
            shelved.retain(|entry| is_on(site, entry.url()));
            true
        }
        Fact::Refilled { origin, .. }
        | Fact::Picked { origin, .. }
        | Fact::Robots { origin, .. }
        | Fact::Held { origin, .. } => origin.site == *site,
        Fact::Issued { entry, .. } | Fact::Dropped { entry, .. } => is_on(site, entry.url()),
        Fact::Settled(settled) => is_on(site, settled.entry.url()),
        Fact::Recalled(number) => is_ours(*number),
        Fact::Rested { site: rested, .. } => rested == site,
        // Of whose site it is is not told: there are few.
        Fact::Likened { .. } => true,
    };
    concerns.then_some(fact)
}

/// The ticket that went out by a fact, and whether it is for the site, or that came back.
fn change_of_tickets(fact: &Fact, site: &Site) -> Option<(TicketNumber, Option<bool>)> {
    match fact {
        Fact::Issued { number, entry, .. } => Some((*number, Some(is_on(site, entry.url())))),
        Fact::Settled(settled) => Some((settled.number, None)),
        Fact::Recalled(number) => Some((*number, None)),
        _ => None,
    }
}

fn is_on(site: &Site, url: &CanonUrl) -> bool {
    url.authority() == site.as_str()
}
