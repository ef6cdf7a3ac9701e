//! What lies on the shelf of a lane, and what of it comes back next.
//!
//! A refill looks at the entries that lie there for longest and brings the best of them, as the
//! order of the crawl has it, and some of the oldest in any case. What the user wants first is
//! looked for on the whole shelf, at each entry once. Entries that came back before their turn are
//! noted by their ordinals until all before them have come.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use regex::RegexSet;
use rhumb_web::{Origin, Scheme};
use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::frontier::Frontier;
use crate::key::LaneKey;
use crate::placement::Place;
use crate::queue::{HEAD_MAX, REFILL_BELOW, URGENT_MAX};
use crate::site::{Lane, SiteState};
use crate::worth::PageWorth;

/// A refill chooses among this many times the entries that it brings. To read them costs a large
/// site a few microseconds a page.
const LOOK: usize = 16;
/// Entries that a refill brings at most: what is better and found later has room beside them.
const REFILL_MAX: usize = HEAD_MAX / 2;
/// Of what a refill brings a quarter lay there for longest, so that nothing lies there for ever.
const OLDEST_PART: usize = 4;
/// Entries of a lane that may have come back before their turn; then the oldest come. A row has
/// a byte or two for each.
const PLUCKED_MAX: usize = 4_096;
/// The same where the user wants them first: then nothing more is looked for until others came.
const SOUGHT_MAX: usize = 65_536;
/// Entries that a refill brings at least.
const REFILL_MIN: usize = 32;

/// The entries of one lane that lie on disk, by their ordinals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shelf {
    /// The ordinal after the last one.
    pub put: u64,
    /// The ordinal of the first one.
    pub taken: u64,
}

/// What has come back from a shelf.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// All below this ordinal.
    pub below: u64,
    /// And these.
    pub plucked: BTreeSet<u64>,
}

impl From<u64> for Taken {
    fn from(below: u64) -> Self {
        Self { below, plucked: BTreeSet::new() }
    }
}

/// What is to be read of a shelf.
#[derive(Clone, Debug)]
pub struct Wish {
    /// From here on.
    pub place: Place,
    /// So many entries, whatever they are.
    pub look: usize,
    /// And what is sought behind them.
    pub sought: Option<Sought>,
}

/// What the user wants first, and is looked for on a shelf.
#[derive(Clone, Debug)]
pub struct Sought {
    /// URLs that match one of these.
    pub patterns: Arc<RegexSet>,
    /// Below this ordinal they are not looked for.
    pub from: u64,
    /// No more than this.
    pub most: usize,
}

/// What was read of a shelf, to be chosen from.
#[derive(Debug, Default)]
pub struct Stock {
    /// By their ordinals.
    pub entries: Vec<(u64, Entry)>,
    /// Below this ordinal nothing more is sought; none if nothing was.
    pub searched: Option<u64>,
}

impl Stock {
    /// The entries alone.
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// What has come back before its turn, and what is known of the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    /// Ordinals.
    plucked: BTreeSet<u64>,
    /// The least worth of what was chosen last: who has more need not go to the shelf.
    bar: Option<PageWorth>,
    /// Those that have not gone there since.
    beaters: usize,
    /// What was looked for, and below which ordinal: no fact.
    searched: (u64, u64),
}

impl PartialEq for Choice {
    fn eq(&self, other: &Self) -> bool {
        self.plucked == other.plucked
    }
}

impl Eq for Choice {}

/// How a row has the choice of a lane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceRow {
    /// Each as what it has above the one before: small numbers are short.
    plucked: Vec<u64>,
    searched: (u64, u64),
}

impl Wish {
    /// So many entries of a lane from an ordinal on.
    pub(crate) fn plain(lane: LaneKey, ordinal: u64, look: usize) -> Self {
        Self { place: Place { lane, ordinal }, look, sought: None }
    }

    /// The ordinals that must be read: the nearest, and those among which something is sought.
    pub(crate) fn ranges(&self) -> [Range<u64>; 2] {
        let near = self.place.ordinal..self.place.ordinal.saturating_add(wide(self.look));
        let far = self.sought.as_ref().map_or(0..0, |it| it.from.max(near.end)..u64::MAX);
        [near, far]
    }

