//! What is known of each page, and the pages of a domain that wait, the best first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rhumb_order::{Coins, Order, PageSigns, Purse};
use rhumb_web::UrlKey;

use crate::chance::mix;
use crate::graph::{number, place};

/// A heap is made anew when it has so many times more places than pages that wait.
const SLACK: usize = 4;

/// The part of its rank that a page gives away, as in `PageRank`.
const DAMPING: f32 = 0.85;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Unmet,
    Waits,
    Fetched,
}

/// A place in a heap: the greatest value first, of equals the one that was met first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) value: f64,
    pub(super) met: u32,
    pub(super) what: u32,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Place {}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        let first = self.value.total_cmp(&other.value).then(other.met.cmp(&self.met));
        first.then(other.what.cmp(&self.what))
    }
}

/// Where cash is kept.
#[derive(Debug)]
enum Cash {
    Exact(Vec<Coins>),
    Bounded(Purse),
}

/// All pages by number.
#[derive(Debug)]
pub(super) struct Pages {
    states: Vec<State>,
    met: Vec<u32>,
    depths: Vec<u16>,
    cash: Cash,
    ranks: Vec<f32>,
    /// What a page has that was met after ranks were computed, and what it was given since.
    base: f32,
    gifts: Vec<f32>,
    known: u32,
}

impl Pages {
    /// None is met yet; cash is kept in so many bytes, if that is said.
    pub(super) fn new(purse: Option<usize>) -> Self {
        let cash = purse.map_or(Cash::Exact(Vec::new()), |bytes| Cash::Bounded(Purse::new(bytes)));
        Self {
            states: Vec::new(),
            met: Vec::new(),
            depths: Vec::new(),
            cash,
            ranks: Vec::new(),
            base: 0.0,
            gifts: Vec::new(),
            known: 0,
        }
    }

    /// Meets a page; says whether it is new.
    pub(super) fn meet(&mut self, page: u32, depth: u16) -> bool {
        let at = place(page);
        if at >= self.states.len() {
            self.states.resize(at + 1, State::Unmet);
            self.met.resize(at + 1, 0);
            self.depths.resize(at + 1, 0);
            if let Cash::Exact(coins) = &mut self.cash {
                coins.resize(at + 1, Coins::default());
            }
        }
        let is_new = self.states[at] == State::Unmet;
        if is_new {
            self.states[at] = State::Waits;
            self.met[at] = self.known;
            self.depths[at] = depth;
            self.known += 1;
        }
        is_new
    }

    /// A link gives cash to a page that is met.
    pub(super) fn give(&mut self, page: u32, cash: f32) {
        match &mut self.cash {
            Cash::Exact(coins) => {
                let coins = &mut coins[place(page)];
                coins.cash += cash;
                coins.in_links += 1;
            }
            Cash::Bounded(purse) => purse.give(key(page), cash),
        }
    }

    /// A page is fetched and has so many links: what each of them gives. A page without links
    /// keeps what it has.
    pub(super) fn fetch(&mut self, page: u32, links: usize) -> f32 {
        self.states[place(page)] = State::Fetched;
        if links == 0 {
            return 0.0;
        }
        let cash = match &mut self.cash {
            Cash::Exact(coins) => std::mem::take(&mut coins[place(page)].cash),
            Cash::Bounded(purse) => purse.take(key(page)).cash,
        };
        #[expect(clippy::cast_precision_loss, reason = "a page has no millions of links")]
        let links = links as f32;
        cash / links
    }

    pub(super) fn depth(&self, page: u32) -> u16 {
        self.depths[place(page)]
    }

    pub(super) fn waits(&self, page: u32) -> bool {
        self.states[place(page)] == State::Waits
    }

    /// Which pages are known, by number.
    pub(super) fn known(&self) -> Vec<bool> {
        self.states.iter().map(|state| *state != State::Unmet).collect()
    }

    /// Takes ranks over that change no more.
    #[expect(clippy::cast_possible_truncation, reason = "a rank is an estimate")]
    pub(super) fn set_ranks(&mut self, ranks: &[f64]) {
        self.ranks.clear();
        self.ranks.extend(ranks.iter().map(|rank| *rank as f32));
    }

