//! What the frontier promises, over random histories and against naive models.

mod backlog;
mod forecast;
mod rules;
mod shelf;
mod standing;
mod worth;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use proptest::prelude::*;
use rhumb_frontier::{
    Conduct, Entry, Frontier, HEAD_MAX, Manner, Manners, Placement, Planner, Stub,
};
use rhumb_web::{Candidate, CanonUrl, Errand, HashKey, Origin, PartitionId, Site, Span, Tick};

fn new() -> Frontier {
    Frontier::new(HashKey(1, 2), PartitionId(3))
}

/// Admits an entry where the frontier wants it, and says where that is.
fn admit(frontier: &mut Frontier, mut entry: Entry) -> Placement {
    let placement = frontier.place(&mut entry, usize::MAX, &mut Planner::default());
    match placement {
        Placement::Head => frontier.admit(entry),
        Placement::Shelf => {
            frontier.shelve(&entry);
        }
    }
    placement
}

fn entry(site: usize, page: usize, depth: u16) -> Entry {
    let scheme = if page.is_multiple_of(4) { "https" } else { "http" };
    let url = CanonUrl::parse(&format!("{scheme}://s{site}.test/{page}")).expect("it is a URL");
    Entry::new(Candidate::new(url, Errand::Page, depth, 0))
}

/// A step of a history.
#[derive(Clone, Debug)]
enum Step {
    Admit { site: usize, page: usize, depth: u16 },
    Take,
    Settle(u8),
    Pass(u64),
    HoldPages { site: usize, for_ms: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..6_usize, 0..60_usize, 0..5_u16)
            .prop_map(|(site, page, depth)| Step::Admit { site, page, depth }),
        4 => Just(Step::Take),
        3 => (0..5_u8).prop_map(Step::Settle),
        2 => (0..1_500_u64).prop_map(Step::Pass),
        1 => (0..6_usize, 0..2_000_u64)
            .prop_map(|(site, for_ms)| Step::HoldPages { site, for_ms }),
    ]
}

/// A naive frontier: a list, and times kept by hand.
#[derive(Default)]
struct Model {
    now: Tick,
    queued: HashSet<CanonUrl>,
    busy: VecDeque<Entry>,
    free_at: HashMap<Site, Tick>,
    pages_at: HashMap<Origin, Tick>,
}

