//! Where things stand: one URL in the queue of its site, and all sites by what they do.

use std::iter;

use rhumb_web::{CanonUrl, Scheme, Tick};

use crate::entry::Entry;
use crate::frontier::Frontier;
use crate::manner::Hold;
use crate::site::{Lane, SiteState, Waiting, nearness};
use crate::worth::PageWorth;

/// Where an entry of a site waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Entries of the site that go before it, as far as is known now.
    pub position: u64,
    /// It failed, and is tried again not before this.
    pub not_before: Option<Tick>,
    /// The entry itself.
    pub entry: Entry,
}

/// Sites by what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    /// Something of them is under way.
    pub fetching: u64,
    /// They have work, and wait for a clock or for their turn.
    pub waiting: u64,
    /// They are in memory without work.
    pub idle: u64,
    /// They are on disk.
    pub asleep: u64,
}

impl Frontier {
    /// How many sites do what.
    pub fn standings(&self) -> Standings {
        let warm = u64::try_from(self.warm_count()).expect("a length fits 64 bits");
        let asleep = self.site_count() - warm;
        self.sites().fold(Standings { asleep, ..Standings::default() }, |mut counts, (_, state)| {
            let count = match (state.in_flight(), state.queued()) {
                (1.., _) => &mut counts.fetching,
                (0, 1..) => &mut counts.waiting,
                (0, 0) => &mut counts.idle,
            };
            *count += 1;
            counts
        })
    }
}

impl Frontier {
    /// Where the entry of a URL stands, if it is in memory, as the order of the crawl has it.
    pub fn find(&self, url: &CanonUrl) -> Option<Standing> {
        self.site(&url.site())?.find_by(url, &|entry| self.page_worth(entry))
    }
}

impl SiteState {
    /// Where the entry of a URL stands, if it is in memory. What lies on shelves is not looked
    /// at: [`SiteState::head_len`] says what goes before it.
    pub fn find(&self, url: &CanonUrl) -> Option<Standing> {
        self.find_by(url, &nearness)
    }

    fn find_by(&self, url: &CanonUrl, worth: &impl Fn(&Entry) -> PageWorth) -> Option<Standing> {
        let retries = &self.lane(url.scheme()).later;
        let at = self.waits_for(url.scheme()).until;
        let in_order = (0..).zip(self.order(at, worth)).find(|(_, entry)| entry.url() == url);
        // A retry whose time is to come goes before all pages then.
        let in_time = || (0..).zip(retries.values()).find(|(_, entry)| entry.url() == url);
        let (position, entry) = in_order.or_else(in_time)?;
        let retry = retries.iter().find(|(_, other)| *other == entry);
        let not_before = retry.map(|((at, _), _)| *at);
        Some(Standing { position, not_before, entry: entry.clone() })
    }

    /// What holds an entry of this lane: the clock of the site or that of the origin's pages,
    /// whichever ends later; also while something of the site is under way. A rule that bars the
    /// site is not known here: see [`SiteRules::bars`](crate::SiteRules::bars).
    pub fn waits_for(&self, scheme: Scheme) -> Waiting {
        let by_clock = Waiting { until: self.manner.ready_at, hold: self.manner.hold };
        let pages_at = self.lane(scheme).pages_at;
        if pages_at > by_clock.until {
            Waiting { until: pages_at, hold: Hold::Robots }
        } else {
            by_clock
        }
    }

    /// How many entries go before those on the shelf of a lane, as far as is known now.
    pub fn head_len(&self, scheme: Scheme) -> u64 {
        let lane = self.lane(scheme);
        let count = self.errands.len() + lane.queue.len() + lane.later.len();
        u64::try_from(count).expect("a length fits 64 bits")
    }

    /// The entries in memory that could be fetched at this time, in the order in which
    /// [`SiteState::peek_by`] would bring them.
    fn order(
        &self,
        at: Tick,
        worth: &impl Fn(&Entry) -> PageWorth,
    ) -> impl Iterator<Item = &Entry> {
        let lane = |scheme| open(self.lane(scheme), at, worth).into_iter().peekable();
        let (mut plain, mut secure) = (lane(Scheme::Http), lane(Scheme::Https));
        let pages = iter::from_fn(move || match (plain.peek(), secure.peek()) {
            (Some((one, _)), Some((other, _))) if other > one => secure.next(),
            (Some(_), _) => plain.next(),
            (None, _) => secure.next(),
        });
        self.errands.iter().chain(pages.map(|(_, entry)| entry))
    }
}

/// What a lane would bring from this time on, if nothing came to it: its retries that are due,
/// then its queue; each with its worth.
fn open<'a>(
    lane: &'a Lane,
    at: Tick,
    worth: &impl Fn(&Entry) -> PageWorth,
) -> Vec<(PageWorth, &'a Entry)> {
    if lane.pages_at > at {
        return Vec::new();
    }
    let retries = lane.later.iter().take_while(move |((due, _), _)| *due <= at);
    let entries = retries.map(|(_, entry)| entry).chain(lane.queue.ordered(worth));
    entries.map(|entry| (worth(entry), entry)).collect()
}