    /// What of a shelf, given in its order from the place on, it asks for.
    pub fn of(&self, shelf: impl IntoIterator<Item = (u64, Entry)>) -> Stock {
        let mut stock = Stock::default();
        for (ordinal, entry) in shelf {
            if !self.offer(&mut stock, ordinal, entry) {
                break;
            }
        }
        stock
    }

    /// Takes an entry of the shelf or passes it over, and says whether there may be more.
    pub(crate) fn offer(&self, stock: &mut Stock, ordinal: u64, entry: Entry) -> bool {
        let count = stock.entries.len();
        let is_near = self.ranges()[0].contains(&ordinal);
        let Some(sought) = &self.sought else {
            if is_near {
                stock.entries.push((ordinal, entry));
            }
            return is_near;
        };
        let is_sought = ordinal >= sought.from && sought.patterns.is_match(entry.url().as_str());
        if is_near || is_sought && count < self.look + sought.most {
            stock.entries.push((ordinal, entry));
        } else if is_sought {
            return false;
        }
        stock.searched = Some(ordinal + 1);
        true
    }
}

impl Choice {
    /// How many have come back before their turn.
    pub(crate) fn plucked(&self) -> u64 {
        wide(self.plucked.len())
    }

    /// Whether something is worth more than what lies on the shelf, as far as is known.
    pub(crate) fn is_beaten_by(&self, worth: PageWorth) -> bool {
        // Of a site that shows ever better pages the shelf has its turn, too.
        self.beaters < HEAD_MAX && self.bar.is_some_and(|bar| worth > bar)
    }

    fn row(&self) -> ChoiceRow {
        let mut before = 0;
        let gap = |ordinal: &u64| ordinal - std::mem::replace(&mut before, *ordinal);
        ChoiceRow { plucked: self.plucked.iter().map(gap).collect(), searched: self.searched }
    }

    fn of_row(row: ChoiceRow) -> Self {
        let mut at = 0_u64;
        let ordinals = row.plucked.into_iter().map(|gap| {
            at = at.saturating_add(gap);
            at
        });
        Self { plucked: ordinals.collect(), searched: row.searched, ..Self::default() }
    }
}

impl Lane {
    /// An entry goes into the head.
    pub(crate) fn enter(&mut self, entry: Entry) {
        self.choice.beaters += usize::from(self.shelved() > 0);
        self.queue.push(entry);
    }

    /// An entry has come back.
    pub(crate) fn pluck(&mut self, ordinal: u64) {
        if (self.taken..self.put).contains(&ordinal) {
            self.choice.plucked.insert(ordinal);
            while self.choice.plucked.remove(&self.taken) {
                self.taken += 1;
            }
        }
    }

    /// Below which ordinal nothing is sought by these patterns.
    fn searched(&self, patterns: u64) -> u64 {
        let (by, below) = self.choice.searched;
        if by == patterns { below.max(self.taken) } else { self.taken }
    }

    /// Notes an entry that goes to the shelf, by what is sought now and whether it is one of those.
    pub(crate) fn note_shelved(&mut self, patterns: u64, ordinal: u64, is_sought: bool) {
        if !is_sought && self.searched(patterns) >= ordinal {
            self.choice.searched = (patterns, ordinal + 1);
        }
    }
}

impl SiteState {
    /// What has come back from the shelves of both lanes before its turn: `[http, https]`.
    pub fn choices(&self) -> [ChoiceRow; 2] {
        self.lanes().map(|lane| lane.choice.row())
    }

    /// Takes that up.
    pub fn set_choices(&mut self, rows: [ChoiceRow; 2]) {
        for (lane, row) in self.lanes_mut().into_iter().zip(rows) {
            lane.choice = Choice::of_row(row);
            let beyond = lane.taken.saturating_add(1)..lane.put;
            lane.choice.plucked.retain(|ordinal| beyond.contains(ordinal));
        }
    }

    /// What has come back from the shelf of a lane.
    pub fn taken(&self, scheme: Scheme) -> Taken {
        let lane = self.lane(scheme);
        Taken { below: lane.taken, plucked: lane.choice.plucked.clone() }
    }
}