    /// Takes ranks over that were computed from all links so far, in parts of their mean, as a
    /// crawl does: a page that is met later has what the least has, and what links give it.
    pub(super) fn set_partial_ranks(&mut self, ranks: &[f64]) {
        let count = f64::from(self.known.max(1));
        let parts: Vec<f64> = ranks.iter().map(|rank| rank * count).collect();
        self.set_ranks(&parts);
        let known = self.ranks.iter().copied().filter(|rank| *rank > 0.0);
        self.base = known.reduce(f32::min).unwrap_or(1.0);
        self.gifts.clear();
    }

    /// What a page gives of its rank to each of so many links.
    pub(super) fn rank_gift(&self, page: u32, links: usize) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a page has no millions of links")]
        let links = links.max(1) as f32;
        DAMPING * self.rank(page) / links
    }

    /// A link gives rank to a page, until that is computed.
    pub(super) fn give_rank(&mut self, page: u32, rank: f32) {
        let at = place(page);
        self.gifts.resize(self.gifts.len().max(at + 1), 0.0);
        self.gifts[at] += rank;
    }

    fn rank(&self, page: u32) -> f32 {
        let at = place(page);
        let computed = self.ranks.get(at).copied().filter(|rank| *rank > 0.0);
        computed.unwrap_or(self.base) + self.gifts.get(at).copied().unwrap_or_default()
    }

    pub(super) fn signs(&self, page: u32) -> PageSigns {
        let at = place(page);
        let coins = match &self.cash {
            Cash::Exact(coins) => coins[at],
            Cash::Bounded(purse) => purse.of(key(page)),
        };
        PageSigns {
            depth: self.depths[at],
            met: u64::from(self.met[at]),
            cash: coins.cash,
            in_links: coins.in_links,
            rank: self.rank(page),
        }
    }

    /// The place of a page among those of its domain.
    pub(super) fn place(&self, page: u32, order: &dyn Order) -> Place {
        Place { value: order.page(&self.signs(page)), met: self.met[place(page)], what: page }
    }

    /// The cash of all pages, where it is kept exactly.
    #[cfg(test)]
    pub(super) fn all_cash(&self) -> f64 {
        match &self.cash {
            Cash::Exact(coins) => coins.iter().map(|coins| f64::from(coins.cash)).sum(),
            Cash::Bounded(_) => f64::NAN,
        }
    }
}

/// The key of a page in a purse.
fn key(page: u32) -> UrlKey {
    UrlKey(mix(u64::from(page) + 1))
}

/// The pages of a domain that wait. A page whose value grows is put in again, one whose value fell
/// is put back when it comes up.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    heap: BinaryHeap<Place>,
    pub(super) count: u32,
}

impl Waiting {
    /// Puts a page in that is new, or that is worth more than before.
    pub(super) fn push(&mut self, place: Place) {
        self.heap.push(place);
    }

    /// The best page.
    pub(super) fn best(&mut self, pages: &Pages, order: &dyn Order) -> Option<Place> {
        if self.heap.len() > SLACK * (usize::try_from(self.count).unwrap_or(0) + SLACK) {
            self.renew(pages, order);
        }
        loop {
            let top = *self.heap.peek()?;
            if pages.waits(top.what) {
                let now = pages.place(top.what, order);
                if now.value >= top.value {
                    return Some(top);
                }
                self.heap.pop();
                self.heap.push(now);
            } else {
                self.heap.pop();
            }
        }
    }

    /// Values everything anew.
    pub(super) fn renew(&mut self, pages: &Pages, order: &dyn Order) {
        let mut places = std::mem::take(&mut self.heap).into_vec();
        places.retain(|it| pages.waits(it.what));
        places.sort_unstable_by_key(|it| it.what);
        places.dedup_by_key(|it| it.what);
        for it in &mut places {
            *it = pages.place(it.what, order);
        }
        debug_assert_eq!(number(places.len()), self.count, "every page that waits has a place");
        self.heap = places.into();
    }
}