fn conduct(kind: u8) -> Conduct {
    match kind {
        0 => Conduct::Failed,
        1 => Conduct::Pushback(Some(Span(700))),
        2 => Conduct::Excused,
        _ => Conduct::Answered(Span(20)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_site_is_never_on_turn_while_it_is_busy_or_before_its_time(
        steps in prop::collection::vec(step(), 1..300),
    ) {
        let manners = Manners { delay: Span(500), delay_is_explicit: true, tries: 3, floor: None };
        let mut frontier = new();
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Admit { site, page, depth } => {
                    let entry = entry(site, page, depth);
                    if model.queued.insert(entry.url().clone()) {
                        prop_assert_eq!(admit(&mut frontier, entry), Placement::Head);
                    }
                }
                Step::Take => {
                    let Some(site) = frontier.next(model.now) else { continue };
                    let free_at = model.free_at.insert(site.clone(), Tick::NEVER);
                    prop_assert!(free_at.unwrap_or_default() <= model.now, "{site} too early");
                    let state = frontier.site(&site).expect("it is on turn");
                    let next = state.peek(model.now).expect("it has work").clone();
                    let pages_at = model.pages_at.get(&next.url().origin()).copied();
                    prop_assert!(pages_at.unwrap_or_default() <= model.now, "pages too early");
                    prop_assert!(model.queued.contains(next.url()), "it was admitted");
                    frontier.issue(&next);
                    model.busy.push_back(next);
                }
                Step::Settle(kind) => {
                    let Some(done) = model.busy.pop_front() else { continue };
                    let site = done.url().site();
                    let before = frontier.site(&site).expect("it is busy").manner();
                    let gap = manners.gap(Span(20), None);
                    let after = before.after(model.now, conduct(kind), gap, 0);
                    frontier.settle(&site, after, None);
                    let pushed = if kind == 1 { Span(700) } else { Span::ZERO };
                    model.free_at.insert(site, model.now + gap.max(pushed));
                }
                Step::Pass(ms) => model.now = model.now + Span(ms),
                Step::HoldPages { site, for_ms } => {
                    let origin = entry(site, 1, 0).url().origin();
                    let until = model.now + Span(for_ms);
                    frontier.hold_pages(&origin, until);
                    model.pages_at.insert(origin, until);
                }
            }
        }
    }

    #[test]
    fn every_entry_is_served_once_nearest_to_the_seeds_first(
        pages in prop::collection::hash_set((0..4_usize, 0..80_usize, 0..4_u16), 1..150),
    ) {
        let mut frontier = new();
        let mut admitted = HashSet::new();
        for (site, page, depth) in pages {
            // One URL has one depth: the first that it was found at.
            if admitted.insert((site, page)) {
                let placement = admit(&mut frontier, entry(site, page, depth));
                prop_assert_eq!(placement, Placement::Head);
            }
        }
        let total = frontier.queued();
        let mut last: BTreeMap<Site, usize> = BTreeMap::new();
        let mut served = HashSet::new();
        while let Some(site) = frontier.next(Tick(0)) {
            let next = frontier.site(&site).and_then(|state| state.peek(Tick(0))).cloned();
            let next = next.expect("a site on turn has work");
            let band = last.insert(site.clone(), next.band()).unwrap_or(0);
            prop_assert!(band <= next.band(), "a nearer page waits behind a farther one");
            prop_assert!(served.insert(next.url().clone()), "served twice");
            frontier.issue(&next);
            frontier.settle(&site, Manner::default(), None);
        }
        prop_assert_eq!(served.len() as u64, total);
        prop_assert_eq!(frontier.queued(), 0);
    }
}

#[test]
fn a_site_with_many_entries_keeps_a_short_head_and_is_refilled_in_order() {
    let mut frontier = new();
    let mut shelf = VecDeque::new();
    let pages = HEAD_MAX * 3;
    for page in 0..pages {
        // Odd numbers only: all of one origin.
        let next = entry(1, page * 4 + 1, 2);
        if admit(&mut frontier, next.clone()) == Placement::Shelf {
            shelf.push_back(next);
        }
    }
    assert_eq!(shelf.len(), pages - HEAD_MAX);
    assert_eq!(frontier.queued(), pages as u64);
    let origin = entry(1, 1, 2).url().origin();
    let mut served = Vec::new();
    while let Some(site) = frontier.next(Tick(0)) {
        let next = frontier.site(&site).and_then(|state| state.peek(Tick(0))).cloned();
        let next = next.expect("a site on turn has work");
        frontier.issue(&next);
        served.push(next);
        frontier.settle(&site, Manner::default(), None);
        if let Some(wish) = frontier.wants_refill(&origin, usize::MAX) {
            let gone = pages - HEAD_MAX - shelf.len();
            assert_eq!(wish.place.ordinal, gone as u64, "it goes on where it was");
            let count = HEAD_MAX.min(shelf.len());
            frontier.refill(&origin, shelf.drain(..count).collect());
        }
    }
    let expect: Vec<Entry> = (0..pages).map(|page| entry(1, page * 4 + 1, 2)).collect();
    assert_eq!(served, expect);
}