impl Frontier {
    /// What should be read of an origin's shelf: it is short of entries while some lie there, or
    /// what goes before all else may be among them. It has so many bytes of memory.
    pub fn wants_refill(&self, origin: &Origin, memory: usize) -> Option<Wish> {
        let lane = self.warm.get(&origin.site)?.lane(origin.scheme);
        if lane.shelved() == 0 {
            return None;
        }
        let (patterns, hash) = self.worth.sought();
        let from = lane.searched(hash);
        let may_seek = !patterns.is_empty() && lane.choice.plucked.len() < SOUGHT_MAX;
        let seeks = may_seek && from < lane.put && lane.queue.urgent() < REFILL_BELOW;
        if !lane.wants_refill() && !seeks {
            return None;
        }
        let place = Place { lane: self.key(&origin.site).lane(origin.scheme), ordinal: lane.taken };
        // The first of them lies there for certain, so that a look always brings one.
        let look = if lane.wants_refill() { LOOK * self.refill_max(memory) } else { 0 };
        let most = URGENT_MAX / 2;
        let patterns = Arc::clone(patterns);
        Some(Wish { place, look, sought: seeks.then_some(Sought { patterns, from, most }) })
    }

    /// How many entries a refill brings.
    fn refill_max(&self, memory: usize) -> usize {
        self.room(memory).clamp(REFILL_MIN, REFILL_MAX)
    }

    /// Chooses among what was read of an origin's shelf, so that it fits into so many bytes.
    pub fn choose(&mut self, origin: &Origin, stock: Stock, memory: usize) -> Vec<(u64, Entry)> {
        let most = self.refill_max(memory);
        let Some(lane) = self.warm.get(&origin.site).map(|state| state.lane(origin.scheme)) else {
            return Vec::new();
        };
        let is_there = |ordinal: &u64| {
            (lane.taken..lane.put).contains(ordinal) && !lane.choice.plucked.contains(ordinal)
        };
        let there = stock.entries.into_iter().filter(|(ordinal, _)| is_there(ordinal));
        let appraised = there.map(|(ordinal, mut entry)| {
            self.prepare(&mut entry);
            (self.page_worth(&entry), ordinal, entry)
        });
        let (mut chosen, rest): (Vec<_>, Vec<_>) =
            appraised.partition(|(_, _, entry)| entry.band() == 0);
        // Those for which there is no room now are sought again.
        let urgent_max = URGENT_MAX.saturating_sub(lane.queue.urgent());
        let late = chosen.split_off(chosen.len().min(urgent_max));
        let hash = self.worth.sought().1;
        let searched = stock.searched.map(|below| below.max(lane.searched(hash)));
        let searched =
            searched.map(|below| late.first().map_or(below, |(_, at, _)| below.min(*at)));
        let room = if lane.wants_refill() { most.saturating_sub(chosen.len()) } else { 0 };
        let is_scattered = lane.choice.plucked.len() >= PLUCKED_MAX;
        let oldest = if is_scattered { room } else { room.div_ceil(OLDEST_PART) };
        let bar = take_best(rest, oldest, room, &mut chosen);
        let lane = self.warm.get_mut(&origin.site).expect("it was there").lane_mut(origin.scheme);
        if room > 0 {
            (lane.choice.bar, lane.choice.beaters) = (bar.or(lane.choice.bar), 0);
        }
        if let Some(below) = searched {
            lane.choice.searched = (hash, below);
        }
        chosen.sort_unstable_by_key(|(_, ordinal, _)| *ordinal);
        chosen.into_iter().map(|(_, ordinal, entry)| (ordinal, entry)).collect()
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).expect("a length fits 64 bits")
}

type Appraised = (PageWorth, u64, Entry);

/// Moves so many of the oldest, and up to `room` with the best of the others; says what the least
/// of those is worth, if some stay behind.
fn take_best(
    mut from: Vec<Appraised>,
    oldest: usize,
    room: usize,
    to: &mut Vec<Appraised>,
) -> Option<PageWorth> {
    let mut others = from.split_off(oldest.min(from.len()));
    let best = room - from.len().min(room);
    to.append(&mut from);
    if best == 0 || others.len() <= best {
        others.truncate(best);
        to.append(&mut others);
        return None;
    }
    let order =
        |one: &Appraised, other: &Appraised| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1));
    others.select_nth_unstable_by(best, order);
    let bar = others[..best].iter().map(|(worth, ..)| *worth).min();
    to.extend(others.drain(..best));
    bar
}
