//! Where each domain stands: due, waiting for its time, or at its ceiling.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rhumb_order::Order;

use super::pages::{Pages, Place, Waiting};
use crate::graph::{number, place};

/// The heap of those that are due is made anew when it has so many places for each.
const SLACK: usize = 4;
const SLACK_MIN: usize = 1_024;

/// What a domain waits for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Turn {
    /// It has no page that waits.
    #[default]
    None,
    /// It can be asked, and is worth so much; the met of its best page decides between equals.
    Due { value: f64, met: u32 },
    /// It was asked a moment ago.
    Later,
    /// It has had what it may have.
    Held,
}

/// What a domain has had.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Had {
    pub(super) fetched: u32,
    /// Links on what was fetched.
    pub(super) links: u64,
}

#[derive(Debug, Default)]
struct Domain {
    waiting: Waiting,
    had: Had,
    due_us: u64,
    turn: Turn,
    /// Whether the clock has it.
    is_timed: bool,
}

/// All domains by number.
#[derive(Debug)]
pub(super) struct Domains {
    all: Vec<Domain>,
    /// Those that are due. A place that is not that of its domain any more is passed over.
    due: BinaryHeap<Place>,
    due_count: usize,
    /// Those that wait for their time.
    clock: BinaryHeap<Reverse<(u64, u32)>>,
    held: Vec<u32>,
}

impl Domains {
    pub(super) fn new(count: u32) -> Self {
        Self {
            all: (0..count).map(|_| Domain::default()).collect(),
            due: BinaryHeap::new(),
            due_count: 0,
            clock: BinaryHeap::new(),
            held: Vec::new(),
        }
    }

    /// Puts a page into its domain, anew if it is worth more than before.
    pub(super) fn put(&mut self, domain: u32, page: Place, is_new: bool) {
        let waiting = &mut self.all[place(domain)].waiting;
        waiting.push(page);
        waiting.count += u32::from(is_new);
    }

    /// The best page of a domain.
    pub(super) fn best(&mut self, domain: u32, pages: &Pages, order: &dyn Order) -> Option<Place> {
        self.all[place(domain)].waiting.best(pages, order)
    }

    pub(super) fn pending(&self, domain: u32) -> u32 {
        self.all[place(domain)].waiting.count
    }

    pub(super) fn had(&self, domain: u32) -> Had {
        self.all[place(domain)].had
    }

    pub(super) fn due_us(&self, domain: u32) -> u64 {
        self.all[place(domain)].due_us
    }

    /// A page of a domain was fetched, which had so many links; it can be asked again from then on.
    pub(super) fn take(&mut self, domain: u32, links: usize, due_us: u64) {
        let domain = &mut self.all[place(domain)];
        domain.waiting.count -= 1;
        domain.had.fetched += 1;
        domain.had.links += u64::from(number(links));
        domain.due_us = due_us;
    }

    /// Lets a domain stand elsewhere.
    pub(super) fn stand(&mut self, number: u32, turn: Turn) {
        let domain = &mut self.all[place(number)];
        let old = std::mem::replace(&mut domain.turn, turn);
        match (old, turn) {
            (Turn::Due { value, met }, Turn::Due { value: now, met: now_met })
                if value.total_cmp(&now).is_eq() && met == now_met => {}
            (_, Turn::Due { value, met }) => self.due.push(Place { value, met, what: number }),
            (_, Turn::Later) if !domain.is_timed => {
                domain.is_timed = true;
                self.clock.push(Reverse((domain.due_us, number)));
            }
            (Turn::Held, Turn::Held) => {}
            (_, Turn::Held) => self.held.push(number),
            _ => {}
        }
        self.due_count += usize::from(matches!(turn, Turn::Due { .. }));
        self.due_count -= usize::from(matches!(old, Turn::Due { .. }));
        if self.due.len() > SLACK * self.due_count + SLACK_MIN {
            let mut places = std::mem::take(&mut self.due).into_vec();
            places.retain(|it| self.is_current(it));
            places.sort_unstable();
            places.dedup();
            self.due = places.into();
        }
    }

    fn is_current(&self, it: &Place) -> bool {
        matches!(self.all[place(it.what)].turn, Turn::Due { value, met }
            if value.total_cmp(&it.value).is_eq() && met == it.met)
    }

    /// The domain that is first of those that are due.
    pub(super) fn first(&mut self) -> Option<u32> {
        loop {
            let top = *self.due.peek()?;
            if self.is_current(&top) {
                return Some(top.what);
            }
            self.due.pop();
        }
    }

    /// A domain whose time has come.
    pub(super) fn wake(&mut self, now_us: u64) -> Option<u32> {
        let Reverse((_, domain)) = *self.clock.peek().filter(|Reverse((due, _))| *due <= now_us)?;
        self.clock.pop();
        self.all[place(domain)].is_timed = false;
        Some(domain)
    }

    pub(super) fn next_due_us(&self) -> Option<u64> {
        self.clock.peek().map(|Reverse((due, _))| *due)
    }

    /// Takes all that are at their ceilings.
    pub(super) fn held(&mut self) -> Vec<u32> {
        let mut held = std::mem::take(&mut self.held);
        held.retain(|it| matches!(self.all[place(*it)].turn, Turn::Held));
        held.sort_unstable();
        held.dedup();
        for it in &held {
            self.all[place(*it)].turn = Turn::None;
        }
        held
    }

    /// All that are due or held, to be judged anew.
    pub(super) fn standing(&mut self) -> Vec<u32> {
        let mut standing = self.held();
        let places = std::mem::take(&mut self.due).into_vec();
        let mut due: Vec<u32> =
            places.iter().filter(|it| self.is_current(it)).map(|it| it.what).collect();
        due.sort_unstable();
        due.dedup();
        for it in &due {
            self.all[place(*it)].turn = Turn::None;
        }
        self.due_count = 0;
        standing.extend(due);
        standing
    }

    /// Values all pages that wait anew.
    pub(super) fn renew(&mut self, pages: &Pages, order: &dyn Order) {
        self.all.iter_mut().for_each(|domain| domain.waiting.renew(pages, order));
    }
}
