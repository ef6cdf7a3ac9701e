//! Several fetches of one site under way at once.

use std::sync::Arc;

use rhumb_frontier::{Manners, SiteRule, SiteRules};
use rhumb_seen::MemorySeen;
use rhumb_web::{CanonUrl, Epoch, Errand, Ticket};

use super::*;

const HASH: HashKey = HashKey(1, 2);
const TICKET_FOR: Span = Span::minutes(2);

fn site() -> Site {
    Site::from("a.test".to_owned())
}

/// A site with ten pages, and this rule.
fn partition(rule: SiteRule) -> Partition<MemorySeen> {
    let settings = PartitionSettings {
        may_disguise: false,
        id: PartitionId(0),
        count: 1,
        hash: HASH,
        epoch: Epoch(0),
        manners: Manners::default(),
        agent: "rhumb".to_owned(),
        ticket_for: TICKET_FOR,
        born_ms: 0,
        memory: 1 << 20,
    };
    let mut partition = Partition::new(settings, MemorySeen::default());
    let rules = SiteRules::new(1, [("a.test".to_owned(), rule)]);
    partition.state_mut().frontier_mut().set_rules(Arc::new(rules));
    let url = |page| CanonUrl::parse(&format!("http://a.test/{page}")).unwrap();
    let seeds = (0..10).map(|page| Candidate::new(url(page), Errand::Page, 0, 0)).collect();
    partition.handle(Tick(0), Event::Seeds(seeds), &mut Turn::default());
    partition
}

fn connections(count: u8) -> SiteRule {
    SiteRule { connections: Some(count), ..SiteRule::default() }
}

/// The tickets that go out now.
fn issue(partition: &mut Partition<MemorySeen>, now: Tick) -> Vec<Ticket> {
    let mut turn = Turn::default();
    partition.issue(now, 100, &mut turn);
    let fetches = turn.effects.into_iter().filter_map(|effect| match effect {
        Effect::Fetch(ticket, _) => Some(ticket),
        _ => None,
    });
    fetches.collect()
}

fn give_back(partition: &mut Partition<MemorySeen>, now: Tick, ticket: Ticket, finding: Finding) {
    let (took, digest, kept) = (Span(10), None, None);
    let returned = Return { ticket, took, finding, digest, kept, excused: false };
    partition.handle(now, Event::Returned(Box::new(returned)), &mut Turn::default());
}

fn answer(status: u16) -> Finding {
    Finding::Answered(Box::new(Answer { status, ..Answer::default() }))
}

/// Its robots.txt is known to be absent at the first second; pages may go out at the tenth.
fn open_site(partition: &mut Partition<MemorySeen>) -> Tick {
    let mut robots = issue(partition, Tick(1_000));
    assert_eq!(robots.len(), 1);
    give_back(partition, Tick(1_000), robots.remove(0), answer(404));
    Tick(10_000)
}

fn ready_at(partition: &Partition<MemorySeen>) -> Tick {
    partition.state().frontier().site(&site()).unwrap().manner().ready_at
}

#[test]
fn a_budget_is_spent_by_exchanges_and_not_by_waiting_for_an_address() {
    let mut partition = partition(SiteRule { budget: Some(3), ..SiteRule::default() });
    let mut now = open_site(&mut partition);
    for _ in 0..20 {
        let ticket = issue(&mut partition, now).pop().expect("nothing was sent yet");
        give_back(&mut partition, now, ticket, Finding::AddressBusy(Span(5)));
        now = now + Span::seconds(10);
    }
    let mut pages = 0;
    while let Some(ticket) = issue(&mut partition, now).pop() {
        give_back(&mut partition, now, ticket, answer(200));
        now = now + Span::seconds(10);
        pages += 1;
    }
    assert_eq!(pages, 2, "the robots.txt is the first of three");
    assert_eq!(partition.state().frontier().queued(), 8);
}

#[test]
fn a_site_that_pushes_back_is_left_alone_whatever_came_beside_it() {
    let mut partition = partition(connections(3));
    let now = open_site(&mut partition);
    let mut tickets = issue(&mut partition, now);
    assert_eq!(tickets.len(), 3);
    let asked = Some(Some(Span::minutes(5)));
    let quiet = Answer { status: 429, pushback: asked, ..Answer::default() };
    give_back(&mut partition, now, tickets.remove(0), Finding::Answered(Box::new(quiet)));
    for ticket in tickets {
        give_back(&mut partition, now + Span(50), ticket, answer(200));
    }
    assert_eq!(ready_at(&partition), now + Span::minutes(5) + Span(1));
}

#[test]
fn after_a_kill_the_request_that_had_taken_longest_sets_the_rest() {
    let mut partition = partition(connections(2));
    let now = open_site(&mut partition);
    let mut tickets = issue(&mut partition, now);
    give_back(&mut partition, now, tickets.remove(1), answer(200));
    // One goes on for ten seconds, another has just begun.
    let last = now + Span::seconds(10);
    assert_eq!(issue(&mut partition, last).len(), 1);
    let mut turn = Turn::default();
    partition.reopen(last, last, false, &mut turn);
    let recalled = turn.facts.iter().filter(|fact| matches!(fact, Fact::Recalled(_))).count();
    let state = partition.state().frontier().site(&site()).unwrap();
    assert_eq!((recalled, state.in_flight(), state.queued()), (2, 0, 9));
    assert_eq!(ready_at(&partition), last + Span::seconds(50) + Span(1));
}

#[test]
fn after_a_kill_pages_do_not_wait_for_a_robots_txt_that_nobody_asks_for() {
    let mut partition = partition(connections(4));
    let tickets = issue(&mut partition, Tick(1_000));
    assert_eq!(tickets.len(), 1, "pages wait for the robots.txt");
    drop(tickets);
    let last = Tick(2_000);
    partition.reopen(last, last, false, &mut Turn::default());
    let due = partition.earliest().expect("pages are left");
    assert!(due < last + Span::minutes(1), "{due:?}");
    let again = issue(&mut partition, last + Span::minutes(1));
    assert!(matches!(again[0].candidate.errand, Errand::Robots { .. }));
}
