//! Everything that is under way, in the order of its arrival.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use rhumb_crawl::partition::{Event, Parcel};
use rhumb_web::PartitionId;

use crate::moment::Moment;

/// An event on its way to a partition.
#[derive(Debug)]
struct Coming {
    at: Moment,
    /// What left first arrives first, among those that arrive together.
    number: u64,
    to: PartitionId,
    event: Event,
}

impl Coming {
    fn rank(&self) -> (Moment, u64) {
        (self.at, self.number)
    }
}

impl PartialEq for Coming {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Coming {}

impl PartialOrd for Coming {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Coming {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// The post of a crawl.
#[derive(Debug, Default)]
pub(crate) struct Post {
    coming: BinaryHeap<Reverse<Coming>>,
    posted: u64,
    /// When the last parcel of each lane arrives: parcels of one lane never overtake each other.
    lanes: HashMap<(PartitionId, PartitionId), Moment>,
}

impl Post {
    pub(crate) fn send(&mut self, at: Moment, to: PartitionId, event: Event) {
        self.posted += 1;
        self.coming.push(Reverse(Coming { at, number: self.posted, to, event }));
    }

    /// Sends a parcel that would arrive at `at`, or right behind the one before it.
    pub(crate) fn send_parcel(&mut self, at: Moment, parcel: Parcel) {
        let lane = self.lanes.entry((parcel.from, parcel.to)).or_default();
        *lane = at.max(*lane);
        let (at, to) = (*lane, parcel.to);
        self.send(at, to, Event::Parcel(parcel));
    }

    /// When the next event arrives.
    pub(crate) fn next_at(&self) -> Option<Moment> {
        self.coming.peek().map(|Reverse(coming)| coming.at)
    }

    /// The next event that has arrived.
    pub(crate) fn take(&mut self, now: Moment) -> Option<(PartitionId, Event)> {
        let Reverse(coming) = self.coming.peek()?;
        if coming.at > now {
            return None;
        }
        self.coming.pop().map(|Reverse(coming)| (coming.to, coming.event))
    }
}