#[test]
fn the_best_has_the_larger_share_and_nobody_starves() {
    let mut frontier = new();
    for site in 0..400 {
        let depth = u16::try_from(site % 4).expect("small");
        assert_eq!(admit(&mut frontier, entry(site, 1, depth)), Placement::Head);
    }
    let mut shares = [0; 4];
    for _ in 0..100 {
        let site = frontier.next(Tick(0)).expect("there is work");
        let next = frontier.peek(&site, Tick(0)).cloned().expect("a site on turn has work");
        shares[next.band()] += 1;
        frontier.issue(&next);
    }
    assert!(shares[0] > 80 && shares[1..].iter().sum::<i32>() > 5, "{shares:?}");
}

#[test]
fn a_million_sites_with_one_url_each_take_little_memory_and_are_all_served() {
    let sites = 100_000;
    let memory = 200 * 1024;
    let mut frontier = new();
    let mut shelf = HashMap::new();
    for site in 0..sites {
        let mut next = entry(site, 1, 1);
        match frontier.place(&mut next, memory, &mut Planner::default()) {
            Placement::Head => frontier.admit(next),
            Placement::Shelf => {
                let place = frontier.shelve(&next);
                shelf.insert(place.lane.site(), next);
            }
        }
        assert!(frontier.bytes() <= memory + 2_048, "{} bytes", frontier.bytes());
    }
    assert_eq!(frontier.site_count(), sites as u64);
    assert!(shelf.len() > sites - 1_000, "nearly all of them are on disk");
    let mut served = 0;
    loop {
        while let Some(site) = frontier.next(Tick(0)) {
            let origin = Origin { scheme: rhumb_web::Scheme::Http, site: site.clone() };
            let next = frontier.site(&site).and_then(|state| state.peek(Tick(0))).cloned();
            frontier.issue(&next.expect("a site on turn has work"));
            frontier.settle(&site, Manner::default().not_before(Tick(9)), None);
            assert!(frontier.wants_refill(&origin, usize::MAX).is_none());
            served += 1;
        }
        frontier.take_changed();
        frontier.cool(memory / 2, |_, _| true);
        assert!(frontier.bytes() <= memory);
        for _ in 0..50 {
            let Some(key) = frontier.next_cold(Tick(0)) else { break };
            let next = shelf.remove(&key).expect("it has an entry");
            frontier.wake(&next.url().site(), rhumb_frontier::SiteState::default());
            frontier.refill(&next.url().origin(), vec![next]);
        }
        if frontier.earliest().is_none() {
            break;
        }
    }
    assert_eq!(served, sites);
    assert_eq!(frontier.queued(), 0);
}

#[test]
fn a_site_that_was_cold_comes_back_with_its_clock_and_its_entries() {
    let mut frontier = new();
    let first = entry(1, 1, 1);
    admit(&mut frontier, first.clone());
    let site = first.url().site();
    frontier.hold(&site, Manner::default().not_before(Tick(5_000)));
    frontier.take_changed();
    let kept = frontier.site(&site).expect("it is warm").clone();
    assert_eq!(frontier.cool(0, |_, _| true), std::slice::from_ref(&site));
    assert!(frontier.is_cold(&site) && frontier.site(&site).is_none());
    let (key, stub) = frontier.stubs().next().expect("it left a stub");
    assert_eq!(stub, Stub { due: Tick(5_000), put: [0, 0] });
    // What is found while it is cold goes behind.
    let second = entry(1, 2, 1);
    assert_eq!(admit(&mut frontier, second.clone()), Placement::Shelf);
    // It is the first of its lane on the shelf: it is looked at, but its clock holds.
    assert_eq!(frontier.next_cold(Tick(0)), Some(key));
    assert_eq!(frontier.next_cold(Tick(9_999)), None, "it comes once");
    frontier.wake(&site, kept);
    assert_eq!(frontier.next(Tick(4_999)), None, "its clock holds");
    assert_eq!(frontier.next(Tick(5_000)), Some(site));
    let wish =
        frontier.wants_refill(&second.url().origin(), usize::MAX).expect("one is on the shelf");
    assert_eq!(wish.place.ordinal, 0);
    assert_eq!(frontier.queued(), 2);
}
